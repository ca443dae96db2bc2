"""Compressed bodies within bounds, however they arrive in chunks."""

import gzip
import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.sources.decompression import BadEncoding, BoundedDecompressor


def packed(encoding, body):
    if encoding == "gzip":
        half = len(body) // 2
        return gzip.compress(body[:half]) + gzip.compress(body[half:])
    return zlib.compress(body) if encoding == "deflate" else body


@given(
    st.binary(max_size=400),
    st.sampled_from(["gzip", "deflate", "identity"]),
    st.integers(1, 50),
    st.integers(0, 500),
)
def test_any_cut_of_the_wire_gives_the_same_bounded_body(body, encoding, size, limit):
    wire = packed(encoding, body)
    inflater = BoundedDecompressor([encoding], limit)
    for start in range(0, len(wire), size):
        inflater.feed(wire[start : start + size])
    body_part, was_cut = inflater.finish()
    assert body_part == body[:limit]
    assert was_cut == (len(body) > limit)


@pytest.mark.parametrize(
    "encodings", [["br"], ["zstd"], ["gzip", "gzip"], ["gzip, br"], ["deflate", "identity", "gzip"]]
)
def test_other_packings_are_refused_before_the_first_byte(encodings):
    with pytest.raises(BadEncoding):
        BoundedDecompressor([name for encoding in encodings for name in encoding.split(",")], 10)


def test_a_body_that_stops_short_is_flagged():
    inflater = BoundedDecompressor(["gzip"], 1000)
    inflater.feed(gzip.compress(b"words " * 20)[:-12])
    assert inflater.finish()[1]


BOMBS = """
import gzip, resource, sys, zlib
from workbench.sources.decompression import BoundedDecompressor
kind = sys.argv[1]
window = {"gzip": 31, "deflate": 15, "raw": -15}[kind]
engine = zlib.compressobj(9, zlib.DEFLATED, window)
wire = b"".join(engine.compress(bytes(1 << 20)) for _ in range(300)) + engine.flush()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
inflater = BoundedDecompressor(["gzip" if kind == "gzip" else "deflate"], 5 << 20)
inflater.feed(wire)
body, cut = inflater.finish()
assert cut and len(body) == 5 << 20
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("kind", ["gzip", "deflate", "raw"])
def test_a_bomb_of_300_mib_stays_small(kind):
    process = subprocess.run(
        [sys.executable, "-c", BOMBS, kind], capture_output=True, text=True, check=True
    )
    assert int(process.stdout) < 64 * 1024
