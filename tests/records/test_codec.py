"""Published JSON of records and back: what each declared field becomes, and what is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

import pytest

from tests.fakes import records as make
from workbench.records.codec import HIDDEN, IF_GIVEN, INLINE, Record, published_as, to_json
from workbench.records.text import Span, Spanned
from workbench.records.verdict import CitationResult, Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit(Spanned, Record):
    name: str
    span: Span = field(metadata=INLINE)
    kind: Literal["short", "long"] = "short"
    at: datetime | None
    pages: tuple[int, ...]
    cost: float = field(default=0.0, metadata=published_as("cost_usd"))
    note: str = field(default="", metadata=IF_GIVEN)
    secret: str = field(default="", metadata=HIDDEN)
    parts: Mapping[str, Span] = field(default_factory=dict)


VISIT = Visit(
    name="a", span=Span(1, 3), at=datetime(2026, 1, 2, tzinfo=UTC), pages=(4, 5), secret="x"
)
JSON = {
    "name": "a", "start": 1, "end": 3, "kind": "short", "at": "2026-01-02T00:00:00+00:00", "pages": [4, 5],
    "cost_usd": 0.0, "parts": {},
}  # fmt: skip


def test_fields_stand_in_their_order_under_their_names():
    assert list(VISIT.to_dict().items()) == list(JSON.items())


def test_what_is_published_is_read_again_and_what_is_hidden_is_given():
    assert Visit.from_dict({**JSON, "unknown": 1}, secret="x") == VISIT


def test_what_is_missing_takes_the_default_or_what_the_type_allows():
    assert Visit.from_dict({"name": "a", "start": 1, "end": 3, "kind": None}) == Visit(
        name="a", span=Span(1, 3), at=None, pages=()
    )


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"name": None}, TypeError),
        ({"kind": "other"}, ValueError),
        ({"pages": 3}, TypeError),
        ({"at": "yesterday"}, ValueError),
        ({"start": "x"}, ValueError),
        ({"cost_usd": []}, TypeError),
    ],
)
def test_json_of_another_shape_is_refused(changed, error):
    with pytest.raises(error):
        Visit.from_dict({**JSON, **changed})


def test_a_missing_field_without_a_default_is_named():
    with pytest.raises(KeyError, match="name"):
        Visit.from_dict({"start": 1, "end": 3})
    with pytest.raises(TypeError, match="expected a JSON object, got list"):
        Visit.from_dict([])


def test_json_has_nothing_for_other_values():
    with pytest.raises(TypeError, match="object has no form in JSON"):
        to_json(object())


def test_results_are_read_again_as_they_were():
    for result in (make.result(1), make.failure(2)):
        again = CitationResult.from_dict(result.to_dict())
        assert again.to_dict() == result.to_dict()
    unpriced = make.judgment("supported", price_unknown=True, cost_usd=0.5)
    assert unpriced.to_dict()["cost_usd"] is None
    assert Judgment.from_dict(unpriced.to_dict()).cost_usd == 0.0
