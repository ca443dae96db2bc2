"""Models of one's own on the command line: listed, asked, compared, calibrated, asked again."""

import json

import pytest

from tests.fakes.pair_models import write_model
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.interfaces.cli import main
from workbench.judging import local_servers
from workbench.judging.nli import files
from workbench.settings import load_settings

SOURCE = "Rain fell on Monday. The old bridge was opened in 1913."
DENIAL = "The old bridge was not opened in 1913."
TEXT = "The old bridge was opened in 1913 [1].\n\n## References\n[1] Bridges\n"


@pytest.fixture(autouse=True)
def no_places(monkeypatch):
    monkeypatch.setattr(files, "_PLACES", files._Places())


@pytest.fixture
def model(tmp_path):
    return write_model(tmp_path / "far" / "bridges", f"{SOURCE} snow covered seven mountains")


@pytest.fixture
def answer(tmp_path):
    (tmp_path / "answer.md").write_text(TEXT)
    (tmp_path / "sources.json").write_text(json.dumps([{"content": SOURCE, "label": "1"}]))
    return [tmp_path / "answer.md", "--sources", tmp_path / "sources.json"]


def run_json(capsys, *arguments):
    code = main([*map(str, arguments), "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else None, captured.err


def pairs_file(path, count):
    """Half of the claims are in their source, a quarter is denied, a quarter is not there."""
    lines = []
    for n in range(count):
        source = (SOURCE, DENIAL, SOURCE, "Snow covered seven mountains.")[n % 4]
        label = ("supported", "contradicted", "supported", "not_supported")[n % 4]
        claim = f"The old bridge was opened in 1913 {'.' * (n + 1)}"
        lines.append({"id": str(n), "claim": claim, "source": source, "label": label})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_models_are_listed_and_known_ones_named(capsys):
    folder = load_settings().models_folder
    write_model(folder / "bridges", SOURCE)
    write_model(
        folder / "silent", SOURCE, ("LABEL_0", "LABEL_1"), classes=("neutral", "entailment")
    )
    code, listing, _ = run_json(capsys, "models")
    assert code == 0
    assert {"weights.json", "passages.json"} <= set(listing["embedded"]["files"])
    assert "on whole pages" in listing["embedded"]["limits"]
    assert not {"prices.json", "MODEL_CARD.md", "known_models.json"} & set(
        listing["embedded"]["files"]
    )
    assert listing["onnxruntime"] == {"available": True, "problem": None}
    bridges, silent = listing["own"]
    assert (bridges["judge"], bridges["runs_with"], bridges["problem"]) == (
        "nli:bridges", "onnxruntime", "",
    )  # fmt: skip
    assert bridges["size_bytes"] == sum(
        path.stat().st_size for path in (folder / "bridges").iterdir()
    )
    assert "name them in their order" in silent["problem"]
    assert listing["folder"] == str(folder)
    for known in listing["known"]:
        assert known["licence"]
        # a model has a command and a judge, or a sentence why it has none
        assert known.get("judge", "").startswith("nli:") or "Cannot be used here" in known["notes"]
        assert ("fetch" in known) == ("judge" in known)
        if "fetch" in known:
            place = known["judge"].removeprefix("nli:").partition("?")[0]
            assert known["fetch"].startswith("hf download ")
            assert known["fetch"].endswith(f"--local-dir {folder / place}")


def test_a_person_reads_what_to_do(capsys):
    assert main(["models"]) == 0
    shown = capsys.readouterr().out
    assert "none; a model in another folder is named by its path: --judge nli:PATH" in shown
    assert "hf download " in shown


def test_the_settings_name_another_folder(capsys, tmp_path):
    data = load_settings().data_dir
    data.mkdir(parents=True, exist_ok=True)
    (data / "settings.toml").write_text('models = "../elsewhere"\n')
    write_model(data.parent / "elsewhere" / "bridges", SOURCE)
    _, listing, _ = run_json(capsys, "models")
    assert [model["name"] for model in listing["own"]] == ["bridges"]


def test_a_run_names_the_model_and_is_judged_again_by_that_name(capsys, model, answer, monkeypatch):
    code, run, _ = run_json(capsys, "verify", *answer, "--judge", f"nli:{model}")
    assert (code, run["total_supported"]) == (0, 1)
    (spec,) = run["judge"]
    assert str(model.parent) not in json.dumps(run)
    # another process knows the place from the models' folder
    monkeypatch.setattr(files, "_PLACES", files._Places())
    _, again, _ = run_json(capsys, "verify", *answer, "--judge", spec)
    assert again["judge"] == [spec]
    assert again["citations"][0]["judgment"]["score"] == run["citations"][0]["judgment"]["score"]


@pytest.mark.parametrize("panel", ["majority", "unanimous", "cascade"])
def test_a_model_sits_in_a_panel(capsys, model, answer, panel):
    arguments = ["--judge", "local", "--judge", f"nli:{model}", "--panel", panel]
    _, run, _ = run_json(capsys, "verify", *answer, *arguments)
    assert run["judge"][0] == "local"
    assert run["judge"][1].startswith("nli:bridges@")
    assert run["citations"][0]["judgment"]["label"] == "supported"


def test_a_model_is_evaluated_on_pairs(capsys, model, tmp_path):
    pairs = pairs_file(tmp_path / "pairs.jsonl", 24)
    code, document, _ = run_json(capsys, "evaluate", pairs, "--judge", f"nli:{model}")
    assert code == 0
    assert (document["n"], document["auroc"], document["cost_usd"]) == (24, 1.0, 0.0)


def test_a_model_is_calibrated_on_labels_and_its_verdicts_are_kept(
    capsys, model, tmp_path, monkeypatch
):
    pairs = pairs_file(tmp_path / "pairs.jsonl", 60)
    assert run_json(capsys, "import", "pairs", pairs)[0] == 0
    arguments = ["calibrate", "--target-precision", "0.5"]
    code, report, error = run_json(capsys, *arguments, "--judge", f"nli:{model}")
    assert code in (0, 1), error
    assert report["metrics"]["auroc"] == 1.0
    (spec,) = report["judge"]
    assert spec.startswith("nli:bridges@")
    # by path or by name it is the same judge, which is not asked twice
    monkeypatch.setattr(files, "_PLACES", files._Places())
    for judge in (spec, f"nli:{model}"):
        _, again, _ = run_json(capsys, "calibrate", "--judge", judge)
        assert (again["judge"], again["n"]) == ([spec], report["n"])


def test_a_mistake_is_one_sentence_and_exit_code_2(capsys, answer, tmp_path):
    code, run, error = run_json(capsys, "verify", *answer, "--judge", f"nli:{tmp_path / 'none'}")
    assert (code, run) == (2, None)
    assert error.count("\n") == 1
    assert "There is no folder" in error
    code, _, error = run_json(capsys, "verify", *answer, "--judge", "nli:none@01234567")
    assert code == 2
    assert "name it once by its path" in error


@pytest.fixture
def ollama(monkeypatch):
    monkeypatch.setattr(local_servers._FINDING, "found", None)
    with FakeProvider() as server:
        server.models = ["qwen3:8b", "nomic-embed-text"]
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


def test_models_of_servers_on_this_machine_are_listed(ollama, capsys):
    _, listing, _ = run_json(capsys, "models")
    by_name = {server["name"]: server for server in listing["servers"]}
    assert list(by_name) == ["ollama", "lmstudio", "llamacpp", "vllm"]
    assert by_name["ollama"] == {
        "name": "ollama", "title": "Ollama", "address": ollama.url.removeprefix("http://"),
        "state": "ready", "judges": ["ollama:qwen3:8b"], "problem": None,
    }  # fmt: skip
    assert by_name["vllm"]["state"] == "stopped"
    assert main(["models"]) == 0
    told = capsys.readouterr().out
    assert "ollama:qwen3:8b  Ollama at 127.0.0.1:" in told
    assert "vllm: vLLM does not run at 127.0.0.1:9: start it with `vllm serve MODEL`." in told


def test_settings_can_forbid_servers(ollama, capsys):
    settings = load_settings().data_dir / "settings.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("local_servers = false\n")
    _, listing, _ = run_json(capsys, "models")
    assert listing["servers"] == []
    assert main(["models", "--try", "ollama:qwen3:8b"]) == 2
    assert "set local_servers = true" in capsys.readouterr().err
    assert ollama.listed == 0
    settings.unlink()
    assert main(["models"]) == 0 and ollama.listed == 1


def replied(label, quote="reopened six weeks later", **more):
    return verdict(label, quote, **{"corrected_claim": "", **more})


@pytest.mark.parametrize(
    ("answer", "code", "label", "keeps", "said"),
    [
        (Answer(text=replied("contradicted")), 0, "contradicted", True,
         "kept to the schema, and was right: contradicted."),
        (Answer(text=f"Sure!\n{replied('contradicted')}"), 0, "contradicted", False,
         "did not keep to the schema, and was right: contradicted."),
        (Answer(text=replied("supported")), 1, "supported", True,
         "was wrong: it said supported, right is contradicted. Do not rely on it."),
        (Answer(text=replied("contradicted", "nine weeks")), 1, None, True, "says contradicted, but"),
        (Answer(text=replied("contradicted", mood="sure")), 0, "contradicted", False,
         "did not keep to the schema, and was right"),
        (Answer(text="Yes."), 1, None, False, "is not a verdict"),
        (Answer(raw=b"<html>"), 1, None, False, "answered with a web page"),
    ],
)  # fmt: skip
def test_one_question_tries_a_model(ollama, capsys, answer, code, label, keeps, said):
    ollama.queue(answer)
    found = run_json(capsys, "models", "--try", "ollama:qwen3:8b")
    assert found[0] == code
    trial = found[1]
    assert (trial["label"], trial["right"], trial["keeps_schema"]) == (label, code == 0, keeps)
    assert said in trial["says"]
    assert trial["seconds"] >= 0 and trial["expected"] == "contradicted"
    assert len(ollama.requests) == 1


@pytest.mark.parametrize("spec", ["local", "openai:gpt-4o-mini", "ollama", "nobody"])
def test_only_models_on_this_machine_are_tried(capsys, spec):
    assert main(["models", "--try", spec]) == 2
    assert "is no model of a server on this machine" in capsys.readouterr().err
