"""What a source is called: titles that programs write into files do not count."""

import re
from pathlib import PurePosixPath

_PROGRAM_TITLES = re.compile(
    r"about:.*|untitled(?:\W|\d|document)*|document\s?\d*|title|no title"
    r"|new (?:tab|page|document)|microsoft word - .*|presentation\s?\d*|slide \d+"
    r"|(?:microsoft )?powerpoint presentation|print(?:ed)?|pdf|scan\w*|home|index|blank"
    r"|loading\W*|error|(?:file|data|blob|chrome|https?):.*|localhost.*|unbenannt(?:\W|\d)*"
    r"|ohne titel(?:\W|\d)*|dokument\s?\d*|sans titre(?:\W|\d)*|sin título(?:\W|\d)*"
    r"|(?:无标题|未命名)(?:文档|页面|\W|\d)*|文档\s?\d*|[\W_]*|\d{5,}"
    r"|.*\.(?:docx?|tex|dvi|indd|pdf|pptx?|xlsx?|rtf|odt|qxd|ps|pmd|html?)",
    re.IGNORECASE | re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def useful_title(title: str | None) -> str | None:
    """The title on one line; None for what a program wrote in its place (`about:blank`)."""
    words = " ".join((title or "").split())
    return None if _PROGRAM_TITLES.fullmatch(words) else words


def file_title(name: str) -> str | None:
    """A file's name without its ending, where it is written as a title and is not just a label.

    >>> file_title("Facts about the bridge.html")
    'Facts about the bridge'
    >>> file_title("1.pdf")
    """
    stem = PurePosixPath(name).stem
    spaced = len([word for word in stem.split() if _WORD.search(word)]) >= 2
    if "://" in name or not (spaced or len(_WIDE.findall(stem)) >= 4):
        return None
    return useful_title(stem)


def name_in_words(name: str) -> str | None:
    """A file's name in words, for comparing with titles: `facts_about-bridges.html` too."""
    words = re.sub(r"[_+]|%20", " ", PurePosixPath(name).stem)
    telling = len(_WORD.findall(words)) >= 2 or len(_WIDE.findall(words)) >= 4
    return useful_title(words) if telling else None
