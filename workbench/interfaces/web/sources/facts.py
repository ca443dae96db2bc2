"""The facts of one source as HTML: state, facts, changes, decisions; all escaped; pure."""

from collections.abc import Mapping, Sequence

from workbench.interfaces.web.sources.text import answer_of, citations, state_text, type_word, who
from workbench.presentation.escape import escape_html, truncate
from workbench.records.format import file_size, format_timestamp
from workbench.records.source import Source
from workbench.records.stored_sources import SourceOverride
from workbench.services.sources.catalog import ParsedVersion, SourceRow, SourceVersion
from workbench.services.sources.snapshots import SnapshotDiff

SHOWN_LINE = 1_000
"""Letters shown of a changed line."""


def state_html(
    row: SourceRow, doubt: ParsedVersion | None = None, version: SourceVersion | None = None
) -> str:
    """The state of a source in a box: in words, with confidence and a summary of the body."""
    words, more = state_text(row, doubt)
    short = _body_summary(version) if version else "Could not be retrieved"
    extra = f' <span class="wb-quiet">{escape_html(more)}</span>' if more else ""
    return (
        f'<div class="ws-state {row.state}"><b>{escape_html(words)}</b>{extra}'
        f'<p class="wb-quiet">{escape_html(short)}</p></div>'
    )


def why_html(row: SourceRow) -> str:
    """Why a source is in its state, and what can be done; empty if it was read normally."""
    sentence = ""
    if row.error and row.state in ("not_evidence", "missing"):
        sentence = row.error.message
    elif row.state == "uncited":
        sentence = "It is stored, but no citation was judged on it."
    elif row.state == "waiting":
        sentence = "The run has not reached it, or was stopped before reaching it."
    elif row.acceptance:
        name, reason = who(row.acceptance.reviewer), row.acceptance.reason
        sentence = f"{name} accepted this page{f': “{reason}”' if reason else '.'}"
        sentence = sentence[:1].upper() + sentence[1:]
    return (
        f'<p class="ws-why" dir="auto">{escape_html(truncate(sentence, 800))}</p>'
        if sentence
        else ""
    )


def facts_html(row: SourceRow, version: SourceVersion | None, source: Source | None = None) -> str:
    """All facts of the shown body, as a list of terms.

    Args:
        row: The source.
        version: The body; None if nothing was retrieved.
        source: The parsed body, with author, date and site.
    """
    facts: list[tuple[str, str]] = []
    if row.address:
        facts.append(("Cited as", _code(row.address)))
    if row.entry:
        facts.append(("Entry", f'<span dir="auto">{escape_html(truncate(row.entry, 500))}</span>'))
    if version is None:
        facts.append(("HTTP status", escape_html(answer_of(row))))
        return _terms(facts)
    body = version.facts
    if body.final_url and body.final_url != row.address:
        facts.append(("Final URL", _code(body.final_url)))
    if len(version.hops) > 1:
        hops = "".join(f"<li>{_code(hop)}</li>" for hop in version.hops)
        facts.append(("Redirects", f"<ol>{hops}</ol>"))
    status = f"HTTP {body.status}" if body.status is not None else "none: supplied, not fetched"
    facts.append(("HTTP status", status))
    facts.append(
        ("Type", f"{escape_html(type_word(body.content_type))} ({_code(body.content_type)})")
    )
    size = f"{file_size(body.bytes)} ({body.bytes:,} bytes)"
    facts.append(("Size", f"{size}, truncated at the size limit" if body.truncated else size))
    pages = body.page_count or (len(source.pages) if source and source.pages else None)
    if pages:
        facts.append(("Pages", f"{pages:,}"))
    if source is not None:
        facts += [
            (word, f'<span dir="auto">{escape_html(truncate(value, 200))}</span>')
            for word, value in (
                ("Author", source.author),
                ("Date", source.published),
                ("Site", source.site),
            )
            if value
        ]
    if version.last:
        word = "Fetched" if body.status is not None else "Supplied"
        since = ""
        if version.requests > 1 and version.first:
            since = f", the same since {format_timestamp(version.first)} ({version.requests} times)"
        facts.append((word, f"{format_timestamp(version.last)} UTC{since}"))
    if version.supplied:
        facts.append(("Supplied by", escape_html(_supplied_by(version))))
    facts.append(("SHA-256", _code(version.sha256)))
    if not version.requests:
        facts.append(("Bytes", "not stored; only the judged text is"))
    return _terms(facts)


def decisions_html(row: SourceRow, acceptances: Sequence[SourceOverride]) -> str:
    """Every acceptance of a body of this source, oldest first; empty without one."""
    bodies = {version.sha256 for version in row.versions}
    lines = []
    for acceptance in acceptances:
        if acceptance.sha256 not in bodies:
            continue
        reason = f": “{acceptance.reason}”" if acceptance.reason else "."
        sentence = (
            f"{format_timestamp(acceptance.created_at)}: {who(acceptance.reviewer)} accepted "
            f"sha256 {acceptance.sha256[:10]}{reason}"
        )
        if acceptance.withdrawn_at:
            revoked_at = format_timestamp(acceptance.withdrawn_at)
            sentence += f" – revoked by {who(acceptance.withdrawn_by or '')}, {revoked_at}."
        lines.append(f'<li dir="auto">{escape_html(truncate(sentence, 600))}</li>')
    return f'<ul class="ws-decisions">{"".join(lines)}</ul>' if lines else ""


def drift_html(diff: SnapshotDiff | None, lost: Mapping[str, Sequence[str]], judged: int) -> str:
    """The difference between two bodies: similarity, lost quotes, removed and added lines.

    Args:
        diff: The difference; None if one of the two cannot be read.
        lost: Quotes of evidence in the earlier one that the later one no longer contains.
        judged: How many citations were judged on the earlier one.
    """
    if diff is None:
        return "<p>One of the two versions cannot be read.</p>"
    if diff.same_bytes:
        head = "Identical files."
    elif diff.same_text:
        head = "Different files with the same text."
    else:
        head = f"{diff.likeness:.0%} of the lines are unchanged."
    parts = [f"<p><b>{head}</b></p>"]
    if judged and not diff.same_text:
        number = len(lost)
        sentence = (
            f"The evidence of {citations(number)} is not in the later version."
            if number
            else f"All evidence of the {citations(judged)} judged on the earlier version is in the "
            "later one."
        )
        parts.append(f"<p>{sentence}</p>")
    quotes = list(dict.fromkeys(quote for quoted in lost.values() for quote in quoted))
    parts.append(_lines("Quotes no longer present", quotes, "gone"))
    parts.append(_lines("Removed lines", diff.removed, "gone"))
    parts.append(_lines("Added lines", diff.new, "new"))
    return f'<div class="ws-drift">{"".join(parts)}</div>'


def _body_summary(version: SourceVersion) -> str:
    facts = version.facts
    parts = [type_word(facts.content_type), file_size(facts.bytes)]
    if facts.page_count:
        parts.append(f"{facts.page_count:,} pages")
    if version.last:
        how = "fetched" if facts.status is not None else "given"
        parts.append(f"{how} {format_timestamp(version.last)}")
    if facts.truncated:
        parts.append("truncated at the size limit")
    return " · ".join(parts)


def _lines(head: str, lines: Sequence[str], tone: str) -> str:
    if not lines:
        return ""
    tag = "del" if tone == "gone" else "ins"
    items = "".join(
        f'<li dir="auto"><{tag}>{escape_html(truncate(line, SHOWN_LINE))}</{tag}></li>'
        for line in lines
    )
    first = f"first {len(lines)}" if len(lines) >= 50 else f"{len(lines)}"
    return f'<h4>{head}, {first}</h4><ul class="{tone}">{items}</ul>'


def _supplied_by(version: SourceVersion) -> str:
    supplied = version.supplied
    if supplied is None:
        return ""
    what = f"file {supplied.name}" if supplied.form == "upload" else "pasted text"
    note = f": {supplied.note}" if supplied.note else ""
    who, when = truncate(supplied.reviewer, 60), format_timestamp(supplied.created_at)
    return f"{who}, {when}, {truncate(what, 120)}{truncate(note, 300)}"


def _code(text: str) -> str:
    return f"<code>{escape_html(truncate(text, 600))}</code>"


def _terms(facts: Sequence[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{term}</dt><dd>{value}</dd>" for term, value in facts)
    return f'<dl class="ws-facts">{rows}</dl>'
