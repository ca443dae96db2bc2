"""The fields of a policy, and the policies that come with the workbench."""

from workbench.interfaces.docs.tables import code, table
from workbench.services.policies import (
    ACTIONS,
    FIELDS,
    HANDLINGS,
    PATTERNS,
    STANDINGS,
    Kind,
    read_policy,
)
from workbench.shipped import SHIPPED_DATA

_VALUE_KINDS: dict[Kind, str] = {
    "switch": "`true` or `false`",
    "share": "0 to 1",
    "action": " · ".join(code(action) for action in ACTIONS),
    "standing": " · ".join(code(standing) for standing in STANDINGS),
    "handling": " · ".join(code(handling) for handling in HANDLINGS),
    "patterns": "a list of " + " · ".join(code(pattern) for pattern in PATTERNS),
    "address": "a URI",
    "secret": "a text, or `${VARIABLE}`",
    "milliseconds": "1 to 60000",
}
_COMPARED_FIELDS = (
    "require_sources", "require_source_match", "min_confidence", "min_groundedness",
    "min_context_overlap", "unverified_action", "hallucination_action",
    "require_existing_reference", "on_unchecked_reference", "on_retracted",
)  # fmt: skip


def describe_policy() -> str:
    """A table of all fields, and one of the ready-made policies."""
    fields = [
        [code(field.path), _VALUE_KINDS[field.kind], field.default, field.says] for field in FIELDS
    ]
    ready = []
    for path in sorted((SHIPPED_DATA / "policies").glob("*.yaml")):
        text = path.read_text("utf-8")
        policy = read_policy(text, {})
        purpose = text.partition("\n")[0].removeprefix("#").strip()
        values = (getattr(policy, name) for name in _COMPARED_FIELDS)
        ready.append([code(path.stem), purpose, *map(_yaml, values)])
    return "\n\n".join(
        [
            "Under `policy: citation-verifier:`, with dots for what is nested:",
            table(["field", "holds", "default", "what it does"], fields),
            "Ready-made, by name (`--policy medical`):",
            table(["name", "made for", *(code(name) for name in _COMPARED_FIELDS)], ready),
        ]
    )


def _yaml(value: object) -> str:
    if value is None:
        return "unset"
    return str(value).lower() if isinstance(value, bool) else str(value)
