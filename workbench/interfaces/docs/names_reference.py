"""Public names with their signatures and docstrings."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

_MODULE_PREFIXES = re.compile(
    r"\b(?:workbench|collections|typing|threading|pathlib|datetime)\.(?:\w+\.)*"
)


def describe_names(objects: Mapping[str, object]) -> str:
    """A heading, the signature and the docstring for each name."""
    return "\n\n".join(_describe(name, what) for name, what in objects.items())


def _describe(name: str, what: object) -> str:
    docstring = inspect.getdoc(what) or ""
    lines = [f"### {name}"]
    if inspect.isclass(what):
        lines.append(_docstring(docstring))
        methods = [
            (method, inspect.getdoc(function) or "")
            for method, function in vars(what).items()
            if not method.startswith("_") and inspect.isfunction(function)
        ]
        lines += [f"- `{method}{_signature(getattr(what, method))}` – {_first_paragraph(doc)}"
                  for method, doc in methods]  # fmt: skip
        head, rest = lines[:2], lines[2:]
        return "\n\n".join(head) + ("\n\n" + "\n".join(rest) if rest else "")
    if callable(what):
        lines.append(f"```python\n{name}{_signature(what)}\n```")
    lines.append(_docstring(docstring))
    return "\n\n".join(lines)


def _signature(what: Callable[..., object]) -> str:
    try:
        signature = inspect.signature(what)
    except (TypeError, ValueError):
        return "(…)"
    shown_parameters = [
        parameter for parameter in signature.parameters.values() if parameter.name != "self"
    ]
    written = _annotations(what)
    back = written.get("return", signature.return_annotation)
    arrow = "" if back is inspect.Signature.empty else f" -> {_annotation_text(back)}"
    return f"({', '.join(_parameters(shown_parameters, written))}){arrow}"


def _annotations(what: Callable[..., object]) -> dict[str, str]:
    """The types of a function's parameters as the code has them: by their short names."""
    try:
        source = textwrap.dedent(inspect.getsource(what))
        function = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return {}
    arguments = function.args
    parameters = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    types = {
        argument.arg: ast.unparse(argument.annotation)
        for argument in parameters
        if argument and argument.annotation
    }
    return {**types, "return": ast.unparse(function.returns)} if function.returns else types


def _parameters(
    shown_parameters: Sequence[inspect.Parameter], written: Mapping[str, str]
) -> Iterator[str]:
    starred = False
    for parameter in shown_parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        elif parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        text = parameter.name
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            text = ("*" if parameter.kind is parameter.VAR_POSITIONAL else "**") + text
        if parameter.annotation is not parameter.empty:
            text += f": {_annotation_text(written.get(parameter.name, parameter.annotation))}"
        if parameter.default is not parameter.empty:
            default_text = repr(parameter.default)
            # a function has no name that is the same on every machine
            text += f" = {default_text if '0x' not in default_text else '…'}"
        yield text


def _annotation_text(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _MODULE_PREFIXES.sub("", text).replace("'", "")


def _first_paragraph(docstring: str) -> str:
    return " ".join(docstring.split("\n\n")[0].split())


def _docstring(docstring: str) -> str:
    """The docstring as Markdown: its lists of arguments and errors as lists."""
    sections: list[str] = []
    for part in re.split(r"\n(?=(?:Args|Raises|Returns|Yields):\n)", docstring):
        head, colon, rest = part.partition(":\n")
        if colon and head in ("Args", "Raises", "Returns", "Yields"):
            sections.append(f"{'Takes' if head == 'Args' else head}:\n\n{_bullet_list(rest)}")
        else:
            sections.append(part.strip())
    return "\n\n".join(section for section in sections if section)


def _bullet_list(text: str) -> str:
    text = inspect.cleandoc(text)
    entries = re.split(r"\n(?=[*A-Za-z_][\w, ]*: )", text)
    items = []
    for entry in entries:
        name, colon, says = entry.partition(": ")
        description = " ".join((says if colon else entry).split())
        items.append(f"- `{name.strip()}`: {description}" if colon else f"- {description}")
    return "\n".join(items)
