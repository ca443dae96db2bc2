"""Untrusted text on a page: one function for each way in which the browser reads it; pure.

- `plain` where Streamlit reads Markdown: labels, help and captions of every widget; the options of
  radio buttons, pills, segmented controls, select sliders and menu buttons; buttons, links, tabs,
  expanders, popovers, dialogs; headings, captions, metrics, badges, messages, toasts, progress.
- `cut` where a text node shows every letter: the options of a selectbox or a multiselect,
  placeholders, the content of fields, `st.text`, the cells of a data frame, and what a component
  of ours writes with `textContent`. A backslash of Markdown's would be seen there.
- `markup` where it is part of HTML that we write.
"""

import html
import re

from workbench.records import shown

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$&\"'/=^%])")
_JOINER = "\u2060"
_SPACES = re.compile(r"\s+")


def plain(text: str, most: int | None = None) -> str:
    """Markdown that shows a text as it is, on one line: no links, pictures, shortcodes, formulas.

    A word joiner, which has no width, follows each colon and at sign: Streamlit reads `:red[…]`,
    `:smile:` and bare addresses after Markdown's own escapes are gone.

    Args:
        text: Any text.
        most: Longer texts end in an ellipsis after so many letters.
    """
    line = cut(text, most)
    return re.sub(r"([:@]|www(?=\\\.))", rf"\1{_JOINER}", _SPECIAL.sub(r"\\\1", line), flags=re.I)


def markup(text: str) -> str:
    """A text as HTML that shows it as it is; lone surrogates appear as U+FFFD."""
    return html.escape(shown(text), quote=True)


def cut(text: str, most: int | None = None) -> str:
    """A text on one line, with an ellipsis where it was longer than `most` letters."""
    line = _SPACES.sub(" ", shown(text)).strip()
    return line if most is None or len(line) <= most else line[: max(most - 1, 0)].rstrip() + "…"


def web_address(address: str) -> str | None:
    """The address where it is http or https and safe to follow, else None."""
    found = re.fullmatch(r"https?://[^\s\"'<>\\^`{|}\x00-\x20\x7f]+", address, re.IGNORECASE)
    return address if found else None


def file_stem(name: str) -> str:
    """A name that any file system takes, of letters, digits, dots, dashes; never empty."""
    kept = re.sub(r"[^\w.-]+", "-", shown(name)).strip("-._")
    return kept[:60] or "run"
