"""How much of a body is read, how it may be compressed, and which types are accepted."""

import asyncio
import gzip
import zlib

import pytest

from tests.fakes.web_server import PUBLIC, diverted, fake_web, page, raw
from workbench.errors import FetchError
from workbench.sources.fetch import Limits, fetch_guarded
from workbench.sources.ssrf_guard import UrlGuard

NAMES = {"a.example": [PUBLIC]}
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


# -- bounds ---------------------------------------------------------------------------------------


def test_a_long_text_is_cut_and_flagged(web, monkeypatch):
    web.replies["*"] = page(b"a" * 5000, content_type="text/plain")
    with diverted(monkeypatch, web, NAMES):
        fetched = get("http://a.example/", max_bytes=1000)
    assert fetched.body == b"a" * 1000
    assert fetched.truncated


def test_a_body_of_exactly_the_limit_is_whole(web, monkeypatch):
    for headers, body in (
        ({}, b"a" * 1000),
        ({"Content-Encoding": "gzip"}, gzip.compress(b"a" * 1000)),
    ):
        web.replies["*"] = page(body, content_type="text/plain", headers=headers)
        with diverted(monkeypatch, web, NAMES):
            fetched = get("http://a.example/", max_bytes=1000)
        assert fetched.body == b"a" * 1000
        assert not fetched.truncated


def test_a_long_pdf_is_refused(web, monkeypatch):
    web.replies["*"] = page(b"%PDF-1.7 " + b"a" * 5000, content_type="application/pdf")
    with diverted(monkeypatch, web, NAMES):
        assert failure("http://a.example/", max_bytes=1000).kind == "too_large"


BOMB = b"\0" * 30_000_000


@pytest.mark.parametrize(
    ("encoding", "body", "kind"),
    [
        pytest.param("gzip", lambda: gzip.compress(b"a" * 30_000_000), None, id="gzip"),
        pytest.param("deflate", lambda: zlib.compress(b"a" * 30_000_000), None, id="deflate"),
        pytest.param(
            "gzip, gzip", lambda: gzip.compress(gzip.compress(BOMB)), "not_text", id="stacked"
        ),
        pytest.param("br", lambda: b"\xcf\xff\xff\xff" * 200, "not_text", id="brotli"),
        pytest.param("zstd", lambda: b"\x28\xb5\x2f\xfd" * 200, "not_text", id="zstd"),
        pytest.param("compress", lambda: b"\x1f\x9d", "not_text", id="unknown"),
    ],
)
def test_bombs_are_cut_or_refused(encoding, body, kind, web, monkeypatch):
    web.replies["*"] = page(
        body(), content_type="text/plain", headers={"Content-Encoding": encoding}
    )
    with diverted(monkeypatch, web, NAMES):
        if kind:
            assert failure("http://a.example/").kind == kind
            return
        fetched = get("http://a.example/")
    assert len(fetched.body) == 5 * 1024 * 1024
    assert fetched.truncated


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
PADDING = b";x=" + b"p" * 60_000


def counted(sent, *parts):
    """A reply that records how much of it was sent before the other side hung up."""

    async def reply(request, writer):
        for part in parts:
            writer.write(part)
            await writer.drain()
            sent.append(len(part))

    return reply


def test_chunk_extensions_count_as_body(web, monkeypatch):
    sent = []
    web.replies["*"] = counted(sent, HEAD, *[b"4" + PADDING + b"\r\nrain\r\n"] * 2000)
    with diverted(monkeypatch, web, NAMES):
        fetched = get("http://a.example/", max_bytes=1_000_000)
    assert fetched.truncated
    assert fetched.body.startswith(b"rainrain")
    assert len(fetched.body) < 100
    assert sum(sent) < 20_000_000, "all 120 MB of padding were taken"


def test_padded_chunks_of_a_pdf_are_refused(web, monkeypatch):
    head = HEAD.replace(b"text/plain", b"application/pdf")
    web.replies["*"] = counted([], head, *[b"9" + PADDING + b"\r\n%PDF-1.7\n\r\n"] * 2000)
    with diverted(monkeypatch, web, NAMES):
        assert failure("http://a.example/", max_bytes=1_000_000).kind == "too_large"


def test_interim_answers_without_end_are_refused(web, monkeypatch):
    sent = []
    interim = b"HTTP/1.1 103 Early Hints\r\nLink: " + b"p" * 60_000 + b"\r\n\r\n"
    web.replies["*"] = counted(sent, *[interim] * 2000)
    with diverted(monkeypatch, web, NAMES):
        refused = failure("http://a.example/", max_bytes=1_000_000)
    assert refused.kind == "too_large"
    assert "MiB" in refused.message
    assert sum(sent) < 20_000_000


def test_trailers_without_end_are_refused(web, monkeypatch):
    sent = []
    trailers = [b"X-Trailer: " + b"p" * 60_000 + b"\r\n"] * 2000
    web.replies["*"] = counted(sent, HEAD, b"4\r\nrain\r\n0\r\n", *trailers)
    with diverted(monkeypatch, web, NAMES):
        assert failure("http://a.example/").kind == "bad_status"
    assert sum(sent) < 20_000_000


def test_ordinary_chunks_of_a_body_of_the_limit_are_whole(web, monkeypatch):
    chunk = b"80\r\n" + b"a" * 128 + b"\r\n"
    web.replies["*"] = raw(HEAD, chunk * 8000, b"0\r\n\r\n")
    with diverted(monkeypatch, web, NAMES):
        fetched = get("http://a.example/", max_bytes=128 * 8000)
    assert fetched.body == b"a" * 128 * 8000
    assert not fetched.truncated


PACKED = [
    pytest.param("gzip", gzip.compress(ARTICLE), ARTICLE, id="gzip"),
    pytest.param("x-gzip", gzip.compress(ARTICLE), ARTICLE, id="its old name"),
    pytest.param(
        "gzip", gzip.compress(ARTICLE[:9]) + gzip.compress(ARTICLE[9:]), ARTICLE, id="members"
    ),
    pytest.param("gzip", gzip.compress(ARTICLE) + b"\0" * 32, ARTICLE, id="padding behind"),
    pytest.param("deflate", zlib.compress(ARTICLE), ARTICLE, id="deflate"),
    pytest.param("deflate", zlib.compress(ARTICLE)[2:-4], ARTICLE, id="raw deflate"),
    pytest.param("identity", ARTICLE, ARTICLE, id="identity"),
    pytest.param("gzip", b"\x1f\x8b\x08garbage", None, id="damaged gzip"),
    pytest.param("gzip", ARTICLE, None, id="no gzip at all"),
]


@pytest.mark.parametrize(("encoding", "packed", "body"), PACKED)
def test_packings(encoding, packed, body, web, monkeypatch):
    web.replies["*"] = page(packed, headers={"Content-Encoding": encoding})
    with diverted(monkeypatch, web, NAMES):
        if body is None:
            assert failure("http://a.example/").kind == "not_text"
        else:
            assert get("http://a.example/").body == body


# -- what is accepted -----------------------------------------------------------------------------

STRANGE = [
    pytest.param(page(b"x", status="404 Not Found"), "bad_status", id="not found"),
    pytest.param(page(b"x", status="500 Oops"), "bad_status", id="a server error"),
    pytest.param(page(b"", status="302 Found"), "bad_status", id="a redirect to nowhere"),
    pytest.param(page(b"", status="304 Not Modified"), "bad_status", id="not modified"),
    pytest.param(page(b"", status="204 No Content"), "not_evidence", id="no content"),
    pytest.param(page(b" \n"), "not_evidence", id="white space"),
    pytest.param(page(b"x", content_type=None), "not_text", id="no type"),
    pytest.param(page(b"x", content_type="image/png"), "not_text", id="a picture"),
    pytest.param(page(b"x", content_type="text/css"), "not_text", id="a style sheet"),
    pytest.param(page(b"a\0b" * 99), "not_text", id="binary called html"),
    pytest.param(page(ARTICLE, content_type="application/pdf"), "not_text", id="html called pdf"),
    pytest.param(page(ARTICLE, content_type="application/octet-stream"), "not_text", id="download"),
    pytest.param(page(b"%PDF-1.7 x", content_type="application/octet-stream"), None, id="pdf"),
    pytest.param(page(b"%PDF-1.7 x", content_type="text/html"), None, id="pdf called html"),
    pytest.param(page(b'{"a": 1}', content_type="application/ld+json"), None, id="json"),
    pytest.param(page("x".encode("utf-16"), content_type="text/plain"), None, id="utf-16"),
    pytest.param(raw(b"SSH-2.0-OpenSSH_9\r\n"), "bad_status", id="another protocol"),
    pytest.param(raw(b""), "bad_status", id="nothing at all"),
    pytest.param(
        raw(b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 300_000 + b"\r\n\r\n"),
        "bad_status",
        id="endless headers",
    ),
    pytest.param(
        raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\nx"),
        "bad_status",
        id="broken off",
    ),
    pytest.param(
        raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        "not_evidence",
        id="two lengths",
    ),
]


@pytest.mark.parametrize(("reply", "kind"), STRANGE)
def test_strange_answers_give_a_page_or_a_reason(reply, kind, web, monkeypatch):
    web.replies["*"] = reply
    with diverted(monkeypatch, web, NAMES):
        if kind is None:
            assert get("http://a.example/").body
        else:
            assert failure("http://a.example/").kind == kind


def test_refused_and_silent_ports_read_alike(monkeypatch):
    with diverted(monkeypatch, None, NAMES):
        refused = failure("http://a.example/")
    assert refused.kind == "bad_status"
    assert refused.message == "a.example could not be reached."


class Odd(Exception):
    pass


@pytest.mark.parametrize("raised", [PermissionError(1, "no"), OSError("odd"), Odd("odd")])
def test_whatever_a_connection_raises_is_a_reason(raised, monkeypatch):
    import socket

    def connect(self, address):
        raise raised

    with diverted(monkeypatch, None, NAMES), monkeypatch.context() as patched:
        patched.setattr(socket.socket, "connect", connect)
        assert failure("http://a.example/").kind == "bad_status"
