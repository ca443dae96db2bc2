"""Read citations that stand beside an answer by their offsets, as Cohere's API returns them.

`{"start", "end", "text", "sources" or "document_ids"}`, with the documents in each or listed apart;
gateways and frameworks pass the same list on in other providers' shapes.
"""

from collections.abc import Iterator, Sequence

from workbench.citations.native.answer import (
    AnswerBuilder,
    ProviderAnswer,
    ProviderMark,
    ProviderSource,
)
from workbench.citations.native.json_values import (
    Object,
    address,
    as_items,
    as_number,
    as_object,
    as_text,
    first,
    objects,
)
from workbench.citations.native.offsets import choose_unit

_HOLDERS = ("message", "additional_kwargs", "response_metadata")


def is_answer(value: Object) -> bool:
    """Whether a JSON object is an answer with citations by offsets, of one of Cohere's versions."""
    return bool(_texts(value)) and any(True for _ in cited_places(value))


def read_answer(value: Object) -> ProviderAnswer:
    """The text of an answer with its citations; each covers the words that it gives."""
    builder = AnswerBuilder()
    texts = [(builder.add_text(text), text) for text in _texts(value)]
    add_cited_places(builder, value, texts)
    return builder.build()


def cited_places(value: Object) -> Iterator[Object]:
    """The citations by offsets that stand in an object, or in its message."""
    for holder in (value, *(as_object(value.get(name)) for name in _HOLDERS)):
        for citation in objects(holder.get("citations")):
            if as_number(citation.get("start")) is not None and as_number(citation.get("end")):
                yield citation


def add_cited_places(
    builder: AnswerBuilder, value: Object, texts: Sequence[tuple[int, str]]
) -> None:
    """Add the citations by offsets of an answer, once for each of their sources.

    Args:
        builder: Takes the marks and their sources.
        value: The object that the citations stand in, or whose message holds them.
        texts: The parts of the answer that is already added, with where each begins.
    """
    citations = list(cited_places(value))
    if not citations or not texts:
        return
    listed = {
        as_text(document.get("id")): document
        for holder in (value, *(as_object(value.get(name)) for name in _HOLDERS))
        for document in objects(holder.get("documents"))
    }
    for number, (base, text) in enumerate(texts):
        own = [item for item in citations if (as_number(item.get("content_index")) or 0) == number]
        wanted = {as_text(citation.get("text")) for citation in own}
        spans = [
            (as_number(item.get("start")) or 0, as_number(item.get("end")) or 0) for item in own
        ]
        offsets = choose_unit(text, spans, lambda words, wanted=wanted: words in wanted)  # type: ignore[misc]
        for citation, (start, end) in zip(own, spans, strict=True):
            place = offsets.place(start, end, as_text(citation.get("text")))
            for source in _sources(citation, listed):
                index = builder.add_source(source)
                name = source.url or source.title or source.key
                builder.marks.append(
                    ProviderMark(
                        base + place.start, base + place.end, name, index, True, place.problem
                    )
                )


def _texts(value: Object) -> list[str]:
    """The parts of the text that citations count in."""
    content = as_object(value.get("message")).get("content", value.get("content"))
    parts = (
        [part.get("text") for part in objects(content)]
        if not isinstance(content, str)
        else [content]
    )
    texts = [text for text in parts if isinstance(text, str)]
    text = value.get("text")
    return texts or ([text] if isinstance(text, str) else [])


def _sources(citation: Object, listed: dict[str | None, Object]) -> Iterator[ProviderSource]:
    """The sources of a citation; one that says nothing of itself is known by its id."""
    described = [
        (as_text(source.get("id")), as_object(first(source, "document", "tool_output")))
        for source in objects(citation.get("sources"))
    ]
    ids = [as_text(name) for name in as_items(first(citation, "document_ids", "documentIds"))]
    described += [(name, listed.get(name, {})) for name in ids]
    for name, document in described:
        document = {**listed.get(name, {}), **as_object(document.get("data")), **document}
        url = address(first(document, "url", "link", "uri", "source"))
        title = as_text(first(document, "title", "name"))
        key = url or name or title or "document"
        yield ProviderSource("", title or (None if url else name), url, key=key)
