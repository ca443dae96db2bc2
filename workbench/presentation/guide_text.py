"""The label guide's Markdown as inert HTML, and the difference between two versions.

Headings, paragraphs, lists, tables, quotes, code, emphasis and web links; everything else stays
plain text: no HTML of the author's, no pictures, no links except to web pages. Pure.
"""

import difflib
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from workbench.presentation.escape import escape_html, web_address
from workbench.records.text import replace_surrogates
from workbench.shipped import SHIPPED_DATA

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token
    from markdown_it.utils import EnvType

_PLAIN_QUOTE = (
    "blockquote_open",
    "paragraph_open",
    "inline",
    "paragraph_close",
    "blockquote_close",
)
_DISABLED = ("autolink", "code", "entity", "lheading", "reference")
"""CommonMark rules that would turn text of the authors into something else."""


def shipped_guide() -> str:
    """The built-in guide, which applies until a team has written one."""
    return (SHIPPED_DATA / "label_guide.md").read_text("utf-8").strip()


def guide_html(text: str) -> str:
    """The guide as HTML."""
    rendered = _markdown().render(replace_surrogates(text))
    return f'<div class="wb-guide" dir="auto">{rendered}</div>'


class Change(NamedTuple):
    """A line of the difference of two versions."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str


def guide_changes(before: str, after: str, around: int = 2) -> list[Change]:
    """The lines that differ, each with `around` unchanged lines; empty if none differ."""
    old, new = before.splitlines(), after.splitlines()
    changes: list[Change] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(around)):
        if number:
            changes.append(Change("gap", ""))
        for tag, first, last, start, end in group:
            if tag == "equal":
                changes += [Change("same", line) for line in old[first:last]]
                continue
            changes += [Change("removed", line) for line in old[first:last]]
            changes += [Change("added", line) for line in new[start:end]]
    return changes


def changes_html(changes: Sequence[Change]) -> str:
    """The changes as HTML, with a sign before each line and words for screen readers."""
    signs = {"same": " ", "added": "+", "removed": "−", "gap": "⋯"}
    labels = {"added": "Added: ", "removed": "Removed: "}
    rows = "".join(
        f'<li class="{change.kind}"><span class="sign" aria-hidden="true">{signs[change.kind]}</span>'
        f'<span dir="auto"><span class="wb-spoken">{labels.get(change.kind, "")}</span>'
        f"{escape_html(change.text)}</span></li>"
        for change in changes
    )
    return f'<ul class="wb-changes">{rows}</ul>'


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

    class Compact(RendererHTML):
        """Without line breaks between blocks."""

        def renderToken(
            self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: "EnvType"
        ) -> str:
            return super().renderToken(tokens, idx, options, env).strip("\n")

    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}, renderer_cls=Compact)
    parser.enable("table").disable(_DISABLED)
    parser.core.ruler.push("guide", _adapt)
    # unchanged: what is not a web address before any rewriting stays text
    parser.normalizeLink = lambda url: url if web_address(url) else ""  # type: ignore[method-assign]
    parser.validateLink = lambda url: bool(url)  # type: ignore[method-assign]
    for name, rule in (
        ("fence", _render_fence),
        ("image", _render_image),
        ("softbreak", _render_break),
        ("hardbreak", _render_break),
    ):
        parser.add_render_rule(name, rule)
    return parser


def _adapt(state: "StateCore") -> None:
    """Adapt the tokens to a page that has a heading and links of its own."""
    tokens = state.tokens
    for at, token in enumerate(tokens):
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, 6)}"
        elif token.type in ("th_open", "td_open"):
            token.attrs = {"scope": "col"} if token.tag == "th" else {}
        elif token.type == "ordered_list_open":
            token.attrs = {"start": token.attrs.get("start", 1)}
        elif tuple(following.type for following in tokens[at : at + 5]) == _PLAIN_QUOTE:
            tokens[at + 1].hidden = tokens[at + 3].hidden = True
        leads_nowhere = False
        for child in token.children or ():
            if child.type == "link_close":
                child.hidden = leads_nowhere
            elif child.type == "link_open":
                # links do not nest; one without an address becomes its words
                leads_nowhere = child.hidden = not child.attrs["href"]
                child.attrs = {
                    "href": child.attrs["href"],
                    "target": "_blank",
                    "rel": "noopener noreferrer nofollow",
                }


def _render_fence(
    self: object, tokens: "Sequence[Token]", at: int, options: object, env: object
) -> str:
    return f"<pre><code>{escape_html(tokens[at].content.removesuffix(chr(10)))}</code></pre>"


def _render_image(
    self: object, tokens: "Sequence[Token]", at: int, options: object, env: object
) -> str:
    """A picture stays text."""
    token = tokens[at]
    return escape_html(f"![{token.content}]({token.attrs['src']})")


def _render_break(
    self: object, tokens: "Sequence[Token]", at: int, options: object, env: object
) -> str:
    return " "
