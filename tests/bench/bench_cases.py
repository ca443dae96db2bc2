"""How many wrong citations of court decisions are caught, and how many right ones are accused.

Prints, by kind of alteration: what is impossible without a look-up, and what is found with a
registry that holds the originals of the citations.

    python tests/bench/bench_cases.py ../shared/data/references/legal_dev.jsonl
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from workbench.bibliography.cases.citation import parse_case
from workbench.bibliography.cases.compare import check_case, conclude_case
from workbench.records.bibliography import IndexAnswer, IndexReply, ReferenceEntry
from workbench.records.text import JsonDict

PRESENT_YEAR = 2026


def main() -> None:
    """Reads the labelled citations and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--each", action="store_true", help="print the finding on each citation")
    arguments = parser.parse_args()
    lines = arguments.file.read_text(encoding="utf-8").splitlines()
    examples = [json.loads(line) for line in lines]
    registry = registry_of([example["citation"] for example in examples if is_valid(example)])
    reply = IndexReply(answer=IndexAnswer(name="registry", answer="match"), records=tuple(registry))
    impossible: Counter[str] = Counter()
    findings: dict[str, Counter[str]] = {}
    since = time.perf_counter()
    for example in examples:
        kind = example["type"] or "valid"
        finding = check_case(example["citation"], PRESENT_YEAR)
        impossible[kind] += finding.impossible is not None
        conclusion = conclude_case(ReferenceEntry(), example["citation"], [reply], PRESENT_YEAR)
        findings.setdefault(kind, Counter())[conclusion.status] += 1
        if arguments.each:
            print(example["id"], conclusion.status, conclusion.why, sep=" | ")
    seconds = time.perf_counter() - since
    print(f"{len(examples)} citations, {len(registry)} records, {seconds:.2f} s")
    for kind, statuses in findings.items():
        total = sum(statuses.values())
        print(
            f"{kind:20} {total:3}  impossible {impossible[kind]:2}  with registry {dict(statuses)}"
        )


def is_valid(example: dict[str, object]) -> bool:
    """Whether a labelled citation is as it should be."""
    return example["label"] == "valid"


def registry_of(citations: list[str]) -> list[JsonDict]:
    """The decisions that citations name, as a library would hold them."""
    records: list[JsonDict] = []
    for citation in citations:
        case = parse_case(citation)
        record: JsonDict = {"type": "legal_case", "title": case.name}
        if case.reporters:
            first = case.reporters[0]
            record |= {
                "container-title": first.reporter,
                "volume": first.volume,
                "page": first.page,
            }
        if case.dockets:
            record["number"] = ", ".join(case.dockets)
        if case.court:
            record["authority"] = case.court.written
        if case.year:
            record["issued"] = {"date-parts": [[case.year]]}
        records.append(record)
    return records


if __name__ == "__main__":
    main()
