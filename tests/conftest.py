"""Every test runs with a clean environment and a data directory of its own."""

import pytest
from hypothesis import settings

# examples are not races: a busy machine may be slow on one of them
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


def pytest_collection_modifyitems(items):
    """Browser tests come last: their driver keeps an event loop in the thread until the end."""
    items.sort(key=lambda item: "browser" in item.path.parts)
