"""Which citations the given sources answer: told at every door, and taken from `for`."""

from tests.doors.harness import keys_of
from tests.fakes.providers import Answer, verdict

TEXT = """\
The Ostrau bridge spans 503 metres [1]. It carries trains [2].

## References
[1] Ostrau Bridge Office, Facts about the bridge
[2] Trains of the valley
"""
SOURCES = [
    {"content": "The Ostrau bridge spans 503 metres.",
     "title": "Facts about the bridge | Ostrau Bridge Office"},
    {"content": "It carries trains.", "title": "Notes", "for": ["2"]},
    {"content": "Rice was dear.", "title": "The price of rice in autumn"},
]  # fmt: skip


def test_every_door_tells_what_each_source_is_for(door, provider):
    provider.reply = lambda request: Answer(text=verdict(quote="503 metres"))
    outcome = door.verify(
        TEXT, sources=SOURCES, judge="openai:gpt-4o-mini", environment=keys_of(provider)
    )
    matches = outcome.run["source_matches"]
    markers = {citation["id"]: citation["raw"] for citation in outcome.run["citations"]}
    found = [
        (match["by"], {markers[name] for name in match["citations"]} & {"[1]", "[2]"})
        for match in matches
    ]
    assert found == [("title", {"[1]"}), ("given", {"[2]"}), (None, set())], outcome.output[-2000:]
    assert matches[2]["why"].endswith(".")
