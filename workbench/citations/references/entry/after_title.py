"""An entry that begins with its title or holds little else: its authors, and what follows them."""

import re
from typing import NamedTuple

from workbench.citations.lexicon import YEAR
from workbench.citations.marks.author_year import NOT_A_NAME
from workbench.citations.references.entry.heads import (
    LOWER,
    Head,
    before_date,
    before_stop,
    is_small,
    make_head,
)
from workbench.citations.references.entry.name_parts import is_body, title_words
from workbench.citations.references.entry.names import NameList, read_names
from workbench.citations.references.entry.plain import PlainEntry
from workbench.citations.references.entry.titles import TitlePlace, read_title
from workbench.citations.references.entry.venue import ABBREVIATIONS
from workbench.records.bibliography import Author

_BY = re.compile(r"(?:by|By|von|par|por|作者)[:：]?\s|[(（]")
_DASH = re.compile(r"[\s.,]{0,3}[-–—|·•]\s")
_ET_AL = re.compile(r"\bet\.?\s?al\b\.?|\band others\b|等")
_STOP = re.compile(r"\s[(\[–—|-]|(?<=\w\w)(?<!\bSt)\.\s|\n|\Z|\)")
_COMMA = re.compile(r",\s|\Z")
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_NAME_END = re.compile(r"(?<![\s.]\w)\.\s")
"""A full stop that is not that of an initial."""
_YEAR_FIRST = re.compile(rf"\((?P<year>{YEAR})\)[.,:]\s(?=[^\W\d_a-z])")
_DATED_PAREN = re.compile(rf"[,，]?\s?\(?{YEAR}[)）]")
_PUBLISHER = re.compile(
    r"(?i:press|publish|verlag|books|editions?|springer|elsevier|wiley|university)"
)
_PUBLISHES = re.compile(
    rf"{_PUBLISHER.pattern}|(?i:journal|proceedings|transactions|conference|review|annals|bulletin"
    r"|workshop|symposium|magazine|letters|notes|news|zeitschrift|revue|revista|rivista)"
)
"""What names of publishers, journals and meetings hold."""
_ALONE = re.compile(
    rf"(?P<who>(?:[^\n\d.]|\.(?!\s[^\W\d_]{{3}})|(?<=\bSt)\.){{3,120}}?)(?:\s?[,，]\s?|\s?[(（])(?:{YEAR}|n\.\s?d\.)[)）]?[.。]?\s*(?:\n|\Z)"
)
_WRITTEN_BY = re.compile(
    rf"(?P<who>(?:(?!\s[–—|-]\s)[^\n()]){{3,200}}?)\s\({YEAR}\)\.?\s*(?:\n|\Z)"
)
"""All that follows `by`: `The Carrick Herald (2023)`."""
_AND = re.compile(r"\s(?:and|&|und|et|y|e)\s")
_SURNAMES = re.compile(r"(?:[A-Z][\w.'’-]*\s){0,2}(?:[a-z]{1,3}[-'’])?[^\W\d_a-z][\w'’-]+")
_DATED = re.compile(rf"[,，]?\s?{YEAR}[)）]")
_VENUE_NEXT = re.compile(
    rf"\s\((?!(?:{_MONTHS}))[^()\n]{{0,60}}[^\W\d_]{{2}}[^()\n]{{0,20}},?\s{YEAR}\)"
    rf"|,\s(?!(?:{_MONTHS}))(?:[A-Z]|[bm][ie][od]R|arX)[\w. ]{{1,60}}\s{YEAR}"
)
_SURNAME = re.compile(
    r"(?:[a-z]{1,3}\s){0,3}(?:[^\W\d_]['’])?[^\W\d_][^\W\d_A-Z]+(?:[-'’][^\W\d_]+)?"
)
_SITES = frozenset(
    (
        "nature science cell lancet reuters bloomberg gartner mckinsey deloitte forrester statista"
        " forbes springer elsevier wiley medium youtube brookings guardian economist wired neuron"
        " oxford cambridge routledge sage penguin anthropic google microsoft amazon meta apple"
    ).split()
)
_MOST_TRIES = 8


def read_names_after(words: str, start: int) -> Head:
    """The authors that follow a title: `- Smith et al., Venue 2021`, `by J. Smith (2019)`.

    Args:
        words: The entry's plain words.
        start: Where its title ends.
    """
    begin = start
    while begin < len(words) and (words[begin].isspace() or words[begin] in ".,;:-–—|·•，。："):
        begin += 1
    dated = _YEAR_FIRST.match(words, begin)
    if dated:
        after_year = _after_year(words, dated)
        return after_year if after_year.names is not None else Head(after=start)
    by = _BY.match(words, begin)
    dash = _DASH.match(words, start) is not None
    begin = by.end() if by else begin
    rest = words[begin:]
    head = _dated(rest, by is not None) or _issued(rest, by[0] if by else "") or _shortened(rest)
    head = head or _listed(rest, by is not None, dash) or _stopped(rest)
    if head is None:
        bare = rest.rstrip(" .)\n")
        names = read_names(bare)
        if names is None or not (names.sure or by) or names.way in ("body", "single"):
            return Head(after=start)
        head = make_head(rest, names, len(bare), len(rest))
    year = (head.year[0] + begin, head.year[1] + begin) if head.year else None
    return head._replace(
        start=head.start + begin, end=head.end + begin, after=head.after + begin, year=year
    )


def _after_year(words: str, year: re.Match[str]) -> Head:
    """Names between year and venue, as in `*Walls* (2020). Anna Roe. Gate Press`."""
    stops = (stop.start() for stop in _NAME_END.finditer(words, year.end(), year.end() + 600))
    stop = next((stop for stop in stops if read_names(words[year.end() : stop])), -1)
    names = read_names(words[year.end() : stop]) if stop > 0 else None
    if names is None or names.way == "body" or title_words(words[year.end() : stop]):
        return Head()
    made = make_head(words[year.end() :], names, stop - year.end(), stop - year.end() + 1)
    shift = year.end()
    return made._replace(
        start=made.start + shift,
        end=made.end + shift,
        after=made.after + shift,
        year=year.span("year"),
    )


def _dated(rest: str, by: bool) -> Head | None:
    """Names before a date; a body or one word may be the venue unless `by` leads to it."""
    head = before_date(rest)
    if head is None or head.names is None:
        return None
    return head if by or head.names.way not in ("body", "single") else None


def _issued(rest: str, by: str) -> Head | None:
    """What stands alone between a title and a date: the office that issued it, or two surnames."""
    written = _WRITTEN_BY.match(rest) if by[-1:].isspace() else None
    if written:
        names = read_names(written["who"], anchored=True)
        return make_head(rest, names, written.end("who"), written.end("who")) if names else None
    alone = _ALONE.match(rest)
    who = alone["who"] if alone else ""
    if not who or _PUBLISHES.search(who):
        return None
    names = read_names(who)
    if names is None:
        pair = [part.strip() for part in _AND.split(who)]
        if len(pair) != 2 or title_words(who) or not all(map(_SURNAMES.fullmatch, pair)):
            return None
        names = NameList(tuple(Author(family=family) for family in pair), True, True, "single")
    elif names.way == "body" or NOT_A_NAME.search(who):
        names = names._replace(way="issuer", sure=True)
    else:
        return None
    return make_head(rest, names, len(who), len(who))


def _shortened(rest: str) -> Head | None:
    match = _ET_AL.search(rest, 0, 1500)
    names = read_names(rest[: match.end()], anchored=True) if match else None
    return make_head(rest, names, match.end(), match.end()) if match and names else None


def _stopped(rest: str) -> Head | None:
    """Names before a full stop that can be nothing else."""
    head = before_stop(rest, anchored=False)
    if head is None or head.names is None:
        return None
    issuer = head.names.way == "body" and not _PUBLISHES.search(rest[head.start : head.end])
    if issuer and is_body(rest[head.start : head.end], anchored=False):
        return head._replace(names=head.names._replace(way="issuer", sure=True))
    return head if head.names.sure or len(head.names.authors) > 1 else None


def _listed(rest: str, by: bool, dash: bool) -> Head | None:
    """The longest run of names before a comma, a bracket or a dash."""
    stop = _STOP.search(rest)
    window = rest[: stop.start()] if stop else rest
    ends: list[int] = []
    at = 0
    for comma in _COMMA.finditer(window, 0, 1500):
        part = window[at : comma.start()]
        if any(sign.isdigit() for sign in part) or LOWER.search(part) and not is_small(part):
            break
        last = part.split()[-1].lower().rstrip(".") if part.split() else ""
        if last in ABBREVIATIONS and not part.endswith("e. V."):
            break
        at = comma.end()
        ends.append(comma.start())
    for end in ends[: -_MOST_TRIES - 1 : -1]:
        names = read_names(window[:end])
        if names is not None and _is_author(names, window[:end], rest[end:], by, dash):
            return make_head(rest, names, end, end)
    return None


def _is_author(names: NameList, written: str, following: str, by: bool, dash: bool) -> bool:
    """Whether names after a title are its authors, and not its publisher."""
    if names.way == "body":
        dated = by and _DATED_PAREN.match(following) or dash and _VENUE_NEXT.match(following)
        return bool(dated) and not _PUBLISHER.search(written)
    if names.way == "single" and len(names.authors) > 1:
        return not title_words(written)
    if names.way != "single":
        return names.sure or not title_words(written)
    surname = _SURNAME.fullmatch(written.strip()) and written.strip().lower() not in _SITES
    if not surname:
        return False
    return (
        by
        and _DATED.match(following) is not None
        or (dash and _VENUE_NEXT.match(following) is not None)
    )


_SPLIT = re.compile(r"\s[-–—|]{1,2}\s|,\s|\s(?=by\s[A-Z])|\s(?=\([^\W\d_a-z])")
_BARE_PUBLISHER = re.compile(
    rf"[,，]\s?(?P<venue>(?!Q[1-4]\b|FY|Part\b)[A-Z\u3400-\u9fff][^,，.()\n]{{1,80}}?)(?:[,，]\s?"
    rf"|\s)(?:[(（]?(?:\d{{1,2}}\s)?(?:[A-Z][a-z]{{2,8}}\.?\s)?(?:\d{{1,2}},\s)?{YEAR}(?:年(?:\d{{1,2}}月)?(?:\d{{1,2}}日)?)?[)）]?)\s?\Z"
)
_DASHED = re.compile(
    r"\s[-–—|]\s(?P<venue>[^-–—|\n]{2,60}?)\s?(?:[(,]\s?(?:[A-Z][a-z]{2,8}\.?\s)?(?:\d{1,2},\s)?(?:19"
    r"|20)\d\d\)?)?\Z"
)
_FOLLOWING_YEAR = re.compile(rf"[,.]?\s?\(?{YEAR}\)")
_BARE_BY = re.compile(rf"\s(?=by\s[^\W\d_a-z][^()\n]{{1,200}}\({YEAR}\))")
_DATE_END = re.compile(
    rf"(?<!\bal\.)(?<!\bal\.\s)(?<!\bal\s)(?<!\bal)[,，]?\s?[(（]?(?:{YEAR})[)）]?\Z"
)
_MOST_BARE_TRIES = 6


class Bare(NamedTuple):
    """The title, the authors after it, and the publisher where they stand in the same sentence."""

    title: TitlePlace | None
    head: Head
    venue: tuple[int, int] | None = None


def read_bare(plain: PlainEntry, begin: int) -> Bare:
    """The fields of an entry that begins with a plain title."""
    words = plain.words
    title = read_title(plain, begin, comma_style=False)
    if title is None:
        return Bare(None, Head())
    splits = [
        *_BARE_BY.finditer(words, begin, begin + 600),
        *_SPLIT.finditer(words, begin, title.end + 3),
    ]
    for number, split in enumerate(splits):
        if number >= _MOST_BARE_TRIES:
            break
        enclosed = words[split.end() : split.end() + 1] == "("
        if title.code or not _is_title(words[begin : split.start()]) and not enclosed:
            continue
        head = read_names_after(words, split.start() if split[0].strip() else split.end())
        if head.names is not None and _fits(head, words, split):
            return Bare(TitlePlace(begin, split.start(), split.end()), head)
    head = read_names_after(words, title.after)
    if (
        head.names is not None
        and head.names.way != "body"
        and (head.names.sure or len(head.names.authors) > 1)
    ):
        return Bare(title, head)
    return _published(words, title)


def _is_title(words: str) -> bool:
    """Whether words are enough for a title, where no authors were found before them."""
    if len(words) > 6 and not words.isascii():
        return True
    split = words.split()
    return len(words) > 6 and (len(split) > 1 or ":" in words)


def _fits(head: Head, words: str, split: re.Match[str]) -> bool:
    """Whether names after a split are authors and not a part of the title."""
    names = head.names
    enclosed = words[split.end() : split.end() + 1] == "(" or words.startswith("by ", split.end())
    dated_next = head.year is not None or _FOLLOWING_YEAR.match(words, head.after) is not None
    if names is None or names.way in ("body", "issuer"):
        return names is not None and enclosed and dated_next
    if names.way == "single" and enclosed and dated_next:
        return True
    if names.way == "single":
        return not names.complete or split[0].strip() not in (",", "")
    if names.way == "inverted" and len(names.authors) == 1:
        return False
    dated = _follows_date(words, head.after)
    if words.startswith("by ", split.end()):
        return (
            names.way in ("initials", "full", "cjk") or names.way == "single" and not names.complete
        )
    if split[0].strip() != ",":
        return names.sure or dated
    if names.way in ("full", "cjk"):
        return dated or not names.complete
    return names.way in ("initials", "initialled", "vancouver") or not names.complete


def _follows_date(words: str, after: int) -> bool:
    return re.search(YEAR, words[after : after + 120]) is not None


def _published(words: str, title: TitlePlace) -> Bare:
    """A title with its publisher and date in one sentence: `Title, Publisher, 2021`."""
    sentence = words[title.start : title.end]
    for pattern in (_BARE_PUBLISHER, _DASHED):
        match = pattern.search(sentence)
        if match and match.start() > 5 and re.search(YEAR, match[0]):
            start = title.start
            place = (start + match.start("venue"), start + match.end("venue"))
            return Bare(
                title._replace(end=start + match.start(), after=start + match.start()),
                Head(),
                place,
            )
    date = _DATE_END.search(sentence)
    if date and date.start() > 5 and date[0][:1] in ",，( （" and re.search(r"[,(（]", date[0]):
        return Bare(
            title._replace(end=title.start + date.start(), after=title.start + date.start()), Head()
        )
    return Bare(title, Head())
