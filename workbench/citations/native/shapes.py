"""Tell the shapes of JSON apart that hold an agent's answer."""

from collections.abc import Mapping

from workbench.citations.extract import extract_given
from workbench.citations.native import anthropic, gemini, openai, plain
from workbench.citations.native.access import Object, as_object, objects
from workbench.citations.native.questions import date_in, question_beside
from workbench.citations.provider_citations import AnsweredQuestion, Given
from workbench.errors import UnreadableInput
from workbench.records import Extraction, Json

_ACCEPTED = (
    "an Anthropic message with its content blocks, an OpenAI response or chat completion, a "
    "Perplexity answer, a Gemini answer with candidates, a list of chat messages, "
    '{"claims": [{"claim", "source"}]}, or {"text": "…", "sources": […]}'
)


def from_native(value: Json) -> Extraction:
    """The extraction of the JSON that a provider or a chat product returned.

    Citations that the provider made have kind `native` and its own offsets, as code points of the
    text and checked against it; marks in the text are found as ever and tied to the sources that
    the JSON lists. References that stand nowhere in the text have an empty span at its end.

    Raises:
        UnreadableInput: The JSON has none of the accepted shapes, or holds no words.
    """
    given = _read(value)
    if given is None:
        raise UnreadableInput(f"This JSON is no agent output that can be read. Pass {_ACCEPTED}.")
    if not given.text.strip():
        raise UnreadableInput(f"This JSON holds no words of an answer. Pass {_ACCEPTED}.")
    return extract_given(given)


def _read(value: Json) -> Given | None:
    """The answer in JSON, with its question and date where they stand in it or beside it."""
    if not isinstance(value, Mapping):
        return plain.read_transcript(value) if plain.is_transcript(value) else None
    given = _read_object(value)
    if given is None:
        return None
    answered = given.answered or (AnsweredQuestion(0),)
    question = question_beside(value) if len(answered) == 1 else None
    date = date_in(value)
    return given._replace(
        answered=tuple(
            one._replace(question=one.question or question, date=one.date or date)
            for one in answered
        )
    )


def _read_object(value: Object) -> Given | None:
    for is_shape, read in (
        (anthropic.is_message, anthropic.read_message),
        (gemini.is_grounded, gemini.read_grounded),
        (openai.is_completion, openai.read_completion),
        (openai.is_response, openai.read_response),
        (plain.is_envelope, plain.read_envelope),
        (plain.is_answer, plain.read_answer),
    ):
        if is_shape(value):
            return read(value)
    for name in ("messages", "conversation", "data", "history"):
        if plain.is_transcript(value.get(name)):
            return plain.read_transcript(value.get(name))
    if value.get("role") and any(True for _ in objects(value.get("content"))):
        return plain.read_transcript([value])
    for name in ("response", "message", "body", "result"):
        inner = as_object(value.get(name))
        if inner:
            return _read(inner)
    return None
