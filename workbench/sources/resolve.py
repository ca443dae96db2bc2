"""Looking a name up: the standard resolver, in threads of our own, one lookup a connection."""

import asyncio
import socket
import threading

MAX_LOOKUPS = 64
"""Lookups that may hang at once; the platform's resolver cannot be interrupted."""

_slots = threading.BoundedSemaphore(MAX_LOOKUPS)


class LookupFailed(Exception):
    """The name has no address, or the name service did not say."""

    def __init__(self, *, exists: bool) -> None:
        super().__init__("the name has no address")
        self.exists = exists
        """True when the name service failed, rather than saying that there is no such name."""


async def look_up(host: str, port: int) -> list[str]:
    """Every address the name resolves to, in the resolver's order.

    Cancelling the await returns at once; the thread, a daemon, ends when the resolver lets go.

    Raises:
        LookupFailed: there is no such name, or the name service failed.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()
    if not _slots.acquire(blocking=False):
        raise LookupFailed(exists=True)

    def deliver(found: list[str] | None, failed: Exception | None) -> None:
        if answer.cancelled():
            return
        if failed is not None:
            answer.set_exception(failed)
        else:
            answer.set_result(found or [])

    def work() -> None:
        found: list[str] | None = None
        failed: Exception | None = None
        try:
            # Looked up by name at call time, so that a replaced resolver takes effect.
            infos = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM, 0, 0)
            found = [str(info[4][0]) for info in infos]
        except socket.gaierror as bad:
            missing = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
            failed = LookupFailed(exists=bad.errno is not None and bad.errno not in missing)
        except Exception:  # an over-long label, or whatever a replaced resolver raises
            failed = LookupFailed(exists=False)
        finally:
            _slots.release()
        try:
            loop.call_soon_threadsafe(deliver, found, failed)
        except RuntimeError:  # the loop was closed while the resolver hung
            return

    threading.Thread(target=work, name="look-up", daemon=True).start()
    found = await answer
    if not found:
        raise LookupFailed(exists=False)
    return found
