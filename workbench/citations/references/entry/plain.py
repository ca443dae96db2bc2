"""The words of an entry without markup, label and addresses, with a way back to where they stand."""

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

RegionKind = Literal["em", "strong", "link"]
BREAK = "\n"
"""Stands in plain words where an address or identifier was: no field reaches over it."""
_PIECES = re.compile(
    r"(?P<blank>(?:[^\S ]|[\u00ad\u200b-\u200f\u2060\ufeff]"
    r"| (?=[\s\u00ad\u200b-\u200f\u2060\ufeff]))[\s\u00ad\u200b-\u200f\u2060\ufeff]*)"
    # a name of Python's own ("__init__") is no bold word; a bold label ends in a colon
    r"|(?P<dunder>(?<!\w)__[a-z][a-z\d_]{0,40}[a-z\d]__(?!\w|\s?[:：]))"
    r"|(?P<star>\*{1,3})|(?P<line>(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w))|(?P<tick>`{1,3})"
    r"|(?P<tag></?(?P<name>i|b|em|strong|u|sup|sub|cite)>)"
    r"|(?P<command>\\(?:emph|textit|textbf|textsc|textrm|newblock)\b)"
    r"|(?P<escape>\\(?=[&%$#_*\[\]()|.\-]))|(?P<brace>[{}])|(?P<entity>&amp;)"
)
REPEATED = re.compile(
    r"[^\w\n—–―⸺⸻-]{0,3}?(?P<dash>(?:(?:[—–―⸺⸻]{1,6}|-{2,6}|_{3,12}|(?:\\_){3,12})(?:[,;]\s)?){1,3})"
    r"(?:(?=\s?[.,;:(])|(?<=..[—–―⸺⸻_-])(?=\s[\w“\"‘*_]|[“\"]))"
)
"""A dash or line in place of the authors of the entry before."""
_PLAIN = re.compile(
    r"[*_`<\\{}\n\t\r\f\v\u00a0\u00ad\u2000-\u200f\u202f\u2060\u3000\ufeff]|  |&amp;"
)
_MARKERS = {"*": "em", "_": "em", "**": "strong", "__": "strong", "***": "strong", "___": "strong"}


class Region(NamedTuple):
    """Emphasised or linked words: `words[start:end]`."""

    start: int
    end: int
    kind: RegionKind


class Cut(NamedTuple):
    """A stretch of the text that is no part of its words, and what stands in its place."""

    start: int
    end: int
    instead: str


class PlainEntry:
    """An entry's words, its emphasised regions, and the place of each word in the text."""

    def __init__(self, text: str, start: int, end: int, cuts: list[Cut]) -> None:
        """Read `text[start:end]` without `cuts`, which are sorted and do not overlap."""
        self.regions: list[Region] = []
        self.links: list[int] = []
        """Where the labels of links begin."""
        self._places: list[int] = [0]
        self._offsets: list[int] = [start]
        if not cuts and not _PLAIN.search(text, start, end):
            self.words = text[start:end]
            return
        self._length = 0
        self._written: list[str] = []
        opened: list[tuple[str, int]] = []
        at = start
        for cut in [*cuts, Cut(end, end, "")]:
            self._read(text, at, cut.start, opened)
            if cut.instead:
                self._write(cut.instead, cut.start)
            elif cut.end > cut.start:
                self.links.append(self._length)
            at = cut.end
        self.words = "".join(self._written)
        self.regions.sort()

    def offset(self, place: int) -> int:
        """The offset in the text of the character of the words at `place`."""
        segment = bisect_right(self._places, place) - 1
        offset = self._offsets[segment] + place - self._places[segment]
        # what stands in place of a stretch may be longer than it
        following = self._offsets[segment + 1 : segment + 2]
        return min(offset, following[0] - 1) if following else offset

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the non-empty `words[start:end]` stand in the text, markup between them included."""
        return self.offset(start), self.offset(end - 1) + 1

    def region_at(self, place: int) -> Region | None:
        """The widest region that begins at a place; None where none does."""
        starting = [region for region in self.regions if region.start == place]
        return max(starting, key=lambda region: region.end) if starting else None

    def _write(self, words: str, offset: int) -> None:
        if not words:
            return
        if self._places[-1] == self._length:
            self._offsets[-1] = offset
        else:
            self._places.append(self._length)
            self._offsets.append(offset)
        self._written.append(words)
        self._length += len(words)

    def _read(self, text: str, start: int, end: int, opened: list[tuple[str, int]]) -> None:
        """Write the words of a stretch; `opened` holds the markers that wait for their end."""
        at = start
        if not _PLAIN.search(text, start, end):
            self._write(text[start:end], start)
            return
        for match in _PIECES.finditer(text, start, end):
            if match["dunder"]:
                continue
            if match["star"] or match["line"]:
                if not self._mark(match, text, at, opened):
                    continue
            else:
                self._write(text[at : match.start()], at)
                if match["blank"]:
                    last = self._written[-1][-1:] if self._written else " "
                    self._write("" if last == " " else " ", match.start())
                elif match["entity"]:
                    self._write("&", match.start())
                elif match["tag"] and match["name"] not in ("sup", "sub"):
                    kind: RegionKind = "em" if match["name"] in ("i", "em", "cite") else "strong"
                    self._tag(match["name"], match[0].startswith("</"), kind, opened)
            at = match.end()
        self._write(text[at:end], at)

    def _mark(
        self, match: re.Match[str], text: str, at: int, opened: list[tuple[str, int]]
    ) -> bool:
        """Whether a run of stars or underscores is markup; what stands before it is then written."""
        marker = match[0]
        before = text[match.start() - 1 : match.start()]
        after = text[match.end() : match.end() + 1]
        if opened and any(name == marker for name, _ in opened) and before.strip():
            self._write(text[at : match.start()], at)
            self._tag(marker, True, "em" if _MARKERS[marker] == "em" else "strong", opened)
            return True
        if after.strip() and not (before.isalnum() and marker[0] == "_"):
            closing = text.find(marker, match.end() + 1, match.end() + 500)
            if closing > 0 and text[closing - 1].strip():
                self._write(text[at : match.start()], at)
                opened.append((marker, self._length))
                return True
        return False

    def _tag(
        self, name: str, closes: bool, kind: RegionKind, opened: list[tuple[str, int]]
    ) -> None:
        if not closes:
            opened.append((name, self._length))
            return
        for number in range(len(opened) - 1, -1, -1):
            if opened[number][0] == name:
                start = opened[number][1]
                if self._length > start:
                    self.regions.append(Region(start, self._length, kind))
                del opened[number:]
                return


_PAIRS = {
    "“": "”",
    "„": "“”",
    "«": "»",
    "‘": "’",
    "《": "》",
    "「": "」",
    "『": "』",
    "〈": "〉",
    "»": "«",
}
_OPEN = re.compile(
    r"[“„«‘\"'`《「『〈](?:(?<=[《「『〈])|(?<![\w’'].)(?:(?<=[“„«‘])|(?<=\")(?=[^\s\"])|(?<=')'|(?<=`)`"
    r"|(?<=')(?=[^\W_])))"
)
LONGEST_TITLE = 500
_ENDS = ".,;:)]—–-\n"


class Quote(NamedTuple):
    """A quotation with its signs at `start` and before `end`; its words are `inner:close`."""

    start: int
    inner: int
    close: int
    end: int
    sign: str


def find_quote(words: str, start: int = 0) -> Quote | None:
    """The first quotation at or after a place that holds words and is closed."""
    for number, match in enumerate(_OPEN.finditer(words, start, start + 4000)):
        if number > 8:
            break
        close = _close(words, match[0], match.end())
        if close is not None:
            return Quote(match.start(), match.end(), close[0], close[1], match[0])
    return None


def _close(words: str, sign: str, inner: int) -> tuple[int, int] | None:
    """Where the quotation ends; of straight signs the first that a quotation can end with."""
    stop = min(len(words), inner + LONGEST_TITLE)
    line = words.find("\n", inner, stop)
    stop = line if line >= 0 else stop
    if sign in ('"', "'", "''", "``", "‘"):
        return _close_straight(words, {"``": "''", "‘": "’"}.get(sign, sign), inner, stop)
    depth = 0
    for at in range(inner, stop):
        if words[at] == sign and sign != "„":
            depth += 1
        elif words[at] in _PAIRS[sign] or words[at] in '”"' and sign in "“„":
            if not depth:
                return (at, at + 1) if at > inner + 1 else None
            depth -= 1
    return None


def _close_straight(words: str, sign: str, inner: int, stop: int) -> tuple[int, int] | None:
    at = words.find(sign, inner + 1, stop)
    fallback = None
    while at >= 0:
        after = words[at + len(sign) : at + len(sign) + 1]
        before = words[at - 1]
        if not after.isalnum() and not before.isspace():
            if before in ",.?!" or not after or after in _ENDS:
                return at, at + len(sign)
            fallback = fallback or (at, at + len(sign))
        at = words.find(sign, at + 1, stop)
    return fallback


BULLET = r"(?:[-*+•·▪◦‣–—●○■▶►➤][ \t]{1,4})"
INDENT = r"[ \t\u3000>]{0,12}"
LABEL = re.compile(
    rf"{INDENT}{BULLET}?(?:\*\*|__)?"
    r"(?:\\?\[\^(?P<foot>[^\]\s]{1,40})\]:?"
    r"|\\?[\[【［〔](?P<square>\d{1,3}|[０-９]{1,3})(?:†[^\]】\n]{0,40})?\\?[\]】］〕](?!\(\s?(?:<"
    r"|https?:|www\.|[#/.]))"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})|<sup>\s?\[?(?P<sup>\d{1,3})\]?\s?</sup>"
    r"|\[(?:\[|\\\[)?(?P<linked>\d{1,3})(?:\]|\\\])?\](?=\()"
    r"|\[(?P<key>@?[A-Za-z][\w:+./-]{0,40})\](?![(\[])|`(?P<code>[^\W\d][\w:+-]{1,40}\d{2}[a-z]?)`(?=\s))"
    r"(?:\*\*|__)?\s{0,3}[:：.]?\s{0,4}"
)
"""A label in brackets, raised, or a key; it ends where the entry's words begin."""
ORDINAL = re.compile(
    rf"{INDENT}{BULLET}?(?:\*\*)?[(（]?(?P<ordinal>\d{{1,3}})"
    r"(?:[.)、．）:：](?!\d)|(?=\s{1,3}\S))(?:\*\*)?[ \t]{0,4}"
)
"""The number of an entry in a list; it may stand without punctuation."""
LINK_ORDINAL = re.compile(rf"{INDENT}{BULLET}?\[(?P<ordinal>\d{{1,3}})[.)、:]\s")
WORD_LABEL = re.compile(
    rf"{INDENT}{BULLET}?(?:\*\*)?(?:source|ref(?:erence)?|citation|第|文档|引用|引文|出处"
    r"|(?:參考)?(?:文獻|資料|來源)|(?:参考|引用)?(?:文献|资料|来源)|参考|注释?|脚注|尾注)\.?\s?#?"
    r"[\[【［〔（(]?(?P<ordinal>\d{1,3})[\]】］〕）)]?[条條篇]?(?:\*\*)?\s?[:：.)](?:\*\*)?\s{0,3}",
    re.IGNORECASE,
)
_LEAD = re.compile(rf"[\s\u3000>|]{{0,40}}{BULLET}?")


def words_start(text: str) -> int:
    """The offset at which an entry's words begin, after white space, bullet and label."""
    label = LABEL.match(text)
    if label is not None:
        return label.start("linked") - 1 if label["linked"] else label.end()
    for pattern in (ORDINAL, WORD_LABEL):
        label = pattern.match(text)
        if label is not None and not text[label.end("ordinal") : label.end()].isspace():
            inner = LABEL.match(text, label.end())
            return inner.end() if inner and inner["square"] else label.end()
    lead = _LEAD.match(text)
    return lead.end() if lead else 0
