"""A run that is kept while it goes on: what every front does that has a database."""

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path

from workbench.errors import UsageError
from workbench.pipeline import Progress, Sources, verify
from workbench.records import CitationResult, Extraction, Reach, Run
from workbench.store import Recording, SourceBook, Store


def kept_run(
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
    recording = Recording(store)
    output = text if isinstance(text, str) else text.text
    options.setdefault("accepted", SourceBook(store).accepted())

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
        )
    finally:
        recording.flush()
    store.finish_run(run)
    return run


def rechecked_run(
    store: Store,
    run_id: str,
    citation_ids: Collection[str],
    *,
    text: str | Extraction | None = None,
    **options: object,
) -> Run:
    """The run with some of its citations checked anew; their earlier verdicts stay in the history.

    Takes the options of `verify`, `judge` being the run's own unless given. `text` may be an
    extraction in which a claim's boundaries were corrected.

    Raises:
        UsageError: There is no such run, or what `verify` raises.
    """
    earlier = store.get_run(run_id)
    kept = tuple(r for r in earlier.citations if r.citation.id not in citation_ids)
    accepted = SourceBook(store).accepted()
    given: dict[str, object] = {"judge": list(earlier.judge), "accepted": accepted, **options}
    return verify(
        store.get_output(earlier.output_sha256) if text is None else text,
        **given,  # type: ignore[arg-type]  # checked by verify itself
        resume=replace(earlier, citations=kept),
        on_verdict=store.replace_verdict,
        recall=store.get_judgment,
        remember=store.add_judgment,
    )


def resumed_run(
    store: Store,
    run_id: str,
    snapshots: Path | None = None,
    *,
    reach: Reach | None = None,
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
        "batch": bool(kept.get("batch")),
        "max_citations": kept.get("max_citations"),
        "max_cost_usd": kept.get("max_cost_usd"),
        "reach": reach,
        "snapshots": snapshots,
        "on_progress": on_progress,
        "cancel": cancel,
    }
    return kept_run(
        store,
        store.get_output(earlier.output_sha256),
        store.get_summary(run_id).name,
        resume=earlier,
        on_start=on_start,
        on_verdict=on_verdict,
        **{**options, **(given or {})},
    )
