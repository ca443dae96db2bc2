"""Untrusted text on a page: one function for each way in which the browser parses it; pure.

- `escape_markdown` where Streamlit reads Markdown: labels, help and captions of every widget; the options of
  radio buttons, pills, segmented controls, select sliders and menu buttons; buttons, links, tabs,
  expanders, popovers, dialogs; headings, captions, metrics, badges, messages, toasts, progress.
- `truncate` where a text node shows every letter: the options of a selectbox or a multiselect,
  placeholders, the content of fields, `st.text`, the cells of a data frame, and what a component
  of ours writes with `textContent`. A backslash escape of Markdown would be visible there.
- `escape_html` where it is part of HTML that we write.
"""

import html
import re
from functools import cache
from typing import TYPE_CHECKING

from workbench.records.text import replace_surrogates

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$&\"'/=^%])")
_JOINER = "\u2060"
_SPACES = re.compile(r"\s+")


def escape_markdown(text: str, most: int | None = None) -> str:
    """Markdown that shows a text literally, on one line: no links, pictures, shortcodes, formulas.

    A word joiner, which has no width, follows each colon and at sign: Streamlit reads `:red[…]`,
    `:smile:` and bare addresses after it has removed Markdown's escapes.

    Args:
        text: Any text.
        most: Longer texts end in an ellipsis after so many letters.
    """
    line = truncate(text, most)
    return re.sub(r"([:@]|www(?=\\\.))", rf"\1{_JOINER}", _SPECIAL.sub(r"\\\1", line), flags=re.I)


def escape_html(text: str) -> str:
    """A text as HTML that shows it literally; lone surrogates appear as U+FFFD."""
    return html.escape(replace_surrogates(text), quote=True)


def truncate(text: str, most: int | None = None) -> str:
    """A text on one line, with an ellipsis if it was longer than `most` letters."""
    line = _SPACES.sub(" ", replace_surrogates(text)).strip()
    return line if most is None or len(line) <= most else line[: max(most - 1, 0)].rstrip() + "…"


def run_label(name: str, most: int | None = None) -> str:
    """The name of a run as lists show it: one that was checked without a name has none."""
    return truncate(name, most) or "Untitled run"


def marker_text(raw: str, most: int | None = None) -> str:
    """A citation's marker as lists and cards show it: of a Markdown link its words alone."""
    words, link, _ = raw.removeprefix("[").partition("](")
    return truncate(words.replace("**", "") if link and raw.startswith("[") else raw, most)


def web_address(address: str) -> str | None:
    """The address if it is http or https and safe to follow, else None."""
    match = re.fullmatch(r"https?://[^\s\"'<>\\^`{|}\x00-\x20\x7f]+", address, re.IGNORECASE)
    return address if match else None


def file_stem(name: str) -> str:
    """A name valid on any file system, of letters, digits, dots, dashes; never empty."""
    stem = re.sub(r"[^\w.-]+", "-", replace_surrogates(name)).strip("-._")
    return stem[:60] or "run"


def render(template: str, **values: object) -> str:
    """A template of `presentation/templates` filled with values; undefined names are errors."""
    return _environment().get_template(template).render(values)


def macro(template: str, name: str, *arguments: object) -> str:
    """The output of a template's macro for its arguments.

    A plain `str`: in a sum with other HTML, jinja's own type would escape what stands beside it.
    """
    return str(getattr(_environment().get_template(template).module, name)(*arguments))


def markup(html: str) -> "Markup":
    """Safe HTML: our own, or escaped text."""
    from markupsafe import Markup

    return Markup(html)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def printable(value: object) -> object:
        if isinstance(value, str) and not isinstance(value, Markup):
            return replace_surrogates(value)
        return value

    return Environment(
        loader=PackageLoader("workbench.presentation"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
