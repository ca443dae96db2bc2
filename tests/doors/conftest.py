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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """One test goes through a cluster of its own; the others that do are slow ones."""
    through_ray = [item for item in items if RayBatchDoor.name in item.name]
    for item in through_ray[1:]:
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
