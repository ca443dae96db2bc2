"""Find legal citations: reporters and statutes by `eyecite`, their short forms, and other courts'.

The library is slow and slower than linear, so it sees only short stretches around what looks like a
volume, a reporter and a page; names, pages and years beside its spans are read here, within reach.
"""

import re
from bisect import bisect_right
from functools import cache
from operator import itemgetter
from typing import Protocol, cast

from workbench.citations.marks import Mark
from workbench.records.citation import Target

_REACH = 160
_VERSUS = re.compile(r"\s(?:v|vs)\.?\s")
_SINGLE = re.compile(r"(?:In re|Ex parte|Matter of|Estate of|Petition of)\s[A-Z][^;()\n]{1,80}\Z")
_SHORT = re.compile(r"(?<![\w.’'])[A-Z][\w'’&.-]{1,40}\Z")
_LINKS = frozenset(
    [
        *("of", "the", "and", "for", "&", "ex", "rel.", "rel", "et", "al.", "al", "d/b/a", "de"),
        *("la", "van", "von", "in", "on"),
    ]
)
_SIGNALS = frozenset(
    [
        *(
            "in",
            "see",
            "cf.",
            "but",
            "compare",
            "accord",
            "citing",
            "under",
            "the",
            "as",
            "like",
            "so",
            "thus",
        ),
        *("also", "e.g.,", "e.g.", "contra", "with", "and", "of", "for", "quoting", "case"),
        *(
            "cases",
            "court",
            "since",
            "after",
            "before",
            "following",
            "held",
            "decision",
            "to",
            "from",
            "on",
        ),
    ]
)
_REPORTER = re.compile(
    r"[0-9][0-9]{0,3}\s(?:[A-Z][A-Za-z'’]{0,9}\.\s?(?:[A-Za-z0-9'’]{1,9}(?:\.\s?|\s)){0,5}"
    r"|(?:U\.?S\.?C?|F[23]d|F4th|WL|CFR|Cranch|Wheat|Pet|How|Black|Wall|Dall|U\.S\.)\s"
    r"(?:\(\d{1,2}\s[A-Z][a-z]{2,6}\.?\)\s)?)"
    r"(?:\([^()\n]{1,20}\)\s)?(?:§{1,2}\s?|at\s|LEXIS\s)?[\d_]"
)
_CODE = re.compile(
    r"[A-Z][a-z]{1,8}\.?\s(?:[A-Z][a-z.&]{0,12}\s){0,4}Code(?:\sAnn\.)?\s§{1,2}\s?\d"
)
_BEFORE, _AFTER, _LONGEST = 60, 60, 1500
_PINS = re.compile(
    r"(?:,\s(?:at\s)?\*?\d{1,5}(?:[-\u2013]\d{1,5})?(?:\s?n\.\s?\d{1,3})?(?![\w.]|\s(?:[A-Z][\w.]|§))){0,3}"
)
_PARAGRAPHS = re.compile(
    r"(?:,\s|\s)(?:at\s)?(?:(?:at\s|(?<=,\s))\[\d{1,3}\](?:(?:\s?[\u2013-]\s?|,\s)\[\d{1,3}\]){0,5}"
    r"|(?:¶{1,2}|paras?\.?|Rn\.|Rdnr?\.|Rz\.)\s?\d{1,4}(?:(?:\s?[\u2013-]\s?|,\s?)\d{1,4}(?!\w|\s[A-Z])){0,5})"
)
"""Pins to paragraphs: `, ¶¶ 12-15`, ` at [12]`, `, [45]\u2013[47]`, ` at para. 14`."""
_STAR_PAGE = re.compile(r"\*\d{1,5}\s[A-Z]")
_STAR = re.compile(r"(?<![\w.])(\d{1,4})(\s\*\d{1,5})(?=\s[A-Z])")
"""The page of another edition between a volume and its reporter: `135 *355 Mass. 147`."""
_YEAR_FIRST = re.compile(r"\s\((?:1[789]|20)\d\d\)\s?\Z")
"""The year between the name and the reporter, as California's courts write it."""
_ONE_WORD = re.compile(r"\d{1,4}\s([A-Z][A-Za-z'\u2019]{0,9})\.\s(\d{1,5})\Z")
_STATE_YEAR = re.compile(r"20\d\d\s[A-Z]{2}\s\d{1,3}\Z")
_STATES = frozenset(
    "Ala Ariz Ark Cal Colo Conn Del Fla Ga Haw Ill Ind Kan Ky La Mass Md Me Mich Minn Miss Mo Mont Neb"
    " Nev Okla Or Pa Tenn Tex Va Vt Wash Wis Wyo".split()
)
"""One-word reporters that need no name and no year beside them, where the page is a real one."""
_NOT_VOLUME = re.compile(
    r"(?:§{1,2}|\b(?:art(?:\.|ikel|icle|\u00edculo|icolo|igo)?|abs\.|absatz|nr\.|n\.|n[\u00ba\u00b0]|no\.|lit\.|satz|s\.|al\.|par\."
    r"|comma|ziff\.|rn\.|op\.|kap\.|cap\.|ley|loi|legge))\s?\Z",
    re.IGNORECASE,
)
"""What stands before the number of an article or a paragraph, and never before a volume."""
_YEAR = re.compile(r"\s{0,2}\((?:[^()\n]{0,50}\s)?(?:1[789]|20)\d\d\)")
_SECTIONS = re.compile(r"(?:\([a-zA-Z0-9]{1,4}\)){1,6}")
_ID = re.compile(
    r"(?P<sign>[Ii]d\.)(?:,?\sat\s(?:§{1,2}\s?)?\*?\d{1,5}(?:[-\u2013,]\s?\d{1,5}){0,3}|\s§{1,2}\s?\d{1,6})?"
)
_ID_LEAD = re.compile(
    r"(?:[.;,(“\"\]]\s{0,2}|\n\s{0,8}|\A|[Ss]ee(?:,? also)?,?\s|[Cc]f\.\s|[*_]|and\s)\Z"
)
_SUPRA = re.compile(
    r"(?P<name>[A-Z][\w'’&.-]{1,40}),\s[*_]?supra[*_]?(?:,?\s(?:at|note|n\.)\s\d{1,5}(?:[-\u2013]\d{1,5})?)?"
)
_NEUTRAL = re.compile(
    r"[\[(（](?:1[89]|20)\d\d[\])）]\s?(?:\d{1,3}\s)?(?:UKSC|UKHL|UKPC|EWCA\s(?:Civ|Crim)|EWHC|CSIH|CSOH|NICA"
    r"|AC|QB|KB|Ch|WLR|All\sER|ER|Fam|SCR|SCC|ONCA|BCCA|HCA|CLR|FCA|FCAFC|NSWCA|VSCA|NZCA|NZSC|IESC"
    r"|SGCA|ZACC|INSC|S\.C\.R\.|A\.C\.|Q\.B\.|K\.B\.|W\.L\.R\.|All\sE\.R\.|D\.L\.R\.|DLR|C\.L\.R\.|ALR|NZLR|IR|UKUT|UKFTT)"
    r"\s\d{1,5}(?:\s\((?:QB|Ch|Admin|Comm|Pat|Fam|TCC|IAC|AAC|TC)\))?"
)
_YEAR_COURT = re.compile(
    r"20\d\d(?<!\w\d{4})\s(?:SCC|CSC|FCA|CAF|FC|TCC|CanLII|(?:ON|BC|AB|QC|MB|SK|NS|NB|NL|PE|YK)(?:CA|SC|CJ|KB|QB|CS|PC)|HCA|ZASCA|ZACC)"
    r"\s\d{1,6}(?:\s\([A-Z]{2,4}(?:\s[A-Z]{2,4})?\))?"
    r"|20\d\d(?<!\w\d{4})-Ohio-\d{1,5}|20\d\d(?<!\w\d{4})\s(?:IL|UT|ND|SD|OK|MT|NM|WI|WY|VT|ME|MS|AR|CO|PA\sSuper|WI\sApp|UT\sApp|IL\sApp\s\(\d\w\w\)|NMSC|NMCA)"
    r"\s\d{1,7}(?=(?:-\w{1,3})?,\s(?:¶|\d{1,3}\s[PNSA]\.))"
)
_EUROPE = re.compile(
    r"Case\s[CT][-\u2011\u2013]\d{1,4}/\d\d|ECLI:[A-Z]{2}:[A-Z]{1,7}:\d{4}:[\w.]{1,25}\w"
)
_CHINA = re.compile(
    r"[(（〔](?:19|20)\d\d[)）〕][\u4e00-\u9fff]{1,6}\d{0,6}[\u4e00-\u9fff]{1,3}(?:字第)?\d{1,6}号"
)
_RULE = re.compile(
    r"Fed\.\sR\.\s(?:Civ|Crim|Evid|App|Bankr)\.\s?(?:P\.\s)?\d{1,4}(?:\([a-zA-Z0-9]{1,3}\)){0,4}"
    r"|U\.\s?S\.\sConst\.\s(?:art|amend)\.\s[IVX]{1,6}(?:,\s§\s?\d{1,2}(?:,\scl\.\s?\d{1,2})?)?"
)
_KINDS = ("FullCaseCitation", "FullLawCitation", "FullJournalCitation", "ShortCaseCitation")
_NAMED_CASE = re.compile(
    r"v(?:s?\.)?\s[A-Z][^()\d\n;]{1,80}?\s\((?:[A-Za-z0-9. ]{1,30}\s)?(?:1[789]|20)\d\d\)"
)


def name_start(
    text: str, first: int, floor: int, versus_start: int | None = None
) -> tuple[int, str]:
    """Where the case name before offset `first` begins, and the name; `(first, "")` without one.

    Args:
        text: The text.
        first: Where the citation itself begins.
        floor: The name cannot begin before this offset.
        versus_start: Where the `v.` stands, when it is known already.
    """
    floor = max(floor, (versus_start or first) - _REACH)
    line = text.rfind("\n", floor, versus_start or first)
    floor = max(floor, line + 1)
    if versus_start is not None:
        start = _plaintiff(text, floor, versus_start - 1)
        return (start, text[start:first]) if start < versus_start - 1 else (first, "")
    before = text[floor:first]
    year_first = _YEAR_FIRST.search(before)
    if year_first:
        before = before[: year_first.start()] + ","
    bare = before.rstrip(" *_")
    if not bare:
        return first, ""
    if bare[-1] != ",":
        spaced = before[-1:] == " " and before[-2:-1].isalpha() and text[first] in "[(（"
        if not spaced:
            return first, ""
    head = bare.rstrip(",").rstrip("*_ ")
    versus = None
    for versus in _VERSUS.finditer(head):  # noqa: B007 - the last one counts
        pass
    if versus is not None:
        party = head[versus.end() :]
        if party[:1].isupper() and not re.search(r"[;()]|\d{1,4}\s[A-Z]", party):
            start = _plaintiff(text, floor, floor + versus.start())
            if start < floor + versus.start():
                return start, text[start : floor + len(head)]
    single = _SINGLE.search(head)
    if single and not re.search(r"\d{1,4}\s[A-Z]\.", single[0]):
        return floor + single.start(), single[0]
    short = _SHORT.search(head)
    if short and bare[-1] == "," and short[0].lower() not in _SIGNALS:
        return floor + short.start(), short[0]
    return first, ""


def _plaintiff(text: str, floor: int, end: int) -> int:
    """Where the party before the `v.` at `end` begins."""
    words = list(re.finditer(r"\S+", text[floor:end]))
    first = len(words)
    while first > 0:
        word = _bare(words[first - 1][0])
        if first < len(words) and _ends_sentence(words[first - 1][0], _bare(words[first][0])):
            break
        lower = word.lower()
        if not word or not (word[0].isupper() or word[0].isdigit() or lower.strip(",") in _LINKS):
            break
        first -= 1
        opening = words[first][0]
        if opening[0] in '"“' or (opening[0] == "(" and word == opening[1:]):
            break
    while first < len(words):
        word = _bare(words[first][0]).lower()
        if word in _SIGNALS or word in _LINKS or word.rstrip(",") in _SIGNALS:
            first += 1
        else:
            break
    if first >= len(words):
        return end
    lead = len(words[first][0]) - len(_bare(words[first][0]))
    return floor + words[first].start() + lead


def _bare(word: str) -> str:
    """A word without what opens before it; `(Miller)` keeps its brackets."""
    return word.lstrip('*_"“') if word.endswith(")") else word.lstrip('*_"“(')


def _ends_sentence(word: str, after: str) -> bool:
    """Whether a sentence ends between two words of a would-be name."""
    if word[-1] in ";:!?":
        return True
    return word[-1] == "." and (len(word) > 6 or after.lower() in _SIGNALS)


class _LibraryCitation(Protocol):
    """What this module uses of a citation of the library."""

    groups: dict[str, str | None]

    def span(self) -> tuple[int, int]: ...
    def corrected_citation(self) -> str: ...


class _Case:
    """A full citation to which short forms can point back."""

    def __init__(self, identifier: str, names: str) -> None:
        self.target = Target(form="case", value=identifier)
        self.names = names


def find_legal(text: str) -> list[Mark]:
    """Legal citations as `case_law` marks: with their case name, pages and year where they stand.

    A short form (`410 U.S. at 120`, `id. at 5`, `Roe, supra`) has the identifier and target of the
    full citation it points back to; of parallel reporters the first names the case.
    """
    plain = text
    if " *" in text and _STAR_PAGE.search(text):
        plain = _STAR.sub(lambda star: " " * len(star[2]) + star[1], text)
    windows = _windows(plain)
    marks: list[Mark] = []
    if windows:
        full = _Register()
        found = (item for window in windows for item in _in_window(plain, window))
        located = sorted(found, key=itemgetter(0, 1))  # the library has an order of its own
        if plain is not text:
            stars = {star.end(): star.start() for star in _STAR.finditer(text)}
            located = [
                (stars.get(first + len(str(item.groups.get("volume"))), first), last, item)
                for first, last, item in located
            ]
        marks = _with_surroundings(text, located, full)
        marks = _pointing_back(text, marks, full)
    return _with_series(text, marks, _other_courts(text, marks))


def _windows(text: str) -> list[tuple[int, int]]:
    """Stretches around what looks like a reporter citation, none longer than the library bears."""
    windows: list[tuple[int, int]] = []
    places = [match.span() for match in _REPORTER.finditer(text)]
    if "§" in text and "Code" in text:
        places.extend(match.span() for match in _CODE.finditer(text))
        places.sort()
    for first, last in places:
        start, end = max(0, first - _BEFORE), min(len(text), last + _AFTER)
        if windows and start <= windows[-1][1]:
            start = windows[-1][0] if end - windows[-1][0] <= _LONGEST else first
            if start == windows[-1][0]:
                windows[-1] = (start, max(end, windows[-1][1]))
                continue
            windows[-1] = (windows[-1][0], min(windows[-1][1], max(first, windows[-1][0] + 1)))
        windows.append((start, end))
    return windows


@cache
def _library() -> "_Finder":
    import logging

    from eyecite import get_citations

    # It warns on stderr of every overlap that it settles by itself.
    logging.getLogger("eyecite").setLevel(logging.ERROR)
    return cast("_Finder", get_citations)


class _Finder(Protocol):
    def __call__(self, plain_text: str) -> list[_LibraryCitation]: ...


def _in_window(text: str, window: tuple[int, int]) -> list[tuple[int, int, _LibraryCitation]]:
    """What the library finds in a stretch: full and short citations with offsets in the text."""
    start, end = window
    located = []
    for citation in _library()(text[start:end]):
        kind = type(citation).__name__
        if kind in _KINDS:
            first, last = citation.span()
            while last > first and text[start + last - 1].isspace():
                last -= 1
            located.append((start + first, start + last, citation))
    return located


class _Register:
    """The full citations seen so far, by volume and reporter and by party."""

    def __init__(self) -> None:
        self.volumes: dict[tuple[str, str], list[_Case]] = {}
        self.parties: dict[str, _Case] = {}

    def add(self, citation: _LibraryCitation, case: _Case) -> None:
        """Keep a full citation for the short forms after it."""
        self.volumes.setdefault(_volume(citation), []).append(case)
        for word in re.findall(r"[A-Z][\w'’&-]{2,}", case.names):
            self.parties[word] = case

    def short(self, citation: _LibraryCitation, name: str) -> _Case | None:
        """The full citation that a volume and reporter, or else a party's name, point back to."""
        cases = self.volumes.get(_volume(citation), [])
        case = self.parties.get(name)
        return case if case in cases or not cases else cases[-1]


def _volume(citation: _LibraryCitation) -> tuple[str, str]:
    return str(citation.groups.get("volume")), re.sub(
        r"[\s.]", "", str(citation.groups.get("reporter"))
    )


def _with_surroundings(
    text: str, located: list[tuple[int, int, _LibraryCitation]], full: _Register
) -> list[Mark]:
    """Marks that take in the case name before and pages, parallel reporters and year after."""
    marks: list[Mark] = []
    edge = 0
    for number, (first, last, citation) in enumerate(located):
        if first < edge:
            if type(citation).__name__ == "FullCaseCitation" and marks:
                case = _Case(marks[-1].identifier, "")
                full.volumes.setdefault(_volume(citation), [case])
            continue
        start, names = name_start(text, first, edge)
        kind = type(citation).__name__
        end = last
        if not _is_reporter(text, first, last, names, full.short(citation, names) is not None):
            continue
        if kind == "ShortCaseCitation":
            case_found = full.short(citation, names)
            identifier = case_found.target.value if case_found else citation.corrected_citation()
            target = case_found.target if case_found else None
            marks.append(Mark(start, end, "case_law", identifier, target, style="short"))
        else:
            end = _extended(text, last, kind, located[number + 1 :])
            case = _Case(citation.corrected_citation(), names)
            full.add(citation, case)
            marks.append(Mark(start, end, "case_law", case.target.value, case.target))
        edge = end
    return marks


def _extended(
    text: str, end: int, kind: str, after: list[tuple[int, int, _LibraryCitation]]
) -> int:
    """The end of a citation with its pages, its parallel reporters and its year."""
    if kind == "FullLawCitation":
        sections = _SECTIONS.match(text, end)
        end = sections.end() if sections else end
    else:
        opened = False
        for first, last, citation in after[:3]:
            end = _pinned(text, end)
            between = text[end:first]
            parallel = type(citation).__name__ == "FullCaseCitation" and between in (", ", " [")
            if not parallel:
                break
            opened = opened or between == " ["
            end = last
        end = _pinned(text, end)
        end += opened and text[end : end + 1] == "]"
    year = _YEAR.match(text, end)
    return year.end() if year else end


def _pinned(text: str, end: int) -> int:
    """The end of a citation with the pages and paragraphs that it points to."""
    pins = _PINS.match(text, end)
    end = pins.end() if pins else end
    paragraphs = _PARAGRAPHS.match(text, end)
    return paragraphs.end() if paragraphs else end


def _is_reporter(text: str, first: int, last: int, names: str, known: bool) -> bool:
    """Whether a reporter of one word is one: `6 Abs. 1`, `2 Pet. 1:21`, `10 Min. 5` are none."""
    word = _ONE_WORD.match(text[first:last])
    if word is None:
        bare = _STATE_YEAR.match(text[first:last]) and not names and _pinned(text, last) == last
        return not (bare and text[last : last + 2].strip().isalpha())
    if text[last : last + 1] == ":" or _NOT_VOLUME.search(text[max(0, first - 12) : first]):
        return False
    if names or known or _YEAR.match(text, _pinned(text, last)):
        return True
    return word[1] in _STATES and int(word[2]) >= 20 and not text[last : last + 2].strip().isalpha()


def _pointing_back(text: str, marks: list[Mark], full: _Register) -> list[Mark]:
    """The marks with `id.` and `supra` among them, each tied to what stands before it."""
    back: list[Mark] = []
    for match in _ID.finditer(text):
        if _ID_LEAD.search(text[max(0, match.start() - 12) : match.start()]):
            back.append(Mark(*match.span(), "case_law", match[0], style="id"))
    if "supra" in text:
        for match in _SUPRA.finditer(text):
            case = full.parties.get(match["name"])
            if case:
                back.append(Mark(*match.span(), "case_law", case.target.value, case.target))
    if not back:
        return marks
    ordered = sorted(marks + back, key=lambda mark: (mark.start, -mark.end))
    tied: list[Mark] = []
    edge = 0
    for mark in ordered:
        if mark.start < edge:
            continue
        if mark.style == "id":
            if not tied:
                continue
            last = tied[-1]
            mark = mark._replace(identifier=last.identifier, target=last.target, style="short")
        edge = mark.end
        tied.append(mark)
    return tied


def _with_series(text: str, marks: list[Mark], others: list[Mark]) -> list[Mark]:
    """The marks, those of one case joined: `2018 UT 34, 420 P.3d 1` is one decision."""
    joined: list[Mark] = []
    for mark in sorted([*marks, *others], key=lambda mark: (mark.start, -mark.end)):
        last = joined[-1] if joined else None
        if (
            last
            and last.end <= mark.start
            and text[last.end : mark.start] == ", "
            and last in others
        ):
            joined[-1] = last._replace(end=mark.end)
        else:
            joined.append(mark)
    return joined


def _other_courts(text: str, known: list[Mark]) -> list[Mark]:
    """Neutral citations of the Commonwealth, European and Chinese cases, names with a year."""
    spans: list[tuple[int, int]] = []
    spans.extend(match.span() for match in _NEUTRAL.finditer(text))
    spans.extend(match.span() for match in _YEAR_COURT.finditer(text))
    if "Fed. R." in text or " Const. " in text:
        spans.extend(match.span() for match in _RULE.finditer(text))
    if "Case C" in text or "Case T" in text or "ECLI:" in text:
        spans.extend(match.span() for match in _EUROPE.finditer(text))
    if "号" in text:
        spans.extend(match.span() for match in _CHINA.finditer(text))
    marks: list[Mark] = []
    for first, last in sorted(spans):
        name = text[first:last]
        last = _pinned(text, last)
        if marks and text[marks[-1].end : first] in (", ", "; "):
            marks[-1] = marks[-1]._replace(end=last)  # the same case in another series
            continue
        before = bisect_right(known, first, key=lambda mark: mark.end) - 1
        floor = max(marks[-1].end if marks else 0, known[before].end if before >= 0 else 0)
        start, _ = name_start(text, first, floor)
        marks.append(_case(start, last, name))
    if " v. " in text or " vs. " in text or " v " in text:
        for match in _NAMED_CASE.finditer(text):
            if match.start() and text[match.start() - 1] == " ":
                start, names = name_start(text, match.end(), 0, versus_start=match.start())
                if names:
                    marks.append(_case(start, match.end(), text[start : match.end()]))
    return marks


def _case(start: int, end: int, identifier: str) -> Mark:
    return Mark(start, end, "case_law", identifier, Target(form="case", value=identifier))
