"""`workbench compare`: two prompts, judges or panels on the same labelled items."""

import json
import re

import pytest

from tests.fakes.labelled import Given, add_run, mixed
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.errors import UsageError
from workbench.interfaces.cli import main
from workbench.records import JudgeKey
from workbench.services.comparison import compare_judges
from workbench.store import OfflineJudgmentRepository, Prompts, Splits, Store

MINI = "openai:gpt-4o-mini"
COLD = "Weigh the claim coldly.\n=====\n{{passages}}\n\n{{claim}}"


def passage(asked):
    return re.search(r"<passage id=\"1\">\n(.+?)\n</passage>", asked.prompt, re.DOTALL)[1]


@pytest.fixture
def server(monkeypatch):
    """A model that by the usual prompt supports all, and coldly the first half of each run."""

    def reply(asked):
        number = int(re.search(r"<claim>\nFact (\d+)", asked.prompt)[1])
        cold = "coldly" in asked.prompt
        if cold and number == 9:
            return Answer(text="no verdict at all", input_tokens=200, output_tokens=10)
        label = "supported" if not cold or number < 5 else "not_supported"
        quote = passage(asked) if label == "supported" else ""
        text = verdict(label, quote, rationale=f"{'Cold' if cold else 'Warm'} {number}.")
        return Answer(text=text, input_tokens=1000, output_tokens=100)

    with FakeProvider(reply) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


@pytest.fixture
def store(tmp_path):
    """Ten outputs of ten items, the first five of each supported; one that nobody could tell."""
    store = Store(tmp_path / "w.duckdb")
    for number in range(10):
        add_run(store, f"r{number}", mixed(f"r{number}", 10))
    add_run(store, "odd", [Given(people=(("Ada", "cannot_tell"),))])
    Prompts(store).add("cold", COLD, author="Ada")
    return store


def ask(store, capsys, *arguments):
    code = main(["compare", "--json", "--db", str(store.path), *arguments])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else err, err


def test_two_prompts_are_asked_compared_and_their_flips_told(store, server, capsys):
    code, found, err = ask(store, capsys, "--judge", MINI, "--against-prompt", "cold")
    assert code == 0
    assert "has not looked at" in err
    assert "at most $" in err
    n = found["n"]
    assert n % 10 == 0
    assert (found["first"]["prompt"][:7], found["second"]["prompt"][:7]) == ("strict@", "cold@1:")
    # all supported is half right; cold is right but for the item without a verdict
    assert (found["first"]["right"], found["second"]["right"]) == (n / 2, n * 0.9)
    assert found["second"]["errors"] == {"malformed_judge_response": n / 10}
    difference = found["comparison"]["balanced_accuracy"]
    assert difference["value"] == pytest.approx(0.4)
    assert difference["ci95"][0] > 0
    assert found["comparison"]["better"] is True
    assert (found["comparison"]["only_first"], found["comparison"]["only_second"]) == (0, n * 0.4)
    # exact over documents: the second is right more often in each of them
    assert found["comparison"]["mcnemar_p"] == pytest.approx(2 / 2 ** (n / 10))
    assert (found["fixed"], found["broken"]) == (n * 0.4, 0)
    flip = next(one for one in found["flips"] if one["kind"] == "fixed")
    assert re.fullmatch(r"Fact [5-8] at r\d", flip["claim"].strip())
    assert flip["human"] == "not_supported"
    assert flip["first"]["rationale"].startswith("Warm")
    assert flip["second"]["rationale"].startswith("Cold")
    # 1,000 tokens in at $0.15, 100 out at $0.60 a million
    assert found["first"]["cost_usd"] == pytest.approx(0.00021)
    assert found["first"]["latency_ms"] <= found["first"]["latency_p95_ms"]
    assert found["first"]["measured"] == n
    assert set(found["by_part"]) == {"train", "dev"}
    assert sum(one["n"] for one in found["by_part"].values()) == n


def test_nothing_is_asked_twice_and_the_test_part_not_at_all(store, server, capsys):
    _, first, _ = ask(store, capsys, "--judge", MINI, "--against-prompt", "cold")
    asked = len(server.requests)
    split = Splits(store).all()[0]
    sizes = {one.part: one.items for one in Splits(store).sizes(split.id)}
    assert asked == 2 * (sizes["train"] + sizes["dev"])
    _, again, err = ask(store, capsys, "--judge", MINI, "--against-prompt", "cold")
    assert (len(server.requests), again, err) == (asked, first, "")
    lacking = OfflineJudgmentRepository(store).unjudged(
        MINI, first["first"]["prompt"], split_id=split.id, parts=["test"]
    )
    assert len(lacking) == sizes["test"]
    assert Splits(store).openings(split.id) == []


def test_the_test_part_is_opened_by_a_recorded_act(store, server, capsys):
    code, said, _ = ask(store, capsys, "--judge", MINI, "--against-prompt", "cold", "--open-test")
    assert (code, "--reason" in said) == (2, True)
    code, found, _ = ask(
        store, capsys, "--judge", MINI, "--against-prompt", "cold", "--open-test", "--why",
        "final", "--by", "Ada",
    )  # fmt: skip
    assert (code, found["parts"], found["by_part"]) == (0, ["test"], {})
    (look,) = Splits(store).openings(found["split"])
    assert (look.reviewer, look.reason, look.figures) == (
        "Ada", "final", f"{MINI} with cold@1 against {MINI}",
    )  # fmt: skip
    with pytest.raises(UsageError, match="locked"):
        compare_judges(
            store, JudgeKey(specs=("local",)), JudgeKey(specs=("x",)), found["split"], ["test"]
        )


def test_a_cap_stops_the_asking_and_a_second_call_goes_on(store, server, capsys):
    given = ["--judge", MINI, "--against-prompt", "cold"]
    _, capped, err = ask(store, capsys, *given, "--max-cost-usd", "0.005")
    assert "of $0.005 is left" in err
    assert capped["n"] < 30
    assert capped["left_out"]["not_asked_second"] + capped["left_out"]["not_asked"] > 0
    code, found, _ = ask(store, capsys, *given, "--max-cost-usd", "5")
    assert code == 0
    assert found["left_out"]["not_asked"] == 0
    prompts = [one.prompt for one in server.requests]
    assert len(prompts) == len(set(prompts))


def test_a_panel_against_one_of_its_judges_from_what_is_kept(store, server, tmp_path, capsys):
    script = tmp_path / "judge.json"
    script.write_text(json.dumps({"default": {"label": "not_supported"}}))
    scripted = f"scripted:{script}"
    panel = ["--against", MINI, "--against", scripted, "--against-panel", "unanimous"]
    code, found, _ = ask(store, capsys, "--judge", MINI, *panel)
    assert code == 0
    assert found["second"]["panel"] == "unanimous"
    assert found["second"]["name"] == f"{MINI} + {scripted} (unanimous)"
    assert found["comparison"]["balanced_accuracy"]["value"] == pytest.approx(0)
    # the model was asked once an item; the panel took its kept answer, and its price
    assert len(server.requests) == found["n"] + found["left_out"]["untested"]
    assert found["second"]["cost_usd"] == pytest.approx(found["first"]["cost_usd"])


def test_what_nobody_was_asked_about_is_told_and_exits_with_1(store, server, capsys):
    code, found, err = ask(
        store, capsys, "--judge", MINI, "--against-prompt", "cold", "--no-judging"
    )
    assert (code, found["n"], err) == (1, 0, "")
    assert found["left_out"]["not_asked"] > 0
    assert server.requests == []


def test_the_table_reads_as_the_document_says(store, server, capsys):
    code = main(["compare", "--db", str(store.path), "--judge", MINI, "--against-prompt", "cold"])
    out = capsys.readouterr().out
    assert code == 0
    assert re.search(r"^first +openai:gpt-4o-mini: right on \d+ of \d+; an item costs", out, re.M)
    assert re.search(r"balanced accuracy +\+0\.400 +\[\+0\.\d+, \+0\.\d+\]", out)
    assert "more; --json lists all." in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Both are local"),
        (["--judge", "local", "--against", MINI, "--against-prompt", "nobody"], "no prompt"),
        (["--judge", "nobody", "--against", "local"], "There is no judge"),
        (["--against-prompt", "cold"], "Both are local"),
    ],
)
def test_wrong_usage_gets_a_sentence(store, server, arguments, said, capsys):
    code, found, _ = ask(store, capsys, *arguments)
    assert code == 2
    assert said in found
