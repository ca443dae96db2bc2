"""What calibration stores: gold labels, splits, opinions, thresholds, judged items by one query."""

from datetime import UTC, datetime
from itertools import product

import pytest

from tests.fakes import records as make
from tests.fakes.labelled import Given, add_run, golds, mixed
from workbench.calibration.results import labels_sha256
from workbench.errors import StoreError, UsageError
from workbench.records.evaluation import JudgeKey, OfflineJudgment, Threshold
from workbench.records.queue import ItemFilter
from workbench.records.review import Label, resolve_gold_label
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.splits import Splits, Thresholds
from workbench.store.runs.items import CitationQuery
from workbench.store.store import Store

LOCAL = JudgeKey(specs=("local",))
SHARES = {"train": 0.4, "dev": 0.3, "test": 0.3}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


def split_of(store, parts=None):
    splits = Splits(store)
    split = splits.add("one", seed=0, shares=SHARES, ties=("question",), by="Ada")
    splits.place(
        split.id,
        [
            (candidate.run_id, candidate.citation_id, (parts or {}).get(candidate.item, "train"))
            for candidate in splits.candidates(split.id)
        ],
    )
    return split


def test_the_label_that_stands_is_the_same_in_the_database_as_in_python(store):
    votes = {
        "c0": ("supported",),
        "c1": ("supported", "contradicted"),
        "c2": ("supported", "supported", "contradicted"),
        "c3": ("cannot_tell", "cannot_tell"),
    }
    people = [Given(people=tuple(zip("ABC", labels, strict=False))) for labels in votes.values()]
    add_run(store, "r1", people)
    store.add_label(make.label("a1", "partially_supported", citation_id="c1", role="adjudication"))
    with store.transaction() as connection:
        rows = connection.execute("select citation_id, label from gold_labels").fetchall()
    assert dict(rows) == {
        "c0": "supported", "c1": "partially_supported", "c2": "supported", "c3": "cannot_tell",
    }  # fmt: skip
    assert {key[1]: gold.label for key, gold in golds(store).items()} == dict(rows)


def test_votes_are_counted_alike(store):
    """Every way in which up to four people can vote: in the table as in the record."""
    ways = [
        tuple((rater, vote) for rater, vote in zip("ABCD", votes, strict=True) if vote)
        for votes in product((None, "supported", "contradicted"), repeat=4)
    ]
    add_run(store, "r1", [Given(people=people) for people in ways])
    labels = store.all_labels()
    standing = {
        f"c{index}": resolve_gold_label(
            [label for label in labels if label.citation_id == f"c{index}"]
        )
        for index in range(len(ways))
    }
    with store.transaction() as connection:
        rows = connection.execute("select citation_id, label from gold_labels").fetchall()
    assert dict(rows) == {item: label.label for item, label in standing.items() if label}
    assert 0 < len(rows) < len(ways)


def test_a_judge_is_read_beside_the_labels_of_the_parts_asked_for(store):
    add_run(store, "r1", [Given(score=0.7), Given(verdict="contradicted", score=0.1)])
    add_run(store, "r2", [Given()], judge=("other",))
    split = split_of(store, {"r1/c1": "test"})
    judged = EvaluationRepository(store).read(LOCAL, split.id, ["train", "dev"])
    assert [(item.item, item.judge, item.score, item.human) for item in judged.items] == [
        ("r1/c0", "supported", 0.7, "supported")
    ]
    assert (judged.labelled, judged.unjudged, judged.humans) == (2, 1, 1)
    judged = EvaluationRepository(store).read(LOCAL, split.id, ["train", "test"])
    assert [item.item for item in judged.items] == ["r1/c0", "r1/c1"]


def test_a_source_out_of_reach_is_no_error_of_the_judge(store):
    citations = [Given(), Given(error="timeout"), Given(error="unverified_quote")]
    add_run(store, "r1", citations)
    split = split_of(store)
    judged = EvaluationRepository(store).read(LOCAL, split.id, ["train"])
    assert [(item.item, item.error) for item in judged.items] == [
        ("r1/c0", None), ("r1/c2", "unverified_quote"),
    ]  # fmt: skip
    assert judged.items[1].score == 0
    assert (judged.unread, judged.unjudged) == (1, 0)


def test_opinions_stand_in_for_verdicts_of_other_judges_and_never_change_the_run(store):
    add_run(store, "r1", [Given(), Given()])
    split = split_of(store)
    strict = JudgeKey(specs=("openai:m",), prompt="strict@1:0")
    opinions = OfflineJudgmentRepository(store)
    assert opinions.unjudged("openai:m", "strict@1:0") == [("r1", "c0"), ("r1", "c1")]
    assert opinions.unjudged("local") == []

    def opinion(label, score, prompt="strict@1:0"):
        return OfflineJudgment(
            run_id="r1", citation_id="c0", judge="openai:m", prompt=prompt,
            judgment=make.judgment(label, score=score), error=None,
        )  # fmt: skip

    opinions.add([opinion("contradicted", 0.3, prompt="strict@2:1")])
    opinions.add([opinion("supported", 0.9)])
    opinions.add([opinion("not_supported", 0.2)])
    judged = EvaluationRepository(store).read(strict, split.id, ["train"])
    assert [(item.judge, item.score) for item in judged.items] == [("not_supported", 0.2)]
    assert judged.unjudged == 1
    assert opinions.unjudged("openai:m", "strict@1:0") == [("r1", "c1")]
    assert store.get_run("r1").citations[0].verdict == "supported"
    assert dict(EvaluationRepository(store).judges())[LOCAL] == 2


def test_an_item_without_a_verdict_is_handed_out_with_its_text_and_source(store):
    run = add_run(store, "r1", [Given(), Given(people=())], judge=())
    assert OfflineJudgmentRepository(store).unjudged("local") == [("r1", "c0")]
    (question,) = OfflineJudgmentRepository(store).questions([("r1", "c0")])
    assert question.text == store.get_output(run.output_sha256)
    assert question.source.text == "Fact 0 at r1, as r1.example says."
    assert [citation.id for citation in question.citations] == ["c0", "c1"]
    assert not question.has_verdict


def test_slices_tell_hosts_kinds_lengths_and_languages_apart(store):
    add_run(store, "r1", [Given(host="a.example")], claim="The fact")
    add_run(store, "r2", [Given()], claim="Die Brücke ist lang und")
    add_run(store, "r3", [Given()], claim="桥很长")
    with store.transaction() as connection:
        connection.execute(
            "insert into imported_items values ('k', 'r3', 'c0', 'i', 'q1', 'o', '', ?, 'n')",
            ['[["system", "S"], ["domain", "Law"]]'],
        )
    split = split_of(store)
    judged = EvaluationRepository(store).read(LOCAL, split.id, ["train"], slices=True)
    slices = [dict(item.slices) for item in judged.items]
    assert slices[0] == {
        "domain": "a.example", "kind": "numbered", "source type": "HTML",
        "length": "claim below 80 characters", "language": "English",
    }  # fmt: skip
    assert [item_slices["language"] for item_slices in slices[1:]] == ["German", "Chinese"]
    # facts from the file of an imported item take precedence over derived ones
    assert (slices[2]["system"], slices[2]["domain"]) == ("S", "Law")
    assert judged.items[2].group == "q1"
    assert judged.items[1].group == store.get_run("r2").output_sha256


def test_items_are_placed_once(store):
    add_run(store, "r1", mixed("r1", 4))
    split = split_of(store)
    splits = Splits(store)
    splits.place(split.id, [("r1", "c0", "test"), ("r1", "c1", "test")])
    assert [
        (size.part, size.items, size.humans, size.groups) for size in splits.sizes(split.id)
    ] == [("train", 4, 1, 1)]
    assert splits.unplaced(split.id) == 0


def test_a_look_at_the_test_part_needs_a_reason_and_leaves_a_trace(store):
    add_run(store, "r1", mixed("r1", 4))
    split = split_of(store)
    splits = Splits(store)
    with pytest.raises(UsageError, match="locked"):
        splits.open_test(split.id, by="Ada", reason="  ", figures="all")
    assert splits.openings(split.id) == []
    opening = splits.open_test(split.id, by="Ada", reason="release", figures="all of local")
    assert splits.openings(split.id) == [opening]
    assert (opening.reviewer, opening.reason, opening.figures) == ("Ada", "release", "all of local")


def test_thresholds_are_numbered_and_stay(store):
    draft = Threshold(
        id="", judge="local", accept=0.9, reject=None, target=0.95, confidence=0.95, holds=True,
        aim="precision", split_id="s", parts=("train", "dev"), n=10, labels_sha256="0",
        created_by="Ada", created_at=datetime(2026, 1, 1, tzinfo=UTC), note=" for May ",
    )  # fmt: skip
    thresholds = [Thresholds(store).save(draft) for _ in range(2)]
    assert [threshold.id for threshold in thresholds] == ["t1", "t2"]
    assert Thresholds(store).get("t1") == thresholds[0]
    assert thresholds[0].note == "for May"
    assert Thresholds(store).all() == [thresholds[1], thresholds[0]]
    with pytest.raises(StoreError, match="no threshold 't9'"):
        Thresholds(store).get("t9")


@pytest.mark.parametrize(
    ("accept", "reject", "message"),
    [
        (None, None, "needs an edge"),
        (0.0, None, "decides all scores the same way"),
        (None, 1.0, "decides all scores the same way"),
        (float("nan"), None, "between 0 and 1"),
        (0.2, 0.9, "the edges cross"),
    ],
)
def test_a_threshold_that_decides_nothing_is_refused(store, accept, reject, message):
    draft = Threshold(
        id="", judge="local", accept=accept, reject=reject, target=0.95, confidence=0.95,
        holds=True, aim="abstain band", split_id="s", parts=("train", "dev"), n=10,
        labels_sha256="0", created_by="Ada", created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    with pytest.raises(UsageError, match=message):
        Thresholds(store).save(draft)
    assert Thresholds(store).all() == []


def test_the_hash_of_labels_tells_which_items_have_which_label(store):
    add_run(store, "r1", mixed("r1", 4))
    split = split_of(store)
    items = EvaluationRepository(store).read(LOCAL, split.id, ["train"]).items
    hash_before = labels_sha256(items)
    assert labels_sha256(tuple(reversed(items))) == hash_before
    first = store.labels("r1")[0]
    changed = Label(
        id="new", run_id="r1", citation_id="c0", label="contradicted", reviewer="Ada",
        created_at=datetime(2026, 4, 1, tzinfo=UTC), replaces=first.id,
    )  # fmt: skip
    state = EvaluationRepository(store).state()
    store.add_label(changed)
    assert (
        labels_sha256(EvaluationRepository(store).read(LOCAL, split.id, ["train"]).items)
        != hash_before
    )
    assert EvaluationRepository(store).state() != state


def test_items_can_be_found_by_the_cell_of_a_confusion_table(store):
    add_run(store, "r1", [Given(), Given(people=(("Ada", "contradicted"),)), Given(people=())])
    split = split_of(store, {"r1/c0": "test"})
    cell = ItemFilter(
        gold=("contradicted",), verdicts=("supported",), judge="local", split=split.id,
        parts=("train", "dev"),
    )  # fmt: skip
    assert [item.citation_id for item in CitationQuery(store).find(cell)] == ["c1"]
    OfflineJudgmentRepository(store).add(
        [
            OfflineJudgment(
                run_id="r1", citation_id="c1", judge="openai:m", prompt="",
                judgment=make.judgment("contradicted", score=0.05), error=None,
            )
        ]
    )  # fmt: skip
    other = ItemFilter(gold=("contradicted",), verdicts=("contradicted",), judge="openai:m")
    assert [item.citation_id for item in CitationQuery(store).find(other)] == ["c1"]
    assert CitationQuery(store).count(ItemFilter(judge="openai:m", near=0.0, band=0.1)) == 1
    assert CitationQuery(store).count(ItemFilter(judge="openai:m", verdicts=("supported",))) == 0
