"""Say in sentences which given sources answer no citation, and why."""

from collections.abc import Iterable, Mapping

from workbench.records.format import count_of
from workbench.records.parse import parse_source_matches
from workbench.records.source import SourceMatch
from workbench.records.text import Json
from workbench.records.verdict import Run

BY_TEXT = {
    "given": "chosen",
    "url": "by its address",
    "identifier": "by its identifier",
    "label": "by its label",
    "title": "by its title",
    "authors": "by its authors",
    "file": "by its file name",
}
"""What a match rests on, in words."""
MOST_SHOWN = 10


def unmatched_sources(matches: Iterable[SourceMatch]) -> list[str]:
    """A sentence for each given source that answers no citation; the first ones, and a count."""
    unmatched = [match for match in matches if match.by is None]
    lines = [f"Source not used: {match.source}. {match.why}" for match in unmatched[:MOST_SHOWN]]
    more = len(unmatched) - MOST_SHOWN
    return [*lines, f"{count_of(more, 'more source')} not used."] if more > 0 else lines


def scanned_quotes(run: Run) -> list[str]:
    """A sentence that names the scanned pages whose recognized text is quoted; empty for none."""
    pages = dict.fromkeys(
        f"{(result.source.final_url or result.source.url)} (page {quote.page})"
        for result in run.citations
        if result.source and result.judgment
        for quote in result.judgment.evidence
        if quote.scanned
    )
    if not pages:
        return []
    more = f" and {len(pages) - MOST_SHOWN} more" if len(pages) > MOST_SHOWN else ""
    return [
        f"Quotes are text recognized under scanned pages: {', '.join([*pages][:MOST_SHOWN])}{more}. "
        "Compare them with the picture of the page."
    ]


def unmatched_in_all(runs: Iterable[Mapping[str, Json]]) -> list[str]:
    """The same for the sources of several runs: those that answer no citation in any of them."""
    used: set[str] = set()
    unused: dict[str, SourceMatch] = {}
    for run in runs:
        for match in parse_source_matches(run.get("source_matches")):
            if match.by:
                used.add(match.source)
            else:
                unused.setdefault(match.source, match)
    return unmatched_sources(match for name, match in unused.items() if name not in used)
