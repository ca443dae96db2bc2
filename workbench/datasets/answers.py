"""Answers to queue fields in data sets: the active answer, and what each reviewer answered."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import quoteattr

from workbench.records.fields import AnswerValue, FieldAnswer, ReviewField, answer_json, answer_text
from workbench.records.review import Label, resolve_decision
from workbench.records.text import Json, JsonDict

STANDING, GIVEN = "answer_", "answers_"
"""Prefixes of a field's two columns: the active answer, and all answers."""


def standing_answers(labels: Sequence[Label]) -> dict[str, AnswerValue]:
    """The active answer to each field that has one, by the rule for labels.

    That is the newest adjudicated one, else that of more than half of those who answered.
    """
    names = dict.fromkeys(answer.name for label in labels for answer in label.answers)
    standing = {name: _standing(labels, name) for name in names}
    return {name: value for name, value in standing.items() if value is not None}


def _standing(labels: Sequence[Label], name: str) -> AnswerValue | None:
    answering = [label for label in labels if _answer(label, name)]
    winner = resolve_decision(answering, lambda label: repr(_value(label, name)))
    return _value(winner, name) if winner else None


def _answer(label: Label, name: str) -> FieldAnswer | None:
    """A label's answer to a field; the newest if several queues have a field of that name."""
    return next((answer for answer in reversed(label.answers) if answer.name == name), None)


def _value(label: Label, name: str) -> AnswerValue:
    answer = _answer(label, name)
    assert answer is not None, "only labels that answer are asked"
    return answer.value


def standing_json(labels: Sequence[Label]) -> JsonDict:
    """The active answers, by field."""
    return {name: answer_json(value) for name, value in standing_answers(labels).items()}


def named_answers(label: Label) -> JsonDict:
    """What one label answers, by field."""
    return {answer.name: answer_json(answer.value) for answer in label.answers}


def answer_columns(fields: Sequence[ReviewField]) -> tuple[str, ...]:
    """The names of the fields' columns."""
    return tuple(prefix + field.name for field in fields for prefix in (STANDING, GIVEN))


def flat_answers(labels: Sequence[Label], fields: Sequence[ReviewField]) -> dict[str, Json]:
    """The fields' columns: the active answer in its own type, and who answered what in words."""
    standing, columns = standing_answers(labels), dict[str, Json]()
    for field in fields:
        value = standing.get(field.name)
        columns[STANDING + field.name] = None if value is None else _as_kind(field, value)
        columns[GIVEN + field.name] = [
            {"reviewer": label.reviewer, "answer": answer.text}
            for label in labels
            if (answer := _answer(label, field.name))
        ]
    return columns


def _as_kind(field: ReviewField, value: AnswerValue) -> Json:
    """The value in the type of the column, even if another queue has a different field of that name."""
    if field.kind == "score":
        return value if isinstance(value, int) else None
    if field.kind == "choices":
        return list(value) if isinstance(value, tuple) else [answer_text(value)]
    return answer_text(value)


def answers_in_words(columns: Mapping[str, Json]) -> dict[str, Json]:
    """The columns of `flat_answers` for a table of texts: lists are written out."""
    words: dict[str, Json] = {}
    for name, value in columns.items():
        if not isinstance(value, list):
            words[name] = value
        elif name.startswith(GIVEN):
            words[name] = "; ".join(
                f"{entry['reviewer']}: {entry['answer']}"
                for entry in value
                if isinstance(entry, dict)
            )
        else:
            words[name] = answer_text(tuple(map(str, value)))
    return words


def answer_regions(label: Label, fields: Sequence[ReviewField]) -> list[JsonDict]:
    """A label's answers as regions of Label Studio, for the controls of these fields."""
    chosen = {field.name for field in fields if field.kind in ("choice", "choices")}
    return [
        {
            "id": f"{label.id}-answer-{answer.name}",
            "from_name": STANDING + answer.name,
            "to_name": "claim",
            **_region(answer.value, chosen=answer.name in chosen),
        }
        for answer in label.answers
    ]


def _region(value: AnswerValue, *, chosen: bool) -> JsonDict:
    if isinstance(value, int):
        return {"type": "number", "value": {"number": value}}
    if chosen or isinstance(value, tuple):
        return {
            "type": "choices",
            "value": {"choices": list(value) if isinstance(value, tuple) else [value]},
        }
    return {"type": "textarea", "value": {"text": [value]}}


def label_studio_controls(fields: Sequence[ReviewField]) -> str:
    """The part of Label Studio's labelling interface with the fields."""
    return "".join(f"  {_control(field)}\n" for field in fields)


def _control(field: ReviewField) -> str:
    head = f'name="{STANDING}{field.name}" toName="claim"'
    required = ' required="true"' if field.required else ""
    if field.kind == "score":
        return f'<Number {head} min="{field.low}" max="{field.high}" step="1"{required}/>'
    if field.options:
        options = "".join(f"<Choice value={quoteattr(option)}/>" for option in field.options)
        many = "single" if field.kind == "choice" else "multiple"
        return f'<Choices {head} choice="{many}"{required}>{options}</Choices>'
    return f"<TextArea {head} placeholder={quoteattr(field.question)}{required}/>"
