"""The glossary names what pages, commands and documents say, and they say it in its words."""

import argparse
import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import workbench
from workbench.interfaces.cli.main import build_parser
from workbench.services.documents import DOCS, documents

ROOT = Path(workbench.__file__).parent
GLOSSARY = (DOCS / "glossary.md").read_text("utf-8")
TERMS = re.findall(r"\*\*([^*]+)\*\*", GLOSSARY)
OLD_WORDS = (
    r"let through wrongly",
    r"\bdr(?:aw|aws|awn|ew) up\b",
    r"\byardsticks?\b",
    r"\baskings\b|\b(?:an|the|each|every|this|first|newest|last) asking\b",
    r"\banchor sets?\b",
    r"\btak(?:e|en) in\b",
    r"\bthe article\b",
    r"\bput away\b",
    r"\bdearest\b",
    r"\bwhat judges are asked by\b",
)
"""Words that pages and commands once had for terms of the glossary."""


def literals(path: Path) -> Iterator[str]:
    """The texts in a file of code; docstrings are for those who read the code."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in docstrings and " " in node.value.strip():
            yield node.value


def help_texts(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The help texts of a parser and its subparsers."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from (choice.help or "" for choice in action._choices_actions)
            for below in action.choices.values():
                yield from help_texts(below)
        elif action.help and action.help != argparse.SUPPRESS:
            yield action.help


@cache
def texts_by_place() -> dict[str, str]:
    """Everything that people read, by where it is."""
    texts = {
        path.relative_to(ROOT).as_posix(): "\n".join(literals(path))
        for folder in ("interfaces/web", "presentation")
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    texts["command line"] = "\n".join(help_texts(build_parser()))
    return texts | {
        document.path.name: document.text for document in documents() if document.name != "glossary"
    }


def test_the_glossary_has_one_sentence_or_more_for_every_term():
    lines = [line for line in GLOSSARY.splitlines() if line.startswith("- ")]
    assert len(lines) > 40
    assert [line for line in lines if not re.match(r"- \*\*[^*]+\*\*.*[:\w] .{20,}\.$", line)] == []
    assert len({term.casefold() for term in TERMS}) == len(TERMS)


@pytest.mark.parametrize("term", TERMS)
def test_every_term_is_in_use(term):
    words = r"s?\s+".join(map(re.escape, term.split()))
    pattern = re.compile(rf"\b{words}s?\b", re.IGNORECASE)
    assert any(pattern.search(text) for text in texts_by_place().values())


@pytest.mark.parametrize("words", OLD_WORDS)
def test_no_page_command_or_document_says_it_in_the_old_words(words):
    pattern = re.compile(words, re.IGNORECASE)
    violations = [
        f"{place}: {match[0]} in {text[max(0, match.start() - 40) : match.end() + 40]!r}"
        for place, text in texts_by_place().items()
        for match in pattern.finditer(text)
    ]
    assert violations == []
