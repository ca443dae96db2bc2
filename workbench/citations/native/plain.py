"""Read chat transcripts, `{"text", "sources"}` and the envelope of claims with their sources."""

from workbench.citations.native import anthropic, openai
from workbench.citations.native.access import (
    Object,
    address,
    as_items,
    as_object,
    as_text,
    first,
    objects,
)
from workbench.citations.native.questions import asks, date_in, question_in, role_of
from workbench.citations.provider_citations import Builder, Given, GivenSource
from workbench.records import Json

_TEXT_KEYS = ("text", "output", "answer", "response", "content", "article", "answer_string")
_SOURCE_KEYS = ("sources", "references", "citations", "attribution", "search_results")
_ANSWERS = ("assistant", "ai", "model", "bot")


def is_transcript(value: Json) -> bool:
    """Whether JSON is a list of messages with roles."""
    messages = list(objects(value))
    return bool(messages) and all("content" in one and role_of(one) for one in messages)


def read_transcript(value: Json) -> Given:
    """What the assistant said, turn after turn, with what was asked; what others said is left out.

    Messages of the assistant that no question parts are one answer.
    """
    builder = Builder()
    question: str | None = None
    new = True
    for message in objects(value):
        if asks(message):
            words = question_in(message)
            if words:  # a message may hold only what a tool returned
                question, new = words, True
        if role_of(message) not in _ANSWERS:
            continue
        builder.part()
        if new:
            builder.answer(question, date_in(message))
            new = False
        content = message.get("content")
        cited = any(one.get("citations") for one in objects(content))
        if cited or (not isinstance(content, str) and not _annotated(content)):
            anthropic.add_blocks(builder, content)
        else:
            openai.add_sources(builder, message)
            openai.add_message(builder, message)
    return builder.build()


def is_answer(value: Object) -> bool:
    """Whether a JSON object holds an answer as a string."""
    return any(isinstance(value.get(name), str) for name in _TEXT_KEYS)


def read_answer(value: Object) -> Given:
    """The text and its sources: addresses, or objects with `url`, `title` and `label`.

    A source without a label has its place in the list, counted from 1, for one.
    """
    builder = Builder()
    builder.add_text(
        str(next(value[name] for name in _TEXT_KEYS if isinstance(value.get(name), str)))
    )
    for name in _SOURCE_KEYS:
        ones = as_items(value.get(name))
        for number, one in enumerate(ones, start=1):
            source = _source(one, number)
            if source:
                builder.add_source(source)
        if builder.sources:
            break
    return builder.build()


def is_envelope(value: Object) -> bool:
    """Whether a JSON object is a list of claims, each with its provenance."""
    claims = list(objects(value.get("claims")))
    return bool(claims) and all(as_text(one.get("claim")) for one in claims)


def read_envelope(value: Object) -> Given:
    """One line a claim with its provenance in brackets; what is unverified has none."""
    builder = Builder()
    for one in objects(value.get("claims")):
        source = as_text(one.get("source"))
        builder.add_text(
            f"- {str(one['claim']).strip()}" + (f" [{source}]" if source else "") + "\n"
        )
    for other in as_items(value.get("unverified")):
        words = as_text(other) or as_text(as_object(other).get("claim"))
        if words:
            builder.add_text(f"- {words.strip()}\n")
    return builder.build()


def _annotated(content: Json) -> bool:
    return any(
        one.get("annotations") or isinstance(one.get("text"), dict) for one in objects(content)
    )


def _source(one: Json, number: int) -> GivenSource | None:
    if isinstance(one, str):
        url = address(one)
        return GivenSource(str(number), None if url else one, url, key=str(number))
    about = as_object(one)
    label = first(about, "label", "number", "index")
    title = as_text(about.get("title")) or as_text(about.get("name"))
    url = address(first(about, "url", "link", "uri", "source"))
    if not (title or url or label is not None):
        return None
    return GivenSource(str(label if label is not None else number), title, url, key=str(number))
