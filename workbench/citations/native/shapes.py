"""Tell the shapes of JSON apart that hold an agent's answer, and read those of no one provider."""

import re
from collections.abc import Iterator, Mapping

from workbench.citations.document import Document
from workbench.citations.extract import extract_document
from workbench.citations.native import providers
from workbench.citations.native.answer import (
    AnswerBuilder,
    AnsweredQuestion,
    Object,
    ProviderAnswer,
    ProviderSource,
    address,
    adjacent_question,
    as_items,
    as_object,
    as_text,
    asks,
    date_in,
    first,
    objects,
    question_in,
    role_of,
)
from workbench.errors import UnreadableInput
from workbench.records.citation import Extraction
from workbench.records.text import Json

_TEXT_KEYS = ("text", "output", "answer", "response", "content", "article", "answer_string")
_SOURCE_KEYS = ("sources", "references", "citations", "attribution", "search_results")
_CITATION_KEY = re.compile(r"citation|annotation|attribution|grounding.?(?:chunk|support)", re.I)
_UNREAD = (
    "The JSON lists {} citations beside its text in a form that is not read; only the marks in "
    "the text are."
)
_ANSWER_ROLES = ("assistant", "ai", "model", "bot")
_ACCEPTED_SHAPES = (
    "an Anthropic message with its content blocks, an OpenAI response or chat completion, a "
    "Perplexity answer, a Gemini answer with candidates, a Cohere answer with citations, a list of "
    "chat messages, "
    '{"claims": [{"claim", "source"}]}, or {"text": "…", "sources": […]}'
)


def is_transcript(value: Json) -> bool:
    """Whether JSON is a list of messages with roles."""
    messages = list(objects(value))
    return bool(messages) and all("content" in message and role_of(message) for message in messages)


def read_transcript(value: Json) -> ProviderAnswer:
    """What the assistant said, turn after turn, with the question; other messages are left out.

    Messages of the assistant that no question parts are one answer.
    """
    builder = AnswerBuilder()
    question: str | None = None
    new = True
    for message in objects(value):
        if asks(message):
            words = question_in(message)
            if words:  # a message may hold only what a tool returned
                question, new = words, True
        if role_of(message) not in _ANSWER_ROLES:
            continue
        builder.part()
        if new:
            builder.answer(question, date_in(message))
            new = False
        content = message.get("content")
        cited = any(part.get("citations") for part in objects(content))
        if cited or (not isinstance(content, str) and not _annotated(content)):
            providers.add_blocks(builder, content)
        else:
            providers.add_sources(builder, message)
            providers.add_message(builder, message)
    return builder.build()


def is_answer(value: Object) -> bool:
    """Whether a JSON object holds an answer as a string."""
    return any(isinstance(value.get(name), str) for name in _TEXT_KEYS)


def read_answer(value: Object) -> ProviderAnswer:
    """The text and its sources: addresses, or objects with `url`, `title` and `label`.

    A source without a label has its place in the list, counted from 1, for one.
    """
    builder = AnswerBuilder()
    builder.add_text(
        str(next(value[name] for name in _TEXT_KEYS if isinstance(value.get(name), str)))
    )
    for name in _SOURCE_KEYS:
        listed = as_items(value.get(name))
        for number, item in enumerate(listed, start=1):
            source = _source(item, number)
            if source:
                builder.add_source(source)
        if builder.sources:
            break
    return builder.build()


def is_envelope(value: Object) -> bool:
    """Whether a JSON object is a list of claims, each with its provenance."""
    claims = list(objects(value.get("claims")))
    return bool(claims) and all(as_text(claim.get("claim")) for claim in claims)


def read_envelope(value: Object) -> ProviderAnswer:
    """One line a claim with its provenance in brackets; what is unverified has none."""
    builder = AnswerBuilder()
    for claim in objects(value.get("claims")):
        source = as_text(claim.get("source"))
        builder.add_text(
            f"- {str(claim['claim']).strip()}" + (f" [{source}]" if source else "") + "\n"
        )
    for other in as_items(value.get("unverified")):
        words = as_text(other) or as_text(as_object(other).get("claim"))
        if words:
            builder.add_text(f"- {words.strip()}\n")
    return builder.build()


def _annotated(content: Json) -> bool:
    return any(
        part.get("annotations") or isinstance(part.get("text"), dict) for part in objects(content)
    )


def _source(item: Json, number: int) -> ProviderSource | None:
    if isinstance(item, str):
        url = address(item)
        return ProviderSource(str(number), None if url else item, url, key=str(number))
    details = as_object(item)
    label = first(details, "label", "number", "index")
    title = as_text(details.get("title")) or as_text(details.get("name"))
    url = address(first(details, "url", "link", "uri", "source"))
    if not (title or url or label is not None):
        return None
    return ProviderSource(str(label if label is not None else number), title, url, key=str(number))


def from_native(value: Json) -> Extraction:
    """The extraction of the JSON that a provider or a chat product returned.

    Citations that the provider made have kind `native` and its own offsets, as code points of the
    text and checked against it; marks in the text are found as ever and tied to the sources that
    the JSON lists. References that stand nowhere in the text have an empty span at its end.

    Raises:
        UnreadableInput: The JSON has none of the accepted shapes, or has no words.
    """
    answer = _read(value)
    if answer is None:
        raise UnreadableInput(
            f"This JSON is no agent output that can be read. Pass {_ACCEPTED_SHAPES}."
        )
    if not answer.text.strip():
        raise UnreadableInput(f"This JSON holds no words of an answer. Pass {_ACCEPTED_SHAPES}.")
    if not (answer.marks or answer.sources):
        unread = sum(_citation_lists(value))
        if unread:
            answer = answer._replace(notices=(_UNREAD.format(unread),))
    return extract_document(Document(answer.text, answer))


def _citation_lists(value: Json, depth: int = 6) -> Iterator[int]:
    """The lengths of the lists in JSON that are named like citations."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if as_items(inner) and _CITATION_KEY.search(name):
                yield len(as_items(inner))
            elif depth:
                yield from _citation_lists(inner, depth - 1)
    elif depth:
        for item in as_items(value):
            yield from _citation_lists(item, depth - 1)


def _read(value: Json) -> ProviderAnswer | None:
    """The answer in JSON, with its question and date where they stand in it or beside it."""
    if not isinstance(value, Mapping):
        return read_transcript(value) if is_transcript(value) else None
    answer = _read_object(value)
    if answer is None:
        return None
    answered = answer.answered or (AnsweredQuestion(0),)
    question = adjacent_question(value) if len(answered) == 1 else None
    date = date_in(value)
    return answer._replace(
        answered=tuple(
            turn._replace(question=turn.question or question, date=turn.date or date)
            for turn in answered
        )
    )


def _read_object(value: Object) -> ProviderAnswer | None:
    for is_shape, read in (
        (providers.is_message, providers.read_message),
        (providers.is_grounded, providers.read_grounded),
        (providers.is_answer, providers.read_answer),
        (providers.is_completion, providers.read_completion),
        (providers.is_response, providers.read_response),
        (is_envelope, read_envelope),
        (is_answer, read_answer),
    ):
        if is_shape(value):
            return read(value)
    for name in ("messages", "conversation", "data", "history"):
        if is_transcript(value.get(name)):
            return read_transcript(value.get(name))
    if value.get("role") and any(True for _ in objects(value.get("content"))):
        return read_transcript([value])
    for name in ("response", "message", "body", "result"):
        inner = as_object(value.get(name))
        if inner:
            return _read(inner)
    return None
