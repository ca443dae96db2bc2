"""Find authors who stand before a year in brackets: `Smith and Lee (2019)`, `王小明等（2019）`."""

import re
import unicodedata

from workbench.citations.author_names import ET_AL, NOT_A_NAME, fold, is_name, surnames
from workbench.citations.author_year import ONLY_YEARS, author_mark, read_years
from workbench.citations.lexicon import (
    JOINTS,
    NO_AUTHOR,
    OPENERS,
    PARTICLES,
    SURNAMES,
    TAILS,
    WITHIN,
)
from workbench.citations.marks import Mark
from workbench.citations.patterns import CJK, SAYS

_REACH = 110
_WORD = re.compile(r"\S+")
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


def find_narrative(text: str, brackets: list[re.Match[str]], known: frozenset[str]) -> list[Mark]:
    """Marks for brackets that hold years alone and have an author before them.

    Two names, `et al.` and the like are an author. A name alone is one when a reference entry
    begins with it, when a verb of saying follows or when words like `according to` lead to it: so
    `Inception (2010)` is no mark.

    Args:
        text: The text.
        brackets: What `find_brackets` found in it.
        known: Folded names that its reference entries begin with.
    """
    marks: list[Mark] = []
    for found in brackets:
        only = ONLY_YEARS.match(found[1])
        if only is None:
            continue
        author = _author(text, found.start(), found.end(), known)
        if author is None:
            continue
        start, names = author
        years = read_years(only["years"], found.start(1) + only.start("years"))
        for year, *_ in years:
            marks.append(author_mark(start, found.end(), names, year, "narrative"))
    return marks


def _author(
    text: str, opens: int, end: int, known: frozenset[str]
) -> tuple[int, tuple[str, ...]] | None:
    """Where the author before a bracket begins, and the names."""
    floor = max(0, opens - _REACH, text.rfind("\n", max(0, opens - _REACH), opens) + 1)
    before = text[floor:opens].rstrip()
    if not before or before[-1] in '"”»*_)]}':
        return None
    if unicodedata.category(before[-1]) == "Lo":
        return _cjk_author(text, before, floor, end, known)
    return _latin_author(text, before, floor, end, known)


def _latin_author(
    text: str, before: str, floor: int, end: int, known: frozenset[str]
) -> tuple[int, tuple[str, ...]] | None:
    words = list(_WORD.finditer(before))
    first, tail, joined = _walk_back([word[0] for word in words], known)
    chosen = [word[0] for word in words[first:]]
    if not any(is_name(word) for word in chosen):
        return None
    names = surnames([part for word in chosen for part in word.replace("&", " & ").split()])
    if not names or (len(chosen) > 9 and not tail):
        return None
    start = floor + words[first].start()
    if tail or (joined and len(names) > 1):
        return start, names
    if fold(names[0]) in known or fold(names[0].split()[-1]) in known:
        return start, names
    if len(names) > 1 or len(chosen) > 6:
        return None
    if SAYS.match(text, end) or chosen[-1].endswith(("'s", "’s")):
        return start, names
    cued = len(chosen) <= 2 and _CUE.search(before[: words[first].start()])
    return (start, names) if cued else None


def _walk_back(words: list[str], known: frozenset[str]) -> tuple[int, bool, bool]:
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
            unfit = not is_name(word) or word[0] in '*_"“(' or bare in NO_AUTHOR
            if bare in OPENERS or (unfit and bare not in known):
                break
        first -= 1
    small = JOINTS | WITHIN | TAILS | {"&"}
    while first < count and words[first].lower() in small:
        first += 1
    return first, tail, joined


def _cjk_author(
    text: str, before: str, floor: int, end: int, known: frozenset[str]
) -> tuple[int, tuple[str, ...]] | None:
    """The name that Chinese, Japanese or Korean words end with."""
    run = _CJK_RUN.search(before)
    if run is None:
        return None
    et_al = ET_AL.search(before)
    body = before[: et_al.start()] if et_al else before
    room = len(body) - run.start()
    for length in range(min(room, 12), 1, -1):
        if fold(body[-length:]) in known:
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
        clear = _CJK_CUE.search(lead) is not None
        if not (clear or pair or (et_al and length == 3)):
            continue
        if pair:
            return floor + pair.start(), (pair[1], name)
        if et_al or lead or SAYS.match(text, end) or text[end : end + 1] in "和与、及":
            return floor + len(lead), (name,)
    return None
