"""Runs stored while in progress: used by every interface that has a database."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from workbench.errors import UsageError
from workbench.judging.budget import Budget
from workbench.judging.claim_comparison import OnJudged
from workbench.judging.ground_report import ClaimReport, GroundedClaim, GroundVerdict
from workbench.judging.handoff import RECORDED
from workbench.judging.judge import run_sync
from workbench.judging.judge_factory import takes_prompt
from workbench.pipeline.claim import aground_documents, ground_claims
from workbench.pipeline.estimate import Estimate, estimate_run
from workbench.pipeline.fetching import open_snapshots, open_web
from workbench.pipeline.options import Progress, Sources, VerifyKeywords, VerifyOptions
from workbench.pipeline.policy_gate import gate
from workbench.pipeline.verification import ClaimVerdict, joint_verdicts, verify_with
from workbench.pipeline.web_search import open_search
from workbench.records.bibliography import ReferenceCheck
from workbench.records.citation import Extraction
from workbench.records.text import text_sha256
from workbench.records.verdict import NO_REPLY, CitationResult, Run
from workbench.services.claims import ClaimOptions, open_page_fetcher
from workbench.services.prompts import prompt_of_config
from workbench.services.references.requests import references_of_run
from workbench.services.spending import LAPSES_AFTER, attempt_budget
from workbench.settings import Settings
from workbench.sources.concurrency import HostLimiter, use_host_limiter
from workbench.sources.fetch import Limits
from workbench.sources.fetchers import Fetcher
from workbench.store.admin.spending import run_account
from workbench.store.runs.verdict_buffer import VerdictWriteBuffer
from workbench.store.sources import SourceRepository
from workbench.store.store import Store

__all__ = [
    "Budget", "ClaimReport", "ClaimVerdict", "Estimate", "Fetcher", "GroundVerdict",
    "GroundedClaim", "HostLimiter", "Limits", "Progress", "VerifyKeywords", "VerifyOptions",
    "aground_documents", "claims_purpose", "estimate_run", "gate", "ground_claims",
    "joint_verdicts", "open_snapshots", "open_web", "options_of_run", "rejudge_citations",
    "resume_run", "use_host_limiter", "verify_and_store", "verify_claims", "verify_documents",
    "verify_with",
]  # fmt: skip


def verify_and_store(
    store: Store, text: str | Extraction, name: str, options: VerifyOptions
) -> Run:
    """The run that `verify` gives, its output, verdicts and paid judgments kept on the way.

    Pages that a reviewer called the article count as such, unless `accepted` says otherwise. The
    callbacks of the options are called after the store's own.

    Raises:
        UsageError: What `verify` raises, and StoreError when the database cannot be used.
    """
    recording = VerdictWriteBuffer(store)
    output = text if isinstance(text, str) else text.text

    def begin(run: Run) -> None:
        store.add_run(run, output, name)
        if options.on_start:
            options.on_start(run)

    def keep(run_id: str, result: CitationResult) -> None:
        recording.add_verdict(run_id, result)
        if options.on_verdict:
            options.on_verdict(run_id, result)

    def keep_check(run_id: str, position: int, check: ReferenceCheck) -> None:
        recording.add_check(run_id, position, check)
        if options.on_reference:
            options.on_reference(run_id, position, check)

    recorded_options = replace(
        _with_stored_judgments(store, options),
        accepted=options.accepted or SourceRepository(store).accepted(),
        on_start=begin,
        on_verdict=keep,
        on_reference=keep_check,
        on_config=store.set_config,
    )
    try:
        run = run_sync(verify_with(text, recorded_options))
    finally:
        recording.flush()
    store.finish_run(run)
    return run


def _with_stored_judgments(store: Store, options: VerifyOptions) -> VerifyOptions:
    """The options with paid judgments and the account of what is spent in the store."""
    return replace(
        options,
        recall=store.get_judgment,
        remember=store.add_judgment,
        spending=partial(run_account, store),
    )


def verify_claims(
    text_or_claims: str | Sequence[str],
    options: VerifyOptions,
    *,
    settings: Settings,
    splitter: str | None = None,
    search: str | None = None,
    checks: ClaimOptions | None = None,
    store: Store | None = None,
    on_judged: OnJudged | None = None,
) -> ClaimReport:
    """What given sources say of claims, asked of the first judge of the options.

    `search` is a `module:function`, `checks` may name a search of the web; without both nothing is
    looked up. What a search names is fetched where the options allow it. With a store, what the
    same check had spent when it was cut off counts against the cap.

    Raises:
        UsageError, MissingKey, SourceError: As `ground_claims`, `open_search` and `ClaimOptions`.
    """
    checks = checks or ClaimOptions()
    if search and checks.web_search:
        raise UsageError("Name either a search function of your own or a web search.")
    looked_up = (
        open_search(search, settings.data_dir)
        if search
        else checks.open_search(options.allowed_domains, settings.reach)
    )
    fetcher = open_page_fetcher(options, settings) if looked_up else None
    judge, standalone = options.specs[0], options.standalone
    paid = splitter is not None or takes_prompt(judge)
    purpose = claims_purpose(text_or_claims, judge, splitter, standalone=standalone)
    with attempt_budget(
        store if paid else None, purpose, options.max_cost_usd, LAPSES_AFTER
    ) as budget:
        return ground_claims(
            text_or_claims,
            options.sources,
            judge,
            splitter=splitter,
            search=looked_up,
            fetcher=fetcher,
            budget=budget,
            standalone=standalone,
            scoring=checks.scoring(),
            on_judged=on_judged,
        )


def verify_documents(
    text_or_claims: str | Sequence[str],
    documents: Sequence[Mapping[str, str | None]],
    options: VerifyOptions,
    *,
    settings: Settings,
    checks: ClaimOptions | None = None,
    store: Store | None = None,
) -> ClaimReport:
    """What texts that a caller sent say of claims; else as `verify_claims`.

    Raises:
        UsageError, MissingKey: A document is no text, or the judge or an option cannot be used.
    """
    checks = checks or ClaimOptions()
    looked_up = checks.open_search(options.allowed_domains, settings.reach)
    judge, standalone = options.specs[0], options.standalone
    purpose = claims_purpose(text_or_claims, judge, None, standalone=standalone)
    own_store = store if takes_prompt(judge) else None
    with attempt_budget(own_store, purpose, options.max_cost_usd, LAPSES_AFTER) as budget:
        return run_sync(
            aground_documents(
                text_or_claims,
                documents,
                judge,
                looked_up,
                fetcher=open_page_fetcher(options, settings) if looked_up else None,
                budget=budget,
                standalone=standalone,
                scoring=checks.scoring(),
            )
        )


def claims_purpose(
    text_or_claims: str | Sequence[str],
    judge: str,
    splitter: str | None,
    *,
    standalone: bool = False,
) -> str:
    """What an account of checking claims is opened for; of the claims it holds a hash alone."""
    claims = [text_or_claims] if isinstance(text_or_claims, str) else list(text_or_claims)
    digest = text_sha256("\n".join([str(splitter), *claims]))
    worded = ", each standing alone" if standalone else ""
    return f"checking claims {digest[:24]} by {judge}{worded}"


def rejudge_citations(
    store: Store,
    run_id: str,
    citation_ids: Collection[str],
    *,
    text: str | Extraction | None = None,
    on_unjudged: Callable[[CitationResult], None] | None = None,
    **changes: Unpack[VerifyKeywords],
) -> Run:
    """The run with some of its citations checked again; their earlier verdicts stay in the history.

    A demo run, whose verdicts were recorded, is checked again by the embedded judge.

    Takes the options of `verify`, `judge` (with its prompt), `panel` and the cost cap being the
    run's own unless given: what is left of the cap is what may be spent. The run's cost grows by
    what this costs.
    `text` may be an extraction in which a claim's boundaries were corrected. Where the judge gives
    no answer now (the cap is reached, its server is away), an earlier verdict stands and
    `on_unjudged` gets what came instead.

    Raises:
        UsageError: There is no such run, or what `verify` raises.
    """
    earlier = store.get_run(run_id)
    before = {result.citation.id: result for result in earlier.citations}
    untouched = tuple(r for r in earlier.citations if r.citation.id not in citation_ids)

    def stands(result: CitationResult) -> bool:
        """Whether an earlier verdict outlives what came now."""
        previous = before.get(result.citation.id)
        failed = result.error is not None and result.error.kind in NO_REPLY
        return failed and previous is not None and previous.status == "ok"

    def keep(run_id: str, result: CitationResult) -> None:
        if not stands(result):
            store.replace_verdict(run_id, result)
        elif on_unjudged:
            on_unjudged(result)

    base_options = _judging_options(store, earlier)
    if tuple(earlier.judge) == (RECORDED,):
        base_options = replace(base_options, judge="local")  # nobody answers what is asked anew
    if "judge" in changes:
        base_options = replace(base_options, prompt=None)
    base_options = replace(base_options, accepted=SourceRepository(store).accepted())
    options = replace(
        _with_stored_judgments(store, replace(base_options, **changes)),
        resume=replace(earlier, citations=untouched),
        on_verdict=keep,
    )
    output = store.get_output(earlier.output_sha256) if text is None else text
    again = run_sync(verify_with(output, options))
    if again.spending != earlier.spending:
        spent = replace(
            earlier,
            cost_usd=again.cost_usd,
            reserved_usd=again.reserved_usd,
            unpriced_calls=again.unpriced_calls,
            citations=(),
        )
        store.finish_run(spent)
    citations = (before[r.citation.id] if stands(r) else r for r in again.citations)
    return replace(again, citations=tuple(citations))


def resume_run(
    store: Store,
    run_id: str,
    *,
    settings: Settings | None = None,
    registry_files: tuple[tuple[str, bytes], ...] = (),
    **changes: Unpack[VerifyKeywords],
) -> Run:
    """The run continued where it was stopped or cut off, with the options it was started with.

    Given sources that were no folder or file are looked up among the snapshots. `changes` are
    options of `verify` that take the place of the run's own. A batch that was handed in is
    collected. With `settings`, entries of the reference list are looked up where the run did so;
    `registry_files` are the names and contents of the registries that it was started with.

    Raises:
        UsageError: The run came to its end, or its judge or sources are no longer there.
    """
    earlier = store.get_run(run_id)
    if earlier.finished:
        raise UsageError(f"The run {run_id} has ended; there is nothing to continue.")
    output = store.get_output(earlier.output_sha256)
    if settings is not None and "references" not in changes:
        changes["references"] = references_of_run(settings, store, earlier, registry_files)
    options = replace(replace(options_of_run(store, earlier), **changes), resume=earlier)
    return verify_and_store(store, output, store.get_summary(run_id).name, options)


def options_of_run(store: Store, run: Run) -> VerifyOptions:
    """The options that a run was started with, as far as its config keeps them.

    Raises:
        UsageError: An option has a value that this version does not know.
    """
    config = run.config
    sources_path = config.get("sources")
    sources: Sources = (
        sources_path if isinstance(sources_path, str) and Path(sources_path).exists() else None
    )
    threshold = config.get("threshold")
    return replace(
        _judging_options(store, run),
        **_stored_values(
            run,
            "allow_fetch",
            "allowed_domains",
            "together",
            "scope",
            "question",
            "batch",
            "max_citations",
        ),
        sources=sources,
        offline=bool(config.get("offline")) or (sources_path is not None and sources is None),
        threshold=threshold if isinstance(threshold, Mapping) else None,
    )


def _judging_options(store: Store, run: Run) -> VerifyOptions:
    """Who judged a run, how, and within which cap."""
    return VerifyOptions(
        judge=list(run.judge),
        prompt=prompt_of_config(store, run.config),
        **{"max_cost_usd": None, **_stored_values(run, "panel", "standalone", "max_cost_usd")},
    )


def _stored_values(run: Run, *names: str) -> dict[str, Any]:
    """The options of those names that the run's config holds."""
    return {name: run.config[name] for name in names if run.config.get(name) is not None}
