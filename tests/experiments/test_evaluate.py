"""Evaluation with a judge whose scores are written down."""

import json

import pytest

from workbench.errors import UnreadableInput, UsageError
from workbench.experiments.evaluate import evaluate, read_pairs
from workbench.interfaces.cli.output import evaluation
from workbench.judging.scripted import ScriptedJudge
from workbench.records.context import NO_CONTEXT, JudgeContext, SourceFacts
from workbench.services.imports import import_file
from workbench.store.store import Store

SOURCE = "A source with enough words to quote from."


def pairs_file(tmp_path, rows):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def judge_by_letter(**scores):
    rules = [
        {"if_claim_contains": f"letter {name}", "label": "not_supported", "score": score}
        for name, score in scores.items()
    ]
    return ScriptedJudge(rules)


def rows(**labels):
    return [
        {"id": name, "claim": f"letter {name}", "source": SOURCE, "label": label, "group": name}
        for name, label in labels.items()
    ]


def test_figures_by_hand(tmp_path):
    path = pairs_file(
        tmp_path,
        rows(p="supported", q="supported", r="not_supported", s="contradicted", t="unverifiable"),
    )
    result = evaluate(path, judge_by_letter(p=0.9, q=0.5, r=0.4, s=0.6), threshold=0.45)
    assert (result.n, result.positives) == (4, 2)  # unverifiable says nothing
    assert result.auroc == 0.75  # .9 beats both, .5 beats .4 alone: 3 of 4
    assert result.balanced_accuracy == 0.75  # both positives, one of two negatives
    assert result.f1 == pytest.approx(0.8)
    document = result.to_dict()
    assert set(document) >= {
        "n", "positives", "auroc", "average_precision", "balanced_accuracy", "f1", "threshold",
        "ci95", "seconds_per_item", "cost_usd",
    }  # fmt: skip
    assert document["threshold"] == 0.45
    json.dumps(document)


def test_auto_decides_each_fold_by_the_others(tmp_path):
    names = [chr(ord("a") + i) for i in range(20)]
    labels = {n: "supported" if i % 2 else "not_supported" for i, n in enumerate(names)}
    scores = {n: 0.8 if i % 2 else 0.2 for i, n in enumerate(names)}
    result = evaluate(pairs_file(tmp_path, rows(**labels)), judge_by_letter(**scores))
    assert result.threshold == pytest.approx(0.5)
    assert result.balanced_accuracy == 1.0
    # a perfect order of 20 items is no certainty
    low, high = result.ci95["auroc"]
    assert low < 0.9
    assert high == 1


def test_too_few_documents_of_one_kind_give_no_interval_and_say_so(tmp_path):
    path = pairs_file(tmp_path, rows(p="supported", q="supported", r="contradicted"))
    result = evaluate(path, judge_by_letter(p=0.9, q=0.8, r=0.1), threshold=0.5)
    document = result.to_dict()
    assert document["auroc"] == 1
    assert document["ci95"]["auroc"] is None
    assert document["ci95_missing"]["auroc"] == (
        "too few independent documents: 2 of at least 3 with a supported item"
    )
    assert set(document["ci95_missing"]) == {
        name for name, interval in document["ci95"].items() if interval is None
    }
    assert "(no interval: too few independent documents" in evaluation(result)


def test_one_class_gives_nulls_not_nan(tmp_path):
    path = pairs_file(tmp_path, rows(a="supported", b="supported"))
    document = evaluate(path, judge_by_letter(a=0.5, b=0.6)).to_dict()
    assert document["auroc"] is None and document["threshold"] is None
    assert document["ci95"]["auroc"] is None


def test_a_judge_error_counts_as_score_zero_and_is_listed(tmp_path):
    path = pairs_file(tmp_path, rows(a="supported", b="not_supported"))
    judge = ScriptedJudge(
        [{"if_claim_contains": "letter a", "error": "llm_judge_error", "cost_usd": 0.01}]
    )
    result = evaluate(path, judge)
    assert result.errors == {"llm_judge_error": 1}
    assert result.auroc == 0.0
    assert result.cost_usd == 0.01


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("{}\n", "Line 1"),
        ('{"claim": "a", "source": "b", "label": "true"}\n', "Line 1"),
        ('{"claim": "a", "source": 3, "label": "supported"}\n', "Line 1"),
        ("[1]\n", "Line 1"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path, content, message):
    path = tmp_path / "pairs.jsonl"
    path.write_text(content)
    with pytest.raises(UnreadableInput, match=message):
        evaluate(path)


@pytest.mark.parametrize("threshold", ["high", -1, 2.0])
def test_a_bad_threshold_is_one_sentence(tmp_path, threshold):
    with pytest.raises(UsageError, match="threshold"):
        evaluate(pairs_file(tmp_path, rows(a="supported")), "local", threshold)


def test_the_embedded_judge_ranks_plain_cases(tmp_path):
    source = "The bridge was opened in 1932. It is 1149 metres long. Bradfield planned it."
    good = ["The bridge was opened in 1932.", "It is 1149 metres long."]
    bad = ["The bridge was opened in 1977.", "Zebras live in Finland."]
    path = pairs_file(
        tmp_path,
        [{"claim": c, "source": source, "label": "supported"} for c in good]
        + [{"claim": c, "source": source, "label": "not_supported"} for c in bad],
    )
    assert evaluate(path, "local").auroc == 1.0


def test_lines_that_contradict_an_earlier_label_are_told_as_by_an_import(tmp_path):
    pair = {"id": "a", "claim": "It is long.", "source": "It is long.", "label": "supported"}
    rows = [
        pair,
        {**pair, "id": "b", "claim": "It is red."},
        {**pair, "label": "contradicted"},
        pair,
        {**pair, "id": "c", "label": "not_supported"},
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = evaluate(file).to_dict()
    assert result["skipped"] == [
        {
            "line": 3,
            "reason": "it labels the item of line 1 as contradicted, and that line as supported",
        }
    ]
    assert (result["n"], result["positives"]) == (4, 3)
    imported = import_file(Store(tmp_path / "w.duckdb"), "pairs", file)
    assert [skipped.to_dict() for skipped in imported.skipped] == result["skipped"]


CONTEXT = {
    "context": "The pier was damaged.",
    "title": "Harbour > The pier",
    "source_title": "City baths",
}
TOLD = JudgeContext(
    headings=("Harbour", "The pier"),
    before="The pier was damaged.",
    source=SourceFacts(title="City baths"),
)


class Recording(ScriptedJudge):
    """Records what it is asked."""

    def __init__(self):
        super().__init__([])
        self.asked = []

    async def ajudge(self, claim, passages, context=NO_CONTEXT):
        self.asked.append((claim, [passage.text for passage in passages], context))
        return await super().ajudge(claim, passages, context)


class WithoutContext:
    """A user's own judge, written before there was a context."""

    spec = "own"

    async def ajudge(self, claim, passages):
        return await ScriptedJudge([]).ajudge(claim, passages)

    async def aclose(self):
        pass


def test_the_judge_is_told_what_a_line_says_of_claim_and_source(tmp_path):
    plain = rows(a="supported", b="not_supported")
    path = pairs_file(tmp_path, [plain[0] | CONTEXT, plain[1] | dict.fromkeys(CONTEXT)])
    assert [pair.context for pair in read_pairs(path)] == [TOLD, NO_CONTEXT]
    judge = Recording()
    evaluate(path, judge)
    assert {claim: context for claim, _, context in judge.asked} == {
        "letter a": TOLD, "letter b": NO_CONTEXT,
    }  # fmt: skip
    assert evaluate(path, WithoutContext()).n == 2


def test_passages_are_chosen_with_the_context(tmp_path):
    rooms = [
        f"It was opened in room {n} and painted in colour {n} by guest {n}." for n in range(120)
    ]
    source = " ".join([*rooms[:60], "The Norling viaduct has two arches.", *rooms[60:]])
    claim = "It was opened and painted."
    row = {"id": "a", "claim": claim, "source": source, "label": "supported"}
    judge = Recording()
    evaluate(pairs_file(tmp_path, [row, row | {"title": "The Norling viaduct"}]), judge)
    was_selected = {
        context.headings: "Norling" in " ".join(passages) for _, passages, context in judge.asked
    }
    assert was_selected == {(): False, ("The Norling viaduct",): True}


@pytest.mark.parametrize("name", [*CONTEXT, "question"])
@pytest.mark.parametrize("value", [3, ["a"], {}, True])
def test_a_context_that_is_no_text_is_one_sentence(tmp_path, name, value):
    path = pairs_file(tmp_path, [rows(a="supported")[0] | {name: value}])
    with pytest.raises(UnreadableInput, match=f"Line 1 of .*: its {name} is no text."):
        evaluate(path)


@pytest.mark.parametrize(("name", "other"), [*((name, "Another") for name in CONTEXT)])
def test_the_same_pair_in_another_context_is_no_contradiction(tmp_path, name, other):
    first = rows(a="supported")[0] | CONTEXT
    path = pairs_file(tmp_path, [first, first | {name: other, "label": "not_supported"}])
    result = evaluate(path, ScriptedJudge([]))
    assert (result.n, result.skipped) == (2, ())
    path = pairs_file(tmp_path, [first, first | {"label": "not_supported"}])
    assert [line for line, _ in evaluate(path, ScriptedJudge([])).skipped] == [2]
