"""Whether a quoted part of a source states anything: a heading, a question, a byline, a menu does not. Pure.

Such a part may hold every word of a claim and still bear out nothing, so no verdict rests on it
alone. The rules are narrow: what they are not sure of counts as a statement.
"""

import re
from collections.abc import Sequence

from workbench.judging.segment import segment
from workbench.judging.tokenization import is_unspaced
from workbench.records import Passage, Span

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


def why_no_statement(span: Span, passage: Passage) -> str | None:
    """Why a part of a passage states nothing; None where it does.

    `span` counts code points of the source, as the passage's does. A part that reaches into
    several lines or sentences states nothing only if none of them does.
    """
    part = Span(max(span.start, passage.start), min(span.end, passage.end))
    inside = Span(part.start - passage.start, part.end - passage.start)
    reasons = [
        _reason(passage.text, sentence)
        for sentence in segment(passage.text)
        if sentence.start < inside.end and sentence.end > inside.start
    ]
    if passage.heading and _folded(inside.of(passage.text)) == _folded(passage.heading):
        return "heading"
    return reasons[0] if reasons and all(reasons) else None


def _reason(text: str, sentence: Span) -> str | None:
    line = _line_around(text, sentence.start)
    if _HEADING.match(line.of(text)):
        return "heading"
    if _QUESTION_END.search(sentence.of(text)):
        return "question"
    if _is_no_prose(line.of(text).strip()):
        return "byline or menu"
    if _is_teaser(text, line):
        return "title of another article"
    if _is_bare_title(text, line):
        return "heading"
    if _is_title(line.of(text)) and any(map(_is_title, _neighbors(text, line))):
        return "title in a list"
    return None


def _line_around(text: str, at: int) -> Span:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return Span(start, len(text) if end < 0 else end)


def _neighbors(text: str, line: Span) -> list[str]:
    """The nearest lines before and after that are not blank."""
    before = text[: line.start].rstrip().rsplit("\n", 1)[-1]
    after = text[line.end :].lstrip().split("\n", 1)[0]
    return [before, after]


def _is_no_prose(line: str) -> bool:
    if len(line) > LONGEST_BYLINE:
        return False
    return any(form.match(line) for form in (_BYLINE, _DATED, _TRAIL, _MENU))


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
    """Whether a line is a few words above the rest: no figure, no end, no colon, a gap before it."""
    own = line.of(text).strip()
    if _END.search(own) or re.search(r"[\d\t]", own) or _ITEM.match(own):
        return False
    if not text[line.end :].strip() or not _GAP.search(text[: line.start][-40:] or "\n\n"):
        return False
    if is_unspaced(own):
        return len(own) <= LONGEST_BARE
    return len(_WORD.findall(own)) < FEWEST_WORDS


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
    return " ".join(text.split()).casefold()
