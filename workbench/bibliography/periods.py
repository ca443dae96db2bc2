"""Years, quarters, months and numbers by which issues of one series differ."""

import re
from collections.abc import Mapping
from functools import lru_cache

from workbench.bibliography.keys import fold

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
