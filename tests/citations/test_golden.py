"""Hand-marked lines: precision and recall may not fall, and every change is printed."""

from collections.abc import Callable

import pytest

from tests.citations.golden import read_claimed, read_marked
from workbench.citations import extract

Place = tuple[int, str]
"""A golden line and what differs in it."""

KNOWN: dict[str, frozenset[Place]] = {"marks": frozenset(), "claims": frozenset()}
"""Differences that are accepted for now: (line, "+ what was invented" or "- what was missed")."""


def marks() -> tuple[set[Place], int, int]:
    wrong: set[Place] = set()
    matched = marked_count = 0
    for marked in read_marked("golden_marks.txt"):
        extracted = {
            (c.start, c.end, c.kind, c.identifier)
            for c in extract(marked.text).citations
            if c.kind not in ("quote", "statistic")
        }
        matched += len(extracted)
        marked_count += len(marked.citations)
        for sign, differing in (
            ("+", extracted - marked.citations),
            ("-", marked.citations - extracted),
        ):
            for start, end, kind, name in differing:
                wrong.add((marked.line, f"{sign} {kind} {name} {marked.text[start:end]}"))
    return wrong, matched, marked_count


def claims() -> tuple[set[Place], int, int]:
    wrong: set[Place] = set()
    matched = marked_count = 0
    for claimed in read_claimed("golden_claims.txt"):
        extracted = {(k.start, k.end) for k in extract(claimed.text).claims}
        matched += len(extracted)
        marked_count += len(claimed.claims)
        for sign, differing in (
            ("+", extracted - claimed.claims),
            ("-", claimed.claims - extracted),
        ):
            for start, end in differing:
                wrong.add((claimed.line, f"{sign} {claimed.text[start:end]}"))
    return wrong, matched, marked_count


@pytest.mark.parametrize(
    ("name", "measure"), [("marks", marks), ("claims", claims)], ids=["marks", "claims"]
)
def test_nothing_is_lost_against_the_hand_marked_lines(
    name: str,
    measure: Callable[[], tuple[set[Place], int, int]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong, matched, marked_count = measure()
    gained, lost = sorted(KNOWN[name] - wrong), sorted(wrong - KNOWN[name])
    if gained or lost:
        with capsys.disabled():
            for line, what in gained:
                print(f"\ngained  golden_{name}.txt:{line}: {what}")
            for line, what in lost:
                print(f"\nlost    golden_{name}.txt:{line}: {what}")
    invented = sum(what.startswith("+") for _, what in wrong)
    missed = sum(what.startswith("-") for _, what in wrong)
    precision, recall = 1 - invented / matched, 1 - missed / marked_count
    assert not lost, f"precision {precision:.4f}, recall {recall:.4f}"
    assert precision >= 0.995
    assert recall >= 0.995


def test_the_golden_set_is_large_enough_to_mean_something() -> None:
    lines = read_marked("golden_marks.txt")
    assert len(lines) >= 200
    kinds = {kind for line in lines for _, _, kind, _ in line.citations}
    assert kinds >= {
        *("numbered", "author_year", "key", "url", "doi", "arxiv", "pmid", "case_law"),
        "provenance",
    }
    assert sum(not line.citations for line in lines) >= 30
