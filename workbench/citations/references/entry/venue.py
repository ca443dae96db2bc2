"""Where an entry was published: journal, proceedings, publisher, site."""

import re

from workbench.citations.lexicon import YEAR
from workbench.citations.references.entry.names import read_names
from workbench.citations.references.entry.plain import BREAK, PlainEntry, find_quote

_SKIP = ' .,;:-–—|，。．：；·•)]）”"’\n'
_IN = re.compile(r"(?:[Ii]n|IN|En|Em|Dans|//|见)(?:[:：]\s?|\s|(?=//))|//\s?|《")
_EDITORS = re.compile(
    r"(?P<names>[^\n]{2,300}?),?\s\(?(?:Eds?|Hrsg|Hg|editors?|eds)\b\.?\)?[.,:]?\s"
)
_EDITED = re.compile(
    r"[.,]?\s?,?\s?(?:edited by|ed\. by|\beds?\.\s[A-Z]|hrsg\. von|herausgegeben)", re.IGNORECASE
)
_PRESENTED = re.compile(
    r"(?:[Pp]resented at|[Pp]ublished (?:in|by)|[Aa]ccepted (?:at|to|by|in)|[Tt]o appear in)"
    r"(?:\sthe)?[:：]?\s"
)
_ASIDE = re.compile(
    r"[\s.,]{0,3}(?:\[[^\[\]\n]{1,80}\]|[(（](?:\d{1,2}(?:st|nd|rd|th)\sed"
    r"|[^()（）\n]{0,50}(?:Trans|[Ee]ds?)\.)[^()（）\n]{0,40}[)）]"
    r"|,\s\d{1,2}(?:st|nd|rd|th)\sed\.)"
)
_CITY = re.compile(r"(?:,|(?<=\)),?)\s[A-Z][\w. -]{2,25}(?:,\s[A-Z][\w. -]{1,20}){0,3}\Z")
_MONTH_END = re.compile(
    r"[,.]?\s(?:\d{1,2}(?:[-–]\d{1,2})?\s)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov"
    r"|Dec)[a-z]{0,6}"
    r"\.?(?:\s\d{1,2}(?:[-–]\d{1,2})?,?)?\Z"
)
_GATHERING = re.compile(
    r"\b(?:Proc|Proceedings|Conf|Conference|Symp|Symposium|Workshop|Meeting|Congress)\b"
)
_PREPRINTS = re.compile(
    r"(?:arXiv(?: preprint)?|bioRxiv|medRxiv|CoRR)(?=[\s,:(]|\Z)", re.IGNORECASE
)
_ACCESS = re.compile(
    r"(?:Retrieved|Accessed|Available|Last (?:accessed|modified|updated)|Online|Zugriff"
    r"|Abgerufen|访问|引用日期|URL|doi|DOI|Epub|\[Internet\]|\[Online|cited|accessed)"
)
_END = re.compile(
    rf",?\s(?:vol|Vol|no|No|Nr|pp|Bd|issue|Issue|volume|Volume|pages|Art"
    rf"|Article)\.?\s?(?=[\dA-Z])|[,，]?\s?\(?(?<!\d){YEAR}(?!\d)"
    rf"|[,，.]?\s\d{{1,4}}(?=\s?[(,:;.]|\s|\Z)"
    r"|,?\s\d{1,6}[-–—]\d|[,，.]?\s?[(（;；\n[]|．|，|\s[–—|-]\s|[,，]\s(?=\d|第|Т\.|S\.|p\.|pp\.)"
    r"|[,，]\s(?=\Z)|,\sedited by|,\sed\.|\.\s?(?=\Z)|(?P<stop>[.。]\s)|,\s(?:series|ser\.)"
    r"|//|\s(?:[Aa]ccessed|[Rr]etrieved)\s"
)
ABBREVIATIONS = frozenset(
    (
        "j proc trans int conf ann rev adv acad natl sci am br eur med symp assoc comput appl mach lett"
        " phys chem bull arch res comm commun electr eng mech math stat soc psychol econ biol jnl q quart"
        " rec rep tech technol surg clin exp artif intell learn pattern anal syst inf inform theor"
        " softw mag netw circuits neurosci cogn educ environ health univ dept st u.s v vs z zs jb mitt vjschr"
        " вестн изв журн тр науч ser sect inst"
    ).split()
)
_PLACE = re.compile(
    r"(?P<place>(?:[A-Z\u0400-\u04ff\u3400-\u9fff][^\n:：;()]{1,50}(?:\s\([A-Z]{2}\))?))[:：]\s?(?=[A-Z\u0400-\u04ff\u3400-\u9fff])"
)
_YEAR_END = re.compile(rf"[\s,，'’]{{0,3}}\(?(?:{YEAR}|['’]\d\d)\)?\Z")
_LEAD_YEAR = re.compile(rf"[(（]?(?P<year>{YEAR})[)）]?\s?[,.;:：]?\s(?=\S)")
_DETAILS = re.compile(
    r"(?:\(?(?:\d{1,2}(?:st|nd|rd|th)|second|third|fourth|fifth|revised|new)\s(?:rev\.\s)?(?:ed|edition)\b\.?\)?|\d{1,2}\.\sAufl\.?"
    r"|第.{1,3}版|\d{1,2}版|[Vv]ol\.\s\d{1,3}|Ph\.?D\.?\s(?:thesis|dissertation|diss)\.?"
    r"|(?:Doctoral|Master['’]?s?|Bachelor['’]?s?)\s(?:thesis|dissertation)"
    r"|Dissertation|Diss\.|Thesis|Technical [Rr]eport|Tech\. rep\.|Working [Pp]aper)[.,:;]?\s(?=\S)"
)
_IMPRINT = re.compile(
    r"\((?=[A-Z][^()\n:]{1,60}:\s|(?:[A-Z*]|arXiv|bioRxiv|medRxiv"
    r"|npj)[^()\n]{1,80}?,?\s(?:19|20)\d\d\))"
)
_SHORTENED = re.compile(r"\b(?:Proc|Trans|Conf|Int|Symp)\.\s")
_IMPRINTS = re.compile(
    r"(?:Vol|No|Retrieved|Accessed|Available|Springer|Elsevier|IEEE|ACM|Curran|PMLR|Association)\b"
)
_LEADS = frozenset("proc trans int conf symp ann adv".split())
LONGEST_VENUE = 240


def read_venue(plain: PlainEntry, start: int) -> tuple[int, int] | None:
    """The place of the venue in the words after the title; None when none is named.

    Args:
        plain: The entry.
        start: Where the words after its title begin.
    """
    words = plain.words
    aside = _ASIDE.match(words, start)
    at = _skip(words, aside.end() if aside else start)
    lead = _IN.match(words, at)
    while lead and lead[0] != "《":
        at = _skip(words, lead.end())
        lead = _IN.match(words, at)
    for pattern in (_DETAILS, _PRESENTED, _DETAILS, _IN):
        match = pattern.match(words, at)
        if match and match[0] != "《":
            at = _skip(words, match.end())
    imprint = _IMPRINT.match(words, at)
    at = imprint.end() if imprint else at
    editors = _EDITORS.match(words, at)
    if editors and read_names(editors["names"]) is not None:
        at = _skip(words, editors.end())
    year = _LEAD_YEAR.match(words, at)
    if (
        year
        and not re.match(r"\s?\d", words[year.end() :])
        and re.search(r"[A-Za-z\u0400-\uffff]{2}", words[year.end() :])
    ):
        at = _skip(words, year.end())
        match = _IN.match(words, at)
        at = _skip(words, match.end()) if match and match[0] != "《" else at
    return _enclosed(plain, at) or _plain_venue(words, at)


def _skip(words: str, at: int) -> int:
    while at < len(words) and words[at] in _SKIP:
        at += 1
    return at


def _enclosed(plain: PlainEntry, at: int) -> tuple[int, int] | None:
    """A venue in emphasis, near what follows the title, or in Chinese title marks."""
    words = plain.words
    if words[at : at + 1] in ("《", "「", "『"):
        quote = find_quote(words, at)
        if quote is not None and quote.start == at:
            return _trim(words, quote.inner, quote.close)
    for region in plain.regions:
        if region.start < at or region.start > at + 120 or region.kind == "link":
            continue
        between = words[at : region.start]
        if re.search(r"\d{4}", between) or BREAK in between:
            break
        if region.kind == "strong" and words[region.start : region.end].strip(" ,.").isdigit():
            continue
        if between.strip() and not re.match(
            r"(?:[^.]{0,60}[.,:]\s(?:[Ii]n:?\s)?|Proc\.\s(?:of\s)?(?:the\s)?)\Z", between
        ):
            break
        end = region.end
        cut = _END.search(words, region.start + 1, end)
        while cut is not None and cut["stop"]:
            cut = _END.search(words, cut.end(), end)
        if cut is not None and re.match(r",?\s(?:\d|vol|Vol)", words[cut.start() : end]):
            end = cut.start()
        return _trim(words, region.start, end)
    return None


def _plain_venue(words: str, at: int) -> tuple[int, int] | None:
    """A venue up to the numbers, the date or the full stop after it."""
    line = words.find(BREAK, at)
    limit = min(len(words) if line < 0 else line, at + LONGEST_VENUE)
    if at >= limit or _ACCESS.match(words, at):
        return None
    if not (words[at].isalpha()) and not re.match(
        r"\d{1,3}(?:st|nd|rd|th)\b|(?:19|20)\d\d\s(?:IEEE|ACM|[A-Z][a-z]+)|\d{1,2}\.\s[A-Z]",
        words[at : at + 14],
    ):
        return None
    place = _PLACE.match(words, at, limit)
    if place and not re.search(r"\d|[a-z]{3}\.\s|\.\s[A-Z][a-z]{3,}\s[a-z]", place["place"]):
        at = place.end()
    search = at + 1
    lead = re.match(r"(?:19|20)\d\d\s|\d{1,2}\.\s", words[at:limit])
    if lead:
        search = at + lead.end()
    end = limit
    for match in _END.finditer(words, search, limit):
        if match["stop"] and _is_abbreviated(words, at, match.start(), match.end()):
            continue
        if match[0].strip() in ("(", "（") and re.match(
            r"[A-Z][A-Za-z'’& -]{1,20}(?:\s?['’]?\d{2,4})?\)", words[match.end() :]
        ):
            continue
        end = match.start()
        break
    edited = _EDITED.search(words, at, end)
    end = edited.start() if edited else end
    return _trim(words, at, end)


def _is_abbreviated(words: str, at: int, stop: int, after: int) -> bool:
    """Whether a full stop in a venue abbreviates, as in `J. Mach. Learn. Res.`."""
    word = re.split(r"[\s(]", words[at:stop])[-1].lower()
    following = words[after : after + 30]
    if not following[:1].isalpha():
        return False
    if following[:1].islower():
        return True
    if word in _LEADS:
        return True
    if word in ABBREVIATIONS or len(word) == 1:
        return not _IMPRINTS.match(following)
    if len(word) <= 6 and _SHORTENED.search(words, at, stop):
        return not _IMPRINTS.match(following)
    short = re.match(r"[A-Z][a-z]{0,9}[.,]", following)
    if short is None and re.search(r"\.\s\w+\Z", words[at:stop]):
        short = re.match(r"[A-Z]\s[A-Z][a-z]", following)  # `Environ. Plan. B Urban Anal.`
    return len(word) <= 9 and short is not None


def _trim(words: str, start: int, end: int) -> tuple[int, int] | None:
    """A venue without what surrounds it: punctuation, a year, a month, the place of a meeting."""
    preprints = _PREPRINTS.match(words, start, end)
    if preprints:
        return preprints.span()
    end = _stripped(words, start, end)
    year = _YEAR_END.search(words, start, end)
    if year and re.search(r"[^\W\d_]", words[start : year.start()]):
        before = words[start : year.start()]
        end = year.start() if before.count("(") <= before.count(")") else end
    month = _MONTH_END.search(words, start + 3, end)
    end = month.start() if month else end
    if _GATHERING.search(words, start, end):
        city = _CITY.search(words, start + 8, end)
        if city and not re.search(r"\b(?:and|on|of|for)\b|&", city[0]):
            end = city.start()
    while start < end and words[start] in " .,;:，。“\"‘'":
        start += 1
    venue = words[start:end]
    if len(re.findall(r"[^\W\d_]", venue)) < 2 and not re.search("[\u3040-\uffff]", venue):
        return None
    return start, end


def _stripped(words: str, start: int, end: int) -> int:
    while end > start:
        last = words[end - 1]
        is_full_stop = last == "." and _ends_full(words, start, end)
        if not (last.isspace() or last in ",;:，；：-–—|/([（。" or is_full_stop):
            break
        end -= 1
    return end


def _ends_full(words: str, start: int, end: int) -> bool:
    """Whether the full stop at the end of a venue is that of the field, not of an abbreviation."""
    word = re.split(r"[\s.(]", words[start : end - 1])[-1].lower()
    return (
        word not in ABBREVIATIONS
        or end < len(words)
        and words[end : end + 1] == "."
        or " " not in words[start:end]
    )
