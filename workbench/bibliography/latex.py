"""LaTeX in the fields of a bibliography: to plain text, and plain text escaped for it."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

_MAX_LATEX = 20_000
"""A longer field is stripped of its commands and not parsed: it is no title."""
_COMMENT_SIGN = re.compile(r"(?<!\\)%")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?|\\.")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
}
_SPECIAL = re.compile(r"[\\{}$&%#_^~`]|-(?=-)|'(?=')")
_SIGNIFICANT = re.compile(r"[\\{}$~]|--|``|''|[?!]`")
_LETTER = re.compile(
    r"\{\\[`'^\"~=.]\s?\{?\\?[A-Za-z]\}?\}|\\[`'^\"~=.](?:\{\\?[A-Za-z]\}|[A-Za-z])"
    r"|\{\\(?:[uvHcdbrk] ?\{[A-Za-z]\}|[uvHcdbrk] [A-Za-z]|ss|ae|AE|oe|OE|aa|AA|[oOlLij])\}"
    r"|\\[uvHcdbrk]\{[A-Za-z]\}|\\[&%_#]"
)
"""One letter with its accent, or an escaped sign: parsed once for all fields."""
_URL_ESCAPE = re.compile(r"\\([_%&#~{}$])(?:\{\})?")


def plain_text(value: str) -> str:
    r"""The text that a field of BibTeX shows, on one line.

    >>> plain_text(r"G{\"o}del \& \textit{Escher}")
    'Gödel & Escher'
    """
    if not _SIGNIFICANT.search(value):
        return " ".join(value.split())
    simple = _LETTER.sub(_letter, value) if "\\" in value else value
    if "\\" not in simple and "$" not in simple:
        value = simple
        value = value.replace("---", "—").replace("--", "–")  # `-{}-` is two hyphens
        value = value.replace("``", "“").replace("''", "”").replace("~", " ")
        value = value.replace("{", "").replace("}", "")
        return " ".join(value.split())
    if len(value) <= _MAX_LATEX:
        try:
            text = _converter().latex_to_text(_COMMENT_SIGN.sub(r"\\%", value))
            return " ".join(text.split())
        except Exception:  # a field is text before it is LaTeX: none is refused
            pass
    stripped = _COMMAND.sub(" ", value)
    return " ".join(stripped.replace("{", "").replace("}", "").split())


def plain_address(value: str) -> str:
    r"""A web address or identifier as it is meant: `\_` is `_`, and `\url{…}` its argument."""
    value = value.strip()
    if value.startswith("\\url{") and value.endswith("}"):
        value = value[5:-1]
    value = _URL_ESCAPE.sub(r"\1", value)
    value = "".join(value.strip("{}").split())
    return value[1:-1] if value.startswith("<") and value.endswith(">") else value


def escape_latex(text: str) -> str:
    r"""The text so that `plain_text` gives it back, on one line; letters stay as they are.

    >>> escape_latex("R&D_1 -- 5 %")
    'R\\&D\\_1 -{}- 5 \\%'
    """
    return _SPECIAL.sub(lambda sign: _ESCAPES.get(sign[0], sign[0] + "{}"), " ".join(text.split()))


def _letter(match: re.Match[str]) -> str:
    return _converted_letter(match[0])


@lru_cache(maxsize=10_000)
def _converted_letter(latex: str) -> str:
    text: str = _converter().latex_to_text(latex)
    return text


@cache
def _converter() -> "LatexNodes2Text":
    from pylatexenc.latex2text import (
        LatexNodes2Text,
        MacroTextSpec,
        get_default_latex_context_db,
    )

    signs = {
        "textasciicircum": "^",
        "textasciitilde": "~",
        "textasciigrave": "`",
        "textbraceleft": "{",
        "textbraceright": "}",
    }
    context = get_default_latex_context_db()
    context.add_context_category(
        "signs",
        prepend=True,  # the default writes the letters that look like them
        macros=[MacroTextSpec(name, sign) for name, sign in signs.items()],
    )
    return LatexNodes2Text(latex_context=context, math_mode="text", keep_comments=True)
