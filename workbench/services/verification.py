"""A run that is kept while it goes on: what every front does that has a database."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from workbench.errors import UsageError
from workbench.judging import ClaimReport, takes_prompt
from workbench.pipeline import (
    Progress,
    Sources,
    VerifyOptions,
    ground_claims,
    open_search,
    open_web,
    verify,
)
from workbench.records import (
    NO_REPLY,
    CitationResult,
    Extraction,
    RetrievalOptions,
    Run,
    text_sha256,
)
from workbench.services.permissions import Permissions
from workbench.services.prompts import prompt_of_config
from workbench.services.spending import attempt_budget
from workbench.settings import Settings
from workbench.sources import SnapshotFolder
from workbench.store import SourceRepository, Store, VerdictWriteBuffer, run_account


def verify_and_store(
    store: Store,
    text: str | Extraction,
    name: str,
    *,
    on_start: Callable[[Run], None] | None = None,
    on_verdict: Callable[[str, CitationResult], None] | None = None,
    **options: object,
) -> Run:
    """The run that `verify` gives, its output, verdicts and paid judgments kept on the way.

    Pages that a reviewer called the article count as such, unless `accepted` says otherwise.
    Takes the options of `verify`; the callbacks are called after the store's own.

    Raises:
        UsageError: What `verify` raises, and StoreError when the database cannot be used.
    """
    recording = VerdictWriteBuffer(store)
    output = text if isinstance(text, str) else text.text
    options.setdefault("accepted", SourceRepository(store).accepted())

    def begin(run: Run) -> None:
        store.add_run(run, output, name)
        if on_start:
            on_start(run)

    def keep(run_id: str, result: CitationResult) -> None:
        recording.add_verdict(run_id, result)
        if on_verdict:
            on_verdict(run_id, result)

    try:
        run = verify(
            text,
            **options,  # type: ignore[arg-type]  # checked by verify itself
            on_start=begin,
            on_verdict=keep,
            on_config=store.set_config,
            recall=store.get_judgment,
            remember=store.add_judgment,
            spending=partial(run_account, store),
        )
    finally:
        recording.flush()
    store.finish_run(run)
    return run


def verify_claims(
    text_or_claims: str | Sequence[str],
    sources: Sources,
    judge: str,
    *,
    settings: Settings,
    splitter: str | None = None,
    search: str | None = None,
    permissions: Permissions,
    store: Store | None = None,
    standalone: bool = False,
) -> ClaimReport:
    """What given sources say of claims, with the search and the fetching that are permitted.

    `search` is a `module:function`; None looks nothing up. With a store, what the same check had
    spent when it was cut off counts against the cap. With `standalone` language models word each
    claim so that it stands alone.

    Raises:
        UsageError, SourceError: As `ground_claims` and `open_search`.
    """
    fetcher = None
    if search and permissions.allow_fetch:
        asked = VerifyOptions(
            allow_fetch=True, allowed_domains=permissions.allowed_domains, reach=settings.reach
        )
        fetcher = open_web(asked, SnapshotFolder(settings.snapshots))
    paid = splitter is not None or takes_prompt(judge)
    purpose = claims_purpose(text_or_claims, judge, splitter, standalone=standalone)
    cap = permissions.max_cost_usd
    with attempt_budget(store if paid else None, purpose, cap) as budget:
        return ground_claims(
            text_or_claims,
            sources,
            judge,
            splitter=splitter,
            search=open_search(search, settings.data_dir) if search else None,
            fetcher=fetcher,
            budget=budget,
            standalone=standalone,
        )


def claims_purpose(
    text_or_claims: str | Sequence[str],
    judge: str,
    splitter: str | None,
    *,
    standalone: bool = False,
) -> str:
    """What an account of checking claims is opened for; of the claims it holds a hash alone."""
    listed = [text_or_claims] if isinstance(text_or_claims, str) else list(text_or_claims)
    digest = text_sha256("\n".join([str(splitter), *listed]))
    worded = ", each standing alone" if standalone else ""
    return f"checking claims {digest[:24]} by {judge}{worded}"


def rejudge_citations(
    store: Store,
    run_id: str,
    citation_ids: Collection[str],
    *,
    text: str | Extraction | None = None,
    on_unjudged: Callable[[CitationResult], None] | None = None,
    **options: object,
) -> Run:
    """The run with some of its citations checked anew; their earlier verdicts stay in the history.

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
    kept = tuple(r for r in earlier.citations if r.citation.id not in citation_ids)
    given: dict[str, object] = {
        "judge": list(earlier.judge),
        "panel": earlier.config.get("panel", "majority"),
        "max_cost_usd": earlier.config.get("max_cost_usd"),
        "accepted": SourceRepository(store).accepted(),
        "standalone": earlier.config.get("standalone") is True,
        **({} if "judge" in options else {"prompt": prompt_of_config(store, earlier.config)}),
        **options,
    }

    def stands(result: CitationResult) -> bool:
        """Whether an earlier verdict outlives what came now."""
        known = before.get(result.citation.id)
        failed = result.error is not None and result.error.kind in NO_REPLY
        return failed and known is not None and known.status == "ok"

    def keep(run_id: str, result: CitationResult) -> None:
        if not stands(result):
            store.replace_verdict(run_id, result)
        elif on_unjudged:
            on_unjudged(result)

    again = verify(
        store.get_output(earlier.output_sha256) if text is None else text,
        **given,  # type: ignore[arg-type]  # checked by verify itself
        resume=replace(earlier, citations=kept),
        on_verdict=keep,
        recall=store.get_judgment,
        remember=store.add_judgment,
        spending=partial(run_account, store),
    )
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
    snapshots: Path | None = None,
    *,
    reach: RetrievalOptions | None = None,
    on_start: Callable[[Run], None] | None = None,
    on_verdict: Callable[[str, CitationResult], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    given: Mapping[str, object] | None = None,
) -> Run:
    """The run continued where it was stopped or cut off, with the options it was started with.

    Given sources that were no folder or file are looked up among the snapshots. `given` are options
    of `verify` that take the place of the run's own. A batch that was handed in is collected.

    Raises:
        UsageError: The run came to its end, or its judge or sources are no longer there.
    """
    earlier = store.get_run(run_id)
    if earlier.finished:
        raise UsageError(f"The run {run_id} came to its end; there is nothing to continue.")
    kept = earlier.config
    named = kept.get("sources")
    sources: Sources = named if isinstance(named, str) and Path(named).exists() else None
    domains = kept.get("allowed_domains")
    options: dict[str, object] = {
        "judge": list(earlier.judge),
        "sources": sources,
        "allow_fetch": bool(kept.get("allow_fetch")),
        "allowed_domains": tuple(map(str, domains)) if isinstance(domains, list) else (),
        "offline": bool(kept.get("offline")) or (named is not None and sources is None),
        "panel": kept.get("panel", "majority"),
        "together": kept.get("together", "never"),
        "prompt": prompt_of_config(store, kept),
        "standalone": kept.get("standalone") is True,
        "scope": kept.get("scope", "guess"),
        "batch": bool(kept.get("batch")),
        "threshold": kept.get("threshold"),
        "max_citations": kept.get("max_citations"),
        "max_cost_usd": kept.get("max_cost_usd"),
        "reach": reach,
        "snapshots": snapshots,
        "on_progress": on_progress,
        "cancel": cancel,
    }
    return verify_and_store(
        store,
        store.get_output(earlier.output_sha256),
        store.get_summary(run_id).name,
        resume=earlier,
        on_start=on_start,
        on_verdict=on_verdict,
        **{**options, **(given or {})},
    )
