"""Bodies within bounds: inflated piece by piece, never more than the limit at a time."""

import zlib


class BadEncoding(Exception):
    """The body is packed in a way that was not offered, or its packing is damaged."""


class TooManyBytes(Exception):
    """The server sent more than the body's limit, headers and chunk framing included."""


class BoundedDecompressor:
    """Unpacks a body of at most `limit` bytes; anything beyond is not unpacked.

    `identity`, `gzip` (of several members) and `deflate` (with or without its zlib header) are
    known; anything else, and any stack of encodings, is refused before the first byte.
    """

    def __init__(self, encodings: list[str], limit: int) -> None:
        codings = [name for name in (e.strip().lower() for e in encodings) if name not in _NONE]
        if len(codings) > 1 or any(name not in ("gzip", "x-gzip", "deflate") for name in codings):
            raise BadEncoding(f"packed as {', '.join(codings)[:60]}, which was not offered")
        self.packed = bool(codings)
        self._gzip = bool(codings) and codings[0] != "deflate"
        self._limit = limit
        self._body = bytearray()
        self._engine: zlib._Decompress | None = None
        self._pending = b""
        """The first byte of a stream or member: two are needed to tell what it is."""
        self.full = False
        """True once the body has more bytes than the limit."""

    def feed(self, data: bytes) -> None:
        """Takes what came over the wire.

        Raises:
            BadEncoding: the packing is damaged.
        """
        if not self.packed:
            self._keep(data)
            return
        data, self._pending = self._pending + data, b""
        while data and not self.full:
            if self._engine is None or self._engine.eof:
                if len(data) < 2:
                    self._pending = data
                    return
                engine = self._begin(data)
                if engine is None:
                    return
                self._engine = engine
            try:
                part = self._engine.decompress(data, self._limit - len(self._body) + 1)
            except zlib.error as bad:
                raise BadEncoding("damaged: it cannot be unpacked") from bad
            self._keep(part)
            data = self._engine.unused_data if self._engine.eof else self._engine.unconsumed_tail

    def finish(self) -> tuple[bytes, bool]:
        """The body, and whether it was cut: by the limit, or because the packing stops short."""
        short = bool(self._pending) if self._engine is None else not self._engine.eof
        return bytes(self._body), self.full or short

    def _begin(self, data: bytes) -> "zlib._Decompress | None":
        """The engine for what starts here; None for what stands behind the end of a body."""
        if not self._gzip:
            return _deflate_engine(data) if self._engine is None else None
        # A further member of a gzip file; anything else behind the end is padding.
        is_member = self._engine is None or data.startswith(b"\x1f\x8b")
        return zlib.decompressobj(31) if is_member else None

    def _keep(self, part: bytes) -> None:
        room = self._limit - len(self._body)
        self.full = self.full or len(part) > room
        self._body += part[:room]


_NONE = ("", "identity")


def _deflate_engine(data: bytes) -> "zlib._Decompress":
    """`deflate` means a zlib stream, and often lacks its header."""
    headed = data[0] & 0x0F == 8 and (data[0] * 256 + data[1]) % 31 == 0
    return zlib.decompressobj(15 if headed else -15)
