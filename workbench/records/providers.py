"""Where language models are asked: by these names in a SPEC, in every interface.

A further provider is an entry here and its client in `judging/ask_NAME.py`; a further server of one's
own machine an entry here and in `judging/local_servers.py`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProvider:
    """Who serves language models: a company, or a server on this machine."""

    name: str
    """Before the colon of a SPEC."""
    client: str = ""
    """The class in `judging/ask_NAME.py`; empty for a server on this machine."""
    keys: tuple[str, ...] = ()
    """The variables of which one holds the key."""
    prefixes: tuple[str, ...] = ()
    """How its models' names begin, where they can be told by that."""
    caches: bool = False
    """Whether it keeps the beginning of a prompt at a lower price, for every model."""
    one_model: bool = False
    """Whether it serves a single model, which the SPEC does not name."""


PROVIDERS = (
    ModelProvider(name="ollama"),
    ModelProvider(name="lmstudio"),
    ModelProvider(name="llamacpp", one_model=True),
    ModelProvider(name="vllm"),
    ModelProvider(
        name="anthropic",
        client="AnthropicProvider",
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        prefixes=("claude",),
        caches=True,
    ),
    ModelProvider(
        name="openai",
        client="OpenAIProvider",
        keys=("OPENAI_API_KEY",),
        prefixes=("gpt-", "o1", "o3", "o4", "chatgpt"),
    ),
)
"""Those on this machine come first."""
WITH_KEY = {provider.name: provider for provider in PROVIDERS if provider.client}
"""The providers that need a key, by name."""
_SPECS = [f"{provider.name}{'' if provider.one_model else ':MODEL'}" for provider in PROVIDERS]
MODEL_SPECS = f"{', '.join(_SPECS[:-1])} or {_SPECS[-1]}"
"""How language models are named, those of servers on this machine first."""
JUDGE_SPECS = f"local, nli:PATH, scripted:FILE, handoff:NAME, {MODEL_SPECS}"
"""How judges are named."""
NAMED_SPEC = (
    r"^(local|nli:[A-Za-z0-9][A-Za-z0-9._-]*(@[0-9a-f]{8})?"
    rf"|{'|'.join(provider.name for provider in PROVIDERS if provider.one_model)}"
    rf"|({'|'.join(provider.name for provider in PROVIDERS if not provider.one_model)})"
    r":[A-Za-z0-9][A-Za-z0-9._:/@+-]*)$"
)
"""What callers of a server may name: a model in its folder of models by name, never a path."""


def caches_prompts(spec: str) -> bool:
    """Return whether the provider of a SPEC keeps the beginning of every prompt at a lower price."""
    provider = WITH_KEY.get(spec.partition(":")[0])
    return provider is not None and provider.caches


def provider_of_model(model: str) -> str | None:
    """Return the name of the provider whose models' names begin like this one; None for none."""
    return next((name for name, of in WITH_KEY.items() if model.startswith(of.prefixes)), None)
