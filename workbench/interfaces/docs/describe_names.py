"""Public names with their signatures and docstrings."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

_ROOMS = re.compile(r"\b(?:workbench|collections|typing|threading|pathlib|datetime)\.(?:\w+\.)*")


def describe_names(named: Mapping[str, object]) -> str:
    """A heading, the signature and the docstring for each name."""
    return "\n\n".join(_one(name, what) for name, what in named.items())


def _one(name: str, what: object) -> str:
    said = inspect.getdoc(what) or ""
    lines = [f"### {name}"]
    if inspect.isclass(what):
        lines.append(_docstring(said))
        methods = [
            (method, inspect.getdoc(function) or "")
            for method, function in vars(what).items()
            if not method.startswith("_") and inspect.isfunction(function)
        ]
        lines += [f"- `{method}{_signature(getattr(what, method))}` – {_first(doc)}"
                  for method, doc in methods]  # fmt: skip
        head, rest = lines[:2], lines[2:]
        return "\n\n".join(head) + ("\n\n" + "\n".join(rest) if rest else "")
    if callable(what):
        lines.append(f"```python\n{name}{_signature(what)}\n```")
    lines.append(_docstring(said))
    return "\n\n".join(lines)


def _signature(what: object) -> str:
    try:
        signature = inspect.signature(what)  # type: ignore[arg-type]  # checked by the caller
    except (TypeError, ValueError):
        return "(…)"
    kept = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    written = _written(what)
    back = written.get("return", signature.return_annotation)
    arrow = "" if back is inspect.Signature.empty else f" -> {_typed(back)}"
    return f"({', '.join(_parameters(kept, written))}){arrow}"


def _written(what: object) -> dict[str, str]:
    """The types of a function's parameters as the code has them: by their short names."""
    try:
        source = textwrap.dedent(inspect.getsource(what))  # type: ignore[arg-type]
        found = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    if not isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef):
        return {}
    given = found.args
    listed = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    types = {one.arg: ast.unparse(one.annotation) for one in listed if one and one.annotation}
    return {**types, "return": ast.unparse(found.returns)} if found.returns else types


def _parameters(kept: Sequence[inspect.Parameter], written: Mapping[str, str]) -> Iterator[str]:
    starred = False
    for one in kept:
        if one.kind is one.VAR_POSITIONAL:
            starred = True
        elif one.kind is one.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        text = one.name
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            text = ("*" if one.kind is one.VAR_POSITIONAL else "**") + text
        if one.annotation is not one.empty:
            text += f": {_typed(written.get(one.name, one.annotation))}"
        if one.default is not one.empty:
            shown = repr(one.default)
            # a function has no name that is the same on every machine
            text += f" = {shown if '0x' not in shown else '…'}"
        yield text


def _typed(given: object) -> str:
    text = given if isinstance(given, str) else inspect.formatannotation(given)
    return _ROOMS.sub("", text).replace("'", "")


def _first(said: str) -> str:
    return " ".join(said.split("\n\n")[0].split())


def _docstring(said: str) -> str:
    """The docstring as Markdown: its lists of arguments and errors as lists."""
    found: list[str] = []
    for part in re.split(r"\n(?=(?:Args|Raises|Returns|Yields):\n)", said):
        head, colon, rest = part.partition(":\n")
        if colon and head in ("Args", "Raises", "Returns", "Yields"):
            found.append(f"{'Takes' if head == 'Args' else head}:\n\n{_listed(rest)}")
        else:
            found.append(part.strip())
    return "\n\n".join(one for one in found if one)


def _listed(text: str) -> str:
    text = inspect.cleandoc(text)
    entries = re.split(r"\n(?=[*A-Za-z_][\w, ]*: )", text)
    shown = []
    for entry in entries:
        name, colon, says = entry.partition(": ")
        said = " ".join((says if colon else entry).split())
        shown.append(f"- `{name.strip()}`: {said}" if colon else f"- {said}")
    return "\n".join(shown)
