"""A prompt improved in rounds: real judges and proposers over the wire, a real database."""

import json
import re
import threading

import pytest

from tests.fakes.labelled import Given, add_run
from tests.fakes.pair_models import write_model
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.errors import UsageError
from workbench.interfaces.cli import main
from workbench.judging.prompts import STRICT
from workbench.presentation.prompt_optimization_text import document, text
from workbench.services.calibration.measurement import ensure_split
from workbench.services.labelled_judging import JudgeConfig
from workbench.services.prompt_optimization import plan_series, run_series
from workbench.services.prompts import prompt_repository
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.prompts import OptimizationRepository
from workbench.store.store import Store

MINI = "openai:gpt-4o-mini"
GOOD, WORSE, SAME = "Weigh every number.", "Doubt everything.", "Be brief."
HEAD, _, TAIL = STRICT.template.partition("\n")
OUTPUTS = 32


def edited(words):
    return STRICT.template.replace(
        "Judge by the passages alone", f"{words} Judge by the passages alone"
    )


class Model:
    """Calls the second claim of an output wrongly, unless its prompt tells it to weigh numbers."""

    def __init__(self):
        self.proposals = []
        self.judged = []
        self.briefs = []
        self.stop_at = None
        self.cancel = threading.Event()

    def __call__(self, request):
        if "You improve the prompt" in request.prompt:
            self.briefs.append(request.prompt)
            proposal = self.proposals[len(self.briefs) - 1]
            if isinstance(proposal, Answer):
                return proposal
            reply = {"reason": f"It says: {proposal}", "template": edited(proposal)}
            return Answer(text=json.dumps(reply), input_tokens=1000, output_tokens=500)
        number, run = re.search(r"Fact (\d+) at r(\d+)\s*\n?</claim>", request.prompt).groups()
        self.judged.append((int(run), int(number), request.prompt))
        if self.stop_at is not None and len(self.judged) == self.stop_at:
            self.cancel.set()
        supported = int(number) % 2 == 0
        if GOOD in request.prompt:
            wrong = False
        elif WORSE in request.prompt:
            wrong = True
        else:
            wrong = int(number) == 1
        label = "supported" if supported != wrong else "not_supported"
        quote = f"Fact {number} at r{run}" if label == "supported" else ""
        return Answer(text=verdict(label, quote, rationale=f"Said of {number}."))


@pytest.fixture
def model(monkeypatch):
    model = Model()
    with FakeProvider(model) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        yield model


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Outputs of two claims each; people call the first supported."""
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for run in range(OUTPUTS):
        citations = [
            Given(people=(("Ada", "supported" if number % 2 == 0 else "not_supported"),))
            for number in range(2)
        ]
        add_run(store, f"r{run}", citations)
    return store.path


@pytest.fixture
def store(built, tmp_path):
    path = tmp_path / "w.duckdb"
    path.write_bytes(built.read_bytes())
    return Store(path)


def begin(store, proposer="anthropic:claude-haiku-4-5", **options):
    who = options.pop("who", JudgeConfig(specs=(MINI,)))
    rounds = options.pop("rounds", 3)
    return OptimizationRepository(store).add(
        plan_series(store, who, proposer, by="Ada", rounds=rounds, **options)
    )


def test_a_panel_with_a_model_of_ones_own_is_kept_by_its_name_not_by_its_path(
    store, model, tmp_path
):
    folder = write_model(tmp_path / "bridges", "Fact 0 at r0")
    panel = JudgeConfig(specs=(MINI, f"nli:{folder}"))
    series = begin(store, who=panel, rounds=1)
    assert series.judge == panel.name.specs
    assert str(tmp_path) not in " ".join(series.judge)


def parts(store):
    split = ensure_split(store, "Ada")
    with store.transaction() as connection:
        rows = connection.execute(
            "select run_id || '/' || citation_id, part from split_items where split_id = ?",
            [split.id],
        ).fetchall()
    return dict(rows)


def test_only_a_gain_beyond_chance_is_kept_and_test_is_never_read(store, model):
    model.proposals = [SAME, WORSE, GOOD]
    series_run = run_series(store, begin(store))
    assert [step.state for step in series_run.rounds] == ["not_kept", "worse", "kept"]
    assert series_run.ending.outcome == "done"
    assert (series_run.kept, series_run.best.title, series_run.best.origin) == (
        1,
        "strict-improved@1",
        "optimised",
    )
    assert (series_run.best.parent, series_run.best.note) == (STRICT.id, f"It says: {GOOD}")
    assert GOOD in series_run.best.prompt.template
    gain = series_run.rounds[2].dev.figures
    assert gain.difference.value == pytest.approx(0.5)
    assert gain.corrected.low > 0
    assert gain.confidence == pytest.approx(1 - 0.05 / 3)
    assert series_run.rounds[1].dev is None
    # the rounds build on the current prompt: rejected proposals become no version
    assert [step.title for step in prompt_repository(store).all()] == [
        "strict@1", "strict@2", "strict@3", "parts@1",
        "together@1", "together@2", "together@3", "parts-together@1", "strict-improved@1",
    ]  # fmt: skip
    assert {judge.prompt for judge, _ in EvaluationRepository(store).judges()} == {
        "", STRICT.id, series_run.best.id,
    }  # fmt: skip

    part_of = parts(store)
    parts_asked = {part_of[f"r{run}/c{number}"] for run, number, _ in model.judged}
    assert parts_asked == {"train", "dev"}
    for brief in model.briefs:
        shown_items = {
            f"r{run}/c{number}" for number, run in re.findall(r"Fact (\d+) at r(\d+)", brief)
        }
        assert shown_items
        assert {part_of[item] for item in shown_items} == {"train"}
    output = json.dumps(document(series_run)) + text(series_run)
    locked = [item for item, part in part_of.items() if part == "test"]
    assert locked
    assert not [item for item in locked if f'"{item}"' in output]
    for step in OptimizationRepository(store).steps(series_run.series.id):
        assert {part_of[item] for item in step.items} <= {"train"}
    with store.transaction() as connection:
        rows = connection.execute(
            "select run_id || '/' || citation_id from offline_judgments"
        ).fetchall()
    assert {part_of[item] for (item,) in rows} == {"train", "dev"}


def test_what_was_stopped_goes_on_and_asks_nothing_twice(store, model):
    model.proposals = [SAME, GOOD]
    series = begin(store, rounds=2)
    open_items = sum(part in ("train", "dev") for part in parts(store).values())
    for stop_at in (20, open_items + 30, 2 * open_items + 10):
        model.cancel.clear()
        model.stop_at = stop_at
        series_run = run_series(Store(store.path), series, cancel=model.cancel)
        assert series_run.ending.outcome == "stopped"
        assert not series_run.finished
    model.cancel.clear()
    series_run = run_series(Store(store.path), series, cancel=model.cancel)
    assert [step.state for step in series_run.rounds] == ["not_kept", "kept"]
    assert series_run.finished
    assert len(model.briefs) == 2
    assert len(model.judged) == len(set(model.judged)) == 3 * open_items
    judged_before = len(model.judged)
    again = run_series(Store(store.path), series)
    assert document(again) == document(series_run)
    assert len(model.judged) == judged_before
    assert len(model.briefs) == 2


def test_a_kill_between_keeping_a_version_and_its_step_keeps_it_once(store, model, monkeypatch):
    model.proposals = [GOOD]
    series = begin(store, rounds=1)
    record = OptimizationRepository.record

    def killed(self, optimisation_id, step):
        if step.state == "kept":
            raise KeyboardInterrupt
        return record(self, optimisation_id, step)

    monkeypatch.setattr(OptimizationRepository, "record", killed)
    with pytest.raises(KeyboardInterrupt):
        run_series(store, series)
    monkeypatch.undo()
    judged_before = len(model.judged)
    series_run = run_series(store, series, proposer=Silent())
    assert (series_run.kept, series_run.best.title) == (1, "strict-improved@1")
    assert len(model.judged) == judged_before
    assert len(prompt_repository(store).history("strict-improved")) == 1


class Silent:
    """Must not be asked."""

    spec = "nobody"

    def worst_cost_usd(self, brief):
        raise AssertionError("asked")

    propose = worst_cost_usd


def test_a_reply_that_is_no_usable_template_is_a_recorded_state(store, model):
    replies = [
        (Answer(text="I would rather not."), "malformed", "no JSON object with a template"),
        (Answer(text="No.", stop="refusal"), "malformed", "refused to answer"),
        (Answer(text='{"template": "Weig', stop="length"), "malformed", "cut at 6000 tokens"),
        (Answer(text='{"template": "Weigh it."}'), "refused", "needs exactly one"),
        (
            Answer(text=json.dumps({"template": edited("x").replace("{{claim}}", "it")})),
            "refused", "lacks {{claim}}",
        ),
        (Answer(text=json.dumps({"template": STRICT.template})), "refused", "changes nothing"),
    ]  # fmt: skip
    model.proposals = [reply for reply, _, _ in replies]
    series_run = run_series(store, begin(store, rounds=len(replies)))
    for step, (_, state, reason) in zip(series_run.rounds, replies, strict=True):
        assert step.state == state
        assert reason in step.why
        assert step.proposal.template == ""
        assert step.cost_usd > 0
    assert series_run.kept == 0
    assert series_run.best.id == STRICT.id


def test_a_proposal_that_carries_words_of_an_item_is_refused_and_not_kept(store, model, tmp_path):
    part_of = parts(store)
    item = next(
        item_name
        for item_name, part in part_of.items()
        if part == "train" and item_name.endswith("/c1")
    )
    run, number = re.fullmatch(r"r(\d+)/c(\d)", item).groups()
    words = f"Fact {number} at r{run}, as r{run}.example says."
    file = tmp_path / "p.json"
    file.write_text(json.dumps([{"template": edited(words)}]))
    series_run = run_series(store, begin(store, f"scripted:{file}", rounds=1, shown=40))
    assert series_run.rounds[0].state == "refused"
    assert "repeats words of the items" in series_run.rounds[0].why
    assert words not in json.dumps(
        [step.to_dict() for step in OptimizationRepository(store).steps("o1")]
    )


def test_a_provider_that_fails_costs_no_round(store, model):
    model.proposals = [Answer(status=401), GOOD]
    series = begin(store, rounds=1)
    failed = run_series(store, series)
    assert failed.ending.outcome == "failed"
    assert "API key" in failed.ending.sentence
    series_run = run_series(store, series)
    assert (series_run.ending.outcome, series_run.kept) == ("done", 1)


def test_the_cap_holds_for_everything_and_can_be_raised(store, model):
    model.proposals = [GOOD]
    series = begin(store, rounds=1, max_cost_usd=0.002)
    first = run_series(store, series)
    assert first.ending.outcome == "cost_cap"
    assert "raise the cap" in first.ending.sentence
    assert first.cost_usd <= 0.002
    series_run = run_series(store, series, max_cost_usd=5)
    assert (series_run.ending.outcome, series_run.kept) == ("done", 1)
    assert len(model.judged) == len(set(model.judged))
    assert first.cost_usd < series_run.cost_usd < 5
    steps = OptimizationRepository(store).steps(series.id)
    assert sum(step.cost_usd for step in steps) == pytest.approx(series_run.cost_usd)


def test_without_enough_groups_in_dev_nobody_is_asked(tmp_path, model):
    store = Store(tmp_path / "w.duckdb")
    for run in range(6):
        add_run(store, f"r{run}", [Given(), Given(people=(("Ada", "not_supported"),))])
    series_run = run_series(store, begin(store, rounds=5))
    assert series_run.ending.outcome == "impossible"
    assert "with fewer than 8" in series_run.ending.sentence
    assert model.judged == []


@pytest.mark.parametrize(
    ("judge", "proposer", "options", "message"),
    [
        ("local", MINI, {}, "takes no prompt"),
        (MINI, "local", {}, "Nobody proposes edits"),
        (MINI, MINI, {"rounds": 0}, "1 to 20 rounds"),
        (MINI, MINI, {"name": "strict"}, "another name"),
        (MINI, "scripted:/nowhere.json", {}, "cannot be read"),
    ],
)
def test_what_cannot_begin_gets_a_sentence(store, model, judge, proposer, options, message):
    with pytest.raises(UsageError, match=message):
        plan_series(store, JudgeConfig(specs=(judge,)), proposer, by="Ada", **options)


def test_the_command_improves_lists_and_shows(store, model, tmp_path, capsys):
    file = tmp_path / "p.json"
    old = "Judge by the passages alone"
    file.write_text(
        json.dumps([{"replace": old, "with": f"{GOOD} {old}", "reason": "Numbers go astray."}])
    )
    db = ["--db", str(store.path)]
    arguments = ["--judge", MINI, "--proposer", f"scripted:{file}", "--name", "numbers", *db]
    code = main(["prompts", "optimise", *arguments, "--json", "--max-cost-usd", "5"])
    output = capsys.readouterr()
    printed = json.loads(output.out)
    assert code == 0
    assert "at most $" in output.err
    assert printed["best_title"] == "numbers@1"
    assert "disagree on no item of the train part" in printed["ending"]["sentence"]
    (step,) = printed["steps"]
    assert step["outcome"] == "kept"
    assert step["dev"]["difference"]["low"] > 0
    assert step["edit"]["added"] == 1
    assert main(["prompts", "optimisations", "o1", *db]) == 0
    output = capsys.readouterr().out
    assert "Numbers go astray." in output
    assert "99 % interval" in output
    assert f"+{GOOD} {old}" in output
    assert main(["prompts", "optimisations", "--json", *db]) == 0
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == ["o1"]
    assert main(["prompts", "optimise", "--resume", "o9", *db]) == 2
