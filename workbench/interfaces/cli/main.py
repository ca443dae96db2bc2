"""Arguments in, a verb of the library, one document or a short table out.

With `--json` standard output holds one JSON document and nothing else; progress and warnings go to
standard error. Exit codes: 0 done and passed, 1 done but failed, incomplete or blocked, 2 usage.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from workbench.errors import UsageError, storage_error
from workbench.interfaces.cli.terminal import say, terminal_width, write
from workbench.masking import mask_logs
from workbench.settings import load_settings

if TYPE_CHECKING:
    from workbench.interfaces.cli.serve import Server
    from workbench.interfaces.docs import Section


GROUPS: Mapping[str, Mapping[str, str]] = {
    "Check citations": {
        "extract": "list every citation of a text with its offsets",
        "verify": "fetch and judge every cited source",
        "references": "check whether each reference exists and is described correctly",
        "claims": "check claims without citations against sources that you provide",
        "batch": "check folders and JSONL files of outputs; can be stopped and resumed",
        "resume": "resume a run that was stopped or interrupted",
    },
    "Review": {
        "serve": "serve the pages, the HTTP API, the pass-through and /mcp on this machine",
        "search": "search outputs, claims, rationales, notes and sources",
        "runs": "list the stored runs, rename one",
        "matrix": "show which source of a run says what about which statement, and contradictions",
        "sentences": "list what each sentence of a run is there for, correct one",
        "handoff": "have any chat window judge a run: write its questions, take the answers back",
        "demo": "add the shipped demo outputs and an example workspace once, offline",
    },
    "Evaluate judges": {
        "evaluate": "evaluate a judge on labelled pairs, with intervals",
        "calibrate": "evaluate a judge against human labels, and choose a threshold",
        "compare": "compare two judges, prompts or panels on the same labelled examples, with the "
        "differences",
        "drift": "monitor a judge over time on a fixed set of labelled examples",
        "prompts": "prompts of language models: versions, few-shot examples, optimisation",
        "models": (
            "list the models on this machine that can judge, and how to get known ones; downloads "
            "nothing"
        ),
    },
    "Manage data": {
        "import": "import labelled examples or a batch, each once; reports skipped lines",
        "export": "write verdicts and labels as a data set, with its data card",
        "snapshots": "stored sources: list, verify, export, import",
        "registry": "import libraries and retraction tables to look up references offline",
        "backup": "write the database and the stored sources to one file",
        "restore": "restore a backup",
        "erase": "delete an output and everything derived from it",
    },
    "Connect and learn": {
        "mcp": "serve the workbench's tools to agents (MCP)",
        "docs": "show the documentation of each interface",
        "completion": "print the script that completes commands and options in a shell",
    },
}
"""The commands of each group, each with a sentence, in the order of the help."""

DESCRIPTIONS: Mapping[str, str] = {
    name: sentence for commands in GROUPS.values() for name, sentence in commands.items()
}

MODULES: Mapping[str, tuple[str, ...]] = {
    "commands": ("extract", "verify", "claims", "resume", "evaluate"),
    "demo": ("demo",),
    "handoff": ("handoff",),
    "matrix": ("matrix",),
    "snapshots": ("snapshots",),
    "calibrate": ("calibrate",),
    "compare": ("compare",),
    "drift": ("drift",),
    "prompts": ("prompts",),
    "data": ("erase", "backup", "restore", "search"),
    "references": ("references",),
    "runs": ("runs",),
    "sentences": ("sentences",),
    "serve": ("serve", "mcp"),
    "batch": ("batch",),
    "datasets": ("import", "export"),
    "registry": ("registry",),
    "models": ("models",),
    "docs": ("docs",),
    "completion": ("completion",),
}
"""The module that adds each command, so that a command imports only what it needs."""


def overview(width: int = 80) -> str:
    """What the workbench is for and its commands in groups, within a width in characters."""
    from textwrap import wrap

    column = max(map(len, DESCRIPTIONS)) + 4
    lines = ["usage: workbench COMMAND …", "", "Check whether an AI's citations hold."]
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:"]
        for name, sentence in commands.items():
            first, *more = wrap(sentence, max(width - column, 24))
            lines.append(f"  {name:<{column - 2}}{first}")
            lines += [" " * column + line for line in more]
    lines += [
        "",
        "Start with `workbench verify FILE --sources DIR`, or with `workbench demo` and then",
        "`workbench serve`. `workbench COMMAND --help` shows a command's options, `workbench docs`",
        "the documentation.",
    ]
    return "\n".join(lines) + "\n"


def unknown_command(name: str) -> str:
    """The error for an unknown command, with the most similar one, if any."""
    from difflib import get_close_matches

    like = get_close_matches(name, DESCRIPTIONS, n=1)
    return f"there is no command {name[:80]!r}" + (f"; did you mean {like[0]}?" if like else "")


class _Parser(argparse.ArgumentParser):
    """Usage errors in one sentence, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        say(f"{self.prog}: {message}. See `{self.prog} --help`.")
        self.exit(2)


if TYPE_CHECKING:
    _SubParsers = argparse._SubParsersAction[_Parser]
else:
    _SubParsers = argparse._SubParsersAction  # takes no type when the program runs


class _Commands(_SubParsers):
    """Commands that are described as in the list of all."""

    def add_parser(self, name: str, **options: Any) -> _Parser:  # noqa: ANN401  # those of argparse
        sentence = DESCRIPTIONS[name]
        description = f"{sentence[:1].upper()}{sentence[1:]}."
        return super().add_parser(name, help=sentence, description=description, **options)


def build_parser(
    servers: "Mapping[str, Server] | None" = None,
    sections: "Callable[[], Mapping[str, Section]]" = dict,
    command: str | None = None,
) -> argparse.ArgumentParser:
    """The parser of every command; its help is the documentation of the command line.

    With a `command` that is known, the parser of its module's commands alone, which starts faster.
    """
    common = _Parser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    common.add_argument(
        "--db", type=Path, metavar="PATH", help="database (default: workbench.duckdb in the data "
        "directory, $WORKBENCH_DATA or the user's)",
    )  # fmt: skip
    parser = _Parser(prog="workbench", description="Check whether an AI's citations hold.")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Parser, action=_Commands
    )
    modules = [module for module, names in MODULES.items() if command in names]
    arguments_for = {"serve": servers or {}, "docs": sections, "completion": build_parser}
    for module in modules or MODULES:
        add_commands = import_module(f"workbench.interfaces.cli.{module}").add_commands
        add_commands(
            commands, common, *([arguments_for[module]] if module in arguments_for else [])
        )
    return parser


def main(
    argv: Sequence[str] | None = None,
    servers: "Mapping[str, Server] | None" = None,
    sections: "Callable[[], Mapping[str, Section]]" = dict,
    on_stop: "Callable[[], None]" = lambda: None,
) -> int:
    """Run one command and return its exit code.

    `servers` are what commands can start, `sections` what draws the parts of the documentation;
    `on_stop` is called where Ctrl-C ended the command, once the user was told.
    """
    mask_logs()
    argv = sys.argv[1:] if argv is None else argv
    _answer_without_command(argv)
    arguments = build_parser(servers, sections, command=argv[0]).parse_args(argv)
    from workbench.services.database import keep_open
    from workbench.services.judges import use_judges

    try:
        settings = load_settings()
        use_judges(settings.models_folder, settings.local_servers)
        with keep_open():
            code: int = arguments.verb(arguments, settings)
        sys.stdout.flush()
        return code
    except UsageError as error:
        say(f"workbench: {error}")
        return 2
    except BrokenPipeError:
        # the reader of the pipe has closed it: nothing more can be printed
        sys.stderr.close()
        return 1
    except OSError as error:
        refused = storage_error(error)
        if refused is None:
            raise
        say(f"workbench: {refused}")
        return 2
    except KeyboardInterrupt as stop:
        say(f"workbench: stopped; {stop.args[0] if stop.args else 'results so far are kept.'}")
        on_stop()
        return 1


def _answer_without_command(argv: Sequence[str]) -> None:
    """Show what there is, or say what was not understood, where no command is named first.

    It needs none of the commands' modules.
    """
    first = argv[0] if argv else ""
    if first in DESCRIPTIONS:
        return
    if not argv or first in ("-h", "--help"):
        write(overview(terminal_width(sys.stdout)).rstrip("\n"))
        if argv:
            raise SystemExit(0)
    parser = _Parser(prog="workbench")
    if not argv:
        parser.error("name a command")
    parser.error("name the command first" if first.startswith("-") else unknown_command(first))
