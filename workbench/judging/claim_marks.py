"""A text with its claims marked: `[unverified]` behind what no source bears out, and who does. Pure.

A mark stands at the claim's end, before its final punctuation: *Zebras rule the moon
[unverified].* It never stands inside code, and never twice; the text stays as it is otherwise.
"""

import re
from collections.abc import Sequence

from workbench.judging.ground_report import GroundedClaim
from workbench.judging.tokenization import is_unspaced
from workbench.records import Span

UNVERIFIED = "[unverified]"
LONGEST_TITLE = 80

_FENCE = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_CLOSING = re.compile(
    r"[*_~]*[.!?…。！？；;]+[\"'”’»」』*_~]*(?:\s*\|)?\s*\Z|[*_~]+(?:\s*\|)?\s*\Z|\s*\|\s*\Z|\s+\Z"
)
_MARKED_BEHIND = re.compile(rf"[*_~\s.!?…。！？；;\"'”’»]*{re.escape(UNVERIFIED)}")


def mark_claims(text: str, claims: Sequence[GroundedClaim], *, cite_sources: bool = False) -> str:
    """The text with `[unverified]` behind each unverifiable claim; titles behind supported ones.

    Claims without a span in the text are left out. With `cite_sources` the title of its source, a
    Markdown link where it has an address, stands behind each supported claim.
    """
    code = _code_spans(text)
    marks: dict[int, str] = {}
    for claim in claims:
        mark = _mark_of(claim, cite_sources)
        if not mark or claim.span is None:
            continue
        at = _place(text, claim.span)
        if (inside := next((s for s in code if s.start < at < s.end), None)) is not None:
            if "\n" in inside.of(text):
                continue
            at = inside.end
        if at in marks and marks[at] != mark:
            # claims of one end: what is not borne out outweighs what is
            mark = mark if mark == UNVERIFIED else marks[at]
        if not _is_marked(text, at, mark):
            marks[at] = mark
    parts, last = [], 0
    for at in sorted(marks):
        before = text[last:at]
        parts += [before, "" if _joins(text, at) else " ", marks[at]]
        last = at
    return "".join([*parts, text[last:]])


def mark_listed(claims: Sequence[GroundedClaim], *, cite_sources: bool = False) -> str:
    """Claims that were given as a list, one a line, marked in the same way."""
    return "\n".join(
        mark_claims(claim.text, [_spanning(claim)], cite_sources=cite_sources) for claim in claims
    )


def _spanning(claim: GroundedClaim) -> GroundedClaim:
    from dataclasses import replace

    return replace(claim, span=Span(0, len(claim.text)))


def _mark_of(claim: GroundedClaim, cite_sources: bool) -> str:
    if claim.verdict == "unverifiable":
        return UNVERIFIED
    if not cite_sources or claim.verdict != "supported" or not claim.source_ref:
        return ""
    title = re.sub(r"([\[\]\\`*_<>])", r"\\\1", " ".join((claim.source_title or "").split()))
    url = claim.source_url or ""
    linkable = re.fullmatch(r"https?://[^\s()<>]+", url)
    shown = title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip("\\") + "…"
    if not linkable:
        return f"[{shown or claim.source_ref}]"
    return f"[{shown}]({url})" if shown else f"<{url}>"


def _place(text: str, span: Span) -> int:
    """Where the mark of a claim goes: its end, before its final punctuation."""
    claim = span.of(text)
    closing = _CLOSING.search(claim)
    end = span.start + (closing.start() if closing and closing.start() else len(claim))
    while end > span.start and text[end - 1].isspace():
        end -= 1
    return end


def _is_marked(text: str, at: int, mark: str) -> bool:
    if text[:at].rstrip().endswith(mark):
        return True
    return mark == UNVERIFIED and _MARKED_BEHIND.match(text, at) is not None


def _joins(text: str, at: int) -> bool:
    """Whether a mark follows without a blank: after Chinese or Japanese."""
    return not at or text[at - 1].isspace() or is_unspaced(text[at - 1])


def _code_spans(text: str) -> list[Span]:
    """Where code stands: fenced blocks, and spans between backticks."""
    fences = [Span(*match.span()) for match in _FENCE.finditer(text)]
    inline = [
        Span(*match.span())
        for match in _INLINE_CODE.finditer(text)
        if not any(fence.start <= match.start() < fence.end for fence in fences)
    ]
    return fences + inline
