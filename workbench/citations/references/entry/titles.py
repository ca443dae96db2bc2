"""Where the title of an entry stands once its authors and date are known, and its site."""

import re
from typing import NamedTuple

from workbench.citations.lexicon import ENDS_BEFORE_NUMBER, NEVER_ENDS
from workbench.citations.references.entry.heads import TYPE_CODE
from workbench.citations.references.entry.name_parts import VENUE_LIKE, title_words
from workbench.citations.references.entry.plain import (
    BREAK,
    PlainEntry,
    Quote,
    Region,
    find_quote,
)

_SKIP = " .,:;-–—|，。：；\n·•"
_END = re.compile(r"[.?!](?=[\"'”’)\]]{0,2}(?:\s|\Z))|[。？！](?!\Z)|．|\s//\s|\s/\s|//")
_FIELD = re.compile(
    r"[.,?!;:)\]”\"’—–-]\s(?:(?:[Ii]n|IN)[:：]?\s(?:[A-Z]\w{1,20}\.?\s(?:of\s)?(?:the\s)?){0,4})?\Z"
)
_PLACE = re.compile(r"[A-Z][\w &,-]{1,30}:\s[A-Z]")
_LOWER_VENUE = re.compile(
    r"\s(?:in[:：]\s|in\s(?=[A-Z*_])|arXiv|eLife|bioRxiv|medRxiv|npj|iScience|doi|https?|[a-z][\w-]{1,30}\.(?:org|com|net|edu|gov|io|co)\b)"
)
_EDITION_WORDS = (
    r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|revised|rev\.|new)"
    r"\s(?:rev(?:ised|\.)\s)?ed(?:n|ition)?\b\.?"
)
_SERIES = (
    r"(?:Report|Briefing|(?:Working|Discussion|Research|Occasional|White|Green) Paper|Policy Brief"
    r"|Technical (?:Report|Note)|Publication|Order|Version|Bulletin|Circular|Factsheet|Bericht|Rapport|Informe)"
)
_TAIL = re.compile(
    r"\s?(?:[(（](?:\d{1,2}(?:st|nd|rd|th)\s(?:rev\.\s)?ed\.?|[A-Z][a-z]+\sed\.|Rev\.\sed\."
    r"|\d{1,2}\.\sAufl\.|Vol(?:ume)?s?\.?\s[\w–-]{1,10}"
    r"|(?:No\.|Nr\.|Bd\.)[^()（）]{0,60}"
    r"|[^()（）]{2,50}\b(?:Trans|Eds?|ed)\.[^()（）]{0,20}|第.{1,4}版|pp?\.\s[\d–-]{1,12}"
    r"|arXiv[^()]{0,30})[)）]"
    rf"|\[(?![^\[\]]*\(\d{{4}}\))[^\[\]]{{1,60}}\]|,\s{_EDITION_WORDS}"
    r"|\([A-Z]{2,}[-/][\w/.-]{1,20}\)|,\s[A-Z]{2,}[-/][\w/.-]{1,20}|\((?:nº|n°|no\.)\s\d{1,5}\)"
    rf"|,\s{_SERIES}\s(?:No\.\s)?[\d:/.-]{{1,12}}|\({_SERIES}\s[^()（）]{{0,60}}\)"
    r"|,\s(?:[Vv]ol(?:ume|\.)|[Bb]and|[Bb]d\.|tome)\s\w{1,4})\s?\Z"
)
_IMPRINT = re.compile(
    r"\s\((?:[A-Z][^():]{1,40}:\s?)?[A-Z][^()]{1,60},\s(?:1[5-9]|20)\d\d\)[\s,;:\d–-]*\Z"
    r"|;\s[A-Z][^;:]{1,60}:\s[A-Z][^;:]{1,40},\s(?:1[5-9]|20)\d\d\Z"
)
"""A publisher in the sentence of the title: `Title (Gate Press, 2012)`, `Title; Gate: Oslo, 2012`."""
_IN_VENUE = re.compile(
    r",\s(?:In[:\s]|in:)\s?(?=\S)"
    r"|,\sin\s(?=[A-Za-z]*[A-Z][A-Za-z]*[A-Z]|Proc\b|Proceedings|Advances|International|Conference|IEEE|ACM|\d{1,2}(?:st|nd|rd|th)\s|\d{4}\s[A-Z])"
)
_SHORTENED = r"(?:[A-Z]\.\s[A-Z][a-z]{1,8}\.\s|[A-Z][a-z]{1,8}\.\s(?:[A-Z][a-z]{0,8}\.|\d))"
_SHORT_VENUE = re.compile(rf",\s(?={_SHORTENED})")
"""A venue in abbreviations after a comma: `, Manag. Sci. 56`."""
_NUMBERED_VENUE = re.compile(
    r",\s(?P<venue>[A-Z\u0400-\u04ff][^,.;:?!()]{1,90}|arXiv(?: preprint)?|[bm][ei][od]Rxiv|eLife)"
    r"(?:,?\s\d{1,4}\s?\(\d|(?<=Xiv)[,.:]?\s(?=\S)|(?<=preprint)[,.]?(?:\s|\Z)|,\s(?:vol|Vol|Bd|T|no|\d{1,4},\s(?:pp?\.|no)|pp?)\b|\s\d{1,4},\s(?:pp?\.|no)|,\s\d{1,4}[,:]\s?(?:pp?\.)?\s?\d)"
)
"""A venue and its numbers that a comma parts from the title."""
_VOLUME_NEXT = re.compile(
    r"\s{0,2}[,.]?\s?(?!(?:19|20)\d\d\b)(?:\d{1,4}\s?[(,:;]|vol\b|Vol\b|\*{0,2}\d)"
)
_EDITION = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\s(?:rev\.\s)?ed\Z")
_PUBLISHED = re.compile(r"[A-Z][\w&'’ -]{2,40}(?:,\s[A-Z][\w -]{2,25})?\.?\s?\Z")
_GOES_ON = re.compile(r"[:：]\s(?=[^\W\d_])")
"""What follows a quotation with which a title begins and does not end."""
_EDITION_NEXT = re.compile(rf",\s(?={_EDITION_WORDS})")
_DASHED_VENUE = re.compile(
    r"\s[-–—|]\s(?=[A-Z\u0400-\uffff])[^–—|]{2,70}?[,\s]\s?\(?(?:19|20)\d\d\)?[\s.]*\Z"
    r"|\s[-–—|]\s(?:arXiv|[bm][ie][od]Rxiv)\b[^–—|]{0,40}\Z"
)
_TRAILER = re.compile(
    rf"{_DASHED_VENUE.pattern}|\s\([^\W\d_][^()]{{1,80}},?\s(?:19|20)\d\d\)[\s.]*\Z"
)
_HOST_NEXT = re.compile(r"[^/\n.]{8,200}(?<!:)//")
"""The rest of a title before its proceedings, as GB/T 7714 writes them: `Where? Here//ACL`."""
_PART = re.compile(r"\s(?:Part|Teil|Partie|Parte)\s(?:\d{1,2}|[IVX]{1,5})[.:,]\s")
_CLOSING = re.compile(r"[)\]]")
_MONTH = re.compile(r"\s(?:Jan|Feb|März|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")
_EDITION_INSIDE = re.compile(rf"\s\({_EDITION_WORDS}[^()]{{0,30}}\)\s(?=[A-Z])")
_COMMA = re.compile(r",\s")
_COMMA_VENUE = re.compile(
    rf"(?:in:?\s|In:?\s|arXiv|bioRxiv|medRxiv)|{_SHORTENED}|"
    r"(?=[A-Z])[^,]{2,90}?(?:,?\s(?:vol\.|\d)|\("
    r"|,\s(?:vol|\d|[A-Z][^,]{2,40},\s\d))"
)


class TitlePlace(NamedTuple):
    """The title is `words[start:end]`; the rest begins at `after`."""

    start: int
    end: int
    after: int
    code: str = ""
    """The kind of work as GB/T 7714 writes it: `J`, `M`, `EB/OL`."""
    marked: bool = False
    """Whether quotation marks or emphasis show the title."""


def marked_title(plain: PlainEntry, place: int, quote: Quote | None) -> TitlePlace | None:
    """A title at a place that quotation marks, emphasis or a link enclose."""
    words = plain.words
    if (
        quote is not None
        and quote.start == place
        and _closes(words, quote.end, words[quote.close - 1])
        and not _GOES_ON.match(words, quote.end)
    ):
        return _place(words, quote.inner, quote.close, quote.end, marked=True)
    region = plain.region_at(place)
    if region is None and quote is not None:
        outer = plain.region_at(quote.start)
        region = outer if outer and outer.start == place else None
    if region is None or not _closes(words, region.end, words[region.end - 1]):
        return None
    inner = find_quote(words, region.start)
    if inner is not None and inner.start == region.start and inner.end >= region.end - 2:
        return _place(words, inner.inner, inner.close, max(inner.end, region.end), marked=True)
    if (
        region.kind == "em"
        and _VOLUME_NEXT.match(words, region.end)
        and "," in words[region.end : region.end + 3]
    ):
        return None
    return _place(words, region.start, region.end, region.end, marked=True)


def _closes(words: str, end: int, last: str) -> bool:
    """Whether what follows an enclosed stretch shows that the title ends with it."""
    rest = words[end:]
    following = rest.lstrip(" ")[:1]
    if not following or following in ".,;:()（[—–-|\n/，。：；·" or last in ".,?!":
        return True
    return bool(
        re.match(
            r"\s(?:[Ii]n|by|By|von)\b|\s?\d{4}|\s[A-Z]|\s(?:arXiv|bioRxiv|medRxiv|eLife|npj)\b",
            rest,
        )
    ) or bool(re.match(r"\s?[^\x00-\x7f]", rest))


def read_title(plain: PlainEntry, start: int, comma_style: bool) -> TitlePlace | None:
    """The title that begins at or after a place."""
    words = plain.words
    at = start
    while at < len(words) and words[at] in _SKIP:
        at += 1
    if at >= len(words):
        return None
    quote = find_quote(words, at) if words[at] in "\"'“„«‘《「『〈`»" else None
    marked = marked_title(plain, at, quote)
    if marked is not None:
        return marked
    limit = _limit(plain, at)
    if at in plain.links and limit < len(words):
        return _place(words, at, limit, limit, marked=True)
    code = TYPE_CODE.search(words, at, limit + 12)
    if code:
        return _place(words, at, code.start(), code.end(), code["code"])
    if comma_style:
        end = _comma_end(plain, at, limit)
        if end is not None:
            return _place(words, at, end, end)
    end = _sentence_end(plain, at, limit)
    trailer = _TRAILER.search(words, at + 3, limit) if words[end - 1] in "?!" else None
    if trailer and trailer.start() > end:
        end = trailer.start()
    inner = _IN_VENUE.search(words, at + 3, end) or _NUMBERED_VENUE.search(words, at + 3, limit)
    inner = (
        inner
        or _DASHED_VENUE.search(words, at + 3, limit)
        or _SHORT_VENUE.search(words, at + 3, limit)
    )
    inner = inner or _EDITION_INSIDE.search(words, at + 3, end)
    if inner and inner.start() < end:
        end = inner.start()
    return _place(words, at, end, end)


def _limit(plain: PlainEntry, at: int) -> int:
    """A title cannot reach beyond an address or emphasised words that are a field of their own."""
    words = plain.words
    line = words.find(BREAK, at)
    limit = line if line >= 0 else len(words)
    for region in plain.regions:
        if at < region.start < limit and _is_field(words, region, at):
            return region.start
    return limit


def _is_field(words: str, region: Region, at: int) -> bool:
    before = words[max(at, region.start - 60) : region.start]
    return _FIELD.search(before) is not None


def _sentence_end(plain: PlainEntry, at: int, limit: int) -> int:
    words = plain.words
    depth = 0
    seen = at
    for stop in _END.finditer(words, at, limit):
        depth += sum(words.count(sign, seen, stop.start()) for sign in "([")
        depth -= sum(words.count(sign, seen, stop.start()) for sign in ")]")
        seen = stop.start()
        if any(region.start < stop.start() < region.end - 1 for region in plain.regions[:20]):
            continue
        if depth > 0 and _CLOSING.search(words, stop.end(), limit) and stop[0] != "//":
            continue
        sign = stop[0]
        if sign in ".．" and not _stop_ends(words, at, stop.start(), stop.end(), limit):
            continue
        if sign in "?!？！" and not _question_ends(words, stop.end(), limit):
            continue
        return stop.start() + (sign in "?!？！")
    return limit


def _stop_ends(words: str, at: int, place: int, after: int, limit: int) -> bool:
    """Whether the full stop at a place ends a title, and no abbreviation."""
    word = re.split(r"[\s(\[/–—]", words[max(at, place - 40) : place])[-1].strip("\"'“”‘’").lower()
    rest = words[after : after + 120]
    if word.endswith((")", "]")):
        word = ""
    if word == "al" and rest.startswith(" ("):
        return False
    if word.isdigit() and _MONTH.match(rest) or _PART.match(rest):
        return False
    following = rest.lstrip(" \"'”’)]")[:1]
    if not following or following == BREAK or after >= limit:
        return True
    if VENUE_LIKE.match(rest.lstrip()) and word not in ("vs", "v"):
        return True
    if word in NEVER_ENDS:
        if word == "ed":
            return _EDITION.search(words, at, place) is not None
        return word in ENDS_BEFORE_NUMBER and not following.isdigit()
    if "." in word and len(word) <= 6 or len(word) == 1 and word.isalpha():
        return (
            not re.match(r"\s?[a-z\d(]", rest)
            and (limit - after > 12)
            and not re.match(r"\s[A-Z][a-z]+\s[a-z]", rest)
        )
    return not following.islower() or _LOWER_VENUE.match(rest) is not None


def _question_ends(words: str, after: int, limit: int) -> bool:
    """Whether a question or exclamation mark ends a title: nothing but its venue follows."""
    rest = words[after:limit].lstrip(" \"'”’")
    if not rest.strip(" .") or VENUE_LIKE.match(rest) or _PLACE.match(rest):
        return True
    if rest[:1].islower() or _HOST_NEXT.match(rest):
        return False
    rest = words[after : after + 300].lstrip(" \"'”’")
    line = rest.find(BREAK)
    rest = rest[:line] if line >= 0 else rest
    segments = re.split(r"(?<=[^A-Z\s].)(?<!\s\d)(?<!\d\d)\.\s|\n", rest + " ")
    more = [segment for segment in segments[1:] if re.search(r"[^\W\d_]{3,}", segment)]
    if re.match(
        r"[^.?!]{0,60}[,.]?\s(?:\d{1,4}\s?[(:,]|vol|(?:1[89]|20)\d\d)", rest
    ) and not re.search(r"\s[a-z]{5,}", segments[0]):
        return True
    return not more and not _is_subtitle(segments[0].split(", ")[0])


def _is_subtitle(segment: str) -> bool:
    """Whether words after a question go on with the title: no venue is written like this."""
    words = segment.split()
    if len(words) > 2 and words[0] in ("A", "An", "The", "On", "Towards", "Toward"):
        return True
    small = sum(word[0].islower() for word in words)
    return (
        len(words) > 2
        and (small * 3 > len(words) or title_words(segment))
        and not re.search(r"\d", segment)
    )


def _comma_end(plain: PlainEntry, at: int, limit: int) -> int | None:
    """The comma before a venue, where fields are parted by commas."""
    words = plain.words
    stop = _sentence_end(plain, at, limit)
    stop = stop if words[stop : stop + 1] == "." else limit
    edition = _EDITION_NEXT.search(words, at + 3, limit)
    if edition:
        return edition.start()
    for comma in _COMMA.finditer(words, at, stop):
        if comma.start() - at >= 6 and _COMMA_VENUE.match(words, comma.end(), limit):
            return comma.start()
    if limit < len(words) and words[at:limit].rstrip().endswith(","):
        return limit
    for comma in _COMMA.finditer(words, at + 6, stop):
        if _PUBLISHED.match(words, comma.end(), stop):
            return comma.start()
    return None


def _place(
    words: str, start: int, end: int, after: int, code: str = "", marked: bool = False
) -> TitlePlace | None:
    """A title without the punctuation, edition and codes around it; None when nothing is left."""
    for _ in range(3):
        while end > start and (
            words[end - 1].isspace() or words[end - 1] in ".,;:，。：；-–—|/(（"
        ):
            end -= 1
        while start < end and (words[start].isspace() or words[start] in ".,;:，。：；-–—|/"):
            start += 1
        imprint = _IMPRINT.search(words, max(start, end - 130), end)
        if imprint and imprint.start() > start:
            end = after = imprint.start()
            continue
        tail = _TAIL.search(words, max(start, end - 90), end)
        if tail is None or tail.start() <= start:
            break
        end = tail.start()
    lead = re.search(r"(?:[,.]|(?<=[?!]))\s(?:[Ii]n:?)\Z", words[start:end])
    if lead:
        end = start + lead.start()
    if not any(character.isalnum() for character in words[start:end]):
        return None
    return TitlePlace(start, end, max(after, end), code, marked)


_SEPARATOR = re.compile(
    r"[\s|｜_-](?:(?<=\s)(?:[-–—|·•»:]{1,2}\s|[|｜]\s?)|(?<=[|｜])\s?"
    r"|(?<=[^\x00-\x7f]_)_?|(?<=_)_?(?=[^\x00-\x7f])|(?<=-)-)"
)
_LEAD = re.compile(r"(?P<site>[^|｜]{2,40}?)\s[|｜]\s")
_HOST = re.compile(r"https?://([^/:\s?#]{1,253})", re.IGNORECASE)
_SMALL = frozenset(
    "the of and for in a an on at to by de la und der die das com org net news official website site home blog".split()
)
_NAMED = (
    re.compile(r"(?:知乎|维基百科|百度百科|新浪|搜狐|网易|腾讯|人民网|新华网|中国知网|豆瓣|澎湃)"),
    re.compile(
        r"(?:Wikipedia|ScienceDirect|PMC|PubMed|SpringerLink|ResearchGate|arXiv|YouTube"
        r"|Britannica|Medium)\b"
    ),
)


def title_without_site(title: str, address: str) -> tuple[int, int, int, int]:
    """The places of the title and of the site's name in a page's title; the site's is empty if none."""
    host = _HOST.match(address)
    labels = re.sub(r"[^a-z0-9]+", "", host[1].lower()) if host else ""
    end, site_start, site_end = len(title), len(title), len(title)
    for _ in range(3):
        separators = list(_SEPARATOR.finditer(title, max(0, end - 70), end))
        if not separators or separators[-1].start() < 3:
            break
        last = separators[-1]
        site = title[last.end() : end].strip(" .-")
        section = site_start < site_end and "|" in last[0] and len(site.split()) <= 5
        if not site or not (_is_site(site, labels) or section and not re.search(r"\d", site)):
            break
        if site_start == site_end:
            site_end = last.end() + len(title[last.end() : end].rstrip(" .-"))
        end, site_start = last.start(), last.end()
    if site_start == site_end:
        lead = _LEAD.match(title)
        if lead and _is_site(lead["site"], labels):
            return lead.end(), end, *lead.span("site")
    return 0, end, site_start, site_end


def _is_site(words: str, labels: str) -> bool:
    """Whether words name the site that a host's letters spell, or one that all know."""
    if any(pattern.match(words.strip()) for pattern in _NAMED):
        return True
    if not labels:
        return False
    plain = re.findall(r"[a-z0-9]+", words.lower().replace("'", "").replace("’", ""))
    if not plain or len(plain) > 6:
        return False
    whole = "".join(plain)
    initials = "".join(word[0] for word in plain)
    if len(whole) > 2 and whole in labels or len(initials) > 2 and initials in labels:
        return True
    strong = [word for word in plain if word not in _SMALL and len(word) > 2]
    return bool(strong) and len(plain) <= 4 and (strong[0] in labels)
