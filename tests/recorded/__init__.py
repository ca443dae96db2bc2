"""What the product shows to the outside, recorded: a change of its inside must not change any of it.

`RECORD=1 make test-all` (or the one test file) records it again where a change is meant.
"""

import difflib
import os
import re
from itertools import islice
from pathlib import Path

OUTPUTS = Path(__file__).parent / "outputs"
_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b")
_QUERY = re.compile(r"(/url: [^?\n]*\?).*")
_TIME = re.compile(r"\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?)?")
_LONG_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_NUMBER = re.compile(r"\d+(?:[.,:\u202f ]?\d+)*")


def assert_recorded(name: str, text: str) -> None:
    """Compare a text with the recorded file of that name, or record it where RECORD is set.

    Raises:
        AssertionError: They differ, or nothing is recorded; it shows the first lines that differ.
    """
    path = OUTPUTS / name
    if os.environ.get("RECORD"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return
    recorded = path.read_bytes().decode("utf-8", "surrogatepass") if path.exists() else ""
    if text != recorded:
        lines = difflib.unified_diff(
            recorded.splitlines(), text.splitlines(), f"recorded {name}", "now", lineterm="", n=2
        )
        raise AssertionError("\n".join(line[:300] for line in islice(lines, 60)))


def without_times(text: str) -> str:
    """The text with `TIME` for dates and times, and `#` for SHA-256 hashes, which may be of texts with times."""
    return _LONG_HASH.sub("#", _TIME.sub("TIME", text))


def without_values(text: str) -> str:
    """A page's tree with 0 for each number, `#` for each hash and id, and links without their queries.

    That is what stays when its data is made anew.
    """
    return _NUMBER.sub("0", _ID.sub("#", _QUERY.sub(r"\1", text)))
