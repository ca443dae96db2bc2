"""Words and sentences of a text that keep their places. Pure and linear in the text.

Offsets are code points of the text as given; folding (case, accents,
compatibility forms) and stemming happen on each word alone, so they never move an offset.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from workbench.records.text import Span, fold_compatible

_NEGATIONS_LIST = """
no not never none nobody nothing neither nor cannot without fail failed fails lack lacks lacked
unable refuse refused refuses deny denied denies denying unlikely absent absence barely hardly n't
dont doesnt didnt isnt arent wasnt werent wont cant couldnt hasnt havent hadnt wouldnt shouldnt
aint false incorrect wrong 不 没有 并非 未能 无法 并未 不是 从未
"""
NEGATIONS = frozenset(_NEGATIONS_LIST.split())
_HEDGES_LIST = """
may might could can possibly perhaps probably suggest suggests suggested likely potential
potentially appear appears seem seems associated estimated expected reportedly allegedly about
approximately roughly
"""
HEDGES = frozenset(_HEDGES_LIST.split())

_OPPOSITES = """
increase decrease; increased decreased; increases decreases; increasing decreasing; rise fall;
rose fell; rising falling; higher lower; high low; highest lowest; more less; more fewer; most
least; largest smallest; larger smaller; greater lesser; greater lower; greater less; best
worst; better worse; positive negative; before after; above below; over under; first last; early
late; earlier later; win lose; won lost; winner loser; gain loss; gained lost; accept reject;
accepted rejected; allow prohibit; allowed prohibited; allowed banned; legal illegal; success
failure; succeeded failed; successful unsuccessful; improve worsen; improved worsened; improves
worsens; strong weak; stronger weaker; young old; younger older; youngest oldest; male female;
man woman; men women; mother father; brother sister; son daughter; husband wife; north south;
east west; northern southern; eastern western; left right; support oppose; supported opposed;
agree disagree; agreed disagreed; include exclude; included excluded; open closed; opened
closed; start end; started ended; begin end; began ended; beginning end; safe dangerous; common
rare; same different; similar different; public private; inside outside; internal external;
maximum minimum; major minor; majority minority; join leave; joined left; arrive depart; arrived
departed; buy sell; bought sold; true false; effective ineffective; able unable; possible
impossible; likely unlikely; alive dead; born died; long short; longer shorter; fast slow;
faster slower; hot cold; wet dry; rich poor; easy difficult; easier harder; reduce increase;
reduced increased; reduces increases; expand shrink; benefit harm; beneficial harmful; upper
lower; full empty; dependent independent; enable prevent; cause prevent; causes prevents;
confirm deny; confirmed denied; innocent guilty; acquitted convicted; war peace; day night;
summer winter; morning evening; presence absence; present absent; never always; all none; all
some; some none; many few; both neither; every no; significant insignificant;
增加 减少; 上升 下降; 提高 降低; 增长 下降; 最高 最低; 最大 最小; 支持 反对; 成功 失败; 高于
低于
"""


def _pairs() -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split(";"):
        word, opposite = pair.split()
        opposites.setdefault(word, set()).add(opposite)
        opposites.setdefault(opposite, set()).add(word)
    return {word: frozenset(others) for word, others in opposites.items()}


OPPOSITES: dict[str, frozenset[str]] = _pairs()
"""For a word, the words that say the opposite."""


_RUN = re.compile(r"[^\W_]+")
_PIECE = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]+"
    r"|\d+|[^\W\d_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]"
    r"[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]*"
)
_MARKERS = re.compile(r"\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]|【[^】]{1,20}】")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
"""A character of a script that is written without spaces."""

_STOPWORDS_LIST = """
a about above after again all also although am among an and another any are as at be because been
before being below between both but by can could did do does doing down during each either etc for
from further had has have having he her here hers him his how however i if in into is it its
itself just may me might more most much must my nor of off on once one only or other our out over
own per rather same she should so some such than that the their them then there these they this
those through thus to too under until up upon us very via was we were what when where whether
which while who whom whose why will with within without would you your s t
"""
STOPWORDS = frozenset(_STOPWORDS_LIST.split())
_IRREGULAR_LIST = """
january jan; february feb; march mar; april apr; june jun; july jul; august aug;
september sept sep; october oct; november nov; december dec;
win won winning; write wrote written; begin began begun; become became; take took taken;
give gave given; make made; hold held; lead led; build built; find found; leave left;
sell sold; buy bought; meet met; tell told; say said; know knew known; show shown; grow grew grown;
rise rose risen; fall fell fallen; choose chose chosen; speak spoke spoken; steal stole stolen;
sing sang sung; run ran; come came; teach taught; think thought; bring brought; catch caught;
lose lost; keep kept; spend spent; send sent; lie lay lain; pay paid; fight fought; sit sat;
stand stood; drive drove driven; draw drew drawn; fly flew flown; see saw seen; do done;
strike struck; shoot shot; feel felt; beat beaten; break broke broken; wear wore worn;
child children; wife wives; life lives; leaf leaves; die died dead death; bear born birth;
percent per_cent pct; television tv; versus vs; company co; limited ltd; incorporated inc;
department dept; government govt; kilometre kilometer km; metre meter; centre center;
colour color; favourite favorite; programme program; theatre theater; defence defense
"""


@dataclass(frozen=True, slots=True)
class Word:
    """A word at a place of a text; `stem` is what two words are compared by."""

    stem: str
    start: int
    end: int
    stop: bool
    """True for words that carry no content of their own."""
    name: bool
    """True when it is written like a name: a capital, not the first word of a sentence."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """How rare words are: document frequencies of stems in a background collection."""

    documents: int
    counts: Mapping[str, int]

    def weight(self, stem: str) -> float:
        """Inverse document frequency, scaled to 0..1; an unseen stem counts as seen once."""
        top = math.log(self.documents + 1)
        return math.log((self.documents + 1) / (1 + self.counts.get(stem, 1))) / top


def without_markers(claim: str) -> str:
    """The claim with its citation markers (`[3]`, `[1, 2]`, `[4-6]`) blanked; offsets stay."""
    return _MARKERS.sub(lambda match: " " * len(match.group()), claim)


def is_unspaced(text: str) -> bool:
    """Whether the text holds a script written without spaces between words."""
    return not text.isascii() and UNSPACED.search(text) is not None


@lru_cache(maxsize=65536)
def normalize_word(word: str) -> str:
    """The word in lower case without accents and compatibility forms; may change its length."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", fold_compatible(word))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


@lru_cache(maxsize=65536)
def stem(folded: str) -> str:
    """A folded word without its commonest English endings; irregular forms as their first."""
    return _IRREGULAR.get(folded) or _cut(folded)


def _cut(word: str) -> str:
    """A word without its ending; short words stay as they are."""
    if len(word) < 4 or word[0].isdigit():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, least in (("ing", 6), ("edly", 7), ("ed", 5), ("ly", 6)):
        if word.endswith(ending) and len(word) >= least:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > 4:
        word = word[:-1]
    if word.endswith("i") and len(word) > 3:
        word = word[:-1] + "y"
    return word


_IRREGULAR = {
    form: _cut(group.split()[0]) for group in _IRREGULAR_LIST.split(";") for form in group.split()
}
"""Irregular and shortened forms, and British spellings, with the stem of the first of their row."""


def pieces(text: str) -> list[tuple[str, int, int]]:
    """The folded words of a text as `(word, start, end)`; unspaced scripts as character pairs."""
    words: list[tuple[str, int, int]] = []
    text = fold_compatible(text)
    for run in _RUN.finditer(text):
        raw, start = run.group(), run.start()
        if raw.isascii() and (raw.isalpha() or raw.isdigit() or raw[0].isalpha()):
            words.append((raw.lower(), start, run.end()))
            continue
        for piece in _PIECE.finditer(raw):
            part, at = piece.group(), start + piece.start()
            if not UNSPACED.match(part):
                words.append((normalize_word(part), at, at + len(part)))
            elif len(part) == 1:
                words.append((part, at, at + 1))
            else:
                words.extend((part[i : i + 2], at + i, at + i + 2) for i in range(len(part) - 1))
    return words


def find_words(text: str) -> list[Word]:
    """Every word of a text in text order, with its stem, place, and whether it is a name."""
    words: list[Word] = []
    for folded, start, end in pieces(text):
        capital = text[start].isupper() and folded not in STOPWORDS
        words.append(
            Word(
                stem(folded),
                start,
                end,
                folded in STOPWORDS,
                capital and end - start > 1 and not _opens_sentence(text, start),
            )
        )
    return words


def content_stems(text: str) -> frozenset[str]:
    """The stems of a text's words that carry content."""
    return frozenset(word.stem for word in find_words(text) if not word.stop)


def _opens_sentence(text: str, start: int) -> bool:
    """Whether the word at `start` is the first of its sentence, where a capital says nothing."""
    before = text[max(0, start - 4) : start].rstrip(" \t\"'“‘(*_#-–—")
    if not before:
        return start <= 4
    return before[-1] in ".!?:\n。！？"


LONGEST = 700
"""A stretch without a sentence end is cut after this many characters."""

LONGEST_REASON = 240
WRAPPED = 45
"""A line of this many characters (half as many in Chinese) may continue in the next one."""

_LINE = re.compile(r"[^\n\r\x0b\x0c\u2028\u2029]+")
_END = re.compile(
    r"[.!?…]+(?:[\"'”’)\]»“«]|[ \u00a0\u202f]»)*(?:\s?\[\d{1,3}\])*(?=\s)|[。！？；]+[”’」』）]*"
)
_BLANK = ("\n\n", "\r\r")
_NO_END_LIST = """
dr mr mrs ms prof st jr sr vs etc fig figs eq no nos vol pp ed eds al approx dept est inc ltd co
corp gen gov hon lt col capt sgt rev rep sen jan feb mar apr jun jul aug sep sept oct nov dec cf
e.g i.e u.s u.k u.n ph.d m.d a.m p.m v
"""
_NO_END = frozenset(_NO_END_LIST.split())
_MARK = re.compile(r"\s(?=#{1,6}\s|[•▪●◦‣·]\s)")
_TAIL = re.compile(r"[^\s(\[\"'“‘]+\Z")


def segment(text: str, unwrap: bool = False) -> list[Span]:
    """The sentences of a text in reading order, without surrounding white space.

    Line ends separate, and so do heading marks and bullets inside a line; sentence punctuation
    does, unless it ends a known abbreviation or an initial, or a small letter follows. With
    `unwrap` a sentence may go on in the next line where it was plainly broken to fit a page.
    Every character that is not white space lies in exactly one span.
    """
    spans: list[Span] = []
    for line in _lines(text, unwrap):
        start = line.start
        for end in _ends(text, line.start, line.end):
            _add(text, start, end, spans)
            start = end
        _add(text, start, line.end, spans)
    return spans


def pack(units: Iterable[Span], most: int) -> list[Span]:
    """Neighboring units joined as long as together they have at most so many characters."""
    spans: list[Span] = []
    for unit in units:
        if spans and unit.end - spans[-1].start <= most:
            spans[-1] = Span(spans[-1].start, unit.end)
        else:
            spans.append(unit)
    return spans


def first_sentence(rationale: str) -> str:
    """The first sentence of a rationale on one line, cut at `LONGEST_REASON` characters."""
    line = " ".join(rationale.split())
    spans = segment(line)
    sentence = spans[0].of(line) if spans else ""
    return sentence if len(sentence) <= LONGEST_REASON else sentence[: LONGEST_REASON - 1] + "…"


def _lines(text: str, unwrap: bool) -> Iterator[Span]:
    start = end = -1
    for match in _LINE.finditer(text):
        if unwrap and start >= 0 and _continues(text, Span(start, end), match):
            end = match.end()
            continue
        if start >= 0:
            yield Span(start, end)
        start, end = match.span()
    if start >= 0:
        yield Span(start, end)


def _continues(text: str, before: Span, line: re.Match[str]) -> bool:
    """Whether a line continues the sentence that the lines before it left open."""
    if line.start() - before.end > 2 or text[before.end : line.start()] in _BLANK:
        return False
    last = text.rfind("\n", before.start, before.end) + 1
    above = text[max(before.start, last, before.end - 400) : before.end].rstrip()
    below = line.group()[:80].lstrip()
    if not above or not below or above[-1] in ".!?:;。！？；：…|" or "\t" in above:
        return False
    if is_unspaced(above[-1]) or above[-1] in "，、":
        return len(above) >= WRAPPED / 2 and is_unspaced(below[0])
    if len(above) < WRAPPED:
        return False
    word = above.rsplit(maxsplit=1)[-1].lower()
    return below[0].islower() or (below[0].isalnum() and (word[-1] == "," or word in STOPWORDS))


def _ends(text: str, start: int, end: int) -> list[int]:
    ends = []
    for match in _END.finditer(text, start, end):
        at = match.end()
        if match.group()[0] in "。！？；":
            ends.append(at)
            continue
        following = text[at : at + 3].lstrip(" \t\u00a0\"'“‘([")
        if following and following[0].islower():
            continue
        if match.group()[0] == "." and _abbreviates(text, start, match.start()):
            continue
        ends.append(at)
    marks = [match.start() for match in _MARK.finditer(text, start, end)]
    return sorted({*ends, *marks}) if marks else ends


def _abbreviates(text: str, start: int, dot: int) -> bool:
    """Whether the full stop at `dot` belongs to an abbreviation or an initial."""
    tail = _TAIL.search(text[max(start, dot - 12) : dot])
    if tail is None:
        return False
    word = tail.group()
    return (len(word) == 1 and word.isupper()) or word.lower() in _NO_END


def _add(text: str, start: int, end: int, spans: list[Span]) -> None:
    """Append the span without its white space, cut where it is too long to be a sentence."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > LONGEST:
        space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = space if space > 0 else start + LONGEST
        spans.append(Span(start, cut))
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if end > start:
        spans.append(Span(start, end))
