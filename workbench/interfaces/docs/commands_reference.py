"""Every command with its arguments, read out of the parser.

The parser's own help depends on the width of the terminal and on Python's version; this does not.
"""

import argparse
from collections.abc import Iterator

from workbench.interfaces.docs.tables import code, table


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
