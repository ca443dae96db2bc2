"""What the tests of pages share."""

import pytest

from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.store import Store


@pytest.fixture
def store():
    """An empty workspace, as no page has shown it before."""
    cached_views.clear_cached_views()
    return Store(load_settings().database)
