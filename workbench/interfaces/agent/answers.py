"""What words an answer holds, which sources came with the call, and hanging a grounding on it."""

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import cast

from workbench.errors import UnreadableInput
from workbench.records.citation import Extraction
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import Run
from workbench.services.inputs import read_bytes, read_output
from workbench.services.policies import PolicyDecision
from workbench.services.verification import ClaimReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of the agent: what it was given and what it answered."""

    args: Sequence[object] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)
    """By parameter name, those given by place too where the function tells its names."""
    answer: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What the sources say of an answer; nothing of it stands in the answer itself.

    An answer that cites is checked citation by citation (`run`), one that cites nothing claim by
    claim (`report`).
    """

    run: Run | None = None
    report: ClaimReport | None = None
    decision: PolicyDecision | None = None
    """What the policy makes of the answer; the answer itself is handed on as it is."""
    skipped: str = ""
    """Why nothing was checked, in a sentence; empty otherwise."""
    error: str = ""
    """What went wrong with the check, in a sentence; empty otherwise."""
    seconds: float = 0.0

    @property
    def checked(self) -> bool:
        """Whether anything was compared with a source."""
        return self.run is not None or self.report is not None

    @property
    def overall_grounded(self) -> bool:
        """Whether nothing is contradicted, and nothing was left without a verdict.

        False also where the check failed or a judge gave no verdict; true where the answer was
        skipped, since there was nothing to check it by.
        """
        if self.error:
            return False
        run = self.run
        against = run and any(result.verdict == "contradicted" for result in run.counted)
        if against or (run and run.total_unjudged):
            return False
        return self.report is None or self.report.overall_grounded

    @property
    def supported_ratio(self) -> float:
        """Supported over checked citations, or over claims; 1 where there are none.

        Citations that the judge gave no verdict on count as not supported.
        """
        if self.run is not None:
            of = self.run.total_resolved + self.run.total_unjudged
            if of:
                return self.run.total_supported / of
        return self.report.supported_ratio if self.report else 1.0

    @property
    def cost_usd(self) -> float:
        """What the judges cost, and what is reserved for calls that were cut off; known prices."""
        spendings = [checked.spending for checked in (self.run, self.report) if checked is not None]
        return sum(spending.settled_usd + spending.reserved_usd for spending in spendings)

    @property
    def price_unknown(self) -> bool:
        """Whether a model was asked whose price is unknown."""
        spendings = [checked.spending for checked in (self.run, self.report) if checked is not None]
        return any(spending.unpriced_calls for spending in spendings)

    @property
    def summary(self) -> str:
        """One line: `2/3 citations supported (67%)`, or why there is none."""
        if self.error:
            return f"Not checked: {self.error}"
        if self.run is not None and self.run.total_citations_found:
            supported, unjudged = self.run.total_supported, self.run.total_unjudged
            of = self.run.total_resolved + unjudged
            if not of:
                return f"None of {self.run.total_citations_found} citations could be resolved."
            unjudged_words = f", {unjudged} without a verdict" if unjudged else ""
            return f"{supported}/{of} citations supported ({round(100 * supported / of)}%){unjudged_words}"
        if self.report is not None:
            return self.report.summary
        return f"Not checked: {self.skipped}"

    def to_dict(self) -> JsonDict:
        """As a log keeps it: the summary's figures, then the run, the claims and the decision."""
        return {
            "checked": self.checked,
            "summary": self.summary,
            "overall_grounded": self.overall_grounded,
            "supported_ratio": round(self.supported_ratio, 4),
            "cost_usd": None if self.price_unknown else round(self.cost_usd, 6),
            "price_unknown": self.price_unknown,
            "seconds": round(self.seconds, 3),
            "skipped": self.skipped or None,
            "error": self.error or None,
            "run": self.run.to_dict() if self.run else None,
            "claims": self.report.to_dict() if self.report else None,
            "policy": self.decision.to_dict() if self.decision else None,
        }


Hung = Grounding | Future[Grounding]
Given = list[dict[str, str]]
_TEXT_FIELDS = (
    "text",
    "answer",
    "output",
    "output_text",
    "content",
    "response",
    "result",
    "message",
)
"""Where a dict or an object of no known shape keeps its words, first match first."""


class GroundedText(str):
    """A string that carries its grounding; everything else of it is a string's."""

    grounding: Hung


class GroundedDict(dict[str, Json]):
    """A dict that carries its grounding beside its keys."""

    grounding: Hung


def attach_grounding(answer: object, grounding: Hung) -> object:
    """The answer with `.grounding`; what can carry nothing (None, a number) as it is."""
    if type(answer) is str:
        text = GroundedText(answer)
        text.grounding = grounding
        return text
    if type(answer) is dict:
        grounded = GroundedDict(answer)
        grounded.grounding = grounding
        return grounded
    try:
        # past a model's own fields, so that what it is dumped to stays the provider's
        object.__setattr__(answer, "grounding", grounding)
    except (AttributeError, TypeError):
        return answer
    return answer


def extract_text(answer: object) -> Extraction | str | None:
    """The text of an answer, with the provider's citations where it made any; None without words.

    Read are strings, extractions, what the SDKs of Anthropic and OpenAI and their kin return, the
    same as JSON, and objects or dicts that keep their text under a usual name.
    """
    if isinstance(answer, Extraction):
        return answer if answer.text.strip() else None
    if isinstance(answer, str):
        return str(answer) if answer.strip() else None
    loaded = as_json(answer)
    if loaded is not None:
        try:
            return read_output(_named_documents(loaded))
        except UnreadableInput:
            answer = loaded
    for name in _TEXT_FIELDS:
        text = answer.get(name) if isinstance(answer, Mapping) else getattr(answer, name, None)
        if isinstance(text, str) and text.strip():
            return text
    return None


def as_json(answer: object) -> Mapping[str, Json] | None:
    """An SDK's object or a dict as JSON; None for anything else."""
    if isinstance(answer, Mapping):
        return cast("Mapping[str, Json]", answer)
    dump = getattr(answer, "model_dump", None)
    if callable(dump):
        dumped = dump(mode="json", warnings=False)
        return dumped if isinstance(dumped, dict) else None
    return None


def sources_in(call: Call) -> Given:
    """The documents that went along with the call or came with its answer, as given sources.

    That is Anthropic's `document` and `search_result` blocks, in the order in which its citations
    count them, and the files that OpenAI's file search found.
    """
    sources = [
        document
        for number, block in enumerate(_blocks(call.kwargs.get("messages"), "document"))
        if (document := _document(block, number))
    ]
    for number, block in enumerate(_blocks(call.kwargs.get("messages"), "search_result")):
        content, source = _joined_text(block.get("content")), block.get("source")
        if content:
            title = _text_field(block, "title") or f"search result {number}"
            url = {"url": source} if isinstance(source, str) and "://" in source else {}
            sources.append({"content": content, "title": title, **url})
    return sources + _file_search_sources(as_json(call.answer) or {})


def _named_documents(message: Mapping[str, Json]) -> Mapping[str, Json]:
    """A message whose citations name their document as `sources_in` does."""
    blocks = message.get("content")
    if message.get("type") != "message" or not isinstance(blocks, list):
        return message
    renamed: list[Json] = []
    for block in blocks:
        cited = block.get("citations") if isinstance(block, dict) else None
        if isinstance(block, dict) and isinstance(cited, list):
            block = {**block, "citations": [_with_numbered_title(citation) for citation in cited]}
        renamed.append(block)
    return {**message, "content": renamed}


def _with_numbered_title(citation: Json) -> Json:
    if not isinstance(citation, dict) or not isinstance(citation.get("document_index"), int):
        return citation
    number = citation["document_index"]
    title = citation.get("document_title")
    name = document_name(title if isinstance(title, str) else None, cast("int", number))
    return {**citation, "document_title": name}


def document_name(title: str | None, number: int) -> str:
    """A document's title with its number: titles may be missing, and several may be the same."""
    stripped_title = (title or "").strip()
    return f"{stripped_title} (document {number})" if stripped_title else f"document {number}"


def _document(block: Mapping[str, Json], number: int) -> dict[str, str] | None:
    source = block.get("source")
    if not isinstance(source, Mapping):
        return None
    content: str | None = None
    if source.get("type") == "text":
        content = _text_field(source, "data")
    elif source.get("type") == "content":
        content = _joined_text(source.get("content"))
    elif source.get("type") == "base64":
        content = _decode_document(_text_field(source, "data") or "")
    if not content:
        return None
    document = {"content": content, "title": document_name(_text_field(block, "title"), number)}
    url = _text_field(source, "url")
    return {**document, "url": url} if url else document


def _decode_document(data: str) -> str | None:
    try:
        output = read_bytes(base64.b64decode(data, validate=True), "document.pdf")
    except (binascii.Error, UnreadableInput):
        return None
    return output if isinstance(output, str) else output.text


def _file_search_sources(answer: Mapping[str, Json]) -> Given:
    """What a file search found, the pieces of one file joined."""
    texts: dict[str, list[str]] = {}
    for item in _objects(answer.get("output")):
        if item.get("type") == "file_search_call":
            for result in _objects(item.get("results")):
                name, text = _text_field(result, "filename"), _text_field(result, "text")
                if name and text:
                    texts.setdefault(name, []).append(text)
    return [{"title": name, "content": "\n\n".join(parts)} for name, parts in texts.items()]


def _blocks(messages: object, kind: str) -> Iterator[Mapping[str, Json]]:
    """The blocks of one kind in a conversation, those within tool results too."""
    for message in _objects(messages):
        for block in _objects(message.get("content")):
            if block.get("type") == kind:
                yield block
            elif block.get("type") == "tool_result":
                for inner in _objects(block.get("content")):
                    if inner.get("type") == kind:
                        yield inner


def _objects(value: object) -> Iterator[Mapping[str, Json]]:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for item in value:
            if isinstance(item, Mapping):
                yield item


def _joined_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "\n\n".join(text for item in _objects(value) if (text := _text_field(item, "text")))


def _text_field(value: Mapping[str, Json], name: str) -> str | None:
    text = value.get(name)
    return text if isinstance(text, str) and text.strip() else None
