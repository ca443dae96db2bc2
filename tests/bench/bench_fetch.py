"""Fetching under the guard: speed compared with a plain client, memory under bombs, deadlines.

    python tests/bench/bench_fetch.py [--quick]

A server in another process answers after 200 ms; host names and connections are diverted to it.
Figures are of this machine; the ideal is (sources / 16 at once) * 200 ms.
"""

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import pytest  # noqa: E402

from tests.fakes.web_server import PUBLIC, FakeWeb, diverted  # noqa: E402
from workbench.errors import FetchError, SourceError  # noqa: E402
from workbench.records.citation import Target  # noqa: E402
from workbench.records.source import SourceQuery  # noqa: E402
from workbench.sources.concurrency import AT_ONCE  # noqa: E402
from workbench.sources.fetch import (  # noqa: E402
    Limits,
    fetch_guarded,
)
from workbench.sources.read import read_source  # noqa: E402
from workbench.sources.reading.pool import shared_pool  # noqa: E402
from workbench.sources.ssrf_guard import UrlGuard  # noqa: E402
from workbench.sources.web import WebFetcher  # noqa: E402

LATENCY = 0.2
HOSTS = 10
MIB = 1024 * 1024
SERVER = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from tests.fakes.web_server import fake_web, page, raw
import gzip, zlib
text = "<p>" + "It rained 42 mm in the north, and the survey says so. " * 40 + "</p>"
article = "<html><body><article><h1>Rain</h1>" + text * 3 + "</article></body></html>"
def bomb(kind, size):
    engine = zlib.compressobj(9, zlib.DEFLATED, 31 if kind == "gzip" else 15)
    return b"".join(engine.compress(b"a" * (1 << 20)) for _ in range(size)) + engine.flush()
async def endless(request, writer):
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\n\\r\\n")
    for _ in range(1024):
        writer.write(b"a" * (1 << 20))
        await writer.drain()
def packed(kind, body):
    return page(body, content_type="text/plain", headers={"Content-Encoding": kind})
one = bomb("gzip", 1024)
drip = [b"x"] * 400
head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n"
replies = {
    "*": page(article, delay=float(sys.argv[2])),
    "/gzip": packed("gzip", one),
    "/deflate": packed("deflate", bomb("deflate", 1024)),
    "/stacked": packed("gzip, gzip", gzip.compress(one)),
    "/br": packed("br", bytes.fromhex("cfffff7ff8ff") * 130),
    "/zstd": packed("zstd", bytes.fromhex("28b52ffd") * 8000),
    "/plain": endless,
    "/headers": raw(head, *[b"X: y\\r\\n"] * 400, pause=0.05),
    "/body": raw(head + b"\\r\\n", *drip, pause=0.05),
    "/hints": raw(*[b"HTTP/1.1 103 Early Hints\\r\\n\\r\\n"] * 400, pause=0.05),
    "/silent": raw(then_hang=60),
}
with fake_web(replies) as web:
    print(web.port, flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def server(latency):
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(ROOT), str(latency)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        web = FakeWeb(port=int(process.stdout.readline()))
        with diverted(pytest.MonkeyPatch(), web) as traffic:
            traffic.default = [PUBLIC]
            yield web
    finally:
        process.communicate("")


def rss_mib():
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MIB


def peak_mib(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


async def workbench_client(addresses, *, read=False):
    fetcher = WebFetcher(allow_fetch=True)

    async def fetch_one(address):
        fetched = await fetcher.fetch(SourceQuery(target=Target(form="url", value=address)))
        if read:
            await read_source(fetched)

    await asyncio.gather(*[fetch_one(address) for address in addresses])


def plain_client(addresses):
    import httpx

    with httpx.Client() as client:
        for address in addresses:
            client.get(address).read()


def speed(sources):
    with server(LATENCY):
        asyncio.run(workbench_client(["http://warm.example/"], read=True))
        ideal = sources / AT_ONCE * LATENCY
        for name, read in (("fetched", False), ("fetched and read", True)):
            addresses = [
                f"http://h{n // (sources // HOSTS)}.example/{name[:7]}{read}/{n}"
                for n in range(sources)
            ]
            began = time.perf_counter()
            asyncio.run(workbench_client(addresses, read=read))
            took = time.perf_counter() - began
            print(
                f"{sources} sources on {HOSTS} hosts, {name:<17} {took:7.2f} s   "
                f"{took / ideal:5.2f} x ideal ({ideal:.2f} s)"
            )
        few = [f"http://h{n % HOSTS}.example/plain{n}" for n in range(20)]
        began = time.perf_counter()
        plain_client(few)
        took = (time.perf_counter() - began) / len(few) * sources
        print(
            f"{sources} sources, plain sequential httpx  {took:7.2f} s   "
            f"{took / ideal:5.2f} x ideal (20 measured, scaled)"
        )


BOMB = """
import asyncio, resource, sys
sys.path.insert(0, sys.argv[1])
import pytest
from tests.fakes.web_server import PUBLIC, FakeWeb, diverted
from workbench.errors import FetchError
from workbench.sources import fetch
web = FakeWeb(port=int(sys.argv[2]))
kind, client = sys.argv[3], sys.argv[4]
with diverted(pytest.MonkeyPatch(), web) as seen:
    seen.default = [PUBLIC]
    if client == "ours":
        try:
            asyncio.run(fetch("http://warm.example/", allow_fetch=True))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            found = asyncio.run(fetch(f"http://bomb.example/{kind}", allow_fetch=True))
            said = f"{len(found.body)} bytes, cut" if found.truncated else "whole"
        except FetchError as refused:
            said = refused.kind
    else:
        import httpx
        client = httpx.Client(timeout=60)
        client.get("http://warm.example/")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            said = f"{len(client.get(f'http://bomb.example/{kind}').content)} bytes"
        except Exception as bad:
            said = type(bad).__name__
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"+{(after - before) / 1024:.0f} MiB|{said}")
"""


def bombs():
    with server(0) as web:
        print(f"\n{'1 GiB, packed as':<18}{'ours':>10}  {'':<24}{'plain httpx':>12}")
        for kind in ("gzip", "deflate", "stacked", "br", "zstd", "plain"):
            row = []
            for client in ("ours", "httpx"):
                done = subprocess.run(
                    [sys.executable, "-c", BOMB, str(ROOT), str(web.port), kind, client],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                row.append((done.stdout.strip() or "killed|").split("|"))
            (ours_memory, ours_outcome), (plain_memory, plain_outcome) = row
            print(
                f"{kind:<18}{ours_memory:>10}  {ours_outcome:<24}{plain_memory:>12}  {plain_outcome}"
            )


def deadlines(seconds):
    print(f"\ndeadline {seconds:g} s; server drips a byte each 50 ms")
    with server(0):
        for kind in ("headers", "body", "hints", "silent"):
            began = time.perf_counter()
            try:
                asyncio.run(
                    fetch_guarded(
                        f"http://slow.example/{kind}", UrlGuard(), limits=Limits(seconds=seconds)
                    )
                )
                outcome = "answered"
            except FetchError as late:
                outcome = late.kind
            print(f"{kind:<10}{outcome:<10}{time.perf_counter() - began:6.2f} s")


def memory(sources):
    print(f"\nmemory over {sources} sources, fetched and read")
    with server(0):

        async def all_of_them():
            fetcher = WebFetcher(allow_fetch=True)
            step = sources // 5

            async def read_one(n):
                query = SourceQuery(
                    target=Target(form="url", value=f"http://h{n % 50}.example/{n}")
                )
                with contextlib.suppress(SourceError):
                    await read_source(await fetcher.fetch(query))

            for start in range(0, sources, step):
                await asyncio.gather(*[read_one(n) for n in range(start, start + step)])
                print(f"after {start + step:5d}: {rss_mib():6.1f} MiB")

        asyncio.run(all_of_them())
    peaks = [peak_mib(pid) for pid in shared_pool().children]
    print(f"reading children, at their largest: {', '.join(f'{peak:.0f} MiB' for peak in peaks)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    quick = parser.parse_args().quick
    speed(100 if quick else 500)
    bombs()
    deadlines(1.0 if quick else 10.0)
    memory(500 if quick else 5000)


if __name__ == "__main__":
    main()
