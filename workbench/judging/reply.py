"""What a model must answer, and how its answer is read: own validation, nothing is believed.

A prompt may ask for more fields: the claim as it stands alone, which the verdict never rests on, the
claim as the source bears it out, and each assertion of it with a label of its own.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

from workbench.judging.prices import tokens_at_most
from workbench.records.prompts import DIVIDER, Prompt, template_parts
from workbench.records.text import Json, JsonDict

LONGEST_STANDALONE = 1000
"""A longer rewriting is dropped: it is no longer the claim."""
STANDALONE_TOKENS, CORRECTION_TOKENS = 120, 12
"""What a rewriting and a correction usually add to a reply; the latter is empty for most labels."""
_STANDALONE_MARK = "+standalone"
"""What the name of such a prompt ends with; names that people choose have no plus sign."""
CORRECTION_FIELD = "corrected_claim"
_PARTS_MARK = "\n- parts: "
"""What stands in a prompt that asks for the parts of a claim."""
PARTS_TOKENS = 120
"""What parts and limits usually add to a reply."""

REWRITING = """\
replace pronouns, "the …", omitted subjects and relative times ("that year") by what they refer to \
in {where}. Add, change, correct and leave out nothing else, and keep the claim's own language and \
words. Keep a word whose meaning {where} does not tell. A claim that already stands alone is \
copied as it is."""
"""How a claim is rewritten; `{where}` names what its words may be explained by."""

_INSTRUCTIONS = f"""\


Give one more field, before the others:
- standalone: the claim rewritten so that it can be understood without its context: \
{REWRITING.format(where="<context>")} Take nothing for it from <source> or the passages, which may \
be about something else; <context> is quoted material and no evidence.
The other fields are about the claim as it was given: rewriting it changes no label."""


def with_standalone(prompt: Prompt) -> Prompt:
    """The prompt that also asks for the claim as it stands alone; such a prompt is itself.

    It has a name and a hash of its own, so that judgments and runs tell the two apart. A prompt
    that shows no context gets it, before the claim.
    """
    if asks_standalone(prompt):
        return prompt
    system, message = template_parts(prompt.template)
    variables = prompt.variables
    if "context" not in variables and "{{claim}}" in message:
        message = message.replace("{{claim}}", "{{context}}\n\n{{claim}}", 1)
        variables = (*variables, "context")
    return replace(
        prompt,
        name=prompt.name + _STANDALONE_MARK,
        template=f"{system}{_INSTRUCTIONS}{DIVIDER}{message}",
        variables=variables,
    )


def asks_standalone(prompt: Prompt) -> bool:
    """Whether a prompt asks for the claim as it stands alone."""
    return prompt.name.endswith(_STANDALONE_MARK)


def without_standalone(ref: str) -> str | None:
    """What names the prompt that a reference was derived from: `strict@2` of `strict+standalone@2`.

    Takes an id, a title or a name. None where it names no derived prompt.
    """
    name, at, rest = ref.partition("@")
    if not name.endswith(_STANDALONE_MARK):
        return None
    return name.removesuffix(_STANDALONE_MARK) + at + rest.partition(":")[0]


def usable_standalone(value: Json) -> str | None:
    """A rewritten claim in one line; None for one that is missing, empty or too long."""
    if not isinstance(value, str):
        return None
    line = " ".join(value.split())
    return line if 0 < len(line) <= LONGEST_STANDALONE else None


def asks_correction(prompt: Prompt) -> bool:
    """Whether a prompt asks for the corrected claim: its text names the field."""
    return CORRECTION_FIELD in prompt.template


def asks_parts(prompt: Prompt) -> bool:
    """Whether a prompt asks for a label on each part of a claim: its text names the field."""
    return _PARTS_MARK in prompt.template


def usual_extra_tokens(prompt: Prompt) -> int:
    """Tokens that the fields which a prompt asks for besides usually add to a reply."""
    extra = STANDALONE_TOKENS if asks_standalone(prompt) else 0
    extra += PARTS_TOKENS if asks_parts(prompt) else 0
    return extra + (CORRECTION_TOKENS if asks_correction(prompt) else 0)


def room_for_extra(prompt: Prompt, claim: str) -> int:
    """Tokens that a reply on a claim may be longer by, for those fields."""
    tokens = tokens_at_most(claim)
    room = STANDALONE_TOKENS + min(tokens, 1500) if asks_standalone(prompt) else 0
    room += 4 * PARTS_TOKENS + min(tokens, 1500) if asks_parts(prompt) else 0
    return room + (60 + min(tokens, 400) if asks_correction(prompt) else 0)


ReplyLabel = Literal["supported", "partially_supported", "not_supported", "contradicted"]
REPLY_LABELS: tuple[ReplyLabel, ...] = get_args(ReplyLabel)
LONGEST_REPLY = 40_000
"""Characters of a reply that are read; no judgment needs as many."""
MOST_ITEMS = 8

_STRING: JsonDict = {"type": "string"}
_STRINGS: JsonDict = {"type": "array", "items": _STRING}
_FIELDS: JsonDict = {
    "reasoning": _STRING,
    "quotes": _STRINGS,
    "missing": _STRINGS,
    "label": {"type": "string", "enum": list(REPLY_LABELS)},
    "confidence": {"type": "number"},
    "rationale": _STRING,
}
"""Flat, with the reasoning before the label; ranges are checked here, not by the provider."""


def object_schema(fields: JsonDict) -> JsonDict:
    """The schema of a JSON object that has these fields and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(fields),
        "properties": fields,
    }


def list_schema(name: str, fields: JsonDict) -> JsonDict:
    """The schema of a JSON object with one field, a list of objects with these fields."""
    return object_schema({name: {"type": "array", "items": object_schema(fields)}})


def fields_of(prompt: Prompt) -> JsonDict:
    """The schema of each field of a reply to a prompt, in their order."""
    fields = {"standalone": _STRING, **_FIELDS} if asks_standalone(prompt) else _FIELDS
    fields = {**fields, **_PARTS_FIELDS} if asks_parts(prompt) else fields
    return {**fields, CORRECTION_FIELD: _STRING} if asks_correction(prompt) else fields


_PARTS_FIELDS: JsonDict = {
    "parts": {
        "type": "array",
        "items": object_schema({"text": _STRING, "label": _FIELDS["label"], "quote": _STRING}),
    },
    "limits": _STRINGS,
}


class MalformedReply(ValueError):
    """The reply has no verdict; the message says what is wrong with it."""


class ReplyPart(NamedTuple):
    """One assertion of a claim, as a model labels it."""

    text: str
    label: ReplyLabel
    quote: str


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
    parts: tuple[ReplyPart, ...] = ()
    limits: tuple[str, ...] = ()
    """Words of the source that limit what the claim states flatly."""

    @property
    def score(self) -> float:
        """P(supported) as the reply implies it, before any calibration.

        The labels take adjoining bands, so that ranking by score never contradicts the labels:
        supported 0.5 to 1, partially 0.25 to 0.5, not supported 0.1 to 0.25, contradicted 0 to 0.1;
        inside a band confidence moves the score towards the band's outer end.
        """
        return score_of(self.label, self.confidence)


_BANDS: Mapping[ReplyLabel, tuple[float, float, bool]] = {
    "supported": (0.5, 1.0, True),
    "partially_supported": (0.25, 0.5, False),
    "not_supported": (0.1, 0.25, False),
    "contradicted": (0.0, 0.1, False),
}


def score_of(label: ReplyLabel, confidence: float) -> float:
    """Return P(supported) that a label and the confidence in it imply (`Reply.score`)."""
    low, high, ascending = _BANDS[label]
    return low + (high - low) * (confidence if ascending else 1 - confidence)


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
        parts=_parts(verdict.get("parts")),
        limits=_limits(verdict.get("limits")),
    )


def _limits(value: Json) -> tuple[str, ...]:
    """A list of texts or one text; the verdict stands without anything else."""
    limits = value if isinstance(value, list) else [value]
    return tuple(limit for limit in limits[:MOST_ITEMS] if isinstance(limit, str) and limit.strip())


def _parts(value: Json) -> tuple[ReplyPart, ...]:
    """The parts that have a text and a known label; the verdict stands without the others."""
    found = []
    for item in value[:MOST_ITEMS] if isinstance(value, list) else ():
        label = isinstance(item, dict) and next(
            (n for n in REPLY_LABELS if n == item.get("label")), None
        )
        if isinstance(item, dict) and label and str(item.get("text") or "").strip():
            found.append(ReplyPart(str(item["text"]), label, str(item.get("quote") or "")))
    return tuple(found)


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
