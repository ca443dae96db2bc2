"""The two public verbs: `verify` and its awaitable twin."""

import asyncio
import time
from collections.abc import Sequence

from workbench.citations import extract
from workbench.errors import UsageError
from workbench.judging import Judge, open_judge, run_sync
from workbench.pipeline.options import Options, Sources
from workbench.pipeline.work import Work
from workbench.records import Extraction, Run


def verify(
    text: str | Extraction,
    judge: str | Sequence[str] | Judge = "local",
    sources: Sources = None,
    allow_fetch: bool = False,
    **options: object,
) -> Run:
    """The run over everything a text cites; also works where an event loop is running.

    Takes what `averify` takes and raises what it raises.
    """
    return run_sync(averify(text, judge=judge, sources=sources, allow_fetch=allow_fetch, **options))


async def averify(
    text: str | Extraction,
    judge: str | Sequence[str] | Judge = "local",
    sources: Sources = None,
    allow_fetch: bool = False,
    **options: object,
) -> Run:
    """The run over everything a text cites.

    Args:
        text: Agent output, or what `extract` or `read_output` made of it.
        judge: A judge SPEC, several (a panel), or a Judge.
        sources: Given sources or a Fetcher; a citation that matches none gets `no_source`.
        allow_fetch: Whether addresses may be fetched; without it only given sources and snapshots
            answer.
        **options: The other fields of `Options`: `allowed_domains`, `offline`, `snapshots` (a
            folder), `panel` (`majority`, `unanimous` or `cascade`), `max_citations`,
            `max_cost_usd` (a cap that holds under concurrency), the callbacks `on_start`
            `on_source` `on_verdict` `on_progress`, `cancel`, an event that ends the run early with
            what it has, `recall` and `remember`, which find and keep paid judgments by key,
            `resume`, an interrupted run of this text whose finished citations are taken over,
            `accepted`, the hashes of bodies that a reviewer calls the source although they look
            like a wall or an error page, and `reach`, where else sources may be looked for.

    Raises:
        UsageError: The judge or the sources cannot be opened, or an option is unknown.
    """
    unknown = set(options) - set(Options.__dataclass_fields__)
    if unknown:
        known = ", ".join(sorted(Options.__dataclass_fields__))
        raise UsageError(f"Unknown option {', '.join(sorted(unknown))}; known are {known}.")
    given = Options(sources=sources, allow_fetch=allow_fetch, **options)  # type: ignore[arg-type]
    judges = _open_judges(judge)
    started = time.perf_counter()
    extraction = text if isinstance(text, Extraction) else await asyncio.to_thread(extract, text)
    work = Work(extraction, judges, given, time.perf_counter() - started)
    return await work.run()


def _open_judges(judge: str | Sequence[str] | Judge) -> list[Judge]:
    if isinstance(judge, str):
        return [open_judge(judge)]
    if isinstance(judge, Sequence):
        if not judge:
            raise UsageError("No judge is named; name at least one, for example local.")
        return [open_judge(spec) for spec in judge]
    return [judge]
