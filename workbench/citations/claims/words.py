"""The words of a claim as a clean sentence: without its marks and what they leave behind.

Where a mark stood, the brackets, separators, lead-in words and blanks that only served it go too.
Each character of the clean sentence has its place in the text, so that offsets can be brought back.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from operator import itemgetter

from workbench.citations.lexicon import ARTICLES, CJK, LEADS_TO_MARK, REPORTED, SAYS
from workbench.citations.marks import Mark

_HOLE = "\x00"
"""Stands for what was taken out until the sentence is closed over it."""
_LINK = re.compile(
    r"!?\[([^\[\]]*[^\[\]\d\s^,;–-][^\[\]]*)\]\(\S*\)|<a\s[^<>]*>([^<]*)</a>", re.IGNORECASE
)
_PROVIDER_MARK = re.compile(
    r"[\[(【（［\ue200].*[\])】）］\ue201]|https?://\S+|www\.\S+", re.DOTALL
)
"""What a provider's citation covers where that is a mark, and not the words it vouches for."""
_SOURCE_NAMES = (
    r"(?:(?:data |image |photo )?sources?|refs?|references?|citations?|links?|cite|read more|more"
    r"|来源|资料来源|数据来源|信息来源|参考|参见|出处|引用|出典|quellen?|fuentes?|fonti?|fontes?|bronn?(?:en)?)"
)
_LEADS = (
    rf"(?:{_SOURCE_NAMES}|see|also|e\.?\s?g\.|cf\.|via|from|in|per|and|or|und|et|y|e|en|siehe|vgl\.|s\."
    r"|for (?:more |further )?(?:details?|information|examples?|an? (?:overview|review)|this|discussion)"
    r"|voir|ver|véase|vedi|zie|laut|nach|according to|见|据|根据)"
)
_OPEN, _CLOSE = "(（[【［", ")）]】］"
_CLEANING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<={_HOLE})(?:[\s,;/&|·、，；]|\b(?:and|or|und|sowie|et|ou|y|e|en)\b|[和与及])+(?={_HOLE})",
        rf"[{re.escape(_OPEN)}](?:[\s,;:：/&|·–—-]|\b{_LEADS}(?!\w)|{_HOLE})*{_HOLE}"
        rf"(?:[\s,;:：/&|·–—-]|\b{_LEADS}(?!\w)|{_HOLE})*[{re.escape(_CLOSE)}]",
        rf"(?<!\w)(?:根据|根據|依据|按照|据|據)\s?{_HOLE}\s?[，,]",
        rf"(?P<sign>\*{{1,3}}|_{{1,3}}|~~|`{{1,2}})\s*{_HOLE}\s*(?P=sign)",
        rf"<(?P<tag>\w{{1,10}})(?:\s[^<>]*)?>\s*{_HOLE}\s*</(?P=tag)>",
        rf"(?:(?<=[\s.,;:!?–—([（【])|\A)[*_]{{0,2}}{_SOURCE_NAMES}[*_]{{0,2}}\s?[:：][*_]{{0,2}}\s*{_HOLE}",
    )
)
"""What goes with a hole, in this order: only joining words between two, empty brackets, …"""
_RUN = re.compile(rf"\s*{_HOLE}[\s{_HOLE}]*")
_SPACES = re.compile(r"\s+")
_LAST_WORD = re.compile(r"([^\W\d_]+)[\s*_]*\Z")
_DIGIT = re.compile(r"\d")
_SEGMENT = re.compile(
    r"(?:[.,;:!?)](?=\s)|[(（）—–，；：。\n])(?:(?![.,;:!?)]\s)[^(（）—–，；：。\n]){0,80}\Z"
)
_WORD = re.compile(r"[^\W\d_]+")
_GOVERNS = frozenset(
    "to of from by with see per via at in on than under is are was were un une de du des par"
    " von aus bei laut nach siehe zu zum zur mit según en por di da secondo volgens door vgl".split()
)
"""Words after which a mark is a part of the sentence: `the data of [3]`."""
_PARTICLES = frozenset(("in", "on", "at", "by", "under", "with", "zu", "nach"))
"""Of those, the ones that can also end a sentence by themselves."""
_JOINT = re.compile(
    r"(?:\s*[,;:]\s*|\s+)(?:and|but|or|yet|while|whereas|und|aber|oder|sowie|während|et|mais|ou|y|pero|e|ma|mas|maar)(?:\s(?:the|a|an))?\Z"
)
"""A joining word that a part of a sentence ends with, before the mark of another part."""
_LEADING_JOINT = re.compile(
    r"(?:and|or|but|while|whereas|yet|und|oder|aber|während|et|ou|mais|tandis que|y|pero|mientras(?: que)?|e|ma|mentre"
    r"|mas|enquanto|maar|terwijl)(?:,\s?|\s)"
)
"""One that a part begins with."""
_TRAILING_LEAD = re.compile(
    r"[\s,;(（\[–—-]*\b(?:see(?: also)?|cf\.?|siehe|vgl\.?|voir|véase|vedi|zie|e\.g\.,?)\s*\Z",
    re.IGNORECASE,
)
_IN_BRACKET = re.compile(rf"[(（\[【]\W*(?:{_LEADS}\W*){{1,3}}\Z", re.IGNORECASE)
_BRACKET = re.compile(r"[()（）\[\]【】［］]")
_LABEL = re.compile(r"(?:\A|[^\w.])(?:\d{1,3}|\w)\Z")
"""What a bracket closes that none opened: the label of an item, `2)` or `b)`."""
_BULLET = re.compile(r"[-–—•·▪]\s+")
_SITE = re.compile(r"(?:[\w-]+\.)+[a-z]{2,12}(?:/\S*)?", re.IGNORECASE)
_SOURCE_WORD = re.compile(rf"{_SOURCE_NAMES}(?:\s?\d{{1,3}})?", re.IGNORECASE)
_WIDE = re.compile(f"[{CJK}]")
_STOPS = tuple('.!?。！？…"”»)」')
_SEPARATORS = ",;:–—-·、，；：|"


class ClaimWords:
    """The clean words of the claims of one text; offsets are code points of it."""

    def __init__(
        self, text: str, marks: Sequence[Mark], markup: Iterable[tuple[int, int]] = ()
    ) -> None:
        """Take a text with its settled marks and the markup of products that cites nothing."""
        self.text = text
        removed = {(mark.start, mark.end): mark for mark in marks if not _says(mark, text)}
        spans = [(start, end, mark) for (start, end), mark in removed.items()]
        self._removed: list[tuple[int, int, Mark | None]] = sorted(
            [*spans, *((start, end, None) for start, end in markup)], key=itemgetter(0, 1)
        )
        self._cleaned: dict[tuple[int, int], str] = {}
        self._ends: list[int] = []
        """The greatest end so far: marks are found by it."""
        for _, end, _ in self._removed:
            self._ends.append(max(end, self._ends[-1] if self._ends else 0))

    def clean(self, start: int, end: int) -> str:
        """The words of `text[start:end]` as a clean sentence; as they stand, where nothing is left."""
        words = self._cleaned.get((start, end))
        if words is None:
            words = self._cleaned[start, end] = (
                self._closed(start, end) or self._read(start, end)[0]
            )
        return words

    def _closed(self, start: int, end: int) -> str | None:
        """The words where all marks stand at the end: `Rain fell in May [1][2].`; None elsewhere."""
        first = bisect_left(self._ends, start + 1)
        if first == len(self._removed) or self._removed[first][0] >= end:
            return None
        place = self._removed[first][0]
        words, at = self.text[start : max(place, start)].rstrip(), place
        while first < len(self._removed) and self._removed[first][0] < end:
            begin, stop, mark = self._removed[first]
            if begin > at and not self.text[at:begin].isspace():
                return None
            if mark is None or mark.kind != "numbered" or mark.covers:
                return None
            at = max(at, stop)
            first += 1
        rest = self.text[at:end]
        word = _LAST_WORD.search(words[-40:])
        if rest not in ("", ".", "。") or not words[-1:].isalnum() or "**" in words or _runs(words):
            return None
        if _BRACKET.search(words):  # one that none opens is taken off
            return None
        if (word and word[1].lower() in _GOVERNS | REPORTED) or words[:1].islower():
            return None
        if not words[0].isalnum():  # what a sentence cannot begin with is taken off
            return None
        return words + rest

    def places(self, start: int, end: int) -> Sequence[int]:
        """For each character of the clean sentence, where it stands in the text."""
        return self._read(start, end)[1]

    def _read(self, start: int, end: int) -> tuple[str, Sequence[int]]:
        words = self.text[start:end]
        first = bisect_left(self._ends, start + 1)
        marked = first < len(self._removed) and self._removed[first][0] < end
        whole = not words[:1].islower() and words[-1:] in _STOPS
        if not marked and whole and "**" not in words and not _runs(words):
            return words, range(start, end)
        sentence = _Sentence(words, range(start, end))
        if marked:
            sentence = self._with_holes(start, end, first)
            for pattern in _CLEANING:
                sentence.put(pattern, _HOLE)
            sentence.drop_leads()
            sentence.close()
        if "**" in sentence.words:
            sentence.put(re.compile(r"\*\*"), "")
        sentence.put(_SPACES, " ", keep=" ")
        sentence.trim()
        if not any(map(str.isalnum, sentence.words)):
            return words, range(start, end)
        return sentence.words, sentence.places

    def _with_holes(self, start: int, end: int, first: int) -> "_Sentence":
        """The words with a hole for each mark; marks that the sentence needs stay."""
        pieces: list[str] = []
        places: list[int] = []
        at = start
        for number in range(first, len(self._removed)):
            begin, stop, mark = self._removed[number]
            if begin >= end:
                break
            begin, stop = max(begin, at), min(stop, end)
            if stop <= begin:
                continue
            if mark and self._needs(mark, start, end):
                continue
            pieces.append(self.text[at:begin] + _HOLE)
            places += [*range(at, begin), begin]
            kept = self._kept(mark) if mark else None
            if kept:
                first_kept, last_kept = max(kept[0], start), min(kept[1], end)
                if first_kept < last_kept:
                    # a label stands in place of its link, and no hole beside it
                    pieces[-1] = pieces[-1][:-1] + self.text[first_kept:last_kept]
                    places.pop()
                    places += range(first_kept, last_kept)
            at = stop
        pieces.append(self.text[at:end])
        places += range(at, end)
        return _Sentence("".join(pieces), places)

    def _kept(self, mark: Mark) -> tuple[int, int] | None:
        """The words of a mark that stay: what a tag encloses, the label of a link in a sentence."""
        if mark.covers:
            return mark.covers if mark.start <= mark.covers[0] < mark.end else None
        link = _LINK.fullmatch(self.text, mark.start, mark.end)
        if link is None:
            return None
        span = link.span(1) if link[1] is not None else link.span(2)
        label = self.text[slice(*span)].strip(" *_")
        before = self.text[max(0, mark.start - 40) : mark.start]
        if before.rstrip()[-1:] in tuple(_OPEN) and self.text[mark.end : mark.end + 2].lstrip()[
            :1
        ] in tuple(_CLOSE):
            return None
        word = _LAST_WORD.search(before)
        governed = word is not None and word[1].lower() in _GOVERNS
        if not governed and (_SITE.fullmatch(label) or _SOURCE_WORD.fullmatch(label)):
            return None
        return span

    def _needs(self, mark: Mark, start: int, end: int) -> bool:
        """Whether the sentence falls apart without a mark: `[2] shows that …`, `the data of [3]`."""
        text = self.text
        if mark.covers or mark.end - mark.start > 90 or text[mark.start] in "<{:(（\ue200":
            return False
        if _LINK.fullmatch(text, mark.start, mark.end):
            return False
        if SAYS.match(text, mark.end) and text[mark.end : mark.end + 1].isspace():
            lead = text[max(start, mark.start - 40) : mark.start].rstrip(" *_")
            if (
                not lead
                or lead[-1] in ".,;:，；："
                or lead.lower().endswith((" and", " while", " but"))
            ):
                return True
        before = text[max(start, mark.start - 100) : mark.start]
        if _IN_BRACKET.search(before):
            return False
        word = _LAST_WORD.search(before)
        last = text[mark.end : end].lstrip(' ]"”*_')[:1]
        if word is None:
            return False
        if word[1].lower() in ARTICLES or not _has_words(before):
            return word[1].lower() in ARTICLES | _GOVERNS and last.islower()
        if word[1].lower() not in _GOVERNS:
            return False
        if not last or last in ".,;:!?。)）":
            previous = _LAST_WORD.search(before[: word.start()])
            return word[1].lower() not in _PARTICLES or (
                previous is not None and previous[1].lower() in REPORTED
            )
        return last.islower()


def _has_words(before: str) -> bool:
    """Whether the part of a sentence before a mark says more than that a mark follows."""
    segment = _SEGMENT.search(before)
    words = _WORD.findall(segment[0] if segment else before)
    return any(word.lower() not in LEADS_TO_MARK | REPORTED for word in words)


def _runs(words: str) -> bool:
    """Whether words hold white space other than single blanks."""
    return "  " in words or (
        not words.isprintable() and any(sign in words for sign in "\n\r\t\x0b\x0c\x85\u2028\u2029")
    )


class _Sentence:
    """Words on their way to a clean sentence, each character with its place in the text."""

    def __init__(self, words: str, places: Sequence[int]) -> None:
        self.words = words
        self.places = places

    def put(self, pattern: re.Pattern[str], sign: str, keep: str | None = None) -> None:
        """Put one sign, or nothing, in place of each match; `keep` is left where it is one."""
        matches = [match.span() for match in pattern.finditer(self.words)]
        spans = [span for span in matches if self.words[slice(*span)] != keep]
        if spans:
            self._replace([(start, end, sign) for start, end in spans])

    def drop_leads(self) -> None:
        """Drop the words that only lead to what was taken out: `According to [5], `."""
        changes: list[tuple[int, int, str]] = []
        words = self.words
        floor = 0
        at = words.find(_HOLE)
        while at >= 0:
            segment = _SEGMENT.search(words, max(floor, at - 100), at)
            begin = segment.start() if segment else max(floor, at - 100)
            if segment or begin == floor:
                lead = words[begin:at]
                said = _WORD.findall(lead)
                leads = (
                    bool(said)
                    and not _DIGIT.search(lead)
                    and said[-1].lower() in _GOVERNS | {"see", "cf", "e", "i", "g"}
                )
                if leads and all(word.lower() in LEADS_TO_MARK | REPORTED for word in said):
                    begin += lead[0] in ".!?()（）\n。" if segment else 0
                    stop = at + 1
                    while stop < len(words) and words[stop] in " ,，" + _HOLE:
                        stop += 1
                    changes.append((begin, stop, _HOLE))
                    floor = stop
            floor = max(floor, at + 1)
            at = words.find(_HOLE, floor)
        self._replace(changes)

    def close(self) -> None:
        """Close the sentence over its holes: one blank, or none before a stop or a bracket."""
        words = self.words
        changes: list[tuple[int, int, str]] = []
        for match in _RUN.finditer(words):
            start, end = match.span()
            before, after = words[:start][-1:], words[end : end + 1]
            blank = any(sign.isspace() for sign in match[0])
            if not before or not after:
                changes.append((start, end, ""))
                continue
            if after in ".,;:!?。，；：！？、…" + _CLOSE or before in _OPEN:
                # a separator that stood before the mark has nothing to separate any more
                while start and words[start - 1] in _SEPARATORS and after not in "-–—":
                    start -= 1
                    while start and words[start - 1].isspace():
                        start -= 1
                if after == "." and words[:start][-1:] in (".", "!", "?", "。"):
                    end += 1
                french = after in ":;!?" and words[end - 1 : end].isspace()
                changes.append((start, end, " " if french else ""))
                continue
            wide = _WIDE.match(before) or _WIDE.match(after)
            glued = before.isalnum() and after.isalnum() and not wide
            changes.append((start, end, " " if (blank and not wide) or glued else ""))
        self._replace(changes)

    def trim(self) -> None:
        """Take off what cannot begin or end a sentence: blanks, separators, an open bracket."""
        lead = _TRAILING_LEAD.search(self.words)
        if lead:
            self._replace([(lead.start(), len(self.words), "")])
        self._drop_unmatched()
        words = self.words
        bullet = _BULLET.match(words)
        start, end = bullet.end() if bullet else 0, len(words)
        while start < end and (words[start].isspace() or words[start] in ",;:)）]】、，；："):
            start += 1
        while end > start and (words[end - 1].isspace() or words[end - 1] in ",;–—(（[【、，；|"):
            end -= 1
        if end > start + 1 and words[end - 1] in "-:：" and words[end - 2].isspace():
            end = len(words[: end - 1].rstrip())
        joint = _JOINT.search(words, start, end)
        if joint:
            end = joint.start()
        lead = _LEADING_JOINT.match(words, start, end)
        if lead and end - lead.end() > 8:
            start = lead.end()
        self.words, self.places = words[start:end], self.places[start:end]

    def _drop_unmatched(self) -> None:
        """Drop brackets whose partner is in another part of the sentence; `1)` keeps its own."""
        opened: list[int] = []
        unmatched: list[int] = []
        for match in _BRACKET.finditer(self.words):
            at = match.start()
            if match[0] in _OPEN:
                opened.append(at)
            elif opened and _OPEN.index(self.words[opened[-1]]) == _CLOSE.index(match[0]):
                opened.pop()
            elif not _LABEL.search(self.words, max(0, at - 4), at):
                unmatched.append(at)
        self._replace([(at, at + 1, "") for at in sorted(opened + unmatched)])

    def _replace(self, changes: Sequence[tuple[int, int, str]]) -> None:
        """Make changes that are in order; each puts at most one sign in place of a stretch."""
        if not changes:
            return
        pieces: list[str] = []
        places: list[int] = []
        at = 0
        for start, end, sign in changes:
            start = max(start, at)
            pieces += [self.words[at:start], sign]
            places += self.places[at:start]
            if sign:
                places.append(self.places[min(start, len(self.places) - 1)])
            at = max(end, at)
        pieces.append(self.words[at:])
        places += self.places[at:]
        self.words, self.places = "".join(pieces), places


def _says(mark: Mark, text: str) -> bool:
    """Whether a mark's own words are part of what is claimed."""
    if mark.kind == "native":
        return not _PROVIDER_MARK.fullmatch(text, mark.start, mark.end)
    if mark.kind == "author_year":
        return mark.style == "narrative"
    return mark.kind == "case_law" and text[mark.start] not in "(（["
