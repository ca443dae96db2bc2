"""Which source says what about which statement, on ten planted reports of another author.

Two judges: answers that a language model gave once to the questions of the hand-off
(`tests/blind/matrix/NN/answers.jsonl`; what is not listed there it answered with "not supported"),
and the embedded judge. A contradiction counts as found where both of its quotes are, and as
invented where the gold has none of the kind between these two.

    python tests/bench/bench_matrix.py [--judge recorded|local] [--details]
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

from workbench.pipeline.options import VerifyOptions
from workbench.services.handoff import import_handoff, matrix_questions, run_questions
from workbench.services.matrix import fill_matrix, run_matrix
from workbench.services.verification import verify_and_store
from workbench.store.store import Store

SETS = Path(__file__).parents[1] / "blind" / "matrix"
RECORDED = "handoff:recorded"
SAYS = {
    "supported": "supports",
    "partially_supported": "supports_part",
    "contradicted": "contradicts",
    "not_supported": "says_nothing",
}


def sources_of(folder):
    """The sources as they are handed over: by the address in their second line."""
    sources = {}
    for path in sorted((folder / "sources").glob("*.txt")):
        text = path.read_text("utf-8")
        title, url = text.splitlines()[:2]
        sources[path.stem] = {"title": title.strip(), "url": url.strip(), "content": text}
    return sources


def recorded_matrix(store, folder):
    """The matrix with the recorded answers."""
    sources = sources_of(folder)
    names = {source["url"]: name for name, source in sources.items()}
    run = start(store, folder, RECORDED)
    answers = {}
    for line in (folder / "answers.jsonl").read_text("utf-8").splitlines():
        answer = json.loads(line)
        answers[answer["statement"], answer["source"]] = answer
    statements = run_matrix(store, run.id).statements
    said = []
    for asked in [*run_questions(store, run), *matrix_questions(store, run, RECORDED)]:
        claim = asked.item.result.citation.claim
        statement = max(statements, key=lambda s: min(s.end, claim.end) - max(s.start, claim.start))
        source = names.get(asked.item.source.url, "report")
        answer = answers.get((statement.text, source), {"label": "not_supported", "quotes": []})
        said.append(
            {"key": asked.question.key, "reasoning": "", "missing": [], "label": answer["label"],
             "quotes": answer["quotes"], "confidence": 0.9, "rationale": "Recorded."}
        )  # fmt: skip
    taken = import_handoff(store, run.id, json.dumps({"judgments": said}), "recorded")
    return run_matrix(store, run.id), [*taken.refused, *taken.open]


def local_matrix(store, folder):
    """The matrix of the embedded judge."""
    run = start(store, folder, "local")
    fill_matrix(store, run.id, "local")
    return run_matrix(store, run.id), []


def start(store, folder, judge):
    """A run over a report with its sources."""
    text = (folder / "report.md").read_text("utf-8")
    options = VerifyOptions.from_keywords(judge=judge, sources=[*sources_of(folder).values()])
    return verify_and_store(store, text, folder.name, options)


def evaluate(folder, matrix, figures, details):
    """Hold a matrix against its gold."""
    gold = json.loads((folder / "gold.json").read_text("utf-8"))
    names = {source["url"]: name for name, source in sources_of(folder).items()}
    name_of = {source.number: names.get(source.url, "report") for source in matrix.sources}
    text = (folder / "report.md").read_text("utf-8")
    texts = {name: source["content"] for name, source in sources_of(folder).items()}
    texts["report"] = text

    def place(name, quote):
        at = texts[name].find(quote)
        assert at >= 0, quote
        return at, at + len(quote)

    wanted = [
        [(name, *place(name, quote)) for name, quote in zip(c["between"], c["quotes"], strict=True)]
        for c in gold["contradictions"]
    ]
    found = [
        [(name_of[side.source], side.start, side.end) for side in c.sides]
        for c in matrix.contradictions
        if c.found
    ]
    for c in matrix.contradictions:
        if not c.found:
            sides = [(name_of[side.source], side.start, side.end) for side in c.sides]
            figures["may contradict"] += 1
            figures["may contradict, right"] += any(same(pair, sides) for pair in wanted)
    for pair in wanted:
        hit = any(same(pair, other) for other in found)
        figures["contradictions"] += 1
        figures["contradictions found"] += hit
        if details and not hit:
            print(folder.name, "MISSED", [texts[n][a:b] for n, a, b in pair])
    for other in found:
        figures["listed"] += 1
        if not any(same(pair, other) for pair in wanted):
            figures["invented"] += 1
            if details:
                print(folder.name, "INVENTED", [(n, texts[n][a:b]) for n, a, b in other])
    spans = {}
    for cell in gold["cells"]:
        start, end = place("report", cell["statement"])
        statement = next(
            (
                s
                for s in matrix.statements
                if 2 * (min(end, s.end) - max(start, s.start)) > end - start
            ),
            None,
        )
        figures["gold cells"] += 1
        if statement is None:
            figures["no statement"] += 1
            continue
        spans[cell["statement"]] = statement.number
        number = next((n for n, name in name_of.items() if name == cell["source"]), None)
        if number is None:
            figures["no source"] += 1
            continue
        own = matrix.cell(statement.number, number)
        says = SAYS.get(own.label, "open")
        figures[f"cell {cell['says']} -> {says}{'' if own.sure else ' (unsure)'}"] += 1
        figures["cells right"] += says == cell["says"]
        figures["cells sure"] += own.sure
        figures["cells sure and right"] += own.sure and says == cell["says"]
        if details and says != cell["says"] and own.sure:
            print(
                folder.name, cell["source"], cell["says"], "->", says, "|", cell["statement"][:90]
            )
    for source in matrix.sources[1:]:
        figures["rests_on, gold"] += gold["rests_on"].get(name_of[source.number], 0)
        figures["rests_on, own"] += source.alone
        figures["rests_on, off by"] += abs(
            gold["rests_on"].get(name_of[source.number], 0) - source.alone
        )


def same(pair, other):
    """Whether two contradictions are between the same two, with quotes that overlap."""
    return any(
        all(
            a[0] == b[0] and min(a[2], b[2]) > max(a[1], b[1])
            for a, b in zip(pair, sides, strict=True)
        )
        for sides in (other, other[::-1])
    )


def measure(judge="recorded", details=False):
    """The figures of one judge over all reports."""
    figures = Counter()
    for folder in sorted(SETS.glob("[0-9][0-9]")):
        with tempfile.TemporaryDirectory() as place:
            build = recorded_matrix if judge == "recorded" else local_matrix
            matrix, left = build(Store(Path(place) / "w.duckdb"), folder)
        figures["answers refused or open"] += len(left)
        if details:
            for question in left:
                print(folder.name, "REFUSED", question)
        figures["cells"] += len(matrix.cells)
        evaluate(folder, matrix, figures, details)
    return figures


def main():
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", choices=["recorded", "local"], default="recorded")
    parser.add_argument("--details", action="store_true")
    arguments = parser.parse_args()
    since = time.perf_counter()
    for name, number in sorted(measure(arguments.judge, arguments.details).items()):
        print(f"{number:>6}  {name}")
    print(f"{time.perf_counter() - since:>6.1f}  seconds")


if __name__ == "__main__":
    main()
