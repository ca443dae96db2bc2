"""`workbench compare`: two prompts, judges or panels on the same labelled items."""

import json
import re

import pytest

from tests.fakes.labelled import Given, add_run, mixed
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.errors import UsageError
from workbench.interfaces.cli import main
from workbench.records.evaluation import JudgeKey
from workbench.services.comparison import compare_judges
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.prompts import Prompts
from workbench.store.store import Store

MINI = "openai:gpt-4o-mini"
COLD = "Weigh the claim coldly.\n=====\n{{passages}}\n\n{{claim}}"


def passage(request):
    return re.search(r"<passage id=\"1\">\n(.+?)\n</passage>", request.prompt, re.DOTALL)[1]


@pytest.fixture
def server(monkeypatch):
    """A model that by the usual prompt supports all, and coldly the first half of each run."""

    def reply(request):
        number = int(re.search(r"<claim>\nFact (\d+)", request.prompt)[1])
        cold = "coldly" in request.prompt
        if cold and number == 9:
            return Answer(text="no verdict at all", input_tokens=200, output_tokens=10)
        label = "supported" if not cold or number < 5 else "not_supported"
        quote = passage(request) if label == "supported" else ""
        text = verdict(label, quote, rationale=f"{'Cold' if cold else 'Warm'} {number}.")
        return Answer(text=text, input_tokens=1000, output_tokens=100)

    with FakeProvider(reply) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


@pytest.fixture
def store(request, tmp_path):
    """Ten outputs, the first half of each's items supported; one that nobody could tell."""
    store, size = Store(tmp_path / "w.duckdb"), getattr(request, "param", 3)
    for number in range(10):
        add_run(store, f"r{number}", mixed(f"r{number}", size))
    add_run(store, "odd", [Given(people=(("Ada", "cannot_tell"),))])
    Prompts(store).add("cold", COLD, author="Ada")
    return store


def ask(store, capsys, *arguments):
    code = main(["compare", "--json", "--db", str(store.path), *arguments])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else err, err


@pytest.mark.parametrize("store", [10], indirect=True)
def test_two_prompts_are_asked_compared_and_their_flips_told(store, server, capsys):
    code, report, err = ask(store, capsys, "--judge", MINI, "--against-prompt", "cold")
    assert code == 0
    assert "has not judged" in err
    assert "at most $" in err
    n = report["n"]
    assert n % 10 == 0
    assert (report["first"]["prompt"][:7], report["second"]["prompt"][:7]) == ("strict@", "cold@1:")
    # all supported is half right; cold is right but for the item without a verdict
    assert (report["first"]["right"], report["second"]["right"]) == (n / 2, n * 0.9)
    assert report["second"]["errors"] == {"malformed_judge_response": n / 10}
    difference = report["comparison"]["balanced_accuracy"]
    assert difference["value"] == pytest.approx(0.4)
    assert difference["ci95"][0] > 0
    assert report["comparison"]["better"] is True
    assert (report["comparison"]["only_first"], report["comparison"]["only_second"]) == (0, n * 0.4)
    # exact over documents: the second is right more often in each of them
    assert report["comparison"]["mcnemar_p"] == pytest.approx(2 / 2 ** (n / 10))
    assert (report["fixed"], report["broken"]) == (n * 0.4, 0)
    flip = next(flip for flip in report["flips"] if flip["kind"] == "fixed")
    assert re.fullmatch(r"Fact [5-8] at r\d", flip["claim"].strip())
    assert flip["human"] == "not_supported"
    assert flip["first"]["rationale"].startswith("Warm")
    assert flip["second"]["rationale"].startswith("Cold")
    # 1,000 tokens in at $0.15, 100 out at $0.60 a million
    assert report["first"]["cost_usd"] == pytest.approx(0.00021)
    assert report["first"]["latency_ms"] <= report["first"]["latency_p95_ms"]
    assert report["first"]["measured"] == n
    assert set(report["by_part"]) == {"train", "dev"}
    assert sum(part["n"] for part in report["by_part"].values()) == n
    # nothing is asked twice, and the test part not at all
    request_count = len(server.requests)
    split = Splits(store).all()[0]
    sizes = {part.part: part.items for part in Splits(store).sizes(split.id)}
    assert request_count == 2 * (sizes["train"] + sizes["dev"])
    _, repeated, err = ask(store, capsys, "--judge", MINI, "--against-prompt", "cold")
    assert (len(server.requests), repeated, err) == (request_count, report, "")
    unjudged = OfflineJudgmentRepository(store).unjudged(
        MINI, report["first"]["prompt"], split_id=split.id, parts=["test"]
    )
    assert len(unjudged) == sizes["test"]
    assert Splits(store).openings(split.id) == []
    # the table reads as the document says
    assert (
        main(["compare", "--db", str(store.path), "--judge", MINI, "--against-prompt", "cold"]) == 0
    )
    out = capsys.readouterr().out
    assert re.search(
        r"^first +openai:gpt-4o-mini: correct on \d+ of \d+; an example costs", out, re.M
    )
    assert re.search(r"balanced accuracy +\+0\.400 +\[\+0\.\d+, \+0\.\d+\]", out)
    assert "more; --json lists all." in out


def test_the_test_part_is_opened_by_a_recorded_act(store, server, capsys):
    code, message, _ = ask(
        store, capsys, "--judge", MINI, "--against-prompt", "cold", "--open-test"
    )
    assert (code, "--reason" in message) == (2, True)
    code, report, _ = ask(
        store, capsys, "--judge", MINI, "--against-prompt", "cold", "--open-test", "--why",
        "final", "--by", "Ada",
    )  # fmt: skip
    assert (code, report["parts"], report["by_part"]) == (0, ["test"], {})
    (opening,) = Splits(store).openings(report["split"])
    assert (opening.reviewer, opening.reason, opening.figures) == (
        "Ada", "final", f"{MINI} with cold@1 against {MINI}",
    )  # fmt: skip
    with pytest.raises(UsageError, match="locked"):
        compare_judges(
            store, JudgeKey(specs=("local",)), JudgeKey(specs=("x",)), report["split"], ["test"]
        )


def test_a_cap_stops_the_asking_and_a_second_call_goes_on(store, server, capsys):
    arguments = ["--judge", MINI, "--against-prompt", "cold"]
    _, capped, err = ask(store, capsys, *arguments, "--max-cost-usd", "0.003")
    assert "of $0.003 is left" in err
    assert capped["n"] < 15
    assert capped["left_out"]["not_asked_second"] + capped["left_out"]["not_asked"] > 0
    code, report, _ = ask(store, capsys, *arguments, "--max-cost-usd", "5")
    assert code == 0
    assert report["left_out"]["not_asked"] == 0
    prompts = [request.prompt for request in server.requests]
    assert len(prompts) == len(set(prompts))


def test_a_panel_against_one_of_its_judges_from_what_is_kept(store, server, tmp_path, capsys):
    script = tmp_path / "judge.json"
    script.write_text(json.dumps({"default": {"label": "not_supported"}}))
    scripted = f"scripted:{script}"
    panel = ["--against", MINI, "--against", scripted, "--against-panel", "unanimous"]
    code, report, _ = ask(store, capsys, "--judge", MINI, *panel)
    assert code == 0
    assert report["second"]["panel"] == "unanimous"
    assert report["second"]["name"] == f"{MINI} + {scripted} (unanimous)"
    assert report["comparison"]["balanced_accuracy"]["value"] == pytest.approx(0)
    # the model was asked once an item; the panel took its kept answer, and its price
    assert len(server.requests) == report["n"] + report["left_out"]["untested"]
    assert report["second"]["cost_usd"] == pytest.approx(report["first"]["cost_usd"])


def test_what_nobody_was_asked_about_is_told_and_exits_with_1(store, server, capsys):
    code, report, err = ask(
        store, capsys, "--judge", MINI, "--against-prompt", "cold", "--no-judging"
    )
    assert (code, report["n"], err) == (1, 0, "")
    assert report["left_out"]["not_asked"] > 0
    assert server.requests == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Both are local"),
        (["--judge", "local", "--against", MINI, "--against-prompt", "nobody"], "no prompt"),
        (["--judge", "nobody", "--against", "local"], "There is no judge"),
        (["--against-prompt", "cold"], "Both are local"),
    ],
)
def test_wrong_usage_gets_a_sentence(store, server, arguments, message, capsys):
    code, error, _ = ask(store, capsys, *arguments)
    assert code == 2
    assert message in error
