"""The year of an entry where it does not stand right after the authors."""

import re

from workbench.citations.lexicon import YEAR

_YEAR = re.compile(
    rf"(?<![\d/\-–—:])(?<![\W\d_]\.)(?P<year>{YEAR})(?P<letter>[a-z])?(?![\d/]|[-–—]\d{{3,}}"
    rf"|\s?[-–—]\s?\d{{4}}\b|\.\d)"
)
_PAREN = re.compile(
    r"[(（](?:[^()（）\n]{0,40}[\s,])?(?P<year>(?:1[5-9]"
    r"|20)\d\d)(?P<letter>[a-z])?(?:[,，\s/.-][^()（）\n]{0,20})?年?[)）]"
)
_ISSUE_NEXT = re.compile(rf"{YEAR};\s?\d{{1,4}}\Z")
_ACCESS = re.compile(
    r"\b(?:Retrieved|Accessed|accessed|Last (?:accessed|modified|visited)|Zugriff"
    r"|Abgerufen|Abruf|cited|Consultado|Consulté|visited)\b|访问|引用日期|检索|閲覧|\[(?:19"
    r"|20)\d\d[-/.]|дата обращения"
)
_OLD = re.compile(r"(?:,\s|:\s)(?P<year>1[5-7]\d\d)(?P<letter>(?!x)x)?\.?\s{0,2}(?=\n|\Z|\.)")


def read_year(words: str, start: int, end: int) -> tuple[int, int, str] | None:
    """The place of the year in `words[start:end]` and the letter after it.

    That in brackets counts before others, then the last; the day of a visit to a page is none.
    """
    access = _ACCESS.search(words, start, end)
    last = access.start() if access else end
    for paren in _PAREN.finditer(words, start, last):
        if re.search(r"pp?\.|Publication No|ISBN", paren[0]):
            continue
        if _ISSUE_NEXT.search(words[max(start, paren.start() - 20) : paren.start()]):
            last = paren.start()  # `2017;284(1858)`
            break
        return (*paren.span("year"), paren["letter"] or "")
    match = None
    for match in _YEAR.finditer(words, start, last):  # noqa: B007 - the last one counts
        pass
    match = match or _OLD.search(words, start, last)
    return (*match.span("year"), match["letter"] or "") if match else None
