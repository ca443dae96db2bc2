"""Arguments in, a verb of the library, one document or a short table out.

With `--json` standard output holds one JSON document and nothing else; progress and warnings go to
standard error. Exit codes: 0 done and passed, 1 done but failed, incomplete or blocked, 2 usage.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from workbench.errors import UsageError, storage_error
from workbench.masking import mask_logs
from workbench.settings import load_settings

if TYPE_CHECKING:
    from workbench.interfaces.cli.serve import Server
    from workbench.interfaces.docs import Section

_MODULES: Mapping[str, tuple[str, ...]] = {
    "commands": ("extract", "verify", "claims", "resume", "evaluate", "snapshots", "demo"),
    "calibrate": ("calibrate",),
    "compare": ("compare",),
    "drift": ("drift",),
    "prompts": ("prompts",),
    "data": ("erase", "backup", "restore", "search"),
    "references": ("references",),
    "serve": ("serve", "mcp"),
    "batch": ("batch",),
    "datasets": ("import", "export"),
    "registry": ("registry",),
    "models": ("models",),
    "docs": ("docs",),
}
"""The module that adds each command: one command imports what it needs, help imports all."""


class _Parser(argparse.ArgumentParser):
    """Usage errors in one sentence, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See `{self.prog} --help`.\n")


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
        dest="command", required=True, metavar="COMMAND", parser_class=_Parser
    )
    modules = [module for module, names in _MODULES.items() if command in names]
    arguments_for = {"serve": servers or {}, "docs": sections}
    for module in modules or _MODULES:
        add_commands = import_module(f"workbench.interfaces.cli.{module}").add_commands
        add_commands(
            commands, common, *([arguments_for[module]] if module in arguments_for else [])
        )
    return parser


def main(
    argv: Sequence[str] | None = None,
    servers: "Mapping[str, Server] | None" = None,
    sections: "Callable[[], Mapping[str, Section]]" = dict,
) -> int:
    """Run one command and return its exit code.

    `servers` are what commands can start, `sections` what draws the parts of the documentation.
    """
    mask_logs()
    argv = sys.argv[1:] if argv is None else argv
    parser = build_parser(servers, sections, command=argv[0] if argv else None)
    arguments = parser.parse_args(argv)
    from workbench.services.database import keep_open
    from workbench.services.judges import use_models_folder

    try:
        settings = load_settings()
        use_models_folder(settings.models_folder)
        with keep_open():
            code: int = arguments.verb(arguments, settings)
        sys.stdout.flush()
        return code
    except UsageError as error:
        print(f"workbench: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # the reader of the pipe has closed it: nothing more can be printed
        sys.stderr.close()
        return 1
    except OSError as error:
        refused = storage_error(error)
        if refused is None:
            raise
        print(f"workbench: {refused}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("workbench: stopped; what was done so far is kept.", file=sys.stderr)
        return 1
