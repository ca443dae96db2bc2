"""No key leaves or stays anywhere, whatever its shape and whichever way a text comes in."""

import pytest

from tests.doors.harness import keys_of
from tests.fakes.keys import KEYS, echoes, found_in, keys_in_files
from tests.fakes.providers import Answer

CITED = (
    "The old bridge is 120 metres long [1].\n\n## References\n[1] http://bridge.example/length\n"
)
SOURCES = [{"url": "http://bridge.example/length", "content": "The old bridge is 120 metres long."}]


@pytest.mark.parametrize("in_use", ["azure", "custom"])
def test_a_provider_that_echoes_every_key_is_not_quoted(door, provider, in_use):
    """The judge's own key, and those of other services that the process was started with."""
    environment = {
        **keys_of(provider),
        **{f"{name.upper()}_SERVICE_KEY": key for name, key in KEYS.items()},
        "OPENAI_API_KEY": KEYS[in_use],
    }
    echoed_keys = " or ".join(form for key in KEYS.values() for form in echoes(key).values())
    provider.reply = lambda request: Answer(
        status=401, error=f"Wrong: {KEYS[in_use]} or {echoed_keys}"
    )
    judge = "gpt-4o-mini" if door.name.startswith("mcp") else "openai:gpt-4o-mini"
    outcome = door.verify(CITED, sources=SOURCES, judge=judge, environment=environment)
    assert provider.requests[0].headers["authorization"] == f"Bearer {KEYS[in_use]}"
    assert outcome.errors == ["llm_judge_error"]
    assert "the API key was not accepted: check it (Wrong: [key]" in outcome.messages[0]
    keys = list(KEYS.values())
    assert found_in(outcome.output, keys) == []
    assert keys_in_files(outcome.data_dir, keys) == []
