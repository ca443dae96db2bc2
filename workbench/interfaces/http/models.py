"""What calls of the API take, checked by pydantic; `schemas` has what they give."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic import model_validator as checked
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from workbench.records.citation import SENTENCE_KINDS, SentenceKind
from workbench.records.comments import LONGEST_COMMENT
from workbench.records.fields import LONGEST_ANSWER, LONGEST_OPTION, MOST_FIELDS, MOST_OPTIONS
from workbench.records.options import (
    SCOPE_CHOICES,
    PanelRule,
    ScopeChoice,
    WebSearchName,
    interface_options,
)
from workbench.records.providers import MODEL_SPECS, NAMED_SPEC
from workbench.records.reference_labels import (
    REFERENCE_DECISIONS,
    OverrideReason,
    ReferenceDecision,
)
from workbench.records.review import Fault
from workbench.records.reviewers import LONGEST_NAME
from workbench.records.verdict import HUMAN_LABELS, HumanLabel
from workbench.services.handoff import LEAST_PART_CHARS, MOST_CHARS, PART_CHARS

MOST = 1000
PAGE = 100
_INTEGER = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True)
class Text:
    """Limits of a string, which may hold lone surrogates: pydantic's own limits refuse those."""

    shortest: int = 0
    longest: int = 2_000_000
    pattern: str = ""

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            self._check, core_schema.str_schema(strict=True)
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        limits = {"minLength": self.shortest, "pattern": self.pattern}
        limited = {name: limit for name, limit in limits.items() if limit}
        return {"type": "string", "maxLength": self.longest, **limited}

    def _check(self, value: str) -> str:
        if not self.shortest <= len(value) <= self.longest:
            raise ValueError(f"takes {self.shortest:,} to {self.longest:,} characters")
        if self.pattern and not re.search(self.pattern, value):
            raise ValueError(f"{value[:100]!r} does not have the expected form")
        return value


def _from_query(value: object) -> object:
    """A switch or a whole number as a query has it; what is neither as it is."""
    if value in ("true", "false"):
        return value == "true"
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    return value


class Body(BaseModel):
    """A JSON object that holds nothing but its fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Query(BaseModel):
    """The parameters of a query, of which there are no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


Whole = Annotated[int, BeforeValidator(_from_query)]
Switch = Annotated[bool, BeforeValidator(_from_query)]
_NAMED = f"local, nli:NAME, {MODEL_SPECS}"
Spec = Annotated[str, Text(1, 211, NAMED_SPEC)]
PolicyName = Annotated[str, Text(1, 64, r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Domain = Annotated[str, Text(1, 1000)]


Scope = Annotated[ScopeChoice, WithJsonSchema({"enum": list(SCOPE_CHOICES)})]
Decided = Annotated[
    ReferenceDecision, WithJsonSchema({"type": "string", "enum": list(REFERENCE_DECISIONS)})
]
Given = Annotated[HumanLabel, WithJsonSchema({"type": "string", "enum": list(HUMAN_LABELS)})]


Kind = Annotated[SentenceKind, WithJsonSchema({"type": "string", "enum": list(SENTENCE_KINDS)})]
STATED_IN = (
    "A citation of the run whose source states the sentence, which cites nothing there; its kind is "
    "cited then."
)


def option(name: str, **changes: Any) -> Any:  # noqa: ANN401  # as pydantic's Field
    """Return the field of an option: its default, limits and description, with changes to these."""
    declared = interface_options()[name]
    default = [] if declared.default == () else declared.default
    return Field(**{"default": default, **declared.option.field(), **changes})


Question = Annotated[str, Text(0, 200_000)]
Registry = (
    Annotated[str, Text(0, 8_000_000)]
    | Annotated[list[dict[str, object]], Field(max_length=20_000)]
)
IndexNames = Annotated[list[Annotated[str, Text(1, 40)]], Field(max_length=20)]


class Permitted(Body):
    """What a call that judges may say of fetching and cost."""

    standalone: bool = option("standalone")
    allow_fetch: bool = option("allow_fetch")
    allowed_domains: list[Domain] = option("allowed_domains")
    max_cost_usd: float | None = option("max_cost_usd", default=None)


class Asked(Permitted):
    """What every call that has a text checked may say of how."""

    question: Question = option("question")

    check_references: bool = option("check_references")
    indexes: IndexNames = option("indexes")
    registry: Registry | None = option("registry")
    scope: Scope = option("scope")


_NAMED_FOR = (
    "The citations it is for, as the text names them: 1, Lee 2020. Without it, a source is matched: "
    "by address, identifier, label, title, authors and year."
)


class SourceBody(Body):
    """A source that is given with a call."""

    content: str = Field(description="The source's text.")
    title: str = Field(default="", description="Its title.")
    url: str = Field(default="", description="Its address.")
    label: str = Field(default="", description="The label that [n] or a key refers to.")
    named_for: list[str] | None = Field(default=None, alias="for", description=_NAMED_FOR)


class ClaimsBody(Permitted):
    """Claims without citations, and what they are checked against."""

    text: Annotated[str, Text()] = Field(
        default="", description="A text; it is split into claims. Give this or `claims`."
    )
    claims: list[Annotated[str, Text(1, 10_000)]] = Field(
        default=[], max_length=MOST, description="Claims, checked as they are and in their order."
    )
    sources: list[SourceBody] = Field(
        default=[], max_length=MOST, description="What they are checked against."
    )
    judge: Spec | None = Field(
        default=None, description="The judge; by default, the one in the settings."
    )
    supported_from: float = option("supported_from")
    weak_from: float = option("weak_from")
    web_search: WebSearchName | None = option("web_search")
    max_searches: int = option("max_searches")
    mark_unverified: bool = option("mark_unverified")
    cite_sources: bool = option("cite_sources")

    @checked(mode="after")
    def _one_of_both(self) -> "ClaimsBody":
        if bool(self.text) == bool(self.claims):
            raise ValueError("give either `text` or `claims`, and not both")
        return self


class TextBody(Body):
    """A text, or what a provider returned in its place."""

    question: Question = option("question")

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["text"]}, {"required": ["output"]}]}
    )
    text: Annotated[str, Text(1)] = Field(
        default_factory=str, description="The text to look through."
    )
    output: dict[str, object] = Field(
        default={},
        description="A provider's response, instead of text; its native citations are used.",
    )

    @checked(mode="after")
    def _check_single_text(self) -> "TextBody":
        if len(self.model_fields_set & {"text", "output"}) != 1:
            raise ValueError("give either `text` or `output`")
        return self


class ReferencesBody(Body):
    """A list of references, and who is asked about it."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["text"]}, {"required": ["entries"]}]}
    )
    text: Annotated[str, Text(1)] = Field(
        default_factory=str,
        description="A text with a reference list, a list alone, or the text of a .bib, .ris or "
        "CSL-JSON file.",
    )
    entries: (
        Annotated[list[Annotated[str, Text(1, 20_000)]], Field(min_length=1, max_length=20_000)]
        | Annotated[list[dict[str, object]], Field(min_length=1, max_length=20_000)]
    ) = Field(
        default_factory=list,
        description="Entries one by one, as texts or as CSL-JSON items; offsets of texts count as "
        "if they were joined by line ends.",
    )
    registry: Registry | None = option("registry")
    indexes: IndexNames = option("indexes")
    look_up: bool = Field(
        default=False,
        description=(
            "Look references up in the indexes of works, which receive only the title, first "
            "author, year and identifiers of an entry. A call can only narrow what the settings "
            "allow."
        ),
    )
    allowed_domains: list[Domain] = option("allowed_domains")
    offline: bool = Field(default=False, description="Stored answers of indexes alone count.")

    @checked(mode="after")
    def _check_single_list(self) -> "ReferencesBody":
        if len(self.model_fields_set & {"text", "entries"}) != 1:
            raise ValueError("give either `text` or `entries`")
        return self


class ReferenceLabelBody(Body):
    """What a person decided about an entry of a run's reference list."""

    decision: Decided = Field(
        description="The work exists, exists but is described wrongly, is fabricated, or the reviewer cannot "
        "tell."
    )
    reviewer: Annotated[str, Text(1, LONGEST_NAME, r"\S")] = Field(
        description="Who decides: a person's name, never a model's."
    )
    reason: OverrideReason | None = Field(
        default=None, description="Why the check is overridden; omitted if it is not."
    )
    note: Annotated[str, Text(0, 20_000)] = Field(default="", description="Why.")


class VerifyBody(TextBody, Asked):
    """A text and how it is checked."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["text"]}, {"required": ["output"]}],
            "not": {
                "required": ["policy", "background"],
                "properties": {"background": {"const": True}},
            },
        }
    )
    judge: Spec | Annotated[list[Spec], Field(min_length=1, max_length=5)] = Field(
        default_factory=list, description="One judge, or several as a panel."
    )
    panel: PanelRule = option("panel")
    sources: list[SourceBody] | None = option("sources")
    offline: bool = option("offline")
    max_citations: int | None = option("max_citations")
    policy: PolicyName | None = Field(
        default=None,
        description="A ready-made policy, or NAME for policies/NAME.yaml in the data directory.",
    )
    name: Annotated[str, Text(0, 200)] = Field(
        default="", description="What the run is called in lists."
    )
    trace_id: str = Field(default="", description="The trace that the text came from.")
    background: bool = Field(
        default=False, description="Return a job immediately; not together with a policy."
    )

    @checked(mode="after")
    def _check_background(self) -> "VerifyBody":
        if self.background and "policy" in self.model_fields_set:
            raise ValueError("a policy is for calls that wait for the run; leave out `background`")
        return self


class DocumentBody(BaseModel):
    """A document that an answer was made from."""

    model_config = ConfigDict(extra="allow", strict=True)
    content: str
    title: str | None = None
    url: str | None = None
    label: str | None = None
    named_for: list[str] | None = Field(default=None, alias="for", description=_NAMED_FOR)


DocumentsBody = Annotated[
    str | Annotated[list[str | DocumentBody], Field(max_length=500)],
    Field(
        description="The documents the answer is based on: texts, or objects with content, title, url and "
        "label. Those without a label count as [1], [2], … in order if the answer has no reference "
        "list."
    ),
]


class AnswerChecks(Asked):
    """How an answer is checked on its way."""

    documents: DocumentsBody = []
    policy: PolicyName | None = Field(
        default=None,
        description="A ready-made policy, or NAME for policies/NAME.yaml in the data directory.",
    )
    judge: Spec | None = Field(default=None, description=f"{_NAMED}.")


class GatewayBody(AnswerChecks):
    """An answer before a policy."""

    response: Annotated[str, Text()] = Field(
        description="The answer to which the policy is applied."
    )
    context: DocumentsBody = []
    policy_yaml: Annotated[str, Text(0, 200_000)] = Field(
        default="", description="A policy as YAML; it may not name a resolver or a variable."
    )


class PassThroughTerms(AnswerChecks):
    """How the answers of a call that passes through are checked."""

    context_from: list[str] = Field(
        default=["tool", "function"],
        max_length=10,
        description="Roles of messages that count as documents; by default tool and function.",
    )
    forward_documents: bool = Field(
        default=False, description="Forward `documents` and `context` as well."
    )


class ChatBody(BaseModel):
    """A call of Chat Completions; fields that are not named here pass as they are."""

    model_config = ConfigDict(extra="allow", strict=True)
    model: object = Field(default=None, description="Of the server behind.")
    messages: list[object] = Field(description="Results of tools count as documents.")
    stream: bool | None = Field(
        default=None, description="Held until the verdict if the policy can redact or block."
    )
    documents: object = Field(default=None, description="As for the gateway; not handed on.")
    context: object = Field(default=None, description="The same.")
    workbench: PassThroughTerms = Field(
        default=PassThroughTerms(), description="For this server alone; not handed on."
    )


class PlaceBody(Body):
    """Where a quote stands in the text of its source."""

    start: int = Field(ge=0, description="In code points, counted from 0.")
    end: int = Field(ge=0, description="The code point after the last.")


Places = Annotated[list[PlaceBody], Field(max_length=100)]


Answer = (
    Annotated[str, Text(0, LONGEST_ANSWER)]
    | int
    | Annotated[list[Annotated[str, Text(0, LONGEST_OPTION)]], Field(max_length=MOST_OPTIONS)]
)


class LabelBody(Body):
    """What a person decided about a citation."""

    run_id: str = Field(description="The run's id.")
    citation_id: str = Field(description="The citation's id in that run.")
    label: Given = Field(description="What the person decided.")
    reviewer: Annotated[str, Text(1, LONGEST_NAME, r"\S")] = Field(
        description="Who decides: a person's name, never a model's."
    )
    note: Annotated[str, Text(0, 20_000)] = Field(default="", description="Why.")
    evidence: Places = Field(
        default=[], description="Selected by the reviewer, as offsets in the source's text."
    )
    wrong_evidence: Places = Field(
        default=[], description="Quotes by the judge that the reviewer rejects."
    )
    fault: Fault | None = Field(default=None, description="Where the fault lies.")
    tags: list[Annotated[str, Text(0, 200)]] = Field(
        default=[], max_length=50, description="Tags defined by the team."
    )
    blind: bool = Field(
        default=False, description="The judge's verdict was not shown to the reviewer."
    )
    queue_id: str = Field(
        default="",
        description="The queue in which the label is given; `answers` belong to its fields.",
    )
    answers: dict[str, Answer] | None = Field(
        default=None,
        max_length=MOST_FIELDS,
        description=(
            "Answers to the queue's fields, by name: an option, a list of options, a score or a "
            "text. If omitted, earlier answers stay."
        ),
    )


class SentenceBody(Body):
    """What a person says that a sentence of a run is there for."""

    run_id: str = Field(description="The run's id.")
    start: int = Field(ge=0, description="Where the sentence begins, as the run's JSON has it.")
    kind: Kind = Field(description="What the sentence is there for.")
    reviewer: Annotated[str, Text(1, LONGEST_NAME, r"\S")] = Field(
        description="Who decides: a person's name, never a model's."
    )
    stated_in: str = Field(default="", description=STATED_IN)


class UncitedBody(Body):
    """Who is asked about the sentences of a run without a citation."""

    judge: Spec | None = Field(default=None, description="The judge; by default, the run's.")
    max_cost_usd: float | None = option("max_cost_usd", default=None)


class TitleBody(Body):
    """What a run is called from now on."""

    title: Annotated[str, Text(0, 10_000)] = Field(
        description="One line; empty to restore the original name."
    )
    reviewer: Annotated[str, Text(1, LONGEST_NAME, r"\S")] = Field(
        description="Who renames it: a person's name, never a model's."
    )


class HandoffQuery(Query):
    """How the questions of a run are cut."""

    part_chars: Whole = Field(
        default=PART_CHARS,
        ge=LEAST_PART_CHARS,
        le=10_000_000,
        description="The most characters of a part: what a chat takes in one message.",
    )
    name: str = Field(default="", description="Leave out what this chat has answered.")
    matrix: bool = Field(
        default=False,
        description="Ask about every other statement and source of the run instead of its citations.",
    )


class MatrixQuery(Query):
    """In which form a matrix is given."""

    format: Literal["json", "csv", "html"] = Field(default="json", description="Of the answer.")


class MatrixBody(Body):
    """Who is asked about the open pairs of a matrix."""

    judge: Spec = Field(default="local", description="The judge.")
    max_cost_usd: float | None = option("max_cost_usd")
    max_calls: Whole | None = Field(
        default=None, ge=0, description="Ask so many questions at most; the rest stays open."
    )
    estimate: bool = Field(
        default=False, description="Only tell what it would take; nobody is asked."
    )


class HandoffBody(Body):
    """What a chat answered."""

    answers: Annotated[str, Text(1, MOST_CHARS)] = Field(
        description="One answer or several in a row, with whatever stands around their JSON."
    )
    name: Annotated[str, Text(0, 48)] = Field(
        default="",
        description="Who answered: the judge `handoff:NAME`; without, the chat that the run names, "
        "or `chat`.",
    )


class CommentBody(Body):
    """What a reviewer tells the others about a citation."""

    run_id: str = Field(description="The run's id.")
    citation_id: str = Field(description="The citation's id in that run.")
    author: Annotated[str, Text(1, LONGEST_NAME, r"\S")] = Field(
        description="Who comments: a person's name, never a model's."
    )
    body: Annotated[str, Text(1, LONGEST_COMMENT)] = Field(description="The comment, as text.")


class PageQuery(Query):
    """Which page of a list."""

    limit: Whole = Field(default=PAGE, ge=1, le=MOST)
    offset: Whole = Field(default=0, ge=0, le=10_000_000)


class LabelQuery(PageQuery):
    """Which labels, and which page of them."""

    run_id: str = Field(default="", description="Of this run.")
    citation_id: str = Field(default="", description="Of this citation.")
    reviewer: str = Field(default="", description="Of this reviewer.")


class CommentQuery(PageQuery):
    """Which comments, and which page of them."""

    run_id: str = Field(default="", description="Of this run.")
    citation_id: str = Field(default="", description="On this citation.")


class ExportQuery(Query):
    """What an export takes along."""

    run_id: str = Field(default="", description="This run only.")
    queue_id: str = Field(default="", description="The items of this queue only.")
    labelled: Switch = Field(default=True, description="False includes unlabelled citations.")
    source_text: Switch = Field(
        default=True, description="False leaves out source texts and quotes from them."
    )
    examples: Switch = Field(
        default=False,
        description="True exports export the example workspace, which is left out by default.",
    )
    part: list[Literal["train", "dev", "test"]] = Field(
        default=[],
        description=(
            "Only items of these splits. By default all, except the test set while it is locked."
        ),
    )
