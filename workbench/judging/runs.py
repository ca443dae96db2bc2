"""Runs of words that may name something, in languages with spaces: English and German. Pure."""

import re
from collections.abc import Iterator

from workbench.judging.tokenization import STOPWORDS, Rarity, normalize_word, stem

WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
PRONOUNS = frozenset(
    "it he she they its his her hers their theirs both neither them er sie es ihr ihre ihren sein "
    "seine seinen deren dessen beide".split()
)
DEMONSTRATIVES = frozenset(
    "this these those such same former latter dieser diese dieses diesen diesem jener jene "
    "jenes".split()
)
ARTICLES = frozenset("the der die das den dem des".split())
OPENERS = frozenset(
    "in on at by after before during since from until till as when while for with within despite "
    "although though because once among throughout over around under without besides beyond there "
    "here today later then meanwhile however moreover finally overall im am nach vor seit bis bei "
    "während trotz unter mit als dort hier".split()
)
"""Words that begin an introductory phrase."""
NAMELESS = frozenset(
    "results result findings background introduction abstract summary overview history legacy life "
    "career conclusion conclusions discussion methods method details notes other others references "
    "early personal general section chapter part table figure report analysis comparison compared "
    "key main facts yes no hello options forecasts memorandum memo question questions answer answers evidence "
    "recommendation recommendations january february march april may june july august september "
    "october november december monday tuesday wednesday thursday friday saturday sunday".split()
)
"""Words of headings that tell nothing, and words with a capital that name nothing."""
RARE = 0.7
"""A capital at the beginning of a sentence makes a name of a word as rare as that."""
LONGEST_PHRASE = 90

_GERMAN = frozenset("der die das und ist wurde war von im den mit ein eine nicht sich er".split())
_VERBS = frozenset(
    "is are was were be been has have had do does did will would can could may might must shall "
    "should became become remains remained began came went took made gave held ran won lost left "
    "built grew fell rose led sold bought met kept said says sat sent broke ist sind war waren "
    "wurde wurden hat haben hatte wird werden kann".split()
)
_JOINERS = frozenset("of de von del di".split())


def find_runs(text: str) -> Iterator[str]:
    """Runs of words that carry content, in text order.

    A run ends at a verb, a stop word or punctuation; a name continues over *of* and *de*; a word in
    small letters that ends in *-ed* counts as a verb.
    """
    start = end = -1
    for match in WORD.finditer(text):
        word = match.group()
        folded, small = normalize_word(word), word[0].islower()
        breaks = start >= 0 and text[end : match.start()].strip() != ""
        if folded in _JOINERS and start >= 0 and text[start].isupper() and not breaks:
            continue
        if start >= 0 and (breaks or (small and end < match.start() - 1)):
            yield text[start:end]
            start = -1
        if _ends_run(folded, small):
            if start >= 0:
                yield text[start:end]
            start = -1
            continue
        start = match.start() if start < 0 else start
        end = match.end()
    if start >= 0:
        yield text[start:end]


def name_in(run: str, rarity: Rarity, opens: bool) -> str:
    """A run up to its last capital and the noun behind it; empty where it has no name.

    Where the run `opens` a sentence its first word is a name only when it is rare.
    """
    words = run.split()
    last = -1
    for i, word in enumerate(words):
        folded = normalize_word(word)
        if folded in NAMELESS or (folded in STOPWORDS and not (word.isupper() and word[1:])):
            continue
        if word[0].isdigit():
            last = i if i and words[i - 1][0].isupper() else last
        elif word[0].isupper():
            plain = opens and i == 0 and not word[1:].isupper()
            last = i if not plain or rarity.weight(stem(folded)) >= RARE else last
    return " ".join(words[: last + 2]) if last >= 0 else ""


def phrase_of(text: str) -> str:
    """The words before the first verb-like one."""
    end = 0
    for match in WORD.finditer(text[:LONGEST_PHRASE]):
        word = match.group()
        if normalize_word(word) in _VERBS or (
            word[0].islower() and word.endswith("ed") and end > 4
        ):
            break
        end = match.end()
    return text[:end]


def named_phrase(phrase: str, rarity: Rarity) -> str:
    """A phrase up to its last name; empty where it holds none."""
    end = 0
    for run in find_runs(phrase):
        if name := name_in(run, rarity, phrase.startswith(run)):
            end = phrase.find(name) + len(name)
    return phrase[:end]


def points(sentence: str) -> bool:
    """Whether a sentence begins by pointing back: *they*, *this bridge*, *the latter*."""
    words = [normalize_word(word) for word in WORD.findall(sentence[:60])]
    lead = words[1:2] if words[:1] == ["the"] else words[:1]
    return bool(set(lead) & (PRONOUNS | DEMONSTRATIVES))


def is_german(text: str) -> bool:
    """Whether a text is German, where every noun has a capital."""
    return len({normalize_word(word) for word in WORD.findall(text)} & _GERMAN) >= 2


def is_nameless(heading: str) -> bool:
    """Whether a heading tells nothing of what stands under it."""
    return {normalize_word(word) for word in WORD.findall(heading)} - STOPWORDS <= NAMELESS


def _ends_run(folded: str, small: bool) -> bool:
    ends = folded in STOPWORDS or folded in _VERBS or folded in OPENERS
    ends = ends or folded in ARTICLES or folded in PRONOUNS
    return ends or (small and folded.endswith("ed") and len(folded) > 4)
