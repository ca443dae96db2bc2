"""The types of the tools' arguments: what an agent reads of each, and its limits."""

from typing import Annotated, Any, NotRequired

from pydantic import BeforeValidator, ConfigDict, Field, with_config
from typing_extensions import TypedDict

from workbench.records.options import WebSearchName as SearchName
from workbench.records.options import interface_options
from workbench.records.providers import WITH_KEY


def option(name: str, **changes: Any) -> Any:  # noqa: ANN401  # as pydantic's Field
    """Return the field of an option without its default: its limits and description."""
    return Field(**{**interface_options()[name].option.field(), **changes})


def _whole(value: object) -> object:
    """The integer of a number like 20.0, which in JSON is one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)


_NamedFor = TypedDict(
    "_NamedFor",
    {
        "for": NotRequired[
            Annotated[
                list[str],
                Field(description="The citations it is for, as the text names them: 1, Lee 2020."),
            ]
        ]
    },
)


@with_config(ConfigDict(extra="allow", strict=True))
class SourceText(_NamedFor):
    """A source to check against."""

    content: Annotated[str, Field(description="The source's text.")]
    title: NotRequired[Annotated[str, Field(description="Its title.")]]
    url: NotRequired[Annotated[str, Field(description="Its address.")]]
    label: NotRequired[
        Annotated[str, Field(description="The label that `[n]` or a key refers to.")]
    ]


_SOURCES = (
    "Sources to check against. Each names its citations by `for`, or is matched: by address, "
    "identifier, label, title, authors and year."
)
_MODEL = (
    "The judge's model, such as claude-haiku-4-5 or gpt-4o-mini; `local` for the embedded judge, "
    "which needs no key; `nli:NAME` for a model in the folder of models; `ollama:MODEL`, "
    "`lmstudio:MODEL`, `llamacpp` or `vllm:MODEL` for one that runs on this machine."
)
CLIENT_MODEL = f"{_MODEL} `client` asks your own model, where the client offers sampling."
TRACE_ID = "The trace that the text came from; stored as given, even if it is kept elsewhere."
ENVELOPE = (
    "{claims: [{claim, source, evidence, scope?, confidence}], unverified: [...]}; checked as it "
    "is, nothing is repaired."
)
Sources = Annotated[list[SourceText], Field(description=_SOURCES)]
Provider = Annotated[
    str,
    Field(
        description="Inferred from the model where left out.",
        json_schema_extra={"enum": [*WITH_KEY]},
    ),
]
AllowFetch = Annotated[bool, option("allow_fetch", json_schema_extra={"default": False})]
Domains = Annotated[list[str], option("allowed_domains")]
WebSearchName = Annotated[SearchName, option("web_search")]
SupportedFrom = Annotated[float, option("supported_from")]
WeakFrom = Annotated[float, option("weak_from")]
MostSearches = Annotated[int, option("max_searches"), WHOLE]
CostCap = Annotated[float, option("max_cost_usd")]
Standalone = Annotated[bool, option("standalone")]
RunId = Annotated[str, Field(description="The run's id.")]
CheckReferences = Annotated[bool, option("check_references")]
Registry = Annotated[
    Annotated[str, Field(max_length=8_000_000)]
    | Annotated[list[dict[str, Any]], Field(max_length=20_000)],
    option("registry"),
]
IndexNames = Annotated[list[str], option("indexes")]
Entries = Annotated[
    list[str] | list[dict[str, Any]],
    Field(
        description="Entries one by one, as texts or as CSL-JSON items. Give this or `text`.",
        max_length=20_000,
    ),
]
MostCitations = Annotated[int, option("max_citations", ge=1, le=50), WHOLE]
Milliseconds = Annotated[
    int, Field(description="For each source, redirects included.", ge=1, le=120_000), WHOLE
]
Bytes = Annotated[
    int,
    Field(description="Longer bodies are truncated, judged, and flagged.", ge=1, le=50 * 1024**2),
    WHOLE,
]
ClientCalls = Annotated[
    int,
    Field(description="At most so many questions to the model of `client`.", ge=1, le=500),
    WHOLE,
]
Limit = Annotated[int, Field(description="Maximum number.", ge=1, le=200), WHOLE]
