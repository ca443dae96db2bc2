"""A data folder as the first start leaves it: seeded once, copied for each test."""

import shutil
from unittest import mock

import pytest

from workbench.services import cached_views
from workbench.services.database import open_database
from workbench.services.examples import seed_examples
from workbench.settings import load_settings


@pytest.fixture(scope="session")
def first_start(tmp_path_factory, demo_folder):
    """The folder after a first start that was cut off half-way, and a second one."""
    folder = tmp_path_factory.mktemp("first-start")
    shutil.copytree(demo_folder, folder, dirs_exist_ok=True)
    database, snapshots = open_database(folder / "workbench.duckdb"), folder / "snapshots"
    killed = mock.patch("workbench.services.examples.judge_missing", side_effect=KeyboardInterrupt)
    with killed, pytest.raises(KeyboardInterrupt):
        seed_examples(database, snapshots)
    assert seed_examples(database, snapshots).runs == ()
    return folder


@pytest.fixture
def settings(first_start):
    """The settings of a data folder that holds the example workspace."""
    settings = load_settings()
    shutil.copytree(first_start, settings.data_dir, dirs_exist_ok=True)
    cached_views.clear_cached_views()
    return settings


@pytest.fixture
def database(settings):
    return open_database(settings.database)
