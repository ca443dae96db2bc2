"""The whole API under schemathesis: whatever is sent, the responses match the OpenAPI document."""

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import booleans

from tests.fakes.providers import Answer, FakeProvider
from tests.fakes.served import served
from workbench.interfaces.http import describe_api

EXAMPLES = 8
"""For each operation."""
# a policy with mistakes and a JSON that is no agent's answer are texts and objects all the same
ACCEPTED = ["2xx", "401", "403", "404", "409", "422", "429"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    fake_provider = FakeProvider(lambda _: Answer(text="The bridge is old [1]."))
    with fake_provider as provider:
        environment = {"OPENAI_BASE_URL": provider.url + "/v1", "OPENAI_API_KEY": "not-a-key"}
        data = tmp_path_factory.mktemp("fuzzed")
        with served(
            data, "--calls-per-minute", "1000000", ready_at="/openapi.json", **environment
        ) as running:
            yield running


@pytest.fixture(scope="module")
def document(server):
    config = schemathesis.Config.from_dict(
        {
            "phases": {"coverage": {"enabled": False}},
            "checks": {"positive_data_acceptance": {"expected-statuses": ACCEPTED}},
        }
    )
    return schemathesis.openapi.from_url(server.url + "/openapi.json", config=config)


@pytest.fixture(scope="module")
def run_id(server):
    """The id of a stored run."""
    body = {"text": "The bridge is old [1]."}
    return httpx.post(server.url + "/api/v1/verify", json=body, trust_env=False).json()["id"]


MODES = schemathesis.GenerationMode
OPERATIONS = [
    (method, path) for path, methods in describe_api()["paths"].items() for method in methods
]


@pytest.mark.parametrize("mode", [MODES.POSITIVE, MODES.NEGATIVE], ids=["fitting", "unfit"])
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_operation_keeps_to_its_document(document, run_id, method, path, mode):
    operation = document[path][method]
    if mode is MODES.NEGATIVE and not (operation.body or operation.query):
        pytest.skip("it takes nothing that could be unfit")

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), use_stored_run=booleans())
    def keeps(case, use_stored_run):
        if use_stored_run and "run_id" in case.path_parameters:
            case.path_parameters["run_id"] = run_id
        case.call_and_validate(timeout=60)

    keeps()


def test_nothing_of_it_broke_the_server(server):
    """Runs last: what schemathesis sent left no error in the log."""
    assert "Traceback" not in server.log.read_text()
    assert server.process.poll() is None
