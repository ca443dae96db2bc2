"""What the README shows in Python runs as it stands, against a server of this machine."""

import re
from pathlib import Path

import workbench
from tests.fakes.documents import blocks, run_document
from tests.fakes.providers import Answer, FakeProvider

README = Path(workbench.__file__).parents[1] / "README.md"


def test_the_readmes_python_runs(tmp_path, monkeypatch):
    text = README.read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    with FakeProvider(lambda request: Answer(text="The bridge measures 120 metres.")) as provider:
        for name, address in (("ANTHROPIC", provider.url), ("OPENAI", f"{provider.url}/v1")):
            monkeypatch.setenv(f"{name}_API_KEY", "not-a-key")
            monkeypatch.setenv(f"{name}_BASE_URL", address)
        assert run_document(text, tmp_path, only=("python",)) == 3
        assert [request.api for request in provider.requests] == ["chat", "messages"]
    examples = [body for kind, _, body in blocks(text) if kind == "python"]
    assert any("to_frame" in body for body in examples) and any(
        "grounded(" in body for body in examples
    )


def test_lines_that_are_run_one_after_the_other_write_to_folders_of_their_own():
    batches = re.findall(
        r"^python -m workbench batch .*?--out (\S+)", README.read_text("utf-8"), re.M
    )
    assert len(batches) >= 2
    assert len(set(batches)) == len(batches), "a second batch does not write over the first"


def test_the_steps_are_counted():
    steps = README.read_text("utf-8").split("## Five-minute tour")[1].split("\n## ")[0]
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", steps, re.M)]
    assert numbers == list(range(1, len(numbers) + 1))
