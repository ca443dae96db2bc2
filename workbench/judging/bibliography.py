"""Find a source's own reference lists: the titles in them say nothing about the source's subject.

Pure and linear in the text. A list stands under a heading that names one, or is a run of numbered
entries at the end. Both are known by their entries: what begins with a label or an author and names
a work (a year in brackets, a DOI, pages, a journal, an address). A list ends where a section begins
(`Appendix A`) or prose continues. When in doubt, a line stays evidence.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from workbench.judging.quotes import locate_quotes
from workbench.records.bibliography import REFERENCE_HEADINGS
from workbench.records.source import Passage
from workbench.records.text import Span, fold_compatible

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
    r"|[是为有了的在将已]"
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


WHOLE = 0.05
"""With less than this share of the text left beside its lists, the source is a list of works."""
LEAST_SENTENCE = 8
"""Characters of a sentence that counts as the source's own words, where a stop ends it."""
LEAST_LINE = 40
"""Characters of a line with a verb that counts as such without a stop."""

_LINE = re.compile(r"[^\n\r\x0b\x0c\x85\u2028\u2029]+")
_MORE = (
    r"cited (?:works|literature)|literature cited"
    r"|references and (?:further reading|literature)|sources et bibliographie"
)
_NUMBER = (
    r"(?:(?:(?:chapter|section|part)\s)?(?:\d{1,2}(?:\.\d{1,2})?|[IVX]{1,5}|[A-H]"
    r"|第?[一二三四五六七八九十]{1,3}[章节部分]{0,2})[.、)．:：]?\s{1,3}|[一二三四五六七八九十]{1,3}、)"
)
_HEADING = re.compile(
    rf"[#>*_~=\s]{{0,12}}{_NUMBER}?[*_]{{0,3}}(?P<words>{_MORE}|{REFERENCE_HEADINGS})"
    r"(?:\s?[(（\[][^()（）\[\]\n]{1,30}[)）\]])?[\s*_:：.=~#]{0,10}\Z",
    re.IGNORECASE,
)
_SURE_HEADING = re.compile(
    r"(?:list of |cited |selected )?references?(?: list| cited| and notes)?|bibliography"
    r"|(?:works|literature) cited|cited (?:works|literature)|reference list|notes and references"
    r"|literatur(?:verzeichnis|angaben)|quellenverzeichnis|einzelnachweise"
    r"|références(?: bibliographiques| citées)?|notes et références|bibliographie"
    r"|referencias(?: bibliográficas)?|bibliografía|obras citadas|notas y referencias"
    r"|参考(?:文献|资料|文獻|資料|书目)|參考(?:文獻|資料)|引用(?:文献|文獻)|参照文献|참고\s?문헌"
    r"|bibliografia|referências(?: bibliográficas)?|riferimenti(?: bibliografici)?"
    r"|список литературы|литература",
    re.IGNORECASE,
)
"""Headings that stand over nothing but works; under the others each entry has to name one."""
_LONGEST_HEADING = 80
_SPACED = re.compile(r"(?:\w\s){5,20}\w")
_INLINE = re.compile(
    rf"(?<=[\s.。])(?P<words>{_SURE_HEADING.pattern})\s{{0,2}}[:：]?\s{{0,2}}"
    r"(?=\[1\]|［1］|【1】|\(1\)\s|1[.．、)]\s?\S|[A-Z][\w'’-]{1,25},\s[A-Z]\.)",
    re.IGNORECASE,
)
_INLINE_ENTRY = re.compile(
    r"(?<=[\s.。\])])(?=[\[［【(]\d{1,3}[\]］】)]\s?\S|\d{1,3}[.．、)]\s[A-Z“\"《「\u4e00-\u9fff])"
    r"|(?<=[.\d/])\s(?=[A-Z][\w'’-]{1,25},\s[A-Z]\.)"
    r"|(?<=[.。\s])(?=(?:Appendix|Supplementary|Acknowledge?ments|Anhang|Annexe|附录)\b)"
)
_LONG_LINE = 200
_LINES_AHEAD = 6
"""So many lines without a label may stand between two entries: a page's header and footer."""
_LONGEST_ENTRY = 900
_LONGEST_TITLE = 250
_FOOTER = 200
"""At most this many characters may follow a list that ends the text: a copyright line."""


class _Line(NamedTuple):
    """A line, or the part of one that holds an entry; `text` has plain characters."""

    start: int
    end: int
    text: str
    gap: bool
    """Whether a blank line or the start of the text is before it."""


class _Run(NamedTuple):
    """What was looked at from a line on: whether it is a list, and where to look next."""

    is_list: bool
    after: int


class _Entry(NamedTuple):
    """An entry of a list: its lines and how many signs of a work it has."""

    first: int
    last: int
    labelled: bool
    text: str
    works: int


def evidence_spans(text: str) -> tuple[Span, ...]:
    """The parts of a source that a verdict may rest on, in order: all but its reference lists.

    Where a source is a list of works itself (a library's catalogue, a reading list), all of it is
    evidence: where beside the lists stands no sentence, or less than `WHOLE` of the text. An empty
    text gives one empty span.
    """
    lists = find_bibliographies(text)
    if not lists:
        return (Span(0, len(text)),)
    edges = [0, *(edge for listing in lists for edge in (listing.start, listing.end)), len(text)]
    parts = [Span(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)]
    parts = [part for part in parts if part.of(text).strip()]
    remaining = sum(len(part.of(text).strip()) for part in parts)
    has_prose = any(_is_prose(piece) for part in parts for piece in _pieces(part.of(text)))
    if not has_prose or remaining < WHOLE * len(text):
        return (Span(0, len(text)),)
    return tuple(parts)


def without_bibliography(text: str) -> str:
    """The text with line ends in place of its reference lists: same length, so offsets hold."""
    spans = evidence_spans(text)
    if spans == (Span(0, len(text)),):
        return text
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces.append("\n" * (span.start - at))
        pieces.append(span.of(text))
        at = span.end
    return "".join(pieces) + "\n" * (len(text) - at)


def bibliography_spans(text: str) -> tuple[Span, ...]:
    """The parts of a source that are not evidence: what `evidence_spans` leaves out."""
    spans = evidence_spans(text)
    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    between = [Span(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)]
    return tuple(span for span in between if span.of(text).strip())


def quotes_bibliography(quotes: Sequence[str], text: str) -> bool:
    """Whether one of the quotes stands in the source's reference lists alone."""
    lists = [Passage(span=span, text=span.of(text)) for span in bibliography_spans(text)]
    if not lists or not quotes or not locate_quotes(quotes, lists).evidence:
        return False
    evidence = [Passage(span=span, text=span.of(text)) for span in evidence_spans(text)]
    return not locate_quotes(quotes, evidence).evidence


@lru_cache(maxsize=8)
def find_bibliographies(text: str) -> tuple[Span, ...]:
    """The reference lists in a text with their headings, in order; they do not overlap."""
    if len(text) < 20:
        return ()
    lines = _lines(text)
    lists: list[Span] = []
    at = 0
    while at < len(lines):
        run = _headed(lines, at) or _unheaded(lines, at)
        if run is not None and run.is_list:
            lists.append(Span(lines[at].start, lines[run.after - 1].end))
        at = max(at + 1, run.after if run is not None else 0)
    return tuple(lists)


def _lines(text: str) -> list[_Line]:
    """The lines that are not blank; one that holds a whole list is cut at its entries."""
    folded = fold_compatible(text)
    lines: list[_Line] = []
    before = -2
    for match in _LINE.finditer(folded):
        words = match[0].strip()
        if not words:
            continue
        start = match.start() + match[0].index(words[0])
        gap = not lines or folded.count("\n", before, start) != 1
        before = start + len(words)
        cut = _INLINE.search(words) if len(words) > _LONG_LINE else None
        if cut is None:
            lines.append(_Line(start, before, words, gap))
            continue
        ends = [cut.start(), cut.end("words")]
        ends += [match.start() for match in _INLINE_ENTRY.finditer(words, cut.end())]
        for first, last in zip([0, *ends], [*ends, len(words)], strict=True):
            piece = words[first:last].strip(" :：")
            if piece:
                place = words.index(piece, first)
                lines.append(
                    _Line(start + place, start + place + len(piece), piece, gap and not first)
                )
    return lines


def _heading(line: _Line) -> str | None:
    """The words of a heading that names a reference list; None for another line."""
    if len(line.text) > _LONGEST_HEADING:
        return None
    words = line.text
    if _SPACED.fullmatch(words):
        words = re.sub(r"\s", "", words)
    match = _HEADING.match(words)
    return match["words"] if match else None


def _headed(lines: Sequence[_Line], at: int) -> _Run | None:
    """The list that line `at` heads; None where it does not head a list."""
    words = _heading(lines[at])
    if words is None:
        return None
    is_certain = _SURE_HEADING.fullmatch(words) is not None
    entries, after = _entries(lines, at + 1, _level(lines[at]))
    if not entries:
        return None
    if is_certain:
        # titles alone suffice: labelled lines that are not sentences
        named_entries = [
            entry for entry in entries if entry.works or (entry.labelled and _is_title(entry))
        ]
    else:
        named_entries = [
            entry for entry in entries if entry.works > 3 or (entry.works and _is_title(entry))
        ]
    return _Run(True, after) if len(named_entries) * 3 >= len(entries) * 2 else None


def _is_title(entry: _Entry) -> bool:
    return len(entry.text) <= _LONGEST_TITLE and not is_sentence(entry.text)


def _unheaded(lines: Sequence[_Line], at: int) -> _Run | None:
    """The numbered list that begins at line `at` and ends the text; None where none begins.

    It begins with 1, has three entries or more, and nearly all of them name a work twice over.
    """
    label = read_label(lines[at].text)
    if label is None or label.number != 1:
        return None
    entries, after = _entries(lines, at, 0)
    if len(entries) < 3 or not all(entry.labelled for entry in entries):
        return _Run(False, entries[-1].first if entries else at)
    ends = after == len(lines) or is_section(lines[after].text)
    ends = ends or lines[-1].end - lines[after].start < _FOOTER
    named_count = sum(entry.works >= 2 for entry in entries)
    if ends and named_count * 5 >= len(entries) * 4:
        return _Run(True, after)
    return _Run(False, entries[-1].first)


def _entries(lines: Sequence[_Line], at: int, level: int) -> tuple[list[_Entry], int]:
    """The entries from line `at` on, and the line after the last one."""
    entries: list[_Entry] = []
    style: ReferenceLabel | None = None
    first = at
    number = at
    while number < len(lines):
        line = lines[number]
        deeper = 0 < level < _level(line)
        if not deeper and (is_section(line.text) or _heading(line) is not None):
            break
        if deeper:
            if number > first:
                _close(lines, first, number, style, entries)
            first = number = number + 1
            style = None
            continue
        label = read_label(line.text)
        opens = _opens(label, style)
        if number == first:
            style = label or style
            if label is None and not (style is None and _may_open(line)):
                introduces = number == at and number + 1 < len(lines) and len(line.text) < 100
                if not introduces or read_label(lines[number + 1].text) is None:
                    break
                first = number + 1
        elif opens or (style is None and _is_new(lines, number)):
            _close(lines, first, number, style, entries)
            first = number
            style = label or style
        elif not _continues(lines, first, number, style):
            break
        number += 1
    if number > first:
        _close(lines, first, number, style, entries)
    return entries, number


def _close(
    lines: Sequence[_Line],
    first: int,
    after: int,
    style: ReferenceLabel | None,
    entries: list[_Entry],
) -> None:
    text = " ".join(line.text for line in lines[first:after])
    entries.append(_Entry(first, after - 1, style is not None, text, cited_works(text)))


def _opens(label: ReferenceLabel | None, style: ReferenceLabel | None) -> bool:
    """Whether a label continues a list: the same kind, and a number a little higher."""
    if label is None or style is None or label.kind != style.kind:
        return False
    return label.number is None or style.number is None or 0 < label.number - style.number <= 3


def _may_open(line: _Line) -> bool:
    """Whether an unlabelled line can be the first entry of a list."""
    works = cited_works(line.text)
    return works > 1 or (
        works > 0 and (begins_with_author(line.text) or not is_sentence(line.text))
    )


def _is_new(lines: Sequence[_Line], number: int) -> bool:
    """Whether a line of an unlabelled list is an entry of its own and not the rest of one."""
    line, above = lines[number], lines[number - 1]
    if not _is_done(above.text):
        return line.gap and begins_with_author(line.text)
    return begins_with_author(line.text) or (cited_works(line.text) > 1 and line.text[0].isupper())


def _continues(
    lines: Sequence[_Line], first: int, number: int, style: ReferenceLabel | None
) -> bool:
    """Whether a line that opens no entry belongs to the one before it, or to a page's edge."""
    line, above = lines[number], lines[number - 1]
    if line.start - lines[first].start <= _LONGEST_ENTRY:
        done, prose = _is_done(above.text), is_sentence(line.text)
        if line.gap and not done and not prose:
            return True
        other = done and (prose or line.text[0].isupper())
        if not line.gap and not (other and not cited_works(line.text)):
            return True
    # a page's footer and header, or an entry that was cut by them: the list continues after it
    for later in range(number, min(number + _LINES_AHEAD, len(lines))):
        label = read_label(lines[later].text)
        if style is not None and label is not None and _opens(label, style):
            return True
        if is_section(lines[later].text):
            return False
        if style is None and begins_with_author(lines[later].text):
            return cited_works(lines[later].text) > 0
    return False


def _is_done(text: str) -> bool:
    """Whether an entry may end with this line: a full stop, a number, an address."""
    last = text.rsplit(maxsplit=1)[-1]
    return text[-1] in ".。．)]）】/" or text[-1].isdigit() or "://" in last or "10." in last


def _level(line: _Line) -> int:
    return len(line.text) - len(line.text.lstrip("#"))


def _pieces(text: str) -> Iterator[str]:
    """The lines and sentences of a part that may be the source's own words."""
    for line in _LINE.finditer(text):
        for piece in re.split(r"(?<=[.!?。！？])\s+|(?<=[。！？])", line[0]):
            if piece.strip():
                yield piece.strip()


def _is_prose(piece: str) -> bool:
    """Whether a piece says something of its own: a sentence with its stop, or with a verb."""
    if piece[-1] in ".!?。！？" and (len(piece.split()) > 2 or not piece.isascii()):
        return len(piece) >= LEAST_SENTENCE
    return len(piece) >= LEAST_LINE and is_sentence(piece)
