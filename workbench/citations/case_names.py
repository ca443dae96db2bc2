"""Read the name of a case that stands before its citation: `Roe v. Wade, `."""

import re

_REACH = 160
_VERSUS = re.compile(r"\s(?:v|vs)\.?\s")
_SINGLE = re.compile(r"(?:In re|Ex parte|Matter of|Estate of|Petition of)\s[A-Z][^;()\n]{1,80}\Z")
_SHORT = re.compile(r"(?<![\w.’'])[A-Z][\w'’&.-]{1,40}\Z")
_LINKS = frozenset(
    [
        *("of", "the", "and", "for", "&", "ex", "rel.", "rel", "et", "al.", "al", "d/b/a", "de"),
        *("la", "van", "von", "in", "on"),
    ]
)
_SIGNALS = frozenset(
    [
        *("in", "see", "cf.", "but", "compare", "accord", "citing", "under", "the", "as", "like"),
        *("also", "e.g.,", "e.g.", "contra", "with", "and", "of", "for", "quoting", "case"),
        *(
            "cases",
            "court",
            "since",
            "after",
            "before",
            "following",
            "held",
            "decision",
            "to",
            "from",
            "on",
        ),
    ]
)


def name_start(text: str, first: int, floor: int, named: int | None = None) -> tuple[int, str]:
    """Where the case name before offset `first` begins, and the name; `(first, "")` without one.

    Args:
        text: The text.
        first: Where the citation itself begins.
        floor: The name cannot begin before this offset.
        named: Where the `v.` stands, when it is known already.
    """
    floor = max(floor, (named or first) - _REACH)
    line = text.rfind("\n", floor, named or first)
    floor = max(floor, line + 1)
    if named is not None:
        start = _plaintiff(text, floor, named - 1)
        return (start, text[start:first]) if start < named - 1 else (first, "")
    before = text[floor:first]
    bare = before.rstrip(" *_")
    if not bare:
        return first, ""
    if bare[-1] != ",":
        spaced = before[-1:] == " " and before[-2:-1].isalpha() and text[first] in "[(（"
        if not spaced:
            return first, ""
    head = bare.rstrip(",").rstrip("*_ ")
    versus = None
    for versus in _VERSUS.finditer(head):  # noqa: B007 - the last one counts
        pass
    if versus is not None:
        party = head[versus.end() :]
        if party[:1].isupper() and not re.search(r"[;()]|\d{1,4}\s[A-Z]", party):
            start = _plaintiff(text, floor, floor + versus.start())
            if start < floor + versus.start():
                return start, text[start : floor + len(head)]
    single = _SINGLE.search(head)
    if single and not re.search(r"\d{1,4}\s[A-Z]\.", single[0]):
        return floor + single.start(), single[0]
    short = _SHORT.search(head)
    if short and bare[-1] == "," and short[0].lower() not in _SIGNALS:
        return floor + short.start(), short[0]
    return first, ""


def _plaintiff(text: str, floor: int, end: int) -> int:
    """Where the party before the `v.` at `end` begins."""
    words = list(re.finditer(r"\S+", text[floor:end]))
    first = len(words)
    while first > 0:
        word = _bare(words[first - 1][0])
        if first < len(words) and _ends_sentence(words[first - 1][0], _bare(words[first][0])):
            break
        lower = word.lower()
        if not word or not (word[0].isupper() or word[0].isdigit() or lower.strip(",") in _LINKS):
            break
        first -= 1
        whole = words[first][0]
        if whole[0] in '"“' or (whole[0] == "(" and word == whole[1:]):
            break
    while first < len(words):
        word = _bare(words[first][0]).lower()
        if word in _SIGNALS or word in _LINKS or word.rstrip(",") in _SIGNALS:
            first += 1
        else:
            break
    if first >= len(words):
        return end
    lead = len(words[first][0]) - len(_bare(words[first][0]))
    return floor + words[first].start() + lead


def _bare(word: str) -> str:
    """A word without what opens before it; `(Miller)` keeps its brackets."""
    return word.lstrip('*_"“') if word.endswith(")") else word.lstrip('*_"“(')


def _ends_sentence(word: str, after: str) -> bool:
    """Whether a sentence ends between two words of a would-be name."""
    if word[-1] in ";:!?":
        return True
    return word[-1] == "." and (len(word) > 6 or after.lower() in _SIGNALS)
