"""Data sets as lines: JSONL, CSV, labelled pairs, fine-tuning and preference data, tasks."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.datasets.answers import (
    answer_columns,
    answer_regions,
    answers_in_words,
    flat_answers,
    label_studio_controls,
    named_answers,
    standing_json,
)
from workbench.datasets.chat_format import ChatExample, PromptFormat, exchange_of
from workbench.datasets.entries import context_fields
from workbench.datasets.export import (
    COLUMNS,
    NOT_STATED,
    ExportCounts,
    escape_formula,
    exclusion_reason,
    row_flat,
    row_json,
    terms_of,
)
from workbench.records.export_formats import Example
from workbench.records.fields import ReviewField
from workbench.records.review import Label
from workbench.records.text import Json, JsonDict, replace_surrogates
from workbench.records.verdict import HumanLabel, Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What an export includes, and how the judge's prompts are made."""

    source_text: bool = True
    prompting: PromptFormat | None = None
    fields: tuple[ReviewField, ...] = ()
    """That labels of the rows answer, each name once; tables have columns for them."""


Lines = Callable[[Iterable[Example], ExportOptions, ExportCounts], Iterator[str]]


def jsonl_lines(
    rows: Iterable[Example], shape: ExportOptions, tally: ExportCounts
) -> Iterator[str]:
    """One ASCII-escaped JSON object a line: the result's published keys, labels, source, terms."""
    for row in rows:
        tally.add(row)
        yield json.dumps(row_json(row, source_text=shape.source_text)) + "\n"


def csv_lines(rows: Iterable[Example], shape: ExportOptions, tally: ExportCounts) -> Iterator[str]:
    """CSV with a header; no cell is a formula, and lists are written out in words."""
    columns = (*COLUMNS, *answer_columns(shape.fields))
    yield csv_line(columns)
    for row in rows:
        tally.add(row)
        flat = row_flat(row, source_text=shape.source_text)
        labels_text = "; ".join(f"{label.author}: {label.label}" for label in row.row.labels)
        judgment = row.judgment
        quotes = [evidence.quote for evidence in judgment.evidence] if judgment else []
        flat |= {"labels": labels_text, "evidence": " … ".join(quotes) if shape.source_text else ""}
        flat |= answers_in_words(flat_answers(row.row.labels, shape.fields))
        yield csv_line(flat[name] for name in columns)


def csv_line(cells: Iterable[Json]) -> str:
    """A line of CSV; no cell is a formula, and what is no text or number stays empty."""
    line = io.StringIO()
    plain = [cell if isinstance(cell, str | int | float) else None for cell in cells]
    csv.writer(line, lineterminator="\r\n").writerow([escape_formula(cell) for cell in plain])
    return line.getvalue()


def pairs_lines(
    rows: Iterable[Example], shape: ExportOptions, tally: ExportCounts
) -> Iterator[str]:
    """Labelled pairs: claim, source and the label that stands; those who labelled it besides."""
    for row in rows:
        gold, claim = row.row.gold, row.row.result.citation.labelled_claim
        reason = exclusion_reason(row, "pairs")
        if reason or gold is None or claim is None:
            tally.leave_out(reason)
        else:
            tally.add(row)
            yield json.dumps(_pair(row, claim.text, gold, shape.source_text)) + "\n"


def _pair(row: Example, claim: str, gold: Label, source_text: bool) -> JsonDict:
    source = row.row.result.source
    pair: JsonDict = {
        "id": row.id,
        "claim": claim,
        "source": row.source_text if source_text else "",
        "label": gold.label,
    }
    pair |= context_fields(row.context)
    if row.group_key:
        pair["group"] = row.group_key
    if source and not source_text:
        pair["source_sha256"] = source.sha256
    if source and source.final_url:
        pair["url"] = source.final_url
    origin, licence = terms_of(row)
    pair |= {"origin": origin, "licence": licence}
    answers = standing_json(row.row.labels)
    if answers:
        pair["answers"] = answers
    if _is_unattributed(row):
        return pair
    return pair | {"labels": [_opinion(label) for label in row.row.labels]}


def _is_unattributed(row: Example) -> bool:
    """Whether the only label is that of a file without annotators."""
    labels = row.row.labels
    return (
        row.facts is not None
        and len(labels) == 1
        and not labels[0].by_person
        and not labels[0].note
    )


def _opinion(label: Label) -> JsonDict:
    opinion: JsonDict = {"annotator": label.reviewer} if label.by_person else {}
    opinion |= {"label": label.label}
    if label.note:
        opinion["note"] = label.note
    if label.role == "adjudication":
        opinion["role"] = label.role
    if label.answers:
        opinion["answers"] = named_answers(label)
    return opinion | {"created_at": label.created_at.isoformat()}


def openai_lines(
    rows: Iterable[Example], shape: ExportOptions, tally: ExportCounts
) -> Iterator[str]:
    """Chat fine-tuning for OpenAI's format: system, user and assistant messages a line."""
    for _, exchange in _exchanges(rows, shape, tally, "chat-openai"):
        messages: Json = [
            {"role": "system", "content": exchange.system},
            {"role": "user", "content": exchange.message},
            {"role": "assistant", "content": exchange.answer},
        ]
        yield json.dumps({"messages": messages}) + "\n"


def anthropic_lines(
    rows: Iterable[Example], shape: ExportOptions, tally: ExportCounts
) -> Iterator[str]:
    """Chat fine-tuning for Anthropic's format: the system text apart from the messages."""
    for _, exchange in _exchanges(rows, shape, tally, "chat-anthropic"):
        messages: Json = [
            {"role": "user", "content": exchange.message},
            {"role": "assistant", "content": exchange.answer},
        ]
        yield json.dumps({"system": exchange.system, "messages": messages}) + "\n"


def preference_lines(
    rows: Iterable[Example], shape: ExportOptions, tally: ExportCounts
) -> Iterator[str]:
    """Preference pairs where people corrected the judge: prompt, chosen, rejected."""
    for row, exchange in _exchanges(rows, shape, tally, "preference"):
        origin, licence = terms_of(row)
        pair: JsonDict = {
            "prompt": f"{exchange.system}\n\n{exchange.message}",
            "chosen": exchange.answer,
            "rejected": exchange.judge,
            "id": row.id,
            "origin": origin,
            "licence": licence,
        }
        pair |= context_fields(row.context)
        if row.context.source.url:
            pair["url"] = row.context.source.url
        answers = standing_json(row.row.labels)
        if answers:
            pair["answers"] = answers
        yield json.dumps(pair) + "\n"


def _exchanges(
    rows: Iterable[Example], shape: ExportOptions, tally: ExportCounts, format_name: str
) -> Iterator[tuple[Example, ChatExample]]:
    for row in rows:
        reason = exclusion_reason(row, format_name)
        exchange = (
            None
            if reason
            else exchange_of(row, shape.prompting, tally, source_text=shape.source_text)
        )
        if exchange is None:
            tally.leave_out(reason)
            continue
        tally.add(row)
        yield row, exchange


def task_lines(rows: Iterable[Example], shape: ExportOptions, tally: ExportCounts) -> Iterator[str]:
    """Label Studio's JSON list of tasks, the judge's verdict as prediction, labels as annotations.

    Who annotated stands in a text region, since Label Studio refuses people that it does not know.
    """
    opening = "[\n"
    for row in rows:
        claim = row.row.result.citation.labelled_claim
        reason = exclusion_reason(row, "label-studio")
        if reason or claim is None:
            tally.leave_out(reason)
            continue
        tally.add(row)
        yield opening + json.dumps(_task(row, claim.text, shape))
        opening = ",\n"
    yield "[]\n" if opening == "[\n" else "\n]\n"


def _task(row: Example, claim: str, shape: ExportOptions) -> JsonDict:
    source_text = shape.source_text
    source = row.row.result.source
    origin, licence = terms_of(row)
    data: JsonDict = {
        "id": row.id,
        "claim": replace_surrogates(claim),
        "source": replace_surrogates(row.source_text or "") if source_text else "(left out)",
        "group": row.group_key,
        "url": source.final_url if source else "",
        # the labelling interface shows these three, so that they have to be there
        "context": "",
        "title": "",
        "source_title": "",
        "source_sha256": source.sha256 if source else "",
        "output": replace_surrogates(row.row.name),
        "origin": origin if row.facts else "",
        "licence": licence if licence != NOT_STATED else "",
    }
    data |= {name: replace_surrogates(text) for name, text in context_fields(row.context).items()}
    if row.facts and row.facts.slices:
        data["slices"] = dict(row.facts.slices)
    gold = row.row.gold
    annotations: Json = [
        _annotation(label, shape, is_gold=gold is not None and gold.id == label.id)
        for label in row.row.labels
    ]
    predictions: Json = [_prediction(row.id, row.judgment, source_text)] if row.judgment else []
    return {"data": data, "predictions": predictions, "annotations": annotations}


def _annotation(label: Label, shape: ExportOptions, *, is_gold: bool) -> JsonDict:
    regions: list[Json] = [_choice(label.id, label.label)]
    for number, evidence in enumerate(label.evidence):
        regions.append(
            _piece(
                f"{label.id}-{number}",
                evidence.start,
                evidence.end,
                evidence.quote if shape.source_text else "",
            )
        )
    reviewer = label.reviewer if label.by_person else ""
    for name, text in (("reviewer", reviewer), ("note", label.note), ("role", label.role)):
        if text and (name, text) != ("role", "review"):
            regions.append(_text(f"{label.id}-{name}", name, text))
    regions += answer_regions(label, shape.fields)
    return {
        "result": regions,
        "created_at": label.created_at.isoformat(),
        "ground_truth": is_gold and label.role == "adjudication",
        "was_cancelled": False,
    }


def _prediction(item: str, judgment: Judgment, source_text: bool) -> JsonDict:
    name = _region(item, judgment.judge)
    regions: list[Json] = [_choice(name, judgment.label)]
    for number, evidence in enumerate(judgment.evidence):
        quote = evidence.quote if source_text else ""
        regions.append(_piece(f"{name}-{number}", evidence.start, evidence.end, quote))
    return {"model_version": judgment.judge, "score": judgment.confidence, "result": regions}


def _region(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _choice(name: str, label: HumanLabel) -> JsonDict:
    return {
        "id": name,
        "from_name": "verdict",
        "to_name": "claim",
        "type": "choices",
        "value": {"choices": [label]},
    }


def _piece(name: str, start: int, end: int, text: str) -> JsonDict:
    return {
        "id": name,
        "from_name": "evidence",
        "to_name": "source",
        "type": "labels",
        "value": {
            "start": start,
            "end": end,
            "text": replace_surrogates(text),
            "labels": ["evidence"],
        },
    }


def _text(name: str, field: str, text: str) -> JsonDict:
    return {
        "id": name,
        "from_name": field,
        "to_name": "claim",
        "type": "textarea",
        "value": {"text": [replace_surrogates(text)]},
    }


LABEL_STUDIO_CONFIG = """\
<View>
  <Text name="title" value="$title"/>
  <Text name="context" value="$context"/>
  <Text name="claim" value="$claim"/>
  <Choices name="verdict" toName="claim" choice="single" showInline="true">
    <Choice value="supported"/>
    <Choice value="partially_supported"/>
    <Choice value="not_supported"/>
    <Choice value="contradicted"/>
    <Choice value="unverifiable"/>
    <Choice value="cannot_tell"/>
  </Choices>
  <Labels name="evidence" toName="source"><Label value="evidence"/></Labels>
  <Text name="source_title" value="$source_title"/>
  <Text name="source" value="$source"/>
  <TextArea name="note" toName="claim" placeholder="Note"/>
  <TextArea name="reviewer" toName="claim" placeholder="Reviewer" maxSubmissions="1"/>
  <TextArea name="role" toName="claim" placeholder="Role" maxSubmissions="1"/>
</View>
"""
"""The labelling interface that the tasks are made for."""


def label_studio_config(fields: Sequence[ReviewField]) -> str:
    """The labelling interface with the questions of queues that the annotations answer."""
    return LABEL_STUDIO_CONFIG.replace("</View>", f"{label_studio_controls(fields)}</View>")


LINES: Mapping[str, Lines] = {
    "jsonl": jsonl_lines,
    "csv": csv_lines,
    "label-studio": task_lines,
    "chat-anthropic": anthropic_lines,
    "chat-openai": openai_lines,
    "preference": preference_lines,
    "pairs": pairs_lines,
}
