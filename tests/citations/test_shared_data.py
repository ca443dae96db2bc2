"""Real reports and answers, where they are present beside the repository: linking and claims.

Measured as a reader would: every `[n]` of the text against the entry that has its number, and every
claim that people checked against ours, markup, white space, list numbers and marks aside.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.citations import extract

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
REPORTS = DATA / "deep_research_reports.jsonl"
ANSWERS = DATA / "expertqa" / "rand_val.jsonl"
MARK = re.compile(r"\[(\d+)\]")
GROUP = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")


def rows(path: Path) -> Iterator[dict]:
    if not path.exists():
        pytest.skip(f"{path.name} is not beside this repository")
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line)


def plain_words(words: str) -> str:
    """Words without marks, markup, list numbers, white space and closing signs."""
    words = GROUP.sub("", words).strip()
    words = re.sub(r"^\W*\d{1,2}[.)]\s|[\s:.]+\d{1,2}[.)]?\s*$", "", words)
    words = re.sub(r"^[-•*\s]+|[-•*\s]+$", "", re.sub(r"[*_`#>|]", "", words))
    return re.sub(r"\s+", "", words).rstrip(".:")


def test_every_mark_of_the_reports_is_linked_to_the_right_address() -> None:
    total = right = extra = 0
    for row in rows(REPORTS):
        text = row["article"]
        heads = [m.start() for m in re.finditer(r"(?:参考文献|References)[：:]?\n\[1\] http", text)]
        entries = dict(re.findall(r"^\[(\d+)\] (https?://.*?)(?: - |$)", text[heads[-1] :], re.M))
        targets = {
            (c.start, c.identifier): c.target and c.target.value
            for c in extract(text).citations
            if c.kind == "numbered"
        }
        for mark in MARK.finditer(text, 0, heads[-1]):
            total += 1
            right += targets.pop((mark.start(), mark[1]), None) == entries.get(mark[1], "-")
        extra += len(targets)
    assert right / total >= 0.999
    assert extra == 0


def test_answers_with_their_list_below_are_linked() -> None:
    total = right = 0
    for row in rows(ANSWERS):
        for answer in row["answers"].values():
            text = answer["answer_string"] + "\n\n" + "\n".join(answer["attribution"])
            entries = dict(
                re.match(r"\[(\d+)\] (\S+)", source).groups() for source in answer["attribution"]
            )
            targets = {
                (c.start, c.identifier): c.target and c.target.value
                for c in extract(text).citations
            }
            for mark in MARK.finditer(answer["answer_string"]):
                if mark[1] in entries:
                    total += 1
                    right += targets.get((mark.start(), mark[1])) == entries[mark[1]]
    assert right / total >= 0.999


def test_claims_that_people_checked_are_claims_of_ours() -> None:
    claims = same = marks = tied = 0
    for row in rows(ANSWERS):
        for answer in row["answers"].values():
            text = answer["answer_string"] + "\n\n" + "\n".join(answer["attribution"])
            extraction = extract(text)
            lines = [plain_words(line) for line in answer["answer_string"].split("\n")]
            claims_by_text = {plain_words(claim.text): claim for claim in extraction.claims}
            numbers = {c.id: c.identifier for c in extraction.citations}
            for checked in answer["claims"]:
                words = plain_words(checked["claim_string"])
                if not words or not any(words in line for line in lines):
                    continue
                claims += 1
                claim = claims_by_text.get(words)
                same += claim is not None
                for number in {
                    digits
                    for group in GROUP.findall(checked["claim_string"])
                    for digits in re.findall(r"\d+", group)
                }:
                    marks += 1
                    tied += claim is not None and number in {numbers[i] for i in claim.citations}
    assert same / claims >= 0.99
    assert tied / marks >= 0.98
