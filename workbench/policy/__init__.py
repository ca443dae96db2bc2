"""What follows from a run? Flag, redact or block, with a report; pure."""

from workbench.policy.apply import (
    Checked,
    ContextClaim,
    Decision,
    Outcome,
    Resolved,
    apply_policy,
    pattern_for,
    pattern_of,
)
from workbench.policy.fields import ACTIONS, FIELDS, PATTERNS, Action, Field, Policy, Resolver
from workbench.policy.preview import OUTCOMES, Foreseen, Held, Stand, StoredRun, foresee, what_if
from workbench.policy.read import read_policy
from workbench.policy.redact import redacted

__all__ = [
    "ACTIONS",
    "Action",
    "Checked",
    "ContextClaim",
    "Decision",
    "FIELDS",
    "Field",
    "Foreseen",
    "Held",
    "OUTCOMES",
    "Outcome",
    "PATTERNS",
    "Policy",
    "Resolved",
    "Resolver",
    "Stand",
    "StoredRun",
    "apply_policy",
    "foresee",
    "pattern_for",
    "pattern_of",
    "read_policy",
    "redacted",
    "what_if",
]
