"""Claims without citations against given sources and the web: the verbs, and their options.

Callers of the library pass arguments only; the key of a web search alone comes from the
environment, as those of the judges do.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypedDict, Unpack

from workbench.errors import UsageError
from workbench.judging.claim_comparison import (
    SUPPORTED_FROM,
    WEAK_FROM,
    ClaimScoring,
    Embed,
    Nli,
    Search,
)
from workbench.judging.ground_report import ClaimReport, ReferenceDocument
from workbench.judging.handoff import HANDOFF
from workbench.judging.judge import Judge, run_sync
from workbench.judging.llm import LlmJudge
from workbench.pipeline.claim import aground_documents, extract_claims, read_documents
from workbench.pipeline.fetching import open_services, open_web
from workbench.pipeline.options import Sources, VerifyOptions, default_cap_usd
from workbench.pipeline.web_search import (
    MOST_SEARCHES,
    SEARCH_SECONDS,
    open_function,
    open_web_search,
)
from workbench.records.options import CAP_USD, ClaimCheckOptions, WebSearchName
from workbench.records.source import RetrievalOptions
from workbench.settings import Settings
from workbench.sources.fetchers import Fetcher
from workbench.sources.search_providers import SEARCH_PROVIDERS
from workbench.sources.snapshots import SnapshotFolder

__all__ = ["Embed", "Nli", "extract_claims"]

WEB_SEARCHES: tuple[str, ...] = tuple(SEARCH_PROVIDERS)
"""The searches of the web by name."""
SEARCH_IS_OFF = (
    "Web search is off on this server because fetching is: its operator can set allow_fetch = "
    "true in settings.toml (or WORKBENCH_ALLOW_FETCH=1). Or provide the sources yourself."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOptions(ClaimCheckOptions):
    """How claims are checked besides who judges them.

    Raises:
        UsageError: Not 0 <= weak_from <= supported_from <= 1, or an unknown search.
    """

    embed: Embed | None = None
    nli: Nli | None = None
    search_timeout_s: float = SEARCH_SECONDS

    def __post_init__(self) -> None:
        self.scoring()
        if self.web_search is not None and self.web_search not in WEB_SEARCHES:
            raise UsageError(
                f"There is no web search {self.web_search!r}; available: {', '.join(WEB_SEARCHES)}."
            )

    def scoring(self) -> ClaimScoring:
        """The thresholds and the functions that score."""
        return ClaimScoring(
            supported_from=self.supported_from,
            weak_from=self.weak_from,
            embed=self.embed,
            nli=self.nli,
        )

    def open_search(
        self, allowed_domains: Sequence[str] = (), reach: RetrievalOptions | None = None
    ) -> Search | None:
        """The web search with its key; None where none is named.

        Raises:
            MissingKey: The environment holds no key for it.
        """
        if self.web_search is None:
            return None
        return open_web_search(
            self.web_search,
            most_searches=self.max_searches,
            seconds=self.search_timeout_s,
            allowed_domains=allowed_domains,
            services=open_services(reach) if reach else None,
        )


def read_claim_options(
    settings: Settings, options: ClaimCheckOptions, embed: str | None, nli: str | None
) -> ClaimOptions:
    """Options whose functions are named as `module:function`, as on a command line.

    Raises:
        UsageError: There is no such function, or an option has a value that it does not know.
    """
    return ClaimOptions(
        **asdict(options),
        embed=open_function(embed, "embedding function", settings.data_dir) if embed else None,
        nli=open_function(nli, "nli function", settings.data_dir) if nli else None,
    )


class GroundKeywords(TypedDict, total=False):
    """What `aground` takes by name."""

    embed: Embed | None
    nli: Nli | None
    supported_from: float
    weak_from: float
    splitter: str | LlmJudge | None
    search: Search | None
    web_search: WebSearchName | None
    max_searches: int
    search_timeout_s: float
    allow_fetch: bool
    allowed_domains: Sequence[str]
    max_cost_usd: float | None
    standalone: bool
    reach: RetrievalOptions | None


def ground(
    text_or_claims: str | Sequence[str],
    sources: Sources = None,
    judge: str | Judge = "local",
    **options: Unpack[GroundKeywords],
) -> ClaimReport:
    """What given sources say of a text's claims, or of given claims; works in a running loop.

    Takes what `aground` takes and raises what it raises.
    """
    return run_sync(aground(text_or_claims, sources, judge, **options))


async def aground(
    text_or_claims: str | Sequence[str],
    sources: Sources = None,
    judge: str | Judge = "local",
    *,
    embed: Embed | None = None,
    nli: Nli | None = None,
    supported_from: float = SUPPORTED_FROM,
    weak_from: float = WEAK_FROM,
    splitter: str | LlmJudge | None = None,
    search: Search | None = None,
    web_search: WebSearchName | None = None,
    max_searches: int = MOST_SEARCHES,
    search_timeout_s: float = SEARCH_SECONDS,
    allow_fetch: bool = False,
    allowed_domains: Sequence[str] = (),
    max_cost_usd: float | None = CAP_USD,
    standalone: bool = False,
    reach: RetrievalOptions | None = None,
) -> ClaimReport:
    """What given sources say of a text's claims, or of given claims.

    Args:
        text_or_claims: A text, which is split by `extract_claims`, or claims as they stand.
        sources: A list of `{"content", "title"?, "url"?}`, a folder, or a file.
        judge: A judge or its SPEC; not asked where `embed` is given.
        embed: Embeds a list of texts (claims first, then passages of the sources) in one call; the
            cosine of a claim and its best passage is then its confidence. A coroutine function or a
            plain one.
        nli: Says of a premise and a hypothesis `entailment`, `neutral` or `contradiction`, or gives
            a probability for each; turns a supported claim into a contradicted one.
        supported_from: The confidence from which a claim is supported.
        weak_from: The confidence from which it is weakly supported; below it is unverifiable.
        splitter: A language model that splits a text into atomic claims; by rule without one.
        search: A function of your own that looks an unverifiable claim up.
        web_search: `serper`, `tavily` or `brave`, asked about what stays unverifiable; its key is
            `SERPER_API_KEY`, `TAVILY_API_KEY` or `BRAVE_API_KEY` in the environment. The claims are
            sent to it, and nothing else.
        max_searches: The most searches of one call.
        search_timeout_s: Seconds for each of them.
        allow_fetch: Whether the pages that a search finds are fetched, behind the same guard as
            cited pages; without it what the search shows of them is compared alone.
        allowed_domains: Only pages on these domains and those below them count; empty for any.
        max_cost_usd: A cap for all calls of judge and splitter together; None for none.
        standalone: Language models word each claim so that it stands alone.
        reach: Its `services` are the base addresses of the searches, among others.

    Raises:
        EmbeddingError: The embedding function gives no embeddings.
        MissingKey: The environment holds no key for the search, or for the judge.
        UsageError: Sources, judge, splitter or an option cannot be used.
        SourceError: One of the sources cannot be read; the message says which.
    """
    if search is not None and web_search is not None:
        raise UsageError("Give either `search`, a function of your own, or `web_search`.")
    options = ClaimOptions(
        supported_from=supported_from,
        weak_from=weak_from,
        embed=embed,
        nli=nli,
        web_search=web_search,
        max_searches=max_searches,
        search_timeout_s=search_timeout_s,
    )
    looked_up = search or options.open_search(allowed_domains, reach)
    fetcher: Fetcher | None = None
    if looked_up is not None and allow_fetch:
        fetcher = open_web(
            VerifyOptions(allow_fetch=True, allowed_domains=tuple(allowed_domains), reach=reach),
            None,
        )
    specs = [spec for spec in (judge, splitter) if isinstance(spec, str)]
    if isinstance(judge, str) and judge.startswith(f"{HANDOFF}:"):
        raise UsageError(
            f"{judge!r} cannot check claims without citations: no run is stored that its answers "
            "could come back to. Choose another judge, or check an answer with citations."
        )
    if max_cost_usd == CAP_USD:
        # a model whose price is unknown has no cap unless one is given
        max_cost_usd = default_cap_usd(specs)
    return await aground_documents(
        text_or_claims,
        await _documents(sources),
        judge,
        looked_up,
        splitter=splitter,
        fetcher=fetcher,
        max_cost_usd=max_cost_usd,
        standalone=standalone,
        scoring=options.scoring(),
    )


def fact_check(
    statement: str,
    sources: Sources = None,
    judge: str | Judge = "local",
    **options: Unpack[GroundKeywords],
) -> ClaimReport:
    """The report on one statement, checked as it stands: `.claims[0]` holds its verdict.

    Takes what `aground` takes, and raises what it raises; a statement is never split, and none is
    too short or too hedged to be checked.

    Raises:
        UsageError: The statement is empty, or what `aground` raises.
    """
    if not isinstance(statement, str) or not statement.strip():
        raise UsageError("There is no statement to check: give one sentence.")
    return ground([statement.strip()], sources, judge, **options)


async def _documents(sources: Sources) -> list[ReferenceDocument]:
    """The texts of given sources; none where there are none."""
    if sources is None or (isinstance(sources, Sequence) and not sources):
        return []
    return await read_documents(sources)


def open_page_fetcher(options: VerifyOptions, settings: Settings) -> Fetcher | None:
    """What fetches the pages that a search finds; None where nothing may be fetched."""
    if not options.allow_fetch:
        return None
    return open_web(replace(options, reach=settings.reach), SnapshotFolder(settings.snapshots))
