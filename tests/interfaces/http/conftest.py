"""One server for all tests of a module, and a client for it."""

import httpx
import pytest

from tests.fakes.served import served


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served"), "--calls-per-minute", "100000") as running:
        yield running


@pytest.fixture
def client(server):
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as http_client:
        yield http_client
