"""The figures that matter, in one table, each beside the recorded one.

    make scorecard                                   (= python tests/bench/scorecard.py)
    python tests/bench/scorecard.py --only answers   (the sections whose name begins so)
    python tests/bench/scorecard.py --record         (keep what was measured as the recorded figures)

Ends with 1 where a figure is worse than the recorded one by more than its noise: for a share, one
standard error of the recorded share; for times, a quarter; for counts, nothing. What needs the data
beside the project (`../shared`) is named as not taken where it is not there. `tests/blind` holds
texts by an author who had not seen the product.
"""

import argparse
import importlib.util
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from hashlib import sha256
from math import sqrt
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

RECORDED = Path(__file__).with_name("scorecard.json")
BLIND = ROOT / "tests" / "blind"
SHARED = ROOT.parent / "shared"
DATA = SHARED / "data"
STAMP = ROOT / ".pytest_cache" / "v" / "suite_seconds"
"""Where a run of the suite leaves how long it took."""

Better = Literal["more", "less"]


@dataclass(frozen=True)
class Measured:
    """A figure with what it was counted over; `n` is 0 for counts and times."""

    value: float
    n: int = 0
    better: Better = "more"
    tolerance: float = 0.0
    """For figures without `n`: how much worse, as a share of the recorded one, is noise."""


Figures = dict[str, Measured]


def share(hits: Sequence[bool], better: Better = "more") -> Measured:
    return Measured(sum(hits) / len(hits), len(hits), better)


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> Measured:
    """Area under the ROC curve: the share of pairs of a positive and a negative in order."""
    above = [s for s, p in zip(scores, positive, strict=True) if p]
    below = [s for s, p in zip(scores, positive, strict=True) if not p]
    wins = sum((a > b) + 0.5 * (a == b) for a in above for b in below)
    return Measured(wins / (len(above) * len(below)), min(len(above), len(below)))


def load_module(path: Path) -> object:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows_of(path: Path) -> list[dict]:
    import gzip

    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def is_development(group: str) -> bool:
    """Whether a group of examples is kept for measuring: a tenth, by its hash; training leaves it out."""
    return int(sha256(group.encode()).hexdigest(), 16) % 10 == 0


# -- answers end to end


def answers_of(folder: Path, name: str, judge: str) -> Figures:
    from workbench import verify

    measure = load_module(DATA / "answers" / "answers.py")
    rows: list[dict] = []
    for doc in measure.load(folder):
        rows += measure.rows(
            doc, verify(doc["text"], judge=judge, sources=doc["sources"]).to_dict()
        )
    found, _ = measure.figures(rows)
    n = len(rows)
    supported = sum(row["gold"] == "supported" for row in rows)
    against = sum(row["gold"] == "contradicted" for row in rows)
    return {
        f"{name}: sources found": Measured(found["found"], n),
        f"{name}: claims right": Measured(found["claim"], n),
        f"{name}: verdicts right": Measured(found["verdict"], n),
        f"{name}: balanced accuracy": Measured(found["balanced"], min(supported, n - supported)),
        f"{name}: quotes that hold the deciding words": Measured(found["evidence"], n),
        f"{name}: contradictions called supported": Measured(
            found["contradicted_called_supported"], against, "less"
        ),
    }


def answers() -> Figures:
    return answers_of(DATA / "answers", "answers", "local")


def blind_answers() -> Figures:
    figures = answers_of(BLIND / "answers", "blind answers", "local")
    return {name: figures[name] for name in list(figures)[:2]}


# -- what a text cites


def reports() -> Figures:
    from workbench.citations import extract

    holes = re.compile(r"\s{2,}|\(\s*\)|\[\s*\]|\s[,.;:!?](?:\s|$)|[-–—(\[]\s*$|\[\d")
    linked, clean = [], []
    for row in rows_of(DATA / "deep_research_reports.jsonl"):
        extraction = extract(row["article"])
        linked += [c.target is not None for c in extraction.citations if c.kind == "numbered"]
        clean += [not holes.search(claim.text) for claim in extraction.claims]
    return {"reports: [n] linked": share(linked), "reports: claims without holes": share(clean)}


def blind_claims() -> Figures:
    from workbench.citations import extract

    measure = load_module(DATA / "answers" / "answers.py")
    right = []
    for row in rows_of(BLIND / "claims" / "claims.jsonl"):
        at = measure.place(row["text"], row["raw"], row["nth"])
        near = [c for c in extract(row["text"]).citations if c.span.start <= at < c.span.end]
        right.append(any(measure.f1(c.claim.text, row["claim"]) >= 0.8 for c in near if c.claim))
    return {"blind claims right": share(right)}


def cases() -> Figures:
    from tests.bench.reported_cases import CHECKS, outcomes

    found = outcomes(SHARED / "cases")
    return {f"cases right of {len(CHECKS)}": Measured(list(found.values()).count("right"))}


# -- references


def plain(words: str | None) -> str:
    return re.sub(r"[\W_]+", "", (words or "").casefold())


def family_names(words: str) -> set[str]:
    """A family name, and it without particles before it: `van Roe` and `Roe, Anna van` are one."""
    return {plain(words), plain(re.sub(r"\A(?:[a-z]\w{0,4}\s|[dl]['’])+", "", words))}


def list_right(text: str, gold: Sequence[Mapping[str, object]]) -> Iterator[bool]:
    """For each entry of a list, whether its title and first author are read right."""
    from workbench.citations import extract, parse_entry

    references = extract(text).references
    at = 0
    for row in gold:
        words = re.escape(str(row["text"])).replace("\\ ", r"\s+")
        place = re.compile(words).search(text, at)
        assert place is not None
        at, end = place.span()
        overlap = [r for r in references if r.span.start < end and at < r.span.end]
        found = overlap[0] if len(overlap) == 1 else None
        entry = found and (found.entry or parse_entry(found.text))
        author = row["first_author_as_printed"]
        yield (
            entry is not None
            and plain(entry.title)
            in (plain(str(row["title_as_printed"])), plain(str(row["title"])))
            and (
                author is None
                or bool(entry.authors)
                and not family_names(entry.authors[0].family).isdisjoint(family_names(str(author)))
            )
        )
        at = end


def blind_lists() -> Figures:
    """Lists in twelve styles, by a renderer whose author had not seen the parser."""
    render = load_module(BLIND / "entries" / "render.py")
    records = rows_of(BLIND / "entries" / "records.jsonl")
    figures: Figures = {}
    every: list[bool] = []
    for style in render.STYLES:
        right: list[bool] = []
        for seed in (1, 2):
            text, gold = render.render(records, style, seed)
            right += list_right(text, gold)
        every += right
        figures[f"list, {style}"] = share(right)
    return {"lists, all styles": share(every), **figures}


KINDS = {
    "article": "article-journal", "book": "book", "incollection": "chapter", "newspaper": "article-newspaper",
    "inproceedings": "paper-conference", "phdthesis": "thesis", "techreport": "report", "webpage": "webpage",
}  # fmt: skip
"""The CSL names of the kinds of record in `people.jsonl`; a `preprint` is CSL's `article`."""


def people() -> Figures:
    """Entries as people write them, beside the true record of their kind and beside others."""
    from tests.bench import bench_references as bench
    from workbench.bibliography.csl import record_of_entry

    same, other = [], []
    for row in rows_of(BLIND / "entries" / "people.jsonl"):
        kind = KINDS.get(row["record"]["kind"], "article")
        entry = replace(bench.entry_of_row(row["record"]), type=kind)
        options = bench.options_for([record_of_entry(entry, "record")])
        checks = bench.check_list([bench.as_reference(row["entry"])], options).checks
        matches = [check.status for check in checks] == ["matches"]
        (same if row["same"] else other).append(matches)
    return {
        "entries as people write them: match": share(same),
        "entries as people write them: others passed": share(other, "less"),
    }


def references() -> Figures:
    from tests.bench import bench_references as bench

    rows = [r for r in rows_of(DATA / "references" / "hallmark_dev.jsonl") if r["authors"]]
    options = bench.options_for(bench.registry_of(rows))
    listed = [
        bench.as_reference(bench.rendered(row, style))
        for row, style in zip(rows, list(bench.STYLES) * len(rows), strict=False)
    ]
    _, states = bench.shares(rows, bench.check_list(listed, options).checks)
    real = states["valid"]
    altered = [c for kind, c in states.items() if kind != "valid"]
    passed = sum(c["matches"] + c["not_checked"] for c in altered)
    total = sum(c.total() for c in altered)
    accused = real["other_work"] + real["not_found"]
    return {
        "real works accused": Measured(accused / real.total(), real.total(), "less"),
        "altered entries caught": Measured(1 - passed / total, total),
    }


# -- the judge


def judged(pairs: Sequence[object]) -> list[tuple[str, object]]:
    """The embedded judge's judgment of each pair, beside its label."""
    from workbench.experiments.evaluate import evaluate

    evaluation = evaluate(list(pairs), judge="local")
    return [(scored.pair.label, scored) for scored in evaluation.scored]


def pairs_of(rows: Sequence[Mapping[str, object]], most: int) -> list[object]:
    """Labelled pairs of the development part of a set, at most so many, drawn by their hash."""
    from workbench.experiments.evaluate import LabelledPair
    from workbench.records.context import JudgeContext, SourceFacts

    chosen = sorted(
        (row for row in rows if is_development(str(row["group"]))),
        key=lambda row: sha256(str(row["id"]).encode()).hexdigest(),
    )[:most]
    return [
        LabelledPair(
            id=str(row["id"]),
            claim=str(row["claim"]),
            source=str(row["source"]),
            label=row["label"],
            group=str(row["group"]),
            context=JudgeContext(
                before=str(row.get("context") or ""),
                source=SourceFacts(title=str(row.get("title") or "")),
            ),
        )
        for row in chosen
    ]


def ranking(rows: Sequence[Mapping[str, object]], name: str, most: int) -> Figures:
    found = judged(pairs_of(rows, most))
    return {name: auroc([s.score for _, s in found], [label == "supported" for label, _ in found])}


def contrast() -> Figures:
    rows = [row for path in sorted((DATA / "contrast").glob("*.gz")) for row in rows_of(path)]
    kinds = {str(row["id"]): row["kind"] for row in rows}
    found = judged(pairs_of(rows, 320))
    others = [s.label == "supported" for _, s in found if kinds[s.pair.id] == "other_entity"]
    return {
        "judge, contrast": auroc(
            [s.score for _, s in found], [label == "supported" for label, _ in found]
        ),
        "wrong referents called supported": share(others, "less"),
    }


def pair_sets() -> Figures:
    figures: Figures = {}
    for name in ("factcheck_gpt", "check_covid", "fool_me_twice", "summedits_clean"):
        rows = rows_of(DATA / "pairs" / f"{name}.jsonl")
        figures |= ranking(rows, f"judge, {name}", 60)
    return figures


def inference_sets() -> Figures:
    figures: Figures = {}
    for name in ("fever_nli_dev", "med", "attribution_dev", "citecheck_zh_dev"):
        figures |= ranking(rows_of(DATA / "nli" / f"{name}.jsonl.gz"), f"judge, {name}", 60)
    return figures


def articles() -> Figures:
    """WiCE dev: passages and the judge; the embedded judge and the selector were trained on it."""
    from workbench.judging.judge_factory import open_judge
    from workbench.judging.passages import select_passages
    from workbench.judging.training.fit_passages import is_held, read_articles

    path = DATA / "wice" / "articles_dev.jsonl"
    sample = random.Random(11).sample(read_articles(path, "\n"), 120)
    held = [is_held(a, select_passages(a.claim, a.text, 3000)) for a in sample]
    judge = open_judge("local")
    rows = random.Random(12).sample(rows_of(path), 100)
    scores = []
    for row in rows:
        text = "\n".join(row["evidence"])
        scores.append(judge.judge(row["claim"], select_passages(row["claim"], text)).score)
    return {
        "passages hold the evidence (trained on)": share(held),
        "judge, WiCE dev (trained on)": auroc(scores, [r["label"] == "supported" for r in rows]),
    }


def demo() -> Figures:
    from tests.bench.bench_demo import disagreements

    found = disagreements("local")
    return {"judge, our demo": Measured(found["agreed"] / found["labelled"], found["labelled"])}


def evidence() -> Figures:
    """Pages of another author: what must be read, and what must never be quoted."""
    from workbench import verify

    read, quoted = [], []
    for row in rows_of(BLIND / "pages" / "gold.jsonl"):
        path = BLIND / "pages" / row["file"]
        text = source_text(path)
        read += [piece in text for piece in row["must_contain"]]
        read += [piece not in text for piece in row["must_not_contain"]]
        if not row.get("claim"):
            continue
        run = verify(f"{row['claim']} [1]", sources=[{"content": text, "label": "1"}])
        quotes = [
            piece.quote
            for result in run.citations
            if result.judgment
            for piece in result.judgment.evidence
        ]
        quoted += [any(bad in q or q in bad for q in quotes) for bad in row["not_evidence"]]
    return {
        "blind pages: read as shown": share(read),
        "blind pages: lists, bylines, menus quoted": share(quoted, "less"),
    }


def source_text(path: Path) -> str:
    """The text that a given file is read as."""
    from workbench.judging.judge import run_sync
    from workbench.sources.given import replacement
    from workbench.sources.read import read_source

    given = replacement("https://example.org/", path.read_bytes(), path.name)
    return run_sync(read_source(given, accept=True)).text


# -- speed and size


def speed() -> Figures:
    from tests.bench.bench_extract import LEGAL, best, report
    from tests.bench.bench_extract import plain as plain_extract
    from tests.bench.bench_extract_linear import PIECES, SMALL, seconds
    from workbench.citations import extract

    extract(LEGAL)
    texts = [report(seed) for seed in range(8)]
    ours = sum(best(extract, text) for text in texts)
    simple = sum(best(plain_extract, text) for text in texts)
    drawn = random.Random(3).sample(sorted(PIECES), 12)
    growth = max(
        seconds(PIECES[name] * SMALL * 16) / max(seconds(PIECES[name] * SMALL), 0.002)
        for name in drawn
    )
    return {
        "extraction, times four patterns": Measured(ours / simple, 0, "less", 0.25),
        "extraction, growth for 16 times the text": Measured(growth, 0, "less", 0.25),
    }


def judge_time() -> Figures:
    from tests.bench.bench_judge import speed as judge_speed

    # the least of three: neighbors on a shared machine add a quarter to one of them
    figures = min((judge_speed() for _ in range(3)), key=lambda one: one["judge ms"])
    return {
        "judge, ms of processor a claim": Measured(
            figures["passages ms"] + figures["judge ms"], 0, "less", 0.25
        )
    }


def size() -> Figures:
    listed = subprocess.run(
        ["git", "ls-files", "workbench/*.py", "pages/*.py", "app.py"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    lines = sum((ROOT / name).read_text("utf-8").count("\n") for name in listed)
    return {"product, lines": Measured(lines, 0, "less")}


def suite() -> Figures:
    """How long the last whole runs of the suite took, which they leave behind themselves."""
    stamp = json.loads(STAMP.read_text("utf-8"))
    return {
        f"{name}, seconds": Measured(seconds, 0, "less", 0.25) for name, seconds in stamp.items()
    }


@dataclass(frozen=True)
class Section:
    name: str
    take: Callable[[], Figures]
    needs: tuple[Path, ...] = ()
    alone: bool = False
    """Taken before the others start: it is a time."""


def sentences() -> Figures:
    """Planted reports by two authors who had not seen the product: the kind of each of their sentences."""
    reports = map(json.loads, map(Path.read_text, sorted((BLIND / "reports").glob("*.json"))))
    others = sorted((BLIND / "matrix").glob("*/gold.json"))
    return kinds_of(
        "sentences", [(one["text"], one["question"], one["sentences"]) for one in reports]
    ) | kinds_of(
        "sentences, another author",
        [
            (path.with_name("report.md").read_text("utf-8"), gold["question"], gold["sentences"])
            for path in others
            for gold in [json.loads(path.read_text("utf-8"))]
        ],
    )


def kinds_of(name: str, reports: Sequence[tuple[str, str, Sequence[dict]]]) -> Figures:
    """How often the kinds of the sentences of reports are right: texts, questions, gold sentences."""
    from workbench import extract

    pairs: list[tuple[str, str]] = []
    for text, question, rows in reports:
        found = extract(text, question).sentences
        at = 0
        for row in rows:
            start = text.index(row["text"], at)
            end, at = start + len(row["text"]), start + 1
            best = max(found, key=lambda s: min(s.end, end) - max(s.start, start))
            overlaps = min(best.end, end) > max(best.start, start)
            pairs.append((row["kind"], best.kind if overlaps else "structure"))
    return {
        f"{name}: kinds right": share([gold == kind for gold, kind in pairs]),
        f"{name}: uncited assertions found": share(
            [kind == "uncited" for gold, kind in pairs if gold == "uncited"]
        ),
        f"{name}: structure taken for uncited": share(
            [kind == "uncited" for gold, kind in pairs if gold == "structure"], "less"
        ),
    }


ABSENCE = {
    "stated_none": "supported",
    "silent": "not_supported",
    "contradicted": "contradicted",
    "narrower": "partially_supported",
}


def absence() -> Figures:
    """Claims that something was not found, beside sources that looked, or did not."""
    from workbench import open_judge, select_passages

    judge = open_judge("local")
    told = [
        (ABSENCE[row["label"]], judge.judge(row["claim"], select_passages(row["claim"], row["source"])).label)
        for path in sorted((BLIND / "absence").glob("*.jsonl"))
        for row in rows_of(path)
    ]  # fmt: skip
    return {
        "absence: verdicts right": share([gold == label for gold, label in told]),
        "absence: silence called supported": share(
            [label == "supported" for gold, label in told if gold == "not_supported"], "less"
        ),
    }


def calculations() -> Figures:
    """Figures that follow from a source, and near misses; the rules were written with the first file in view."""
    bench = load_module(ROOT / "tests" / "bench" / "bench_calculations.py")
    figures: Figures = {}
    for path in sorted((BLIND / "calculations").glob("*.jsonl")):
        told = [(row["label"] == "follows", bench.outcome(row)[0]) for row in rows_of(path)]
        name = f"calculations, {path.stem}"
        figures[f"{name}: true ones verified"] = share([o == "verified" for f, o in told if f])
        figures[f"{name}: near misses verified"] = share(
            [o == "verified" for f, o in told if not f], "less"
        )
        figures[f"{name}: true ones contradicted"] = share(
            [o == "contradicted" for f, o in told if f], "less"
        )
    return figures


SECTIONS = (
    Section("size", size, alone=True),
    Section("suite", suite, (STAMP,), alone=True),
    Section("speed", speed, alone=True),
    Section("judge time", judge_time, alone=True),
    Section("answers", answers, (DATA / "answers",)),
    Section("contrast", contrast, (DATA / "contrast",)),
    Section("pairs", pair_sets, (DATA / "pairs",)),
    Section("inference", inference_sets, (DATA / "nli",)),
    Section("articles", articles, (DATA / "wice",)),
    Section("blind answers", blind_answers, (BLIND / "answers", DATA / "answers")),
    Section("reports", reports, (DATA / "deep_research_reports.jsonl",)),
    Section("claims", blind_claims, (BLIND / "claims", DATA / "answers")),
    Section("cases", cases, (SHARED / "cases",)),
    Section("lists", blind_lists, (BLIND / "entries",)),
    Section("people", people, (BLIND / "entries",)),
    Section("references", references, (DATA / "references",)),
    Section("evidence", evidence, (BLIND / "pages",)),
    Section("sentences", sentences, (BLIND / "reports", BLIND / "matrix")),
    Section("absence", absence, (BLIND / "absence",)),
    Section("calculations", calculations, (BLIND / "calculations",)),
    Section("demo", demo),
)


def take(name: str) -> tuple[Figures, float]:
    """The figures of a section, and how many seconds they took."""
    begun = time.perf_counter()
    section = next(section for section in SECTIONS if section.name == name)
    return section.take(), time.perf_counter() - begun


def measure(sections: Sequence[Section]) -> Iterator[tuple[Section, Figures, float]]:
    """Each section's figures, times first and alone, the rest on two processes."""
    for section in (s for s in sections if s.alone):
        yield section, *take(section.name)
    with ProcessPoolExecutor(2) as pool:
        waiting = {pool.submit(take, s.name): s for s in sections if not s.alone}
        for done in as_completed(waiting):
            yield waiting[done], *done.result()


def noise(recorded: Mapping[str, float], figure: Measured) -> float:
    """How much worse than the recorded value a figure may be without having fallen."""
    value = recorded["value"]
    if figure.n:
        return max(sqrt(max(value * (1 - value), 0) / figure.n), 1 / figure.n)
    return abs(value) * figure.tolerance


def has_fallen(recorded: Mapping[str, float], figure: Measured) -> bool:
    """Whether a figure is worse than the recorded one by more than its noise."""
    worse = recorded["value"] - figure.value
    return (worse if figure.better == "more" else -worse) > noise(recorded, figure) + 1e-9


def shown(value: float) -> str:
    if value == int(value) and abs(value) > 1:
        return f"{int(value):,}"
    return f"{value:.3f}" if abs(value) <= 1 else f"{value:,.1f}"


def line(name: str, figure: Measured, recorded: Mapping[str, float] | None) -> str:
    """A row of the table: the figure, the recorded one and how they compare."""
    before = "new" if recorded is None else shown(recorded["value"])
    fell = recorded is not None and has_fallen(recorded, figure)
    count = f"{figure.n:,}" if figure.n else ""
    direction = "" if figure.better == "more" else "less is better"
    return f"{name:50} {shown(figure.value):>9} {before:>9} {count:>7}  {'FELL' if fell else '':5}{direction}"


def main() -> int:
    """Print the table; 1 where a figure fell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="the sections whose name begins so")
    parser.add_argument("--record", action="store_true", help="keep the figures as recorded")
    options = parser.parse_args()
    begun = time.perf_counter()
    kept: dict[str, dict[str, float]] = (
        json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
    )
    chosen = [s for s in SECTIONS if s.name.startswith(options.only)]
    ready = [s for s in chosen if all(path.exists() for path in s.needs)]
    fallen = 0
    print(f"{'figure':50} {'now':>9} {'recorded':>9} {'n':>7}")
    for section, figures, seconds in measure(ready):
        print(f"-- {section.name} ({seconds:.0f} s)", flush=True)
        for name, figure in figures.items():
            fallen += name in kept and has_fallen(kept[name], figure)
            print(line(name, figure, kept.get(name)), flush=True)
            if options.record:
                kept[name] = {"value": round(figure.value, 4)}
    for section in chosen:
        if section not in ready:
            missing = next(path for path in section.needs if not path.exists())
            print(f"not taken: {section.name} ({missing.relative_to(ROOT.parent)} is not there)")
    if options.record:
        RECORDED.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"{fallen} fell; {time.perf_counter() - begun:.0f} s")
    return int(fallen > 0)


if __name__ == "__main__":
    sys.exit(main())
