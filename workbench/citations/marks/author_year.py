"""Find marks that name an author and a year, and those that point back to an earlier mark.

`(Smith et al., 2019; Lee, 2020a)`, `Smith and Lee (2019)`, `王小明等（2019）`; `ibid.`, `op. cit.`.
"""

import re
import unicodedata
from collections.abc import Collection
from typing import TYPE_CHECKING, Literal, NamedTuple

from workbench.citations.lexicon import (
    CJK,
    JOINTS,
    NO_AUTHOR,
    OPENERS,
    PARTICLES,
    SAYS,
    SURNAMES,
    TAILS,
    WITHIN,
    YEAR,
)
from workbench.citations.marks import Mark

if TYPE_CHECKING:
    from workbench.citations.document import Document


CJK_NAME = re.compile(f"[{CJK}·•]+")
ET_AL = re.compile(r"(?:等人?|ら|他|외)\Z")
NOT_A_NAME = re.compile("[书書报報告法会會局部署院所校司厂廠站网網刊志史论論案年月日]\\Z")
"""What ends Chinese words that name a thing or a body and not a person."""
_CJK_AND = re.compile("和|与|與|及|、|・|＆|&|,|，")
_INITIALS = re.compile(r"(?:[A-Z]\.?-?){1,3}")
_FOLDED_AWAY = re.compile(r"[\s'’.‐-]")
_AROUND = ',.*_"“”'
AROUND_NAME = '.,;:()[]*_"“”&'
"""Signs around the words of a name in a reference entry."""


def fold(name: str) -> str:
    """A name for comparison: lower case, without accents, apostrophes, blanks and hyphens."""
    if name.isascii():
        if name.isalnum():
            return name.lower()
        return _FOLDED_AWAY.sub("", name.lower())
    decomposed = unicodedata.normalize("NFKD", name)
    plain = "".join(
        character for character in decomposed if not unicodedata.combining(character)
    ).casefold()
    return _FOLDED_AWAY.sub("", plain)


def entry_names(authors: tuple[str, ...], lead: str) -> set[str]:
    """The folded names by which an author-year mark finds an entry.

    Args:
        authors: The authors that the entry lists.
        lead: The words in which its author is looked for.
    """
    names = set()
    for author in authors:
        surname = author.split(",")[0]
        names.add(fold(surname))
        names.update(fold(word.strip(AROUND_NAME)) for word in surname.split())
        if not surname.isascii() and CJK_NAME.fullmatch(surname):
            names.update(surname[:size] for size in (1, 2, 3))  # the family name comes first
    words = [word.strip(AROUND_NAME) for word in lead.split()[:16]]
    names.update(fold(word) for word in words if word[:1].isupper() or not word.isascii())
    initials = "".join(word[0] for word in words[:8] if word[:1].isupper())
    names.update(fold(initials[:size]) for size in range(2, len(initials) + 1))
    names.discard("")
    return names


def author_names(who: str, comma: bool, known_names: Collection[str]) -> tuple[str, ...]:
    """The surnames (or the organisation) that `who` names; empty when it names no author.

    Args:
        who: The words before a year.
        comma: Whether a comma stands between them and the year; without one only a single name, or
            names joined by `and`, `&` or `et al.`, are an author.
        known_names: Folded names that the text's reference entries begin with.
    """
    if not who:
        return ()
    if CJK_NAME.search(who):
        latin = ET_AL.sub("", who).strip()
        if CJK_NAME.search(latin) or latin == who:
            return _cjk_names(who, comma)
        who = latin + " et al."
    words = who.replace("&", " & ").split()
    if not words or len(words) > 16:
        return ()
    first = words[0].strip(".,").lower()
    if not is_name(words[0]) and first not in PARTICLES:
        return ()
    if comma and len(words) > 1 and fold(who) in known_names:
        return (who,)  # a body as its entry has it, whatever small words are in its name
    roles = {_role(word, known_names) for word in words}
    if "name" not in roles or "other" in roles:
        return ()
    single = len(words) == 1 or (len(words) == 2 and first in PARTICLES)
    if not (comma or "joint" in roles or single or fold(words[0]) in known_names):
        return ()
    return surnames(words)


def _role(word: str, known_names: Collection[str]) -> Literal["name", "joint", "small", "other"]:
    """What a word is in a list of names; only a `joint` shows by itself that it is one."""
    bare = word.strip(".,'’\"*_").lower()
    if word == "&" or bare in TAILS or bare in ("and", "und", "et"):
        return "joint"
    if bare in JOINTS or bare in PARTICLES or bare in WITHIN:
        return "small"
    if not is_name(word) or (bare in NO_AUTHOR and bare not in known_names):
        return "other"
    return "name"


def is_name(word: str) -> bool:
    """Whether a word can be (part of) a name: it begins with a capital letter."""
    bare = word.lstrip("*_\"“‘'’(").rstrip(".,'’\"”*_")
    if not bare or any(character.isdigit() or character in "=<>%/@#:" for character in bare):
        return False
    if bare[0].isupper():
        return True
    return len(bare) > 2 and bare[1] in "'’" and bare[2].isupper()


def surnames(words: list[str]) -> tuple[str, ...]:
    """First the one who is named first; particles stay with their name, initials go."""
    names: list[str] = []
    current: list[str] = []

    def close() -> None:
        name_words = [
            part for part in current if not _INITIALS.fullmatch(part) or _is_body(current)
        ] or current
        if name_words:
            names.append(" ".join(name_words))
        current.clear()

    for word in words:
        bare = word.strip(_AROUND).removesuffix("'s").removesuffix("’s")
        if "." in bare and _INITIALS.fullmatch(bare + "."):
            bare += "."
        lower = bare.lower()
        if lower in TAILS:
            break
        if word == "&" or lower in JOINTS:
            if lower == "and" and _is_body(current):
                current.append(bare)
            else:
                close()
            continue
        if bare:
            current.append(bare if bare.lower() not in ("jr", "sr") else "")
        if word.endswith(","):
            close()
    close()
    return tuple(name.strip() for name in names if name.strip())


def _is_body(words: list[str]) -> bool:
    """Whether words before an `and` read as a body (`Centers for Disease Control and …`)."""
    return any(word.lower() in WITHIN for word in words) or len(words) > 3


def _cjk_names(who: str, comma: bool) -> tuple[str, ...]:
    """Names in Chinese, Japanese or Korean: `王小明和李强`, `张三等`, `田中・山本`."""
    who = who.strip(" ，,、")
    et_al = ET_AL.search(who)
    if et_al:
        who = who[: et_al.start()]
    names = [name.strip() for name in _CJK_AND.split(who) if name.strip()]
    if not names or any(len(name) > 20 for name in names):
        return ()
    if any(not CJK_NAME.fullmatch(name.replace(" ", "")) for name in names):
        return ()
    if not (comma or et_al or len(names) > 1) and not (2 <= len(names[0]) <= 4):
        return ()
    if NOT_A_NAME.search(names[0]) and not comma:
        return ()
    return tuple(names)


_SINGLE_YEAR = rf"(?:{YEAR}[a-z]?(?:/{YEAR})?|n\.d\.|in press)"
_YEARS = rf"{_SINGLE_YEAR}(?:\s?[,，、&]\s?(?:{_SINGLE_YEAR}|[a-z]\b)){{0,8}}"
_LOCATOR = (
    r"(?:\s?[,，:：]\s?(?:pp?\.?|pages?|chap(?:ter|\.)?|ch\.?|sec(?:tion|\.)?|§+|fig(?:ure|\.)?"
    r"|tables?|paras?\.?|vol\.?|no\.?|ss?\.|S\.|第)?\s?[\w\u2013.-]{1,12}(?:\s?[,，\u2013-]\s?\d{1,5})?"
    r"\s?[页頁章節节]?)?"
)
_BRACKET = re.compile(
    rf"[(（\[](?=[^()（）\[\]\n]{{0,300}}?(?:{YEAR}|n\.d\.|in press))"
    r"([^()（）\[\]\n]{4,300})[)）\]]"
)
_ONLY_YEARS = re.compile(rf"\s?(?P<years>{_YEARS})年?{_LOCATOR}\s?\Z")
"""The inside of a bracket that holds years alone: the author stands before it."""
_ITEM = re.compile(
    rf"(?P<who>[^\d]{{1,160}}?)[,，:\s]\s{{0,2}}(?P<years>{_YEARS})年?{_LOCATOR}\s?\Z"
)
_CJK_ITEM = re.compile(rf"(?P<who>[^\d]{{1,60}}?)(?P<years>{_YEARS})年?{_LOCATOR}\s?\Z")
_LEAD = re.compile(
    r"\s{0,3}(?:(?:but |and |also )?"
    r"(?:see(?:,? also|,? for (?:example|instance|a review))?|e\.g\.|i\.e\.|cf\."
    r"|for (?:example|instance)|as (?:cited|quoted|reported|reviewed|shown|described) (?:in|by)"
    r"|(?:cited|quoted|reviewed|discussed) (?:in|by)|(?:adapted|taken) from|from|following|per"
    r"|sources?|data(?: from)?|compare|contra|according to|参见|参考|参看|详见|见|转引自|引自|来源"
    r"|如|vgl\.|siehe|voir)(?:[,:：]\s{0,2}|\s{1,2}|(?=[\u4e00-\u9fff])))",
    re.IGNORECASE,
)
_SECOND_HAND = re.compile(r"[^,;]{2,60},?\s(?:as\s)?(?:cited|quoted) in\s")
_SPLIT = re.compile(r"[;；]")
_YEAR_PART = re.compile(rf"{_SINGLE_YEAR}|(?<![a-z])[a-z]\b")
_REACH = 110
_WORD = re.compile(r"\S+")
_ELIDED = re.compile(r"[dlDL]['’](?=[^\W\d_])")
_LONGEST_BODY = 10
"""The most words of a body's name before its year."""
_INITIAL = re.compile(r"(?:[A-Z]\.-?){1,3}|(?:Jr|Sr|St)\.")
_CUE = re.compile(
    r"(?:according to|see|see also|cf\.|e\.g\.,?|following|by|per|unlike|contra|building on"
    r"|based on|consistent with|line with|agree with|similar to|contrary to|critique of|work of"
    r"|study by|and)\s{1,2}(?:the\s|a\s)?\Z",
    re.IGNORECASE,
)
_CJK_CUE = re.compile(r"(?:根据|據|根據|依据|如|由|按照|参见|见|与|和|及|在|[，。；「（(\s]|^)\Z")
_CJK_RUN = re.compile(rf"[{CJK}·、&＆]{{1,30}}\Z")
_KOREAN = re.compile(
    r"(?:\A|[\s(,])[김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진]"
    r"[가-힣]{2}\Z"
)
_KOREAN_AFTER = re.compile("[은는이가의에도]|등")
_CJK_PAIR = re.compile(rf"([{CJK}]{{2,3}})(?:和|与|、|&)\Z")
_PAGES = r"(?:,?\s?(?:at|pp?\.)\s?\d{1,5}(?:[–-]\d{1,5})?)?"
_IBID = re.compile(rf"bid(?<=\b[iI]bid)(?:em)?\b\.?{_PAGES}")
_LOC_CIT = re.compile(r"[lL]oc\. ?cit\.")
_SAME = re.compile(r"(?<=[（(\[【])同上(?:注)?(?:[，,]\s?第?\s?\d{1,4}\s?页)?(?=[）)\]】])")
_OP_CIT = re.compile(rf"(?P<name>[^\W\d_][\w'’-]{{1,30}})(?: et al\.)?,?\s[oO]p\. ?cit\.{_PAGES}")


class _Item(NamedTuple):
    """One `Smith & Lee, 2019a, b, p. 3` of a bracket."""

    start: int
    end: int
    names: tuple[str, ...]
    years: list[tuple[str, int, int]]


def find_author_year(document: "Document") -> list[Mark]:
    """Marks for the works that brackets, or authors before brackets, name: one for each year.

    A bracket with one work is its mark with the brackets; of several each has its own words. What
    comes before the name (`see`, `e.g.`) is not part of the mark where there are several.

    Before a bracket that holds years alone, two names, `et al.` and the like are an author. A name
    alone is one when a reference entry begins with it, when a verb of saying follows or when words
    like `according to` lead to it: so `Inception (2010)` is not a mark.
    """
    brackets = list(_BRACKET.finditer(document.text))
    if not brackets:
        return []
    known_names = document.entry_index.by_name.keys()
    return _in_brackets(brackets, known_names) + _before_brackets(
        document.text, brackets, known_names
    )


def _in_brackets(brackets: list[re.Match[str]], known_names: Collection[str]) -> list[Mark]:
    """Marks for brackets that hold names and years.

    Args:
        brackets: Brackets that hold a year; group 1 is the inside.
        known_names: Folded names that the text's reference entries begin with.
    """
    marks: list[Mark] = []
    for bracket in brackets:
        content = bracket[1]
        if _ONLY_YEARS.match(content):
            continue
        items: list[_Item] = []
        offset = bracket.start(1)
        for piece in _SPLIT.split(content):
            item = _item(piece, offset, known_names) or (items and _more(piece, offset, items[-1]))
            offset += len(piece) + 1
            if item:
                items.append(item)
        is_single = len(items) == 1 and len(items[0].years) == 1 and not _SPLIT.search(content)
        for item in items:
            marks.extend(_marks(item, bracket.span() if is_single else None))
    return marks


def _author_mark(start: int, end: int, names: tuple[str, ...], year: str, style: str = "") -> Mark:
    """A mark that names authors and a year: `smith 2019`, `smith & lee 2019`."""
    who = " & ".join(name.lower() for name in names[:2])
    return Mark(start, end, "author_year", f"{who} {year}".strip(), None, names, year, style)


def _read_years(group: str, at: int) -> list[tuple[str, int, int]]:
    """The years of `2019a, b, 2020` with their offsets, `at` being the offset of the group."""
    years: list[tuple[str, int, int]] = []
    base = ""
    for match in _YEAR_PART.finditer(group):
        value = match[0]
        if value[0].isdigit():
            base = value[:4]
        elif len(value) == 1:
            if not base:
                continue
            value = base + value
        years.append((value, at + match.start(), at + match.end()))
    return years


def _marks(item: _Item, bracket: tuple[int, int] | None) -> list[Mark]:
    """One mark for each year: the first has the names, the others their year alone."""
    if bracket:
        return [_author_mark(*bracket, item.names, item.years[0][0])]
    if len(item.years) == 1:
        return [_author_mark(item.start, item.end, item.names, item.years[0][0])]
    marks = []
    for number, (year, start, end) in enumerate(item.years):
        marks.append(_author_mark(start if number else item.start, end, item.names, year))
    return marks


def _more(piece: str, at: int, last: _Item) -> _Item | None:
    """Further years of the authors before: the `2021` of `(Smith, 2020; 2021)`."""
    match = _ONLY_YEARS.match(piece)
    if match is None:
        return None
    years = _read_years(match["years"], at + match.start("years"))
    return _Item(years[0][1], at + len(piece.rstrip()), last.names, years) if years else None


def _item(piece: str, at: int, known_names: Collection[str]) -> _Item | None:
    """The work that a part of a bracket names; None when it names none."""
    lead = 0
    while before := _LEAD.match(piece, lead):
        lead = before.end()
    second = _SECOND_HAND.match(piece, lead)
    if second:
        lead = second.end()
    while lead < len(piece) and piece[lead].isspace():
        lead += 1
    match = _ITEM.match(piece, lead)
    if match is None:
        match = _CJK_ITEM.match(piece, lead)
        if match is None or match["who"][-1].isascii():
            return None
    who = match["who"].rstrip()
    between = piece[match.start("who") + len(who) : match.start("years")].strip()
    comma = between in (",", "，") or who.endswith((",", "，"))
    if who[:1] in '"“' and who.rstrip(" ,，")[-1:] in '"”':
        names: tuple[str, ...] = (who.strip(' ,，"“”'),)  # a work without an author
    else:
        names = author_names(who.strip(' ,，:*_"“”'), comma, known_names)
    if not names:
        return None
    years = _read_years(match["years"], at + match.start("years"))
    return _Item(at + lead, at + len(piece.rstrip()), names, years)


def _before_brackets(
    text: str, brackets: list[re.Match[str]], known_names: Collection[str]
) -> list[Mark]:
    """Marks for brackets that hold years alone and have an author before them."""
    marks: list[Mark] = []
    for bracket in brackets:
        match = _ONLY_YEARS.match(bracket[1])
        if match is None:
            continue
        author = _author(text, bracket.start(), bracket.end(), known_names)
        if author is None:
            continue
        start, names = author
        years = _read_years(match["years"], bracket.start(1) + match.start("years"))
        for year, *_ in years:
            marks.append(_author_mark(start, bracket.end(), names, year, "narrative"))
    return marks


def _author(
    text: str, opens: int, end: int, known_names: Collection[str]
) -> tuple[int, tuple[str, ...]] | None:
    """Where the author before a bracket begins, and the names."""
    floor = max(0, opens - _REACH, text.rfind("\n", max(0, opens - _REACH), opens) + 1)
    before = text[floor:opens].rstrip()
    if not before or before[-1] in '"”»*_)]}':
        return None
    if unicodedata.category(before[-1]) == "Lo":
        return _cjk_author(text, before, floor, end, known_names)
    return _latin_author(text, before, floor, end, known_names)


def _latin_author(
    text: str, before: str, floor: int, end: int, known_names: Collection[str]
) -> tuple[int, tuple[str, ...]] | None:
    words = list(_WORD.finditer(before))
    for word in words[-_LONGEST_BODY:-1]:  # a body as its entry has it
        elided = _ELIDED.match(before, word.start())
        start = elided.end() if elided else word.start()
        if fold(before[start:]) in known_names:
            return floor + start, (before[start:],)
    first, tail, joined = _walk_back([word[0] for word in words], known_names)
    last_words = [word[0] for word in words[first:]]
    if not any(is_name(word) for word in last_words):
        return None
    names = surnames([part for word in last_words for part in word.replace("&", " & ").split()])
    if not names or (len(last_words) > 9 and not tail):
        return None
    start = floor + words[first].start()
    if tail or (joined and len(names) > 1):
        return start, names
    if fold(names[0]) in known_names or fold(names[0].split()[-1]) in known_names:
        return start, names
    if len(names) > 1 or len(last_words) > 6:
        return None
    if SAYS.match(text, end) or last_words[-1].endswith(("'s", "’s")):
        return start, names
    cued = len(last_words) <= 2 and _CUE.search(before[: words[first].start()])
    return (start, names) if cued else None


def _walk_back(words: list[str], known_names: Collection[str]) -> tuple[int, bool, bool]:
    """The first of the last words that can be a list of names; whether it has a tail or a joint."""
    first = count = len(words)
    tail = joined = False
    while first > 0:
        word = words[first - 1]
        bare = word.strip(".,'’").lower()
        stops = word[-1] in ".!?;:" and bare not in TAILS and not _INITIAL.fullmatch(word)
        if first < count and stops:
            break
        if bare in TAILS and first >= count - 1:
            tail = True
        elif word == "&" or bare in JOINTS:
            if first == count:
                break
            joined = True
        elif bare not in PARTICLES and (bare not in WITHIN or bare in OPENERS) and bare != "of":
            is_excluded = not is_name(word) or word[0] in '*_"“(' or bare in NO_AUTHOR
            if bare in OPENERS or (is_excluded and bare not in known_names):
                break
        first -= 1
    small = JOINTS | WITHIN | TAILS | {"&"}
    while first < count and words[first].lower() in small:
        first += 1
    return first, tail, joined


def _cjk_author(
    text: str, before: str, floor: int, end: int, known_names: Collection[str]
) -> tuple[int, tuple[str, ...]] | None:
    """The name that Chinese, Japanese or Korean words end with."""
    run = _CJK_RUN.search(before)
    if run is None:
        return None
    et_al = ET_AL.search(before)
    body = before[: et_al.start()] if et_al else before
    room = len(body) - run.start()
    for length in range(min(room, 12), 1, -1):
        if fold(body[-length:]) in known_names:
            return floor + len(body) - length, (body[-length:],)
    if _KOREAN.search(body) and _KOREAN_AFTER.match(text, end):
        return floor + len(body) - 3, (body[-3:],)
    for length in (3, 2):
        name = body[-length:]
        if room < length or name[0] not in SURNAMES or NOT_A_NAME.search(name):
            continue
        lead = body[:-length]
        pair = _CJK_PAIR.search(lead)
        if pair and pair[1][0] not in SURNAMES:
            pair = None
        is_cued = _CJK_CUE.search(lead) is not None
        if not (is_cued or pair or (et_al and length == 3)):
            continue
        if pair:
            return floor + pair.start(), (pair[1], name)
        if et_al or lead or SAYS.match(text, end) or text[end : end + 1] in "和与、及":
            return floor + len(lead), (name,)
    return None


def find_backward(text: str) -> list[Mark]:
    """Marks of style `ibid` (the mark before) and `op. cit.` (the work of that author)."""
    marks: list[Mark] = []
    if "bid" in text:
        marks.extend(_ibid(text, match.start() - 1, match.end()) for match in _IBID.finditer(text))
    if "oc. cit" in text or "oc.cit" in text:
        marks.extend(_ibid(text, *match.span()) for match in _LOC_CIT.finditer(text))
    if "同上" in text:
        marks.extend(_ibid(text, *match.span()) for match in _SAME.finditer(text))
    if "p. cit" in text or "p.cit" in text:
        for match in _OP_CIT.finditer(text):
            if match["name"][0].isupper():
                marks.append(_author_mark(*match.span(), (match["name"],), "", "op cit"))
    return marks


def _ibid(text: str, start: int, end: int) -> Mark:
    return Mark(start, end, "author_year", text[start:end], style="ibid")
