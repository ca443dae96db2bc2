"""Given sources beside the works that a text cites: seconds of processor, and their growth.

    python tests/bench/bench_source_matching.py

All titles are alike but for a number, so that every source has many works to be compared with. Ends
with 1 where eight times the sources take more than sixteen times as long.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workbench import extract
from workbench.pipeline.source_matching import match_sources

TOPICS = ("tin", "lead", "zinc", "iron", "gold", "silver", "brass", "steel")


def alike(number: int) -> tuple[str, list[dict[str, str]]]:
    """A text that cites so many works of like titles, and a source for each, in their order."""
    titles = [f"Report on {TOPICS[at % 8]} at berth {at}, 20{at % 20:02}" for at in range(number)]
    entries = "\n".join(f"[{at + 1}] Harbour Board, {title}" for at, title in enumerate(titles))
    cited = "\n\n".join(f"It is so at {at} [{at + 1}]." for at in range(number))
    sources = [
        {"content": f"It is so at {at}.", "title": f"{title} | Harbour Board"}
        for at, title in enumerate(titles)
    ]
    return f"{cited}\n\n## References\n{entries}\n", sources


def seconds(number: int) -> float:
    """The processor's seconds for so many sources and entries."""
    text, sources = alike(number)
    extraction = extract(text)
    begun = time.process_time()
    matches = match_sources(extraction, sources).matches
    taken = time.process_time() - begun
    assert sum(match.by is not None for match in matches) == number
    return taken


def main() -> int:
    seconds(10)
    few, many = seconds(50), seconds(400)
    print(
        f"50 sources: {few:.2f} s   400 sources: {many:.2f} s   growth {many / few:.1f} for 8 times"
    )
    return int(many / few > 16)


if __name__ == "__main__":
    sys.exit(main())
