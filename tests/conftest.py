"""Every test runs with a clean environment and a data directory of its own."""

import os
from contextlib import suppress

import duckdb
import pytest
from hypothesis import settings

from workbench.store import connection
from workbench.store.connection import keep_open
from workbench.store.migrations import migrate

# no deadline for examples: a busy machine may be slow on one of them
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

_CLEARED = (
    "WORKBENCH_ALLOW_FETCH",
    "WORKBENCH_ALLOWED_DOMAINS",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path_factory):
    for name in _CLEARED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory):
    """A database as this version creates it, written once for all tests of a process."""
    path = tmp_path_factory.mktemp("empty") / "workbench.duckdb"
    with duckdb.connect(str(path)) as database:
        migrate(database, path)
    return path.read_bytes()


@pytest.fixture(autouse=True)
def new_databases_are_copied(request, monkeypatch, tmp_path_factory, empty_database):
    """A new database is a copy of an empty one, which is ten times as fast; the store's tests create theirs."""
    if "store" in request.path.parts:
        return
    open_database = connection._open

    def open_copy(path):
        if path.parent.is_dir() and not path.exists():
            copy = tmp_path_factory.mktemp("copy") / path.name
            copy.write_bytes(empty_database)
            with suppress(OSError):  # as another process may have been first, or may not write
                os.link(copy, path)
        return open_database(path)

    monkeypatch.setattr(connection, "_open", open_copy)


def _opens_by_hand(node):
    return "store" in node.path.parts or bool(node.get_closest_marker("reopens"))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """Units of a fixture's own thread share an opening of their database, which saves much time."""
    if _opens_by_hand(request.node):
        return (yield)
    with keep_open():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """So do those of a test; not where the opening itself is tested, or a file is opened by hand."""
    if _opens_by_hand(item):
        return (yield)
    with keep_open():
        return (yield)


def pytest_collection_modifyitems(config, items):
    """Browser tests, the slowest, come last; first where several workers share the tests."""
    handed_out = hasattr(config, "workerinput")
    items.sort(key=lambda item: ("browser" in item.path.parts) is not handed_out)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Workers take whole files, and one of them all browser tests: these share a server."""
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return "browser" if "/browser/" in nodeid else super()._split_scope(nodeid)

    return OneBrowser(config, log)
