"""What a queue asks beside the label: which answers are kept, hidden, compared and exported."""

import csv
import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock, fill
from workbench.errors import UsageError
from workbench.records.export_formats import EXPORT_FORMATS
from workbench.records.fields import parse_fields
from workbench.records.review import LabelDecision
from workbench.services.calibration.agreement import LabelSelection, agreement_report
from workbench.services.export import ExportSelection, export_dataset
from workbench.services.labels import submit_label
from workbench.store.admin.erasure import Erasures
from workbench.store.labels.repository import LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store

SEVERITY = {"name": "severity", "question": "How bad?", "kind": "score", "low": 0, "high": 3,
            "required": True}  # fmt: skip
CAUSES = {"name": "causes", "question": "Why?", "kind": "choices", "options": ["=typo", "old"]}
DOMAIN = {"name": "domain", "question": "Where?", "kind": "choice", "options": ["law", "health"]}
REMARK = {"name": "remark", "question": "In words?", "kind": "text"}
CLOCK = Clock()
FIELDS = parse_fields([SEVERITY, CAUSES, DOMAIN, REMARK])


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    fill(store, 4, source=make.source("Fact 0 holds. " * 5))
    return store.path


@pytest.fixture
def store(built, tmp_path):
    return Store(shutil.copy(built, tmp_path))


def asking(store, **plan):
    defaults = {"created_by": "Zoe", "order": "document", "fields": FIELDS}
    return Queues(store).build("to do", **(defaults | plan)).id


def decide(store, queue, who, at, label="supported", **answers):
    decision = LabelDecision(label=label, answers=answers)
    return ReviewTaskService(store, CLOCK).decide(queue, who, at, decision).given


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"name": "1st"}, "cannot be called '1st'"),
        ({"name": "x" * 41}, "cannot be called"),
        ({"question": "  "}, "needs a question"),
        ({"kind": "rank"}, "is of one kind of choice, choices, score, text"),
        ({"kind": "choice", "options": ["only"]}, "needs two to 20 different options, not 1"),
        ({"kind": "choices", "options": []}, "needs one to 20 different options, not 0"),
        ({"kind": "choice", "options": ["a", "b" * 61]}, "longer than 60 characters"),
        ({"low": 5, "high": 5}, "from a whole number to a higher one"),
        ({"low": 0, "high": 101}, "101 of them at most"),
        ({"low": 0.5}, "are whole numbers"),
        ({"required": 1}, "is true or false"),
        ({"colour": "red"}, "A field has no 'colour'"),
    ],
)
def test_a_field_that_cannot_be_asked_is_told(change, told):
    with pytest.raises(UsageError, match=told):
        parse_fields([SEVERITY | change])


def test_a_question_and_its_options_have_no_control_characters_or_line_ends():
    typed = CAUSES | {"question": "Is\x00 it\x1b[31m\u2028so?", "options": ["a\x07b", " c\n d"]}
    (field,) = parse_fields([typed])
    assert (field.question, field.options) == ("Is it [31m so?", ("a b", "c d"))


def test_two_fields_of_one_name_and_too_many_are_told():
    with pytest.raises(UsageError, match="Two fields are called 'Severity'"):
        parse_fields([SEVERITY | {"name": "Severity"}, SEVERITY])
    with pytest.raises(UsageError, match="at most 12 fields, not 13"):
        parse_fields([SEVERITY | {"name": f"f{number}"} for number in range(13)])


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({}, "'severity' needs an answer: How bad?"),
        ({"severity": 4}, "a whole number from 0 to 3"),
        ({"severity": True}, "a whole number from 0 to 3"),
        ({"severity": 1, "causes": ["old", "new"]}, "a list of =typo, old"),
        ({"severity": 1, "causes": [["old"]]}, "a list of =typo, old"),
        ({"severity": 1, "domain": "art"}, "one of law, health"),
        ({"severity": 1, "remark": 5}, "a text of at most 10,000 characters"),
        ({"severity": 1, "mood": "good"}, "no field 'mood'; this queue asks severity, causes"),
    ],
)
def test_an_answer_that_does_not_fit_keeps_the_label_back(store, answers, told):
    queue = asking(store)
    with pytest.raises(UsageError, match=told):
        decide(store, queue, "Ada", 0, **answers)
    assert store.all_labels() == []


def test_answers_are_kept_with_the_label_its_reviewer_and_time(store):
    queue = asking(store)
    label = decide(store, queue, "Ada", 0, severity=0, causes=["old", "=typo"], remark=" \ud800x ")
    assert (label.reviewer, label.created_at.year) == ("Ada", 2026)
    assert label.answers_to(queue) == {
        "severity": 0, "causes": ("=typo", "old"), "remark": "\ufffdx",
    }  # fmt: skip
    assert (
        decide(store, queue, "Ada", 0, severity=0, causes=["=typo", "old"], remark="\ufffdx")
        is None
    )
    changed = decide(store, queue, "Ada", 0, severity=2)
    assert changed.replaces == label.id
    history = [kept.answers_to(queue).get("severity") for kept in store.label_history("r1", "c0")]
    assert history == [0, 2]
    ReviewTaskService(store, CLOCK).undo(queue, "Ada")
    (standing,) = store.all_labels()
    assert standing.answers_to(queue)["severity"] == 0


def test_none_of_the_options_is_an_answer(store):
    queue = asking(store, fields=parse_fields([CAUSES | {"required": True}]))
    with pytest.raises(UsageError, match="needs an answer"):
        decide(store, queue, "Ada", 0)
    assert decide(store, queue, "Ada", 0, causes=[]).answers_to(queue) == {"causes": ()}


def test_a_label_outside_of_the_queue_keeps_what_was_answered(store):
    first, second = asking(store), asking(store, fields=parse_fields([DOMAIN]))
    decide(store, first, "Ada", 0, severity=1)
    decide(store, second, "Ada", 0, domain="law")
    label = LabelRepository(store).give("r1", "c0", "Ada", LabelDecision(label="contradicted"))
    assert (label.answers_to(first), label.answers_to(second)) == (
        {"severity": 1},
        {"domain": "law"},
    )
    with pytest.raises(UsageError, match="specify the queue too"):
        LabelRepository(store).give(
            "r1", "c0", "Ada", LabelDecision(label="supported", answers={"a": 1})
        )


def test_a_label_is_given_in_a_queue_without_its_screen(store):
    queue = asking(store, blind=True, items=[("r1", "c1")])
    decision = LabelDecision(label="supported", answers={"severity": 3})
    added, current = submit_label(store, "r1", "c1", "Ada", decision, queue_id=queue)
    assert added == current
    assert (added.queue_id, added.saw_judge, added.answers_to(queue)) == (
        queue,
        False,
        {"severity": 3},
    )
    assert submit_label(store, "r1", "c1", "Ada", decision, queue_id=queue)[0] is None
    assert ReviewTaskService(store).open(queue, "Bob").item is None, "the place is done"
    with pytest.raises(UsageError, match="does not contain the citation 'c0'"):
        submit_label(store, "r1", "c0", "Ada", decision, queue_id=queue)


def test_a_blind_queue_hides_answers_until_the_label(store):
    queue = asking(store, blind=True, reviews=2)
    decide(store, queue, "Bob", 0, severity=3, remark="said by Bob")
    tasks = ReviewTaskService(store)
    before = tasks.open(queue, "Ada", 0)
    assert "said by Bob" not in repr(before)
    decide(store, queue, "Ada", 0, severity=1)
    (other,) = tasks.open(queue, "Ada", 0).others
    assert other.answers_to(queue)["remark"] == "said by Bob"


def test_references_are_asked_no_fields(store):
    from workbench.records.queue import ReferenceFilter

    with pytest.raises(UsageError, match="Fields apply to citations"):
        asking(store, references=ReferenceFilter())


@pytest.fixture
def answered(store):
    """Ada and Bob on four items: they differ on the severity of c3, which Zoe settles."""
    queue = asking(store, reviews=2)
    for at in range(4):
        decide(store, queue, "Ada", at, severity=at % 2, causes=["old"], domain="law")
        decide(store, queue, "Bob", at, severity=at % 2 if at < 3 else 3, causes=["=typo"])
    settle = asking(store, role="adjudication", items=[("r1", "c3")])
    decide(store, settle, "Zoe", 0, severity=2, causes=[], remark="for good")
    return store, queue


def test_agreement_is_by_kind_and_leaves_the_adjudicator_out(answered):
    store, queue = answered
    report = agreement_report(store, LabelSelection(queue=queue))
    by_name = {field.name: field for name, field in report.fields if name == "to do"}
    assert set(by_name) == {"severity", "causes", "domain"}
    severity = by_name["severity"]
    assert (severity.items, severity.raters) == (4, 2)
    assert severity.measures[0].raw.value == pytest.approx(3 / 4)
    # all in one output: a value, and the reason why there is no interval
    assert severity.measures[0].interval_alpha.interval is None
    assert "too few independent documents" in severity.measures[0].interval_alpha.missing
    assert [measure.option for measure in by_name["causes"].measures] == ["=typo", "old"]
    assert (by_name["domain"].items, by_name["domain"].measures) == (0, ())


def test_the_first_answer_counts_or_the_current_one(answered):
    store, queue = answered
    decide(store, queue, "Bob", 3, severity=1)
    first, now = (
        agreement_report(store, LabelSelection(queue=queue, first=first)).fields[0][1]
        for first in (True, False)
    )
    assert (first.measures[0].raw.value, now.measures[0].raw.value) == (3 / 4, 1.0)


def exported(store, name, path):
    export_dataset(store, name, path, ExportSelection())
    return path


def test_tables_have_two_columns_for_each_field(answered, tmp_path):
    store, _ = answered
    text = exported(store, "csv", tmp_path / "a.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    last = next(row for row in rows if row["citation_id"] == "c3")
    assert last["answer_severity"] == "2", "the adjudicator's stands"
    assert last["answers_severity"] == "Ada: 1; Bob: 3; Zoe: 2"
    assert last["answer_causes"] == "none"
    assert last["answer_remark"] == "for good"
    first = next(row for row in rows if row["citation_id"] == "c0")
    assert (first["answer_severity"], first["answer_causes"]) == ("0", ""), "no half is most"
    frame = pd.read_parquet(exported(store, "parquet", tmp_path / "a.parquet"))
    row = frame[frame.citation_id == "c3"].iloc[0]
    assert (row.answer_severity, list(row.answer_causes), row.answer_remark) == (2, [], "for good")
    assert row.answers_severity[0] == {"reviewer": "Ada", "answer": "1"}
    folder = exported(store, "huggingface", tmp_path / "hub")
    columns = set(pd.read_parquet(next((folder / "data").glob("*.parquet"))).columns)
    assert {"answer_severity", "answers_remark"} <= columns
    assert "| severity | How bad? | 0 to 3 |" in (folder / "README.md").read_text()


def test_lines_have_a_key_for_each_field(answered, tmp_path):
    store, queue = answered
    for name in ("jsonl", "pairs"):
        path = exported(store, name, tmp_path / name)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        row = next(line for line in lines if line["id"] == "r1/c3")
        standing = {"severity": 2, "causes": [], "domain": "law", "remark": "for good"}
        assert row["answers"] == standing
        answers = row["labels"][0]["answers"]
        if name == "jsonl":
            assert answers[0] == {"name": "severity", "value": 1, "queue_id": queue}
        else:
            assert answers == {"severity": 1, "causes": ["old"], "domain": "law"}


def test_label_studio_gets_a_control_and_a_region_for_each_field(answered, tmp_path):
    store, _ = answered
    path = exported(store, "label-studio", tmp_path / "tasks.json")
    task = next(task for task in json.loads(path.read_text()) if task["data"]["id"] == "r1/c0")
    regions = {region["from_name"]: region["value"] for region in task["annotations"][0]["result"]}
    assert regions["answer_severity"] == {"number": 0}
    assert regions["answer_causes"] == {"choices": ["old"]}
    assert regions["answer_domain"] == {"choices": ["law"]}
    card = path.with_name("tasks.json.card.md").read_text()
    assert (
        '<Number name="answer_severity" toName="claim" min="0" max="3" step="1" required="true"/>'
        in card
    )
    assert (
        '<Choices name="answer_causes" toName="claim" choice="multiple"><Choice value="=typo"/>'
        in card
    )


@pytest.mark.parametrize("name", ["chat-openai", "chat-anthropic", "csv", "preference"])
def test_the_card_says_where_answers_are(answered, tmp_path, name):
    store, _ = answered
    path = exported(store, name, tmp_path / "set")
    assert "Questions beside the label" in path.with_name("set.card.md").read_text()
    assert name in EXPORT_FORMATS


def test_an_export_without_answers_has_no_columns_for_them(store, tmp_path):
    decide(store, asking(store, fields=()), "Ada", 0)
    path = exported(store, "csv", tmp_path / "a.csv")
    assert "answer" not in path.read_text().splitlines()[0]
    assert "Questions beside" not in path.with_name("a.csv.card.md").read_text()


def test_erasing_an_output_takes_its_answers(answered):
    store, _ = answered
    erasures = Erasures(store)
    erasures.erase(erasures.output_of("r1"), "Zoe", "personal_data")
    assert b"for good" not in store.path.read_bytes()


def test_a_queue_says_what_it_asks(store):
    queue = Queues(store).get(asking(store))
    assert queue.fields == FIELDS
    assert replace(queue, fields=()) != queue
