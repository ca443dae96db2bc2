"""`workbench drift` from its arguments to its JSON and exit codes."""

import json
import shutil

import pytest

from tests.fakes.labelled import add_run, mixed
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench import verify
from workbench.interfaces.cli import main
from workbench.records.review import LabelDecision
from workbench.store.labels.repository import LabelRepository
from workbench.store.store import Store


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Thirty outputs of a supported and another item."""
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for number in range(30):
        add_run(store, f"r{number}", mixed(f"r{number}", 2))
    return store.path


@pytest.fixture
def path(built, tmp_path):
    return shutil.copy(built, tmp_path / "w.duckdb")


@pytest.fixture
def script(tmp_path):
    """A judge whose answer a test can change under the same name."""
    file = tmp_path / "judge.json"

    def answer(label, **fields):
        reply = {"label": label, "confidence": 0.8, "quote": "*", **fields}
        file.write_text(json.dumps({"default": reply}))
        return f"scripted:{file}"

    return answer


def ask(path, *arguments, capsys):
    code = main(["drift", arguments[0], "--json", "--db", str(path), *arguments[1:]])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if code != 2 else captured.err


def test_from_a_frozen_set_to_what_flipped(path, script, capsys):
    code, reference_set = ask(path, "freeze", "Summer", "--items", "30", capsys=capsys)
    assert (code, reference_set["id"], reference_set["size"]) == (0, "a1", 30)
    code, evaluation = ask(path, "run", "Summer", "--judge", script("supported"), capsys=capsys)
    assert (code, evaluation["id"], evaluation["asked"], evaluation["left"]) == (0, "a1.1", 30, 0)
    code, report = ask(path, "report", "a1", capsys=capsys)
    assert (code, report["series"][0]["verdict"]) == (0, "baseline")
    ask(path, "run", "Summer", "--judge", script("supported"), capsys=capsys)
    code, report = ask(path, "report", "a1", "--tolerance", "20", capsys=capsys)
    assert (code, report["series"][0]["verdict"]) == (0, "none seen")
    # what it now cannot verify was right before in half of the items, and wrong in the others
    ask(path, "run", "Summer", "--judge", script("unverifiable"), capsys=capsys)
    code, report = ask(path, "report", "a1", "--flips", "a1.2", "a1.3", capsys=capsys)
    assert report["flips"]["broken"] == report["flips"]["fixed"] == 15
    assert code == 0
    assert report["series"][0]["verdict"] == "too few"
    _, listed = ask(path, "list", capsys=capsys)
    assert [evaluation["answers"] for evaluation in listed[0]["askings"]] == [30, 30, 30]


def test_drift_of_a_judge_that_was_right_exits_with_1_and_says_so(path, script, tmp_path, capsys):
    ask(path, "freeze", "Summer", "--items", "30", capsys=capsys)
    file = tmp_path / "judge.json"
    spec = script("supported")
    rules = [{"if_claim_contains": "Fact 1 ", "label": "not_supported", "confidence": 0.9}]
    right = {"label": "supported", "confidence": 0.9, "quote": "*"}
    file.write_text(json.dumps({"rules": rules, "default": right}))
    ask(path, "run", "a1", "--judge", spec, capsys=capsys)
    ask(path, "run", "a1", "--judge", script("not_supported"), capsys=capsys)
    code, report = ask(path, "report", "a1", capsys=capsys)
    assert [look["agreement"]["value"] for look in report["series"][0]["looks"]] == [1, 0.5]
    assert (code, report["drifted"]) == (1, True)
    main(["drift", "report", "Summer", "--db", str(path)])
    text = capsys.readouterr().out
    assert "became worse beyond the interval of this evaluation" in text
    assert "Evaluations share one error rate" in text


def test_a_cap_leaves_items_and_the_next_run_goes_on(path, script, capsys):
    ask(path, "freeze", "Summer", "--items", "30", capsys=capsys)
    spec = script("supported", cost_usd=0.01)
    code, first = ask(path, "run", "a1", "--judge", spec, "--max-cost-usd", "0.1", capsys=capsys)
    assert code == 1
    assert first["left"] > 0
    code, second = ask(path, "run", "a1", "--judge", spec, capsys=capsys)
    assert (code, second["id"], second["continued"]) == (0, "a1.1", True)
    assert first["asked"] + second["asked"] == 30


def test_another_judge_is_asked_about_the_labelled_items_and_flips_are_listed(path, script, capsys):
    spec = script("not_supported")
    code, report = ask(path, "rejudge", "--judge", spec, "--part", "dev", capsys=capsys)
    assert code == 0
    assert report["broken"] == report["changed"] == len(report["flips"])
    assert report["flips"][0]["first"]["rationale"]
    code, message = ask(path, "rejudge", "--judge", spec, "--against", spec, capsys=capsys)
    assert code == 2
    assert "nothing to compare" in message


CITED = """\
# Bridges of the valley

## The Ostrau bridge

The Ostrau bridge crosses the river in two arches. It was opened in 1913 by the mayor [1].

| Bridge | Opened |
| --- | --- |
| Old mill bridge | opened to the public in 1931 [2] |

## References
[1] https://library.example/a
[2] https://mill.example/b
"""
GIVEN = [
    {
        "url": "https://library.example/a",
        "title": "History of the library",
        "content": "The house was opened in 1913 by the mayor.",
    },
    {
        "url": "https://mill.example/b",
        "title": "The mill and its bridge",
        "content": "The bridge was opened to the public in 1931.",
    },
]


def part(prompt, tag):
    """The text in the last such tag of a request."""
    return prompt.rsplit(f"<{tag}", 1)[1].split(">", 1)[1].split(f"</{tag}>")[0].strip()


@pytest.mark.parametrize("asking", [["run", "Bridges"], ["rejudge"]], ids=lambda asking: asking[0])
def test_each_question_says_where_the_claim_stands_and_what_the_source_is(
    asking, tmp_path, monkeypatch, capsys
):
    store = Store(tmp_path / "w.duckdb")
    run = verify(CITED, sources=GIVEN)
    store.add_run(run, CITED)
    store.finish_run(run)
    for result in run.citations:
        decision = LabelDecision(label="not_supported")
        LabelRepository(store).give(run.id, result.citation.id, "Ada", decision)
    with FakeProvider(lambda request: Answer(text=verdict("not_supported"))) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        ask(store.path, "freeze", "Bridges", "--part", "train", "--part", "dev", capsys=capsys)
        ask(store.path, *asking, "--judge", "openai:gpt-4o-mini", capsys=capsys)
    contexts = {
        part(request.prompt, "claim"): (
            part(request.prompt, "context"),
            part(request.prompt, "source"),
        )
        for request in server.requests
    }
    (bridge,) = [contexts[claim] for claim in contexts if "opened in 1913" in claim]
    assert bridge == (
        "Under the headings: Bridges of the valley ⟩ The Ostrau bridge\n"
        "Text before the claim: The Ostrau bridge crosses the river in two arches.",
        "Title: History of the library\nAddress: https://library.example/a",
    )
    (mill,) = [contexts[claim] for claim in contexts if "1931" in claim]
    assert "Table header: Bridge | Opened\nTable row: Old mill bridge" in mill[0]
    assert mill[1].startswith("Title: The mill and its bridge\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nobody"], "no reference set 'nobody'"),
        (["freeze", "x", "--items", "0"], "at least one example"),
        (["report", "x", "--tolerance", "0"], "between 0 and 100"),
    ],
)
def test_wrong_usage_gets_a_sentence(path, arguments, message, capsys):
    try:
        code = main(["drift", *arguments, "--db", str(path)])
    except SystemExit as exit:
        code = exit.code
    assert code == 2
    assert message in capsys.readouterr().err
