"""Questions wait for those that may still come, and for nobody else."""

import asyncio

import pytest

from workbench.pipeline.judge_calls import RequestCoalescer


def room_that_counts(served):
    async def serve(key, seats):
        served.append((key, sorted(seat.item for seat in seats)))
        for seat in seats:
            seat.answer(seat.item * 10)

    return RequestCoalescer(serve)


def test_questions_of_a_key_are_served_when_nobody_is_on_the_way():
    served = []

    async def story():
        room = room_that_counts(served)
        a, b, other = room.guest("x"), room.guest("x"), room.guest("y")
        first = asyncio.create_task(room.wait(a, 1))
        await asyncio.sleep(0.01)
        assert served == []
        second = asyncio.create_task(room.wait(b, 2))
        assert await asyncio.gather(first, second) == [10, 20]
        other.leave()
        # each of them may come again (a cascade): b waits for a, who has nothing more to ask
        third = asyncio.create_task(room.wait(b, 3))
        await asyncio.sleep(0.01)
        assert len(served) == 1
        a.leave()
        a.leave()
        assert await third == 30

    asyncio.run(story())
    assert served == [("x", [1, 2]), ("x", [3])]


def test_a_failure_reaches_every_seat():
    async def serve(key, seats):
        seats[0].answer(1)
        raise RuntimeError("the kitchen burns")

    async def story():
        room = RequestCoalescer(serve)
        guests = [room.guest("x") for _ in range(3)]
        return await asyncio.gather(
            *(room.wait(g, n) for n, g in enumerate(guests)), return_exceptions=True
        )

    first, *others = asyncio.run(story())
    assert first == 1
    assert [str(error) for error in others] == ["the kitchen burns"] * 2


def test_a_closed_room_serves_nobody():
    served = []

    async def story():
        room = room_that_counts(served)
        guest = room.guest("x")
        room.close()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(room.wait(guest, 1), 0.02)

    asyncio.run(story())
    assert served == []


def test_who_gave_up_is_not_served():
    served = []

    async def story():
        room = room_that_counts(served)
        a, b = room.guest("x"), room.guest("x")
        abandoned = asyncio.create_task(room.wait(a, 1))
        await asyncio.sleep(0)
        abandoned.cancel()
        await asyncio.wait([abandoned])
        assert await room.wait(b, 2) == 20

    asyncio.run(story())
    assert served == [("x", [2])]
