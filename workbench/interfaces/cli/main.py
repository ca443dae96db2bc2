"""Arguments in, a verb of the library, one document or a short table out.

With `--json` standard output holds one JSON document and nothing else; progress and warnings go to
standard error. Exit codes: 0 done and passed, 1 done but failed, incomplete or blocked, 2 usage.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from workbench.errors import UsageError, storage_error
from workbench.interfaces.cli import (
    batch,
    calibrate,
    compare,
    data,
    datasets,
    docs,
    drift,
    prompts,
    serve,
)
from workbench.interfaces.cli import commands as verbs
from workbench.interfaces.cli.judging_options import add_prompt, add_scope, add_standalone, cap
from workbench.interfaces.cli.serve import Server
from workbench.interfaces.docs import Section
from workbench.masking import mask_logs
from workbench.pipeline import CAP_USD
from workbench.settings import load_settings


class _Parser(argparse.ArgumentParser):
    """Usage errors in one sentence, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See `{self.prog} --help`.\n")


def build_parser(
    servers: Mapping[str, Server] | None = None,
    sections: Callable[[], Mapping[str, Section]] = dict,
) -> argparse.ArgumentParser:
    """The parser of every command; its help is the documentation of the command line."""
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

    extract = commands.add_parser(
        "extract", parents=[common], help="list every citation of a text with its offsets"
    )
    extract.add_argument("file", metavar="FILE|-", help="text, Markdown, JSON or PDF; - is stdin")
    extract.set_defaults(verb=verbs.extract_command)

    verify = commands.add_parser(
        "verify", parents=[common], help="fetch and judge every cited source"
    )
    verify.add_argument("file", metavar="FILE|-", help="text, Markdown, JSON or PDF; - is stdin")
    verify.add_argument(
        "--judge", action="append", metavar="SPEC",
        help="local, anthropic:MODEL, openai:MODEL or scripted:FILE; repeat for a panel",
    )  # fmt: skip
    add_prompt(verify)
    verify.add_argument(
        "--panel", choices=["majority", "unanimous", "cascade"], default="majority",
        help="how several judges decide; cascade asks the next one only where one is unsure",
    )  # fmt: skip
    verify.add_argument(
        "--together", choices=["auto", "never"], default="never",
        help="auto: several claims of one source share a call of a language model where that is "
        "cheaper (13 to 45 %% where sources are cited often); it takes longer",
    )  # fmt: skip
    add_standalone(verify)
    add_scope(verify)
    verify.add_argument(
        "--batch", action="store_true",
        help="ask at the providers' batch price, half the usual one; it may take a day, and "
        "`resume` collects it after a stop",
    )  # fmt: skip
    verify.add_argument(
        "--threshold", metavar="ID", help="a saved threshold (t1 …) that the run refers to"
    )
    verify.add_argument("--sources", metavar="DIR|FILE.json", help="given sources")
    verify.add_argument("--allow-fetch", action="store_true", help="fetch cited addresses")
    verify.add_argument(
        "--allow-domain", action="append", default=[], metavar="D",
        help="fetch from this domain and those below it only; repeatable",
    )  # fmt: skip
    verify.add_argument("--offline", action="store_true", help="replay stored snapshots only")
    verify.add_argument(
        "--policy", metavar="FILE|NAME",
        help="flag, redact or block by a citation policy: a YAML file, or legal, medical, "
        "financial, support-bot, research; exit code 1 where it blocks",
    )  # fmt: skip
    verify.add_argument(
        "--max-citations", type=_count, metavar="N", help="check the first N citations only"
    )
    verify.add_argument(
        "--max-cost-usd",
        type=cap,
        metavar="X",
        help="a cap for all judgments together, which holds under concurrency; none for no cap "
        f"(default: {CAP_USD:.2f} where the judge's price is known)",
    )
    verify.add_argument(
        "--no-store",
        action="store_true",
        help="keep nothing, not even what was spent when it is killed",
    )
    verify.set_defaults(verb=verbs.verify_command)

    claims = commands.add_parser(
        "claims", parents=[common], help="check claims without citations against given sources"
    )
    claims.add_argument(
        "file", metavar="FILE|-", help="a text, or with --one-per-line one claim per line"
    )
    claims.add_argument("--sources", required=True, metavar="DIR|FILE.json", help="given sources")
    claims.add_argument(
        "--judge",
        default="local",
        metavar="SPEC",
        help="local, anthropic:MODEL, openai:MODEL or scripted:FILE",
    )
    claims.add_argument(
        "--one-per-line",
        "--lines",
        dest="lines",
        action="store_true",
        help="every line is one claim",
    )
    claims.add_argument(
        "--splitter", "--split", dest="split", metavar="SPEC",
        help="split the text into atomic claims with this language model instead of by rule",
    )  # fmt: skip
    add_standalone(claims)
    claims.add_argument(
        "--search", nargs="?", const="", metavar="MODULE:FUNCTION",
        help="search the web for claims that stay unverifiable, with a function of your own; "
        "default: the one in settings.toml",
    )  # fmt: skip
    claims.add_argument(
        "--allow-fetch", action="store_true", help="fetch the addresses that the search returns"
    )
    claims.add_argument(
        "--max-cost-usd",
        type=cap,
        metavar="X",
        help="a cap for all judgments together; none for no cap "
        f"(default: {CAP_USD:.2f} where the judge's price is known)",
    )
    claims.set_defaults(verb=verbs.claims_command)

    resume = commands.add_parser(
        "resume", parents=[common], help="continue a run that was stopped or cut off"
    )
    resume.add_argument("run", metavar="RUN_ID", help="ID as shown by `verify` and the pages")
    resume.set_defaults(verb=verbs.resume_command)

    evaluate = commands.add_parser(
        "evaluate", parents=[common], help="evaluate a judge on labelled pairs, with intervals"
    )
    evaluate.add_argument(
        "pairs",
        metavar="PAIRS.jsonl",
        help='lines of {"id", "claim", "source", "label", "group"?, "context"?, "title"?, '
        '"source_title"?}',
    )
    evaluate.add_argument(
        "--judge",
        default="local",
        metavar="SPEC",
        help="local, anthropic:MODEL, openai:MODEL or scripted:FILE",
    )
    add_prompt(evaluate)
    evaluate.add_argument(
        "--threshold", default="auto", metavar="auto|X", help="P(supported) from which to say so"
    )
    evaluate.set_defaults(verb=verbs.evaluate_command)

    calibrate.add_command(commands, common)
    compare.add_command(commands, common)
    drift.add_command(commands, common)
    prompts.add_command(commands, common)

    snapshots = commands.add_parser(
        "snapshots", parents=[common], help="stored sources: list, verify, export, import"
    )
    snapshots.add_argument(
        "action",
        choices=["list", "verify", "export", "import"],
        help="list them; verify every hash; export them to a file; import one",
    )
    snapshots.add_argument(
        "file", nargs="?", type=Path, metavar="FILE.zip", help="for export and import"
    )
    snapshots.set_defaults(verb=verbs.snapshots_command)

    data.add_commands(commands, common)
    serve.add_commands(commands, common, servers or {})
    batch.add_commands(commands, common)
    datasets.add_commands(commands, common)
    docs.add_commands(commands, common, sections)

    demo = commands.add_parser(
        "demo", parents=[common], help="check the shipped demo outputs once, offline"
    )
    demo.set_defaults(verb=verbs.demo_command)
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


def main(
    argv: Sequence[str] | None = None,
    servers: Mapping[str, Server] | None = None,
    sections: Callable[[], Mapping[str, Section]] = dict,
) -> int:
    """Run one command and return its exit code.

    `servers` are what commands can start, `sections` what draws the parts of the documentation.
    """
    mask_logs()
    arguments = build_parser(servers, sections).parse_args(argv)
    try:
        settings = load_settings()
        code: int = arguments.verb(arguments, settings)
        sys.stdout.flush()
        return code
    except UsageError as error:
        print(f"workbench: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # the reader of the pipe has left: nothing more to say, and nobody to say it to
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
