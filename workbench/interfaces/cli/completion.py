"""The command that prints a shell's completion script: `completion`.

The script is self-contained: completion does not start Python.
"""

import argparse
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from workbench.interfaces.cli.output import print_document
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)
SHELLS = ("bash", "zsh", "tcsh")


def add_commands(
    commands: "argparse._SubParsersAction[_Sort]",
    shared: _Sort,
    build_parser: Callable[[], argparse.ArgumentParser],
) -> None:
    """Add the command to a parser; `build_parser` returns a parser of every command."""
    completion = commands.add_parser("completion", parents=[shared])
    completion.add_argument(
        "shell",
        choices=SHELLS,
        help="the shell; see `workbench docs cli` for where to put the script",
    )

    def show(arguments: argparse.Namespace, settings: Settings) -> int:
        script = completion_script(build_parser(), arguments.shell)
        print_document(arguments, {"shell": arguments.shell, "script": script}, script)
        return 0

    completion.set_defaults(verb=show)


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script that completes a parser's commands, options, choices and file names."""
    import shtab

    for action in _arguments(parser):
        if places := _places(action):
            setattr(action, "complete", getattr(shtab, places))  # noqa: B010  # shtab reads it there
    return shtab.complete(parser, shell)


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _arguments(command)
        else:
            yield action


def _places(action: argparse.Action) -> str:
    """The kind of path that an argument names, by its name in the help; empty if it names none."""
    names = re.findall("[A-Z]+", str(action.metavar or ""))
    if {"FILE", "PATH", "OUT", "PAIRS"}.intersection(names):
        return "FILE"
    return "DIRECTORY" if "DIR" in names else ""
