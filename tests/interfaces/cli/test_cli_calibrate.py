"""`workbench calibrate` from its arguments to its JSON, exit codes and files."""

import json
import shutil

import pytest

from tests.fakes.labelled import Given, add_run, mixed, rated
from workbench.interfaces.cli import main
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.splits import Splits, Thresholds
from workbench.store.queues.queues import Queues
from workbench.store.store import Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "w.duckdb"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Thirty outputs of ten items, on which the judge is always right."""
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for number in range(30):
        add_run(store, f"r{number}", mixed(f"r{number}", 10))
    return store.path


@pytest.fixture
def store(built, path):
    shutil.copy(built, path)
    return Store(path)


def ask(path, *arguments, capsys):
    code = main(["calibrate", "--json", "--db", str(path), *arguments])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if code != 2 else captured.err


def test_the_published_keys_and_their_figures(store, capsys):
    code, report = ask(store.path, "--target-precision", "0.7", capsys=capsys)
    assert code == 0
    assert report["n"] in range(150, 260)
    assert report["splits"]["used"] == ["train", "dev"]
    assert report["splits"]["parts"]["test"]["items"] == 90
    assert report["metrics"]["accuracy"] == 1
    low, high = report["ci95"]["accuracy"]
    assert low < 1
    assert high == 1
    assert report["guarantee"]["target"] == 0.7
    assert report["guarantee"]["holds"] is True
    assert report["threshold"] == report["guarantee"]["threshold"]
    assert report["human_agreement"] is None


def test_a_target_that_does_not_hold_exits_with_1_and_says_how_many_labels_would_do(store, capsys):
    code, report = ask(store.path, "--target-precision", "0.95", capsys=capsys)
    assert code == 1
    assert report["guarantee"]["holds"] is False
    assert report["guarantee"]["labels_needed"] > 0
    assert report["threshold"] is None
    assert ask(store.path, capsys=capsys)[0] == 0


def test_the_test_part_needs_a_reason_which_is_kept(store, capsys):
    code, message = ask(store.path, "--open-test", capsys=capsys)
    assert code == 2
    assert "--reason" in message
    code, report = ask(store.path, "--open-test", "--why", "release", "--by", "Ada", capsys=capsys)
    assert report["n"] == 90
    (opening,) = report["splits"]["test_openings"]
    assert (opening["reviewer"], opening["reason"], opening["figures"]) == (
        "Ada", "release", "all figures of local",
    )  # fmt: skip
    split = Splits(store).all()[0]
    assert [opening.reason for opening in Splits(store).openings(split.id)] == ["release"]


def test_labelled_items_without_a_verdict_are_judged_first_and_once(path, capsys):
    store = Store(path)
    for number in range(6):
        add_run(store, f"r{number}", [Given(), Given()], judge=())
    assert len(OfflineJudgmentRepository(store).unjudged("local")) == 12
    code, report = ask(path, capsys=capsys)
    assert code == 0
    assert sum(part["items"] for part in report["splits"]["parts"].values()) == 12
    assert OfflineJudgmentRepository(store).unjudged("local") == []
    result = store.get_run("r0").citations[0]
    assert result.status == "ok"
    assert result.judgment.judge == "local"


def test_a_scripted_judge_is_cut_off_by_its_cap_and_goes_on_later(path, tmp_path, capsys):
    store = Store(path)
    for number in range(6):
        add_run(store, f"r{number}", mixed(f"r{number}", 10))
    script = tmp_path / "judge.json"
    reply = {"label": "not_supported", "confidence": 0.7, "cost_usd": 0.05}
    script.write_text(json.dumps({"default": reply}))
    spec = f"scripted:{script}"
    main(["calibrate", "--json", "--db", str(store.path), "--judge", spec])
    captured = capsys.readouterr()
    assert "has not judged 60 labelled items" in captured.err
    assert "40 items were not judged: the cost cap of $1.00" in captured.err
    assert len(OfflineJudgmentRepository(store).unjudged(spec)) == 40
    code, report = ask(store.path, "--judge", spec, "--max-cost-usd", "5", capsys=capsys)
    assert report["judge"] == [spec]
    assert report["metrics"]["accuracy"] == 0.5
    assert OfflineJudgmentRepository(store).unjudged(spec) == []


def test_without_judging_only_the_verdicts_there_are_count(path, capsys):
    store = Store(path)
    add_run(store, "r0", mixed("r0", 10))
    add_run(store, "r1", mixed("r1", 10), judge=())
    code, report = ask(path, "--no-judging", capsys=capsys)
    assert sum(part["items"] for part in report["splits"]["parts"].values()) == 10
    assert len(OfflineJudgmentRepository(store).unjudged("local")) == 10


def test_a_report_is_kept_as_markdown_or_html(store, tmp_path, capsys):
    for name in ("report.md", "report.html"):
        assert ask(store.path, "--report", str(tmp_path / name), capsys=capsys)[0] == 0
    text = (tmp_path / "report.md").read_text("utf-8")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert text.startswith("# How far local can be trusted")
    assert "<svg" in page
    assert "<script" not in page
    assert "src=" not in page
    code, message = ask(store.path, "--report", str(tmp_path / "report.doc"), capsys=capsys)
    assert code == 2
    assert ".md or .html" in message


def test_thresholds_are_saved_and_listed(store, capsys):
    _, report = ask(store.path, "--target-precision", "0.7", "--save", "for May", capsys=capsys)
    assert report["threshold_id"] == "t1"
    assert Thresholds(store).get("t1").note == "for May"
    _, thresholds = ask(store.path, "--thresholds", capsys=capsys)
    assert [threshold["id"] for threshold in thresholds] == ["t1"]


def test_a_band_is_saved_in_place_of_the_threshold(store, capsys):
    _, report = ask(store.path, "--target-precision", "0.7", "--save", "--band", capsys=capsys)
    threshold = Thresholds(store).get(report["threshold_id"])
    assert threshold.aim.startswith("abstain band")
    code, message = ask(store.path, "--band", capsys=capsys)
    assert code == 2
    assert "--save" in message


def test_a_band_that_rejects_everything_is_refused(path, capsys):
    store = Store(path)
    rated(store, lambda run, n: "supported" if n == run % 10 else "not_supported")
    arguments = ["--target-precision", "0.6", "--save", "--band"]
    code = main(["calibrate", "--json", "--db", str(path), *arguments])
    printed, message = capsys.readouterr()
    # the figures are printed all the same
    assert code == 1
    assert json.loads(printed)["threshold_id"] is None
    assert "This band would reject all" in message
    assert "90% of them are not supported. Choose a higher target." in message
    assert Thresholds(store).all() == []


def test_queues_can_be_drawn_up(store, capsys):
    add_run(store, "new", mixed("new", 6, people=()))
    _, report = ask(store.path, "--label-next", "3", "--random-sample", "20", capsys=capsys)
    sizes = {summary.queue.id: summary.items for summary in Queues(store).list_queues()}
    assert sizes[report["label_next_queue"]] == 3
    assert sizes[report["random_sample_queue"]] == 20


def test_drawn_up_queues_ask_fields(store, capsys, tmp_path):
    file = tmp_path / "fields.json"
    file.write_text('[{"name": "severity", "question": "How bad?", "kind": "score"}]')
    _, report = ask(store.path, "--random-sample", "2", "--fields", str(file), capsys=capsys)
    (field,) = Queues(store).get(report["random_sample_queue"]).fields
    assert (field.name, field.low, field.high) == ("severity", 1, 5)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{}", "a JSON list"),
        ("[", "contains no valid fields"),
        ('[{"name": "a"}]', "is of one kind of"),
    ],
)
def test_fields_that_cannot_be_asked_are_told_first(store, capsys, tmp_path, content, told):
    file = tmp_path / "fields.json"
    file.write_text(content)
    code = main(
        ["calibrate", "--db", str(store.path), "--random-sample", "2", "--fields", str(file)]
    )
    assert (code, Queues(store).list_queues()) == (2, [])
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target-precision", "1.5"], "between 0 and 1"),
        (["--judge", "nobody"], "There is no judge"),
        (["--since", "May"], "is not a date"),
        (["--cost", "1:x"], "is not an amount of at least 0"),
    ],
)
def test_wrong_usage_gets_a_sentence(store, arguments, message, capsys):
    try:
        code = main(["calibrate", "--db", str(store.path), *arguments])
    except SystemExit as exit:
        code = exit.code
    assert code == 2
    assert message in capsys.readouterr().err


def test_a_database_without_labels_gets_a_sentence(path, capsys):
    code, message = ask(path, capsys=capsys)
    assert code == 2
    assert "import labels" in message


def test_a_run_can_refer_to_a_saved_threshold(store, tmp_path, capsys):
    ask(store.path, "--target-precision", "0.7", "--save", capsys=capsys)
    text = tmp_path / "answer.txt"
    text.write_text("The bridge is long [1].\n\n[1] https://a.example/x")
    main(["verify", str(text), "--db", str(store.path), "--json", "--threshold", "t1"])
    captured = capsys.readouterr()
    assert captured.out, captured.err
    run = json.loads(captured.out)
    threshold = Thresholds(store).get("t1")
    assert run["config"]["threshold"] == {
        "id": "t1", "judge": "local", "accept": threshold.accept, "reject": None,
    }  # fmt: skip
    assert store.get_run(run["id"]).config["threshold"]["id"] == "t1"
    assert main(["verify", str(text), "--db", str(store.path), "--threshold", "t9"]) == 2
    assert "no threshold" in capsys.readouterr().err


def test_a_fitted_limit_is_saved_only_where_it_is_admitted(store, capsys):
    code, report = ask(store.path, "--save", "desk", "--fitted", capsys=capsys)
    assert code == 0
    (judge,) = report["fitted_limits"]
    (limit,) = judge["limits"]
    assert limit["admitted"] and limit["fitted_on"] + limit["tested_on"] == judge["labels"] == 210
    assert limit["sentence"] == judge["sentences"][0]
    (saved,) = Thresholds(store).all()
    assert saved.id == report["threshold_id"]
    assert saved.accept == saved.reject == limit["limit"]
    assert (saved.target, saved.holds, saved.kinds, saved.note) == (0.7, True, {}, "desk")

    code, report = ask(store.path, "--save", "--fitted", "--rate-target", "0.995", capsys=capsys)
    assert code == 1
    assert report["threshold_id"] is None
    (limit,) = report["fitted_limits"][0]["limits"]
    assert not limit["admitted"] and limit["labels_needed"] > 0
    assert len(Thresholds(store).all()) == 1
    assert "--fitted requires --save" in ask(store.path, "--fitted", capsys=capsys)[1]
