"""Is this the same title? Subtitles, translations, near misses, and the periods of a series."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from workbench.bibliography.keys import fold, title_key, title_words
from workbench.records.bibliography import csl_text
from workbench.records.text import Json, JsonDict

_SUBTITLE = re.compile(r"[:：;；—–?!？！]|,\s(?=\d{4}\s?[–-])|\s\((?=\d{4}\s?[–-])|\.\s|\s-\s|--")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OTHER_SCRIPT = re.compile("[\u0370-\u1fff\u3040-\uffdc]")
_MATH = re.compile(r"\$[^$]{0,80}\$|\\\([^\\]{0,80}\\\)|<math.*?</math>|<[^<>]{1,60}>", re.DOTALL)
_NOTICE = re.compile(
    r"\A\W*(?:retracted(?:\s+(?:article|paper|chapter))?|withdrawn|removed)\s*[:：\]—–-]\s*",
    re.IGNORECASE,
)
"""What publishers put before the title of a retracted work."""
_KINDS_ABOUT = (
    r"repl(?:y|ies)|response|rejoinder|comment(?:ary|s)?|discussion|correction|corrigend(?:um|a)|errat(?:um|a)"
    r"|addendum|retraction(?:\s+notice|\s+note)?|expression of concern|editorial(?:\s+expression of concern)?"
    r"|(?:book\s+)?review|letter(?:\s+to the editor)?|preface|foreword|erwiderung|antwort|kommentar|berichtigung"
    r"|rezension|réponse|commentaire|compte[- ]rendu|rectificatif|respuesta|comentarios?|reseña|corrección"
    r"|risposta|commento|recensione"
)
_ABOUT = re.compile(
    rf"\A\W*(?:(?:the\s|a\s|an\s)?(?:(?:authors?|publishers?|editors?)(?:['’]?s?['’]?)\s+)?(?:{_KINDS_ABOUT})"
    r"(?:\s*[:：\]—–]+\s*|\s+(?:to|on|of|re|regarding|concerning|for|auf|zu|zum|zur|von|à|sur|de|du|a|al|sobre|su)"
    r"(?:\s+the\s+(?:book|article|paper|letter|comment|editorial)(?=\W))?[\s:：]+)|(?:in\s+reply(?:\s+to)?|re)\s*[:：]\s*"
    r"|(?:评论|评|答复|回复|勘误|更正|书评)[:：《“])(?=\S)",
    re.IGNORECASE,
)
"""What stands before the title of the work that a reply, a correction or a review is about."""
_ABOUT_AFTER = re.compile(
    r"\s*[:：.,;—–([-]+\s*(?:(?:a|an|the|authors?['’]?s?|book)\s+){0,2}(?:reply|response|rejoinder|comment(?:ary)?"
    r"|corrections?|corrigendum|erratum|addendum|retraction|book\s+review|editorial|(?<=[(\[])review|erwiderung"
    r"|kommentar|berichtigung|réponse|respuesta)(?:\s+(?:to|on)\s.{2,60})?[)\].]?\Z",
    re.IGNORECASE,
)
_SPELLED = (
    {"&": "and", "und": "and", "et": "and", "y": "and", "och": "and", "og": "and", "en": "and"}
    | {"%": "percent", "vs": "versus", "×": "x", "≥": ">=", "≤": "<="}
    | {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp", "+": "plus", "@": "at"}
    | {
        word: str(number)
        for number, words in enumerate(
            "one two three|iii four|iv five six|vi seven|vii eight|viii nine|ix ten eleven|xi "
            "twelve|xii thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(),
            1,
        )
        for word in words.split("|")
    }
    | {"ii": "2", "i": "1", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60"}
    | {"seventy": "70", "eighty": "80", "ninety": "90", "programme": "program"}
    | dict(
        zip(
            "αβγδεζηθικλμνξοπρστυφχψω",
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
            " sigma tau upsilon phi chi psi omega".split(),
            strict=True,
        )
    )
)
"""Signs, numerals and letters that are written out, as one of their spellings."""
_SCALES = {"M": " million", "B": " billion", "K": " thousand", "k": " thousand"}
_SCALE = re.compile(r"(?<=\d)[MBKk]\b")
_PIECE = re.compile(r"[cf]#|c\+\+|\d+(?:[.,]\d+)+|[^\W\d_]+|\d+|[&%×≥≤+@]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+")
_BRITISH = re.compile(
    r"(?<=[a-z]{3})(?:is(?=(?:e[drs]?|ing|ations?)\Z)|ys(?=(?:e[drs]?|ing)\Z)|l(?=l(?:ed|ing|er)\Z))"
    r"|(?<=[a-z]{2}o)u(?=r(?:s|ed|ing|al|ally)?\Z)"
)
_AMERICAN = {"is": "iz", "ys": "yz"}
_CENTRE = re.compile(r"(?<=[a-z]{3})tre(s?)\Z")
_ABOUT_OTHERS = re.compile(rf"\A\W*(?:{_KINDS_ABOUT})\s(?:for|to|on|of)\s", re.IGNORECASE)
_EXACT = re.compile(r"[cf]#|c\+\+|\d+[.,]\d+")
_COINED = re.compile(r"\A(?=.{3})(?:\S*[a-z]-?[A-Z]\S*|[A-Z][A-Z\d-]{2,})\Z")
"""A name that somebody made up for a method or a data set, and no word: `TabNet`, `BERT`."""
_DELIMITERS = frozenset(".,:;\"“”„‘’'()[]{}*_?!—–-|«»《》「」『』。，：；、\n")
_IS_ABOUT = "One of the two is a reply to the other work, a correction or a review of it."
ABOUT_SIMILARITY = 0.34
"""What two titles count as sharing where one work is about the other."""
NEARLY_THE_SAME = 0.9
_LONGEST = 400
"""Characters of a title that are compared sign by sign."""


class TitleComparison(NamedTuple):
    """How a title compares with those of a record."""

    agrees: bool | None
    """None where one is missing, or they are in two scripts."""
    similarity: float
    """1 for the same title, 0 for titles that share nothing."""
    title: str
    """The record's title that is nearest."""
    why: str
    misread: bool = False
    """The record's title stands in the entry's text, and the entry was read as another title."""


def compare_title(title: str, record: JsonDict, text: str = "") -> TitleComparison:
    """How an entry's title compares with the nearest title of a record.

    Case, accents, punctuation, hyphens and markup do not count. A title without its subtitle
    agrees; one word more or less, or another word, does not.

    Args:
        title: The entry's title.
        record: A CSL-JSON item; other titles of the work under `custom.titles`.
        text: The entry as it stands: a title that stands in it between punctuation was read
            wrongly, not written wrongly.
    """
    best = TitleComparison(None, 0.0, "", "")
    for known in record_titles(record):
        comparison = _compare(title, known)
        about = comparison.why == _IS_ABOUT
        if comparison.agrees is not True and not about and text and stands_in(known, text):
            comparison = TitleComparison(True, 1.0, known, "", misread=True)
        if comparison.agrees:
            return comparison
        if not best.title or comparison.similarity > best.similarity:
            best = comparison
    return best


def record_titles(record: JsonDict) -> list[str]:
    """The titles of a CSL-JSON item: with its subtitle, without, short, original, translated."""
    title = csl_text(record, "title")
    subtitle = csl_text(record, "subtitle")
    titles = [f"{title}: {subtitle}"] if title and subtitle else []
    titles += [title] if title else []
    titles += [
        short for key in ("title-short", "original-title") if (short := csl_text(record, key))
    ]
    custom: Json = record.get("custom")
    listed = custom.get("titles") if isinstance(custom, Mapping) else None
    if isinstance(listed, Sequence) and not isinstance(listed, str):
        titles += [other for other in listed if isinstance(other, str) and other.strip()]
    plain = [_NOTICE.sub("", known) or known for known in titles]
    return list(dict.fromkeys(plain))


def stands_in(title: str, text: str) -> bool:
    """Whether a title stands in a text as a field of its own, between punctuation."""
    words = re.findall(r"\w+", fold(title)[:_LONGEST])
    if len("".join(words)) < 12:
        return False
    folded = _folded_text(text)
    if not all(word in folded for word in words):
        return False
    pattern = (
        r"[\W_]+".join(map(re.escape, words))
        if not _WIDE.search(title)
        else r"[\W_]*".join(map(re.escape, words))
    )
    for match in re.finditer(pattern, folded):
        before = folded[: match.start()].rstrip(" \t")[-1:]
        after = folded[match.end() :].lstrip(" \t")[:1]
        whole_words = not (before.isalnum() and folded[match.start() - 1 : match.start()].isalnum())
        if whole_words and before in _DELIMITERS | {""} and after in _DELIMITERS | {""}:
            return True
    return False


@lru_cache(maxsize=64)
def _folded_text(text: str) -> str:
    """An entry's text, which is searched for the titles of several records."""
    return fold(text)


def _compare(title: str, known: str) -> TitleComparison:
    key, known_key = title_key(title), title_key(known)
    if not key or not known_key:
        return TitleComparison(None, 0.0, known, "")
    spelled, known_spelled = _spelled(title), _spelled(known)
    if spelled == known_spelled:
        return TitleComparison(True, 1.0, known, "")
    if key == known_key or title_key(_MATH.sub("", title)) == title_key(_MATH.sub("", known)):
        if _EXACT.search(title.casefold() + known.casefold()) is None:
            return TitleComparison(True, 1.0, known, "")
        return TitleComparison(False, 0.9, known, _difference(title, known))
    if _is_about(title, known) or _is_about(known, title):
        return TitleComparison(False, ABOUT_SIMILARITY, known, _IS_ABOUT)
    if _without_subtitle(known, title) or _without_subtitle(title, known):
        return TitleComparison(True, 0.95, known, "")
    if script_of(title) != script_of(known):
        return TitleComparison(None, 0.0, known, "The two titles are in different scripts.")
    return TitleComparison(False, similarity(title, known), known, _difference(title, known))


def _spelled(title: str) -> str:
    """A title's letters and digits with its signs, numerals and Greek letters written out."""
    written = _SCALE.sub(lambda match: _SCALES[match[0]], _MATH.sub("", title))
    folded = fold(written).replace("per cent", "percent")
    pieces = []
    for piece in _PIECE.findall(folded):
        if _THOUSANDS.fullmatch(piece):
            piece = re.sub("[.,]", "", piece)
        piece = _BRITISH.sub(lambda match: _AMERICAN.get(match[0], ""), piece)
        piece = _CENTRE.sub(r"ter\1", piece)
        pieces.append(_SPELLED.get(piece, piece.replace(",", ".")))
    return "".join(pieces)


def _is_about(title: str, other: str) -> bool:
    """Whether a title is that of a reply to the other work, of a correction or a review of it."""
    lead, tail = _ABOUT.match(title), _ABOUT_AFTER.search(title[-120:])
    # `Correction for Roe and Lind, Walls of the north`
    named_last = len(title_key(other)) > 20 and title_key(title).endswith(title_key(other))
    if named_last and _ABOUT_OTHERS.match(title):
        return True
    if not (lead or tail):
        return False
    start = lead.end() if lead else 0
    end = len(title) - len(title[-120:]) + tail.start() if tail else len(title)
    named = title[start:end].strip(" \"“”'‘’«»《》")
    key, other_key = title_key(named), title_key(other)
    if len(key) < 8:
        return False
    return (
        key == other_key
        or other_key.startswith(key)
        or key.startswith(other_key)
        or (
            similarity(named, other) > similarity(title, other)
            and similarity(named, other) >= NEARLY_THE_SAME
        )
    )


def _without_subtitle(whole: str, title: str) -> bool:
    """Whether a title is what stands before a subtitle of `whole`, or the subtitle."""
    key = title_key(title)
    if len(key) < 8 and not _WIDE.search(key) and not _COINED.search(title):
        return False
    spelled = _spelled(title)
    return any(
        key == title_key(whole[: cut.start()])
        or spelled == _spelled(whole[: cut.start()])
        or (len(key) > 24 and key == title_key(whole[cut.end() :]))
        for cut in _SUBTITLE.finditer(whole[:_LONGEST])
    )


def similarity(title: str, other: str) -> float:
    """How much two titles share, from 0 to 1: the mean of shared words (Dice) and shared signs."""
    words, other_words = set(title_words(title)), set(title_words(other))
    if not words or not other_words:
        return 0.0
    shared = 2 * len(words & other_words) / (len(words) + len(other_words))
    if shared < 0.2:
        return shared
    first, second = title_key(title)[:_LONGEST], title_key(other)[:_LONGEST]
    signs = SequenceMatcher(None, first, second, autojunk=False).ratio()
    return (shared + signs) / 2


def _difference(title: str, known: str) -> str:
    words, known_words = title.split(), known.split()
    folded = [title_key(word) for word in words]
    known_folded = [title_key(word) for word in known_words]
    parts = []
    matcher = SequenceMatcher(None, folded, known_folded, autojunk=False)
    for kind, start, end, known_start, known_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        here, there = " ".join(words[start:end]), " ".join(known_words[known_start:known_end])
        if here and there:
            parts.append(f"“{here}” where the record has “{there}”")
        elif here:
            parts.append(f"“{here}” is not in the record's title")
        else:
            parts.append(f"“{there}” is missing")
    return "; ".join(parts) + "." if 0 < len(parts) <= 3 else "The title is another one."


def script_of(words: str) -> str:
    """Which script most letters belong to: `latin`, or `other` for any other."""
    letters = [sign for sign in words if sign.isalpha()]
    other = sum(bool(_OTHER_SCRIPT.match(sign)) for sign in letters)
    return "other" if other * 2 > len(letters) else "latin"


_YEARS = re.compile(
    r"(?<!\d)((?:1[89]|20)\d\d)(?:\s?[/–-]\s?(\d{2}|\d{4})(?!\d))?(?!\d)|\bfy\s?'?(\d\d)(?!\d)"
)
_ISSUE = re.compile(
    r"(?<![\d/])(\d{1,2})\s?/\s?((?:1[89]|20)\d\d)(?!\d)|(?<!\d)((?:1[89]|20)\d\d)\s?[/-]\s?(\d{1,3})(?!\d)"
)
_NUMBER = re.compile(r"\d+")
_ROMAN = {"ii": 2, "iii": 3, "iv": 4, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "xi": 11, "xii": 12}
_WORD = re.compile(r"[a-z]+")
_NAMES: dict[str, dict[int, str]] = {
    "month": {
        1: "january jan januar janvier enero gennaio janeiro januari 1月 一月",
        2: "february feb februar fevrier febrero febbraio fevereiro februari 2月 二月",
        3: "march mar marz mars marzo marco maart 3月 三月",
        4: "april apr avril abril aprile 4月 四月",
        5: "may mai mayo maggio maio mei 5月 五月",
        6: "june jun juni juin junio giugno junho 6月 六月",
        7: "july jul juli juillet julio luglio julho 7月 七月",
        8: "august aug aout agosto augustus 8月 八月",
        9: "september sep sept septembre septiembre settembre setembro 9月 九月",
        10: "october oct oktober octobre octubre ottobre outubro 10月 十月",
        11: "november nov novembre noviembre novembro 11月 十一月",
        12: "december dec dezember decembre diciembre dicembre dezembro 12月 十二月",
    },
    "season": {
        1: "spring fruhjahr fruhling printemps primavera 春季",
        2: "summer sommer ete verano estate 夏季",
        3: "autumn fall herbst automne otono autunno 秋季",
        4: "winter hiver invierno inverno 冬季",
    },
    "quarter": {
        1: "q1 1q t1 first.quarter erstes.quartal 1..quartal premier.trimestre primer.trimestre 第一季度 一季度",
        2: "q2 2q t2 second.quarter zweites.quartal 2..quartal deuxieme.trimestre segundo.trimestre 第二季度 二季度",
        3: "q3 3q t3 third.quarter drittes.quartal 3..quartal troisieme.trimestre tercer.trimestre 第三季度 三季度",
        4: "q4 4q t4 fourth.quarter viertes.quartal 4..quartal quatrieme.trimestre cuarto.trimestre 第四季度 四季度",
    },
    "half": {
        1: "h1 1h first.half erstes.halbjahr premier.semestre primer.semestre 上半年",
        2: "h2 2h second.half zweites.halbjahr deuxieme.semestre segundo.semestre 下半年",
    },
}  # fmt: skip
_PATTERNS: dict[str, list[tuple[int, re.Pattern[str]]]] = {
    kind: [
        (
            number,
            re.compile("|".join(rf"(?<![^\W_])(?:{name})(?![a-z\d])" for name in names.split())),
        )
        for number, names in by_number.items()
    ]
    for kind, by_number in _NAMES.items()
}
Designators = Mapping[str, frozenset[int]]


def years_in(text: str) -> frozenset[int]:
    """The years in a text: both of `2023/24`, that of `FY24`."""
    years: set[int] = set()
    for year, end, fiscal in _YEARS.findall(fold(text)):
        if fiscal:
            years.add(2000 + int(fiscal))
            continue
        years.add(int(year))
        if end:
            years.add(int(end if len(end) == 4 else year[:2] + end))
    return frozenset(years)


@lru_cache(maxsize=2048)  # each source is compared with many works
def designators(title: str) -> Designators:
    """What tells an issue of a series from the next one, by kind; years aside.

    >>> designators("Conversion tracker, fourth quarter 2024")["quarter"]
    frozenset({4})
    """
    folded = fold(title)
    issues = set()
    for number, _, year, behind in _ISSUE.findall(folded):
        if number or int(behind) != (int(year) + 1) % 100:  # `2023/24` is a year
            issues.add(int(number or behind))
    folded = _YEARS.sub(" ", folded)
    found = {"issue": frozenset(issues)}
    for kind, patterns in _PATTERNS.items():
        numbers = {number for number, pattern in patterns if pattern.search(folded)}
        if kind in ("quarter", "half"):
            for _, pattern in patterns:
                folded = pattern.sub(" ", folded)
        found[kind] = frozenset(numbers)
    roman = {_ROMAN[word] for word in _WORD.findall(folded) if word in _ROMAN}
    found["number"] = frozenset(map(int, _NUMBER.findall(folded)[:20])) | roman
    return found


def other_issue(title: str, other: str, beside: str = "", beside_other: str = "") -> str:
    """What makes two titles those of two issues of a series, in a word; empty where nothing does.

    Quarters, months and seasons differ where both titles name some and share none; the issue of
    `3/2024` may be a quarter, a month or a number. Numbers differ
    where each has one that the other and what stands beside it do not have.
    """
    here, there = designators(title), designators(other)
    for kind in ("quarter", "half", "month", "season"):
        if here[kind] and there[kind] and not here[kind] & there[kind]:
            return kind
    for one, other_one in ((here, there), (there, here)):
        counted = frozenset().union(*other_one.values())
        if one["issue"] and counted and not one["issue"] & counted:
            return "issue"
    numbers, others = here["number"], there["number"]
    if numbers - others and others - numbers:
        missing = numbers - others - designators(beside_other)["number"]
        extra = others - numbers - designators(beside)["number"]
        if missing and extra:
            return "number"
    return ""
