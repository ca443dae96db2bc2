"""Claim mode from given sources: read them, then check claims that carry no citation."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from workbench.errors import UsageError
from workbench.judging import Judge, run_sync
from workbench.judging.ground import GroundReport, GroundSource, ground
from workbench.pipeline.options import Sources
from workbench.records import SourceQuery
from workbench.sources import GivenSources, open_sources, read_source


def ground_claims(
    text_or_claims: str | Sequence[str], sources: Sources, judge: str | Judge = "local"
) -> GroundReport:
    """What given sources (a folder, a file, a list) say of a text's claims, or of given claims.

    Raises:
        UsageError: The sources or the judge cannot be used.
        SourceError: One of the sources cannot be read; the message says which.
    """
    return ground(text_or_claims, run_sync(_read_all(sources)), judge)


async def _read_all(sources: Sources) -> list[GroundSource]:
    opened = open_sources(sources)
    if not isinstance(opened, GivenSources):
        raise UsageError("Claim mode needs given sources: a folder, a JSON file or a list.")

    async def one(number: int) -> GroundSource:
        # each source alone, asked for by a label of its own, so that none hides another
        given = opened.sources[number]
        alone = GivenSources([replace(given, label=str(number))])
        source = await read_source(await alone.fetch(SourceQuery(label=str(number))))
        return GroundSource(content=source.text, title=given.title or source.title, url=given.url)

    return await asyncio.gather(*(one(number) for number in range(len(opened.sources))))
