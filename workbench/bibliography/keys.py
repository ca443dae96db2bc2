"""Keys under which works are found: folded titles, their words, and identifiers in one spelling."""

import html
import re
import unicodedata

from workbench.records.bibliography import ReferenceEntry
from workbench.records.registries import RecordKeys

_LETTERS = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ı": "i",
        "ħ": "h",
        "ŋ": "n",
    }
)
"""Letters that no decomposition takes apart."""
_ACCENTS = re.compile("[\u0300-\u036f]")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
_LATEX_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|[^\w\s])\s?")
_LATEX_SIGNS = re.compile(r"[{}$~]")
_WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_WIDE}]+|[^\W_{_WIDE}]+(?:[-‐‑–'’.][^\W_{_WIDE}]+)*")
_INSIDE = re.compile(r"[-‐‑–'’.]")
_IS_WIDE = re.compile(rf"[{_WIDE}]")
_STOP_WORDS = frozenset(
    "a an and as at by for from in into of on or the to via with der die das und von zu im fur "
    "le la les des du et de en el los las y del un une ein eine il lo e di da".split()
)
"""Words that tell no title from another; few, as a title may hold little else."""
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
_SUBTITLE = re.compile(r"[:：?]\s+|[：]|\s[-–—]\s|[—]|\.\s+(?=\S)")
_PARTICLE = re.compile(
    r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ter|ten|zu|zur|el|al|bin|ibn)\s+)+",
)


def fold(text: str) -> str:
    """The text in compatible letters without case, accents, HTML and LaTeX.

    >>> fold("Gödel’s <i>Über</i>-{Straße}")
    'godel’s uber-strasse'
    """
    if "<" in text:
        text = _TAG.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text:
        text = _LATEX_COMMAND.sub("", text)
    if "{" in text or "$" in text or "~" in text:
        text = text.replace("~", " ")
        text = _LATEX_SIGNS.sub("", text)
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS)
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
    return unicodedata.normalize("NFC", bare)


def title_words(title: str) -> tuple[str, ...]:
    """The distinct words of a title in its order, folded; stop words aside.

    A word with a hyphen gives its parts and both in one; letters that are written without blanks
    (Chinese, Japanese) give every two that stand side by side.

    >>> title_words("The Pre-training of 深度学习")
    ('pre', 'training', 'pretraining', '深度', '度学', '学习')
    """
    return _words_of_folded(fold(title))


def _words_of_folded(title: str) -> tuple[str, ...]:
    words: dict[str, None] = {}
    for word in _WORD.findall(title):
        if _IS_WIDE.match(word):
            pairs = (word[place : place + 2] for place in range(max(len(word) - 1, 1)))
            words.update(dict.fromkeys(pairs))
            continue
        if not word.isalnum():
            parts = _INSIDE.split(word)
            words.update(dict.fromkeys(part for part in parts if len(part) > 1))
            word = "".join(parts)
        words[word] = None
    telling = tuple(word for word in words if word not in _STOP_WORDS)
    return telling or tuple(words)


def title_key(title: str) -> str:
    """A title folded to its letters and digits: two that differ in signs and blanks are equal.

    >>> title_key("BERT: Pre-training") == title_key("Bert – pretraining")
    True
    """
    return _key_of_folded(fold(title))


def _key_of_folded(title: str) -> str:
    return "".join(filter(str.isalnum, title))


def main_title_key(title: str) -> str:
    """The key of what stands before the subtitle; empty without one, or where it is one word."""
    parts = _SUBTITLE.split(title, maxsplit=1)
    if len(parts) < 2 or not parts[1].strip():
        return ""
    return title_key(parts[0]) if len(title_words(parts[0])) > 1 else ""


def fold_doi(doi: str | None) -> str:
    """A DOI in lower case without address and closing punctuation; empty where it is none.

    >>> fold_doi("https://doi.org/10.1000/ABC.")
    '10.1000/abc'
    """
    match = _DOI.search(doi or "")
    return match[0].rstrip(".,;:>").lower() if match else ""


def fold_arxiv(identifier: str | None) -> str:
    """An arXiv identifier without its version; empty where it is none.

    >>> fold_arxiv("arXiv:1706.03762v5")
    '1706.03762'
    """
    match = _ARXIV.search(identifier or "")
    return match[1].lower() if match else ""


def arxiv_of_doi(doi: str) -> str:
    """The arXiv identifier that a DOI of arXiv stands for; empty for other DOIs."""
    match = _ARXIV_DOI.search(doi)
    return fold_arxiv(match[1]) if match else ""


def fold_pmid(identifier: str | None) -> str:
    """The digits of a PubMed identifier; empty where it is none."""
    match = re.search(r"\d{1,9}", identifier or "")
    return match[0].lstrip("0") if match else ""


def isbn13(isbn: str | None) -> str:
    """An ISBN in thirteen digits, one of ten turned into one; empty where it is none.

    Check digit of EAN-13: weights 1 and 3, modulo 10 (ISO 2108).

    >>> isbn13("0-262-03384-4")
    '9780262033848'
    """
    digits = re.sub(r"[^0-9Xx]", "", isbn or "")
    if len(digits) >= 13 and digits[:3] in ("978", "979"):
        return digits[:13]
    if len(digits) < 10:
        return ""
    body = "978" + digits[:9]
    if not body.isdigit():
        return ""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body))
    return body + str(-total % 10)


def family_key(family: str) -> str:
    """A family name folded, without particles and blanks: `van der Berg` and `Berg` are equal."""
    folded = fold(family)
    return _key_of_folded(_PARTICLE.sub("", folded, count=1))


def entry_keys(entry: ReferenceEntry) -> RecordKeys:
    """The keys of a bibliography entry; those of a record by `csl.entry_of_record` first."""
    title = entry.title or ""
    folded = fold(title)
    doi = fold_doi(entry.doi)
    return RecordKeys(
        title=_key_of_folded(folded),
        main_title=main_title_key(title),
        words=_words_of_folded(folded),
        author=_first_family(entry),
        year=entry.year,
        doi=doi,
        arxiv=fold_arxiv(entry.arxiv) or arxiv_of_doi(doi),
        pmid=fold_pmid(entry.pmid),
        isbn=isbn13(entry.isbn),
    )


def _first_family(entry: ReferenceEntry) -> str:
    return family_key(entry.authors[0].family) if entry.authors else ""
