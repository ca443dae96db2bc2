"""Where the authors of an entry end: at a date, a quotation, a colon, a full stop or a comma."""

import re
from typing import NamedTuple

from workbench.citations.lexicon import NEVER_ENDS, NO_AUTHOR, YEAR
from workbench.citations.references.entry.name_parts import (
    GROUP_WORDS,
    VENUE_LIKE,
    ends_as_body,
    is_authority,
    is_body,
    title_words,
)
from workbench.citations.references.entry.names import NameList, cjk_author, read_names
from workbench.citations.references.entry.plain import Quote, Region

NO_DATE = r"n\.\s?d\.|s\.\s?f\.|o\.\s?J\.|in press|forthcoming|im Druck|no date|undated|无日期"
DATE_PAREN = re.compile(
    rf"[(（\[](?:(?:c|ca|circa|©)\.?\s?)?(?:(?:[A-Z][a-z]{{2,8}}\.?\s)?(?:\d{{1,2}},?\s)?)?"
    rf"(?:(?P<year>(?:1[5-9]|20)\d\d)(?P<letter>[a-z])?"
    rf"|(?:{NO_DATE}))(?:[,，/–-][^()（）\n]{{0,40}})?年?[)）\]]\s?[.,:：]?"
)
_BARE_YEAR = re.compile(
    rf"(?P<before>[.,]|[^\W\d_])\s(?:(?P<year>{YEAR})(?P<letter>[a-z])?(?:\s?[.,:]|\s[-–—])|n\.\s?d\.,?|o\.\s?J\.,?|s\.\s?f\.,?)\s"
)
_COMPACT = re.compile(
    r"(?:[^.,\n]{2,60},(?=\S)[^.\n]{0,300}|[A-Z][A-Z'’-]+(?:\s[A-Z]){1,3})(?P<stop>\.)(?=[^\W\d_])"
)
"""Names without a blank after comma and full stop: `LI Z,YAO L.Walls of the north`."""
_SPACED_YEAR = re.compile(rf"(?<=[^\W\d_]|[.])\s(?P<year>{YEAR})\s(?=[^\W_a-z])")
_STOP = re.compile(r"\.(?=\s)|(?<=[\u3400-\u9fff])\.(?=[\u3400-\u9fff])|[。．](?=.)")
_INITIAL = re.compile(r"(?:(?<=[\s.,-])|\A)[^\W\d_]\Z")
_GOES_ON = re.compile(
    rf"\s[(\[][^()\[\]]{{2,60}}\b(?i:{GROUP_WORDS})[)\]]"
    r"|\s\((?:[Ee]ds?|Hrsg|Hg)\b|\s(?:van|von|de|der|den|di|da|zu|af)(?:\s(?:der|den|de|la))?\."
    r"|\s(?:[^\W\d_]\.|et\.?\s?al\b|&|and\s|und\s|et\s[^\W\d_]\.|等)|\s?[,;]"
)
_SPECIES = re.compile(r"\s[A-Z]\.\s[a-z]{3,}")
"""A title that begins with a shortened genus: `E. coli in wells`."""
_SENTENCE = re.compile(r"\.\s(?![^\W\d_]\.|&|and\b|und\b|et\b|;|a\.|/)")
_COLON = re.compile(r"\s?[:：](?=\s|(?<=：))")
_VANCOUVER_TAIL = re.compile(
    r"[\w)];\s(?:1[89]|20)\d\d\s?[.\[]|\b(?:1[89]|20)\d\d(?:\s[A-Z][a-z]{2,8}\.?(?:\s\d{1,2})?)?;"
)
TYPE_CODE = re.compile(r"\s?\[(?P<code>[A-Z]{1,3}(?:/OL)?)\]")
LOWER = re.compile(r"(?<![\w’'-])[a-z]{2,}")
_PARTS = re.compile(r",\s(?:(?:and|&)\s)?|\s(?:and|&)\s")
_FAMILY_NEXT = re.compile(
    r"[A-Z]\.\s[^\W\d_]+(?:[-’'][^\W\d_]+)?(?:\s(?:et al|and|&)\b|,[^.]*\([^()]{3,80},\s(?:19|20)\d\d\))"
)
_NOTE = re.compile(
    r"[\s(\[]*(?i:accessed|retrieved|available|cited|abgerufen|zugriff|url|doi)\b"
    r"(?:\s(?:at|from|on|am|online)){0,2}\s?(?:[:：\n\d]|[A-Z][a-z]{2,8}\.?\s\d|\Z).*"
)
_VENUE_AND_YEAR = re.compile(rf",\s[^\W\d_a-z][^,\n]{{2,80}},\s{YEAR}\b")
_TITLE_AND_IMPRINT = re.compile(
    rf"(?:[^\s,.()]+\s){{2,20}}[^\s,.()]+(?:\.\s|\s\()[^\W\d_a-z][^:,.()\n]{{2,30}}:\s[^,()\n]{{2,60}},\s{YEAR}\b"
)
"""A title of three words and more with its place and publisher: `Walls of the north (Oslo: Gate, 2012)`."""
_IMPRINT_ALONE = re.compile(rf"[^\W\d_a-z][^:,.()\n]{{2,30}}:\s[^,.()\n]{{2,60}},\s{YEAR}")
_IS_GROUP = re.compile(rf"\s(?i:{GROUP_WORDS})\.?\Z")
_DASH = re.compile(r"\s[-–—|]\s")
_NO_NAME = re.compile(r"[\d:?!(“\"]|\b[Ii]n\b")
_IMPRINT = re.compile(r"\s\((?:[^():]{2,40}:\s)?[^()]{2,60}\Z")
_MOST_TRIES = 12


class Head(NamedTuple):
    """The authors of an entry, where they stand, and where the rest begins."""

    names: NameList | None = None
    start: int = 0
    end: int = 0
    after: int = 0
    year: tuple[int, int] | None = None
    letter: str = ""
    comma_style: bool = False
    """Whether the fields that follow are parted by commas."""


def read_head(words: str, quote: Quote | None, emphasis: Region | None) -> Head:
    """The authors at the head of an entry; an empty one when none stand there.

    Args:
        words: The entry's plain words.
        quote: Its first quotation.
        emphasis: Its first emphasised words.
    """
    code = TYPE_CODE.search(words)
    if code and code.start() > 0 and not DATE_PAREN.search(words, 0, code.start()):
        return before_stop(words[: code.start()], anchored=True) or Head()
    head = before_date(words) or _before_bare_year(words) or _before_spaced_year(words)
    if head is None and emphasis is not None:
        head = _before_emphasis(words, emphasis)
    if head is None and quote is not None and 0 < quote.start < 3000:
        head = _before(words, quote.start, quote.start, anchored=True)
        if (
            head
            and head.names
            and head.names.way == "body"
            and _SENTENCE.search(words, 0, head.end)
        ):
            head = before_stop(words[: quote.start], anchored=True) or head
    if head is None:
        head = _before_colon(words) or _before_dash(words) or before_stop(words, anchored=False)
        if head and head.names and head.names.way == "vancouver" and len(head.names.authors) == 1:
            # not `Anna R` of `Anna R. Roe, Walls of the north (Gate Press, 2012)`
            comma = _before_comma(words) if _FAMILY_NEXT.match(words, head.end - 1) else None
            head = comma if comma and comma.end > head.end else head
    if head is None and emphasis and words[: emphasis.start].rstrip()[-1:] in ",.:":
        head = _before(words, emphasis.start, emphasis.start, anchored=False)
    return head or _before_comma(words) or Head()


def _before_emphasis(words: str, emphasis: Region) -> Head | None:
    """Names and a comma before an emphasised title: `Roe, *Walls of the north*, Gate Press, 2012`.

    What stands alone before it may be a title before its journal, unless a venue and a year follow.
    """
    head = words[: emphasis.start].rstrip()
    names = read_names(head) if head.endswith(",") else None
    if names is None:
        return None
    lone = len(names.authors) == 1 and names.complete and names.way in ("single", "full", "body")
    if lone and not (
        names.way == "body" or names.way == "single" and _VENUE_AND_YEAR.match(words, emphasis.end)
    ):
        return None
    return make_head(words, names, emphasis.start, emphasis.start)


def make_head(words: str, names: NameList, end: int, after: int) -> Head:
    """A head whose names end before `end`, without the punctuation around them."""
    start = 0
    while start < end and (words[start].isspace() or words[start] in ",.;:-–—|"):
        start += 1
    while end > start and (words[end - 1].isspace() or words[end - 1] in ",;:，；："):
        end -= 1
    return Head(names, start, end, after)


def _before(words: str, end: int, after: int, anchored: bool) -> Head | None:
    names = read_names(words[:end], anchored)
    return make_head(words, names, end, after) if names else None


def _is_titled(rest: str) -> bool:
    """Whether a title follows a date, and no venue: two words of it are small ones of no name."""
    first = re.split(r"[.?!]\s|\n", rest.strip(" .,:\n"), maxsplit=1)[0]
    small = [word for word in LOWER.findall(first) if len(word) > 2 and not is_small(word)]
    return len(small) > 1 and not VENUE_LIKE.match(first)


def before_date(words: str) -> Head | None:
    """APA, Harvard: `Smith, J., & Lee, K. (2019). Title`."""
    date = DATE_PAREN.search(words, 0, 3200)
    if date is None or date.start() < 2 or not words[date.end() :].strip(" .,"):
        return None
    head = words[: date.start()]
    names = read_names(head, anchored=True)
    if names is None:
        return None
    is_title = (
        names.way in ("body", "full", "single")
        and title_words(head)
        and not head.rstrip().endswith((".", ","))
        and not (ends_as_body(head) or is_authority(head) or _is_titled(words[date.end() :]))
    )
    if is_title and names.complete:
        return None
    made = make_head(words, names, date.start(), date.end())
    year = date.span("year") if date["year"] else None
    return made._replace(year=year, letter=date["letter"] or "")


def _before_bare_year(words: str) -> Head | None:
    """ACL, ACM, Chicago: `Smith, John, and Mary Jones. 2019. Title`; Harvard: `Smith, J. 2019, `."""
    match = _BARE_YEAR.search(words, 0, 3200)
    if match is None or not re.search(r"[^\W\d_]", _NOTE.sub("", words[match.end() :])):
        return None
    end = match.start() + 1
    names = read_names(words[:end], anchored=match["before"] == ".")
    surname = words[match.end() - 2] == "," and words[:end].strip().lower() not in NO_AUTHOR
    if (
        names is None
        or match["before"] not in ".,"
        and not (names.way == "single" and surname)
        and not names.sure
        and (_SENTENCE.search(words, 0, end) or not is_body(words[:end], False))
    ):
        return None
    if names.way in ("body", "cjk") and _SENTENCE.search(words, 0, end):
        earlier = before_stop(words[:end], anchored=False)
        if earlier is not None and earlier.names is not None and earlier.names.sure:
            return None  # `Roe, Anna. Walls of the north. 2021.`
    made = make_head(words, names, end, match.end())
    if match["year"] is None:
        return made
    comma = words[match.end() - 2] == "," or words[match.end() - 1] == ","
    return made._replace(year=match.span("year"), letter=match["letter"] or "", comma_style=comma)


def _before_spaced_year(words: str) -> Head | None:
    """Names and a year without signs between: `Roe A, Lind B 2019 Walls of the north`."""
    year = _SPACED_YEAR.search(words, 0, 1500)
    names = read_names(words[: year.start()]) if year else None
    if year is None or names is None or not names.sure or names.way in ("full", "inverted", "cjk"):
        return None
    return make_head(words, names, year.start(), year.end())._replace(year=year.span("year"))


def _before_colon(words: str) -> Head | None:
    """DIN 1505: `Müller, Karl ; Schmidt, Eva: Titel`; Chinese: `国家统计局：《公报》`."""
    colon = _COLON.search(words, 0, 1500)
    if colon is None or colon.start() == 0:
        return None
    names = read_names(words[: colon.start()], anchored=False)
    if names is None or _SENTENCE.search(words, 0, colon.start()):
        return None
    if names.way in ("full", "inverted", "vancouver") and title_words(
        " ".join(author.name for author in names.authors)
    ):
        return None
    if names.way == "cjk" and (words[colon.end() : colon.end() + 1] in "《「“" or names.sure):
        return make_head(words, names, colon.start(), colon.end())
    if (
        names.way in ("full", "body", "single", "cjk")
        and len(names.authors) == 1
        and names.complete
        and not is_authority(words[: colon.start()])
    ):
        return None
    return make_head(words, names, colon.start(), colon.end())


def _before_dash(words: str) -> Head | None:
    """Names before a dash: `Anna Roe et al. - Walls of the north - Gates 2021`."""
    dash = _DASH.search(words, 0, 600)
    names = read_names(words[: dash.start()]) if dash else None
    if dash is None or names is None or names.way in ("single", "inverted"):
        return None
    if names.way == "body":
        titled = re.match(r"[^\W_]{2}", words[dash.end() :]) and is_authority(words[: dash.start()])
        return make_head(words, names, dash.start(), dash.end()) if titled else None
    if not names.sure:
        following = read_names(_DASH.split(words[dash.end() :].split(",")[0])[0].strip(" ."))
        if title_words(words[: dash.start()]) or following is not None:
            return None
    return make_head(words, names, dash.start(), dash.end())


def before_stop(words: str, anchored: bool) -> Head | None:
    """Any other that ends with a full stop; that of an initial may not be the end."""
    waiting: Head | None = None
    last = tries = 0
    compact = _COMPACT.match(words)
    begun = compact.start("stop") if compact else 0
    for stop in (re.compile(r"\.") if compact else _STOP).finditer(words, begun, 3200):
        at = stop.start()
        segment = words[last:at]
        initial = _INITIAL.search(words[max(0, at - 3) : at])
        if _GOES_ON.match(words, stop.end()) and not _SPECIES.match(words, stop.end()):
            continue
        if words.startswith((" V.", "V."), stop.end()) and words[at - 2 : at] == " e":
            continue  # a registered association: `Bund e. V.`
        word = segment.rsplit(None, 1)[-1].lstrip("．。") if segment.strip() else ""
        if word == "ST" and words[stop.end() : stop.end() + 3].strip().isupper():
            continue  # `ST. JOHN E`
        if (
            not word.isupper()
            and word.lower() in NEVER_ENDS
            and not initial
            and word.lower() not in ("al", "ed", "eds")
        ):
            continue
        tries += 1
        names = read_names(words[: at + (initial is not None)], anchored)
        undotted = names is not None and all("." not in a.given[:-1] for a in names.authors)
        if initial and undotted and names is not None and names.way == "vancouver":
            names, initial = read_names(words[:at], anchored), None
        last = at
        if names is None:
            if (
                tries > _MOST_TRIES
                or waiting is None
                and LOWER.search(segment)
                and not is_small(segment)
            ):
                break
            if waiting is not None and not initial:
                break
            continue
        if not anchored and not _is_likely(names, words, stop.end()):
            break
        head = make_head(
            words, names, at + (initial is not None or words[at - 2 : at] == "al"), stop.end()
        )
        lone = names.way == "vancouver" and len(names.authors) == 1 and words[at - 2] == " "
        if lone and names.complete and not _VANCOUVER_TAIL.search(words, at):
            waiting = head
            continue
        if stop[0] in "。．" and names.sure:
            return head
        if waiting is not None and names.way not in ("full", "initials"):
            return waiting
        return head
    return waiting


def is_small(segment: str) -> bool:
    """Whether the lower-case words of a segment are all such as stand in names."""
    return all(
        word
        in (
            "and",
            "van",
            "von",
            "der",
            "den",
            "de",
            "la",
            "et",
            "al",
            "und",
            "of",
            "for",
            "the",
            "bin",
            "dos",
            "del",
            "others",
            "in",
            "on",
            "du",
            "di",
            "da",
        )
        for word in LOWER.findall(segment)
    )


def _is_likely(names: NameList, words: str, after: int) -> bool:
    """Whether weak names at a full stop are authors: a title must follow them."""
    rest = words[after:].strip(" .,\n")
    if not rest or names.way in ("single", "body") and _IMPRINT_ALONE.fullmatch(rest):
        return False
    if names.sure or names.way == "body":
        return True
    if names.way == "cjk":
        return cjk_author(words[:after].rstrip(" 。.．")) is not None or len(rest) > 8
    return not title_words(words[:after]) and (
        len(rest.split()) >= 3 and bool(re.search(r"[.?!,]\s", rest)) or bool(LOWER.search(rest))
    )


def _stands_before(names: NameList, words: str, comma: re.Match[str], first: bool) -> bool:
    """Whether an office, a surname or Chinese names are the authors of what follows a comma."""
    following = words[comma.end() : comma.end() + 200]
    if names.way == "cjk":
        title = re.split("[,，.。．]", following)[0].strip()
        return names.sure and len(title) > 4 and cjk_author(title) is None
    lone = (
        names.way == "single"
        and len(names.authors) == 1
        and not title_words(words[: comma.start()])
    )
    return first and (
        is_authority(words[: comma.start()])
        or _IS_GROUP.search(words, 0, comma.start()) is not None
        or lone
        and _TITLE_AND_IMPRINT.match(following) is not None
    )


def _before_comma(words: str) -> Head | None:
    """Names between commas before a title between commas: `J. Smith, K. Lee, Title, Venue`."""
    ends = list(_PARTS.finditer(words, 0, 2000))
    at = 0
    leading: list[re.Match[str]] = []
    for match in ends:
        part = words[at : match.start()]
        if LOWER.search(part) and not is_small(part) or _NO_NAME.search(part):
            break
        leading.append(match)
        at = match.end()
    for match in leading[: -_MOST_TRIES - 1 : -1]:
        if match[0].strip(", ") in ("and", "&"):
            continue
        names = read_names(words[: match.start()])
        if names is None or names.way in ("body", "single", "cjk", "inverted"):
            if names is not None and _stands_before(names, words, match, match is ends[0]):
                return make_head(words, names, match.start(), match.end())._replace(
                    comma_style=True
                )
            continue
        following = words[match.end() : match.end() + 200].split(",")[0]
        lowered = LOWER.search(following) and not is_small(following)
        if names.way == "full" and not lowered and not _IMPRINT.search(following):
            continue
        return make_head(words, names, match.start(), match.end())._replace(comma_style=True)
    return None
