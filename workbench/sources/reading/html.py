"""The text of a web page: its article, with tables and lists, and its facts.

When a page was published, by its own statement: its metadata, or a date that it says so of.

A year in the text of an article is about its subject, and no date of the page.
"""

import contextlib
import re
import signal
import threading
import unicodedata
from collections.abc import Iterator
from datetime import date
from types import FrameType

from workbench.sources.reading.blocks import (
    MOST_BLOCKS,
    Block,
    Node,
    article_text,
    blocks_of,
    prune,
    struck_classes,
    write_inline,
)
from workbench.sources.reading.decode import decode
from workbench.sources.reading.page_quality import FetchedPage, detect_soft_error
from workbench.sources.reading.parsed import MAX_CHARS, Parsed, Unparsable

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


MAX_HTML = 1_000_000
"""Characters of markup handed to the parser: beyond, its time grows out of hand."""
ARTICLE_SECONDS = 2.5
"""CPU for finding the article; past it the page's own blocks are the text."""

_SILENT = ("script", "style", "svg", "noscript", "template", "iframe")
_OPENING = re.compile(r"<(?:!--|(?:" + "|".join(_SILENT) + r")(?=[\s>/]))")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,400}\?>", re.I)
DEEPEST = 2048
"""Elements within each other that libxml2 reads."""
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)")
_LEFT_OPEN = frozenset(
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th option".split()
)
_STYLES = re.compile(r"<style\b[^>]{0,400}>([^<]{1,100000})", re.I)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,2000})</title", re.I)


def parse_html(
    body: bytes, content_type: str, url: str, *, asked: str = "", fetched: bool = False
) -> Parsed:
    """The article of a page as text; an empty text when the page has no words.

    What could not be reached because of the markup is not "no words": where that is all there is,
    an error says so, and otherwise the text is `truncated`.

    Args:
        body: The page.
        content_type: As the server gave it.
        url: The address that answered in the end.
        asked: The address that was cited.
        fetched: Whether it came from the web: a supplied file is not doubted.

    Raises:
        Unparsable: `unreadable` for markup that is nested too deep for any text to be reached, or
            that breaks off before there is any; `too_large` where none came within `MAX_HTML`.
    """
    markup = _DECLARATION.sub("", decode(body, content_type))
    slim = strip_hidden_markup(markup)
    cut = len(slim) > MAX_HTML
    parsed = _extract(_cut_at_tag(slim[:MAX_HTML]) if cut else slim, url, markup)
    if not parsed.text.strip():
        _require_whole(markup, slim, parsed)
    title = parsed.title or _bare_title(markup)
    doubt = None
    if fetched:
        page = FetchedPage(
            text=parsed.text,
            markup=markup,
            title=f"{_bare_title(markup) or ''}\n{title or ''}",
            asked=asked or url,
            url=url,
        )
        doubt = detect_soft_error(page)
    return Parsed(
        text=parsed.text[:MAX_CHARS],
        title=title,
        author=parsed.author,
        date=parsed.date,
        site=parsed.site,
        truncated=cut or parsed.truncated or len(parsed.text) > MAX_CHARS,
        doubt=doubt,
    )


def page_blocks(body: bytes, content_type: str) -> list[Block]:
    """The blocks of a page, of which `parse_html` makes its text; none where it has no markup."""
    from lxml import etree, html  # type: ignore[import-untyped]

    markup = _DECLARATION.sub("", decode(body, content_type))
    try:
        root = html.document_fromstring(_cut_at_tag(strip_hidden_markup(markup)[:MAX_HTML]))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return []
    _show(root, markup)
    return blocks_of(root)


def strip_hidden_markup(markup: str) -> str:
    """The markup without scripts, styles, drawings and comments, in one pass over the text.

    They hold no words a reader sees, and often most of the bytes.
    """
    lowered = markup.lower()
    if len(lowered) != len(markup):  # a letter that changes length in lower case
        lowered = markup
    pieces: list[str] = []
    at = 0
    unclosed: set[str] = set()
    while opening := _OPENING.search(lowered, at):
        pieces.append(markup[at : opening.start()])
        tag = opening[0][1:]
        if tag == "!--":
            end = lowered.find("-->", opening.end())
            at = end + 3 if end >= 0 else len(markup)
            continue
        close = -1 if tag in unclosed else lowered.find("</" + tag, opening.end())
        if close < 0:  # never closed: skip the tag alone, its text may be the page
            unclosed.add(tag)
            close = opening.end()
        end = lowered.find(">", close)
        at = end + 1 if end >= 0 else len(markup)
    pieces.append(markup[at:])
    return " ".join(pieces)


def _show(root: Node, markup: str) -> None:
    """Change a page to what a reader sees of it; `markup` has its style sheets."""
    prune(root)
    write_inline(root, struck_classes("\n".join(_STYLES.findall(markup))))


def _extract(markup: str, url: str, whole: str) -> Parsed:
    """The text and facts of a page, to a depth of 2,048 elements or as deep as they can be read."""
    if _depth(markup) <= DEEPEST:  # beyond it libxml2 takes seconds to fail
        with contextlib.suppress(RecursionError):
            return _extract_nested(markup, url, whole, deep=True)
    return _extract_nested(markup, url, whole, deep=False)


def _depth(markup: str) -> int:
    """How deep elements nest at most; those that are often left open do not count."""
    depth = deepest = 0
    for closes, tag in _TAG.findall(markup):
        if tag.lower() not in _LEFT_OPEN:
            depth = max(0, depth - 1) if closes else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _extract_nested(markup: str, url: str, whole: str, *, deep: bool) -> Parsed:
    import trafilatura
    from lxml import etree, html

    try:
        parser = html.HTMLParser(recover=True, huge_tree=deep)
        root = html.document_fromstring(markup, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return Parsed(text="")
    day = published_date(root, whole, url)
    too_deep = any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log)
    _show(root, whole)
    blocks = blocks_of(root)
    document = None
    with contextlib.suppress(TimeoutError), _cpu_seconds(ARTICLE_SECONDS):
        document = trafilatura.bare_extraction(
            root,
            url=url if url.startswith(("http://", "https://")) else None,
            favor_recall=True,
            include_comments=False,
            include_tables=True,
            with_metadata=True,
        )
    if document is None or isinstance(document, dict):
        return Parsed(
            text=article_text("", blocks),
            date=day,
            truncated=too_deep or len(blocks) > MOST_BLOCKS,
        )
    return Parsed(
        text=article_text(document.text or "", blocks),
        title=document.title or None,
        author=document.author or None,
        date=day,
        site=document.sitename or None,
        truncated=too_deep,
    )


def _cut_at_tag(markup: str) -> str:
    """The markup without a tag that the cut went through."""
    opened = markup.rfind("<")
    return markup[:opened] if opened > markup.rfind(">") else markup


def _require_whole(markup: str, slim: str, parsed: Parsed) -> None:
    """Raise where a page without text was not seen to its end."""
    if parsed.truncated:
        raise Unparsable(
            "unreadable",
            "The page's elements are nested too deep, so its text could not be read: provide the "
            "source as a file, or paste the text.",
        )
    if len(slim) > MAX_HTML:
        raise Unparsable(
            "too_large",
            f"The page was cut after {MAX_HTML:,} characters of markup, before any text: provide "
            f"the source as a file, or paste the text.",
        )
    if _breaks_off(markup):
        raise Unparsable(
            "unreadable",
            "The page is cut off within its markup, before any text: fetch it again, or provide "
            "the source as a file.",
        )


def _breaks_off(markup: str) -> bool:
    """Whether the markup ends inside a tag, a comment or a part that is never closed."""
    lowered = markup.lower()
    unclosed = any(
        lowered.rfind("<" + tag) > lowered.rfind("</" + tag) for tag in (*_SILENT, "title")
    )
    inside_tag = markup.rfind("<") > markup.rfind(">")
    return unclosed or inside_tag or markup.rfind("<!--") > markup.rfind("-->")


@contextlib.contextmanager
def _cpu_seconds(limit: float) -> Iterator[None]:
    """Raises TimeoutError in the block once it has used so much CPU; main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        # an exception within a destructor is lost: the timer fires again half a second later
        if not _in_destructor(frame):
            raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _in_destructor(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def _bare_title(markup: str) -> str | None:
    match = _TITLE.search(markup[:200_000])
    if not match:
        return None
    import html

    return " ".join(html.unescape(match[1]).split()) or None
