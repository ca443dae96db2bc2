"""A policy's YAML with one field changed; everything else in it stays as it was written.

The new value is put in at the place that YAML's parser reports, so that comments, order and
quoting stay. Only comments between the items of a list that is itself replaced are lost.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.policy.fields import FIELDS
from workbench.policy.read import NAME, compose_document, read_policy

if TYPE_CHECKING:
    from yaml import MappingNode, Node

FieldValue = bool | float | str | tuple[str, ...] | None
"""The value of a field; None where it is unset."""
EDITABLE = frozenset(
    field.path for field in FIELDS if field.kind not in ("address", "secret", "milliseconds")
)
"""Paths of the fields that can be changed: all but those of the resolver."""


def edit_policy(
    text: str, path: str, value: FieldValue, environment: Mapping[str, str] | None = None
) -> str:
    """The YAML of a policy in which one field has another value.

    Args:
        text: The YAML of a valid policy.
        path: One of `EDITABLE`.
        value: A value of the field's kind; None only for a field that may be unset.
        environment: The variables that the policy names.

    Raises:
        InvalidPolicy: The document is no policy, or would not be one with this value.
        UsageError: The field cannot be changed without changing something else.
    """
    if path not in EDITABLE:
        raise UsageError(f"{path} cannot be changed here; change it in the YAML.")
    name = path.rpartition(".")[2]
    policy = read_policy(text, environment)
    if getattr(policy, name) == value:
        return text
    edited = _with_value(text, ("policy", NAME, *path.split(".")), value)
    expected = replace(policy, **{name: value})  # type: ignore[arg-type]
    # not so where the value is an alias (*x) of another one
    if read_policy(edited, environment) != expected:
        raise UsageError(
            f"{name} cannot be changed here without another field; change it in the YAML."
        )
    return edited


def _with_value(text: str, names: tuple[str, ...], value: FieldValue) -> str:
    """The document with a value at the end of a path of names; what is missing of it is added."""
    from yaml import MappingNode

    node = compose_document(text)
    for depth, name in enumerate(names):
        if not isinstance(node, MappingNode) or not node.value:
            return _replaced(text, node, _nested(names[depth:], value))
        entry = next((entry for entry in node.value if entry[0].value == name), None)
        if entry is None:
            return _added(text, node, f"{name}: {_nested(names[depth + 1 :], value)}")
        node = entry[1]
    return _replaced(text, node, _yaml_in_place_of(node, value))


def _nested(names: tuple[str, ...], value: FieldValue) -> str:
    yaml_text = _yaml_of(value)
    for name in reversed(names):
        yaml_text = f"{{{name}: {yaml_text}}}"
    return yaml_text


def _replaced(text: str, node: "Node", yaml_text: str) -> str:
    start, end = node.start_mark.index, _end(text, node)
    # the value of a name without one begins right after the colon
    blank = " " if text[start - 1 : start] == ":" else ""
    return text[:start] + blank + yaml_text + text[end:]


def _added(text: str, node: "MappingNode", entry: str) -> str:
    """The document with an entry after the last one of a mapping that has some."""
    end = _end(text, node.value[-1][1])
    if node.flow_style:
        return f"{text[:end]}, {entry}{text[end:]}"
    column = node.value[0][0].start_mark.column
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    return f"{text[:line_end]}\n{' ' * column}{entry}{text[line_end:]}"


def _end(text: str, node: "Node") -> int:
    """The end of a node's own characters: a block's mark stands after the comments below it."""
    from yaml import CollectionNode, MappingNode

    if isinstance(node, CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(node, MappingNode) else last)
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(text[start:end].rstrip())


def _yaml_in_place_of(node: "Node", value: FieldValue) -> str:
    """A value as YAML; a list in lines where it takes the place of one."""
    from yaml import SequenceNode

    if not isinstance(value, tuple) or not isinstance(node, SequenceNode) or node.flow_style:
        return _yaml_of(value)
    separator = "\n" + " " * node.start_mark.column
    # a list without items cannot stand as far left as one in lines
    return separator.join(f"- {item}" for item in value) or f" {_yaml_of(value)}"


def _yaml_of(value: FieldValue) -> str:
    """A value as YAML; only words of policies are ever written, which need no quotes."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case tuple():
            return f"[{', '.join(value)}]"
        case str():
            return value
    # never 1e-05, which YAML takes for a word
    return format(Decimal(repr(value)), "f")
