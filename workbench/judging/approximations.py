"""Words that loosen a number: about, nearly, more than, at most, in five languages. Pure.

What a loosened number of a claim allows:

- *about*: 2 %, or what rounding to the claim's last written digit allows where that is more: half
  of that digit's worth, up to 10 % of the number; up to 5 % where the number ends in zeros, since
  nobody knows how many of them were meant. *About 300,000* is 299,792 and 310,000, not 340,000.
- *nearly*, *almost*: the same, from below alone.
- *more than*, *at least*: the number and what is above it, up to twice as much.
- *less than*, *at most*: the number and what is below it, down to half.
- a year: two years to each side, five where it ends in zero.
"""

import math
import re
from typing import Literal

Approximation = Literal["exact", "about", "nearly", "over", "under"]

SHARE = 0.02
"""What *about* allows of any number."""
ROUNDED, ROUND = 0.10, 0.05
"""The most that rounding may account for, of a number with and without a last digit of its own."""
MOST = 2.0
"""*More than* a number is at most so many times the number."""
REACH = 30
"""Code points before a number in which the word stands."""

_BETWEEN = r"(?:\s*(?:a\s+total\s+of|the|the\s+year|einem?|US|[为有是]?\s*每(?:秒|小时)|[为有是])?\s*[€$£¥]?\s*)$"
_BEFORE: tuple[tuple[Approximation, str], ...] = (
    ("under", r"(?:no|not|nicht|pas|no\s+m[aá]s|never)\s+(?:more|mehr|plus)\s+(?:than|als|de|que)"),
    ("over", r"(?:no|not)\s+(?:less|fewer)\s+than|nicht\s+weniger\s+als|pas\s+moins\s+de|no\s+menos\s+de"),
    ("nearly", r"nearly|almost|close\s+to|just\s+(?:under|below|short\s+of)|approaching|knapp(?:\s+unter)?"
               r"|beinahe|nahezu|presque|casi|juste\s+sous|将近|接近|(?<![最附])近"),
    ("over", r"more\s+than|over|above|at\s+least|upwards?\s+of|in\s+excess\s+of|exceed(?:s|ing|ed)?"
             r"|mehr\s+als|über|mindestens|plus\s+de|au\s+moins|más\s+de|al\s+menos|por\s+lo\s+menos"
             r"|超过|多于|至少|逾|高于|>|≥"),
    ("under", r"less\s+than|fewer\s+than|under|below|at\s+most|up\s+to|weniger\s+als|unter|höchstens"
              r"|bis\s+zu|moins\s+de|au\s+plus|jusqu['’]à|menos\s+de|como\s+máximo|hasta"
              r"|不到|少于|低于|不足|至多|不超过|<|≤"),
    ("about", r"about|around|approximately|approx\.?|roughly|some|circa|ca\.|c\.|in\s+the\s+region\s+of"
              r"|of\s+the\s+order\s+of|rund|etwa|ungefähr|zirka|an\s+die|environ|près\s+d[e']|quelque"
              r"|autour\s+de|à\s+peu\s+près|alrededor\s+de|un[oa]s|cerca\s+de|aproximadamente"
              r"|más\s+o\s+menos|大约|大概|约|[~∼≈≃～]"),
)  # fmt: skip
_AFTER: tuple[tuple[Approximation, str], ...] = (
    ("about", r"左右|上下|or\s+so\b|or\s+thereabouts\b|environ\b|más\s+o\s+menos\b|oder\s+so\b"),
    ("over", r"or\s+more\b|or\s+above\b|oder\s+mehr\b|ou\s+plus\b|o\s+más\b|以上|\+(?!\d)"),
    ("under", r"or\s+(?:less|fewer)\b|oder\s+weniger\b|ou\s+moins\b|o\s+menos\b|以下|以内"),
)
_WORD_START = r"(?<![^\W\d_\u3400-\u9fff])"


def _alternatives(groups: tuple[tuple[Approximation, str], ...], form: str) -> re.Pattern[str]:
    """All words in one expression, each group by its own number."""
    named = (f"(?P<{name}_{i}>{words})" for i, (name, words) in enumerate(groups))
    return re.compile(form.replace("WORDS", "|".join(named)), re.IGNORECASE)


_WORDS_BEFORE = _alternatives(_BEFORE, f"{_WORD_START}(?:WORDS){_BETWEEN}")
_WORDS_AFTER = _alternatives(_AFTER, r"\s?(?:WORDS)")
_CJK_AFTER = re.compile(r"[\u3400-\u9fff]{1,2}(?=左右|上下|以上|以下|以内)")


def approximation_of(text: str, start: int, end: int) -> tuple[Approximation, int, int]:
    """How a number is loosened by the words around it, and where those words stand.

    `start` and `end` are those of the number with its unit; offsets count code points of the text
    as given. `("exact", start, start)` where nothing loosens it.
    """
    opening = max(0, start - REACH)
    before = _WORDS_BEFORE.search(text[opening:start])
    if before is not None:
        name = before.lastgroup or ""
        return _named(name), opening + before.start(name), opening + before.end(name)
    counted = _CJK_AFTER.match(text, end)
    after = _WORDS_AFTER.match(text, counted.end() if counted else end)
    if after is not None:
        name = after.lastgroup or ""
        return _named(name), after.start(name), after.end(name)
    return "exact", start, start


def allowed_range(
    approximation: Approximation, value: float, step: float, *, is_year: bool
) -> tuple[float, float]:
    """The least and the greatest number that a loosened one allows; itself for an exact one.

    `step` is the worth of its last digit that is not zero: 100,000 for 300,000, and 0.1 for 3.5.
    """
    size = abs(value)
    if is_year:
        slack = 5.0 if value % 10 == 0 else 2.0
    else:
        ends_in_zeros = step > 1 and math.isclose(size % 10, 0.0)
        slack = max(SHARE * size, min(step / 2, (ROUND if ends_in_zeros else ROUNDED) * size))
    match approximation:
        case "about":
            return value - slack, value + slack
        case "nearly":
            return value - slack, value
        case "over":
            return value, value + (slack if is_year else (MOST - 1) * size)
        case "under":
            return value - (slack if is_year else size / MOST), value
    return value, value


def _named(group: str) -> Approximation:
    names: dict[str, Approximation] = {
        "about": "about", "nearly": "nearly", "over": "over", "under": "under",
    }  # fmt: skip
    return names[group.partition("_")[0]]
