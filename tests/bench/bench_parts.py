"""How a strong judge's recorded answers to the prompt `parts` compare with what the lines' authors say.

    python tests/bench/bench_parts.py

Parts: whether each is found at its place in the claim with its label, and whether its quote overlaps the
author's; limits: whether the author's words are quoted, and whether any are where there are none. Absences:
labels by what the source says of them (`tests/blind/README.md` has where lines and answers come from).
"""

import json
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
BLIND = ROOT / "tests" / "blind"


def rows(*names: str) -> list[dict]:
    """The lines of files below `tests/blind`."""
    texts = ((BLIND / name).read_text("utf-8").splitlines() for name in names)
    return [json.loads(line) for lines in texts for line in lines if line.strip()]


def answers(name: str) -> dict[str, dict]:
    """The recorded replies, by the id of their line."""
    return {row["id"]: row["reply"] for row in rows(name)}


def overlaps(span: tuple[int, int], start: int, end: int) -> bool:
    """Whether two places have a character in common."""
    return span[0] < end and start < span[1]


def parts() -> Counter:
    """Counts of parts and limits by how they were answered."""
    from workbench.judging.llm import judged_parts
    from workbench.judging.passages import select_passages
    from workbench.judging.quotes import locate_words
    from workbench.judging.reply import validated

    counts: Counter = Counter()
    replies = answers("parts/answers.jsonl")
    for row in rows("parts/a.jsonl"):
        claim, source = row["claim"], row["source"]
        reply, passages = validated(replies[row["id"]]), select_passages(claim, source)
        found = judged_parts(reply, claim, passages)
        counts["claims"] += 1
        counts["claims with as many parts"] += len(found) == len(row["parts"])
        for part in row["parts"]:
            at = claim.find(part["text"])
            middle = at + len(part["text"]) // 2
            here = [p for p in found if p.span.start <= middle < p.span.end]
            counts["parts"] += 1
            counts["parts with their label"] += any(p.label == part["label"] for p in here)
            quoted = source.find(part["quote"]) if part["quote"] else -1
            if quoted >= 0:
                place = (quoted, quoted + len(part["quote"]))
                evidence = [quote for p in here for quote in p.evidence]
                counts["quotes"] += 1
                counts["quotes at the same place"] += any(
                    overlaps(place, q.start, q.end) for q in evidence
                )
        limits, words = locate_words(reply.limits, passages), row["qualifies"]
        at = source.find(words) if words else -1
        counts["limits"] += bool(words)
        counts["limits quoted there"] += any(
            at >= 0 and overlaps((at, at + len(words)), q.start, q.end) for q in limits
        )
        counts["limits where there are none"] += bool(limits) and not words
    return counts


def absences() -> Counter:
    """Counts of (what the source says of an absence, the label that was answered)."""
    replies = answers("parts/absence_answers.jsonl")
    lines = rows("absence/a.jsonl", "absence/b.jsonl")
    return Counter((row["label"], replies[row["id"]]["label"]) for row in lines)


if __name__ == "__main__":
    for name, count in parts().items():
        print(f"{count:5} {name}")
    for (said, label), count in sorted(absences().items()):
        print(f"{count:5} {said}: {label}")
