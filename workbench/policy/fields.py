"""The fields of a `citation-verifier` policy: names, types, defaults and what they do."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from workbench.records.text import JsonDict

Action = Literal["flag", "redact", "block"]
ACTIONS: tuple[Action, ...] = get_args(Action)
Handling = Literal["flag", "redact", "block", "ignore"]
HANDLINGS: tuple[Handling, ...] = get_args(Handling)
Standing = Literal["unverified", "verified"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
Pattern = Literal["case_law", "academic", "url", "quote", "statistic"]
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """A service that the citations are sent to; each gets a status and a confidence back."""

    endpoint: str
    api_key: str | None = field(default=None, repr=False)
    """Sent as `Authorization`; never shown, stored or exported."""
    timeout_ms: int = 2000

    def to_dict(self) -> JsonDict:
        """The fields without the key: only whether there is one is shown."""
        return {
            "endpoint": self.endpoint,
            "api_key": "set" if self.api_key else None,
            "timeout_ms": self.timeout_ms,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What an answer must hold to be passed on, and what is done with one that does not."""

    name: str = "citation-verifier"
    version: str = ""
    enabled: bool = True
    """False where the pack is switched off or its chain leaves this policy out."""
    require_sources: bool = True
    require_source_match: bool = False
    min_confidence: float = 0.8
    on_unsure: Standing = "unverified"
    """What a citation is that a judge finds supported without being sure of it."""
    min_groundedness: float | None = None
    min_coverage: float | None = None
    """The share of the sentences needing a citation that must have one; None for no such rule."""
    on_uncited: Handling = "flag"
    """What follows where fewer have one."""
    resolver: Resolver | None = None
    extract_patterns: tuple[Pattern, ...] = PATTERNS
    verify_against_context: bool = True
    min_context_overlap: float = 0.7
    unverified_action: Action = "flag"
    hallucination_action: Action = "block"
    require_existing_reference: bool = False
    on_unchecked_reference: Handling = "flag"
    """Where existing references are required: of one that nobody could be asked about."""
    on_retracted: Handling = "ignore"
    include_verification_report: bool = True

    def to_dict(self) -> JsonDict:
        """The policy in the shape of its YAML, without the resolver's key."""
        return {
            "pack": {"name": self.name, "version": self.version, "enabled": self.enabled},
            "policies": {"chain": ["citation-verifier"]},
            "policy": {
                "citation-verifier": {
                    "require_sources": self.require_sources,
                    "require_source_match": self.require_source_match,
                    "min_confidence": self.min_confidence,
                    "on_unsure": self.on_unsure,
                    "min_groundedness": self.min_groundedness,
                    "min_coverage": self.min_coverage,
                    "on_uncited": self.on_uncited,
                    "require_existing_reference": self.require_existing_reference,
                    "on_unchecked_reference": self.on_unchecked_reference,
                    "on_retracted": self.on_retracted,
                    "external_resolver": self.resolver.to_dict() if self.resolver else None,
                    "extract_patterns": list(self.extract_patterns),
                    "rag_context": {
                        "verify_against_context": self.verify_against_context,
                        "min_context_overlap": self.min_context_overlap,
                    },
                    "output_action": {
                        "unverified_action": self.unverified_action,
                        "hallucination_action": self.hallucination_action,
                    },
                    "response": {"include_verification_report": self.include_verification_report},
                }
            },
        }


Kind = Literal[
    "switch",
    "share",
    "action",
    "handling",
    "standing",
    "patterns",
    "address",
    "secret",
    "milliseconds",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of the YAML."""

    path: str
    """Under `policy: citation-verifier:`, with dots."""
    kind: Kind
    default: str
    says: str


FIELDS: tuple[Field, ...] = (
    Field(path="require_sources", kind="switch", default="true",
          says="An answer without any citation gets `unverified_action`."),
    Field(path="require_source_match", kind="switch", default="false",
          says="Every citation must be confirmed by the context or the resolver; if false, "
               "unconfirmed ones are only flagged."),
    Field(path="min_confidence", kind="share", default="0.8",
          says="A match with a lower score is unverified."),
    Field(path="on_unsure", kind="standing", default="unverified",
          says="What a citation is that the judge finds supported without being sure of it; "
               "`verified` lets its score decide."),
    Field(path="min_groundedness", kind="share", default="unset",
          says="The share of the answer's claims that the context must support; below it, "
               "`hallucination_action` applies."),
    Field(path="min_coverage", kind="share", default="unset",
          says="The share of the sentences needing a citation that must have one; below it, "
               "`on_uncited` applies."),
    Field(path="on_uncited", kind="handling", default="flag",
          says="The action for an answer whose coverage is below `min_coverage`; redact removes the "
               "sentences without a citation."),
    Field(path="require_existing_reference", kind="switch", default="false",
          says="An entry of the reference list whose work no index knows (`not_found`) or whose "
               "identifier is another work's (`other_work`) gets `unverified_action`."),
    Field(path="on_unchecked_reference", kind="handling", default="flag",
          says="If existing references are required, the action for one that was "
               "not checked: look-ups were off, an index failed, or the entry cannot be read."),
    Field(path="on_retracted", kind="handling", default="ignore",
          says="The action for a reference whose work was retracted; one with an "
               "expression of concern is flagged unless this is ignore."),
    Field(path="external_resolver.endpoint", kind="address", default="required with the object",
          says="The citations are posted there."),
    Field(path="external_resolver.api_key", kind="secret", default="unset",
          says="Sent as `Authorization`; `${VAR}` is read from the environment."),
    Field(path="external_resolver.timeout_ms", kind="milliseconds", default="2000",
          says="After this time the check is inconclusive."),
    Field(path="extract_patterns", kind="patterns", default="all five",
          says="Which kinds of citation count: case_law, academic, url, quote, statistic."),
    Field(path="rag_context.verify_against_context", kind="switch", default="true",
          says="Whether citations and claims are checked against the context documents."),
    Field(path="rag_context.min_context_overlap", kind="share", default="0.7",
          says="A claim whose best context document scores lower is ungrounded."),
    Field(path="output_action.unverified_action", kind="action", default="flag",
          says="The action for unverified citations: flag, redact or block."),
    Field(path="output_action.hallucination_action", kind="action", default="block",
          says="The action for an answer that is not sufficiently grounded."),
    Field(path="response.include_verification_report", kind="switch", default="true",
          says="Whether the report is returned with the answer."),
)  # fmt: skip
