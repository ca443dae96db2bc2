"""Public names with their signatures and docstrings.

Every command with its arguments, read out of the parser.

The parser's own help depends on the width of the terminal and on Python's version; this does not.
"""

import argparse
import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

from workbench.interfaces.docs.fields_reference import code, table


def describe_commands(parser: argparse.ArgumentParser) -> str:
    """A heading, a line of usage and a table of arguments for each command."""
    commands = list(_commands(parser))
    shared = _common_options([command for _, _, command in commands])
    every = [_row(action) for action in _arguments(commands[0][2]) if _key(action) in shared]
    parts = ["Every command takes:\n", table(["option", "what it does", "default"], every)]
    for name, description, command in commands:
        own_arguments = [action for action in _arguments(command) if _key(action) not in shared]
        usage = " ".join(["workbench", name, *(_usage(action) for action in own_arguments)])
        rows = table(
            ["argument", "what it does", "default"], [_row(action) for action in own_arguments]
        )
        parts.append(
            f"\n### {name}\n\n{_sentence(description)}\n\n```text\n{usage}\n```\n\n{rows}".strip(
                "\n"
            )
        )
        parts[-1] = "\n" + parts[-1]
    return "\n".join(parts)


def _commands(
    parser: argparse.ArgumentParser, prefix: str = ""
) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Each command's full name, sentence and parser; one with commands below gives those."""
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        descriptions = {
            choices_action.dest: choices_action.help or ""
            for choices_action in action._choices_actions
        }
        for name, command in action.choices.items():
            if name not in descriptions:
                continue  # another name of a command
            full = f"{prefix} {name}".strip()
            if any(isinstance(below, argparse._SubParsersAction) for below in command._actions):
                yield from _commands(command, full)
            else:
                yield full, descriptions.get(name, command.description or ""), command


def _arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    skipped = (argparse._HelpAction, argparse._SubParsersAction)
    shown_actions = [
        action
        for action in parser._actions
        if not isinstance(action, skipped) and action.help != argparse.SUPPRESS
    ]
    return sorted(shown_actions, key=lambda action: bool(action.option_strings))


def _common_options(parsers: list[argparse.ArgumentParser]) -> set[tuple[str, ...]]:
    """The options that every command has."""
    sets = [{_key(action) for action in _arguments(parser)} for parser in parsers]
    return set.intersection(*sets) if sets else set()


def _key(action: argparse.Action) -> tuple[str, ...]:
    return (*action.option_strings, action.dest)


def _value(action: argparse.Action) -> str:
    """The place that a value takes; empty for a switch."""
    if action.nargs == 0:
        return ""
    if isinstance(action.metavar, str):
        value_name = action.metavar
    elif action.choices is not None:
        value_name = "|".join(map(str, action.choices))
    else:
        value_name = action.dest.upper().replace("-", "_")
    if action.nargs == "?":
        return f"[{value_name}]"
    return f"{value_name}…" if action.nargs in ("+", "*") else value_name


def _argument_name(action: argparse.Action) -> str:
    return " ".join([*action.option_strings[:1], _value(action)]).strip()


def _usage(action: argparse.Action) -> str:
    usage = _argument_name(action)
    optional = not action.required if action.option_strings else action.nargs == "*"
    usage = f"[{usage}]" if optional else usage
    return f"{usage}…" if isinstance(action, argparse._AppendAction) else usage


def _row(action: argparse.Action) -> list[str]:
    description = (action.help or "") % {**vars(action), "prog": "workbench"}
    if action.choices is not None and isinstance(action.metavar, str):
        choices = ", ".join(f"`{choice}`" for choice in action.choices)
        description = (
            f"{description} ({choices})"
            if description and "`" not in description
            else description or choices
        )
    usual = action.default
    if usual in (None, False, argparse.SUPPRESS, "") or usual == []:
        default_text = "required" if action.required and action.option_strings else ""
    else:
        default_text = code(str(usual))
    return [code(_argument_name(action)), description, default_text]


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", ":")) else ".") if text else ""


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
