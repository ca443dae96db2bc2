"""What the README shows in Python runs as it stands, against a server of this machine."""

from pathlib import Path

import workbench
from tests.fakes.documents import blocks, run_document
from tests.fakes.providers import Answer, FakeProvider

README = Path(workbench.__file__).parents[1] / "README.md"


def test_the_readmes_python_runs(tmp_path, monkeypatch):
    text = README.read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    with FakeProvider(lambda asked: Answer(text="The bridge measures 120 metres.")) as provider:
        for name, address in (("ANTHROPIC", provider.url), ("OPENAI", f"{provider.url}/v1")):
            monkeypatch.setenv(f"{name}_API_KEY", "not-a-key")
            monkeypatch.setenv(f"{name}_BASE_URL", address)
        assert run_document(text, tmp_path, only=("python",)) == 3
        assert [one.api for one in provider.requests] == ["chat", "messages"]
    shown = [body for kind, _, body in blocks(text) if kind == "python"]
    assert any("to_frame" in body for body in shown) and any("grounded(" in body for body in shown)
