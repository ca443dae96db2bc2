"""Every test runs with a clean environment and a data directory of its own."""

import compileall
import fcntl
import gc
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from weakref import WeakSet

import duckdb
import pytest
from _pytest.assertion import rewrite
from hypothesis import settings

from workbench.store import connection, store

# where Jupyter brings this, jsonschema compiles grammars of addresses for two seconds
sys.modules.setdefault("rfc3987_syntax", None)

# while thousands of tests are collected nothing of them is garbage
gc.disable()

# no deadline per example: a busy machine may be slow on one of them; each run draws others
settings.register_profile("unhurried", deadline=None, max_examples=60)
settings.load_profile("unhurried")

_OPEN = connection._open
_BEGUN = pytest.StashKey[float]()
_TESTS = Path(__file__).parent
_THOROUGH = {_TESTS / line for line in (_TESTS / "thorough.txt").read_text("utf-8").split()}
"""The files and folders that `make test` leaves to `make test-all`."""
_CLEARED = (
    "WORKBENCH_ALLOW_FETCH",
    "WORKBENCH_ALLOWED_DOMAINS",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)

_NOWHERE = ("OLLAMA_HOST", "LMSTUDIO_HOST", "LLAMA_ARG_HOST", "VLLM_HOST")
"""Where servers of language models are looked for: what runs on this machine is no part of a test."""


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path_factory):
    for name in _CLEARED:
        monkeypatch.delenv(name, raising=False)
    for name in _NOWHERE:
        monkeypatch.setenv(name, "127.0.0.1:9")
    data = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("WORKBENCH_DATA", str(data))
    yield
    # thousands of these, kept to the end, would fill the memory that they are written to
    shutil.rmtree(data, ignore_errors=True)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory):
    """A database as this version creates it, written once for all tests of a process."""
    path = tmp_path_factory.mktemp("empty") / "workbench.duckdb"
    with duckdb.connect(str(path)) as database:
        store.migrate(database, path)
    return path.read_bytes()


@pytest.fixture(scope="session", autouse=True)
def new_databases_are_copied(tmp_path_factory, empty_database):
    """A new database is a copy of an empty one, which is ten times as fast as its migrations."""

    def open_copy(path):
        if path.parent.is_dir() and not path.exists():
            copy = tmp_path_factory.mktemp("copy") / path.name
            copy.write_bytes(empty_database)
            with suppress(
                OSError
            ):  # as another process may have been first, or may lack write access
                os.link(copy, path)
                # that no macro in it replaces a function was seen when it was written
                store._CHECKED.add((path.stat().st_dev, path.stat().st_ino))
            shutil.rmtree(copy.parent)
        return _OPEN(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "_open", open_copy)
        # a few rows are read faster by one thread
        patch.setattr(connection, "SEALED", {**connection.SEALED, "threads": "1"})
        yield


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory, new_databases_are_copied):
    """A data folder with the demo runs in it, to be copied: seeded once for all workers."""
    from tests.fakes.full_database import counted_ids
    from workbench.services.demo import seed_demo
    from workbench.store.store import Store

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "demo"
    with (shared / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            seeded = tmp_path_factory.mktemp("seeded")
            with counted_ids(10**6):
                seed_demo(Store(seeded / "workbench.duckdb"), seeded / "snapshots")
            _close_database()
            seeded.rename(folder)
    return folder


@pytest.fixture(autouse=True)
def databases_are_migrated(request, monkeypatch, new_databases_are_copied):
    """Where the migrations are what is tested, nothing is copied."""
    if request.node.get_closest_marker("migrates"):
        monkeypatch.setattr(connection, "_open", _OPEN)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """A test and its fixtures, in all their threads, share an opening of their database.

    Not where the opening itself is tested, a file is opened by hand, or another process needs it.
    """
    if item.get_closest_marker("reopens"):
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "_keeps_open", lambda: True)
        # looking for macros takes 25 ms a file, and none of these has any
        patch.setattr(store, "_refuse_shadowing", lambda *_: None)
        if not any(process.poll() is None for process in _SHARING):
            patch.setattr(connection, "RELAY_S", _WHOLE_TEST_S)
        try:
            return (yield)
        finally:
            _close_database(complete=False)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    """What several tests share is complete in its file: they copy it."""
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            _close_database()


def _close_database(complete=True):
    """Let go of the open database; where nothing copies its file, what is in its log stays there."""
    with connection._LINE.turn():
        if connection._LINE.passed_on is not None and not complete:
            with suppress(duckdb.Error):
                connection._LINE.passed_on.connection.execute(
                    "pragma disable_checkpoint_on_shutdown"
                )
        connection._LINE.close_passed_on()


_WHOLE_TEST_S = 600.0
_RELAY_S = connection.RELAY_S
_SHARING = WeakSet()
"""Other processes that may want a database, which must then be let go of now and then."""
_start_process = subprocess.Popen.__init__


def _start_beside_open_database(process, arguments, *rest, **named):
    command = [arguments] if isinstance(arguments, str | bytes) else arguments
    if not any(str(part).endswith("_process") for part in command):  # of ours, without a database
        _SHARING.add(process)
        connection.RELAY_S = _RELAY_S
        _close_database()
    _start_process(process, arguments, *rest, **named)


subprocess.Popen.__init__ = _start_beside_open_database


def pytest_ignore_collect(collection_path, config):
    """Leave what `thorough.txt` names unread by `make test`: reading it takes seconds a worker."""
    left_out = not _THOROUGH.isdisjoint([collection_path, *collection_path.parents])
    return True if "not thorough" in config.option.markexpr and left_out else None


def pytest_collection_modifyitems(config, items):
    """Browser tests, the slowest, come last; first where tests are handed to several workers."""
    is_worker = hasattr(config, "workerinput")
    for item in items:
        if not _THOROUGH.isdisjoint([item.path, *item.path.parents]):
            item.add_marker("thorough")
    items.sort(key=lambda item: ("browser" in item.path.parts) is not is_worker)


def pytest_collection_finish(session):
    """Keep what was collected out of the collector's rounds, and look for components once.

    Pages of tests would look for the installed ones each anew, for half a second.
    """
    gc.freeze()
    gc.enable()
    if "streamlit.testing.v1" in sys.modules:
        from streamlit.components.v2 import manifest_scanner

        manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def pytest_sessionstart(session):
    session.config.stash[_BEGUN] = time.monotonic()
    if hasattr(session.config, "workerinput") and not sys.dont_write_bytecode:
        _compile_share(session.config)


def _compile_share(config):
    """Compile a worker's share of a new checkout: all of them would compile all of it at once."""
    first, step = int(config.workerinput["workerid"][2:]), config.workerinput["workercount"]
    for path in sorted((_TESTS.parent / "workbench").rglob("*.py"))[first % step :: step]:
        compileall.compile_file(path, quiet=2)
    for path in sorted(_TESTS.rglob("test_*.py"))[first % step :: step]:
        if pytest_ignore_collect(path, config):
            continue
        cached = rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"
        if rewrite.try_makedirs(cached.parent) and rewrite._read_pyc(path, cached) is None:
            source, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, cached)


def pytest_sessionfinish(session):
    """Keep how long a `make` target took, for `make scorecard`."""
    gc.unfreeze()
    suite, cache = os.environ.get("SUITE"), getattr(session.config, "cache", None)
    if suite and cache and not hasattr(session.config, "workerinput"):
        seconds = round(time.monotonic() - session.config.stash[_BEGUN])
        cache.set("suite_seconds", {**cache.get("suite_seconds", {}), suite: seconds})


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Workers take whole files, and one of them all browser tests: three browsers starve two cores."""
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return "browser" if "/browser/" in nodeid else super()._split_scope(nodeid)

    return OneBrowser(config, log)
