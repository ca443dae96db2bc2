"""The fields of records, settings and policies: type, default, and the string under each in the code."""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields
from itertools import zip_longest
from typing import Literal, get_args, get_origin

from workbench.records.citation import Citation, Claim, Extraction, Reference, Target
from workbench.records.source import Passage, RetrievalOptions, Source
from workbench.records.verdict import CitationResult, ErrorInfo, Evidence, Judgment, Layers, Run
from workbench.services.policies import (
    ACTIONS,
    FIELDS,
    HANDLINGS,
    PATTERNS,
    STANDINGS,
    Kind,
    read_policy,
)
from workbench.settings import KEYS, SERVER_KEYS, VARIABLES, Serving, Settings
from workbench.shipped import SHIPPED_DATA


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The table; cells in one line each, bars escaped; empty without rows."""
    if not rows:
        return ""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """The text as code; empty for an empty one."""
    return f"`{text}`" if text else ""


def describe_fields(record: type) -> str:
    """A table of a dataclass's fields.

    Raises:
        TypeError: It is no dataclass.
    """
    rows = []
    written = {name: (kind, note) for name, kind, note in _documented_fields(record)}
    for field in fields(record):
        usual = ""
        if field.default is not MISSING:
            usual = repr(field.default)
        elif field.default_factory is not MISSING:
            usual = repr(field.default_factory())
        kind, note = written.get(field.name, (str(field.type), ""))
        if get_origin(field.type) is Literal:
            kind = " · ".join(f"`{choice}`" for choice in get_args(field.type))
        else:
            kind = code(kind)
        rows.append([code(field.name), kind, code(usual if len(usual) < 40 else "…"), note])
    return table(["field", "type", "default", "what it is"], rows)


def field_notes(record: type) -> dict[str, str]:
    """The strings under the fields of a class, by field, in one line each."""
    return {name: note for name, _, note in _documented_fields(record) if note}


def _documented_fields(record: type) -> Iterator[tuple[str, str, str]]:
    """Each field of a class as the code has it: name, type, and the string under it."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(record)))
    body: list[ast.stmt] = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    for statement, following in zip_longest(body, body[1:]):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            note = ""
            if (
                isinstance(following, ast.Expr)
                and isinstance(following.value, ast.Constant)
                and isinstance(following.value.value, str)
            ):
                note = " ".join(following.value.value.split())
            yield statement.target.id, ast.unparse(statement.annotation), note


SHOWN = (
    Extraction, Citation, Target, Reference, Claim, Run, CitationResult, ErrorInfo, Source,
    Judgment, Evidence, Layers, Passage,
)  # fmt: skip


def describe_records(records: Sequence[type] = SHOWN) -> str:
    """A heading, the docstring and the fields of each record."""
    return "\n\n".join(
        f"### {record.__name__}\n\n{inspect.getdoc(record)}\n\n{describe_fields(record)}"
        for record in records
    )


def describe_settings() -> str:
    """A table of the variables, and one of the keys with their types, defaults and meanings."""
    notes = {**field_notes(Settings), **field_notes(RetrievalOptions)}
    usual = {
        name: getattr(RetrievalOptions(), name) for name in RetrievalOptions.__dataclass_fields__
    }
    usual |= {
        name: field.default
        for name, field in Settings.__dataclass_fields__.items()
        if field.default is not MISSING
    }
    rows = [
        [code(key), kind, code(_toml(usual.get(key))), notes.get(key, "")]
        for key, kind in sorted(KEYS.items())
    ]
    served = [
        [code(key), kind, code(_toml(getattr(Serving(), key))), field_notes(Serving).get(key, "")]
        for key, kind in sorted(SERVER_KEYS.items())
    ]
    variables = [[code(name), description] for name, description in VARIABLES.items()]
    return "\n\n".join(
        [
            "Environment variables; they take precedence over the file:",
            table(["variable", "what it does"], variables),
            "Keys of `settings.toml`:",
            table(["key", "holds", "default", "what it does"], rows),
            "Keys under `[server]`:",
            table(["key", "holds", "default", "what it does"], served),
        ]
    )


def _toml(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[]" if not value else str(list(value))
    if isinstance(value, dict):
        return "{}"
    return str(value)


_VALUE_KINDS: dict[Kind, str] = {
    "switch": "`true` or `false`",
    "share": "0 to 1",
    "action": " · ".join(code(action) for action in ACTIONS),
    "standing": " · ".join(code(standing) for standing in STANDINGS),
    "handling": " · ".join(code(handling) for handling in HANDLINGS),
    "patterns": "a list of " + " · ".join(code(pattern) for pattern in PATTERNS),
    "address": "a URI",
    "secret": "a text, or `${VARIABLE}`",
    "milliseconds": "1 to 60000",
}
_COMPARED_FIELDS = (
    "require_sources", "require_source_match", "min_confidence", "min_groundedness",
    "min_context_overlap", "unverified_action", "hallucination_action",
    "require_existing_reference", "on_unchecked_reference", "on_retracted",
)  # fmt: skip


def describe_policy() -> str:
    """A table of all fields, and one of the ready-made policies."""
    fields = [
        [code(field.path), _VALUE_KINDS[field.kind], field.default, field.says] for field in FIELDS
    ]
    ready = []
    for path in sorted((SHIPPED_DATA / "policies").glob("*.yaml")):
        text = path.read_text("utf-8")
        policy = read_policy(text, {})
        purpose = text.partition("\n")[0].removeprefix("#").strip()
        values = (getattr(policy, name) for name in _COMPARED_FIELDS)
        ready.append([code(path.stem), purpose, *map(_yaml, values)])
    return "\n\n".join(
        [
            "Under `policy: citation-verifier:`, with dots for what is nested:",
            table(["field", "holds", "default", "what it does"], fields),
            "Ready-made, by name (`--policy medical`):",
            table(["name", "made for", *(code(name) for name in _COMPARED_FIELDS)], ready),
        ]
    )


def _yaml(value: object) -> str:
    if value is None:
        return "unset"
    return str(value).lower() if isinstance(value, bool) else str(value)
