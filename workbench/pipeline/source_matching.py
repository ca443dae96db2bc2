"""Which given source is meant by which citations: by name, address, label, title, authors, file."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from workbench.bibliography.source_fit import SourceDescription, WorkDescription, fit_sources
from workbench.pipeline.options import Sources
from workbench.records.citation import (
    LABELLED_KINDS,
    UNCOUNTED_KINDS,
    Citation,
    Extraction,
    Reference,
)
from workbench.records.source import MATCH_WAYS, MatchedBy, Source, SourceMatch, SourceQuery
from workbench.records.text import Span, text_sha256
from workbench.sources.addresses import label_key, same_source_key, target_key, title_key
from workbench.sources.given import (
    GivenSource,
    GivenSources,
    SourceNames,
    open_sources,
    source_names,
)

_NAMING_KINDS = LABELLED_KINDS | {"author_year"}
"""Kinds whose identifier names a source that no entry explains."""


def source_queries(extraction: Extraction) -> dict[str, SourceQuery]:
    """For each citation's id what it asks for: an address, a reference's label, its title.

    A number, a key, an author with a year that no entry explains is a label by itself.
    """
    markers: dict[Span, list[Citation]] = {}
    for citation in extraction.citations:
        if citation.claim and citation.kind in _NAMING_KINDS:
            markers.setdefault(citation.claim.span, []).append(citation)
    return {citation.id: _query(extraction, citation, markers) for citation in extraction.citations}


def names_source(query: SourceQuery) -> bool:
    """Whether a query names anything that a fetcher could look for."""
    if query.target is not None and query.target.form == "guess":
        return False
    return bool(query.target or query.label or query.title)


def named_source(source: Source, query: SourceQuery) -> Source:
    """The source under the title by which readers know it.

    A page that was fetched keeps its own title: it says what answered. A file is called what the
    reference calls it, else by its name, else by what it says of itself.
    """
    fetched_page = source.status is not None and "html" in source.content_type
    if not query.title or (fetched_page and source.title):
        return source
    return replace(source, title=query.title)


def _query(
    extraction: Extraction, citation: Citation, markers: dict[Span, list[Citation]]
) -> SourceQuery:
    number = citation.target.reference if citation.target else citation.reference
    if number is None:
        marker = _adjacent_marker(citation, markers)
        if marker is not citation:
            return _query(extraction, marker, markers)
        label = citation.identifier if citation.kind in _NAMING_KINDS else None
        return SourceQuery(target=citation.target, label=label)
    target = replace(citation.target, reference=None) if citation.target else None
    entry = extraction.references[number]
    named = target or entry.label or entry.title
    return SourceQuery(target=target, label=entry.label, title=entry.title if named else entry.text)


def _adjacent_marker(citation: Citation, markers: dict[Span, list[Citation]]) -> Citation:
    """The marker that a quotation or a figure without a target belongs to; else itself."""
    if citation.kind not in UNCOUNTED_KINDS or citation.target or not citation.claim:
        return citation
    claim_markers: Sequence[Citation] = markers.get(citation.claim.span, [])
    later = (marker for marker in claim_markers if marker.start >= citation.end)
    return next(later, claim_markers[-1] if claim_markers else citation)


_IDENTIFIERS = ("doi:", "arxiv:", "pmid:", "pmc:")
_YEAR = re.compile(r"\s*(?P<year>(?:1[89]|20)\d\d)(?P<letter>[a-z]?)\Z")
_JOINTS = re.compile(r"\s*(?:&|,|;|\band\b|\bund\b|\bet\b|\by\b|\bet al\b\.?)\s*")
_AND_OTHERS = re.compile(r"\b(?:et al|and|und|et|others)\b\.?")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedWork:
    """What citations of one query name."""

    query: SourceQuery
    citations: tuple[Citation, ...] = ()
    reference: Reference | None = None

    @property
    def name(self) -> str:
        """The work as the text names it: `[1] Bridge facts`, an address, `(Lee, 2020)`."""
        target = self.query.target.value if self.query.target else ""
        what = self.query.title or target or (self.reference.text if self.reference else "")
        if not what:
            return self.citations[0].raw if self.citations else f"[{self.query.label}]"
        label = f"[{self.reference.label}] " if self.reference and self.reference.label else ""
        return f"{label}{what}"

    @property
    def choice(self) -> str:
        """The name under `for` that means this work alone: the id of its first citation."""
        return self.citations[0].id


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMatching:
    """The sources of a text's works."""

    works: tuple[CitedWork, ...] = ()
    """In the order in which the text cites them; entries of its list that nothing cites come last."""
    given: GivenSources | None = None
    """None where the sources are a fetcher's."""
    matches: tuple[SourceMatch, ...] = ()
    """One for each given source, in their order."""
    by_work: Mapping[int, int] = field(default_factory=dict)
    """The source's number for each matched work's."""
    reasons: Mapping[SourceQuery, str] = field(default_factory=dict)
    """Why a query has no source, where several fit it."""

    @property
    def by_query(self) -> dict[SourceQuery, GivenSource]:
        """The source that each query means."""
        assert self.given is not None
        return {
            self.works[work].query: self.given.sources[source]
            for work, source in self.by_work.items()
        }


def match_sources(extraction: Extraction, sources: Sources) -> SourceMatching:
    """Which of the given sources each citation means.

    A source that names its citations is taken for these and no others. Else the first of these that
    agrees decides: a normalised address, an identifier (also one that the source's first page
    prints), a reference's label, a title, authors and year, the file's name. What several
    different sources fit equally is matched with none.

    Reads the beginnings of files. Linear in the citations and the sources.

    Raises:
        UnreadableInput: The sources cannot be used.
    """
    return match_works(_works(extraction), sources)


def match_works(works: tuple[CitedWork, ...], sources: Sources) -> SourceMatching:
    """Which of the given sources each work is; see `match_sources`.

    Raises:
        UnreadableInput: The sources cannot be used.
    """
    opened = open_sources(sources)
    if not isinstance(opened, GivenSources):
        return SourceMatching(works=works)
    return _Matcher(works, opened).run()


def _works(extraction: Extraction) -> tuple[CitedWork, ...]:
    """What the text cites, each once, then the entries of its list that nothing cites."""
    citations: dict[SourceQuery, list[Citation]] = {}
    queries = source_queries(extraction)
    for citation in extraction.citations:
        citations.setdefault(queries[citation.id], []).append(citation)
    works = []
    cited = set()
    for query, listed in citations.items():
        numbers = [c.target.reference if c.target else c.reference for c in listed]
        number = next((number for number in numbers if number is not None), None)
        cited.add(number)
        entry = None if number is None else extraction.references[number]
        works.append(CitedWork(query=query, citations=tuple(listed), reference=entry))
    for number, entry in enumerate(extraction.references):
        query = SourceQuery(target=entry.target, label=entry.label, title=entry.title or entry.text)
        if number not in cited and query not in citations:
            works.append(CitedWork(query=query, reference=entry))
    return tuple(works)


class _Matcher:
    """One matching of given sources with cited works."""

    def __init__(self, works: tuple[CitedWork, ...], given: GivenSources) -> None:
        self.works, self.given, self.sources = works, given, given.sources
        self.found: dict[int, tuple[int, MatchedBy, str]] = {}
        """For a work's number its source's, by what it was matched, and the sentence."""
        self.tied: dict[int, frozenset[int]] = {}
        """The sources among which a work's name, address or label does not choose."""
        self.why_not: dict[int, str] = {}
        self.free = [at for at, source in enumerate(self.sources) if source.named_for is None]
        self.names: dict[int, SourceNames] = {}
        self._contents: dict[int, str] = {}

    def run(self) -> SourceMatching:
        """Match stage by stage; what one stage settles the next ones leave."""
        self._by_name()
        keys = [_keys_of(work) for work in self.works]
        own = {at: [url] for at in self.free if (url := self.sources[at].url)}
        self._by_key(
            keys,
            {at: {_address_key(url[0])} for at, url in own.items()},
            "Its address is that of {work}.",
        )
        self._read_names()
        stated = {
            at: {_address_key(address) for address in names.addresses}
            for at, names in self.names.items()
        }
        self._by_key(
            keys, _of_one_work(keys, stated), "It gives itself the address of {work}: {key}."
        )
        labels = [
            {label_key(work.query.label)} - {""} if work.query.label else set()
            for work in self.works
        ]
        own_labels = {
            at: {label_key(label)} - {""} for at in self.free if (label := self.sources[at].label)
        }
        self._by_key(labels, own_labels, "Its label is {key}.", by="label")
        titles = Counter(title for work in self.works if (title := _short_title(work)))
        short = [
            {title} if titles[title := _short_title(work)] == 1 else set() for work in self.works
        ]
        named = {at: {*map(title_key, names.titles)} for at, names in self.names.items()}
        self._by_key(short, named, "Its title is that of {work}.", by="title")
        self._by_fit()
        return self._result()

    # -- stages ---------------------------------------------------------------------------------

    def _by_name(self) -> None:
        """Sources that say which citations they are for."""
        tiers = _names_for(self.works)
        claims: dict[int, dict[int, str]] = defaultdict(dict)
        for at, source in enumerate(self.sources):
            if source.named_for == ():
                self.why_not[at] = "It is given for no citation."
            for name in source.named_for or ():
                hits = next((hits for tier in tiers if (hits := tier.get(_name_key(name)))), set())
                if len(hits) == 1:
                    claims[min(hits)][at] = name
                elif hits:
                    self.why_not[at] = f"“{name}” can be {len(hits)} of the text's sources."
                else:
                    self.why_not[at] = f"The text has no citation “{name}”."
        self._settle(claims, "It is given for {key}.", "given")

    def _by_key(
        self,
        keys: Sequence[set[str]],
        own: Mapping[int, set[str]],
        why: str,
        by: MatchedBy | None = None,
    ) -> None:
        """Works and sources that share a key; `by` is told by the key where it is None."""
        works: dict[str, list[int]] = defaultdict(list)
        for work, work_keys in enumerate(keys):
            for key in work_keys if work not in self.found else ():
                works[key].append(work)
        claims: dict[int, dict[int, str]] = defaultdict(dict)
        for at, source_keys in own.items():
            for key in source_keys:
                for work in works.get(key, ()):
                    claims[work].setdefault(at, key)
        self._settle(claims, why, by)

    def _settle(
        self, claims: Mapping[int, Mapping[int, str]], why: str, by: MatchedBy | None
    ) -> None:
        """Give each work the one source that claims it; several different ones are a tie."""
        for work, sources in claims.items():
            among = [at for at in sources if at in self.tied.get(work, sources)] or list(sources)
            different = {self._content(at): at for at in reversed(among)}
            if len(different) > 1:
                self.tied[work] = frozenset(among)
                continue
            at = min(among)
            key = sources[at]
            kind = by or ("identifier" if key.startswith(_IDENTIFIERS) else "url")
            name = f"“{_shortened(self.works[work].name)}”"
            self.found[work] = (at, kind, why.format(work=name, key=key.removeprefix("//")))

    def _by_fit(self) -> None:
        """Titles, authors and years, file names."""
        described = {
            work: description
            for work, cited in enumerate(self.works)
            if work not in self.found and (description := _describe_work(cited))
        }
        works, sources = list(described), list(self.names)
        taken = {at for at, _, _ in self.found.values()}
        places = {at: place for place, at in enumerate(sources)}
        fits = fit_sources(
            [described[work] for work in works],
            [self._describe(at) for at in sources],
            allowed={
                place: frozenset(places[at] for at in self.tied[work] if at in places)
                for place, work in enumerate(works)
                if work in self.tied
            },
            taken=frozenset(places[at] for at in taken if at in places),
        )
        for place, fit in fits.found.items():
            self.found[works[place]] = (sources[fit.source], fit.by, fit.why)
        for place, why in fits.why_not.items():
            self.why_not.setdefault(sources[place], why)

    # -- sources --------------------------------------------------------------------------------

    def _read_names(self) -> None:
        """What the sources call themselves; of files only of those that matched nothing so far."""
        if len(self.found) == len(self.works):
            return
        taken = {at for at, _, _ in self.found.values()}
        for at in self.free:
            if self.sources[at].file is None or at not in taken:
                self.names[at] = source_names(self.sources[at])

    def _describe(self, at: int) -> SourceDescription:
        source, names = self.sources[at], self.names[at]
        return SourceDescription(
            titles=names.titles,
            file_words=names.file_words,
            head=names.head,
            byline=names.byline,
            address=source.url or "",
            content=self._content(at),
        )

    def _content(self, at: int) -> str:
        """What two sources with the same content share."""
        if at not in self._contents:
            source = self.sources[at]
            body = source.content
            if source.file is not None:
                with suppress(OSError), source.file.open("rb") as file:
                    body = hashlib.file_digest(file, "sha256").hexdigest()
            self._contents[at] = text_sha256(body or str(at))
        return self._contents[at]

    # -- the outcome ----------------------------------------------------------------------------

    def _result(self) -> SourceMatching:
        answered: dict[int, list[int]] = defaultdict(list)
        for work, (at, _, _) in sorted(self.found.items()):
            answered[at].append(work)
        reasons = {}
        for work, among in self.tied.items():
            if work not in self.found:
                names = ", ".join(_shortened(self.sources[at].name) for at in sorted(among)[:3])
                name = f"“{_shortened(self.works[work].name)}”"
                reasons[self.works[work].query] = (
                    f"{len(among)} of the provided sources fit {name} equally ({names}): name it "
                    "under “for” of one of them."
                )
                for at in among:
                    self.why_not.setdefault(at, f"Another source fits {name} as well.")
        return SourceMatching(
            works=self.works,
            given=self.given,
            matches=tuple(self._match(at, answered[at]) for at in range(len(self.sources))),
            by_work={work: at for work, (at, _, _) in self.found.items()},
            reasons=reasons,
        )

    def _match(self, at: int, works: Sequence[int]) -> SourceMatch:
        source = self.sources[at]
        found = [self.found[work] for work in works]
        ways = {by: why for _, by, why in reversed(found)}
        best = next((way for way in MATCH_WAYS if way in ways), None)
        citations = [citation for work in works for citation in self.works[work].citations]
        if works and not citations:
            name = _shortened(self.works[works[0]].name)
            why = f"It is “{name}” of the reference list, which nothing in the text cites."
            return SourceMatch(source=source.name, url=source.url, title=source.title, why=why)
        return SourceMatch(
            source=source.name,
            url=source.url,
            title=source.title,
            citations=tuple(c.id for c in sorted(citations, key=lambda citation: citation.start)),
            by=best,
            why=ways[best] if best else self._why_not(at),
        )

    def _why_not(self, at: int) -> str:
        """Why a source answers no citation, in sentences."""
        if not self.works:
            return "The text cites nothing."
        problem = self.names[at].problem if at in self.names else ""
        if problem:
            return problem
        return self.why_not.get(at) or (
            "Neither its address nor its label, title, authors and year, or file name are those of a citation."
        )


def _keys_of(work: CitedWork) -> set[str]:
    """The keys of the addresses and identifiers by which a work is cited."""
    keys = set()
    target, reference = work.query.target, work.reference
    if target is not None and target.form != "case":
        url = target.form == "url"
        keys.add(_address_key(target.value) if url else target_key(target))
    entry = reference.entry if reference else None
    if reference and reference.doi:
        keys.add(same_source_key(f"doi:{reference.doi}"))
    if entry:
        numbered = (("doi", entry.doi), ("arxiv", entry.arxiv), ("pmid", entry.pmid))
        keys |= {same_source_key(f"{form}:{value}") for form, value in numbered if value}
        keys |= {_address_key(entry.url)} if entry.url else set()
    return keys


def _address_key(address: str) -> str:
    """The key of an address; `www.` does not count."""
    key = same_source_key(address)
    return f"//{key[6:]}" if key.startswith("//www.") else key


def _short_title(work: CitedWork) -> str:
    """The key of a title that is too short to be told by its words: of a case, of a single word."""
    target = work.query.target
    if target is not None and target.form == "case":
        return title_key(target.value)
    key = title_key(work.query.title or "")
    return key if len(key.split()) == 1 else ""


def _of_one_work(keys: Sequence[set[str]], stated: Mapping[int, set[str]]) -> dict[int, set[str]]:
    """The keys that sources state; of a source that states those of several works none."""
    works: dict[str, set[int]] = defaultdict(set)
    for work, work_keys in enumerate(keys):
        for key in work_keys:
            works[key].add(work)
    own = {}
    for at, source_keys in stated.items():
        hits = [works[key] for key in source_keys if key in works]
        own[at] = source_keys if hits and set.union(*hits) in hits else set()
    return own


def _names_for(works: Sequence[CitedWork]) -> tuple[dict[str, set[int]], ...]:
    """The works by what `for` may call them: labels and ids, then identifiers, then names."""
    tiers: tuple[dict[str, set[int]], ...] = tuple(defaultdict(set) for _ in range(3))
    for at, work in enumerate(works):
        labels = [work.query.label or "", *(citation.id for citation in work.citations)]
        description = _describe_work(work)
        names = [citation.raw for citation in work.citations] + [work.query.title or ""]
        if description and description.authors:
            year = f"{description.year or ''}{description.letter}"
            names += [f"{description.authors[0]} {year}", f"{' '.join(description.authors)} {year}"]
        identifiers = [citation.identifier for citation in work.citations]
        if work.query.target:
            identifiers.append(work.query.target.value)
        for tier, listed in zip(tiers, (labels, identifiers, names), strict=True):
            for name in listed:
                tier[_name_key(name)].add(at)
    for tier in tiers:
        tier.pop("", None)
    return tiers


def _name_key(name: str) -> str:
    return title_key(_AND_OTHERS.sub(" ", name))


def _describe_work(work: CitedWork) -> WorkDescription | None:
    """What the text says of a work besides its address and label; None where it says nothing."""
    target, reference = work.query.target, work.reference
    if target is not None and target.form == "case":
        return WorkDescription(title=target.value)
    if reference is not None:
        entry = reference.entry
        authors = (
            tuple(author.family or author.name for author in entry.authors)
            if entry
            else tuple(author.split(",")[0] for author in reference.authors)
        )
        lettered = (
            re.search(rf"\b{reference.year}([a-z])\b", reference.text) if reference.year else None
        )
        return WorkDescription(
            title=reference.title or "",
            text=reference.text,
            authors=authors,
            year=reference.year,
            letter=lettered[1] if lettered else "",
        )
    marker = next((citation for citation in work.citations if citation.kind == "author_year"), None)
    dated = _YEAR.search(marker.identifier) if marker else None
    if marker is None or dated is None:
        return WorkDescription(title=work.query.title) if work.query.title else None
    names = [name for name in _JOINTS.split(marker.identifier[: dated.start()]) if name]
    return WorkDescription(authors=tuple(names), year=int(dated["year"]), letter=dated["letter"])


def _shortened(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= 80 else name[:79] + "…"
