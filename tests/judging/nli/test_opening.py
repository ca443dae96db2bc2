"""How a model is found, named in runs and refused; every refusal says what to do."""

import json
import re
import sys

import pytest

from tests.fakes.pair_models import write_model
from workbench.errors import UnknownJudge
from workbench.judging.judge_factory import judge_availability, name_in_runs, open_judge
from workbench.judging.nli import files
from workbench.judging.nli.files import use_models_folder
from workbench.judging.passages import select_passages

SOURCE = "The old bridge was opened in 1913. Many people came to see it."
CLAIM = "The old bridge was opened in 1913."


@pytest.fixture(autouse=True)
def no_places(monkeypatch):
    monkeypatch.setattr(files, "_PLACES", files._Places())


@pytest.fixture
def model(tmp_path):
    return write_model(tmp_path / "somewhere" / "bridges", SOURCE)


def label_of(spec):
    return open_judge(spec).judge(CLAIM, select_passages(CLAIM, SOURCE)).label


def test_a_judge_is_named_by_its_folder_and_a_hash(model):
    spec = open_judge(f"nli:{model}").spec
    assert re.fullmatch(r"nli:bridges@[0-9a-f]{8}", spec)
    assert name_in_runs(f"nli:{model}") == spec
    assert open_judge(f"nli:{model / 'model.onnx'}").spec != ""
    judgment = open_judge(f" nli:{model} ").judge(CLAIM, select_passages(CLAIM, SOURCE))
    assert judgment.judge == spec
    assert str(model.parent) not in json.dumps(judgment.to_dict())


def test_two_models_of_one_name_are_told_apart(model, tmp_path):
    other = write_model(tmp_path / "elsewhere" / "bridges", SOURCE, ("neutral", "entailment"))
    specs = {name_in_runs(f"nli:{folder}") for folder in (model, other)}
    assert len(specs) == 2
    same = write_model(tmp_path / "third" / "bridges", SOURCE)
    assert name_in_runs(f"nli:{same}") in specs  # the same bytes are the same judge


def test_other_labels_are_another_judge(model):
    turned = f"nli:{model}?labels=contradiction,neutral,entailment"
    assert name_in_runs(turned) != name_in_runs(f"nli:{model}")
    assert label_of(turned) == "contradicted"
    assert name_in_runs(f"nli:{model}?first=source") == name_in_runs(f"nli:{model}")


def test_names_with_signs_that_panels_use_are_made_plain(tmp_path):
    folder = write_model(tmp_path / "a + b (majority)@1", SOURCE)
    assert re.fullmatch(r"nli:a-b-majority-1@[0-9a-f]{8}", open_judge(f"nli:{folder}").spec)


def test_a_name_opens_what_was_opened_by_its_path(model):
    spec = open_judge(f"nli:{model}").spec
    assert label_of(spec) == "supported"
    assert name_in_runs(spec) == spec


def test_options_come_back_with_the_name(tmp_path):
    folder = write_model(
        tmp_path / "m", SOURCE, ("LABEL_0", "LABEL_1"), classes=("neutral", "entailment")
    )
    spec = open_judge(f"nli:{folder}?labels=unsupported,supported").spec
    assert label_of(spec) == "supported"


def test_a_name_is_found_in_the_models_folder_by_another_process(tmp_path, monkeypatch):
    models = tmp_path / "models"
    use_models_folder(models)
    outside = write_model(tmp_path / "outside", SOURCE)
    inside = write_model(models / "inside", SOURCE)
    specs = [open_judge(f"nli:{outside}").spec, open_judge("nli:inside").spec]
    assert name_in_runs(f"nli:{inside}") == specs[1]
    monkeypatch.setattr(files, "_PLACES", files._Places())
    use_models_folder(models)
    assert [label_of(spec) for spec in specs] == ["supported", "supported"]
    # and in the folder alone, without the list of places
    (models / "locations.json").write_text("{ damaged")
    assert label_of(specs[1]) == "supported"


def test_a_model_that_was_exchanged_is_not_taken_for_the_old_one(model):
    spec = open_judge(f"nli:{model}").spec
    write_model(model, SOURCE, ("contradiction", "neutral", "entailment"))
    with pytest.raises(UnknownJudge, match=r"no longer the one of .*use its path"):
        open_judge(spec)
    assert open_judge(f"nli:{model}").spec != spec


def test_a_name_that_is_not_known_says_what_to_do():
    with pytest.raises(
        UnknownJudge, match=r"No model minicheck@0a1b2c3d is known here: name it once"
    ):
        open_judge("nli:minicheck@0a1b2c3d")


def test_models_of_the_folder_are_offered(tmp_path):
    use_models_folder(tmp_path)
    write_model(tmp_path / "Bridges", SOURCE)
    (tmp_path / "empty").mkdir()
    specs = [judge.spec for judge in judge_availability() if judge.is_complete]
    assert specs == ["local", "nli:Bridges"] or specs[:2] == ["local", "nli:Bridges"]
    assert "nli:PATH" in [judge.spec for judge in judge_availability()]
    assert not {"nli:PATH", "anthropic:MODEL", "scripted:FILE"} & set(specs)


def break_file(name, content):
    return lambda folder: (folder / name).write_bytes(content)


@pytest.mark.parametrize(
    ("breaking", "message"),
    [
        (lambda f: (f / "model.onnx").unlink(), "contains no model: it needs model.onnx"),
        (lambda f: (f / "tokenizer.json").unlink(), "has no tokenizer.json: copy it"),
        (lambda f: (f / "config.json").unlink(), "has no config.json that can be read"),
        (
            break_file("config.json", b"{"),
            "config.json of 'bridges' is not JSON: download it again",
        ),
        (break_file("config.json", b"[]"), "contains no JSON object"),
        (break_file("config.json", b"{}"), "does not name its classes"),
        (break_file("config.json", b'{"id2label": {"a": "x"}}'), "no numbers as keys"),
        (break_file("model.onnx", b"not a model"), "cannot be read as ONNX"),
        (break_file("tokenizer.json", b"{}"), r"tokenizer .* cannot be read"),
        (
            break_file("config.json", b'{"id2label": {"0": "supported", "1": "unsupported"}}'),
            "gives 3 numbers for a pair, and its labels name 2",
        ),
        (
            break_file("config.json", b'{"id2label": {"0": "a", "1": "b"}}'),
            "class 'a' is not known",
        ),
        (
            break_file(
                "config.json",
                b'{"id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}',
            ),
            "does not say what they mean: name them in their order",
        ),
    ],
)
def test_a_folder_that_is_not_whole_is_refused(model, breaking, message):
    breaking(model)
    with pytest.raises(UnknownJudge, match=message):
        open_judge(f"nli:{model}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("?label=a", "no option 'label=a'; known are labels, first"),
        ("?first=premise", "first .* is source or claim"),
        ("?window=5", "number of tokens from 32 on"),
        ("?outputs=odds", "logits or probabilities"),
        ("?file=../other/model.onnx", "contains no model '../other/model.onnx'"),
        ("?file=none.onnx", "contains no model 'none.onnx'"),
        ("?labels=good,bad,ugly", "class 'good' is not known"),
    ],
)
def test_options_that_make_no_sense_are_refused(model, options, message):
    write_model(model.parent / "other", SOURCE)
    with pytest.raises(UnknownJudge, match=message):
        open_judge(f"nli:{model}{options}")


def test_folders_that_are_none_are_refused(tmp_path):
    with pytest.raises(UnknownJudge, match="There is no folder .*workbench models"):
        open_judge(f"nli:{tmp_path / 'none'}")
    with pytest.raises(UnknownJudge, match="There is no judge 'nli:'"):
        open_judge("nli:")


def test_several_models_want_a_choice(model, tmp_path):
    for name in ("a.onnx", "b.onnx"):
        (model / name).write_bytes((model / "model.onnx").read_bytes())
    (model / "model.onnx").unlink()
    with pytest.raises(UnknownJudge, match=r"several models \(a.onnx, b.onnx\): choose one"):
        open_judge(f"nli:{model}")
    assert label_of(f"nli:{model}?file=b.onnx") == "supported"
    assert label_of(f"nli:{model / 'b.onnx'}") == "supported"


def test_a_model_too_short_for_a_pair_is_refused(tmp_path):
    folder = write_model(tmp_path / "m", SOURCE, longest=16)
    with pytest.raises(UnknownJudge, match="reads 16 tokens at most"):
        open_judge(f"nli:{folder}")


def test_without_onnxruntime_the_command_is_named(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    places_name = name_in_runs(f"nli:{model}")  # the name needs no library
    assert places_name.startswith("nli:bridges@")
    with pytest.raises(UnknownJudge, match="pip install onnxruntime tokenizers"):
        open_judge(f"nli:{model}?window=60")


def test_without_transformers_the_command_is_named(model, monkeypatch):
    (model / "model.onnx").rename(model / "model.safetensors")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UnknownJudge, match=r"pip install 'torch>=2.13' 'transformers>=5'"):
        open_judge(f"nli:{model}")
