"""Read one entry of a reference list: its address, title, authors, year and DOI."""

import re
from typing import NamedTuple

from workbench.citations import patterns
from workbench.citations.addresses import Link, address_target, is_web, url_end
from workbench.records import Target

_YEAR_PAREN = re.compile(
    rf"[(（](?P<year>{patterns.YEAR})(?P<letter>[a-z])?(?:[,，][^()（）\n]{{0,40}})?[)）]\.?,?"
)
_YEAR = re.compile(rf"(?<![\d/.-])({patterns.YEAR})([a-z])?(?![\d/-])")
_QUOTED = re.compile(r"[\"“«《「『](?P<title>[^\"“”«»《》「」『』\n]{3,300})[\"”»》」』]")
_CODE = re.compile(r"\[(?:[A-Z]{1,2}(?:/OL)?)\]")
_SEPARATOR = re.compile(r"^\s{0,3}(?:[-–—|:：,，.。·•]\s{0,3}){1,3}|^\s+")
_END_SEPARATOR = re.compile(
    r"(?:[\s\-–—|:：,，;；(（\[<]|(?:URL|DOI|doi|Available(?: at| from| online)?|Retrieved(?: from)?"
    r"|Link|链接|网址|Source|来自|访问)[:：]?|https?)+\Z"
)
_INITIALS = r"(?:[A-Z]\.?[-‐ ]?){1,4}"
_APA = re.compile(rf"[^()（）\n]{{1,400}}?(?=\s{{0,2}}[(（]{patterns.YEAR}[a-z]?[)）,，])")
_VANCOUVER = re.compile(
    r"(?:[A-Z][\w'’-]{1,30}(?: [A-Z][\w'’-]{1,30})? [A-Z]{1,3}, ){0,20}[A-Z][\w'’-]{1,30} [A-Z]{1,3}"
    r"(?:, et al)?\.(?= )"
)
_COMMA_NAME = re.compile(
    rf"(?P<last>[^\s,&;][^,&;]{{0,40}}?),\s?(?P<given>{_INITIALS}|[A-Z][\w'’.-]{{1,20}}(?:\s[A-Z][\w'’.]{{0,20}}){{0,2}})(?=[\s,&;.]|\Z)"
)
_MARKUP = re.compile(r"[*_`]{1,3}")
_WORDS = re.compile(r"[^\W\d_][\w'’-]*")


class Entry(NamedTuple):
    """What an entry says, before it becomes a `Reference`."""

    target: Target | None
    title: str | None
    authors: tuple[str, ...]
    year: int | None
    letter: str
    doi: str | None
    lead: str
    """The words before title and year: where an author's name is looked for."""


def read_entry(text: str, start: int, end: int, links: list[Link]) -> Entry:
    """What the entry whose words are `text[start:end]` (label aside) says of its source."""
    link = next((one for one in links if is_web(one.address) and not one.image), None)
    address, address_start, address_end = _address(text, start, end, link)
    words = text[start:end]
    doi = _doi(words)
    target = _target(words, address, doi)
    if link and not _is_plain_label(text[link.label_start : link.label_end]):
        title: str | None = _clean(text[link.label_start : link.label_end])
        rest = words[: link.start - start] + " " + words[link.end - start :]
        lead = words[: link.start - start] or title or ""
    elif address_start >= 0:
        before = text[start:address_start]
        after = text[address_end:end]
        if link and not before.strip(" \t*-–—:："):
            before = ""
        rest = before if _has_words(before) else after
        title = None
        lead = rest
    else:
        title, rest, lead = None, words, words
    authors, year, letter, cut = _authors(rest)
    found = _year(rest) or _year(_without_address(words, address))
    if year is None and found:
        year, letter = found
    if title is None:
        title = _title(rest, cut, address_start >= 0 and not _has_words(text[start:address_start]))
    head = lead[: cut or 120]
    return Entry(target, title, authors, year, letter, doi, head)


def _address(text: str, start: int, end: int, link: Link | None) -> tuple[str, int, int]:
    """The entry's first web address with its place; `("", -1, -1)` without one."""
    bare = patterns.URL.search(text, start, end)
    if link and (bare is None or link.start <= bare.start()):
        return link.address, link.start, link.end
    if bare:
        stop = min(url_end(text, bare.start(), bare.end(), whole=True), end)
        stop = _spaced(text, bare.start(), stop, end)
        if stop > bare.start() + 8:
            return text[bare.start() : stop], bare.start(), stop
    www = patterns.WWW.search(text, start, end)
    if www:
        stop = www.start() + patterns.trim(www[0])
        return "https://" + text[www.start() : stop], www.start(), stop
    return "", -1, -1


def _spaced(text: str, start: int, stop: int, end: int) -> int:
    """The end of a URL whose last part names a page in CJK letters with blanks: `…/갓 클로스 - title`."""
    if stop >= end or text[stop] != " " or text[stop - 1].isascii():
        return stop
    dash = text.find(" - ", stop - 1, min(end, stop + 60))
    if dash < 0:
        return stop
    return dash if re.fullmatch(f"[{patterns.CJK} ]+", text[stop:dash]) else stop


def _doi(words: str) -> str | None:
    found = patterns.DOI.search(words) if "10." in words else None
    return found[0][: patterns.trim(found[0])] if found else None


def _target(words: str, address: str, doi: str | None) -> Target | None:
    """The address as written; else DOI, arXiv, PubMed."""
    if address:
        return Target(
            form="url",
            value=address_target(address).value if address[:4].lower() == "www." else address,
        )
    if doi:
        return Target(form="doi", value=doi)
    found = patterns.ARXIV.search(words)
    if found:
        return Target(form="arxiv", value=found[1])
    found = patterns.PMID.search(words)
    if found:
        return Target(form="pmid", value=found[1] or "PMC" + found[2])
    return None


def _is_plain_label(label: str) -> bool:
    """Whether a link's label says nothing of the source: `link`, `1`, the address itself."""
    bare = label.strip(" \\[]*_`").lower()
    return (
        not bare
        or bare.isdigit()
        or bare
        in ("link", "source", "url", "pdf", "here", "web", "doi", "html", "链接", "原文", "来源")
        or is_web(bare)
        or bare.startswith("10.")
    )


def _has_words(words: str) -> bool:
    return (
        len(_WORDS.findall(words)) >= 2 or sum(c.isalpha() and ord(c) > 0x2E7F for c in words) >= 2
    )


def _without_address(words: str, address: str) -> str:
    return words.replace(address, " ") if address else words


def _year(words: str) -> tuple[int, str] | None:
    """The year in brackets, else the last one that stands alone."""
    paren = _YEAR_PAREN.search(words)
    if paren:
        return int(paren["year"]), paren["letter"] or ""
    found = None
    for found in _YEAR.finditer(words):  # noqa: B007 - the last match is wanted
        pass
    return (int(found[1]), found[2] or "") if found else None


def _authors(words: str) -> tuple[tuple[str, ...], int | None, str, int]:
    """Authors, year and letter at the head of an entry, and where the head ends."""
    words = words[:500]
    paren = _YEAR_PAREN.search(words)
    if paren and paren.start() <= 400:
        head = words[: paren.start()].strip(" .,，。")
        if head and len(head) < 300 and not _QUOTED.search(head):
            names = _names(head)
            if names:
                return names, int(paren["year"]), paren["letter"] or "", paren.end()
    quoted = _QUOTED.search(words)
    if quoted and 0 < quoted.start() < 250:
        names = _names(words[: quoted.start()].strip(" .,，。:："))
        if names:
            return names, None, "", quoted.start()
    vancouver = _VANCOUVER.match(words.lstrip())
    if vancouver:
        cut = vancouver.end() + len(words) - len(words.lstrip())
        people = [n.strip(" .") for n in vancouver[0].split(",")]
        return tuple(n for n in people if n and n != "et al"), None, "", cut
    code = _CODE.search(words)
    if code and code.start() > 0:
        head, dot, _ = words[: code.start()].partition(".")
        if not dot:
            head, dot, _ = words[: code.start()].partition("．")
        names = _names(head) if dot else ()
        if names:
            return names, None, "", len(head) + 1
    name = _COMMA_NAME.match(words.lstrip())
    if name:
        head = re.split(r"\.\s+(?=[A-Z0-9][\w'’]{1,})", words, maxsplit=1)[0]
        names = _names(head)
        if names and len(head) < len(words):
            return names, None, "", len(head) + 1
    return (), None, "", 0


def _names(head: str) -> tuple[str, ...]:
    """The people (or the one body) that the head of an entry lists."""
    head = _MARKUP.sub("", head).strip()
    if not head or len(head) > 300:
        return ()
    found = [f"{m['last'].strip()}, {m['given'].strip()}" for m in _COMMA_NAME.finditer(head)]
    if found:
        return tuple(re.sub(r"^(?:and|&|und|et)\s+", "", name) for name in found)
    parts = [
        p.strip(" .")
        for p in re.split(r",\s|，|、|;|；|\s(?:and|&|und|et|y)\s|和|与|等", head)
        if p and p.strip(" .")
    ]
    parts = [p for p in parts if p.lower() not in ("et al", "al", "eds", "ed", "等")]
    if not parts or len(parts) > 25:
        return ()
    if len(parts) == 1:
        return (parts[0],) if len(parts[0].split()) <= 8 and not parts[0].islower() else ()
    if all(len(p) <= 40 and len(p.split()) <= 5 and not p[0].islower() for p in parts):
        return tuple(parts)
    return (head,) if len(head.split()) <= 12 else ()


def _title(words: str, cut: int, after_address: bool) -> str | None:
    """The title in what is left of an entry beside its address."""
    rest = words[cut:]
    if after_address:
        return _clean(_SEPARATOR.sub("", rest)) or None
    quoted = _QUOTED.search(words)
    if quoted:
        return _clean(quoted["title"]) or None
    rest = _SEPARATOR.sub("", rest)
    code = _CODE.search(rest)
    if code:
        rest = rest[: code.start()]
    rest = _END_SEPARATOR.sub("", rest[:500])
    if cut:
        rest = re.split(r"(?<=[^.\sA-Z][.?!])\s+|[。？！]", rest, maxsplit=1)[0]
    return _clean(rest) or None


def _clean(title: str) -> str:
    """A title without markup, surrounding punctuation and doubled blanks."""
    plain = _MARKUP.sub("", title.replace("\n", " "))
    return re.sub(r"\s+", " ", plain).strip(' \t.,;:：，。-–—|"“”<>()（）《》')[:400].strip()
