"""Whether references exist is found out in the same way at every door, and nothing leaks by it."""

import json

import pytest

from tests.doors.ways_in import DOORS, command

LIST = """\
[1] Novak, J. (2019). Oak beams under load. Journal of Timber, 12(3), 100-110.
[2] Mokri, A. (2020). Rising tides in shallow basins of the north. Journal of Seas, 1(1), 1-2.
"""
ANSWER = f"Oak beams hold [1]. The harbour drowns every secret spring [2].\n\n## References\n{LIST}"
SOURCES = [{"content": "Oak beams hold.", "label": "1"}]
RECORDS = [
    {
        "id": "novak", "type": "article-journal", "title": "Oak beams under load",
        "author": [{"family": "Novak", "given": "Jana"}], "issued": {"date-parts": [[2019]]},
        "container-title": "Journal of Timber", "volume": "12", "issue": "3", "page": "100-110",
    }
]  # fmt: skip
COMMANDS = ("cli", "batch-local", "batch-ray")
# the form on the page takes its registry as a file of the browser
WITH_REGISTRY = [door.name for door in DOORS if door.name != "pages"]
EXPECTED = ["matches", "not_found"]


def registry_for(door, tmp_path):
    """The registry as callers of a door give it; a file of the name that the others get."""
    if door.name not in COMMANDS:
        return RECORDS
    file = tmp_path / "registry"
    file.write_text(json.dumps(RECORDS), "utf-8")
    return str(file)


@pytest.fixture(scope="module")
def expected():
    """What the library says of the list."""
    from workbench import check_references, extract

    return check_references(extract(ANSWER), RECORDS).to_dict()["references"]


@pytest.mark.parametrize("door", WITH_REGISTRY, indirect=True)
def test_every_door_says_the_same_of_a_list_and_sends_nothing(door, web, tmp_path, expected):
    outcome = door.verify(ANSWER, sources=SOURCES, registry=registry_for(door, tmp_path))
    assert [check["status"] for check in outcome.run["references"]] == EXPECTED, outcome.output
    assert outcome.run["references"] == expected
    assert outcome.run["config"]["references"] == ["registry:registry"]
    assert web.contacts() == []


def names_an_index(door):
    """Which index is asked, as callers of a door say it."""
    return {"index": "crossref"} if door.name in COMMANDS else {"indexes": ["crossref"]}


@pytest.mark.parametrize("door", WITH_REGISTRY, indirect=True)
def test_no_door_asks_an_index_where_fetching_is_not_allowed(door, web):
    outcome = door.verify(ANSWER, sources=SOURCES, check_references=True, **names_an_index(door))
    assert {check["status"] for check in outcome.run["references"]} == {"not_checked"}
    (answer,) = outcome.run["references"][0]["indexes"]
    assert (answer["name"], answer["answer"]) == ("crossref", "not_asked")
    assert web.contacts() == []


INDEX = "http://crossref.example/"
"""Plain HTTP, which the diverted web speaks."""


@pytest.mark.parametrize("door", ["python", "cli", "http", "mcp-stdio"], indirect=True)
def test_an_index_is_sent_the_words_of_the_entry_alone(door, web):
    from workbench.records.source import RetrievalOptions

    services = {"crossref": INDEX}
    call = door.allowing()
    more = {"check_references": True, **names_an_index(door)}
    if door.supports("settings"):
        call["settings"] = {**call.get("settings", {}), "services": services}
    else:
        more["reach"] = RetrievalOptions(services=services)
    outcome = door.verify(ANSWER, sources=SOURCES, **call, **more)
    to_index = [target for target in web.targets() if target.startswith("crossref.example/")]
    assert any("beams" in target.lower() for target in to_index), outcome.output[-2000:]
    for target in to_index:
        assert "harbour" not in target.lower()
        assert "secret" not in target.lower()
    # an index that answers with nothing of its own makes no work missing
    assert {check["status"] for check in outcome.run["references"]} == {"not_checked"}


def test_a_list_alone_gives_the_same_json_everywhere(web, tmp_path, monkeypatch):
    import asyncio

    import httpx
    from mcp import Client

    from tests.doors.ways_in import api_server
    from workbench import check_references
    from workbench.interfaces.mcp import build_server
    from workbench.settings import load_settings

    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    (tmp_path / "registry").write_text(json.dumps(RECORDS), "utf-8")
    report = check_references(LIST, RECORDS)
    by_python = report.to_dict()
    code, by_command, output = command(
        ["references", str(tmp_path / "list.txt"), "--registry", str(tmp_path / "registry")]
    )
    with api_server() as url:
        body = {"text": LIST, "registry": RECORDS}
        by_http = httpx.post(f"{url}/api/v1/references", json=body, timeout=60, trust_env=False)

    async def by_agent():
        async with Client(build_server(load_settings())) as client:
            return await client.call_tool("check_references", body)

    by_mcp = asyncio.run(by_agent()).structured_content
    assert by_python == by_command == by_http.json() == by_mcp, output
    assert by_python["counts"] == {"matches": 1, "not_found": 1}
    assert (code, report.passed) == (1, False)
    assert web.contacts() == []
