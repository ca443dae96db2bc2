"""Data of the reference panel: entries with their citations, and unlisted citations; pure."""

from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.escape import truncate, web_address
from workbench.presentation.run_view import KIND_SIGNS, ReviewState, describe_citation
from workbench.presentation.verdicts import STYLES
from workbench.records import Json, JsonDict, Reference, replace_surrogates


def references_data(review: ReviewState, selected: str | None) -> JsonDict:
    """Entries in order with the citations that point at them, and the remaining citations.

    Runs in time linear in citations and entries.
    """
    cited: dict[int, list[str]] = {}
    counts: dict[str, int] = {}
    for name, result in review.results.items():
        citation = result.citation
        counts[citation.kind] = counts.get(citation.kind, 0) + 1
        entry_index = citation.target.reference if citation.target else citation.reference
        if name not in review.secondary and entry_index is not None:
            cited.setdefault(entry_index, []).append(name)
    entries: list[Json] = [
        _entry(review, index, reference, cited.get(index, []), selected)
        for index, reference in enumerate(review.run.references)
    ]
    return {
        "entries": entries,
        "uncited": sum(index not in cited for index in range(len(entries))),
        "unlisted": [
            {
                **_chip(review, name, selected),
                "why": replace_surrogates(
                    review.results[name].citation.unlinked or "It names no source."
                ),
            }
            for name in unlisted(review)
        ],
        "kinds": [
            {"sign": KIND_SIGNS[kind], "word": KIND_TEXT[kind], "number": counts[kind]}
            for kind in KIND_SIGNS
            if kind in counts
        ],
        "selected": selected,
    }


def unlisted(review: ReviewState) -> list[str]:
    """Ids of the citations that point at no entry and no address, in text order."""
    return [
        name
        for name, result in review.results.items()
        if result.citation.target is None
        and result.citation.reference is None
        and name not in review.secondary
    ]


def _entry(
    review: ReviewState, index: int, reference: Reference, names: list[str], selected: str | None
) -> JsonDict:
    target = reference.target.value if reference.target else ""
    return {
        "index": index,
        "label": replace_surrogates(reference.label or ""),
        "text": truncate(reference.text or reference.title or target, 240),
        "address": web_address(target) if target else None,
        "here": selected in names,
        # an entry that is not in the text has nothing to jump to
        "inside": reference.start < reference.end,
        "cites": [_chip(review, name, selected) for name in names],
    }


def _chip(review: ReviewState, name: str, selected: str | None) -> JsonDict:
    style = STYLES[review.marks[name]]
    return {
        "id": name,
        "raw": truncate(review.results[name].citation.raw, 40),
        "glyph": style.glyph,
        "colour": style.colour,
        "said": describe_citation(review, name),
        "here": name == selected,
    }
