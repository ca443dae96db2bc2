"""Find the reference entries of a text: headed lists, bare lists, footnotes, tables."""

import re
from typing import NamedTuple

from workbench.citations import patterns
from workbench.citations.addresses import Link
from workbench.citations.entries import Entry, read_entry
from workbench.citations.lines import Line
from workbench.citations.brackets import plain_number

_NAMES = (
    r"(?:list of |key |selected |main |primary |cited |full |web |online |data |information )?"
    r"(?:references?|sources?|bibliography|works cited|literature|citations?)"
    r"(?: list| cited| used| consulted|s and notes| and (?:notes|references|sources|citations|links|further reading))?"
    r"|endnotes|footnotes|notes(?: and references)?|reference list|links"
    r"|参考(?:文献|资料|来源|链接|书目|网站|文獻|資料|來源)(?:列表|与来源|及来源|和来源)?|参考|引用(?:文献|来源|资料|列表|文獻)?"
    r"|(?:资料|数据|信息|主要|文献|資料|數據|引文)?(?:来源|來源)(?:列表)?|文献(?:列表)?|注释|脚注|尾注|參考(?:文獻|資料|來源)"
    r"|出典|参照(?:文献)?|引用文献|참고\s?문헌|출처|참고\s?자료"
    r"|quellen(?:verzeichnis|angaben)?|literatur(?:verzeichnis)?|einzelnachweise|références(?: bibliographiques)?|bibliographie"
    r"|referencias(?: bibliográficas)?|bibliografía|fuentes|riferimenti(?: bibliografici)?|bibliografia|fonti"
    r"|referências(?: bibliográficas)?|fontes|bronnen|källor|kilder|lähteet|źródła|literatura|kaynakça|kaynaklar"
    r"|список литературы|источники|литература|джерела|tài liệu tham khảo|المراجع|المصادر|संदर्भ"
)
_HEADING = re.compile(
    r"[\s#>*_~`\W]{0,12}(?:(?:\d{1,2}|[IVXivx]{1,5}|[一二三四五六七八九十]{1,3}|[A-H])[.、)．:：]?\s{0,3}(?:\d\s)?)?"
    rf"(?:[*_]{{0,3}})(?P<name>{_NAMES})(?:\s?[(（][^()（）\n]{{1,30}}[)）])?\s{{0,2}}[*_~]{{0,3}}\s{{0,2}}"
    r"(?:[:：]\s{0,2}[*_]{0,3}|[#*_]{0,3})(?P<rest>\s{0,4}\S[^\n]*)?\Z",
    re.IGNORECASE,
)
_HEAD_REACH = 90
_LABEL = (
    r"(?:\*\*|__)?(?:\\?\[\^(?P<foot>[^\]\s]{1,40})\]:?|\\?[\[【［〔](?P<square>\d{1,3}|[０-９]{1,3})(?:†[^\]】\n]{0,40})?\\?[\]】］〕](?!\()"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})|<sup>\s?\[?(?P<sup>\d{1,3})\]?\s?</sup>"
    r"|\[(?:\[|\\\[)?(?P<linked>\d{1,3})(?:\]|\\\])?\](?=\()"
    r"|\[(?P<key>@?[A-Za-z][\w:+./-]{0,40})\](?![(\[]))(?:\*\*|__)?\s{0,3}[:：.]?\s{0,4}"
)
_BULLET = r"(?:[-*+•·▪◦‣–—●○■▶►➤][ \t]{1,4})"
_START = re.compile(rf"[ \t\u3000>]{{0,12}}(?P<bullet>{_BULLET})?(?:{_LABEL})")
_ORDINAL = re.compile(
    rf"[ \t\u3000>]{{0,12}}{_BULLET}?(?:\*\*)?(?:\(|（)?(?P<ordinal>\d{{1,3}})(?:[.)、．）:：](?!\d)|(?=\s{{1,3}}\S))(?:\*\*)?[ \t]{{0,4}}"
)
_LINK_ORDINAL = re.compile(r"[ \t]{0,8}(?:[-*+•][ \t]{1,4})?\[(?P<ordinal>\d{1,3})[.)、:]\s")
_WORD_LABEL = re.compile(
    rf"[ \t>]{{0,8}}{_BULLET}?(?:\*\*)?(?:source|ref(?:erence)?|citation|来源|文献|资料)\.?\s?#?(?P<ordinal>\d{{1,3}})(?:\*\*)?\s?[:：.)](?:\*\*)?\s{{0,3}}",
    re.IGNORECASE,
)
_SOURCE_LIKE = re.compile(
    rf"https?://|www\.|\]\(|10\.\d{{4}}|arxiv|PMID|PMC\d|{patterns.YEAR}|《|\[[A-Z](?:/OL)?\]|doi|et al|\b(?:file|git|memory):|\d U\.S\.|ISBN",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://|www\.|\]\(|10\.\d{4,9}/|arxiv\s?:|PMID|PMC\d", re.IGNORECASE)
_INNER_MARK = re.compile(
    r"(?<=[^\s\[])\s?[\[【](?:\^?\d{1,3}(?:[,，\s–-]{1,2}\d{1,3}){0,8})[\]】](?![(:])"
)
_PIECE = re.compile(r"(?:(?<=[\s;；,，。.])|\A)(?=\[\d{1,3}\]\s?[:：]?\s?\S)")


class Listed(NamedTuple):
    """An entry in its list: `text[start:end]`, its label and what it says."""

    start: int
    end: int
    label: str | None
    style: str
    """`square`, `footnote`, `key`, `ordinal` or `plain`."""
    section: int
    """Which list of the text, counted from 0."""
    entry: Entry


class Found(NamedTuple):
    """A line that begins an entry."""

    start: int
    body: int
    end: int
    label: str | None
    style: str


class ReferenceLists(NamedTuple):
    """The entries of a text and the stretches that its lists take up, headings included."""

    listed: list[Listed]
    spans: list[tuple[int, int]]


def find_references(text: str, lines: list[Line], links: list[Link]) -> ReferenceLists:
    """The reference entries of a text, in order, and where its lists stand."""
    listed: list[Listed] = []
    spans: list[tuple[int, int]] = []
    at = 0
    section = 0
    while at < len(lines):
        line = lines[at]
        found, after, span = _section(text, lines, at)
        if not found:
            found, after, span = _bare(text, lines, at)
        if found:
            listed.extend(_read(text, one, section, links) for one in found)
            spans.append(span)
            section += 1
            at = after
        else:
            at += 1
        del line
    return ReferenceLists(listed, spans)


def _read(text: str, found: Found, section: int, links: list[Link]) -> Listed:
    own = [link for link in _between(links, found.start, found.end)]
    entry = read_entry(text, found.body, found.end, own)
    return Listed(found.start, found.end, found.label, found.style, section, entry)


def _between(links: list[Link], start: int, end: int) -> list[Link]:
    from bisect import bisect_left

    first = bisect_left(links, start, key=lambda link: link.start)
    own = []
    for link in links[first:]:
        if link.start >= end:
            break
        own.append(link)
    return own


def _section(text: str, lines: list[Line], at: int) -> tuple[list[Found], int, tuple[int, int]]:
    """The entries under a heading at line `at`; none when the line heads no list."""
    none: tuple[list[Found], int, tuple[int, int]] = ([], at, (0, 0))
    line = lines[at]
    if line.kind in ("code", "table", "rule"):
        return none
    heading = _HEADING.match(text[line.start : min(line.end, line.start + 2000)])
    if heading is None:
        return none
    rest = heading["rest"]
    marked = line.kind == "heading" or text[line.start : line.end].rstrip("*_ ")[-1:] in ":："
    if rest and rest.strip(" *_:："):
        pieces = _inline(text, line.start + heading.start("rest"), line.end)
        if not pieces:
            return none
        tail, after, end = _entries(text, lines, at + 1, line)
        return pieces + tail, after, (line.start, max(end, line.end))
    if not marked and line.end - line.start > _HEAD_REACH:
        return none
    found, after, end = _entries(text, lines, at + 1, line)
    if not found or not _plausible(text, found):
        return none
    return found, after, (line.start, end)


def _plausible(text: str, found: list[Found]) -> bool:
    """Whether entries are sources and not statements under a heading like `Energy sources`."""
    marked = sum(
        bool(one.style in ("plain", "ordinal") and _INNER_MARK.search(text, one.body, one.end))
        for one in found
    )
    return marked * 2 < len(found)


def _inline(text: str, start: int, end: int) -> list[Found]:
    """Entries that stand in one line: `Sources: [1] https://… [2] https://…`."""
    starts = [start + m.start() for m in _PIECE.finditer(text[start:end])]
    if not starts or text[start : starts[0]].strip():
        return []
    found = []
    for first, stop in zip(starts, [*starts[1:], end], strict=True):
        label = _START.match(text, first, stop)
        if label is None:
            return []
        found.append(_found(text, label, first, stop))
    if not any(_SOURCE_LIKE.search(text, one.body, one.end) for one in found):
        return []
    return found


def _found(text: str, label: re.Match[str], start: int, stop: int) -> Found:
    """The entry that a label begins, its end without white space and closing punctuation."""
    end = start + len(text[start:stop].rstrip(" \t;；,，"))
    kind = label.lastgroup or ""
    body = label.end()
    if label.group("foot") is not None:
        name = label["foot"]
        return Found(start, body, end, plain_number(name) if name.isdigit() else name, "footnote")
    for group in ("square", "raised", "sup"):
        if label.group(group) is not None:
            return Found(start, body, end, plain_number(label[group]), "square")
    if label.group("linked") is not None:
        return Found(start, label.start("linked") - 1, end, plain_number(label["linked"]), "square")
    del kind
    return Found(start, body, end, label["key"].removeprefix("@"), "key")


def _begin(text: str, line: Line, headed: bool) -> Found | None:
    """The entry that begins with a line; None when the line begins none."""
    if line.kind == "heading" and line.level < 7:
        return None
    start = (
        line.start + len(text[line.start : line.end]) - len(text[line.start : line.end].lstrip())
    )
    label = _START.match(text, line.start, line.end)
    if label and label.end() < line.end:
        return _found(text, label, start, line.end)
    if not headed:
        return None
    for pattern in (_ORDINAL, _LINK_ORDINAL, _WORD_LABEL):
        ordinal = pattern.match(text, line.start, line.end)
        if ordinal and ordinal.end() < line.end:
            number = plain_number(ordinal["ordinal"])
            body = ordinal.end() if pattern is not _LINK_ORDINAL else start
            label = _START.match(text, body, line.end)
            if label and label.end() < line.end and label.group("square"):
                return _found(text, label, start, line.end)
            return Found(start, body, line.end, number, "ordinal")
    if line.kind == "table":
        return _row(text, line)
    return Found(start, max(line.body, start), line.end, None, "plain")


def _row(text: str, line: Line) -> Found | None:
    """A table row; its first cell is the label when it holds a number or key alone."""
    cells = text[line.body : line.end].strip("|").split("|")
    if not _SOURCE_LIKE.search(text, line.body, line.end):
        return None
    label = cells[0].strip(" []【】*\\^")
    number = plain_number(label) if label.isdigit() and len(label) <= 3 else None
    body = line.body + text[line.body : line.end].index(cells[0]) + len(cells[0])
    if number is None:
        body = line.body
    while body < line.end and text[body] in "| \t":
        body += 1
    end = line.start + len(text[line.start : line.end].rstrip("| \t"))
    return Found(line.body, body, max(end, body), number, "ordinal" if number else "plain")


def _entries(text: str, lines: list[Line], at: int, head: Line) -> tuple[list[Found], int, int]:
    """The entries below a heading, the line after them and where the list ends."""
    found: list[Found] = []
    end = head.end
    labelled = False
    while at < len(lines):
        line = lines[at]
        if line.kind == "code":
            break
        if line.kind == "heading":
            if line.level < 7 and (head.kind != "heading" or line.level <= head.level):
                break
            if _HEADING.match(text[line.start : line.end]):
                if found:
                    break
            at += 1
            continue
        if line.kind == "rule":
            if found and text[line.start : line.end].strip().strip("-*_= ") == "":
                break
            at += 1
            continue
        one = _begin(text, line, headed=True)
        if one is None:
            at += 1
            continue
        if one.style == "plain":
            indented = text[line.start] in " \t\u3000" and line.kind == "plain"
            address = bool(_ADDRESS.match(text, one.body, one.end))
            if (
                found
                and line.kind == "plain"
                and (not line.gap or indented or (address and labelled))
            ):
                if not labelled and not indented and _fresh(text, found[-1], one):
                    found.append(one)
                else:
                    found[-1] = found[-1]._replace(end=one.end)
                end = one.end
                at += 1
                continue
            likely = _SOURCE_LIKE.search(text, one.body, one.end) is not None
            if labelled or not likely:
                if found:
                    break
                if _HEADING.match(text[line.start : min(line.end, line.start + 200)]):
                    break
                if not _leads(text, line):
                    break
                at += 1
                continue
        labelled = labelled or one.label is not None
        found.append(one)
        end = one.end
        at += 1
    return found, at, end


def _fresh(text: str, last: Found, one: Found) -> bool:
    """Whether an unlabelled line right below an unlabelled entry is an entry of its own."""
    if _ADDRESS.search(text, last.body, last.end):
        return True
    return not _ADDRESS.match(text, one.body, one.end) and bool(
        _SOURCE_LIKE.search(text, one.body, one.end)
        and _SOURCE_LIKE.search(text, last.body, last.end)
    )


def _leads(text: str, line: Line) -> bool:
    """Whether a line under a reference heading is a placeholder or a word of introduction."""
    words = text[line.body : line.end]
    return words.startswith(("[", "(", "（")) or words[-1] in ":：" or len(words) < 80


def _bare(text: str, lines: list[Line], at: int) -> tuple[list[Found], int, tuple[int, int]]:
    """Labelled entries without a heading: footnote definitions, or two and more `[n] source` lines."""
    none: tuple[list[Found], int, tuple[int, int]] = ([], at, (0, 0))
    line = lines[at]
    if line.kind in ("code", "table", "rule", "heading"):
        return none
    first = text[line.start : line.start + 16].lstrip(" \t\u3000>-*+•\\")[:1]
    if first not in "[【［〔⁰¹²³⁴⁵⁶⁷⁸⁹<" or not first:
        return none
    begun = _begin(text, line, headed=False)
    if begun is None:
        return none
    found: list[Found] = []
    after = at
    while after < len(lines):
        line = lines[after]
        one = _begin(text, line, headed=False) if line.kind in ("plain", "item") else None
        if one is not None:
            pieces = _inline(text, one.start, one.end) if one.style == "square" else []
            found.extend(pieces if len(pieces) > 1 else [one])
        elif found and line.kind == "plain" and (not line.gap or text[line.start] in " \t"):
            if text[line.start] not in " \t" and not _ADDRESS.match(text, line.body, line.end):
                break
            found[-1] = found[-1]._replace(end=line.end)
        else:
            break
        after += 1
    if not _is_list(text, found, after == len(lines)):
        return none
    return found, after, (found[0].start, found[-1].end)


def _is_list(text: str, found: list[Found], last: bool) -> bool:
    """Whether labelled lines without a heading are a reference list and not sentences."""
    if all(one.style == "footnote" for one in found):
        return (
            all(text[one.start : one.body].rstrip().endswith((":", "：")) for one in found) or last
        )
    if any(one.style == "key" for one in found) and not all(
        text[one.start : one.body].rstrip().endswith((":", "："))
        or _ADDRESS.search(text, one.body, one.end)
        for one in found
    ):
        return False
    likely = sum(_ADDRESS.search(text, one.body, one.end) is not None for one in found)
    if likely * 2 >= len(found):
        return (
            len(found) > 1 or last or _ADDRESS.match(text, found[0].body, found[0].end) is not None
        )
    weak = sum(_SOURCE_LIKE.search(text, one.body, one.end) is not None for one in found)
    rising = all(
        a.label is not None
        and b.label is not None
        and a.label.isdigit()
        and b.label.isdigit()
        and int(a.label) < int(b.label)
        for a, b in zip(found, found[1:], strict=False)
    )
    return len(found) > 1 and last and rising and weak * 2 >= len(found)
