"""What the README shows runs as it stands, and its figures are those of the embedded judge."""

import json
import re
import shlex
from pathlib import Path

import workbench
from tests.fakes.documents import blocks, run_document
from tests.fakes.providers import Answer, FakeProvider
from workbench.interfaces.cli.main import build_parser
from workbench.shipped import JUDGE_DATA

README = Path(workbench.__file__).parents[1] / "README.md"


def test_the_readmes_python_runs(tmp_path, monkeypatch):
    text = README.read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    with FakeProvider(lambda request: Answer(text="The bridge measures 120 metres.")) as provider:
        for name, address in (("ANTHROPIC", provider.url), ("OPENAI", f"{provider.url}/v1")):
            monkeypatch.setenv(f"{name}_API_KEY", "not-a-key")
            monkeypatch.setenv(f"{name}_BASE_URL", address)
        assert run_document(text, tmp_path, only=("python",)) == 3
        assert [request.api for request in provider.requests] == ["chat"]
    examples = [body for kind, _, body in blocks(text) if kind == "python"]
    assert any("to_frame" in body for body in examples) and any(
        "grounded(" in body for body in examples
    )


def test_it_is_read_in_five_minutes():
    assert len(README.read_text("utf-8").splitlines()) <= 150


def test_its_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", README.read_text("utf-8"))
    assert targets and [name for name in targets if not (README.parent / name).exists()] == []


def test_its_commands_and_options_exist():
    lines = re.findall(r"^workbench (.+?)(?:  +#.*)?$", README.read_text("utf-8"), re.M)
    assert len(lines) >= 5
    for line in lines:
        build_parser().parse_args(shlex.split(line))


def test_its_figures_of_the_embedded_judge_are_the_measured_ones():
    """Each stands there once, as in the model card."""
    measured = json.loads((JUDGE_DATA / "weights.json").read_text("utf-8"))["answers"]
    text = " ".join(README.read_text("utf-8").split())
    card = " ".join((JUDGE_DATA / "MODEL_CARD.md").read_text("utf-8").split())
    right, missed = (f"{measured[key]:.0%}"[:-1] for key in ("right", "missed_contradictions"))
    stated = (
        f"{measured['citations']} citations",
        f"{right} % of its labels are right",
        f"{missed} % of the contradictions supported",
    )
    assert [text.count(words) for words in stated] == [1, 1, 1]
    assert f"{right} % of the labels are right, and {missed} % of the contradictions" in card
    (agreed,) = re.findall(r"agrees with (\d+) of the 86 labels", text)
    assert f"agrees with {agreed} of our labels" in card


def test_the_steps_are_counted():
    steps = README.read_text("utf-8").split("## Five-minute tour")[1].split("\n## ")[0]
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", steps, re.M)]
    assert numbers == list(range(1, len(numbers) + 1))
