"""Read an answer of the Anthropic Messages API: text blocks with citations."""

from workbench.citations.native.answer import (
    AnswerBuilder,
    ProviderAnswer,
    ProviderMark,
    ProviderSource,
)
from workbench.citations.native.json_values import Object, address, as_number, as_text, objects
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
            source, location = _source(citation)
            number = builder.add_source(source)
            name = source.url or source.title or source.key
            identifier = f"{name}, {location}" if location else name
            builder.marks.append(
                ProviderMark(first, max(first, last), identifier, number, covers=True)
            )


def _source(citation: Object) -> tuple[ProviderSource, str]:
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
