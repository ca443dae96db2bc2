"""One server for all tests of a module, and a client for it."""

import httpx
import pytest

from tests.fakes.served import served


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    data = tmp_path_factory.mktemp("served")
    with served(data, "--calls-per-minute", "100000", ready_at="/openapi.json") as running:
        yield running


@pytest.fixture
def client(server):
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as http_client:
        yield http_client
