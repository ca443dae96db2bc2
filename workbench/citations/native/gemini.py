"""Read an answer of the Gemini API: `groundingMetadata`, whose offsets are UTF-8 bytes."""

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
from workbench.citations.native.offsets import Offsets


def is_grounded(value: Object) -> bool:
    """Whether a JSON object is an answer with candidates."""
    candidates = as_items(value.get("candidates"))
    return bool(candidates) and isinstance(as_object(candidates[0]).get("content"), dict)


def read_grounded(value: Object) -> ProviderAnswer:
    """The text of the first candidate; each support covers its segment, once for each chunk."""
    builder = AnswerBuilder()
    candidate = as_object(as_items(value.get("candidates"))[0])
    parts = []
    for part in objects(as_object(candidate.get("content")).get("parts")):
        text = part.get("text")
        words = text if isinstance(text, str) and part.get("thought") is not True else ""
        parts.append((builder.add_text(words), Offsets(words, "utf-8")))
    metadata = as_object(first(candidate, "groundingMetadata", "grounding_metadata"))
    chunks = [
        builder.add_source(_chunk(chunk, number))
        for number, chunk in enumerate(
            objects(first(metadata, "groundingChunks", "grounding_chunks")), start=1
        )
    ]
    for support in objects(first(metadata, "groundingSupports", "grounding_supports")):
        _support(builder, support, parts, chunks)
    _recitations(builder, candidate, parts)
    return builder.build()


def _chunk(chunk: Object, number: int) -> ProviderSource:
    for name in ("web", "retrievedContext", "retrieved_context", "maps"):
        details = as_object(chunk.get(name))
        if details:
            url = address(details.get("uri"))
            return ProviderSource(
                str(number), as_text(details.get("title")), url, key=f"chunk {number}"
            )
    return ProviderSource(str(number), None, None, key=f"chunk {number}")


def _support(
    builder: AnswerBuilder, support: Object, parts: list[tuple[int, Offsets]], chunks: list[int]
) -> None:
    """Add the marks of one support."""
    segment = as_object(support.get("segment"))
    part = as_number(first(segment, "partIndex", "part_index")) or 0
    if not 0 <= part < len(parts):
        part = 0
    if not parts:
        return
    base, offsets = parts[part]
    start = as_number(first(segment, "startIndex", "start_index")) or 0
    end = as_number(first(segment, "endIndex", "end_index")) or 0
    place = offsets.place(start, end, as_text(segment.get("text")))
    for index in as_items(first(support, "groundingChunkIndices", "grounding_chunk_indices")):
        number = as_number(index)
        source = chunks[number] if number is not None and 0 <= number < len(chunks) else None
        problem = place.problem
        if source is None:
            problem = f"The answer lists no chunk {index}."
        name = _name(builder, source, index if isinstance(index, int) else 0)
        builder.marks.append(
            ProviderMark(base + place.start, base + place.end, name, source, True, problem)
        )


def _name(builder: AnswerBuilder, source: int | None, index: int) -> str:
    if source is None:
        return f"chunk {index}"
    listed = builder.sources[source]
    return listed.url or listed.title or listed.key


def _recitations(
    builder: AnswerBuilder, candidate: Object, parts: list[tuple[int, Offsets]]
) -> None:
    """Add what `citationMetadata` says of words taken from elsewhere."""
    metadata = as_object(first(candidate, "citationMetadata", "citation_metadata"))
    for recitation in objects(first(metadata, "citationSources", "citations", "citation_sources")):
        url = address(recitation.get("uri"))
        if not parts or url is None:
            continue
        base, offsets = parts[0]
        start = as_number(first(recitation, "startIndex", "start_index")) or 0
        end = as_number(first(recitation, "endIndex", "end_index")) or 0
        place = offsets.place(start, end)
        source = builder.add_source(
            ProviderSource("", as_text(recitation.get("title")), url, key=url)
        )
        builder.marks.append(
            ProviderMark(base + place.start, base + place.end, url, source, True, place.problem)
        )
