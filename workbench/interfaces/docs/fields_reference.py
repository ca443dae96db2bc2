"""The fields of a record: type, default, and the string under each in the code."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, fields
from itertools import zip_longest
from typing import Literal, get_args, get_origin

from workbench.interfaces.docs.tables import code, table


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
