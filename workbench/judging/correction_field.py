"""The field of a model's reply that has the claim as the source bears it out."""

from workbench.judging.prices import tokens_at_most
from workbench.records import JsonDict, Prompt

CORRECTION_FIELD = "corrected_claim"
USUAL_TOKENS = 12
"""What the field adds to a reply on average: it is empty for most labels."""
_MOST_CLAIM_TOKENS = 400
_ROOM = 60


def asks_correction(prompt: Prompt) -> bool:
    """Whether a prompt asks for the corrected claim: its text names the field."""
    return CORRECTION_FIELD in prompt.template


def schema_with_correction(schema: JsonDict) -> JsonDict:
    """The schema of a reply with the corrected claim behind the other fields."""
    properties, required = schema["properties"], schema["required"]
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise TypeError("a reply's schema has properties, and a list of those it requires")
    return {
        **schema,
        "required": [*required, CORRECTION_FIELD],
        "properties": {**properties, CORRECTION_FIELD: {"type": "string"}},
    }


def room_for_correction(claim: str) -> int:
    """Tokens that a reply may be longer by, for the claim's correction."""
    return _ROOM + min(tokens_at_most(claim), _MOST_CLAIM_TOKENS)
