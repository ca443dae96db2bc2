"""The text of a web page: its article, with tables and lists, and its facts."""

import re

from workbench.sources.reading.decode import decode
from workbench.sources.reading.parsed import MAX_CHARS, Parsed

MAX_HTML = 1_000_000
"""Characters of markup handed to the parser: beyond, its time grows out of hand."""

_SILENT = ("script", "style", "svg", "noscript", "template", "iframe")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,400}\?>", re.I)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,2000})</title", re.I)


def parse_html(body: bytes, content_type: str, url: str) -> Parsed:
    """The article of a page as text; an empty text when the page has no words."""
    markup = _DECLARATION.sub("", decode(body, content_type))
    slim = without_silent_parts(markup)
    cut = len(slim) > MAX_HTML
    parsed = _extract(slim[:MAX_HTML], url)
    return Parsed(
        text=parsed.text[:MAX_CHARS],
        title=parsed.title or _bare_title(markup),
        author=parsed.author,
        date=parsed.date,
        site=parsed.site,
        truncated=cut or len(parsed.text) > MAX_CHARS,
    )


def without_silent_parts(markup: str) -> str:
    """The markup without scripts, styles, drawings and comments, in one pass over the text.

    They hold no words a reader sees, and often most of the bytes.
    """
    lowered = markup.lower()
    if len(lowered) != len(markup):  # a letter that changes length in lower case
        lowered = markup
    kept: list[str] = []
    at = 0
    opening = re.compile(r"<(?:!--|(?:" + "|".join(_SILENT) + r")(?=[\s>/]))")
    while found := opening.search(lowered, at):
        kept.append(markup[at : found.start()])
        if found[0] == "<!--":
            end = lowered.find("-->", found.end())
            at = end + 3 if end >= 0 else len(markup)
            continue
        close = lowered.find("</" + found[0][1:], found.end())
        if close < 0:  # never closed: skip the tag alone, its text may be the page
            close_tag = lowered.find(">", found.end())
            at = close_tag + 1 if close_tag >= 0 else len(markup)
            continue
        end = lowered.find(">", close)
        at = end + 1 if end >= 0 else len(markup)
    kept.append(markup[at:])
    return " ".join(kept)


def _extract(markup: str, url: str) -> Parsed:
    import trafilatura

    document = trafilatura.bare_extraction(
        markup,
        url=url if url.startswith(("http://", "https://")) else None,
        favor_recall=True,
        include_comments=False,
        include_tables=True,
        with_metadata=True,
    )
    if document is None or isinstance(document, dict):
        return Parsed(text="")
    return Parsed(
        text=document.text or "",
        title=document.title or None,
        author=document.author or None,
        date=document.date or None,
        site=document.sitename or None,
    )


def _bare_title(markup: str) -> str | None:
    found = _TITLE.search(markup[:200_000])
    if not found:
        return None
    import html

    return " ".join(html.unescape(found[1]).split()) or None
