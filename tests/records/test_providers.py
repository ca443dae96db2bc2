"""Providers of language models: one table names them in every interface."""

import re

import pytest

from workbench.errors import UsageError
from workbench.interfaces.mcp.calls import judge_spec
from workbench.judging.judge_factory import judge_availability, names_judge, takes_prompt
from workbench.judging.local_servers import SERVERS
from workbench.records.providers import (
    MODEL_SPECS,
    NAMED_SPEC,
    PROVIDERS,
    WITH_KEY,
    caches_prompts,
    provider_of_model,
)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_a_provider_in_the_table_is_known_everywhere(provider):
    spec = provider.name if provider.one_model else f"{provider.name}:a-model"
    assert names_judge(spec)
    assert takes_prompt(spec)
    assert re.search(NAMED_SPEC, spec)
    assert provider.name in MODEL_SPECS
    assert (provider.name in SERVERS) == (not provider.client)
    assert any(one.spec.partition(":")[0] == provider.name for one in judge_availability())


def test_servers_of_this_machine_are_those_of_the_table():
    assert {one.name for one in PROVIDERS} == {*SERVERS, *WITH_KEY}
    assert {name for name, server in SERVERS.items() if server.one_model} == {
        one.name for one in PROVIDERS if one.one_model
    }


@pytest.mark.parametrize(
    ("model", "spec"),
    [
        ("claude-haiku-4-5", "anthropic:claude-haiku-4-5"),
        ("gpt-4o-mini", "openai:gpt-4o-mini"),
        ("o3", "openai:o3"),
        ("local", "local"),
        ("vllm:mine", "vllm:mine"),
    ],
)
def test_a_model_tells_its_provider_by_its_name(model, spec):
    assert judge_spec(model, None) == spec


def test_what_no_provider_has_is_refused():
    assert provider_of_model("mistral-large") is None
    with pytest.raises(UsageError, match="no provider 'nowhere'"):
        judge_spec("a-model", "nowhere")
    assert not re.search(NAMED_SPEC, "nli:/etc/passwd")
    assert not re.search(NAMED_SPEC, "nowhere:model")


def test_only_some_providers_keep_every_prompt():
    assert [name for name in WITH_KEY if caches_prompts(f"{name}:m")] == ["anthropic"]
    assert not caches_prompts("local")
