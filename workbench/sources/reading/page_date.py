"""When a page was published, by its own statement: its metadata, or a date that it says so of.

A year in the text of an article is about its subject, and no date of the page.
"""

import re
import unicodedata
from datetime import date

from workbench.sources.reading.inline import Node

_META = frozenset(
    "article:published_time og:published_time og:article:published_time datepublished datecreated date "
    "pubdate publishdate publish-date publish_date publication_date publicationdate dc.date "
    "dc.date.issued dc.date.created dcterms.date dcterms.issued dcterms.created citation_date "
    "citation_publication_date citation_online_date parsely-pub-date sailthru.date "
    "article.published published bt:pubdate prism.publicationdate".split()
)
_JSON = re.compile(r"\"datePublished\"\s{0,4}:\s{0,4}\"(\d{4}-\d\d-\d\d)")
_ADDRESS = re.compile(r"/((?:19|20)\d\d)/(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])(?:/|$)")
_NAME = re.compile(
    r"publi|posted|dateline|byline|pub-?date|(?:entry|post|article|issue)-?date", re.I
)
_OTHER_NAME = re.compile(r"modif|updat|republi|publisher|event|start|end-?date|comment", re.I)
_STATED = re.compile(
    r"(?:first published|published|posted|date of publication|publication date|veröffentlicht"
    r"|erschienen|publié|paru|publicado|publicación|pubblicato|opublikowano|опубликовано|gepubliceerd"
    r"|publicerad|yayın|发布|發布|发表|發表|公開日|投稿日|게시)"
    r"(?:\s?(?:online|on|am|le|el|il|em|op|den|时间|日期|時間|于|於|日))?\s?[:：]?\s{0,3}"
    r"(?P<date>[^\n]{6,40})",
    re.I,
)
_YEAR = r"((?:19|20)\d\d)"
_YEAR_FIRST = re.compile(
    rf"(?<!\d){_YEAR}\s?[年년./-]\s?(\d{{1,2}})\s?[月월./-]\s?(\d{{1,2}})(?!\d)"
)
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:\.|st|nd|rd|th|er|º)?\s(?:de\s|of\s)?([^\W\d_]{{3,12}})\.?,?\s(?:de\s)?{_YEAR}(?!\d)"
)
_MONTH_FIRST = re.compile(rf"([^\W\d_]{{3,12}})\.?\s(\d{{1,2}})(?:st|nd|rd|th)?,?\s{_YEAR}(?!\d)")
_FIGURES = re.compile(rf"(?<!\d)(\d{{1,2}})([./])\s?(\d{{1,2}})[./]\s?{_YEAR}(?!\d)")
_MONTHS = (
    ("jan", "ene", "gen", "янв"), ("feb", "fev", "фев"), ("mar", "maa", "мар"),
    ("apr", "abr", "avr", "апр"), ("may", "mai", "mag", "maj", "mei", "мая"),
    ("jun", "giu", "juin", "июн"), ("jul", "lug", "juil", "июл"), ("aug", "ago", "aou", "авг"),
    ("sep", "set", "сен"), ("oct", "okt", "ott", "out", "окт"), ("nov", "ноя"),
    ("dec", "dez", "dic", "дек"),
)  # fmt: skip
"""How the names of the months begin in English, German, French, Spanish and six other languages."""
_LONGEST_LINE = 160


def published_date(root: Node, markup: str, url: str) -> str | None:
    """The day as `2024-05-03`; None where the page does not say it.

    Args:
        root: The page.
        markup: With its scripts.
        url: A path such as `/2024/05/03/` is a statement, too.
    """
    nodes = [node for node in root.iter() if isinstance(node.tag, str)]
    for node in nodes:
        if node.tag == "meta":
            name = node.get("property") or node.get("name") or node.get("itemprop") or ""
            if name.lower() in _META and (day := _day(node.get("content") or "")):
                return day
    if (stated := _JSON.search(markup)) and (day := _day(stated[1])):
        return day
    if (path := _ADDRESS.search(url)) and (day := _day("-".join(path.groups()))):
        return day
    for node in nodes:
        names = " ".join(node.get(name) or "" for name in ("class", "id", "itemprop"))
        named = _NAME.search(names) and not _OTHER_NAME.search(names)
        if node.tag == "time" and (named or node.get("pubdate") is not None or _in_byline(node)):
            if day := _day(node.get("datetime") or "".join(node.itertext())):
                return day
        elif named:
            line = " ".join("".join(node.itertext()).split())
            if len(line) <= _LONGEST_LINE and (day := _day(line)):
                return day
    return _stated(nodes)


def _stated(nodes: list[Node]) -> str | None:
    """The date of a line that says that something was published on it, and little else."""
    for node in nodes:
        if node.tag in (
            "p",
            "div",
            "span",
            "li",
            "dd",
            "td",
            "small",
            "footer",
            "header",
            "h2",
            "h3",
        ):
            text = node.text or ""
            if len(text) > _LONGEST_LINE:
                continue
            line = " ".join("".join(node.itertext()).split())
            stated = _STATED.search(line) if len(line) <= _LONGEST_LINE else None
            begins = stated and line[: stated.start()].rstrip()[-1:] in ("", *"|·•–—-,;)")
            if stated and begins and (day := _day(stated["date"])):
                return day
    return None


def _in_byline(node: Node) -> bool:
    """Whether a time stands where an article says who wrote it and when."""
    parent = node.getparent()
    for _ in range(3):
        if parent is None:
            return False
        names = " ".join(parent.get(name) or "" for name in ("class", "id"))
        if parent.tag == "header" or (_NAME.search(names) and not _OTHER_NAME.search(names)):
            return True
        parent = parent.getparent()
    return False


def _day(text: str) -> str | None:
    """The first full date of a text in ISO form; None where no day is named, or it may be another.

    >>> _day("Ann Lee, 3 May 2024"), _day("3. März 2024"), _day("2024年5月3日"), _day("May 2024")
    ('2024-05-03', '2024-03-03', '2024-05-03', None)
    """
    if match := _YEAR_FIRST.search(text):
        year, month, day = match.groups()
    elif match := _DAY_FIRST.search(text):
        day, name, year = match.groups()
        month = _month(name)
    elif match := _MONTH_FIRST.search(text):
        name, day, year = match.groups()
        month = _month(name)
    elif match := _FIGURES.search(text):
        first, mark, second, year = match.groups()
        if mark == "/" and max(int(first), int(second)) <= 12 and first != second:
            return None  # the third of May or the fifth of March
        day, month = (second, first) if int(second) > 12 else (first, second)
    else:
        return None
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _month(name: str) -> str:
    """The number of a month by its name; 0 for another word."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    return str(next((n for n, names in enumerate(_MONTHS, 1) if plain.startswith(names)), 0))
