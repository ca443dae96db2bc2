"""Fields of a queue: additional questions to the label, and the reviewers' answers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.errors import UsageError
from workbench.records.text import Json, JsonDict, in_one_line, replace_surrogates

FieldKind = Literal["choice", "choices", "score", "text"]
FIELD_KINDS: tuple[FieldKind, ...] = get_args(FieldKind)
MOST_FIELDS = 12
MOST_OPTIONS = 20
MOST_SCORES = 101
"""Whole numbers that a score may take, both ends counted."""
LONGEST_FIELD_NAME = 40
LONGEST_QUESTION = 200
LONGEST_OPTION = 60
LONGEST_ANSWER = 10_000
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KEYS = {"name", "question", "kind", "options", "low", "high", "required"}

AnswerValue = str | int | tuple[str, ...]
"""An option or a text, a score, or the options chosen (none of them is an answer too)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewField:
    """One question that a queue asks in addition to the label."""

    name: str
    """Its name in exports: a letter, then letters, digits and underscores."""
    question: str
    kind: FieldKind
    options: tuple[str, ...] = ()
    """Of a single or several choice."""
    low: int = 1
    """Lowest score."""
    high: int = 5
    """Highest score."""
    required: bool = False

    def to_dict(self) -> JsonDict:
        """The field as stored and shown; only the keys that its kind has."""
        shape: JsonDict = {"name": self.name, "question": self.question, "kind": self.kind}
        if self.kind in ("choice", "choices"):
            shape["options"] = list(self.options)
        elif self.kind == "score":
            shape |= {"low": self.low, "high": self.high}
        return shape | {"required": self.required}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAnswer:
    """A label's answer to one field of a queue."""

    queue_id: str
    """Of the queue that asked."""
    name: str
    value: AnswerValue

    @property
    def text(self) -> str:
        """The answer in words; "none" where no option was chosen."""
        return answer_text(self.value)

    def to_dict(self) -> JsonDict:
        """`{"name", "value", "queue_id"}`."""
        return {"name": self.name, "value": answer_json(self.value), "queue_id": self.queue_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRating:
    """One person's answer to one field on one item, as agreement is computed from it."""

    item: str
    rater: str
    value: AnswerValue
    group: str
    """What items have in common that makes them dependent: the output they stand in."""


def answer_text(value: AnswerValue) -> str:
    """An answer in words; "none" where no option was chosen."""
    return (", ".join(value) or "none") if isinstance(value, tuple) else str(value)


def answer_json(value: AnswerValue) -> Json:
    """An answer as JSON: a text, a whole number or a list of texts."""
    return list(value) if isinstance(value, tuple) else value


def parse_fields(raw: object) -> tuple[ReviewField, ...]:
    """The fields of a JSON list of objects, checked.

    Raises:
        UsageError: It is no such list, or a field cannot be asked as it stands.
    """
    if not isinstance(raw, list | tuple):
        raise UsageError("The fields of a queue are a JSON list of objects.")
    return checked_fields([_field(item) for item in raw])


def checked_fields(fields: Sequence[ReviewField]) -> tuple[ReviewField, ...]:
    """The fields with their texts in one line each.

    Raises:
        UsageError: There are too many, two have one name, or one cannot be asked as it stands.
    """
    if len(fields) > MOST_FIELDS:
        raise UsageError(f"A queue has at most {MOST_FIELDS} fields, not {len(fields)}.")
    checked = tuple(_checked(field) for field in fields)
    names = [field.name.casefold() for field in checked]
    twice = next((field.name for field in checked if names.count(field.name.casefold()) > 1), None)
    if twice:
        raise UsageError(f"Two fields are called {twice!r}; give each a unique name.")
    return checked


def checked_answers(
    fields: Sequence[ReviewField], answers: Mapping[str, object], queue_id: str
) -> tuple[FieldAnswer, ...]:
    """The answers to a queue's fields, in the order of the fields; empty texts are left out.

    Raises:
        UsageError: A required field is not answered, an answer does not fit its field, or there is
            no such field.
    """
    unknown = [name for name in answers if name not in {field.name for field in fields}]
    if unknown:
        names = ", ".join(field.name for field in fields)
        raise UsageError(
            f"There is no field {unknown[0][:40]!r}; this queue "
            + (f"asks {names}." if names else "asks no fields.")
        )
    given = [
        FieldAnswer(queue_id=queue_id, name=field.name, value=value)
        for field in fields
        if (value := _answer(field, answers.get(field.name))) not in (None, "")
    ]
    answered = {answer.name for answer in given}
    missing = [field for field in fields if field.required and field.name not in answered]
    if missing:
        raise UsageError(f"The field {missing[0].name!r} needs an answer: {missing[0].question}")
    return tuple(given)


def parse_answers(raw: Iterable[Mapping[str, Json]]) -> tuple[FieldAnswer, ...]:
    """Stored answers, as `FieldAnswer.to_dict` gives them."""
    return tuple(
        FieldAnswer(
            queue_id=str(answer["queue_id"]),
            name=str(answer["name"]),
            value=tuple(map(str, value)) if isinstance(value, list) else value,
        )
        for answer in raw
        if isinstance(value := answer["value"], str | int | list)
    )


def _field(raw: object) -> ReviewField:
    if not isinstance(raw, Mapping):
        raise UsageError(f"A field is a JSON object, not {str(raw)[:40]!r}.")
    unknown = [str(key) for key in raw if key not in _KEYS]
    if unknown:
        raise UsageError(f"A field has no {unknown[0][:40]!r}; it has {', '.join(sorted(_KEYS))}.")
    name, kind, options = raw.get("name"), raw.get("kind"), raw.get("options", [])
    low, high = raw.get("low", 1), raw.get("high", 5)
    question, required = raw.get("question", name), raw.get("required", False)
    known = next((known for known in FIELD_KINDS if known == kind), None)
    if not isinstance(name, str) or not isinstance(question, str):
        raise UsageError("A field needs a name and a question, both texts.")
    if known is None:
        raise UsageError(f"The field {name[:40]!r} is of one kind of {', '.join(FIELD_KINDS)}.")
    if not isinstance(options, list | tuple) or not all(isinstance(text, str) for text in options):
        raise UsageError(f"The options of the field {name[:40]!r} are a list of texts.")
    if not _is_whole(low) or not _is_whole(high):
        raise UsageError(f"The scores of the field {name[:40]!r} are whole numbers.")
    if not isinstance(required, bool):
        raise UsageError(f"Whether the field {name[:40]!r} is required is true or false.")
    return ReviewField(
        name=name,
        question=question,
        kind=known,
        options=tuple(options),
        low=low,
        high=high,
        required=required,
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _checked(field: ReviewField) -> ReviewField:
    name, question = in_one_line(field.name), in_one_line(field.question)
    options = tuple(dict.fromkeys(text for text in map(in_one_line, field.options) if text))
    if not _NAME.fullmatch(name) or len(name) > LONGEST_FIELD_NAME:
        raise UsageError(
            f"A field cannot be called {name[:60]!r}: a name is a letter, then letters, digits and "
            f"underscores, {LONGEST_FIELD_NAME} at most."
        )
    if not question or len(question) > LONGEST_QUESTION:
        raise UsageError(
            f"The field {name!r} needs a question of at most {LONGEST_QUESTION} characters."
        )
    if field.kind not in ("choice", "choices"):
        options = ()
    elif not (2 if field.kind == "choice" else 1) <= len(options) <= MOST_OPTIONS:
        raise UsageError(
            f"The field {name!r} needs {'two' if field.kind == 'choice' else 'one'} to "
            f"{MOST_OPTIONS} different options, not {len(options)}."
        )
    long = next((text for text in options if len(text) > LONGEST_OPTION), None)
    if long:
        raise UsageError(
            f"The option {long[:30] + '…'!r} of the field {name!r} is longer than "
            f"{LONGEST_OPTION} characters."
        )
    low, high = (field.low, field.high) if field.kind == "score" else (1, 5)
    if not low < high < low + MOST_SCORES or abs(low) > 1_000_000:
        raise UsageError(
            f"The scores of the field {name!r} go from a whole number to a higher one, "
            f"{MOST_SCORES} of them at most."
        )
    return ReviewField(
        name=name,
        question=question,
        kind=field.kind,
        options=options,
        low=low,
        high=high,
        required=field.required,
    )


def _answer(field: ReviewField, value: object) -> AnswerValue | None:
    """The value as the field takes it; None where there is none."""
    if value is None:
        return None
    match field.kind:
        case "choice" if value in field.options:
            return str(value)
        case "choices" if isinstance(value, list | tuple) and all(
            option in field.options for option in value
        ):
            return tuple(option for option in field.options if option in value)
        case "score" if isinstance(value, int) and not isinstance(value, bool):
            if field.low <= value <= field.high:
                return value
        case "text" if isinstance(value, str) and len(value) <= LONGEST_ANSWER:
            return replace_surrogates(value).strip()
        case _:
            pass
    raise UsageError(
        f"{str(value)[:60]!r} is not an answer to the field {field.name!r}: {_takes(field)}"
    )


def _takes(field: ReviewField) -> str:
    match field.kind:
        case "choice":
            return f"it takes one of {', '.join(field.options)}."
        case "choices":
            return f"it takes a list of {', '.join(field.options)}."
        case "score":
            return f"it takes a whole number from {field.low} to {field.high}."
        case _:
            return f"it takes a text of at most {LONGEST_ANSWER:,} characters."
