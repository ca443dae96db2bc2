"""What follows from a run? Flag, redact or block, with a report; pure."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.policy.apply import (
        CitationCheck,
        ContextClaim,
        Outcome,
        PolicyDecision,
        ResolverAnswer,
        apply_policy,
        pattern_for,
        pattern_of,
        redacted,
    )
    from workbench.policy.edit import EDITABLE, FieldValue, edit_policy
    from workbench.policy.fields import (
        ACTIONS,
        FIELDS,
        HANDLINGS,
        PATTERNS,
        STANDINGS,
        Action,
        Field,
        Handling,
        Policy,
        Resolver,
    )
    from workbench.policy.preview import (
        OUTCOMES,
        CitationFact,
        NoEffect,
        SimulatedOutcome,
        StoredRun,
        ThresholdOutcome,
        simulate_policy,
        simulate_thresholds,
        why_no_effect,
    )
    from workbench.policy.read import read_policy
    from workbench.policy.references import ReferenceFact, ReferenceViolation

__all__ = [
    "ACTIONS", "Action", "CitationCheck", "CitationFact", "ContextClaim", "EDITABLE", "FIELDS",
    "Field", "FieldValue", "HANDLINGS", "Handling", "NoEffect", "OUTCOMES", "Outcome", "PATTERNS",
    "Policy", "PolicyDecision", "ReferenceFact", "ReferenceViolation", "Resolver", "ResolverAnswer",
    "STANDINGS", "SimulatedOutcome", "StoredRun", "ThresholdOutcome", "apply_policy", "edit_policy",
    "pattern_for", "pattern_of", "read_policy", "redacted", "simulate_policy",
    "simulate_thresholds", "why_no_effect",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)
