"""Put untrusted text into a prompt so that it cannot pose as the prompt.

What an agent wrote and what a page says are quoted between tags. Before that, every `<` and `>` in
them becomes `⟨` and `⟩` (U+27E8, U+27E9), which no Unicode normalisation turns back, as some
tokenizers do with full-width signs; signs before a number, as in `p < 0.05`, open no tag and stay.
The `&` of one that is spelled out (`&lt;`, `&#60;`) becomes `＆`, so that nobody decodes a tag.
Invisible characters are dropped. `quotes.normalise` undoes all: quotes are still found verbatim.
"""

import re

from workbench.judging.quotes import is_hidden

_BEFORE_NUMBER = r"(?! {0,2}=? {0,2}[-+−±$€£¥.]?[0-9])"
_LESS = re.compile(f"[<﹤＜]{_BEFORE_NUMBER}")
_GREATER = re.compile(f"[>﹥＞]{_BEFORE_NUMBER}")
# a sign with a stroke is, decomposed, the sign and a combining character behind it
_NOT_LESS = re.compile(f"≮{_BEFORE_NUMBER}")
_NOT_GREATER = re.compile(f"≯{_BEFORE_NUMBER}")
# a sign that is spelled out, however often it was escaped
_SPELLED = re.compile(r"&(?=(?:amp;)*(?:[lg]t|#0*6[02]|#x0*3[ce]))", re.IGNORECASE)
_LONG_BREAK = re.compile(r"\n{3,}")


def escape_tags(text: str) -> str:
    """The text with nothing left in it that reads as a tag; one line of it stays one line."""
    visible = "".join(
        c if c == "\n" else " " if c.isspace() else c for c in text if not is_hidden(c)
    )
    for sign, bracket in (
        (_LESS, "⟨"),
        (_GREATER, "⟩"),
        (_NOT_LESS, "⟨\u0338"),
        (_NOT_GREATER, "⟩\u0338"),
        (_SPELLED, "＆"),
    ):
        visible = sign.sub(bracket, visible)
    return _LONG_BREAK.sub("\n\n", visible)


def wrap_untrusted(tag: str, text: str, number: int | None = None) -> str:
    """The neutralised text between `<tag>` and `</tag>`; `number` goes into an `id`."""
    mark = "" if number is None else f' id="{number}"'
    return f"<{tag}{mark}>\n{escape_tags(text)}\n</{tag}>"
