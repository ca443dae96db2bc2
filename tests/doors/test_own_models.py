"""A model of the user's own judges at every door, and runs name it without its path."""

import re

import pytest

from tests.fakes.pair_models import CERTAIN, write_model

SOURCE = "Rain fell on Monday. The old bridge was opened in 1913."
SOURCES = [{"content": SOURCE, "label": "1"}]
TEXT = "The old bridge was opened in 1913 [1].\n\n## References\n[1] Bridges\n"


MANY_CALLERS = ("http", "gateway", "mcp-http")


def model_at(door, tmp_path):
    """A model where a caller of the door can name it: any folder, or that of a server's models."""
    if door.name in MANY_CALLERS:
        write_model(door.data_dir / "models" / "bridges", SOURCE)
        return "nli:bridges"
    return f"nli:{write_model(tmp_path / 'bridges', SOURCE)}"


def test_every_door_asks_it(door, tmp_path):
    outcome = door.verify(TEXT, sources=SOURCES, judge=model_at(door, tmp_path))
    assert outcome.run, outcome.output[-2000:]
    (spec,) = outcome.run["judge"]
    assert re.fullmatch(r"nli:bridges@[0-9a-f]{8}", spec)
    (citation,) = outcome.citations
    judgment = citation["judgment"]
    assert (judgment["label"], judgment["judge"]) == ("supported", spec)
    assert judgment["score"] == pytest.approx(CERTAIN, abs=1e-3)
    assert (judgment["cost_usd"], outcome.run["total_cost_usd"]) == (0.0, 0.0)
    assert [e["quote"] for e in judgment["evidence"]] == ["The old bridge was opened in 1913."]


@pytest.mark.parametrize("door", ["python", "cli", "mcp-stdio", "pages"], indirect=True)
def test_a_folder_that_is_none_is_refused(door, tmp_path):
    outcome = door.verify(TEXT, sources=SOURCES, judge=f"nli:{tmp_path / 'none'}")
    assert outcome.run is None
    assert "There is no folder" in outcome.output
    assert "Traceback" not in outcome.output


@pytest.mark.parametrize("door", MANY_CALLERS, indirect=True)
def test_a_server_for_many_opens_no_paths(door, tmp_path):
    folder = write_model(tmp_path / "bridges", SOURCE)
    outcome = door.verify(TEXT, sources=SOURCES, judge=f"nli:{folder}")
    assert outcome.refused
    assert outcome.run is None
