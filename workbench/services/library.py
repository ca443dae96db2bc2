"""The verbs of the library that compose more than a run: `verify` with its reference list looked up.

Callers of the library pass arguments only: no environment and no settings file is read.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

from workbench.errors import UsageError
from workbench.judging.judge import Judge, run_sync
from workbench.pipeline.options import OtherKeywords, Sources, VerifyOptions
from workbench.pipeline.reference_checks import ReferenceOptions
from workbench.pipeline.verification import verify_with
from workbench.records.bibliography import ReferenceReport
from workbench.records.citation import Extraction
from workbench.records.options import LookUpOptions
from workbench.records.source import RetrievalOptions
from workbench.records.text import JsonDict
from workbench.records.verdict import Run
from workbench.services.database import Database, open_database
from workbench.services.permissions import Permissions
from workbench.services.references.checking import acheck_list
from workbench.services.references.requests import (
    RegistryForms,
    read_references,
    references_of_verify,
    registry_of_library,
)
from workbench.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceKeywords(LookUpOptions):
    """What callers of the library say of looking references up."""

    registry: RegistryForms = None
    contact: str | None = None
    index_keys: Mapping[str, str] = field(default_factory=dict)
    store: Database | str | Path | None = None
    allow_fetch: bool = False
    offline: bool = False
    allowed_domains: Sequence[str] = ()
    reach: RetrievalOptions | None = None

    def options(self) -> ReferenceOptions | None:
        """Who is asked; None where nobody would be."""
        store = self.store
        settings = Settings(
            data_dir=Path(),
            contact=self.contact,
            index_keys=self.index_keys,
            reach=self.reach or RetrievalOptions(),
        )
        permissions = Permissions(
            allow_fetch=self.allow_fetch, allowed_domains=tuple(self.allowed_domains)
        )
        return references_of_verify(
            settings,
            permissions,
            check_references=self.check_references,
            indexes=self.indexes,
            registry_files=registry_of_library(self.registry),
            offline=self.offline,
            database=store
            if store is None or isinstance(store, Database)
            else open_database(store),
        )


def verify(
    text: str | Extraction,
    judge: str | Sequence[str] | Judge = "local",
    sources: Sources = None,
    allow_fetch: bool = False,
    *,
    registry: RegistryForms = None,
    check_references: bool = False,
    indexes: Sequence[str] = (),
    **options: Unpack[OtherKeywords],
) -> Run:
    """The run over everything a text cites; also works where an event loop is running.

    Takes what `averify` takes and raises what it raises.
    """
    return run_sync(
        averify(
            text,
            judge,
            sources,
            allow_fetch,
            registry=registry,
            check_references=check_references,
            indexes=indexes,
            **options,
        )
    )


async def averify(
    text: str | Extraction,
    judge: str | Sequence[str] | Judge = "local",
    sources: Sources = None,
    allow_fetch: bool = False,
    *,
    registry: RegistryForms = None,
    check_references: bool = False,
    indexes: Sequence[str] = (),
    **options: Unpack[OtherKeywords],
) -> Run:
    """The run over everything a text cites.

    Args:
        text: Agent output, or what `extract` or `read_output` made of it.
        judge: A judge SPEC, several (a panel), or a Judge.
        sources: Given sources or a Fetcher; a citation that matches none gets `no_source`.
        allow_fetch: Whether addresses may be fetched; without it only given sources and snapshots
            answer.
        registry: Works that are asked like an index whether they hold the entries of the reference
            list, without a network: a file or several (`.bib`, `.ris`, CSL-JSON), the text of one,
            or CSL-JSON items.
        check_references: Also look those entries up in the indexes of works; without `allow_fetch`
            nothing is sent, and entries that no registry holds are not checked.
        indexes: Which indexes are asked; those that need no key where none is named.
        **options: The other fields of `VerifyOptions`: `allowed_domains`, `offline`, `snapshots` (a
            folder), `panel` (`majority`, `unanimous` or `cascade`), `together` (`auto`: several
            claims of one source share a call where that is cheaper; `never`), `prompt` (what the
            language models among the judges are asked by), `standalone` (they also rewrite each
            claim to stand alone, for some tokens more), `scope` (how much of the text a citation
            stands for: `guess`, `sentence`, `list` or `paragraph`), `batch` (ask at the providers'
            batch price, which may take a day), `max_citations`, `max_cost_usd` (a cap
            that holds under concurrency: 1 USD unless given, None for none; a judge whose price is
            unknown has none unless given), `purse` (money shared with other runs), `spending`
            (opens the record in which calls are written down before they are made; without it, as
            with `verify` in Python, a kill forgets what was spent), the callbacks
            `on_start` `on_source` `on_verdict` `on_reference` `on_progress` `on_config` (the run's
            config changed: a batch was handed in), `cancel`, an event that ends the run early with
            what it has, `recall` and `remember`, which find and keep paid judgments by key,
            `resume`, an interrupted run of this text whose finished citations are taken over,
            `accepted`, the hashes of bodies that a reviewer calls the source although they look
            like a wall or an error page, and `reach`, where else sources may be looked for.

    Raises:
        UsageError: The judge or the sources cannot be opened, an option is unknown, or it has a
            value that it does not know.
        UnreadableInput: The registry holds no records.
    """
    run_options = VerifyOptions.from_keywords(
        judge=judge, sources=sources, allow_fetch=allow_fetch, **options
    )
    if registry is not None or check_references or indexes:
        if run_options.references is not None:
            raise UsageError(
                "Pass either `references`, or a registry and the other look-up options."
            )
        keywords = ReferenceKeywords(
            registry=registry,
            check_references=check_references,
            indexes=indexes,
            allow_fetch=allow_fetch,
            offline=run_options.offline,
            allowed_domains=run_options.allowed_domains,
            reach=run_options.reach,
        )
        references = await asyncio.to_thread(keywords.options)
        options["references"] = references
        run_options = VerifyOptions.from_keywords(
            judge=judge, sources=sources, allow_fetch=allow_fetch, **options
        )
    return await verify_with(text, run_options)


def check_references(
    text_or_list: str | Path | Extraction | Sequence[str] | Sequence[JsonDict],
    registry: RegistryForms = None,
    indexes: Sequence[str] = (),
    allow_fetch: bool = False,
    *,
    offline: bool = False,
    allowed_domains: Sequence[str] = (),
    contact: str | None = None,
    index_keys: Mapping[str, str] | None = None,
    reach: RetrievalOptions | None = None,
    store: Database | str | Path | None = None,
) -> ReferenceReport:
    """Whether each reference of a list exists and is described right; works in a running loop.

    Takes what `acheck_references` takes and raises what it raises.
    """
    return run_sync(
        acheck_references(
            text_or_list,
            registry,
            indexes,
            allow_fetch,
            offline=offline,
            allowed_domains=allowed_domains,
            contact=contact,
            index_keys=index_keys,
            reach=reach,
            store=store,
        )
    )


async def acheck_references(
    text_or_list: str | Path | Extraction | Sequence[str] | Sequence[JsonDict],
    registry: RegistryForms = None,
    indexes: Sequence[str] = (),
    allow_fetch: bool = False,
    *,
    offline: bool = False,
    allowed_domains: Sequence[str] = (),
    contact: str | None = None,
    index_keys: Mapping[str, str] | None = None,
    reach: RetrievalOptions | None = None,
    store: Database | str | Path | None = None,
) -> ReferenceReport:
    """Whether each reference of a list exists and is described right.

    Args:
        text_or_list: A text with a reference list, a list alone, the text of a `.bib`, `.ris` or
            CSL-JSON file, a Path to one of these or to a `.docx` or PDF, entries as strings,
            CSL-JSON items, or what `extract` made of a text. Offsets count code points of the
            text; entries in a list count as joined by line ends.
        registry: Works that are asked like an index, without a network: a file or several (`.bib`,
            `.ris`, CSL-JSON), the text of one, or CSL-JSON items.
        indexes: Which indexes of works are asked; those that need no key where none is named.
        allow_fetch: Whether the indexes may be asked: title, first author, year and identifiers of
            an entry are sent to them, nothing else.
        offline: Whether answers that `store` keeps count alone.
        allowed_domains: Only indexes on these domains and those below them; empty for any.
        contact: An e-mail address that the indexes are told, who serve those faster that they can
            reach.
        index_keys: Files with the keys of indexes, by the index's name.
        reach: Its `services` are the base addresses of the indexes.
        store: A database whose registries are asked first, and where answers are kept.

    Raises:
        UsageError: There is no such index, or an argument is none of these.
        UnreadableInput: The list or the registry cannot be read.
        StoreError: The database cannot be used.
    """
    keywords = ReferenceKeywords(
        registry=registry,
        check_references=allow_fetch or offline,
        indexes=indexes,
        contact=contact,
        index_keys=index_keys or {},
        store=store,
        allow_fetch=allow_fetch,
        offline=offline,
        allowed_domains=allowed_domains,
        reach=reach,
    )
    output = text_or_list
    if not isinstance(output, Extraction):
        output = await asyncio.to_thread(read_references, output)
    return await acheck_list(output, await asyncio.to_thread(keywords.options))
