"""One fetch against a real server: redirects, deadlines, sizes, encodings, what is not carried."""

import asyncio
import time

import pytest

from tests.fakes.web_server import PUBLIC, diverted, fake_web, page, raw, redirect
from workbench.errors import FetchError
from workbench.sources.fetch import Limits, fetch_guarded
from workbench.sources.ssrf_guard import UrlGuard
from workbench.sources.web import fetch

NAMES = {
    "a.example": [PUBLIC],
    "b.example": ["93.184.216.35"],
    "inside.example": ["10.0.0.5"],
    "six.example": ["2606:4700:4700::1111"],
}
ARTICLE = b"<html><body><p>Rain fell in Bergen.</p></body></html>"


@pytest.fixture
def web():
    with fake_web() as server:
        yield server


def get(url, **options):
    return asyncio.run(fetch_guarded(url, UrlGuard(), limits=Limits(**options)))


def failure(url, **options):
    with pytest.raises(FetchError) as caught:
        get(url, **options)
    return caught.value


# -- what comes back ------------------------------------------------------------------------------


def test_a_page_comes_back_with_its_facts(web, monkeypatch):
    web.replies["/x"] = page(ARTICLE)
    with diverted(monkeypatch, web, NAMES) as network:
        fetched = asyncio.run(fetch("http://a.example./x#part", allow_fetch=True))
    assert fetched.body == ARTICLE
    assert fetched.url == "http://a.example./x#part"
    assert fetched.final_url == "http://a.example/x"
    assert fetched.hops == ("http://a.example/x",)
    assert fetched.status == 200
    assert fetched.content_type == "text/html; charset=utf-8"
    assert fetched.fetched_at is not None
    assert not fetched.truncated
    assert network.connected == [(PUBLIC, 80)]
    assert web.requests[0].host == "a.example"


def test_it_works_inside_a_loop_of_another_thread(web, monkeypatch):
    web.replies["*"] = page(ARTICLE)

    async def outer():
        return await asyncio.to_thread(
            lambda: asyncio.run(fetch("http://a.example/", allow_fetch=True))
        )

    with diverted(monkeypatch, web, NAMES):
        assert asyncio.run(outer()).body == ARTICLE


def test_ipv6_hosts_are_reached(web, monkeypatch):
    web.replies["*"] = page(ARTICLE)
    with diverted(monkeypatch, web, NAMES) as network:
        assert get("http://six.example/").status == 200
    assert network.connected == [("2606:4700:4700::1111", 80)]


def test_a_second_address_is_tried_when_the_first_is_dead(web, monkeypatch):
    web.replies["*"] = page(ARTICLE)
    names = {"two.example": ["2606:4700:4700::1111", PUBLIC]}
    with diverted(monkeypatch, web, names) as network:
        import socket

        alive = socket.socket.connect

        def connect(self, address):
            if self.family == socket.AF_INET6:
                network.connected.append((address[0], address[1]))
                raise ConnectionRefusedError(111, "Connection refused")
            return alive(self, address)

        with monkeypatch.context() as patched:
            patched.setattr(socket.socket, "connect", connect)
            assert get("http://two.example/").status == 200
    assert [host for host, _ in network.connected] == ["2606:4700:4700::1111", PUBLIC]


# -- redirects ------------------------------------------------------------------------------------

REDIRECTS = [
    pytest.param("http://b.example/end", None, id="another host"),
    pytest.param("/end", None, id="an absolute path"),
    pytest.param("end", None, id="a relative path"),
    pytest.param("//b.example/end", None, id="the same scheme"),
    pytest.param("/a page", None, id="a space in the path"),
    pytest.param("http://127.0.0.1/", "ssrf", id="a loopback literal"),
    pytest.param("//127.0.0.1/", "ssrf", id="a loopback literal without scheme"),
    pytest.param("http://2130706433/", "ssrf", id="a decimal address"),
    pytest.param("http://[::ffff:127.0.0.1]/", "ssrf", id="a mapped address"),
    pytest.param("http://inside.example/", "ssrf", id="a name with a private answer"),
    pytest.param("http://localhost/", "ssrf", id="localhost"),
    pytest.param("http://b.example:6379/", "ssrf", id="another port"),
    pytest.param("http://me@b.example/", "ssrf", id="a user name"),
    pytest.param("http://b.example\\@127.0.0.1/", "ssrf", id="a backslash"),
    pytest.param("file:///etc/passwd", "bad_scheme", id="a file"),
    pytest.param("javascript:alert(1)", "bad_scheme", id="a script"),
    pytest.param("http://b .example/", "ssrf", id="a space in the host"),
    pytest.param("http://nobody.example/", "no_such_host", id="an invented host"),
    pytest.param("", "redirect_loop", id="an empty location"),
    pytest.param("/start", "redirect_loop", id="itself"),
    pytest.param("#part", "redirect_loop", id="itself with a fragment"),
]


@pytest.mark.parametrize(("location", "kind"), REDIRECTS)
def test_every_hop_is_checked(location, kind, web, monkeypatch):
    web.replies |= {
        "/start": redirect(location),
        "/end": page(ARTICLE),
        "/a%20page": page(ARTICLE),
    }
    with diverted(monkeypatch, web, NAMES) as network:
        if kind is None:
            fetched = get("http://a.example/start")
            assert fetched.body == ARTICLE
            assert len(fetched.hops) == 2
        else:
            assert failure("http://a.example/start").kind == kind
    assert {host for host, _ in network.connected} <= {PUBLIC, "93.184.216.35"}


@pytest.mark.parametrize(("hops", "kind"), [(3, None), (4, "redirect_loop")])
def test_three_redirects_are_followed_and_no_more(hops, kind, web, monkeypatch):
    web.replies |= {f"/{n}": redirect(f"/{n - 1}") for n in range(1, hops + 1)}
    web.replies["/0"] = page(ARTICLE)
    with diverted(monkeypatch, web, NAMES):
        if kind:
            assert failure(f"http://a.example/{hops}").kind == kind
        else:
            assert len(get(f"http://a.example/{hops}").hops) == hops + 1


def test_a_location_with_a_control_character_is_refused(web, monkeypatch):
    web.replies["/"] = raw(b"HTTP/1.1 302 F\r\nLocation: /\x01x\r\nContent-Length: 0\r\n\r\n")
    with diverted(monkeypatch, web, NAMES):
        assert failure("http://a.example/").kind in ("ssrf", "bad_status")


def test_an_answer_that_changes_between_hops_is_checked_again(web, monkeypatch):
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    web.replies["/start"] = redirect("/end")
    with diverted(monkeypatch, web, {"flip.example": lambda: next(answers)}) as network:
        assert failure("http://flip.example/start").kind == "ssrf"
    assert network.connected == [(PUBLIC, 80)]


def test_one_connection_is_one_lookup(web, monkeypatch):
    answers = iter([[PUBLIC]])  # a second lookup would find nothing
    web.replies["*"] = page(ARTICLE)
    with diverted(monkeypatch, web, {"once.example": lambda: next(answers)}) as network:
        assert get("http://once.example/").body == ARTICLE
    assert network.looked_up == ["once.example"]


def test_the_allowlist_holds_for_every_hop(web, monkeypatch):
    web.replies |= {"a.example/": redirect("http://b.example/")}
    with diverted(monkeypatch, web, NAMES), pytest.raises(FetchError) as caught:
        asyncio.run(fetch("http://a.example/", allow_fetch=True, allowed_domains=["a.example"]))
    assert caught.value.kind == "not_allowed_domain"
    assert caught.value.hop == 1


# -- one deadline ---------------------------------------------------------------------------------

DRIP = [b"x"] * 200
SLOW = {
    "headers": raw(b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 200, pause=0.05),
    "one header": raw(b"HTTP/1.1 200 OK\r\nX: ", *DRIP, pause=0.05),
    "body": raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", *DRIP, pause=0.05),
    "chunks": raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
        *[b"1\r\nx\r\n"] * 200,
        pause=0.05,
    ),
    "early hints": raw(*[b"HTTP/1.1 103 Early Hints\r\n\r\n"] * 200, pause=0.05),
    "nothing": raw(then_hang=20),
}


@pytest.mark.parametrize("drip", SLOW)
def test_dripped_answers_end_at_the_deadline(drip, web, monkeypatch):
    web.replies["*"] = SLOW[drip]
    with diverted(monkeypatch, web, NAMES):
        started = time.monotonic()
        assert failure("http://a.example/", seconds=1.0).kind == "timeout"
    # far from the 10 to 20 s that the answer takes, with room for a busy machine
    assert 0.9 < time.monotonic() - started < 5


def test_redirects_share_the_deadline(web, monkeypatch):
    slow = [page(b"", status="302 F", headers={"Location": f"/{n}"}, delay=0.4) for n in range(4)]
    web.replies |= {f"/{n + 1}": reply for n, reply in enumerate(slow)}
    with diverted(monkeypatch, web, NAMES):
        started = time.monotonic()
        assert failure("http://a.example/4", seconds=1.0).kind == "timeout"
    assert time.monotonic() - started < 5


def test_a_name_service_that_hangs_ends_at_the_deadline(web, monkeypatch):
    def hang():
        time.sleep(3)
        return [PUBLIC]

    with diverted(monkeypatch, web, {"slow.example": hang}) as network:
        started = time.monotonic()
        assert failure("http://slow.example/", seconds=0.5).kind == "timeout"
        assert time.monotonic() - started < 2.5
        assert network.connected == []


def test_another_librarys_deadline_ends_a_hanging_look_up(web, monkeypatch):
    import anyio

    def hang():
        time.sleep(3)
        return [PUBLIC]

    async def main():
        with anyio.fail_after(0.5):
            await fetch("http://slow.example/", allow_fetch=True)

    with diverted(monkeypatch, web, {"slow.example": hang}):
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            asyncio.run(main())
        assert time.monotonic() - started < 2.5


def test_many_hanging_look_ups_leave_room_for_others(web, monkeypatch):
    def hang():
        time.sleep(2)
        return [PUBLIC]

    web.replies["*"] = page(ARTICLE)

    async def main():
        slow = [fetch_guarded(f"http://slow{n}.example/", UrlGuard(), limits=Limits(seconds=0.3))
                for n in range(12)]  # fmt: skip
        errors = await asyncio.gather(*slow, return_exceptions=True)
        assert {error.kind for error in errors} == {"timeout"}
        return await fetch_guarded("http://a.example/", UrlGuard())

    names = NAMES | {f"slow{n}.example": hang for n in range(12)}
    with diverted(monkeypatch, web, names):
        assert asyncio.run(main()).status == 200


def test_the_event_loop_never_stands_still(web, monkeypatch):
    web.replies["*"] = page(b"<p>" + b"x " * 2_000_000, delay=0.05)
    gaps = []

    async def main():
        async def tick():
            last = time.monotonic()
            while True:
                await asyncio.sleep(0.01)
                now = time.monotonic()
                gaps.append(now - last)
                last = now

        ticking = asyncio.create_task(tick())
        await asyncio.gather(
            *[fetch_guarded(f"http://a.example/{n}", UrlGuard(), limits=Limits()) for n in range(8)]
        )
        ticking.cancel()

    with diverted(monkeypatch, web, NAMES):
        asyncio.run(main())
    assert max(gaps) < 0.5


# -- nothing is carried over ----------------------------------------------------------------------


def test_no_cookie_proxy_or_password_travels(web, monkeypatch, tmp_path):
    netrc = tmp_path / ".netrc"
    netrc.write_text("default login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    web.replies["/start"] = page(
        b"", status="302 F", headers={"Location": "/end", "Set-Cookie": "id=1; Path=/"}
    )
    web.replies["/end"] = page(ARTICLE)
    with diverted(monkeypatch, web, NAMES) as network:
        assert get("http://a.example/start").body == ARTICLE
    assert set(network.connected) == {(PUBLIC, 80)}
    for request in web.requests:
        assert not {"cookie", "authorization", "referer", "proxy-authorization"} & set(
            request.headers
        )
        assert request.headers["accept-encoding"] == "gzip, deflate"
        assert request.headers["user-agent"].startswith("citation-workbench/")


def test_cancelling_leaves_nothing_running(web, monkeypatch):
    web.replies["*"] = raw(then_hang=20)

    async def main():
        task = asyncio.create_task(fetch("http://a.example/", allow_fetch=True))
        while not web.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with diverted(monkeypatch, web, NAMES):
        asyncio.run(main())


def test_too_busy_a_server_is_asked_once_more(web, monkeypatch):
    later = page(b"", status="503 Busy", headers={"Retry-After": "1"})
    served = page(ARTICLE)

    async def reply(request, writer):
        await (later if request.number == 1 else served)(request, writer)

    web.replies["*"] = reply
    with diverted(monkeypatch, web, NAMES):
        started = time.monotonic()
        assert asyncio.run(fetch("http://a.example/", allow_fetch=True)).body == ARTICLE
    assert time.monotonic() - started >= 1
    assert len(web.requests) == 2


@pytest.mark.parametrize("retry_after", ["1", "3600", "Wed, 01 Jan 2200 00:00:00 GMT", "soon"])
def test_a_busy_server_is_not_asked_a_third_time(retry_after, web, monkeypatch):
    web.replies["*"] = page(b"", status="429 Slow down", headers={"Retry-After": retry_after})
    with diverted(monkeypatch, web, NAMES), pytest.raises(FetchError) as caught:
        asyncio.run(fetch("http://a.example/", allow_fetch=True))
    assert caught.value.kind == "bad_status"
    assert len(web.requests) == (2 if retry_after == "1" else 1)
