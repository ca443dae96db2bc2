"""One function a command: takes the parsed arguments, prints, returns the exit code."""

import argparse
import json
import sys
from pathlib import Path

from workbench.errors import SourceError, UnreadableInput, UsageError
from workbench.interfaces.cli import output
from workbench.policy import PolicyDecision
from workbench.records import Extraction, Json, JsonDict, Prompt, Run
from workbench.settings import Settings


def extract_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`extract`: every citation of a text."""
    extraction, _ = _read(arguments.file)
    print_document(arguments, extraction.to_dict(), output.extraction(extraction))
    return 0


def verify_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`verify`: a run over a text, kept in the database unless told otherwise."""
    from workbench.pipeline import verify
    from workbench.services.database import open_database
    from workbench.services.permissions import own_permissions
    from workbench.services.policies import apply_policy_to_run, open_policy
    from workbench.services.verification import verify_and_store

    extraction, within = _read(arguments.file)
    name = "standard input" if arguments.file == "-" else Path(arguments.file).name
    keep = not arguments.no_store or arguments.offline
    judges = arguments.judge or ["local"]
    may = own_permissions(
        settings,
        allow_fetch=arguments.allow_fetch,
        domains=arguments.allow_domain,
        max_cost_usd=arguments.max_cost_usd,
        judges=judges,
    )
    options = {
        "judge": judges,
        "sources": arguments.sources or within,
        "allow_fetch": may.allow_fetch and not arguments.offline,
        "allowed_domains": may.allowed_domains,
        "offline": arguments.offline,
        "snapshots": settings.snapshots if keep else None,
        "panel": arguments.panel,
        "together": arguments.together,
        "standalone": arguments.standalone,
        "scope": arguments.scope,
        "batch": arguments.batch,
        "threshold": _threshold(arguments, settings),
        "prompt": _prompt(arguments, settings),
        "max_citations": arguments.max_citations,
        "max_cost_usd": may.max_cost_usd,
        "reach": settings.reach,
        "on_progress": output.progress_line(sys.stderr),
    }
    policy = open_policy(arguments.policy) if arguments.policy else None
    if arguments.batch and arguments.no_store:
        raise UsageError(
            "A batch may take a day and is found again by the database: leave out --no-store."
        )
    if arguments.batch:
        options["on_start"] = lambda run: print(
            f"workbench: run {run.id} waits for a batch; stop it at will and continue it with "
            f"`workbench resume {run.id}`.",
            file=sys.stderr,
        )
    if arguments.no_store:
        run = verify(extraction, **options)
    else:
        store = open_database(arguments.db or settings.database)
        run = verify_and_store(store, extraction, name, **options)
    if policy is None:
        return _print_run(arguments, run)
    decision = apply_policy_to_run(
        policy, run, extraction.text, sources=options["sources"], judge=run.judge,
        settings=settings, max_cost_usd=may.max_cost_usd,
    )  # fmt: skip
    return _print_run(arguments, run, decision)


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
    kept = get_threshold(open_database(arguments.db or settings.database), arguments.threshold)
    return {"id": kept.id, "judge": kept.judge, "accept": kept.accept, "reject": kept.reject}


def claims_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`claims`: a text's claims against given sources; 1 when one is contradicted or unjudged."""
    from workbench.services.database import open_database
    from workbench.services.permissions import own_permissions
    from workbench.services.verification import verify_claims

    if arguments.lines and arguments.split:
        raise UsageError("--lines takes every line as a claim: leave out --split.")
    found, _ = _read(arguments.file)
    lines = [line for line in found.text.splitlines() if line.strip()]
    search = arguments.search
    may = own_permissions(
        settings,
        allow_fetch=arguments.allow_fetch,
        max_cost_usd=arguments.max_cost_usd,
        judges=[one for one in (arguments.judge, arguments.split) if one],
    )
    if search == "" and not settings.search:
        raise UsageError(
            "No search is named: give --search MODULE:FUNCTION, or set search in settings.toml."
        )
    try:
        report = verify_claims(
            lines if arguments.lines else found.text,
            arguments.sources,
            arguments.judge,
            settings=settings,
            splitter=arguments.split,
            search=settings.search if search == "" else search,
            permissions=may,
            store=open_database(arguments.db or settings.database),
            standalone=arguments.standalone,
        )
    except SourceError as error:
        raise UnreadableInput(f"A source cannot be read: {error.message}") from None
    print_document(arguments, report.to_dict(), output.grounding(report))
    return 0 if report.overall_grounded else 1


def resume_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`resume`: a run that was stopped or cut off, continued."""
    from workbench.services.database import open_database
    from workbench.services.verification import resume_run

    run = resume_run(
        open_database(arguments.db or settings.database),
        arguments.run,
        settings.snapshots,
        reach=settings.reach,
        on_progress=output.progress_line(sys.stderr),
    )
    return _print_run(arguments, run)


def _print_run(
    arguments: argparse.Namespace, run: Run, decision: PolicyDecision | None = None
) -> int:
    from workbench.pipeline import joint_verdicts

    joint = joint_verdicts(run)
    document: JsonDict = {**run.to_dict(), "joint": [one.to_dict() for one in joint]}
    said = output.run(run, joint)
    if decision:
        document["policy"] = decision.to_dict()
        said += "\n" + output.decision(decision)
    print_document(arguments, document, said)
    blocked = decision is not None and decision.action == "block"
    return 0 if run.passed and run.complete and not blocked else 1


def evaluate_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`evaluate`: a judge against labelled pairs."""
    from workbench.experiments import evaluate
    from workbench.judging import open_judge

    prompt = _prompt(arguments, settings)
    judge = open_judge(arguments.judge, prompt) if prompt else arguments.judge
    done = evaluate(arguments.pairs, judge, arguments.threshold)
    print_document(arguments, done.to_dict(), output.evaluation(done))
    return 0


def snapshots_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`snapshots`: the kept sources; 1 when a hash does not hold."""
    from workbench.sources import SnapshotFolder, export_snapshots, import_snapshots

    folder = SnapshotFolder(settings.snapshots)
    if arguments.action in ("export", "import"):
        if arguments.file is None:
            raise UsageError(f"Name the file: workbench snapshots {arguments.action} FILE.zip.")
        if arguments.action == "export":
            rows = export_snapshots(folder, arguments.file)
            document: JsonDict = {"path": str(arguments.file), "rows": rows}
            print_document(arguments, document, f"{rows} snapshots written to {arguments.file}")
            return 0
        done = import_snapshots(folder, arguments.file)
        print_document(arguments, done.to_dict(), output.imported(done))
        return 0
    if arguments.action == "list":
        kept = folder.list()
        text = "\n".join(output.snapshot(row) for row in kept) or "no snapshot is kept yet"
        print_document(arguments, [row.to_dict() for row in kept], text)
        return 0
    check = folder.verify()
    broken = "".join(f"\n{entry.to_dict()}" for entry in check.broken)
    print_document(
        arguments,
        check.to_dict(),
        f"{check.checked} snapshots checked, {len(check.broken)} broken{broken}",
    )
    return 1 if check.broken else 0


def demo_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`demo`: the shipped outputs, checked once with the embedded judge and their own sources."""
    from workbench.services.database import open_database
    from workbench.services.demo import seed_demo

    seeded = seed_demo(open_database(arguments.db or settings.database), settings.snapshots)
    said = f"{len(seeded)} demo outputs checked" if seeded else "the demo is already there"
    print_document(arguments, {"seeded": [run.id for run in seeded]}, said)
    return 0


def _read(file: str) -> tuple[Extraction, list[dict[str, str]] | None]:
    """What a file cites, and the sources that came in it."""
    from workbench.citations import extract
    from workbench.pipeline import read_bytes, read_output, sources_within

    if file == "-":
        data, name = sys.stdin.buffer.read(), "standard input"
        read = read_bytes(data, name)
    else:
        if not Path(file).exists():
            raise UnreadableInput(f"There is no file {file}; name a file, or - for stdin.")
        read = read_output(file)
        data, name = Path(file).read_bytes(), Path(file).name
    found = read if isinstance(read, Extraction) else extract(read)
    return found, sources_within(data, name)


def print_document(arguments: argparse.Namespace, document: Json, text: str) -> None:
    """One JSON document with `--json`, else the text."""
    if arguments.json:
        print(json.dumps(document))
        return
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))
