"""What follows from a run? Flag, redact or block, with a report; pure."""

from workbench.policy.apply import (
    Checked,
    ContextClaim,
    Decision,
    Resolved,
    apply_policy,
    pattern_of,
)
from workbench.policy.fields import ACTIONS, FIELDS, PATTERNS, Action, Field, Policy, Resolver
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
    "PATTERNS",
    "Policy",
    "Resolved",
    "Resolver",
    "apply_policy",
    "pattern_of",
    "read_policy",
    "redacted",
]
