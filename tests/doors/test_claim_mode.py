"""Claims without citations: the same answer, options and refusals at every door that has them."""

import json
import os
from unittest import mock

import httpx
import pytest

from tests.doors.ways_in import api_server, command
from tests.fakes.web_server import page

LIGHT = "In a vacuum, light travels at 299,792 km/s (299,792,458 m/s)."
TEXT = "Light travels at about 300,000 km/s. Zebras rule the moon of Jupiter."
SOURCES = [{"content": LIGHT, "title": "Light", "url": "https://light.example/c"}]
FOUND = "Zebras rule the moon of Jupiter, the zebras say."
KEY = "BSA-kf83hsh2Kd93kdnbs02"
SERVICES = {"services": {"brave": "http://search.example/"}}


def claims_at(door, environment=None, settings=None, **options):
    """What the door says of the claims of a text: exit code or HTTP status, and its JSON."""
    variables = {"BRAVE_API_KEY": "", **(environment or {})}
    if door.name.startswith("mcp"):
        arguments = {"text": TEXT, "sources": SOURCES, **options}
        outcome = door.tool_call(
            "verify_claims", arguments, settings=settings, environment=variables
        )
        return outcome.refused, outcome.document, outcome.output
    with door.prepared(settings, variables):
        if door.name == "cli":
            text, sources = door.data_dir / "a.txt", door.data_dir / "sources.json"
            text.write_text(TEXT)
            sources.write_text(json.dumps(SOURCES))
            arguments = ["claims", str(text), "--sources", str(sources)]
            for name, value in options.items():
                arguments.append("--" + name.replace("_", "-"))
                arguments += [] if value is True else [str(value)]
            code, document, output = command(arguments)
            return code == 2, document, output
        if door.name == "http":
            with api_server() as url:
                body = {"text": TEXT, "sources": SOURCES, **options}
                answer = httpx.post(f"{url}/api/v1/claims", json=body, timeout=60, trust_env=False)
            return answer.status_code != 200, answer.json(), answer.text
        return _in_python(**options)


def _in_python(mark_unverified=False, **options):
    import workbench
    from workbench.errors import WorkbenchError
    from workbench.settings import load_settings

    with mock.patch.dict(os.environ):
        try:
            report = workbench.ground(TEXT, SOURCES, reach=load_settings().reach, **options)
        except WorkbenchError as error:
            return True, {}, str(error)
    marked = {"marked_text": report.marked_text} if mark_unverified else {}
    return False, {**report.to_dict(), **marked}, repr(report)


DOORS = pytest.mark.parametrize(
    "door", ["python", "cli", "http", "mcp-stdio", "mcp-http"], indirect=True
)


@DOORS
def test_the_contracts_own_example(door):
    refused, document, output = claims_at(door, mark_unverified=True)
    assert not refused, output
    light, zebras = document["claims"]
    assert (light["verdict"], light["source_index"], light["source_ref"]) == (
        "supported", 0, "https://light.example/c",
    )  # fmt: skip
    assert light["source_snippet"] == LIGHT
    assert zebras["verdict"] == "unverifiable"
    assert document["summary"] == "1/2 claims verified (50%)"
    counts = ("total_claims", "supported_count", "weak_count", "unverifiable_count",
              "contradicted_count")  # fmt: skip
    assert [document[name] for name in counts] == [2, 1, 0, 1, 0]
    assert (document["overall_grounded"], document["supported_ratio"]) == (True, 0.5)
    assert document["marked_text"] == TEXT.replace("Jupiter.", "Jupiter [unverified].")


@DOORS
def test_both_thresholds_are_options(door):
    _, document, output = claims_at(door, supported_from=0.99, weak_from=0.5)
    assert document["claims"][0]["verdict"] == "weak", output
    refused, _, output = claims_at(door, supported_from=0.2, weak_from=0.5)
    assert refused and "thresholds" in output


@DOORS
def test_what_stays_unverifiable_is_searched_by_a_key(door, web):
    found = {"web": {"results": [{"title": "Z", "url": "http://z.example/", "description": FOUND}]}}
    web.replies["*"] = page(json.dumps(found), content_type="application/json")
    settings = {**SERVICES, "allow_fetch": False}
    environment = {"BRAVE_API_KEY": KEY}
    refused, document, output = claims_at(door, environment, settings, web_search="brave")
    assert KEY not in output
    if not door.callers_own:
        assert refused and "allow_fetch = true in settings.toml" in output
        assert web.contacts() == []
        return
    zebras = document["claims"][1]
    assert (zebras["verdict"], zebras["web_verified"], zebras["web_search"]) == (
        "supported", True, "brave",
    ), output  # fmt: skip
    assert zebras["source_ref"] == "http://z.example/"
    assert "were not fetched" in document["notes"][0]
    (target,) = web.targets()
    assert target.startswith("search.example/res/v1/web/search?q=Zebras")


@DOORS
def test_a_missing_key_is_a_sentence(door, web):
    refused, _, output = claims_at(
        door, settings={**SERVICES, "allow_fetch": True}, web_search="brave"
    )
    assert refused and "set BRAVE_API_KEY in the environment" in output
    assert web.contacts() == []


@pytest.mark.parametrize("door", ["mcp-stdio"], indirect=True)
def test_one_statement_and_the_list_of_claims_over_mcp(door):
    arguments = {"statement": "Light travels at about 300,000 km/s.", "sources": SOURCES}
    outcome = door.tool_call("fact_check", arguments)
    assert [claim["verdict"] for claim in outcome.document["claims"]] == ["supported"]
    listed = door.tool_call("extract_claims", {"text": f"Really? {TEXT}"}).document
    assert " ".join(listed["claims"]) == TEXT
