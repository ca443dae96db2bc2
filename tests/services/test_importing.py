"""Files of labelled items into a real database: once, with their labels, usable everywhere."""

import json
from threading import Thread

import pytest

from workbench.datasets.entries import guess_label
from workbench.interfaces.cli import main
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.services.imports import import_file
from workbench.store.admin.erasure import Erasures
from workbench.store.labels.agreement import AgreementQueries
from workbench.store.labels.imports import Imports
from workbench.store.labels.repository import LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.items import CitationQuery
from workbench.store.store import Store

SOURCE = "The bridge was opened to the public in the spring of 1931."


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "a.duckdb")


def pairs(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def pair(number=1, **fields):
    defaults = {"id": f"p{number}", "claim": f"Fact {number} holds.", "source": SOURCE,
             "label": "supported", "group": "g1"}  # fmt: skip
    return defaults | fields


def test_an_imported_item_is_a_citation_with_its_source_and_label(store, tmp_path):
    path = pairs(
        tmp_path / "Bridge set.jsonl",
        pair(1, url="https://bridge.example/a", source_title="The bridge"),
        pair(2, claim="Two\nlines \ud800", label="contradicted", annotator="Ada"),
    )
    imported = import_file(store, "pairs", path, licence="CC0")
    assert (imported.imported, imported.labels, imported.known, imported.skipped) == (2, 2, 0, ())
    (run_id,) = imported.run_ids
    run = store.get_run(run_id)
    text = store.get_output(run.output_sha256)
    assert run.finished
    assert run.judge == ()
    for result, claim in zip(run.citations, ("Fact 1 holds.", "Two\nlines \ud800"), strict=True):
        citation = result.citation
        assert text[citation.start : citation.end] == citation.raw
        assert text[citation.claim.start : citation.claim.end] == citation.claim.text == claim
        assert (result.status, result.error, result.judgment) == ("skipped", None, None)
        assert store.get_source(run_id, citation.id).text == SOURCE
    labels = {label.citation_id: label for label in store.labels(run_id)}
    assert (labels["c1"].reviewer, labels["c1"].label) == ("Bridge set annotators", "supported")
    assert (labels["c2"].reviewer, labels["c2"].label) == ("Ada", "contradicted")
    assert labels["c1"].tags == ("imported",)
    facts = Imports(store).facts()[run_id, "c1"]
    assert (facts.item, facts.group, facts.licence) == ("p1", "g1", "CC0")


def test_a_second_import_changes_nothing_and_a_longer_file_adds_the_rest(store, tmp_path):
    path = pairs(tmp_path / "a.jsonl", pair(1), pair(2))
    import_file(store, "pairs", path)
    counts_before = store.row_counts()
    again = import_file(store, "pairs", path)
    assert (again.imported, again.labels, again.known) == (0, 0, 2)
    renamed = import_file(store, "pairs", path, name="other")
    assert (renamed.imported, renamed.labels) == (0, 0)
    counts = store.row_counts()
    assert {t: n for t, n in counts.items() if n != counts_before[t]} == {"imports": 3}
    second = import_file(store, "pairs", pairs(path, pair(1), pair(2), pair(3)))
    assert (second.imported, second.known) == (1, 2)
    assert len(Imports(store).list()) == 4


def test_a_label_that_was_changed_takes_the_place_of_that_persons_own(store, tmp_path):
    path = tmp_path / "a.jsonl"
    labels_given = [
        {"annotator": "Ada", "label": "supported"},
        {"annotator": "Bob", "label": "supported"},
    ]
    import_file(store, "pairs", pairs(path, pair(labels=labels_given)))
    labels_given[1] = {"annotator": "Bob", "label": "contradicted"}
    imported = import_file(store, "pairs", pairs(path, pair(labels=labels_given)))
    assert (imported.imported, imported.labels) == (0, 1)
    labels = store.all_labels()
    assert [
        (label.reviewer, label.label) for label in sorted(labels, key=lambda label: label.reviewer)
    ] == [
        ("Ada", "supported"),
        ("Bob", "contradicted"),
    ]
    assert store.row_counts()["labels"] == 3


def test_rows_of_several_annotators_are_one_item_and_contradictions_are_told(store, tmp_path):
    path = pairs(
        tmp_path / "a.jsonl",
        pair(annotator="Ada"),
        pair(annotator="Bob", label="contradicted"),
        pair(annotator="Ada", label="contradicted"),
        pair(annotator="Ada"),
    )
    imported = import_file(store, "pairs", path)
    assert (imported.imported, imported.labels) == (1, 2)
    ((skipped),) = imported.skipped
    assert (skipped.line, skipped.reason) == (
        3, "it labels the item of line 1 as contradicted, and that line as supported",
    )  # fmt: skip
    ratings = AgreementQueries(store).ratings()
    assert [(rating.rater, rating.group) for rating in ratings] == [("Ada", "g1"), ("Bob", "g1")]


def test_many_items_become_several_runs_in_the_files_order(store, tmp_path):
    rows = [pair(number, annotator="Ada") for number in range(520)]
    path = pairs(tmp_path / "many.jsonl", *rows)
    imported = import_file(store, "pairs", path)
    assert imported.imported == 520
    names = [store.get_summary(run_id).name for run_id in imported.run_ids]
    assert names == ["many, 1–250", "many, 251–500", "many, 501–520"]
    rows = list(store.labelled_citations())
    assert [row.result.citation.claim.text for row in rows][::260] == [
        "Fact 0 holds.",
        "Fact 260 holds.",
    ]
    assert {rating.group for rating in AgreementQueries(store).ratings()} == {"g1"}


def test_two_imports_at_once_keep_each_item_once(store, tmp_path):
    path = pairs(tmp_path / "a.jsonl", *(pair(number) for number in range(300)))
    summaries = []

    def take():
        summaries.append(import_file(store, "pairs", path))

    threads = [Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(summary.imported for summary in summaries) == 300
    assert store.row_counts()["verdicts"] == store.row_counts()["labels"] == 300


def test_imported_items_stand_in_queues_and_take_labels(store, tmp_path):
    imported = import_file(store, "pairs", pairs(tmp_path / "a.jsonl", pair(1), pair(2)))
    (run_id,) = imported.run_ids
    assert CitationQuery(store).count(ItemFilter(runs=(run_id,), reviewed=True)) == 2
    queue = Queues(store).build("q", ItemFilter(runs=(run_id,)), created_by="Zoe", blind=True)
    turn = ReviewTaskService(store).open(queue.id, "Zoe")
    assert turn.source.text == SOURCE
    assert turn.result.judgment is None
    label = LabelRepository(store).give(run_id, "c1", "Zoe", LabelDecision(label="not_supported"))
    assert label.judge_label is None or label.judge_label == "unverifiable"
    assert len(store.labels(run_id)) == 3


def test_erasing_an_imported_run_lets_it_come_in_again(store, tmp_path):
    path = pairs(tmp_path / "a.jsonl", pair(1))
    (run_id,) = import_file(store, "pairs", path).run_ids
    erasures = Erasures(store)
    erasures.erase(erasures.output_of(run_id), "Zoe", "personal_data")
    counts = store.row_counts()
    assert [counts[t] for t in ("imported_items", "imports", "labels", "source_texts")] == [0] * 4
    assert import_file(store, "pairs", path).imported == 1


def test_the_command_prints_the_published_json(tmp_path, capsys):
    path = pairs(tmp_path / "a.jsonl", pair(1), pair(2, label="?"))
    database = str(tmp_path / "cli.duckdb")
    assert main(["import", "pairs", str(path), "--json", "--db", database]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["imported"] == 1
    assert [skipped["line"] for skipped in printed["skipped"]] == [2]
    assert set(printed["skipped"][0]) == {"line", "reason"}
    # a second time nothing is new, and that is no failure
    assert main(["import", "pairs", str(path), "--json", "--db", database]) == 0
    assert json.loads(capsys.readouterr().out)["imported"] == 0


def test_the_command_maps_columns_and_words(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text(f"what,where,says\nIt opened in 1931.,{SOURCE},1\n")
    options = ["--db", str(tmp_path / "cli.duckdb"), "--map", "claim=what", "--map", "source=where"]
    options += ["--map", "label=says", "--label", "1=supported"]
    assert main(["import", "csv", str(path), *options]) == 0
    assert "1 items imported with 1 labels" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["pairs", "{dir}/none.jsonl"], 2, "cannot be read: No such file or directory."),
        (["xml", "{dir}/bad.jsonl"], 2, "There is no import format 'xml'"),
        (["csv", "{dir}/bad.jsonl", "--map", "claim"], 2, "--map 'claim' is not of the form"),
        (["pairs", "{dir}/empty.jsonl"], 2, "is empty"),
        (["pairs", "{dir}/bad.jsonl"], 1, "line 1: it is not JSON"),
    ],
)
def test_what_the_command_refuses(arguments, code, message, tmp_path, capsys):
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "bad.jsonl").write_text("words\n")
    options = [argument.format(dir=tmp_path) for argument in arguments]
    assert main(["import", *options, "--db", str(tmp_path / "a.duckdb")]) == code
    printed = capsys.readouterr()
    assert message in printed.out + printed.err
    assert "Traceback" not in printed.err


def test_a_file_that_names_nobody_has_labels_that_are_nobodys(store, tmp_path):
    import_file(store, "pairs", pairs(tmp_path / "a.jsonl", pair(1), pair(2, annotator="Ada")))
    assert {label.citation_id: label.by_person for label in store.all_labels()} == {
        "c1": False, "c2": True,
    }  # fmt: skip
    assert {label.guide for label in store.all_labels()} == {None}
    assert [rating.rater for rating in AgreementQueries(store).ratings()] == ["Ada"]
    assert LabelRepository(store).reviewers() == ["Ada"]
    # a label that differs from the data set's is settled by an adjudicator, and is no dispute
    # between people
    run_id = store.all_labels()[0].run_id
    LabelRepository(store).give(run_id, "c1", "Zoe", LabelDecision(label="contradicted"))
    disputes = AgreementQueries(store).disputes()
    assert (disputes.doubly, disputes.differ, disputes.between_people) == (0, 1, 0)
    LabelRepository(store).give(run_id, "c1", "Ada", LabelDecision(label="supported"))
    assert AgreementQueries(store).disputes().between_people == 1
    assert CitationQuery(store).count(ItemFilter(reviewers_differ=True)) == 1


def test_the_command_says_how_each_word_for_a_label_is_read(tmp_path, capsys):
    words = ("supported", "Entailment", "neutral", "neutral", "yes")
    lines = "".join(f"Fact {n}.,{SOURCE},{word}\n" for n, word in enumerate(words))
    (tmp_path / "a.csv").write_text(f"claim,source,label\n{lines}")
    command = ["import", "csv", str(tmp_path / "a.csv"), "--db", str(tmp_path / "w.duckdb")]
    assert main([*command, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["label_words"] == {
        "supported": {"label": "supported", "count": 1},
        "Entailment": {"label": "supported", "count": 1},
        "neutral": {"label": None, "count": 2},
        "yes": {"label": None, "count": 1},
    }
    assert [skipped["line"] for skipped in printed["skipped"]] == [4, 5, 6]
    assert main(command) == 0
    output = capsys.readouterr().out
    assert "label 'Entailment' read as supported: 1" in output
    assert "--label neutral=LABEL --label yes=supported" in output


@pytest.mark.parametrize(
    ("word", "label"),
    [("Yes", "supported"), ("ja", "supported"), ("Oui", "supported"), ("true", "supported"),
     ("no", "not_supported"), ("Nein", "not_supported"), ("non", "not_supported"),
     ("neutral", None), ("maybe", None)],
)  # fmt: skip
def test_yes_and_no_can_be_guessed_and_neutral_never_is(word, label):
    assert guess_label(word) == label
