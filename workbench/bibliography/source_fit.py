"""Find the source that an entry describes, by title, authors and year; a tie finds none."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal, NamedTuple

from workbench.bibliography.keys import title_key, title_words
from workbench.bibliography.titles import other_issue, stands_in, years_in

FitBy = Literal["title", "authors", "file"]
_MARGIN = 0.12
"""A best match that leads by less than this is a tie."""
_MOST_CANDIDATES = 16
"""Works that are compared with one source in full: those that share its rarest words."""
_MOST_POSTINGS = 64
_HEAD_LINES = 6
_LONGEST_LINE = 160
_LONGEST_BYLINE = 100
_NEAR_CHARS = 600
_MOST_PARTS = 6
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)(?P<letter>[a-z]?)"
_DIVIDER = re.compile(
    r"\s[|·•»›>/–—-]+\s|[|»]|[:：;；()（）\[\]【】“”„«»\"]|[.,?!]\s|[，。、？！]|\s[–—-](?=\w)|(?<=\w)[–—]\s|\n"
)
_SITE = re.compile(r"\s[|·•»›–—-]+\s|[|»]|\s?[(（][^()（）]{0,90}[)）]\s?")
_ADDRESS = re.compile(r"https?://\S+|\bwww\.\S+|\b10\.\d{4,9}/\S+", re.IGNORECASE)
_NAMED = (
    re.compile(rf"\A(?P<who>[^\n(（]{{2,100}}?),?\s*[(（]{_YEAR}[)）]"),
    re.compile(rf"[(（](?P<who>[^()（）\n]{{2,90}}?)[,，]?\s*{_YEAR}[^()（）\n]{{0,20}}[)）]\W*\Z"),
    re.compile(r"\A(?P<who>[^:：\n]{2,60}?(?:\bet al\b\.?|等))\s*[:：]"),
)
"""Authors that stand in a title: `Lee & Kim (2021): …`, `… (Lee, 2021)`, `Lee et al.: …`."""
_NAME = r"(?:(?:[A-Z]\.[ -]?){1,3}[A-Z][\w’'-]+|[A-Z][\w’'-]+ [A-Z]{1,3}\b)"
_BYLINE = re.compile(
    rf"\A(?:\w+:? )?(?P<who>{_NAME}(?:[,;]? (?:(?:and|und|et|y|&) )?{_NAME})*)[.,]?(?:\s.{{0,40}})?\Z"
)
_ACCESSED = re.compile(
    r"[\s(,;.]*\b(?:accessed|retrieved|visited|abgerufen|zugriff|consulté|consultado)\b.*",
    re.I | re.S,
)
"""When an entry was looked at is no part of what it names."""
_SPELLINGS = (("ae", "a"), ("oe", "o"), ("ue", "u"), ("our", "or"), ("isation", "ization"))
"""Spellings of one word: transliterated letters, British and American endings."""
_VAGUE = frozenset(
    "home homepage website site web page official online about us overview info information "
    "introduction intro product article blog post portal start startseite accueil inicio "
    "产品 品介 介绍 官网 官方 方网 网站 首页 简介 主页 公司 司简 司介".split()
)
"""Words of titles that name no work: they say that there is a page."""


class WorkDescription(NamedTuple):
    """A cited work, as the text describes it."""

    title: str = ""
    text: str = ""
    """The whole entry without its label."""
    authors: tuple[str, ...] = ()
    """Family names or bodies, the first one first."""
    year: int | None = None
    letter: str = ""
    """The letter behind the year, which tells two works of one author apart."""


class SourceDescription(NamedTuple):
    """A source, as it was given and as it describes itself."""

    titles: tuple[str, ...] = ()
    """The given title, then those of its markup or metadata."""
    file_words: str = ""
    head: str = ""
    """The beginning of its text."""
    byline: str = ""
    """Authors and date in its metadata."""
    address: str = ""
    content: str = ""
    """A hash of its content: the same content given twice is no tie."""


class Fit(NamedTuple):
    """The source that a work was found to be."""

    source: int
    by: FitBy
    why: str


class Fits(NamedTuple):
    """Works with their sources, and why some sources have no work."""

    found: dict[int, Fit]
    """By the work's index."""
    why_not: dict[int, str]
    """By the source's index, where there is more to say than that nothing fits."""


class _Score(NamedTuple):
    rank: float
    by: FitBy
    why: str
    sure: bool = False
    """The same title, or the same authors and year."""


def fit_sources(
    works: Sequence[WorkDescription],
    sources: Sequence[SourceDescription],
    allowed: Mapping[int, frozenset[int]] | None = None,
    taken: frozenset[int] = frozenset(),
) -> Fits:
    """The source of each work whose title, or authors and year, one source alone has.

    Case, accents, the order of the parts, site names, subtitles, and authors beside a title do not
    count. Other years, quarters, months, numbers or authors make another work of the same title.
    Only pairs that share a rare word are compared, so that the cost is linear.

    Args:
        works: What is cited.
        sources: What was given.
        allowed: For some works the only sources that they may have.
        taken: Sources that are known to be works cited elsewhere: another work is only the same one
            under its very title or by its authors and year.
    """
    fitting = _Fitting(works, sources)
    return fitting.run(allowed or {}, taken)


@dataclass(slots=True)
class _Pairs:
    """The scores of the pairs that fit, by work and by source."""

    of_work: dict[int, dict[int, _Score]] = field(default_factory=lambda: defaultdict(dict))
    of_source: dict[int, dict[int, _Score]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, work: int, source: int, score: _Score) -> None:
        self.of_work[work][source] = self.of_source[source][work] = score

    def drop(self, work: int, source: int) -> None:
        self.of_work[work].pop(source, None)
        self.of_source[source].pop(work, None)


class _Fitting:
    """One assignment of sources to works."""

    def __init__(
        self, works: Sequence[WorkDescription], sources: Sequence[SourceDescription]
    ) -> None:
        self.works = [_Work(work) for work in works]
        self.sources = [_Given(source) for source in sources]
        self.pairs = _Pairs()
        self.why_not: dict[int, str] = {}
        self.postings: dict[str, list[int]] = defaultdict(list)
        for number, work in enumerate(self.works):
            for word in {*work.words, *work.beside}:
                self.postings[word].append(number)
        self.weights = _Weights(self.postings, self.sources, len(works))

    def run(self, allowed: Mapping[int, frozenset[int]], taken: frozenset[int]) -> Fits:
        """Compare, then give each work the source that leads, as long as one does."""
        for number, source in enumerate(self.sources):
            for position in self._alike(source):
                if number not in allowed.get(position, (number,)):
                    continue
                score, conflict = self._compare(self.works[position], source)
                if score and (score.sure or number not in taken):
                    self.pairs.add(position, number, score)
                elif conflict:
                    self.why_not.setdefault(number, conflict)
        found = self._assign()
        matched = {fit.source for fit in found.values()}
        for number, rivals in self.pairs.of_source.items():
            if rivals and number not in matched:
                names = [self.works[work].name for work in rivals]
                others = {other for work in rivals for other in self.pairs.of_work[work]}
                what = f"{len(names)} entries equally" if len(names) > 1 else f"“{names[0]}”"
                too = " as other sources do" if len(others) > 1 else ""
                self.why_not[number] = f"It fits {what}{too}."
        return Fits(found, self.why_not)

    def _alike(self, source: "_Given") -> list[int]:
        """The works that share most of the telling words of a source."""
        shared: dict[int, float] = defaultdict(float)
        for word in source.words:
            listed = self.postings.get(word, ())
            if len(listed) <= _MOST_POSTINGS:
                for number in listed:
                    shared[number] += self.weights[word]
        return sorted(shared, key=lambda number: (-shared[number], number))[:_MOST_CANDIDATES]

    # -- one pair -------------------------------------------------------------------------------

    def _share(self, words: Iterable[str], among: Iterable[str]) -> float:
        """How much of some words stands among others, by what the words tell."""
        words, among = set(words), frozenset(among)
        whole = sum(self.weights[word] for word in words)
        return sum(self.weights[word] for word in words & among) / whole if whole else 0.0

    def _compare(self, work: "_Work", source: "_Given") -> tuple[_Score | None, str]:
        """The best score of a pair; without one, what speaks against it, if anything does."""
        best: _Score | None = None
        conflict = ""
        if work.title and not work.is_vague:
            for name in source.names:
                score = self._title_score(work, source, name)
                if score and (best is None or score.rank > best.rank):
                    against = self._conflict(work, source, name.text)
                    best, conflict = (best, against) if against else (score, "")
        if best is None and not conflict:
            best = self._body_score(work, source) or self._author_score(work, source)
            if best:
                conflict = self._conflict(work, source, source.titles)
                best = None if conflict else best
        return best, conflict

    def _extra(self, work: "_Work", source: "_Given") -> float:
        """What authors and a year add to a score."""
        listed = work.author_words[:3]
        named = sum(words <= source.words for words in listed) / len(listed) if listed else 0.0
        dated = work.work.year in source.near_years if work.work.year else False
        return 0.3 * named + 0.15 * dated

    def _title_score(self, work: "_Work", source: "_Given", name: "_Name") -> _Score | None:
        title, words = work.title_words, name.words
        named = frozenset(words)
        if not named & set(title):
            return None
        within = self._share(title, named)
        near = self._share(title, named | source.near_words)
        back = self._share(words, {*work.words, *work.beside})
        beside = self._share(work.beside, named | source.near_words)
        extra = self._extra(work, source)
        same = work.has_title(name.text)
        shown = self._share(title, named | source.line_words)
        # an entry that says nothing else has nothing else to agree
        corroborated = beside >= 0.2 or extra > 0 or back >= 0.85 or not work.beside
        fits = (
            (same and (corroborated or len(title) > 4))
            or (within >= 0.8 and len(title) > 1 and (back >= 0.5 or corroborated))
            or (shown >= 0.95 and within >= 0.5 and len(title) > 2)
            or (near >= 0.6 and within >= 0.3 and (back >= 0.4 or beside >= 0.8) and corroborated)
            or (back >= 0.95 and len(words) > 2 and stands_in(name.text, work.text))
        )
        if name.is_line and not same and back < 0.5:
            fits = False  # a sentence may hold the words of any title
        if not fits:
            return None
        rank = near + 0.3 * within + 0.5 * back + 0.4 * beside + extra + 0.4 * same
        rank -= 0.1 * (name.by == "file")
        what = "file's name" if name.by == "file" else "title"
        how = "the same as" if same else f"{round(100 * near)} % of the words of"
        return _Score(
            rank,
            name.by,
            f"Its {what} has {how} that of {{work}}.".replace("has the same as", "is"),
            same,
        )

    def _body_score(self, work: "_Work", source: "_Given") -> _Score | None:
        """A body that a work without a telling title names, and that the source is of."""
        if not (work.is_vague or not work.work.title):
            return None
        for segment in work.segments:
            telling = segment - _VAGUE
            long = len(telling) > 1 or any(len(word) > 5 for word in telling)
            if (
                long
                and not all(map(str.isdigit, telling))
                and any(telling <= other for other in source.segments)
            ):
                extra = self._extra(work, source)
                return _Score(0.6 + extra, "authors", "It is by the body that {work} names.")
        return None

    def _author_score(self, work: "_Work", source: "_Given") -> _Score | None:
        """The first author and the year of a work, where the source names both."""
        first = work.author_words[0] if work.author_words else frozenset()
        if not first or work.work.year not in source.near_years:
            return None
        shown = source.named_authors | source.line_words
        if not first <= shown:
            return None
        titled = work.title and not work.is_vague and source.source.titles
        if titled and self._share(work.title_words, source.words) < 0.25:
            return None
        others = sum(words <= shown for words in work.author_words[1:3])
        missing = len(work.author_words[1:3]) - others
        rank = 0.8 + 0.2 * others - 0.2 * missing + 0.1 * (first <= source.named_authors)
        return _Score(rank, "authors", "It names the authors and the year of {work}.", True)

    def _conflict(self, work: "_Work", source: "_Given", name: str) -> str:
        """What makes a source of a like title another work; empty where nothing does."""
        if source.years and work.years and not source.years & work.years:
            found, cited = (
                ", ".join(map(str, sorted(years))) for years in (source.years, work.years)
            )
            return f"It is of {found} and {{work}} of {cited}.".format(work=work.name)
        if work.work.letter and source.letters and work.work.letter not in source.letters:
            return f"It is of {work.work.year}{min(source.letters)}, “{work.name}” is not."
        kind = other_issue(work.title, name, beside=work.text, beside_other=source.near)
        if kind:
            return f"Its title has another {kind} than “{work.name}”."
        if (
            source.named_authors
            and work.has_people
            and not any(word in source.words for names in work.author_words for word in names)
        ):
            return f"It names other authors than “{work.name}”."
        if any(_one_word_differs(work, source, _words(part)) for part in _SITE.split(name)):
            return f"Its title has another word than “{work.name}”."
        return ""

    # -- all pairs ------------------------------------------------------------------------------

    def _assign(self) -> dict[int, Fit]:
        found: dict[int, Fit] = {}
        progress = True
        while progress:
            progress = False
            for work in [number for number in self.pairs.of_work if number not in found]:
                source = self._leading_source(work)
                if source is None or not self._leads(work, source):
                    continue
                score = self.pairs.of_work[work][source]
                found[work] = Fit(
                    source, score.by, score.why.format(work=f"“{self.works[work].name}”")
                )
                progress = True
                for other in [s for s in self.pairs.of_work[work] if s != source]:
                    self.pairs.drop(work, other)
                for rival in list(self.pairs.of_source[source]):
                    if not self.works[work].is_same_work(self.works[rival]):
                        self.pairs.drop(rival, source)
        return found

    def _leading_source(self, work: int) -> int | None:
        scores = self.pairs.of_work[work]
        if not scores:
            return None
        best = max(scores, key=lambda source: (scores[source].rank, -source))
        content = self.sources[best].source.content
        for source, score in scores.items():
            same = source == best or (content and self.sources[source].source.content == content)
            if not same and score.rank > scores[best].rank - _MARGIN:
                return None
        return best

    def _leads(self, work: int, source: int) -> bool:
        """Whether no other work has as good a claim to a source."""
        rivals = self.pairs.of_source[source]
        return all(
            score.rank <= rivals[work].rank - _MARGIN
            or self.works[work].is_same_work(self.works[rival])
            for rival, score in rivals.items()
            if rival != work
        )


def _one_word_differs(work: "_Work", source: "_Given", words: Sequence[str]) -> bool:
    """Whether a title is the work's but for one word, which is no spelling of the other."""
    if len(words) != len(work.title_words) or len(words) < 2:
        return False
    here = [word for word in work.title_words if word not in source.words]
    there = [word for word in words if word not in work.words and word not in work.beside]
    if len(here) != 1 or len(there) != 1 or not (here[0].isalpha() and there[0].isalpha()):
        return False  # numbers are compared by themselves: `3/2024` is `Q3 2024`
    return SequenceMatcher(None, here[0], there[0], autojunk=False).ratio() < 0.75


class _Name(NamedTuple):
    """One of the names of a source."""

    by: FitBy
    text: str
    words: tuple[str, ...]
    is_line: bool = False
    """A line that its text begins with."""


class _Weights(dict[str, float]):
    """How much a word tells: one that many works or sources have tells little."""

    def __init__(
        self, postings: Mapping[str, Sequence[int]], sources: Sequence["_Given"], works: int
    ) -> None:
        super().__init__()
        self._postings = postings
        self._in_sources = Counter(
            word for source in sources for word in {w for name in source.names for w in name.words}
        )
        self._number = max(works, len(sources), 1)

    def __missing__(self, word: str) -> float:
        often = max(len(self._postings.get(word, ())), self._in_sources[word], 1)
        weight = max(math.log((1 + self._number) / often), 0.1)
        self[word] = weight / 2 if word in _VAGUE or word.isdigit() else weight
        return self[word]


class _Work:
    """A work with the words by which it is compared."""

    def __init__(self, work: WorkDescription) -> None:
        self.work = work
        self.text = _ADDRESS.sub(" ", work.text or work.title)
        self.title = self._title()
        self.title_words = _words(self.title)
        self.words = tuple(dict.fromkeys((*self.title_words, *_words(self.text))))
        self.author_words = [
            frozenset(words) for author in work.authors if (words := _words(author))
        ]
        self.has_people = all(len(words) < 3 for words in self.author_words) and bool(work.authors)
        year = str(work.year or "")
        names = {word for words in self.author_words for word in words}
        self.beside = frozenset(
            word
            for word in {*self.words, *names, year}
            if word == year or (len(word) > 1 and not word.isdigit())
        ) - {*self.title_words, ""}
        self.is_vague = all(word in _VAGUE or word.isdigit() for word in self.title_words)
        self.years = years_in(self.text) | ({work.year} if work.year else set())

    @property
    def name(self) -> str:
        """What messages call it."""
        who = " & ".join(self.work.authors[:2])
        name = (
            self.work.title
            or self.text.strip()
            or f"{who} {self.work.year or ''}{self.work.letter}"
        )
        return name if len(name) <= 80 else name[:79] + "…"

    def _title(self) -> str:
        """The title; the whole entry where it gives none, or only a body before the title."""
        title = self.work.title
        if title and not self.work.authors:
            _, found, rest = self.text.partition(title)
            if not found or rest.lstrip(' *_”"')[:1] not in ",:–—-" or not _words(rest):
                return title
        elif title:
            return title
        return _ACCESSED.sub("", self.text)

    @cached_property
    def segments(self) -> list[frozenset[str]]:
        """The words of each part of the entry, of its authors."""
        return [*_segments(self.text), *(() if self.has_people else self.author_words)]

    @cached_property
    def _titles(self) -> tuple[str, frozenset[str]]:
        return title_key(self.title), frozenset(_keys(self.title))

    def has_title(self, name: str) -> bool:
        """Whether a name is the work's title: as a part of either, without authors and sites."""
        key, parts = self._titles
        whole = {_long_key(part) for part in (name, *_SITE.split(name))} - {""}
        return bool(whole & parts) or (_is_long(key) and key in _keys(name))

    def is_same_work(self, other: "_Work") -> bool:
        """Whether two descriptions can be of one work, which may be listed or cited twice."""
        mine, its = self.work, other.work
        if (mine.year, mine.letter) != (its.year, its.letter):
            return False
        if mine.title and its.title:
            if title_key(mine.title) != title_key(its.title):
                return False
        elif title_key(self.text) and title_key(other.text):
            return title_key(self.text) == title_key(other.text)
        shorter, longer = sorted((self.author_words, other.author_words), key=len)
        return longer[: len(shorter)] == shorter and (bool(shorter) or not longer)


class _Given:
    """A source with the words by which it is compared."""

    def __init__(self, source: SourceDescription) -> None:
        self.source = source
        lines = [line.strip() for line in source.head[:4000].splitlines() if line.strip()]
        lines = [line for line in lines[:_HEAD_LINES] if len(line) <= _LONGEST_LINE]
        slug = re.sub(r"https?://|[/_.+-]|\bwww\b|%20", " ", source.address)
        self.near = " ".join((source.head[:_NEAR_CHARS], source.byline, slug, source.file_words))
        self.near_words = frozenset(_words(self.near))
        self.names = [
            *(_Name("title", title, _words(title)) for title in source.titles),
            *(_Name("title", line, _words(line), is_line=True) for line in lines),
            _Name("file", source.file_words, _words(source.file_words)),
        ]
        self.words = self.near_words.union(*(name.words for name in self.names))
        short = [line for line in lines if len(line) <= _LONGEST_BYLINE]
        self.line_words = frozenset(
            _words(" ".join((*short, source.byline, slug, source.file_words)))
        )
        self.titles = " · ".join((*source.titles, source.file_words))
        self.years = years_in(self.titles)
        self.near_years = years_in(self.near) | self.years
        matches = [
            match
            for title in source.titles
            for pattern in _NAMED
            if (match := pattern.search(title))
        ]
        self.letters = {match["letter"] for match in matches if match.groupdict().get("letter")}
        bylines = [match for line in lines if (match := _BYLINE.match(line))]
        self.named_authors = frozenset(
            word for match in (*matches, *bylines) for word in _words(match["who"])
        )
        self._lines = short[:3]

    @cached_property
    def segments(self) -> list[frozenset[str]]:
        """The words of each part of its titles and of the lines that it begins with."""
        names = (*self.source.titles, *self._lines)
        return [part for name in names for part in (*_segments(name), frozenset(_words(name)))]


def _words(text: str) -> tuple[str, ...]:
    """The telling words of a text, each in one spelling."""
    words: dict[str, None] = {}
    for word in title_words(text):
        if len(word) > 3 and word.isalpha() and word.isascii():
            for written, folded in _SPELLINGS:
                word = word.replace(written, folded)
            word = word.removesuffix("s")
        words[word] = None
    return tuple(words)


def _segments(text: str) -> list[frozenset[str]]:
    return [part for piece in _DIVIDER.split(text) if (part := frozenset(_words(piece)))]


def _keys(name: str) -> set[str]:
    """The keys of a name's runs of parts: its subtitle, its title without the site."""
    parts = [part for part in _DIVIDER.split(name) if part and part.strip()][:_MOST_PARTS]
    runs = {
        _long_key(" ".join(parts[start:end]))
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    }
    return (runs | {_long_key(name)}) - {""}


def _long_key(name: str) -> str:
    key = title_key(name)
    return key if _is_long(key) else ""


def _is_long(key: str) -> bool:
    """Whether a folded title is long enough to be told from a word."""
    return len(key) >= (8 if key.isascii() else 4)
