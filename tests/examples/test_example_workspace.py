"""The example workspace of the first start: there once, said to be one, never counted as work."""

import asyncio
import json

import httpx
import pytest
from mcp import Client

from tests.fakes import records as make
from tests.fakes.app_page import component, open_app, open_page, press_label, shown_html
from tests.fakes.reference_lists import add_list, check
from tests.fakes.served import served
from workbench.__main__ import main
from workbench.interfaces.mcp import build_server
from workbench.interfaces.web.examples.banner import removal_lines
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.services.calibration.agreement import LabelSelection, agreement_report
from workbench.services.claim_corrections import judge_claim_again
from workbench.services.database import open_database
from workbench.services.demo import list_demos, seed_demo
from workbench.services.drift import flips_between
from workbench.services.examples import (
    ADJUDICATOR,
    HALF_QUEUE,
    REVIEWERS,
    example_contents,
    remove_examples,
    seed_examples,
)
from workbench.services.export import ExportSelection, export_dataset, plan_export
from workbench.services.handoff import handoff_name
from workbench.services.runs import rename_run
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.reference_sets import ReferenceSetRepository
from workbench.store.labels.examples import Examples
from workbench.store.labels.repository import CommentRepository, LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService

EXAMPLE_PEOPLE = {*REVIEWERS, ADJUDICATOR}
PAGES = ("home", "trust", "prompts", "policy", "queues")


def people_counted(database):
    """The reviewers whose labels agreement is computed of."""
    return {rating.rater for rating in agreement_report(database, LabelSelection()).ratings}


def demo_item(database):
    """A citation of a demo run that is in no queue."""
    run = next(run for run in database.list_runs() if run.name.startswith("Bringing eelgrass"))
    return run.id, database.get_run(run.id).citations[0].citation.id


def exported(database, path, **choice):
    """The rows of an export, and everyone whose labels stand in it."""
    export_dataset(database, "jsonl", path, ExportSelection(**choice))
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return rows, {label["reviewer"] for row in rows for label in row["labels"]}


def add_own_run(database):
    run = make.run("own", [make.result(1), make.failure(2)])
    database.add_run(run, make.TEXT, "Own")
    database.finish_run(run)


def totals_of(at):
    return {figure["word"]: figure["text"] for figure in component(at, "totals")["figures"]}


def test_overview_counts_the_examples_until_there_is_a_run_of_ones_own(database):
    assert totals_of(open_page("home"))["runs"] == "7"
    add_own_run(database)
    assert totals_of(open_page("home")) == {
        "run": "1", "citations with a verdict": "2", "reviewed": "0", "to review": "2",
        "disagreements": "0", "spent": "$0",
    }  # fmt: skip


def test_a_new_queue_leaves_the_examples_out_where_there_is_anything_else(database):
    assert "<b>2</b> items match" not in shown_html(open_page("queues", who="Ada", q=""))
    add_own_run(database)
    at = open_page("queues", who="Ada", q="")
    assert "<b>2</b> items match" in shown_html(at)
    assert json.loads("".join(at.query_params["q"])) == {"examples": False}
    assert not EXAMPLE_PEOPLE & set(at.multiselect(key="queue-people").options)
    at.toggle(key="queue-examples").set_value(True).run()
    assert not at.exception
    assert "<b>2</b> items match" not in shown_html(at)
    assert json.loads("".join(at.query_params["q"])) == {"examples": True}


def test_the_end_of_a_queue_of_ones_own_leads_to_no_example(database):
    add_own_run(database)
    own = Queues(database).build("own", ItemFilter(examples=False), created_by="Ada", limit=1)
    ReviewTaskService(database).decide(own.id, "Ada", 0, LabelDecision(label="supported"))
    at = open_page("queues", who="Ada", queue=own.id)
    assert "to-last" in {button.key for button in at.button}
    assert "next-queue" not in {button.key for button in at.button}


def test_a_new_queue_of_references_leaves_the_examples_out_too(database):
    def opened():
        at = open_page("queues", who="Ada", q="")
        at.button_group(key="queue-kind").set_value("references").run()
        assert not at.exception
        return at

    assert "<b>0</b>" not in shown_html(opened())
    add_list(database, "own", [check(1), check(2), check(3)], "Own")
    at = opened()
    assert "<b>3</b> items match" in shown_html(at)
    at.toggle(key="queue-reference-examples").set_value(True).run()
    assert "<b>3</b> items match" not in shown_html(at)


# -- seeding ------------------------------------------------------------------------------------


def test_a_second_start_adds_nothing(database, settings):
    before = database.row_counts()
    again = seed_examples(database, settings.snapshots)
    assert again.complete and again.runs == ()
    assert database.row_counts() == before


def test_all_that_was_seeded_says_that_it_is_an_example(database):
    assert all("(example)" in run.name for run in database.list_runs())
    assert all(
        line.queue.name.endswith("(example)") for line in Queues(database).list_queues(closed=True)
    )
    assert {label.reviewer for label in database.all_labels()} == EXAMPLE_PEOPLE


def test_one_queue_is_finished_one_half_done_and_disagreements_are_left_to_settle(database):
    shares = sorted((line.done, line.items) for line in Queues(database).list_queues())
    assert shares[0][0] == 0 < shares[0][1]
    assert shares[1] == (8, 16)
    assert shares[2][0] == shares[2][1] > 40
    disagreements = agreement_report(database, LabelSelection()).disagreements
    assert 0 < disagreements.settled < disagreements.differ


def test_every_verdict_is_a_recorded_one_that_says_so(database):
    """But for the embedded judge's evaluation on the reference set."""
    with database.transaction() as connection:
        judges = connection.execute(
            "select record->>'$.judge', count(*) from offline_judgments"
            " where record is not null group by all order by all"
        ).fetchall()
    assert [judge for judge, _ in judges] == ["handoff:recorded-llm", "local"]
    assert judges[1][1] == 40
    judged = {judge.name: number for judge, number in EvaluationRepository(database).judges()}
    assert judged["handoff:recorded-llm"] > 300 and judged["local"] == 40


def test_the_reference_set_shows_what_another_judge_would_change(database):
    (anchors,) = ReferenceSetRepository(database).all()
    flips = flips_between(database, anchors, f"{anchors.id}.1", f"{anchors.id}.2")
    assert flips.counts["broken"] > flips.counts["fixed"], (
        "the embedded judge agrees less with people"
    )
    changes = next(
        text
        for text in open_page("trust", drift="true").markdown
        if "have another label" in text.value
    )
    assert f"{flips.counts['broken']:,} broken" in changes.value


def test_what_is_judged_again_on_a_demo_is_judged_by_the_embedded_judge(database, settings):
    run_id, citation_id = demo_item(database)
    judge_claim_again(database, settings.snapshots, run_id, citation_id)
    run = database.get_run(run_id)
    again = next(result for result in run.citations if result.citation.id == citation_id)
    assert again.judgment.judge == "local"
    assert handoff_name(run) == "chat", "nobody's answers are taken for the recorded ones"


def test_a_first_start_that_was_cut_off_is_finished_by_the_next_without_repeating(database):
    labels = [(label.run_id, label.citation_id, label.reviewer) for label in database.all_labels()]
    assert len(labels) == len(set(labels)) > 500
    outputs = [run.output_sha256 for run in database.list_runs()]
    assert len(outputs) == len(set(outputs)) == len(list_demos()) + 2
    assert len(Queues(database).list_queues(closed=True)) == 3


def test_where_somebody_worked_already_nothing_is_added(tmp_path):
    database = open_database(tmp_path / "own.duckdb")
    shortest = min(list_demos(), key=lambda demo: len(demo.text))
    (run,) = seed_demo(database, demos=[shortest])
    LabelRepository(database).give(
        run.id, run.citations[0].citation.id, "Petra", LabelDecision(label="supported")
    )
    seeded = seed_examples(database)
    assert not seeded.complete and "already contains your own work" in seeded.why_not
    assert not example_contents(database).present


# -- real work alone ----------------------------------------------------------------------------


def label_by_python(database, settings, run_id, citation_id):
    database.label(run_id, citation_id, "supported", author="Petra")


def label_by_mcp(database, settings, run_id, citation_id):
    async def call():
        async with Client(build_server(settings)) as client:
            fields = {"run_id": run_id, "citation_id": citation_id, "reviewer": "Petra"}
            return await client.call_tool("submit_label", {**fields, "label": "supported"})

    assert not asyncio.run(call()).is_error


def label_by_page(database, settings, run_id, citation_id):
    at = open_app(run=run_id, c=citation_id)
    press_label(at, "supported")


@pytest.mark.parametrize("give", [label_by_python, label_by_mcp, label_by_page])
def test_the_first_label_of_real_work_ends_the_examples_in_every_figure(database, settings, give):
    assert people_counted(database) == set(REVIEWERS)
    give(database, settings, *demo_item(database))
    assert people_counted(database) & EXAMPLE_PEOPLE == set()
    ((_, labelled),) = EvaluationRepository(database).judges()
    assert labelled == 1
    assert [key[:2] for key in Examples(database).keys(labelled=True)] == [demo_item(database)]


def test_what_is_labelled_in_an_example_queue_is_an_example_too(database):
    queue = next(
        line.queue for line in Queues(database).list_queues() if line.queue.name == HALF_QUEUE
    )
    with database.transaction() as connection:
        ((run_id, citation_id),) = connection.execute(
            "select run_id, citation_id from queue_items where queue_id = ? and position = 12",
            [queue.id],
        ).fetchall()
    tried = make.label(
        "tried", run_id=run_id, citation_id=citation_id, reviewer="Petra", queue_id=queue.id
    )
    database.add_label(tried)
    contents = example_contents(database)
    assert contents.counted and contents.labels_tried == 1


# -- exports ------------------------------------------------------------------------------------


def test_an_export_holds_no_example_until_it_is_asked_for(database, tmp_path):
    for choice in ({}, {"labelled": False}, {"run_id": demo_item(database)[0]}):
        rows, people = exported(database, tmp_path / "none.jsonl", **choice)
        assert not people, choice
        assert not rows or choice.get("run_id"), choice
    rows, people = exported(database, tmp_path / "examples.jsonl", examples=True)
    assert len(rows) > 200 and people == EXAMPLE_PEOPLE


def test_an_export_beside_examples_holds_real_labels_alone(database, tmp_path):
    place = demo_item(database)
    database.label(*place, "contradicted", author="Petra")
    rows, people = exported(database, tmp_path / "real.jsonl")
    assert [row["run_id"] for row in rows] == [place[0]]
    assert [label["label"] for label in rows[0]["labels"]] == ["contradicted"]
    assert people == {"Petra"}
    assert plan_export(database, "jsonl", ExportSelection()).total == 1


def test_the_command_line_leaves_examples_out_unless_asked(settings, tmp_path, capsys):
    for more, some in (((), False), (("--all",), False), (("--examples",), True)):
        assert main(["export", "jsonl", "--dry-run", "--json", *more]) == 0
        assert (json.loads(capsys.readouterr().out)["total"] > 0) is some


def test_http_leaves_examples_out_unless_asked(settings):
    with (
        served(settings.data_dir) as server,
        httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
    ):
        for query, some in (({}, False), ({"labelled": False}, False), ({"examples": True}, True)):
            reply = client.get("/api/v1/exports/jsonl", params=query)
            assert reply.status_code == 200
            assert bool(reply.text) is some, query


def test_the_page_of_exports_offers_the_examples_by_themselves(database):
    at = open_page("datasets", view="export")
    assert at.toggle(key="export-examples").value is False
    assert "exports leave the example workspace out" in at.info[0].value
    at.toggle(key="export-examples").set_value(True).run()
    assert any("rows will be written" in box.value for box in at.markdown)


def test_the_download_of_a_run_leaves_example_labels_out(database):
    run_id, _ = demo_item(database)
    assert not any(row.labels for row in database.labelled_citations(run_id))
    assert list(database.labelled_citations()) == []


def test_the_command_line_says_of_which_labels_figures_are_made(database, capsys):
    assert main(["drift", "list"]) == 0
    assert "only the example workspace" in capsys.readouterr().err
    database.label(*demo_item(database), "supported", author="Petra")
    assert main(["drift", "list"]) == 0
    assert "examples" not in capsys.readouterr().err


def test_a_threshold_of_examples_alone_says_so_where_it_is_printed(database, capsys):
    main(["calibrate", "--no-judging", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["only_examples"] is True
    assert report["n"] > 200, "the judge of the examples is the one that is measured"
    main(["calibrate", "--no-judging"])
    assert "rest on the example workspace alone" in capsys.readouterr().out


# -- pages --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_each_page_shows_something_under_a_banner(database, page):
    at = open_page(page)
    assert any("Example" in box.value for box in at.info)
    assert not any("No labels" in box.value or "No runs" in box.value for box in at.info)
    assert page != "queues" or HALF_QUEUE in shown_html(at), "before a name is given"


def test_the_banner_goes_with_the_examples(database):
    at = open_page("trust")
    assert at.button(key="examples-remove").disabled
    at.text_input(key="examples-sure").set_value("remove").run()
    at.button(key="examples-remove").click().run()
    assert not at.exception
    assert [box.value for box in at.success] == [
        "The examples were removed. This workspace now contains only your own work."
    ]
    assert not example_contents(database).present
    assert database.list_runs() == []
    assert "No runs" in open_page("home").info[0].value


# -- removal ------------------------------------------------------------------------------------


def test_a_removal_leaves_nothing_and_stays(database, settings):
    remove_examples(database, settings.snapshots)
    left = {table: count for table, count in database.row_counts().items() if count}
    assert left.keys() <= {"migrations", "examples"} and left["examples"] == 1
    again = seed_examples(database, settings.snapshots)
    assert again.runs == () and "removed" in again.why_not


def test_a_removal_leaves_real_work_alone(database, settings):
    run_id, citation_id = demo_item(database)
    database.label(run_id, citation_id, "supported", author="Petra")
    own = Queues(database).build("Mine", ItemFilter(runs=(run_id,)), created_by="Petra")
    remove_examples(database, settings.snapshots)
    (run,) = database.list_runs()
    assert (run.id, run.name) == (run_id, "Bringing eelgrass back: a short review")
    assert [label.reviewer for label in database.all_labels()] == ["Petra"]
    assert [line.queue.id for line in Queues(database).list_queues()] == [own.id]
    assert people_counted(database) == {"Petra"}


def test_a_removal_leaves_no_bytes_in_the_file(database, settings):
    before = settings.database.read_bytes()
    words = [b"eelgrass", b"Ana (example)", b"strict-example"]
    assert all(word in before for word in words)
    remove_examples(database, settings.snapshots)
    files = [path for path in settings.data_dir.rglob("*") if path.is_file()]
    left = b"".join(path.read_bytes() for path in files)
    assert [word for word in words if word in left] == []


def test_own_work_on_an_example_is_named_before_it_goes(database, settings, capsys):
    run_id, citation_id = demo_item(database)
    CommentRepository(database).add(run_id, citation_id, "Petra", "Which year?")
    rename_run(database, run_id, "My trial", "Petra")
    assert main(["demo", "--remove"]) == 2
    told = capsys.readouterr().err
    assert "1 comment" in told and "1 title" in told and "--yes" in told
    assert example_contents(database).present
    assert "your own comments on example runs: 1 comment" in removal_lines(
        example_contents(database)
    )
    assert main(["demo", "--remove", "--yes"]) == 0
    assert not example_contents(database).present


def test_a_folder_can_begin_empty_and_stays_so(settings, tmp_path, capsys):
    path = str(tmp_path / "empty.duckdb")
    assert main(["demo", "--none", "--db", path]) == 0
    capsys.readouterr()
    assert main(["demo", "--json", "--db", path]) == 0
    assert json.loads(capsys.readouterr().out) == {"seeded": [], "examples": False}
    assert open_database(path).list_runs() == []


def test_the_examples_that_are_there_are_not_taken_away_by_a_start_without(settings, capsys):
    assert main(["demo", "--none", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["examples"] is True
    assert example_contents(open_database(settings.database)).present
