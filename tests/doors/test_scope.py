"""How much of the text a citation stands for: chosen and told in the same way at every door."""

import pytest

from tests.doors.harness import keys_of
from tests.doors.ways_in import DOORS
from tests.fakes.providers import Answer, verdict

SOURCE = "The Ostrau bridge spans 503 metres. It carries trains."
TEXT = """\
The Ostrau bridge is long. The Ostrau bridge spans 503 metres. It carries trains [1].

## References
[1] Bridges
"""
SOURCES = [{"content": SOURCE, "title": "Bridges", "label": "1"}]
MODEL = "openai:gpt-4o-mini"


@pytest.fixture
def model(provider):
    provider.reply = lambda request: Answer(text=verdict(quote="It carries trains."))
    return provider


def test_every_door_judges_a_paragraph_part_by_part(door, model):
    outcome = door.verify(
        TEXT, sources=SOURCES, judge=MODEL, environment=keys_of(model), scope="paragraph"
    )
    (citation,) = outcome.citations
    assert len(citation["judgment"]["parts"]) == 3, outcome.output[-2000:]
    assert citation["scope"]["kind"] == "paragraph"
    assert outcome.run["config"]["scope"] == "paragraph"


def test_every_door_judges_the_sentence_where_nothing_is_chosen(door, model):
    outcome = door.verify(TEXT, sources=SOURCES, judge=MODEL, environment=keys_of(model))
    (citation,) = outcome.citations
    assert "parts" not in citation["judgment"], outcome.output[-2000:]
    assert "scope" not in outcome.run["config"]


@pytest.mark.parametrize(
    "door", [door.name for door in DOORS if door.name != "pages"], indirect=True
)
def test_every_door_refuses_a_scope_that_there_is_not(door, model):
    """The form on the page offers no other."""
    outcome = door.verify(
        TEXT, sources=SOURCES, judge=MODEL, environment=keys_of(model), scope="page"
    )
    assert outcome.refused
    assert model.requests == []


@pytest.mark.parametrize("door", ["mcp-stdio"], indirect=True)
def test_mcp_tells_scope_and_parts_beside_the_verdict(door, model):
    outcome = door.verify(
        TEXT, sources=SOURCES, judge=MODEL, environment=keys_of(model), scope="paragraph"
    )
    (citation,) = outcome.document["citations"]
    assert citation["extensions"]["scope"]["kind"] == "paragraph"
    assert len(citation["extensions"]["parts"]) == 3
