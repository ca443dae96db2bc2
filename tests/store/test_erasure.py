"""Deleting an output with everything that depends on it."""

import shutil
import subprocess
import sys
from dataclasses import replace

import duckdb
import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock, fill
from workbench.errors import StoreError
from workbench.records.bibliography import CachedAnswer, ReferenceCheck, ReferenceEntry
from workbench.records.corrections import CorrectionDecision
from workbench.records.reference_labels import EntryLabel
from workbench.records.review import LabelDecision
from workbench.records.stored_sources import SourceOverride, SuppliedSource
from workbench.records.text import Span
from workbench.store.admin.erasure import DELETED, KEPT, LOOKED_THROUGH, Erasures
from workbench.store.bibliography.checks import IndexAnswerRepository, ReferenceCheckRepository
from workbench.store.bibliography.labels import EntryLabelRepository
from workbench.store.connection import rewrite_stamp
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
from workbench.store.runs.search import Search
from workbench.store.sources import SourceRepository
from workbench.store.store import Store

SECRET = "Margarethe Quellwasser"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


def tables(path):
    with duckdb.connect(str(path)) as connection:
        rows = connection.execute("select table_name from duckdb_tables()").fetchall()
        return {
            table: connection.execute(f'select * from "{table}"').fetchall() for (table,) in rows
        }


def plant(store):
    """Run `r1` and all that can depend on it, each text with the secret; and `r2`, without."""
    fill(store, 3, "r2")
    text = f"{SECRET} lives here [1]."
    claim = make.Excerpt(span=Span(0, 30), text=text[:30])
    judgment = make.judgment("supported", rationale=f"So says {SECRET}.")
    source = make.source(f"A page about {SECRET}.", url="https://lone.example", pages=())
    result = make.result(
        1,
        citation=make.citation(1, text=text, claim=claim),
        judgment=judgment,
        judgments=(judgment,),
        source=source,
    )
    run = make.run("r1", results=[result], text=text)
    store.add_run(run, text, f"Letter of {SECRET}")
    store.finish_run(run)
    store.replace_verdict("r1", replace(result, source=make.source(f"Earlier: {SECRET}", pages=())))
    store.add_judgment("key1", judgment)
    store.add_judgment("key2", make.judgment("supported"))
    store.add_judgment("key3", make.judgment("supported", rationale=f"Lost: {SECRET}."))
    clock = Clock()
    queue = Queues(store, clock).build("all", created_by="Zoe", order="document", blind=True)
    turns = ReviewTaskService(store, clock)
    places = [turns.open(queue.id, "Ada", position).item for position in range(4)]
    position_of_r1 = next(item.position for item in places if item.run_id == "r1")
    other = next(item.position for item in places if item.run_id == "r2")
    for position, note in ((position_of_r1, f"I know {SECRET}"), (other, "fine")):
        turns.open(queue.id, "Ada", position)
        turns.decide(queue.id, "Ada", position, LabelDecision(label="supported", note=note))
        turns.skip(queue.id, "Bob", position, note)
        turns.reveal(queue.id, "Ada", position)
    turns.decide(queue.id, "Ada", position_of_r1, LabelDecision(label="contradicted", note=SECRET))
    turns.undo(queue.id, "Ada")
    Corrections(store, clock).correct("r1", "c1", Span(0, 20), "Ada", f"Of {SECRET}")
    decisions = CorrectionDecisionRepository(store, clock)
    decisions.add(
        CorrectionDecision(
            id="d1", run_id="r1", citation_id="c1", choice="taken", span=Span(0, 20),
            claim=SECRET, proposed=f"Not {SECRET}", text=f"Not {SECRET}", judge="local",
            reviewer="Ada", created_at=clock(),
        )
    )  # fmt: skip
    check = ReferenceCheck(
        label=None,
        span=Span(0, 4),
        text=SECRET,
        entry=ReferenceEntry(title=SECRET),
        status="differs",
    )
    ReferenceCheckRepository(store, clock).add("r1", [(0, check)])
    IndexAnswerRepository(store).keep(
        CachedAnswer(
            service="crossref",
            question=SECRET,
            status=200,
            body=b"{}",
            asked_at="2026-01-01T00:00:00Z",
        )
    )
    entry_labels = EntryLabelRepository(store)
    label = EntryLabel(
        id="e1", run_id="r1", position=0, decision="exists", reviewer="Ada", created_at=clock(),
        note=SECRET,
    )  # fmt: skip
    entry_labels.add(label)
    entry_labels.withdraw("r1", 0, "Ada")
    book = SourceRepository(store)
    given_by = {"reviewer": "Ada", "created_at": make.MOMENT}
    book.accept(SourceOverride(id="a1", sha256=source.sha256, url="u", reason=SECRET, **given_by))
    book.withdraw_acceptance("a1", "Ada")
    book.add_supplied(
        SuppliedSource(
            id="h1", sha256=source.sha256, url="u", form="paste", name="", note=SECRET, **given_by
        )
    )
    return run, source


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    return store.path, *plant(store)


@pytest.fixture
def planted(built, store):
    """The run with the secret in a store that holds it, and its source."""
    path, run, source = built
    shutil.copy(path, store.path)
    return run, source


@pytest.mark.reopens
def test_nothing_of_an_erased_output_is_left_and_all_else_is(store, planted):
    run, source = planted
    tables_before = tables(store.path)
    assert SECRET.encode() in store.path.read_bytes()
    erased = Erasures(store, Clock()).erase(run.output_sha256, "Zoe", "personal_data")
    tables_after = tables(store.path)
    assert SECRET not in repr(tables_after)
    assert SECRET.encode() not in store.path.read_bytes()
    assert not [p for p in store.path.parent.iterdir() if SECRET.encode() in p.read_bytes()]
    assert run.output_sha256 not in repr(tables_after)
    for table in (
        "runs", "verdicts", "labels", "queue_items", "queue_skips", "judgment_reveals",
        "label_withdrawals",
        "claim_corrections",
        "correction_decisions",
        "reference_checks",
        "reference_labels",
    ):  # fmt: skip
        assert not [row for row in tables_after[table] if "r1" in row], table
        lost = len(tables_before[table]) - len(tables_after[table])
        assert lost > 0, table
    # what belongs to the other output is untouched
    assert [row for row in tables_before["verdicts"] if "r2" in row] == tables_after["verdicts"]
    assert [row for row in tables_before["labels"] if "r2" in row] == tables_after["labels"]
    assert len(tables_after["queue_items"]) == 3
    assert [key for key, *_ in tables_after["judgments"]] == ["key2"]
    assert len(tables_after["source_texts"]) == 1, "the one that r2 leans on"
    assert store.get_source("r2", "c0").text == make.SOURCE_TEXT
    assert source.sha256 in erased.bodies
    assert (
        tables_after["acceptances"]
        == tables_after["acceptance_withdrawals"]
        == tables_after["supplied_sources"]
        == []
    )


@pytest.mark.reopens
def test_the_plan_says_what_would_go_and_changes_nothing(store, planted):
    run, source = planted
    tables_before = tables(store.path)
    plan = Erasures(store).plan(run.output_sha256)
    assert tables(store.path) == tables_before
    assert (plan.name, plan.run_ids, plan.ended) == (f"Letter of {SECRET}", ("r1",), True)
    assert (plan.verdicts, plan.labels, plan.notes) == (2, 2, 2)
    assert (plan.places, plan.sources) == (1, 2)
    assert source.sha256 in plan.bodies
    assert "https://lone.example" in plan.addresses
    erased = Erasures(store).erase(run.output_sha256, "Zoe", "mistake")
    assert erased.bodies == plan.bodies
    assert not set(plan.bodies) & Erasures(store).bodies_in_use()


def test_an_output_is_named_by_its_run_or_its_hash(store, planted):
    run, _ = planted
    for name in ("r1", run.output_sha256.upper(), run.output_sha256[:8]):
        assert Erasures(store).output_of(name) == run.output_sha256


def test_what_names_no_output_gets_a_sentence(store, planted):
    run, _ = planted
    for name in ("r9", "", run.output_sha256[:7], "%", "zz" * 32):
        with pytest.raises(StoreError, match="no run and no output"):
            Erasures(store).output_of(name)
    Erasures(store).erase(run.output_sha256, "Zoe", "mistake")
    with pytest.raises(StoreError, match="was erased on 20"):
        Erasures(store).output_of("r1")


def test_what_is_kept_at_hand_is_known_to_be_old_after_a_rewrite(store):
    fill(store, 1)
    stamp_before = rewrite_stamp(store.path)
    store.list_runs()
    assert rewrite_stamp(store.path) == stamp_before
    Erasures(store).rewrite()
    assert rewrite_stamp(store.path) != stamp_before


def test_the_trace_says_when_who_and_how_much(store, planted):
    run, _ = planted
    clock = Clock()
    trace = Erasures(store, clock).erase(run.output_sha256, " Zoe ", "personal_data").trace
    assert (trace.reviewer, trace.reason, trace.run_ids) == ("Zoe", "personal_data", ("r1",))
    assert (trace.verdicts, trace.labels, trace.sources) == (2, 2, 2)
    assert trace.created_at.date() == clock.now.date()
    assert Erasures(store).traces() == [trace]
    assert Erasures(store).trace_of("r1") == trace
    assert Erasures(store).trace_of("r2") is None


def test_work_goes_on_after_an_erasure(store, planted):
    run, _ = planted
    Erasures(store).erase(run.output_sha256, "Zoe", "mistake")
    assert [run.id for run in store.list_runs()] == ["r2"]
    assert Search(store).find(SECRET).hits == ()
    (summary,) = Queues(store).list_queues()
    assert summary.items == 3
    turn = ReviewTaskService(store).open(summary.queue.id, "Dan")
    while turn.item:
        assert turn.item.run_id == "r2"
        turn = ReviewTaskService(store).decide(
            summary.queue.id, "Dan", turn.item.position, LabelDecision(label="supported")
        )
    assert turn.progress.done == 3
    fill(store, 2, "r3")
    assert store.get_run("r3").total_resolved == 2


def test_nothing_more_is_kept_of_an_erased_run(store, planted):
    run, _ = planted
    Erasures(store).erase(run.output_sha256, "Zoe", "personal_data")
    with pytest.raises(StoreError, match="was erased on"):
        store.add_verdicts("r1", run.citations)
    with pytest.raises(StoreError, match="was erased on"):
        store.replace_verdict("r1", run.citations[0])
    with pytest.raises(StoreError, match="was erased on"):
        store.add_label(make.label(note=SECRET))
    with pytest.raises(StoreError, match="was erased on"):
        store.add_run(run, "text", "name")
    assert SECRET not in repr(tables(store.path))


def test_an_unknown_output_gets_a_sentence(store):
    with pytest.raises(StoreError, match="no output"):
        Erasures(store).erase("0" * 64, "Zoe", "other")


@pytest.mark.reopens
def test_every_table_is_either_erased_from_or_known_to_hold_no_content(store):
    store.list_runs()
    covered = {table for table, _ in DELETED} | set(KEPT) | set(LOOKED_THROUGH)
    assert set(tables(store.path)) == covered


@pytest.mark.reopens
def test_a_rewritten_file_is_the_same_database(store):
    fill(store, 3)
    with duckdb.connect(str(store.path)) as connection:
        rows_before = connection.execute(
            "select sql from duckdb_views() where not internal union all "
            "select sql from duckdb_tables() union all "
            "select constraint_text from duckdb_constraints() order by all"
        ).fetchall()
    rows = tables(store.path)
    Erasures(store).rewrite()
    with duckdb.connect(str(store.path)) as connection:
        rows_after = connection.execute(
            "select sql from duckdb_views() where not internal union all "
            "select sql from duckdb_tables() union all "
            "select constraint_text from duckdb_constraints() order by all"
        ).fetchall()
    assert rows_after == rows_before
    assert tables(store.path) == rows


def test_another_process_loses_no_label_while_the_file_is_rewritten(store):
    fill(store, 2)
    code = (
        "import sys; from tests.fakes import records as make; from workbench.store.store import Store\n"
        "for n in range(25): Store(sys.argv[1]).add_label(make.label(f'p{n}', citation_id='c0'))\n"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(store.path)])
    while other.poll() is None:
        Erasures(store).rewrite()
    assert other.returncode == 0
    assert len(store.labels("r1")) == 25
