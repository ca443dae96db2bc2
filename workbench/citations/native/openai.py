"""Read answers of the OpenAI Responses, Chat Completions and Assistants APIs."""

from collections.abc import Iterator

from workbench.citations.native.answer import (
    AnswerBuilder,
    ProviderAnswer,
    ProviderMark,
    ProviderSource,
)
from workbench.citations.native.cohere import add_cited_places
from workbench.citations.native.json_values import (
    Object,
    address,
    as_items,
    as_number,
    as_object,
    as_text,
    objects,
)
from workbench.citations.native.offsets import choose_unit
from workbench.records.text import Json

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
        source = _source(annotation)
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


def _source(annotation: Object) -> ProviderSource | None:
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
