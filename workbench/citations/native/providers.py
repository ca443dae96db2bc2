"""Answers of the providers' APIs, each with the citations that it came with.

Read citations that stand beside an answer by their offsets, as Cohere's API returns them.

`{"start", "end", "text", "sources" or "document_ids"}`, with the documents in each or listed apart;
gateways and frameworks pass the same list on in other providers' shapes.
"""

from collections.abc import Iterator, Sequence

from workbench.citations.native.answer import (
    AnswerBuilder,
    Object,
    Offsets,
    ProviderAnswer,
    ProviderMark,
    ProviderSource,
    address,
    as_items,
    as_number,
    as_object,
    as_text,
    choose_unit,
    first,
    objects,
)
from workbench.records.text import Json


def is_message(value: Object) -> bool:
    """Whether a JSON object is a message whose content is made of blocks."""
    return value.get("type") == "message" and isinstance(value.get("content"), list | tuple)


def read_message(value: Object) -> ProviderAnswer:
    """The text of a message; each of its citations covers the block that carries it."""
    builder = AnswerBuilder()
    add_blocks(builder, value.get("content"))
    return builder.build()


def add_blocks(builder: AnswerBuilder, content: Json) -> None:
    """Add text blocks with their citations; what tools did between them parts the text."""
    parted = False
    for block in objects(content):
        text = block.get("text")
        if block.get("type") not in ("text", "output_text", None) or not isinstance(text, str):
            parted = True
            continue
        if parted and builder.size:
            builder.part()
        parted = False
        start = builder.add_text(text)
        first = start + len(text) - len(text.lstrip())
        last = start + len(text.rstrip())
        for citation in objects(block.get("citations")):
            source, location = _anthropic_source(citation)
            number = builder.add_source(source)
            name = source.url or source.title or source.key
            identifier = f"{name}, {location}" if location else name
            builder.marks.append(
                ProviderMark(first, max(first, last), identifier, number, covers=True)
            )


def _anthropic_source(citation: Object) -> tuple[ProviderSource, str]:
    """The source of a citation, and where in it the cited words stand."""
    kind = as_text(citation.get("type")) or ""
    title = as_text(citation.get("document_title")) or as_text(citation.get("title"))
    if kind == "web_search_result_location":
        url = address(citation.get("url"))
        return ProviderSource("", title, url, key=url or title or "web result"), ""
    if kind == "search_result_location":
        source = as_text(citation.get("source"))
        index = as_number(citation.get("search_result_index"))
        provider_source = ProviderSource(
            "", title, address(source), key=source or f"search result {index}"
        )
        return provider_source, _range("block", citation, "start_block_index", "end_block_index")
    index = as_number(citation.get("document_index"))
    key = f"document {index}" if index is not None else title or "document"
    provider_source = ProviderSource("", title, None, key=key)
    if kind == "char_location":
        return provider_source, _range("character", citation, "start_char_index", "end_char_index")
    if kind == "page_location":
        return provider_source, _range("page", citation, "start_page_number", "end_page_number")
    return provider_source, _range("block", citation, "start_block_index", "end_block_index")


def _range(unit: str, citation: Object, first: str, last: str) -> str:
    """`pages 3-4`; the end that the provider gives is exclusive."""
    start, end = as_number(citation.get(first)), as_number(citation.get(last))
    if start is None or end is None:
        return ""
    return f"{unit} {start}" if end - start <= 1 else f"{unit}s {start}-{end - 1}"


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


_MESSAGES = ("message", "message.output")
_OPENERS = ("(", "[", "【", "http", "\ue200", "（", "［")
_CLOSERS = (")", "]", "】", "\ue201", "）", "］")


def is_response(value: Object) -> bool:
    """Whether a JSON object is an answer of the Responses API."""
    if value.get("object") == "response":
        return True
    return any(item.get("type") in _MESSAGES for item in _items(value))


def _items(value: Object) -> Iterator[Object]:
    """What a response put out; Mistral's conversations call it `outputs`."""
    return objects(value.get("output") or value.get("outputs"))


def read_response(value: Object) -> ProviderAnswer:
    """The text of a response with its annotations."""
    builder = AnswerBuilder()
    for item in _items(value):
        if item.get("type") in _MESSAGES:
            builder.part()
            add_message(builder, item)
    return builder.build()


def is_completion(value: Object) -> bool:
    """Whether a JSON object is a chat completion."""
    choices = as_items(value.get("choices"))
    return bool(choices) and isinstance(as_object(choices[0]).get("message"), dict)


def read_completion(value: Object) -> ProviderAnswer:
    """The text of the first choice with its annotations, and the sources beside the choices.

    Perplexity and others of the same form list `citations` (addresses) or `search_results`; the
    `[1]` of the text counts them from 1.
    """
    builder = AnswerBuilder()
    add_sources(builder, value)
    message = as_object(as_object(as_items(value.get("choices"))[0]).get("message"))
    add_sources(builder, message)
    add_message(builder, message)
    return builder.build()


def add_sources(builder: AnswerBuilder, value: Object) -> None:
    """Add the sources that stand beside an answer: `search_results` first, they have titles."""
    titled = {}
    for result in objects(value.get("search_results")):
        url = address(result.get("url")) or address(result.get("link"))
        if url:
            titled[url] = result
    addresses = [result for result in as_items(value.get("citations")) if isinstance(result, str)]
    for url in addresses or list(titled):
        details = as_object(titled.get(url))
        date = as_text(details.get("date")) or ""
        year = int(date[:4]) if date[:4].isdigit() else None
        number = str(len(builder.sources) + 1)
        source = ProviderSource(
            number, as_text(details.get("title")), address(url), year, key=number
        )
        builder.add_source(source)
    # Azure OpenAI on your data lists documents, which `[doc1]` counts from 1
    documents = objects(as_object(value.get("context")).get("citations"))
    for place, document in enumerate(documents, start=1):
        url, title = address(document.get("url")), as_text(document.get("title"))
        file = as_text(document.get("filepath")) or f"document {place}"
        builder.add_source(ProviderSource(str(place), title or file, url, key=f"doc{place}"))


def add_message(builder: AnswerBuilder, message: Object) -> None:
    """Add a chat message: a string with annotations, or content parts."""
    content = message.get("content")
    if isinstance(content, str):
        start = builder.add_text(content)
        _annotate(builder, content, start, message.get("annotations"))
        add_cited_places(builder, message, [(start, content)])
    else:
        add_content(builder, content)


def add_content(builder: AnswerBuilder, content: Json) -> None:
    """Add content parts with their annotations; Mistral's name their sources between them."""
    before = ""
    for part in objects(content):
        text: Json = part.get("text")
        if part.get("type") in ("reference", "tool_reference"):
            _add_reference(builder, part, before)
            continue
        annotations: Json = part.get("annotations")
        if isinstance(text, dict):  # Assistants: {"value", "annotations"}
            annotations = text.get("annotations")
            text = text.get("value")
        if isinstance(text, str):
            _annotate(builder, text, builder.add_text(text), annotations)
            before = text


def _add_reference(builder: AnswerBuilder, part: Object, before: str) -> None:
    """Add one of Mistral's references: it covers its own words, or the sentence before it."""
    words = as_text(part.get("text"))
    if words:
        first, last = 0, len(words)
        base = builder.add_text(words)
    else:
        first, last = _sentence_before(before, len(before))
        base = builder.size - len(before)
    url, title = address(part.get("url")), as_text(part.get("title"))
    ids = [str(name) for name in as_items(part.get("reference_ids"))]
    if not ids or url or title:
        sources = [ProviderSource("", title, url, key=url or title or "reference")]
    else:
        sources = [ProviderSource(name, f"Reference {name}", None, key=name) for name in ids]
    for source in sources:
        index = builder.add_source(source)
        name = source.url or source.title or source.key
        builder.marks.append(ProviderMark(base + first, base + last, name, index, covers=True))


def _annotate(builder: AnswerBuilder, text: str, base: int, annotations: Json) -> None:
    """Add the annotations of a part that begins at code point `base` of the answer."""
    unwrapped = [_unwrapped(annotation) for annotation in objects(annotations)]
    spans = []
    for annotation in unwrapped:
        start, end = (
            as_number(annotation.get("start_index")),
            as_number(annotation.get("end_index")),
        )
        if start is not None and end is not None:
            spans.append((start, end))
    offsets = choose_unit(text, spans, _is_mark)
    for annotation in unwrapped:
        source = _openai_source(annotation)
        if source is None:
            continue
        number = builder.add_source(source)
        name = source.url or source.title or source.key
        start, end = (
            as_number(annotation.get("start_index")),
            as_number(annotation.get("end_index")),
        )
        words = as_text(annotation.get("text"))
        if start is None or end is None:
            index = offsets.code_point(as_number(annotation.get("index")) or 0)
            first, last = _sentence_before(text, index)
            mark = ProviderMark(base + first, base + last, name, number, covers=True)
        else:
            place = offsets.place(start, end, words)
            covers = not text[place.start : place.end].startswith(_OPENERS)
            mark = ProviderMark(
                base + place.start, base + place.end, name, number, covers, place.problem
            )
        builder.marks.append(mark)


def _is_mark(words: str) -> bool:
    """Whether words are a mark from its first sign to its last."""
    return words.startswith(_OPENERS) and words.endswith(_CLOSERS)


def _unwrapped(annotation: Object) -> Object:
    """An annotation with what its own key holds: Chat nests `{"url_citation": {…}}`."""
    kind = as_text(annotation.get("type")) or ""
    inner = annotation.get(kind)
    return {**annotation, **inner} if isinstance(inner, dict) else annotation


def _openai_source(annotation: Object) -> ProviderSource | None:
    """The source of an annotation; None for one that cites nothing."""
    kind = as_text(annotation.get("type")) or ""
    title = as_text(annotation.get("title"))
    if kind == "url_citation":
        url = address(annotation.get("url"))
        return ProviderSource("", title, url, key=url or title or "a page without an address")
    if kind in ("file_citation", "container_file_citation", "file_path"):
        file = as_text(annotation.get("file_id")) or "file"
        return ProviderSource("", as_text(annotation.get("filename")) or title, None, key=file)
    return None


def _sentence_before(text: str, index: int) -> tuple[int, int]:
    """The line, or the last sentence of it, that ends at an insertion point."""
    last = min(index, len(text))
    line = text.rfind("\n", 0, last) + 1
    stop = max(
        text.rfind(sign, line, max(line, last - 2)) for sign in (". ", "? ", "! ", "。", "！")
    )
    first = line if stop < 0 else stop + 1
    while first < last and text[first].isspace():
        first += 1
    while last > first and text[last - 1].isspace():
        last -= 1
    return first, last


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
