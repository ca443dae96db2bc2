"""The commands that check texts: `extract`, `verify`, `claims`, `resume` and `evaluate`."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import SourceError, UnreadableInput, UsageError
from workbench.interfaces.cli import output
from workbench.interfaces.cli.judging_options import (
    REGISTRY_HELP,
    add_all,
    add_options,
    add_prompt,
)
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import progress, say, told_when_stopped
from workbench.presentation.run_totals import scanned_quotes, unmatched_sources
from workbench.records.citation import Extraction
from workbench.records.options import CheckOptions, ClaimCheckOptions, chosen
from workbench.records.prompts import Prompt
from workbench.records.providers import JUDGE_SPECS
from workbench.records.text import JsonDict
from workbench.records.verdict import Run
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.services.policies import PolicyDecision
    from workbench.services.verification import VerifyOptions


@contextmanager
def run_progress(options: "VerifyOptions", *, stored: bool) -> "Iterator[VerifyOptions]":
    """Options that show the progress of a run; Ctrl-C ends with what is stored and how to continue.

    A run that waits for a batch is announced with its id.
    """
    started: list[str] = []

    def begin(run: Run) -> None:
        started.append(run.id)
        if options.batch:
            say(
                f"workbench: run {run.id} is waiting for a batch; you can stop it and continue "
                f"later with "
                f"`workbench resume {run.id}`."
            )

    def kept() -> str:
        if not stored:
            return "nothing is stored because of --no-store."
        if not started:
            return "the run had not started, so nothing is stored."
        return f"finished verdicts are stored: continue with `workbench resume {started[0]}`."

    with told_when_stopped(kept), progress("starting") as show:
        yield replace(options, on_start=begin, on_progress=output.run_shown(show))


_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the commands to a parser; `shared` holds the options of every command."""
    extract = commands.add_parser("extract", parents=[shared])
    extract.add_argument("file", metavar="FILE|-", help="text, Markdown, JSON or PDF; - is stdin")
    add_options(extract, "question")
    extract.set_defaults(verb=extract_command)

    verify = commands.add_parser("verify", parents=[shared])
    verify.add_argument("file", metavar="FILE|-", help="text, Markdown, JSON or PDF; - is stdin")
    add_prompt(verify)
    add_options(
        verify, "judge", "panel", "together", "standalone", "scope", "question", "batch", "sources",
        "allow_fetch", "allowed_domains", "offline", "max_citations", "max_cost_usd",
        "check_references", "indexes", "registry", registry=REGISTRY_HELP,
    )  # fmt: skip
    verify.add_argument(
        "--threshold", metavar="ID", help="a saved threshold (t1 …) that the run refers to"
    )
    verify.add_argument(
        "--policy", metavar="FILE|NAME",
        help=(
            "apply a citation policy (flag, redact or block): a YAML file, or legal, medical, "
            "financial, support-bot, research; exit code 1 if it blocks"
        ),
    )  # fmt: skip
    verify.add_argument(
        "--no-store",
        action="store_true",
        help="store nothing; after a crash, even the amount spent is lost",
    )
    add_all(verify, "citation")
    verify.set_defaults(verb=verify_command)

    claims = commands.add_parser("claims", parents=[shared])
    claims.add_argument(
        "file",
        metavar="FILE|-|RUN",
        help="a text, or with --one-per-line one claim per line; with --uncited the ID of a run",
    )
    claims.add_argument("--sources", metavar="DIR|FILE.json", help="given sources")
    claims.add_argument(
        "--uncited",
        action="store_true",
        help="check the sentences of a run that need a citation and have none, against its sources",
    )
    claims.add_argument(
        "--judge", metavar="SPEC", help=f"{JUDGE_SPECS} (default: local; with --uncited the run's)"
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
        help="split the text into atomic claims with this language model instead of by rules",
    )  # fmt: skip
    add_options(
        claims, "standalone", "allow_fetch", "allowed_domains", "max_cost_usd", "supported_from",
        "weak_from", "web_search", "max_searches", "mark_unverified", "cite_sources",
        allow_fetch="fetch the pages that the search returns",
        allowed_domains="use only search results from this domain and its subdomains; repeatable",
    )  # fmt: skip
    for name, help_text in (
        (
            "embed",
            "score by the cosine similarity of embeddings from your own function, instead of a "
            "judge",
        ),
        ("nli", "check supported claims for contradictions with your own function"),
    ):
        claims.add_argument(f"--{name}", metavar="MODULE:FUNCTION", help=help_text)
    claims.add_argument(
        "--search", nargs="?", const="", metavar="MODULE:FUNCTION",
        help=(
            "search the web for claims that remain unverifiable, with your own function (default: "
            "the one in settings.toml)"
        ),
    )  # fmt: skip
    add_all(claims, "claim")
    claims.set_defaults(verb=claims_command)

    resume = commands.add_parser("resume", parents=[shared])
    resume.add_argument("run", metavar="RUN_ID", help="ID as shown by `verify` and the pages")
    add_options(
        resume, "registry", registry=f"{REGISTRY_HELP}; needed if the run was started with one"
    )
    add_all(resume, "citation")
    resume.set_defaults(verb=resume_command)

    evaluate = commands.add_parser("evaluate", parents=[shared])
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
        help=JUDGE_SPECS,
    )
    add_prompt(evaluate)
    evaluate.add_argument(
        "--threshold",
        default="auto",
        metavar="auto|X",
        help="lowest P(supported) that counts as supported",
    )
    evaluate.set_defaults(verb=evaluate_command)


def extract_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`extract`: every citation of a text."""
    from workbench.interfaces.cli.result_views import extraction_view
    from workbench.services.inputs import with_question

    extraction = with_question(_read(arguments.file)[0], arguments.question)
    print_document(
        arguments,
        extraction.to_dict(),
        output.extraction(extraction),
        lambda: extraction_view(extraction),
    )
    return 0


def verify_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`verify`: a run over a text, kept in the database unless told otherwise."""
    from workbench.services.database import open_database
    from workbench.services.judges import run_sync
    from workbench.services.permissions import own_permissions
    from workbench.services.policies import apply_policy_to_run, open_policy
    from workbench.services.references.requests import references_of_verify, registry_of_files
    from workbench.services.verification import VerifyOptions, verify_and_store, verify_with

    extraction, within = _read(arguments.file)
    name = "standard input" if arguments.file == "-" else Path(arguments.file).name
    keep = not arguments.no_store or arguments.offline
    judges = arguments.judge or ["local"]
    may = own_permissions(
        settings,
        allow_fetch=arguments.allow_fetch,
        domains=arguments.allowed_domains or (),
        max_cost_usd=arguments.max_cost_usd,
        judges=judges,
    )
    store = None if arguments.no_store else open_database(arguments.db or settings.database)
    options = may.applied_to(
        VerifyOptions(
            judge=judges,
            references=references_of_verify(
                settings,
                may,
                check_references=arguments.check_references,
                indexes=arguments.indexes or (),
                registry_files=registry_of_files(arguments.registry or ()),
                offline=arguments.offline,
                database=store,
            ),
            sources=arguments.sources or within,
            snapshots=settings.snapshots if keep else None,
            threshold=_threshold(arguments, settings),
            prompt=_prompt(arguments, settings),
            reach=settings.reach,
            **chosen(CheckOptions, arguments),
        )
    )
    policy = open_policy(arguments.policy) if arguments.policy else None
    if arguments.batch and arguments.no_store:
        raise UsageError(
            "A batch may take a day and is resumed from the database: leave out --no-store."
        )
    with run_progress(options, stored=store is not None) as shown:
        if store is None:
            run = run_sync(verify_with(extraction, shown))
        else:
            run = verify_and_store(store, extraction, name, shown)
    if policy is None:
        return _print_run(arguments, settings, run)
    decision = apply_policy_to_run(
        policy, run, extraction.text, sources=options.sources, judge=run.judge,
        settings=settings, max_cost_usd=may.max_cost_usd,
    )  # fmt: skip
    return _print_run(arguments, settings, run, decision)


def _prompt(arguments: argparse.Namespace, settings: Settings) -> Prompt | None:
    """The prompt that was named, from the database or the shipped ones."""
    from workbench.services.prompts import prompt_for_judge

    return prompt_for_judge(arguments.db or settings.database, arguments.prompt)


def _threshold(arguments: argparse.Namespace, settings: Settings) -> JsonDict | None:
    """The saved threshold that was named, as a run's config holds it."""
    from workbench.services.calibration.thresholds import get_threshold
    from workbench.services.database import open_database

    if not arguments.threshold:
        return None
    threshold = get_threshold(open_database(arguments.db or settings.database), arguments.threshold)
    return {
        "id": threshold.id,
        "judge": threshold.judge,
        "accept": threshold.accept,
        "reject": threshold.reject,
        **({"kinds": dict(threshold.kinds)} if threshold.kinds else {}),
    }


def claims_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`claims`: a text's claims against given sources; 1 when one is contradicted or unjudged."""
    if arguments.uncited:
        return _uncited_command(arguments, settings)
    if arguments.sources is None:
        raise UsageError("Name the sources to check against with --sources DIR or FILE.json.")
    arguments.judge = arguments.judge or "local"
    from workbench.interfaces.cli.result_views import finished_claims
    from workbench.services.claims import read_claim_options
    from workbench.services.database import open_database
    from workbench.services.permissions import own_permissions
    from workbench.services.verification import VerifyOptions, verify_claims

    checks = read_claim_options(
        settings,
        ClaimCheckOptions(**chosen(ClaimCheckOptions, arguments)),
        arguments.embed,
        arguments.nli,
    )
    if arguments.lines and arguments.split:
        raise UsageError("--lines treats every line as a claim: leave out --split.")
    extraction, _ = _read(arguments.file)
    lines = [line for line in extraction.text.splitlines() if line.strip()]
    search = arguments.search
    may = own_permissions(
        settings,
        allow_fetch=arguments.allow_fetch,
        domains=arguments.allowed_domains or (),
        max_cost_usd=arguments.max_cost_usd,
        judges=[spec for spec in (arguments.judge, arguments.split) if spec],
    )
    options = VerifyOptions(
        judge=arguments.judge, sources=arguments.sources, standalone=arguments.standalone
    )
    if search == "" and not settings.search:
        raise UsageError(
            "No search function is configured: give --search MODULE:FUNCTION, or set search in "
            "settings.toml."
        )
    try:
        with (
            told_when_stopped(lambda: "no verdict is stored; the same command starts over."),
            progress("starting") as show,
        ):
            report = verify_claims(
                lines if arguments.lines else extraction.text,
                may.applied_to(options),
                settings=settings,
                splitter=arguments.split,
                search=settings.search if search == "" else search,
                checks=checks,
                store=open_database(arguments.db or settings.database),
                on_judged=output.claims_judged(show),
            )
    except SourceError as error:
        raise UnreadableInput(f"A source cannot be read: {error.message}") from None
    document, text = report.to_dict(), output.grounding(report, each=arguments.all)
    marked = ""
    if arguments.mark_unverified or arguments.cite_sources:
        marked = report.mark(cite_sources=arguments.cite_sources)
        document["marked_text"] = marked
        text = f"{marked}\n\n{text}"
    print_document(
        arguments,
        document,
        text,
        lambda: finished_claims(report, marked=marked, each=arguments.all),
    )
    return 0 if report.overall_grounded else 1


def _uncited_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`claims RUN --uncited`: what a run's sources say of its sentences without a citation."""
    from workbench.presentation.coverage import suggestion_text
    from workbench.services.database import open_database
    from workbench.services.permissions import own_permissions
    from workbench.services.runs import stored_run
    from workbench.services.uncited import (
        check_uncited,
        estimate_text,
        estimate_uncited,
        judge_of_uncited,
    )
    from workbench.services.verification import VerifyOptions

    if arguments.sources or arguments.lines or arguments.split:
        raise UsageError("--uncited takes the run's own sources and sentences, and no others.")
    database = open_database(arguments.db or settings.database)
    run = stored_run(database, arguments.file)
    judge = judge_of_uncited(run, arguments.judge)
    may = own_permissions(
        settings, allow_fetch=False, domains=(), max_cost_usd=arguments.max_cost_usd, judges=[judge]
    )
    say(f"workbench: {estimate_text(estimate_uncited(database, run.id, judge), judge)}")
    with (
        told_when_stopped(lambda: "no suggestion is stored; the same command starts over."),
        progress("starting") as show,
    ):
        check = check_uncited(
            database,
            run.id,
            may.applied_to(VerifyOptions(judge=judge)),
            output.claims_judged(show),
        )
    names = {result.citation.id: result.citation.raw for result in run.citations}
    lines = [output.grounding(check.report, each=arguments.all)]
    lines += [f"  {found.start_at}: {suggestion_text(found, names)}" for found in check.suggestions]
    print_document(arguments, check.to_dict(), "\n".join(lines))
    return 0 if check.report.overall_grounded else 1


def resume_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`resume`: a run that was stopped or cut off, continued."""
    from workbench.services.database import open_database
    from workbench.services.references.requests import registry_of_files
    from workbench.services.verification import resume_run

    database = open_database(arguments.db or settings.database)
    kept = f"finished verdicts are stored: continue with `workbench resume {arguments.run}`."
    with told_when_stopped(lambda: kept), progress("starting") as show:
        run = resume_run(
            database,
            arguments.run,
            settings=settings,
            registry_files=registry_of_files(arguments.registry or ()),
            snapshots=settings.snapshots,
            reach=settings.reach,
            on_progress=output.run_shown(show),
        )
    return _print_run(arguments, settings, run)


def _print_run(
    arguments: argparse.Namespace,
    settings: Settings,
    run: Run,
    decision: "PolicyDecision | None" = None,
) -> int:
    from workbench.interfaces.cli.result_views import finished_run
    from workbench.services.verification import joint_verdicts

    for sentence in [*unmatched_sources(run.source_matches), *scanned_quotes(run)]:
        say(sentence)
    joint, each = joint_verdicts(run), arguments.all
    document: JsonDict = {**run.to_dict(), "joint": [verdict.to_dict() for verdict in joint]}
    text = output.run(run, joint, each=each)
    decided = ""
    if decision:
        document["policy"] = decision.to_dict()
        decided = output.decision_text(decision, each=each)
        text += "\n" + decided
    on_pages = not getattr(arguments, "no_store", False) and (
        arguments.db is None or arguments.db.resolve() == settings.database.resolve()
    )
    print_document(
        arguments,
        document,
        text,
        lambda: finished_run(run, joint, decided=decided, on_pages=on_pages, each=each),
    )
    blocked = decision is not None and decision.action == "block"
    return 0 if run.passed and run.complete and not blocked else 1


def evaluate_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`evaluate`: a judge against labelled pairs."""
    from workbench.services.judges import open_judge
    from workbench.services.labelled_judging import evaluate

    prompt = _prompt(arguments, settings)
    judge = open_judge(arguments.judge, prompt) if prompt else arguments.judge
    with told_when_stopped(lambda: "nothing is stored; the same command starts over."):
        evaluation = evaluate(arguments.pairs, judge, arguments.threshold)
    print_document(arguments, evaluation.to_dict(), output.evaluation(evaluation))
    return 0


def _read(file: str) -> tuple[Extraction, list[JsonDict] | None]:
    """What a file cites, and the sources that came in it."""
    from workbench.services.inputs import extract, read_bytes, read_output, sources_within

    typed = sys.stdin.buffer.read() if file == "-" else None
    if typed is None and not Path(file).exists():
        raise UnreadableInput(f"There is no file {file}; name a file, or - for stdin.")
    with progress("reading"):
        if typed is not None:
            data, name = typed, "standard input"
            read = read_bytes(data, name)
        else:
            read = read_output(file)
            data, name = Path(file).read_bytes(), Path(file).name
        extraction = read if isinstance(read, Extraction) else extract(read)
    for notice in extraction.notices:
        say(notice)
    return extraction, sources_within(data, name)
