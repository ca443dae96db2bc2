"""What a model must answer, and how its answer is read: own validation, nothing is believed."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.judging.correction_field import (
    CORRECTION_FIELD,
    asks_correction,
    schema_with_correction,
)
from workbench.judging.standalone import (
    asks_standalone,
    schema_with_standalone,
    usable_standalone,
)
from workbench.records import Json, JsonDict, Prompt

ReplyLabel = Literal["supported", "partially_supported", "not_supported", "contradicted"]
REPLY_LABELS: tuple[ReplyLabel, ...] = get_args(ReplyLabel)
LONGEST_REPLY = 40_000
"""Characters of a reply that are read; no judgment needs as many."""
MOST_ITEMS = 8

_TEXTS: JsonDict = {"type": "array", "items": {"type": "string"}}
SCHEMA: JsonDict = {
    "type": "object",
    "additionalProperties": False,
    "required": ["reasoning", "quotes", "missing", "label", "confidence", "rationale"],
    "properties": {
        "reasoning": {"type": "string"},
        "quotes": _TEXTS,
        "missing": _TEXTS,
        "label": {"type": "string", "enum": list(REPLY_LABELS)},
        "confidence": {"type": "number"},
        "rationale": {"type": "string"},
    },
}
"""Flat, with the reasoning before the label; ranges are checked here, not by the provider."""


def schema_of(prompt: Prompt) -> JsonDict:
    """The schema of a reply to a prompt, with the fields that this prompt asks for besides."""
    schema = schema_with_correction(SCHEMA) if asks_correction(prompt) else SCHEMA
    return schema_with_standalone(schema) if asks_standalone(prompt) else schema


class MalformedReply(ValueError):
    """The reply has no verdict; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's answer, well-formed but with its quotes not yet checked."""

    label: ReplyLabel
    confidence: float
    quotes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    rationale: str = ""
    standalone: str | None = None
    """The claim rewritten to stand alone, where that was requested and is usable."""
    corrected_claim: str = ""
    """The claim as the source bears it out, as it came: not yet checked."""

    @property
    def score(self) -> float:
        """P(supported) as the reply implies it, before any calibration.

        The labels take adjoining bands, so that ranking by score never contradicts the labels:
        supported 0.5 to 1, partially 0.25 to 0.5, not supported 0.1 to 0.25, contradicted 0 to 0.1;
        inside a band confidence moves the score towards the band's outer end.
        """
        low, high, ascending = _BANDS[self.label]
        share = self.confidence if ascending else 1 - self.confidence
        return low + (high - low) * share


_BANDS: Mapping[ReplyLabel, tuple[float, float, bool]] = {
    "supported": (0.5, 1.0, True),
    "partially_supported": (0.25, 0.5, False),
    "not_supported": (0.1, 0.25, False),
    "contradicted": (0.0, 0.1, False),
}


def read_reply(text: str) -> Reply:
    """The verdict in a reply; the last one where it holds several, prose around it ignored.

    Raises:
        MalformedReply: there is not a JSON object with a known label and a usable confidence.
    """
    verdicts = [document for document in json_objects(text) if "label" in document]
    if not verdicts:
        raise MalformedReply("it contains no JSON object with a label")
    return validated(verdicts[-1])


def validated(verdict: Mapping[str, Json]) -> Reply:
    """One verdict object as a reply; raises `MalformedReply` for anything else."""
    label = next((name for name in REPLY_LABELS if name == verdict.get("label")), None)
    if label is None:
        raise MalformedReply(f"its label is {str(verdict.get('label'))[:40]!r}")
    confidence = verdict.get("confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise MalformedReply("its confidence is not a number")
    if not math.isfinite(confidence) or not 0 <= confidence <= 1:
        raise MalformedReply(f"its confidence is {confidence!r}, not between 0 and 1")
    return Reply(
        label=label,
        confidence=float(confidence),
        quotes=_texts(verdict.get("quotes"), "quotes"),
        missing=_texts(verdict.get("missing"), "missing"),
        rationale=str(verdict.get("rationale") or "")[:2000],
        standalone=usable_standalone(verdict.get("standalone")),
        corrected_claim=str(verdict.get(CORRECTION_FIELD) or "")[:2000],
    )


def _texts(value: Json, name: str) -> tuple[str, ...]:
    """A list of strings; a missing list is an empty one."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise MalformedReply(f"its {name} are not a list of texts")
    return tuple(str(item) for item in value[:MOST_ITEMS] if str(item).strip())


def json_objects(reply: str) -> list[dict[str, Json]]:
    """The JSON objects in a reply, outermost ones, in order; prose around them is ignored."""
    text = reply[:LONGEST_REPLY]
    decoder = json.JSONDecoder()
    objects: list[dict[str, Json]] = []
    at = text.find("{")
    tries = 0
    while at >= 0 and tries < 200:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                objects.append(value)
        at = text.find("{", end)
    return objects
