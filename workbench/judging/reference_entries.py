"""Know an entry of a reference list: its label, its author, the signs of a work. Pure."""

import re
from typing import Literal, NamedTuple

LabelKind = Literal["square", "round", "dot", "caret", "bullet"]


class ReferenceLabel(NamedTuple):
    """What an entry begins with."""

    kind: LabelKind
    number: int | None


_LABEL = re.compile(
    r"(?:>\s{0,2})?(?:[-*•·]\s{1,3}(?=[\[(\d]))?"
    r"(?:[\[［【]\^?(?P<square>\d{1,3})[\]］】][:：.]?|[(（](?P<round>\d{1,3})[)）]"
    r"|(?P<dot>\d{1,3})(?:[.．)](?=\s|[A-Z\u4e00-\u9fff])|、|\s(?=[A-Z][\w'’-]+,?\s[A-Z]))"
    r"|(?P<caret>\^)|(?P<bullet>[-*•·▪◦●○–—](?=\s)))\s{0,4}"
)
_YEAR = r"(?:1[5-9]|20)\d\d"
_ENTRY_SIGNS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"\b10\.\d{4,9}/\S|\bdoi\b|arxiv|\bPMID\b|\bPMC\d|\bISBN\b|\bISSN\b", re.IGNORECASE),
        (r"https?://|\bwww\.", re.IGNORECASE),
        (r"\bet al\b|(?<=[\u4e00-\u9fff])等[.,，。]|\bu\. a\.|\by otros\b", 0),
        (
            rf"[(（]{_YEAR}[a-z]?(?:[,，][^()（）]{{0,30}})?[)）]"
            rf"|(?<![\d–-]){_YEAR}[a-z]?\s?[.;:,，：；]|[.,，]\s?{_YEAR}[a-z]?[.。]?\Z",
            0,
        ),
        (
            r"\b\d{1,4}\s?[(（]\d{1,4}(?:[-–/]\d{1,4})?[)）]|\b\d{1,4}[:：]\s?[eE]?\d{1,6}\s?[-–—]"
            r"|\b(?:vol|bd|t)\.\s?\d|\bvolume \d|\b(?:pp?|S|págs?|Seiten?)\.\s?\d|第\d{1,4}[期卷页]"
            r"|,\s\d{1,5}\s?[-–—]\s?\d{1,5}\b|\bno\.\s?\d",
            re.IGNORECASE,
        ),
        (r"\[(?:[A-Z]{1,2})(?:/OL)?\]", 0),
        (
            r"\b(?:accessed|retrieved|archived from|abgerufen|zugriff|letzter zugriff|consulté"
            r"|consultado|recuperado|disponible en)\b|访问|检索|引用日期",
            re.IGNORECASE,
        ),
        (
            r"\bpress\b|\bjournal\b|\bproceedings\b|\bproc\.|\btrans\.|\brev\.|\blett\.|\bj\.\s[A-Z]"
            r"|\bin:\s|\bverlag\b|zeitschrift|springer|elsevier|wiley|éditions|editorial\b|revista"
            r"|\brevue\b|\bphd\b|dissertation|\bthesis\b|conference|出版社|学报|大学|期刊|杂志"
            r"|\bNature\b|\bScience\b|\bLancet\b|\bAnn\.|\b[A-Z][a-z]{1,8}\. [A-Z][a-z]{1,8}\.",
            re.IGNORECASE,
        ),
        (
            r"[^\W\d_][\w'’-]{1,25},\s?(?:[A-Z]\.[\s-]?){1,4}|\b[A-Z][\w'’-]{1,25}\s[A-Z]{1,3}[,.]"
            r"|\b(?:[A-Z]\.[\s-]?){1,3}\s?[A-Z][\w'’-]{2,25},|\A[\u4e00-\u9fff]{2,4}[,，.．]",
            0,
        ),
        (r"[“\"«„][^“”\"«»„]{8,200}[”\"»“]|《[^《》]{2,80}》", 0),
    )
)
"""Each is one sign of a work: identifier, address, et al., year, pages, type, access, publisher,
author, title in quotation marks."""
_AUTHOR = re.compile(
    r"(?:(?:van|von|de|del|della|da|di|le|la|El|Al)[\s-]){0,2}"
    r"(?:[A-Z\u00c0-\u00de][\w'’‐-]{1,30}(?:[\s-][A-Z\u00c0-\u00de][\w'’-]{1,30}){0,2},\s?"
    r"(?:(?:[A-Z]\.[\s,-]{0,2}){1,4}|[A-Z][\w'’-]{1,20}[.,\s&])"
    r"|[A-Z\u00c0-\u00de][\w'’-]{1,30}\s[A-Z]{1,3}(?:[,.]|\s(?:and|&|et)\s)"
    r"|(?:[A-Z]\.[\s-]?){1,3}\s?[A-Z][\w'’-]{1,30}[,.\s]"
    r"|[\u4e00-\u9fff]{2,4}(?:[,，、][\u4e00-\u9fff]{2,4}){0,4}(?:[,，]?等)?[.．:：,，]"
    rf"|[A-Z][^.()]{{2,80}}\.?\s?[(（]{_YEAR})"
)
_SECTION = re.compile(
    r"#{1,6}\s|(?:(?:\d{1,2}|[A-Z])[.)]?\s{1,3})?(?:appendi(?:x|ces)|supplement(?:ary|al)?\b"
    r"|supporting information|acknowledge?ments?|author(?:s['’]?|['’]s)? (?:contributions?|bio\w*"
    r"|information|note)|about the authors?|conflicts? of interest|funding|glossary|abbreviations"
    r"|index\b|annex\b|tables? and figures|figure legends|copyright|©|see also|navigation menu"
    r"|anhang|anlage|danksagung|glossar|register\b|annexe|remerciements|glossaire|apéndice"
    r"|anexo|agradecimientos|glosario|附录|附件|致谢|作者简介|后记|术语表|附表|附圖|附图)",
    re.IGNORECASE,
)
_LONGEST_SECTION = 120
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|did|does|do|may|could|should|would|shows?|showed"
    r"|found|gives?|means?|measures?|rises?|fell|ist|sind|war|waren|hat|haben|wird|wurde|kann"
    r"|est|sont|était|étaient|ont|peut|es|son|fue|era|fueron|tiene|han|puede)\b"
    r"|[是为有了的在将已]",
)
_WIDE = re.compile("[\u4e00-\u9fff]")


def read_label(text: str) -> ReferenceLabel | None:
    """The label that a line begins with; None without one."""
    match = _LABEL.match(text)
    if match is None or match.end() == len(text):
        return None
    kind: LabelKind = match.lastgroup  # type: ignore[assignment]  # the groups are the kinds
    value = match[match.lastgroup or 0]
    return ReferenceLabel(kind, int(value) if value.isdigit() else None)


def begins_with_author(text: str) -> bool:
    """Whether a line begins as an entry in order of authors does."""
    return _AUTHOR.match(text) is not None


def cited_works(text: str) -> int:
    """How many signs of a work an entry has, 0 to 10: a year, pages, a DOI, a publisher, ….

    >>> cited_works("Kim, P. (2007). Treating metastatic cancer. Nature Reviews, 4(2), 11-19.")
    4
    """
    part = text[:1200]
    return sum(sign.search(part) is not None for sign in _ENTRY_SIGNS)


def is_section(text: str) -> bool:
    """Whether a line begins another section than a reference list: `Appendix A`, `## Tables`."""
    return len(text) <= _LONGEST_SECTION and _SECTION.match(text) is not None


def is_sentence(text: str) -> bool:
    """Whether words are a statement and no title: they have a finite verb, and a length."""
    if _WIDE.search(text):
        return len(text) >= 12 and _VERB.search(text) is not None and text[-1:] in "。！？.”；;"
    return len(text.split()) >= 5 and _VERB.search(text) is not None
