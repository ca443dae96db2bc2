"""Whether words name a body: an organisation that writes, and not a person or a title."""

import re

from workbench.citations.lexicon import WITHIN

_BODY_WORDS = frozenset(
    (
        "academy administration agency alliance association associates authority bank board bureau"
        " center centers centre centres college collaboration commission commissioner committee community"
        " company confederation conference consortium cooperation corporation corp council court department"
        " directorate division federation forum foundation fund government group hospital inc"
        " initiative institute institutes institution international laboratory laboratories ltd llc llp"
        " ministry museum nations network office organisation organization parliament party"
        " partnership press programme project secretariat senate service services society"
        " statistics team trust union unit university treasury reserve ministerium bundesamt"
        " institut universität ministère organización universidad gmbh ag clinic"
    ).split()
)
_TITLE_WORDS = frozenset(
    (
        "learning network networks neural deep model models modeling analysis study studies review report"
        " data systems language image images vision theory introduction handbook guide history"
        " effect effects method methods using towards toward survey science survival impact"
        " statistics statistical algorithm algorithms approach approaches optimization detection"
        " recognition generation classification estimation prediction inference training policy"
        " attention transformer transformers diffusion adversarial reinforcement graph graphs"
        " representation representations knowledge robust efficient unified random sampling linear"
        " principles foundations understanding evaluation design development management change climate"
        " economics economic psychology health energy market markets growth trends outlook global"
        " annual world via is are not can does do how why what when who where which your our my its"
        " on in for with without from under over between against through beyond the a an to as"
        " overview journal proceedings transactions letters about volume edition manual dictionary"
        " times post news magazine daily guardian today wikipedia blog media"
        " essentials basics fundamentals applications perspectives challenges practice education"
    ).split()
)
_ACRONYM = re.compile(r"[A-Z][A-Z&]{1,9}|[A-Z][a-z]+[A-Z]\w{0,12}")
_SMALL = WITHIN | {
    "and",
    "&",
    "at",
    "by",
    "von",
    "et",
    "y",
    "e",
    "do",
    "da",
    "dos",
    "das",
    "di",
    "d",
    "für",
    "und",
}


def title_words(words: str) -> bool:
    """Whether words that could be a name hold one that names never hold."""
    return any(
        word.strip(".,:;").lower() in _TITLE_WORDS
        for word in words.split()
        if len(word) > 2 or word[0].islower()
    )


def is_body(words: str, anchored: bool) -> bool:
    """Whether words name a body.

    Args:
        words: The head of an entry.
        anchored: Whether something shows that an author ends here; any capitalised words will do.
    """
    split = words.replace(",", " ").split()
    if not 0 < len(split) <= 16 or any(sign in words for sign in '?!:“”"=|'):
        return False
    cased = [word.strip("().'’") for word in split]
    cased = [word for word in cased if word]
    if (
        not cased
        or cased[0][:1].islower()
        and not any(c.isupper() for c in cased[0])
        and not (anchored and len(cased) == 1)
    ):
        return False
    for word in cased[1:]:
        if word[0].islower() and word.lower() not in _SMALL and not any(c.isupper() for c in word):
            return False
    names_body = any(word.lower() in _BODY_WORDS for word in cased)
    if anchored:
        return names_body or len(cased) <= 8
    return names_body or len(cased) == 1 and _ACRONYM.fullmatch(cased[0]) is not None
