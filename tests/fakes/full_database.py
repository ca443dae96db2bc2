"""A database with every kind of row, built through public calls alone, and all that can be read from it.

Run: python -m tests.fakes.full_database FILE.duckdb.gz

Before a migration, write one with the version that has it not yet: tests/store/test_migrations.py
compares what it says after the migration with what one says that is built anew.
"""

import gzip
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Mapping, Set
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass, replace
from datetime import date, datetime, timedelta
from itertools import count
from pathlib import Path
from unittest import mock

import duckdb

from tests.fakes import records as make
from tests.fakes.desk import Clock
from tests.fakes.labelled import Given, add_run
from workbench.records.bibliography import CachedAnswer, ReferenceCheck, ReferenceEntry
from workbench.records.citation import SentenceCorrection, SentenceSuggestion
from workbench.records.corrections import CorrectionDecision
from workbench.records.evaluation import JudgeKey, LabelFilter, OfflineJudgment, Threshold
from workbench.records.export_formats import ImportedFacts
from workbench.records.matrix import CellJudgment
from workbench.records.optimization import Optimisation, OptimisationStep
from workbench.records.queue import ItemFilter
from workbench.records.reference_labels import EntryLabel
from workbench.records.registries import RecordKeys, Registry, RetractionRow, SkippedRecord
from workbench.records.review import LabelDecision
from workbench.records.spending import PricedCall
from workbench.records.stored_sources import SourceOverride, SuppliedSource
from workbench.records.text import Span
from workbench.records.transfer import ExternalRun, ImportRecord
from workbench.store.admin.erasure import Erasures
from workbench.store.admin.examples import ExampleWorkspace
from workbench.store.admin.spending import attempt_account, run_account
from workbench.store.bibliography.checks import IndexAnswerRepository, ReferenceCheckRepository
from workbench.store.bibliography.labels import EntryLabelRepository
from workbench.store.bibliography.registries import RegistryRepository
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.offline_judgments import MatrixCells, OfflineJudgmentRepository
from workbench.store.evaluation.predictions import PredictionRepository, RunOutcomeRepository
from workbench.store.evaluation.reference_sets import ReferenceSetRepository
from workbench.store.evaluation.splits import Splits, Thresholds
from workbench.store.labels.agreement import AgreementQueries, ReviewerLabels
from workbench.store.labels.examples import Examples
from workbench.store.labels.imports import Imports
from workbench.store.labels.repository import CommentRepository, Guides, LabelRepository
from workbench.store.prompts import OptimizationRepository, Prompts
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
from workbench.store.runs.dashboard import DashboardQueries
from workbench.store.runs.items import CitationQuery
from workbench.store.runs.run_verdicts import RunVerdictRepository
from workbench.store.runs.runs import RunNames, Traces, merge_runs
from workbench.store.runs.search import Search
from workbench.store.runs.sentences import SentenceKinds
from workbench.store.sources import SourceRepository
from workbench.store.store import Store

PROMPT = "strict@2:0a1b2c"
ODD_PROMPT = "prüfung “2”@1:ffee"
SOLO, OTHER = "openai:gpt-4o-mini", "anthropic:claude-haiku"
RUNS: Mapping[str, tuple[tuple[str, ...], Mapping[str, object]]] = {
    "local": (("local",), {"panel": "majority", "allow_fetch": False}),
    "bare": (("local",), {}),
    "solo": ((SOLO,), {"panel": "majority", "prompt": PROMPT}),
    "odd": ((SOLO,), {"panel": "majority", "prompt": ODD_PROMPT}),
    # a single judge has no rule
    "single": ((SOLO,), {"panel": "unanimous", "prompt": PROMPT}),
    "majority": ((SOLO, "local"), {"panel": "majority", "prompt": PROMPT}),
    "unanimous": ((SOLO, "local"), {"panel": "unanimous", "prompt": PROMPT}),
    "cascade": (("local", OTHER), {"panel": "cascade", "prompt": PROMPT}),
    # a panel from before panels had a rule
    "ruleless": (("local", OTHER), {"prompt": PROMPT}),
    # a folder whose name is no text, and a threshold that names a prompt of its own
    "folder": (
        (SOLO,),
        {
            "sources": "/data/\udcff",
            "panel": "majority",
            "threshold": {"id": "t1", "prompt": "other@1:00", "panel": "cascade"},
            "prompt": PROMPT,
        },
    ),
}  # fmt: skip
"""Judges and options of each run with a judge."""
LABELS = ("supported", "not_supported", "contradicted", "unverifiable")


def build(path: Path) -> None:
    """A new database at `path` with rows in every table; ids are the same each time."""
    with counted_ids():
        _build(Store(path), Clock())


def counted_ids(start: int = 0) -> AbstractContextManager[object]:
    """New ids are the same each time: they count from a number on."""
    ids = count(start)
    return mock.patch("uuid.uuid4", lambda: uuid.UUID(int=next(ids)))


def _build(store: Store, clock: Clock) -> None:
    store.row_counts()  # the tables are there
    with store.transaction():  # keeping the file open is five times as fast
        _fill(store, clock)
    erased_trace = Traces(store, clock).log("Goes with its run.")
    add_run(
        store, "erased", [Given(), Given()], judge=(SOLO,), config={"trace_id": erased_trace.id}
    )
    erasures = Erasures(store, clock)
    erasures.erase(erasures.output_of("erased"), "Zoe", "personal_data")
    store.add_judgment("key", make.judgment("supported", cost_usd=0.25))
    _decide_corrections(store, clock)
    ExampleWorkspace(store).mark("step", ["declined"])
    _check_references(store, clock)  # last: an erasure forgets answers of indexes
    _rename_and_comment(store, clock)  # after all ids that older files know


def _fill(store: Store, clock: Clock) -> None:
    trace = Traces(store, clock).log("The bridge [1].", input="How long?", name="chat", model="m")
    Traces(store, clock).log("Nobody checked this.")
    for number, (run_id, (judge, config)) in enumerate(RUNS.items()):
        items = [
            Given(score=0.9, people=(("Ada", "supported"), ("Bob", "supported"))),
            Given(score=0.2, verdict="not_supported", people=(("Ada", LABELS[number % 4]),)),
            Given(score=0.6, people=(("Ada", "supported"), ("Bob", "contradicted"))),
            Given(error="timeout", people=(("Ada", "unverifiable"),)),
            Given(error="llm_judge_error"),
        ]  # fmt: skip
        trace_config = {"trace_id": trace.id} if run_id in ("solo", "folder") else {}
        moment = clock() + timedelta(hours=number)
        add_run(store, run_id, items, judge=judge, config={**config, **trace_config}, moment=moment)
    _add_runs(store)
    _review(store, clock)
    _import(store, clock)
    _evaluate(store, clock)
    _spend(store)


def _add_runs(store: Store) -> None:
    """Runs that are unfinished, were checked again, hold odd texts, or were imported."""
    text = "Open \ud800 claim [1]. And another [2]."
    claim = make.Excerpt(span=Span(0, 12), text=text[:12])
    odd_result = make.result(1, citation=make.citation(1, text=text, claim=claim))
    panel = (make.judgment("supported"), make.judgment("not_supported", rationale="No."))
    other = make.result(2, citation=make.citation(2, text=text), judgments=panel)
    run = replace(
        make.run("open", [odd_result, other], text=text, judge=(SOLO,)), config={"prompt": PROMPT}
    )
    store.add_run(run, text, "Open \ud800 report")
    store.add_verdict("open", odd_result)
    store.set_config(replace(run, config={"prompt": PROMPT, "panel": "majority", "batch": True}))
    store.replace_verdict("open", replace(odd_result, source=make.source("Read anew.", pages=())))
    store.label(run, "c1", "supported", author="Ada", note="first")
    store.label(run, "c1", "contradicted", author="Ada", note="second")
    elsewhere = replace(
        make.run("elsewhere", [make.result(1)], text=make.TEXT),
        judge=(SOLO, OTHER),
        config={"panel": "unanimous", "prompt": PROMPT},
        finished=True,
    )
    merge_runs(store, [ExternalRun(run=elsewhere, text=make.TEXT, name="batch")])


def _review(store: Store, clock: Clock) -> None:
    guide = Guides(store, clock).save("# Guide", author="Zoe", note="first")
    assert guide.version == 1
    queues = Queues(store, clock)
    queue = queues.build(
        "blind", ItemFilter(runs=("solo", "local")), created_by="Zoe", order="document",
        blind=True, reviews=2, reviewers=("Ada", "Bob"),
    )  # fmt: skip
    queues.assign(queue.id, ("Ada", "Bob", "Cy"))
    turns = ReviewTaskService(store, clock)
    for reviewer, labels in {"Ada": LABELS, "Bob": LABELS[::-1]}.items():
        for position, label in enumerate(labels):
            turns.open(queue.id, reviewer, position)
            decision = LabelDecision(
                label=label, note=f"note {position}", tags=("check",), fault="retrieval"
            )
            turns.decide(queue.id, reviewer, position, decision)
    turns.open(queue.id, "Ada", 4)
    turns.skip(queue.id, "Ada", 4, "later")
    turns.reveal(queue.id, "Ada", 4)
    turns.decide(queue.id, "Ada", 5, LabelDecision(label="supported"))
    turns.undo(queue.id, "Ada")
    turns.skip(queue.id, "Ada", 6, "by mistake")
    turns.undo(queue.id, "Ada")
    settle = queues.build(
        "settle", created_by="Zoe", role="adjudication", items=[("majority", "c2")]
    )
    turns.open(settle.id, "Zoe", 0)
    turns.decide(settle.id, "Zoe", 0, LabelDecision(label="contradicted", note="settled"))
    queues.close(settle.id, "Zoe")
    labels = LabelRepository(store, clock)
    labels.give("cascade", "c0", "Cy", LabelDecision(label="contradicted"))
    labels.give("cascade", "c1", "Cy", LabelDecision(label="contradicted"))
    labels.withdraw("cascade", "c1", "Cy")
    store.withdraw_label("bare-0-Bob", "Bob")
    corrections = Corrections(store, clock)
    corrections.correct("solo", "c0", Span(0, 12), "Ada")
    corrections.correct("solo", "c0", Span(0, 14), "Bob", "In other words.")
    corrections.correct("solo", "c1", Span(0, 14), "Bob", scope="list")
    book = SourceRepository(store)
    word = {"reviewer": "Ada", "created_at": make.MOMENT}
    sha256 = make.source().sha256
    for number in range(2):
        book.accept(SourceOverride(id=f"a{number}", sha256=sha256, url="u", reason="seen", **word))
    book.withdraw_acceptance("a1", "Ada")
    book.add_supplied(
        SuppliedSource(id="h1", sha256=sha256, url="u", form="paste", name="n", note="", **word)
    )


def _import(store: Store, clock: Clock) -> None:
    text = "An imported claim [1]. Another one [2]."
    results = [
        replace(make.result(number, citation=make.citation(number, text=text)), judgment=None,
                judgments=(), status="skipped", verdict="unverifiable")
        for number in (1, 2)
    ]  # fmt: skip
    run = replace(
        make.run("imported", results, text=text),
        judge=(),
        references=(),
        config={"imported": "set", "format": {}},
    )
    labels = [
        make.label(
            f"i{number}", "supported", run_id="imported", citation_id=f"c{number}",
            reviewer="set annotators", tags=("imported",), by_person=False,
        )
        for number in (1, 2)
    ]  # fmt: skip
    facts = [
        (f"k{n}", f"c{n}",
         ImportedFacts(item=f"p{n}", group="g", origin="set", licence="", slices=(("domain", "law"),)))
        for n in (1, 2)
    ]  # fmt: skip
    imports = Imports(store)
    imports.add("imp", run, text, "set", labels, facts)
    imports.remember(
        ImportRecord(
            id="imp", format="csv", name="set.csv", sha256="ab", imported=2, labels=2, known=0,
            skipped=1, reviewer="Zoe", created_at=clock(),
        )
    )  # fmt: skip


def _evaluate(store: Store, clock: Clock) -> None:
    splits = Splits(store, clock)
    split = splits.add(
        "main", seed=3, shares={"dev": 0.6, "test": 0.4}, ties=("question",), by="Zoe"
    )
    parts = ("train", "dev", "test")
    items = [
        (run_id, f"c{n}", parts[n % 3]) for run_id in (*RUNS, "open", "elsewhere") for n in range(4)
    ]
    splits.place(split.id, [*items, ("imported", "c1", "dev"), ("imported", "c2", None)])
    splits.open_test(split.id, by="Zoe", reason="the report", figures="all")
    opinions = OfflineJudgmentRepository(store, clock)
    judgment = make.judgment("not_supported", score=0.3, cost_usd=0.02)
    for judge, prompt in ((OTHER, PROMPT), (SOLO, PROMPT), (SOLO, "candidate@1:9"),
                          (JudgeKey(specs=(SOLO, OTHER), rule="unanimous").name, "")):  # fmt: skip
        judgments = [
            OfflineJudgment(
                run_id="bare", citation_id=f"c{number}", judge=judge, prompt=prompt,
                judgment=None if number == 3 else judgment,
                error="llm_judge_error" if number == 3 else None, cost_usd=0.02,
            )
            for number in range(4)
        ]  # fmt: skip
        opinions.add(judgments)
    opinions.add(
        [OfflineJudgment(run_id="imported", citation_id="c1", judge=SOLO, prompt=PROMPT,
                         judgment=judgment, error=None, cost_usd=0.02)],
        [("imported", make.result(1, "not_supported"))],
    )  # fmt: skip
    Thresholds(store, clock).save(
        Threshold(
            id="", judge=SOLO, accept=0.8, reject=0.2, target=0.95, confidence=0.9, holds=True,
            aim="precision", split_id=split.id, parts=("dev",), n=9, labels_sha256="aa",
            created_by="Zoe", created_at=make.MOMENT,
        )
    )  # fmt: skip
    sets = ReferenceSetRepository(store, clock)
    candidates = sets.candidates(split.id, ("dev", "test"))
    frozen = sets.freeze(
        "spring",
        [candidate.anchor for candidate in candidates[:6]],
        seed=1,
        parts=("dev", "test"),
        by="Zoe",
    )
    for judge in (SOLO, OTHER):
        asking = sets.begin(frozen.id, judge, PROMPT, by="Zoe")
        judgments = [
            OfflineJudgment(
                run_id=anchor.run_id, citation_id=anchor.citation_id, judge=judge, prompt=PROMPT,
                judgment=judgment, error=None, cost_usd=0.01,
            )
            for anchor in sets.unanswered(asking)[: 4 if judge == OTHER else None]
        ]  # fmt: skip
        sets.add(asking, judgments)
    prompts = Prompts(store, now=clock)
    first = prompts.add(
        "mine", TEMPLATE, author="Zoe", values={"examples": "Claim: x"}, items=[("solo", "c0")]
    )
    prompts.add("mine", TEMPLATE + "Be strict.\n", author="Zoe", note="n", parent=first.id)
    optimizations = OptimizationRepository(store, clock)
    series = optimizations.add(
        Optimisation(
            id="", judge=(SOLO,), rule="majority", prompt=first.id, name="better", proposer=OTHER,
            split_id=split.id, rounds=3, alpha=0.1, shown=5, screen=True, seed=1,
            max_cost_usd=2.0, created_by="Zoe", created_at=make.MOMENT,
        )
    )  # fmt: skip
    for number, candidate in enumerate(("", "candidate@1:9", first.id)):
        optimizations.record(
            series.id,
            OptimisationStep(
                round=number, stage="dev", state="kept" if candidate == first.id else "not_kept",
                incumbent=first.id, candidate=candidate, cost_usd=0.1, items=("solo/c0",),
            ),
        )  # fmt: skip


def _spend(store: Store) -> None:
    account = run_account(store, "solo")
    call = PricedCall(key="k", judge=SOLO, worst_usd=0.5)
    written = account.write({}, [call, replace(call, key="k2")], 5.0)
    account.write({written.ids[0]: 0.1}, [replace(call, key="k3", worst_usd=None)], None)
    attempt = attempt_account(store, "compare")
    attempt.write({}, [call], None)
    attempt.close()


def _decide_corrections(store: Store, clock: Clock) -> None:
    decisions = CorrectionDecisionRepository(store, clock)
    first = CorrectionDecision(
        id="d1", run_id="solo", citation_id="c0", choice="taken", span=Span(0, 7), claim="In 1913",
        proposed="In 1912", text="In 1912", judge="local", reviewer="Ada", created_at=clock(),
    )  # fmt: skip
    decisions.add(first)
    decisions.add(replace(first, id="d2", choice="refused", text=None, reason="r", replaces="d1"))
    decisions.add(replace(first, id="d3", citation_id="c1"))
    decisions.withdraw("solo", "c1", "Ada")


def _rename_and_comment(store: Store, clock: Clock) -> None:
    # to the title that it had: older files know no others
    before = RunNames(store).current("solo")
    RunNames(store, clock).rename("solo", "A title", "Ada")
    assert RunNames(store, clock).rename("solo", "", "Ada") == before
    # its run has no sentences, as one of an older version
    correction = SentenceCorrection(
        id="s1",
        run_id="solo",
        start_at=0,
        end_at=7,
        kind="opinion",
        author="Ada",
        created_at=clock(),
    )
    sentences = SentenceKinds(store, clock)
    for name in ("s1", "s2"):
        sentences._insert("sentence_corrections", replace(correction, id=name))
    sentences.withdraw("solo", "Ada")
    suggestion = SentenceSuggestion(
        id="g1", run_id="solo", start_at=8, end_at=20, citation_id="c0", label="supported",
        score=0.9, quote="the source", judge="local", created_at=clock(),
    )  # fmt: skip
    sentences.suggest([suggestion])
    CommentRepository(store, clock).add("solo", "c0", "Ada", "Look again.")
    cell = CellJudgment(
        run_id="solo", start_at=0, end_at=7, source_sha256="ab", judge="", judgment=None,
        created_at=clock(),
    )  # fmt: skip
    MatrixCells(store).add([cell])


def _check_references(store: Store, clock: Clock) -> None:
    registries = RegistryRepository(store)
    keys = RecordKeys(title="deepthings", words=("deep", "things"), doi="10.1000/1")
    library = Registry(
        name="mine", kind="library", file_name="my.bib", sha256="ab", imported_at=clock(),
        records=1, problems=(SkippedRecord("line 3", "broken"),),
    )  # fmt: skip
    registries.add_library(library, [(keys, {"id": "a", "title": "Deep things"})])
    table = replace(library, name="retracted", kind="retractions")
    registries.add_retractions(
        table, [RetractionRow(keys, "retracted", "10.1000/2", "2020-01-02", "Error")]
    )
    IndexAnswerRepository(store).keep(
        CachedAnswer(
            service="crossref", question="works/10.1000/1", status=404, body=b"",
            asked_at=make.MOMENT.isoformat(),
        )
    )  # fmt: skip
    check = ReferenceCheck(
        label="1", span=Span(0, 4), text="Deep", entry=ReferenceEntry(title="Deep"),
        status="not_found", score=0.1,
    )  # fmt: skip
    checks = ReferenceCheckRepository(store, clock)
    checks.add("solo", [(0, check), (1, check)])
    checks.add("solo", [(1, replace(check, status="matches"))])
    labels = EntryLabelRepository(store)
    first = EntryLabel(
        id="e1", run_id="solo", position=0, decision="fabricated", reviewer="Ada",
        created_at=clock(), status_shown="not_found", score_shown=0.1,
    )  # fmt: skip
    labels.add(first)
    labels.add(replace(first, id="e2", decision="exists", replaces="e1", reason="read_wrongly"))
    labels.add(replace(first, id="e3", position=1, note="by mistake"))
    labels.withdraw("solo", 1, "Ada")


TEMPLATE = """You check citations.
=====
{{examples}}
Claim: {{claim}}
Passages: {{passages}}
"""


# -- what it says -------------------------------------------------------------------------------


def readings(store: Store) -> dict[str, object]:
    """What every reading method returns, without timestamps and durations."""
    store.row_counts()
    with store.transaction():
        return _readings(store)


def _readings(store: Store) -> dict[str, object]:
    split = Splits(store).all()[0]
    parts = ("train", "dev", "test")
    evaluation = EvaluationRepository(store)
    judges = evaluation.judges()
    keys = [judge for judge, _ in judges]
    sets = ReferenceSetRepository(store)
    frozen = sets.get("spring")
    evaluations = sets.evaluations(frozen.id)
    queues = Queues(store).list_queues()
    tasks = ReviewTaskService(store)
    optimizations = OptimizationRepository(store)
    runs = [summary.id for summary in store.list_runs()]
    sources = SourceRepository(store)
    readings: dict[str, object] = {
        "rows": store.row_counts(),
        # checks of references came later than the file of the version before
        "runs": [replace(store.get_run(run_id), reference_checks=()) for run_id in runs],
        "summaries": [
            replace(summary, references=0, reference_problems=0) for summary in store.list_runs()
        ],
        "verdicts": [store.verdict_history(run_id, "c1") for run_id in runs],
        "labels": store.all_labels(),
        "all labels": [store.label_history(run_id, "c0") for run_id in runs],
        "labelled": list(store.labelled_citations()),
        "paid": store.paid_usd(),
        "judges": sorted(judges, key=repr),
        "examples": [
            evaluation.read(judge, split.id, parts, slices=True, labels=LabelFilter(guides=guides))
            for judge in keys
            for guides in ((), (1,))
        ],
        "missing": [
            OfflineJudgmentRepository(store).unjudged(
                judge.name, judge.prompt, split_id=chosen, parts=parts, disputed=disputed
            )
            for judge in keys
            for chosen in (None, split.id)
            for disputed in (False, True)
        ],
        "predictions": [
            PredictionRepository(store).of_judge(judge, split.id, parts) for judge in keys
        ],
        "predictions in runs": PredictionRepository(store).in_runs(split.id, parts),
        "gold": PredictionRepository(store).labels(split.id, parts),
        "outcomes": [
            replace(outcome, references=[]) for outcome in RunOutcomeRepository(store).read(None, None)
        ],
        "split": (split, Splits(store).sizes(split.id), Splits(store).openings(split.id)),
        "thresholds": Thresholds(store).all(),
        "reference sets": sets.all(),
        "reference examples": sets.states(frozen.id, split.id),
        "evaluations": evaluations,
        "evaluation left": [sets.unanswered(item) for item in evaluations],
        "evaluation said": [sets.predictions(item) for item in evaluations],
        "said in runs": sets.predictions_in_runs(frozen.id),
        "optimizations": [
            (series, optimizations.steps(series.id), optimizations.looks_before(series),
             [optimizations.judged_cost(series, judge) for judge in keys])
            for series in optimizations.all()
        ],
        "prompts": Prompts(store).all(),
        "queues": queues,
        "tasks": [tasks.open(item.queue.id, "Cy") for item in queues if item.queue.reviewers],
        "ratings": AgreementQueries(store).ratings(),
        "disputes": AgreementQueries(store).disputes(),
        "blind": AgreementQueries(store).blind_decisions(),
        "reviewer ratings": ReviewerLabels(store).ratings(),
        "reviewer judged": [
            ReviewerLabels(store).judged(judge, split.id, parts) for judge in keys
        ],
        "reviewers": LabelRepository(store).reviewers(),
        "tags": LabelRepository(store).tags(),
        "guides": Guides(store).history(),
        "claims": [Corrections(store).history(run_id) for run_id in runs],
        "overrides": sources.acceptances(),
        "accepted": sources.accepted(),
        "supplied": sources.supplied(),
        "uses": sources.uses(runs),
        "imports": Imports(store).list(),
        "facts": Imports(store).facts(),
        # decisions on corrections came after the oldest file that is compared
        "dataset": [
            replace(example, correction=None)
            for example in Examples(store).read(Examples(store).keys())
        ],
        "traces": Traces(store).newest(),
        "erasures": Erasures(store).traces(),
        "erasure plans": [
            Erasures(store).plan(Erasures(store).output_of(run_id)) for run_id in runs
        ],
        "dashboard": DashboardQueries(store, Clock()).summary(),  # the same day, always
        "items": [
            CitationQuery(store).find(chosen, limit=500)
            for chosen in (ItemFilter(), ItemFilter(reviewed=True, judge_differs=True))
        ],
        "choices": CitationQuery(store).choices(ItemFilter()),
        "search": Search(store).find("fact"),
        "run verdicts": [
            RunVerdictRepository(store).read(judge, chosen) for judge in keys for chosen in (None, split.id)
        ],
        "shares": [RunVerdictRepository(store).shares(judge, split.id) for judge in keys],
        "recent": RunNames(store).newest(),
        "spending": [run_account(store, run_id).spending() for run_id in runs],
    }  # fmt: skip
    return {name: plain(value) for name, value in readings.items()}


def plain(value: object) -> object:
    """A value as lists, texts and numbers; timestamps are left out."""
    if isinstance(value, datetime | date | timedelta):
        return "…"
    if is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)


def table_rows(path: Path) -> dict[str, Counter[str]]:
    """The rows of every table and view, without timestamps, whatever their order."""
    rows: dict[str, Counter[str]] = {}
    with duckdb.connect(str(path), read_only=True) as connection:
        for (table,) in connection.execute(
            "select table_name from duckdb_tables() union "
            "select view_name from duckdb_views() where not internal"
        ).fetchall():
            cursor = connection.execute(f'select * from "{table}"')
            names = [column[0] for column in cursor.description]
            rows[table] = Counter(
                repr({name: plain(cell) for name, cell in zip(names, row, strict=True)})
                for row in cursor.fetchall()
            )
    del rows["migrations"]
    return rows


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "w.duckdb"
        build(path)
        target.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
