"""The child process in which hostile bytes are parsed. It may be killed at any moment.

Messages go over one socket (standard input), each as a four-byte length, a JSON head, another
four-byte length, and a body. The parent's end of the socket closing ends the process.
"""

import json
import os
import resource
import signal
import socket
import struct
import sys
import time

from workbench.sources.reading.html import page_blocks
from workbench.sources.reading.page_image import DrawnPage, draw, prepare_drawing
from workbench.sources.reading.parse import parse, prepare, text_structure
from workbench.sources.reading.parsed import Parsed, Unparsable

_LENGTH = struct.Struct("!I")


def send(pipe: socket.socket, head: dict[str, object], body: bytes = b"") -> None:
    """One message; blocks until it is handed over or the socket's timeout is over."""
    encoded = json.dumps(head).encode("ascii")
    pipe.sendall(_LENGTH.pack(len(encoded)) + encoded + _LENGTH.pack(len(body)) + body)


def receive(pipe: socket.socket, seconds: float | None = None) -> tuple[dict[str, object], bytes]:
    """One message, read within this many seconds in total.

    Raises:
        EOFError: the other end is gone.
        TimeoutError: the time is over.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    head = json.loads(_read_exactly(pipe, _LENGTH.unpack(_read_exactly(pipe, 4, ends))[0], ends))
    return head, _read_exactly(pipe, _LENGTH.unpack(_read_exactly(pipe, 4, ends))[0], ends)


def _read_exactly(pipe: socket.socket, size: int, ends: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        if ends is not None:
            pipe.settimeout(max(0.001, ends - time.monotonic()))
        part = pipe.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise EOFError("the other end of the socket is gone")
        parts += part
    return bytes(parts)


def answer(head: dict[str, object], body: bytes) -> tuple[dict[str, object], bytes]:
    """The reply to one request: a text, the image of a `page`, or a text's `structure`."""
    try:
        if "page" in head:
            drawn = draw(body, int(str(head["page"])), str(head["text"]), int(str(head["width"])))
            return _page_facts(drawn), drawn.png
        if "structure" in head:
            blocks = page_blocks(body, str(head.get("content_type", "")))
            structure = text_structure(str(head["structure"]), blocks)
            return {
                "blocks": [(b.span.start, b.span.end, b.kind, b.level) for b in structure],
                "rss_kib": _peak_kib(),
            }, b""
        parsed = parse(
            body,
            content_type=str(head.get("content_type", "")),
            url=str(head.get("url", "")),
            asked=str(head.get("asked", "")),
            keep_lines=bool(head.get("keep_lines")),
            max_pages=int(str(head["max_pages"])) if head.get("max_pages") else None,
            status=int(str(head["status"])) if head.get("status") is not None else None,
        )
    except Unparsable as bad:
        return {"error": bad.kind, "message": bad.message}, b""
    except MemoryError:
        return {"error": "unreadable", "message": "", "memory": True}, b""
    except Exception as bad:  # a parser's bug on hostile bytes is news about the bytes
        return {
            "error": "unreadable",
            "message": f"The source cannot be read ({type(bad).__name__}): upload another copy.",
        }, b""
    return _facts(parsed), parsed.text.encode("utf-8", "surrogatepass")


def _facts(parsed: Parsed) -> dict[str, object]:
    doubt = parsed.doubt
    return {
        "pages": [list(span) for span in parsed.pages],
        "scanned": list(parsed.scanned),
        "title": parsed.title,
        "author": parsed.author,
        "date": parsed.date,
        "site": parsed.site,
        "truncated": parsed.truncated,
        "doubt": [doubt.reason, doubt.confidence, doubt.message] if doubt else None,
        "rss_kib": _peak_kib(),
    }


def _page_facts(drawn: DrawnPage) -> dict[str, object]:
    return {
        "width": drawn.width,
        "height": drawn.height,
        "places": [(at, *box) for at, box in enumerate(drawn.places) if box],
        "rss_kib": _peak_kib(),
    }


def _peak_kib() -> int:
    """The most memory this process has held, in KiB.

    On Linux `ru_maxrss` of a new process begins at what its parent held when it was started, so
    that under a large server every child would seem worn out; the kernel's own mark is reset.
    """
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass  # no such file: another system, where the figure below is the process's own
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Serves requests until the parent goes away; dies by itself past its limits."""
    memory, seconds = int(sys.argv[1]), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    pipe = socket.socket(fileno=os.dup(0))
    while True:
        try:
            head, body = receive(pipe)
        except (EOFError, OSError):
            return
        # Imports are slow and harmless: the clock starts after them, at "started".
        if "page" in head:
            prepare_drawing()
        else:
            prepare(body, str(head.get("content_type", "")))
        # Both end the process even inside a C call, also when the parent is no longer there.
        spent = resource.getrusage(resource.RUSAGE_SELF)
        cpu = int(spent.ru_utime + spent.ru_stime) + seconds + 1
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        signal.alarm(seconds + 2)
        try:
            send(pipe, {"started": True})
            reply, text = answer(head, body)
            send(pipe, reply, text)
        except OSError:
            return
        signal.alarm(0)


if __name__ == "__main__":
    main()
