"""Models that Transformers runs, where that extra is installed."""

import json
import os

import pytest

from tests.fakes.pair_models import NLI, write_model
from workbench.errors import UnknownJudge
from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SOURCE = "The old bridge was opened in 1913."


@pytest.fixture
def folder(tmp_path):
    """A small BERT with random weights, and the same tokenizer as other models of tests."""
    from tokenizers import Tokenizer

    folder = write_model(tmp_path / "bert", SOURCE)
    (folder / "model.onnx").unlink()
    size = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab_size()
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=size, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64, id2label=dict(enumerate(NLI)),
        label2id={label: i for i, label in enumerate(NLI)},
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(str(folder))
    return folder


def test_it_says_what_transformers_says(folder):
    from tokenizers import Tokenizer

    judgment = open_judge(f"nli:{folder}").judge(SOURCE, select_passages(SOURCE, SOURCE))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(str(folder)).eval()
    pair = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(SOURCE, SOURCE)
    inputs = {
        "input_ids": torch.tensor([pair.ids]),
        "token_type_ids": torch.tensor([pair.type_ids]),
    }
    with torch.inference_mode():
        support = model(**inputs).logits.softmax(-1)[0, 0].item()
    assert judgment.score == pytest.approx(support, abs=1e-4)


def test_a_pickle_with_code_is_refused(folder, tmp_path):
    class Attack:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "attacked"),)

    (folder / "model.safetensors").unlink()
    torch.save({"x": Attack()}, folder / "pytorch_model.bin")
    with pytest.raises(UnknownJudge, match="cannot be opened by Transformers"):
        open_judge(f"nli:{folder}")
    assert not (tmp_path / "attacked").exists()


def test_a_model_with_code_of_its_own_is_refused(folder):
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoModelForSequenceClassification": "modeling.Model"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UnknownJudge, match="program code of its own"):
        open_judge(f"nli:{folder}")
