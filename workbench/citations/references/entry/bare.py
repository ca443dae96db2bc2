"""An entry that begins with its title and shows it by nothing: `Title, Authors, Venue 2021`."""

import re
from typing import NamedTuple

from workbench.citations.lexicon import YEAR
from workbench.citations.references.entry.after_title import read_names_after
from workbench.citations.references.entry.heads import Head
from workbench.citations.references.entry.plain import PlainEntry
from workbench.citations.references.entry.titles import TitlePlace, read_title

_SPLIT = re.compile(r"\s[-–—|]{1,2}\s|,\s|\s(?=by\s[A-Z])|\s(?=\([^\W\d_a-z])")
_PUBLISHER = re.compile(
    rf"[,，]\s?(?P<venue>(?!Q[1-4]\b|FY|Part\b)[A-Z\u3400-\u9fff][^,，.()\n]{{1,80}}?)(?:[,，]\s?"
    rf"|\s)(?:[(（]?(?:\d{{1,2}}\s)?(?:[A-Z][a-z]{{2,8}}\.?\s)?(?:\d{{1,2}},\s)?{YEAR}(?:年(?:\d{{1,2}}月)?(?:\d{{1,2}}日)?)?[)）]?)\s?\Z"
)
_DASHED = re.compile(
    r"\s[-–—|]\s(?P<venue>[^-–—|\n]{2,60}?)\s?(?:[(,]\s?(?:[A-Z][a-z]{2,8}\.?\s)?(?:\d{1,2},\s)?(?:19"
    r"|20)\d\d\)?)?\Z"
)
_FOLLOWING_YEAR = re.compile(rf"[,.]?\s?\(?{YEAR}\)")
_BY = re.compile(rf"\s(?=by\s[^\W\d_a-z][^()\n]{{1,200}}\({YEAR}\))")
_DATE_END = re.compile(
    rf"(?<!\bal\.)(?<!\bal\.\s)(?<!\bal\s)(?<!\bal)[,，]?\s?[(（]?(?:{YEAR})[)）]?\Z"
)
_MOST_TRIES = 6


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
        *_BY.finditer(words, begin, begin + 600),
        *_SPLIT.finditer(words, begin, title.end + 3),
    ]
    for number, split in enumerate(splits):
        if number >= _MOST_TRIES:
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
    for pattern in (_PUBLISHER, _DASHED):
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
