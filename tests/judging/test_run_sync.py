"""Coroutines run to their end, in a loop or without one."""

import asyncio

import pytest

from workbench.judging.judge import run_sync


class Result:
    """Counts how often its whole text was built."""

    written = 0

    def __repr__(self):
        type(self).written += 1
        return "a result"


async def result():
    return Result()


async def failure():
    raise ValueError("no result")


async def inside_a_loop(work):
    return run_sync(work)


def test_the_text_of_a_result_is_never_built():
    """It takes seconds for a run of 50,000 citations."""
    assert isinstance(run_sync(result()), Result)
    assert Result.written == 0


def test_an_error_reaches_the_caller():
    with pytest.raises(ValueError, match="no result"):
        run_sync(failure())


def test_a_running_loop_is_no_hindrance():
    assert isinstance(asyncio.run(inside_a_loop(result())), Result)
    with pytest.raises(ValueError, match="no result"):
        asyncio.run(inside_a_loop(failure()))
