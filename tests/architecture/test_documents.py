"""The documentation says what the code does: references are current, and examples run."""

import re
from pathlib import Path

import pytest

from tests.fakes.documents import blocks, matches, run_document
from tests.fakes.providers import Answer, FakeProvider
from workbench.__main__ import sections
from workbench.errors import UsageError
from workbench.interfaces.docs import render_document, stale_documents
from workbench.services.documents import DOCS, DocumentationPage, documents

RENEW = "draw them anew with: .venv/bin/python -m workbench docs --write"


def test_the_drawn_parts_are_what_the_code_says():
    stale = [document.path.name for document in stale_documents(sections())]
    assert stale == [], f"{', '.join(stale)}: {RENEW}"


def test_every_section_is_used_and_every_document_listed():
    used = {
        name
        for document in documents()
        for name in re.findall(r"generated: ([\w-]+)", document.text)
    }
    assert used == set(sections())
    index = (DOCS / "README.md").read_text("utf-8")
    assert [
        document.name for document in documents() if f"({document.path.name})" not in index
    ] == ["README"]


def test_nothing_in_a_reference_is_left_unsaid():
    """Every argument, tool argument, request field, setting and policy field says what it does."""
    undescribed = [
        f"{document.name}: {line}"
        for document in documents()
        if document.name in ("cli", "mcp", "http", "settings", "policy")
        for part in re.findall(
            r"^\| (?:option|argument|key|variable|field) \|.*\n\|.*\n((?:\| .*\n)+)",
            re.sub(r"^Gives:\n\n(?:\|.*\n)+", "", document.text, flags=re.M),
            re.M,
        )
        for line in part.splitlines()
        if not _is_described(line, document.name)
    ]
    assert undescribed == []


def _is_described(line, name):
    """Whether the description cell of a row has words in it."""
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    # the default is the last column of the command line's tables
    words = cells[1] if name == "cli" else cells[-1]
    return bool(
        re.sub(
            r"Default: `[^`]*`\.|At (?:least|most) [\d.]+\.|[\d.]+ to [\d.]+\.", "", words
        ).strip()
    )


@pytest.mark.parametrize("document", documents(), ids=lambda document: document.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.text):
        if "://" not in target:
            assert (DOCS / target).exists(), f"{document.path.name} links to {target}"


@pytest.mark.parametrize("document", documents(), ids=lambda document: document.name)
def test_examples_run_as_they_stand(document, tmp_path, monkeypatch):
    """Clients of providers reach a server of this machine, which answers all of them the same."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "kept"))
    by_hand = re.sub(
        r"<!-- generated: (\S+) -->.*?<!-- end of \1 -->", "", document.text, flags=re.S
    )
    with FakeProvider(lambda request: Answer(text="The bridge measures 120 metres.")) as provider:
        for name in ("ANTHROPIC", "OPENAI"):
            monkeypatch.setenv(f"{name}_API_KEY", "not-a-key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
        run = run_document(by_hand, tmp_path)
    runnable = [
        block for block in blocks(by_hand) if block[0] in ("python", "console") and not block[1]
    ]
    assert run == len(runnable)


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a b\n", "a   b\n", True),
        ("a … c\n", "a b b c\n", True),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n", "a\nb\n", False),
        ("score 0.50\n", "score 0.51\n", False),
    ],
)
def test_dots_stand_for_anything_and_nothing_else_does(expected, printed, same):
    assert matches(expected, printed) is same


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# A\n\n<!-- generated: unknown -->\n<!-- end of unknown -->\n", "which does not exist"),
        ("# A\n\n<!-- generated: commands -->\n", "without its other half"),
    ],
)
def test_a_mark_that_nothing_draws_is_told(text, message):
    with pytest.raises(UsageError, match=message):
        render_document(DocumentationPage(path=Path("a.md"), text=text), {"commands": lambda: "x"})


def test_what_is_written_by_hand_stays():
    text = "# A\n\nBy hand.\n<!-- generated: one -->\nold\n<!-- end of one -->\nMore.\n"
    rendered = render_document(
        DocumentationPage(path=Path("a.md"), text=text), {"one": lambda: "new"}
    )
    assert rendered == text.replace("old", "new")
