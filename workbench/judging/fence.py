"""Put untrusted text into a prompt so that it cannot pose as the prompt.

What an agent wrote and what a page says are quoted between tags. Before that, every `<` in them
that could open a tag or a chat marker becomes `＜` (U+FF1C), its closing `>` likewise, and
invisible characters are dropped. `quotes.normalise` undoes both: quotes are still found verbatim.
"""

import re

from workbench.judging.quotes import is_hidden

_OPENING = re.compile(r"<(?=\s*[/!?|\w])")
_CLOSING = re.compile(r"(?<=[\w/|\"'\s-])>")
_LONG_BREAK = re.compile(r"\n{3,}")


def neutralise(text: str) -> str:
    """The text with nothing left in it that reads as a tag; one line of it stays one line."""
    visible = "".join(
        c if c == "\n" else " " if c.isspace() else c for c in text if not is_hidden(c)
    )
    return _LONG_BREAK.sub("\n\n", _CLOSING.sub("＞", _OPENING.sub("＜", visible)))


def fenced(tag: str, text: str, number: int | None = None) -> str:
    """The neutralised text between `<tag>` and `</tag>`; `number` goes into an `id`."""
    mark = "" if number is None else f' id="{number}"'
    return f"<{tag}{mark}>\n{neutralise(text)}\n</{tag}>"
