"""Find a judge's quotes in the passages it read and give them their place in the source.

Normalisation, applied to quote and source alike: runs of white space are one space; curly, low and
angle quotation marks are straight; every dash is a hyphen; ligatures and compatibility forms are
spelled out (NFKC, a character at a time); soft hyphens, zero-width, control, private-use and other
invisible characters are dropped; `⟨` and `⟩`, which prompts show for `<` and `>`, are these again.
Case and wording are not touched: a paraphrase is not a quote. A quote may leave something out with
an ellipsis of its own: the parts must stand in the source in that order.

A part of a source that states nothing (a heading, a question, a byline, a menu) may hold every word
of a claim and still bear out nothing, so no verdict rests on it alone. The rules are narrow: what
they are not sure of counts as a statement.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.language.tokenization import is_unspaced, segment
from workbench.records.source import Passage
from workbench.records.text import Span, fold_compatible
from workbench.records.verdict import Evidence

LONGEST_TITLE = 120
"""Code points of a title in a list."""
FEWEST_WORDS = 4
LONGEST_BARE = 6
"""Ideographs of a heading that stands without a sign."""
TITLE_CASE = 0.8
"""The share of a title's longer words that begin with a capital."""
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S")
_ITEM = re.compile(r"\s*(?:[-*•·▪◦●○–]|\d{1,3}[.)])\s+")
_QUESTION_END = re.compile(r"[?？؟]+[\s\"'”’»」』)）\]]*\Z")
_END = re.compile(r"[.!。！:：…;；|]")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_GAP = re.compile(r"\n[^\S\n]*\n[^\S\n]*\Z")
_BELOW = re.compile(r"\n[^\S\n]*+([^\n]*)\n\s*+(?:[^\n]|\n(?!\s*\n))*?[.!。！…](?!\w)")
"""The line below another, and the next lines as far as their first sentence ends."""
_END_OF_SENTENCE = re.compile(r"[.!。！…;；][\"'”’»」』)）\s]*\Z")
LONGEST_BYLINE = 160
"""Code points of a line that says who wrote a page, and when."""
_NAME = r"(?-i:[A-ZÀ-ÞŁŚŠŽČĐ][\w.'’-]*)"
_DATE = (
    r"\s*(?=\D{0,15}\d)[\d.,/:\s年月日时分-]*"
    r"(?:(?:[^\W\d_]{1,12}[.,]?\s*){1,3}\d[\d.,/:\s-]*){0,2}(?:[^\W\d_]{1,4}\.?)?"
)
_BYLINE = re.compile(
    rf"(?:by|von|par|por|di|door)\s+{_NAME}(?:,?\s(?:{_NAME}|and|und|et|y|en|de|del|di|da|dos|la|van|von|der|bin|al|el)){{0,8}}"
    rf"\s*(?:[|·•–—-](?:[^.!?。]|\.(?=\d)|(?<=\d)\.)*|,{_DATE})?\Z"
    r"|(?:作者|记者|記者|责任编辑|責任編輯|编辑|来源|來源)\s?[：:/／]\s*\S[^。！？]{0,80}\Z",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"(?:last |zuletzt |dernière |última )?(?:published|updated|update|posted|modified"
    r"|aktualisiert|veröffentlicht|publié|mis(?:e)? à jour|publicado|actualizado|actualización"
    r"|pubblicato|aggiornato|gepubliceerd|bijgewerkt|发布时间|更新时间|發布時間|发布于|更新于)"
    rf"(?: on| am| le| el| il| op)?\s*[:：]?{_DATE}\Z",
    re.IGNORECASE,
)
_OTHER_ARTICLES = (
    r"(?:read (?:also|more|next|this)|also read|see also"
    r"|related(?: (?:articles?|stor(?:y|ies)|posts?|links?|news|topics|content|reading|coverage))?"
    r"|most (?:read|popular|viewed)"
    r"|more (?:on this|like this|from \w[\w ]{1,30}|stories|news)|trending(?: now)?|popular now"
    r"|recommended (?:for you|reading|articles)|you (?:may|might) also (?:like|be interested in)"
    r"|lesen sie auch|auch interessant|mehr (?:zum thema|dazu|aus \w[\w ]{1,30})|meistgelesen"
    r"|das könnte sie (?:auch )?interessieren|(?:weitere|verwandte|ähnliche) (?:artikel|meldungen|themen|beiträge)"
    r"|(?:à )?lire (?:aussi|également)|voir aussi|(?:sur|dans) le même (?:sujet|thème)|les plus (?:lus|vus)"
    r"|articles? (?:liés|similaires|connexes|associés)|le[ae]r? (?:también|más)|(?:también )?(?:te|le) puede interesar"
    r"|(?:lo )?más (?:leído|visto)s?|(?:noticias|artículos|notas|contenidos?) relacionad[oa]s?|ver también"
    r"|leia (?:também|mais)|mais lidas|leggi anche|i più letti|articoli correlati|lees ook|meest gelezen"
    r"|(?:相关|相關)(?:阅读|閱讀|文章|新闻|新聞|链接|連結|推荐|推薦|报道|報導)|延伸(?:阅读|閱讀)|推荐阅读|推薦閱讀"
    r"|热门(?:文章|新闻|推荐)|熱門(?:文章|新聞)|更多(?:阅读|新闻|新聞)|猜你喜欢)"
)
_TEASER_LABEL = re.compile(rf"[\s#>*_•–-]*{_OTHER_ARTICLES}", re.IGNORECASE)
_TITLE_FOLLOWS = re.compile(r"[*_]*\s*[:：|»›–—-]")
_LIST_FOLLOWS = re.compile(r"[\s*_:：»›.…-]*\Z")
_PLACE = r"[A-ZÀ-Þ\u3040-\u9fff][^\n.!?。<>›»→]{0,40}"
_MENU = re.compile(
    r"(?:home(?:page)?|start(?:seite)?|accueil|inicio|início|portada|首页|首頁|主页|ホーム)\s*[|·•/›»>→](?!\s*\Z)",
    re.IGNORECASE,
)
_TRAIL = re.compile(rf"(?:{_PLACE}(?: > |\s?[›»→]\s?)){{2,}}{_PLACE}\Z")
"""Where a page stands among the others: Home › News › Council."""
MOST_ITEMS = 40
"""So many items of a list are looked over for the line above it."""


def passage_of(span: Span, passages: Sequence[Passage]) -> Passage | None:
    """The passage that holds a span of the source; None where no passage does."""
    return next((p for p in passages if p.start <= span.start and span.end <= p.end), None)


def why_no_statement(span: Span, passages: Sequence[Passage], title: str | None) -> str | None:
    """Why a part of a passage states nothing; None where it does, or where no passage holds it.

    `span` counts code points of the source, as the passages' do. A part that reaches into
    several lines or sentences states nothing only if none of them does. `title` is the source's.
    """
    passage = passage_of(span, passages)
    if passage is None:
        return None
    part = Span(max(span.start, passage.start), min(span.end, passage.end))
    inside = Span(part.start - passage.start, part.end - passage.start)
    reasons = [
        _reason(passage.text, sentence)
        for sentence in segment(passage.text)
        if sentence.start < inside.end and sentence.end > inside.start
    ]
    if _folded(inside.of(passage.text)) in map(_folded, filter(None, (passage.heading, title))):
        return "heading"
    return reasons[0] if reasons and all(reasons) else None


def _reason(text: str, sentence: Span) -> str | None:
    line = line_around(text, sentence.start)
    if _QUESTION_END.search(sentence.of(text)):
        return "question"
    if _is_no_prose(line.of(text).strip()):
        return "byline or menu"
    if _is_teaser(text, line):
        return "title of another article"
    if _HEADING.match(line.of(text)) or _is_bare_title(text, line):
        return "heading"
    if _is_title(line.of(text)) and any(map(_is_title, _neighbors(text, line))):
        return "title in a list"
    return None


def line_around(text: str, at: int) -> Span:
    """The line of a text that a place is in."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return Span(start, len(text) if end < 0 else end)


def _neighbors(text: str, line: Span) -> list[str]:
    """The nearest lines before and after that are not blank."""
    before = text[: line.start].rstrip().rsplit("\n", 1)[-1]
    after = text[line.end :].lstrip().split("\n", 1)[0]
    return [before, after]


def _is_no_prose(line: str) -> bool:
    forms = (_BYLINE, _DATED, _TRAIL, _MENU)
    return len(line) <= LONGEST_BYLINE and any(form.match(line) for form in forms)


def _is_teaser(text: str, line: Span) -> bool:
    """Whether a line names another article: "Read also: …", or a line below "Related articles"."""
    own = line.of(text)
    if (label := _TEASER_LABEL.match(own)) and _TITLE_FOLLOWS.match(own, label.end()):
        return True
    if _ITEM.match(own):
        before = [other for other in text[: line.start].split("\n") if other.strip()][-MOST_ITEMS:]
        above = next((other for other in reversed(before) if not _ITEM.match(other)), "")
    else:  # titles without signs, right below the label
        block = re.split(r"\n[^\S\n]*\n", text[: line.end])[-1].strip().split("\n")[-MOST_ITEMS:]
        if any(_END_OF_SENTENCE.search(other) for other in block):
            return False
        above = next((other for other in block[:-1] if _TEASER_LABEL.match(other)), "")
    label = _TEASER_LABEL.match(above)
    return label is not None and _LIST_FOLLOWS.match(above, label.end()) is not None


def _is_bare_title(text: str, line: Span) -> bool:
    """Whether a line is a few words above the rest: no figure, no end, no colon, a gap before it.

    One of more words needs a gap or a byline after it too, and sentences below.
    """
    own = line.of(text).strip()
    if _END.search(own) or re.search(r"[\d\t]", own) or _ITEM.match(own):
        return False
    if not text[line.end :].strip() or not _GAP.search(text[: line.start][-40:] or "\n\n"):
        return False
    if is_unspaced(own):
        return len(own) <= LONGEST_BARE
    if len(_WORD.findall(own)) < FEWEST_WORDS:
        return True
    below = _BELOW.match(text, line.end) if len(own) <= LONGEST_TITLE else None
    return below is not None and (not below[1] or _is_no_prose(below[1].strip()))


def _is_title(line: str) -> bool:
    """Whether a line is written like a title: short, capitalized, without an end or a colon."""
    plain = _ITEM.sub("", line, count=1).strip()
    if not plain or len(plain) > LONGEST_TITLE or _END.search(plain):
        return False
    words = _WORD.findall(plain)
    longer = [word for word in words if len(word) > 3]
    capitalized = sum(word[0].isupper() for word in longer)
    return len(words) >= FEWEST_WORDS and capitalized >= TITLE_CASE * len(longer) > 0


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")


SHORTEST = 8
"""A quote of fewer letters, digits or ideographs proves nothing unless it is the whole passage."""

_SINGLE = "‘’‚‛′‹›`´"
_DOUBLE = "“”„‟″«»「」『』"
_DASHES = "‐‑‒–—―−﹘﹣－"
_MAP = {
    **dict.fromkeys(map(ord, _SINGLE), "'"),
    **dict.fromkeys(map(ord, _DOUBLE), '"'),
    **dict.fromkeys(map(ord, _DASHES), "-"),
    ord("…"): "...",
    # brackets stand for signs in a prompt, where a sign could open a tag
    ord("⟨"): "<",
    ord("⟩"): ">",
    ord("≮"): "<\u0338",
    ord("≯"): ">\u0338",
}
_HIDDEN = ("Cf", "Cc", "Co", "Cs")
_IGNORABLE = frozenset(
    code
    for first, last in (
        (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065),
        (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
    )
    for code in range(first, last + 1)
)  # fmt: skip
"""Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties.txt) that no category tells:
joiners, fillers and variation selectors."""
_ELLIPSIS = re.compile(r"\s*(?:\[\s*\.{3}\s*\]|\(\.{3}\)|\.{3,}|…|\[…\])\s*")
_WRAPPED = "\"'“”‘’«»„「」『』 \t\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteMatches:
    """Quotes found in the source, and those that were not, each with its reason."""

    evidence: tuple[Evidence, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    """`(quote, reason)` pairs."""


def normalise(text: str) -> tuple[str, list[int]]:
    """The text in the form quotes are compared in, and for each character its place in `text`."""
    out: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        if char.isspace():
            if out and out[-1] != " ":
                out.append(" ")
                places.append(at)
            continue
        if is_hidden(char):
            continue
        plain = " " <= char < "\x7f" and char != "`"
        form = char if plain else _MAP.get(ord(char), _compatible(char))
        for letter in form:
            if letter.isspace():
                if not out or out[-1] == " ":
                    continue
                letter = " "
            out.append(letter)
            places.append(at)
    return "".join(out), places


def is_hidden(char: str) -> bool:
    """Whether a character is invisible.

    That is: format, control, private use, a lone surrogate, or ignorable by default.
    """
    if char.isascii():
        return not (char.isprintable() or char.isspace())
    if ord(char) in _IGNORABLE:
        return True
    return unicodedata.category(char) in _HIDDEN and not char.isspace()


def locate_quotes(quotes: Sequence[str], passages: Sequence[Passage]) -> QuoteMatches:
    """Each quote as evidence with its offsets in the source, or rejected with a reason.

    The evidence's `quote` is the source's own wording, `source[start:end]`; a quote that stands in
    several places gets the first. A quote with an ellipsis gives one piece of evidence for each of
    its parts. One that states nothing (a heading, a question, a title in a list) is rejected.
    Duplicates are dropped.
    """
    forms = [normalise(passage.text) for passage in passages]
    evidence: list[Evidence] = []
    rejected: list[tuple[str, str]] = []
    for quote in quotes:
        if not quote.strip(_WRAPPED + "."):
            rejected.append((quote, "the quote is empty"))
            continue
        # As given first: only where that fails are quotation marks around it taken as the judge's.
        places = _place(quote, passages, forms) or _place(quote.strip(_WRAPPED), passages, forms)
        if places is None:
            rejected.append((quote, "the quote does not stand in the passages"))
        elif sum(_weight(place.quote) for place in places) < _least(passages):
            rejected.append((quote, f"the quote is shorter than {SHORTEST} letters or digits"))
        elif all(reasons := [why_no_statement(place.span, passages, None) for place in places]):
            rejected.append((quote, f"the quote is only a {reasons[0]}"))
        else:
            evidence.extend(place for place in places if place not in evidence)
    return QuoteMatches(evidence=tuple(evidence), rejected=tuple(rejected))


def locate_words(words: Sequence[str], passages: Sequence[Passage]) -> tuple[Evidence, ...]:
    """Return a few words each, however short, with their first place in the source; others are dropped."""
    forms = [normalise(passage.text) for passage in passages]
    places = (_place(text.strip(_WRAPPED), passages, forms) for text in words)
    return tuple(dict.fromkeys(evidence for found in places for evidence in found or ()))


def _place(
    quote: str, passages: Sequence[Passage], forms: Sequence[tuple[str, list[int]]]
) -> list[Evidence] | None:
    """Where the parts of one quote stand, in their order; None when one of them does not."""
    evidence: list[Evidence] = []
    first, offset = 0, 0
    needles = [normalise(part)[0].strip() for part in _ELLIPSIS.split(quote)]
    for needle in filter(None, needles):
        for i in range(first, len(passages)):
            passage_text, places = forms[i]
            at = passage_text.find(needle, offset if i == first else 0)
            if at < 0:
                continue
            start, end = places[at], places[at + len(needle) - 1] + 1
            span = Span(passages[i].start + start, passages[i].start + end)
            evidence.append(Evidence(quote=passages[i].text[start:end], span=span))
            first, offset = i, at + len(needle)
            break
        else:
            return None
    return evidence or None


def _compatible(char: str) -> str:
    """NFKC of one character and plain ideographs for radicals; combining marks left alone."""
    if unicodedata.combining(char):
        return char
    return unicodedata.normalize("NFKC", fold_compatible(char))


def _weight(quote: str) -> int:
    """Letters and digits of a quote; an ideograph says as much as two letters."""
    return sum(2 if ord(c) > 0x2E7F else 1 for c in quote if c.isalnum())


def _least(passages: Sequence[Passage]) -> int:
    """The weight a quote needs: all of it where the source itself is as short as that."""
    total = sum(_weight(passage.text) for passage in passages)
    return max(1, min(SHORTEST, total))
