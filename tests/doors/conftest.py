"""The fixture `door`: every test that takes it runs once through each way into the workbench."""

import os

import pytest

from tests.doors.harness import Web, diverted_here
from tests.doors.ways_in import DOORS, RayBatchDoor
from tests.fakes.providers import FakeProvider
from tests.fakes.web_server import fake_web

BY_NAME = {door.name: door for door in DOORS}
# a process that a test starts must not find the machine's own keys and settings
_ENDINGS = ("_API_KEY", "_BASE_URL", "_AUTH_TOKEN")


STARTED = tuple(
    door.name for door in DOORS if door.name not in ("python", "agent", RayBatchDoor.name)
)
"""Doors that cost a process or a page a test."""
AT_ONCE = 1
"""Of these a quick run opens so many for each rule, others for the next; `make test-slow` all."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Spread the rules over the doors that are slow to open; a cluster takes minutes."""
    for item in items:
        if RayBatchDoor.name in item.name:
            item.add_marker(pytest.mark.slow)
    rules: dict[str, dict[str, list[pytest.Item]]] = {}
    for item in items:
        door = item.callspec.params.get("door") if hasattr(item, "callspec") else None
        name = door if isinstance(door, str) else getattr(door, "name", None)
        if name in STARTED:
            rule = item.nodeid.partition("[")[0]
            rules.setdefault(rule, {}).setdefault(name, []).append(item)
    for number, rule in enumerate(sorted(rules)):
        opened = [name for name in STARTED if name in rules[rule]]
        kept = {opened[(number + step) % len(opened)] for step in range(AT_ONCE)}
        for name in opened:
            for item in rules[rule][name] if name not in kept else ():
                item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def _web_server():
    with fake_web() as server:
        yield server


@pytest.fixture
def web(_web_server, tmp_path, monkeypatch):
    """The web as every door sees it: nothing answers until a test scripts a reply."""
    _web_server.replies.clear()
    _web_server.requests.clear()
    web = Web(server=_web_server, log=tmp_path / "asked.log")
    with diverted_here(web):
        yield web


@pytest.fixture
def provider():
    """A server that speaks the providers' protocols; see `keys_of`."""
    with FakeProvider() as server:
        yield server


@pytest.fixture(params=[pytest.param(door, id=door.name, marks=door.marks) for door in DOORS])
def door(request, web, tmp_path, monkeypatch):
    """Each way into the workbench in turn, with a data directory of its own.

    A test that is about some of them names them: `parametrize("door", ["cli"], indirect=True)`.
    """
    for name in [variable for variable in os.environ if variable.endswith(_ENDINGS)]:
        monkeypatch.delenv(name)
    kind = BY_NAME[request.param] if isinstance(request.param, str) else request.param
    return kind(data_dir=tmp_path / "data", web=web)
