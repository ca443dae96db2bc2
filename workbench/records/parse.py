"""Published JSON of runs and sources back to records, where it says less or more than their fields.

Every function raises KeyError, TypeError or ValueError on JSON of another shape; those who read
files translate that into a sentence.
"""

from collections.abc import Sequence
from typing import cast

from workbench.records.bibliography import ReferenceCheck
from workbench.records.citation import Claim, Reference
from workbench.records.codec import as_list, as_object
from workbench.records.source import Page, Source, SourceMatch
from workbench.records.text import Json
from workbench.records.verdict import CitationResult, Run

_COSTS = ("reserved_usd", "price_unknown", "unpriced_calls", "known_cost_usd")
"""What a published run's config says about its cost, beside the options."""


def parse_source(raw: Json, *, text: str = "", pages: Json = None) -> Source | None:
    """Return a source from its facts, or None for null; the text is kept apart and may be handed in."""
    if raw is None:
        return None
    return Source.from_dict(raw, text=text, pages=tuple(map(Page.from_dict, _list(pages))))


def parse_run(raw: Json, *, references: Json = None, claims: Json = None) -> Run:
    """Return a run from its published JSON; references and claims, which that leaves out, are given."""
    raw = as_object(raw)
    config = as_object(raw["config"])
    return Run.from_dict(
        raw,
        config={
            **{name: value for name, value in config.items() if name not in _COSTS},
            **({"notices": raw["notices"]} if raw.get("notices") else {}),
        },
        citations=tuple(map(CitationResult.from_dict, _list(raw["citations"]))),
        cost_usd=_float(raw["total_cost_usd"] or config.get("known_cost_usd")),
        reserved_usd=_float(config.get("reserved_usd")),
        unpriced_calls=int(_float(config.get("unpriced_calls"))),
        references=tuple(map(Reference.from_dict, _list(references))),
        reference_checks=tuple(map(ReferenceCheck.from_dict, _list(raw.get("references")))),
        claims=tuple(map(Claim.from_dict, _list(claims))),
    )  # fmt: skip


def parse_source_matches(raw: Json) -> tuple[SourceMatch, ...]:
    """Return the given sources of a run from its published JSON; none where it says nothing of them."""
    return tuple(map(SourceMatch.from_dict, _list(raw)))


def _list(value: Json) -> Sequence[Json]:
    return () if value is None else as_list(value)


def _float(value: Json) -> float:
    return float(cast(float, value or 0.0))
