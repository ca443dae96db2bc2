"""Filters of citations in words and in a URL; pure."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from workbench.errors import UsageError
from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.escape import run_label, truncate
from workbench.presentation.verdicts import ERROR_TEXT, FAULT_TEXT, STYLES
from workbench.records.citation import CITATION_KINDS
from workbench.records.queue import ItemFilter, parse_filter
from workbench.records.text import Json


def filter_text(chosen: ItemFilter, names: Mapping[str, str] | None = None) -> str:
    """A filter as a sentence without a period; `names` are the outputs' names by run id."""
    parts = [
        *_review_condition(chosen),
        *_verdict_conditions(chosen),
        *_source_conditions(chosen),
        *_label_conditions(chosen),
    ]
    if chosen.runs:
        names = names or {}
        parts.append(
            "in " + _joined_with_or(run_label(names.get(run, ""), 60) for run in chosen.runs)
        )
    words = ", ".join(parts) or "everything with a verdict"
    return words[0].upper() + words[1:]


def _review_condition(chosen: ItemFilter) -> Iterable[str]:
    if chosen.reviewed is not None:
        yield "reviewed" if chosen.reviewed else "not reviewed yet"


def _verdict_conditions(chosen: ItemFilter) -> Iterable[str]:
    if chosen.verdicts:
        yield "judged " + _joined_with_or(
            STYLES[verdict].word.lower() for verdict in chosen.verdicts
        )
    if chosen.confidence_below is not None:
        yield f"confidence below {chosen.confidence_below:g}"
    if chosen.near is not None:
        yield f"score within {chosen.band:g} of {chosen.near:g}"
    if chosen.judges_differ:
        yield "judges disagree"
    if chosen.judge_differs:
        yield "judge and reviewers disagree"
    if chosen.reviewers_differ:
        yield "labels disagree"
    if chosen.judge:
        yield f"judged by {truncate(chosen.judge, 60)}"
    if chosen.error_kinds:
        yield _joined_with_or(
            dict.fromkeys(ERROR_TEXT.get(kind, kind) for kind in chosen.error_kinds)
        )


def _source_conditions(chosen: ItemFilter) -> Iterable[str]:
    if chosen.kinds and set(chosen.kinds) != set(CITATION_KINDS):
        yield _joined_with_or(KIND_TEXT[kind].lower() for kind in chosen.kinds)
    if chosen.hosts:
        yield "from " + _joined_with_or(truncate(host, 60) or "no host" for host in chosen.hosts)
    if chosen.imported is not None:
        yield "imported" if chosen.imported else "not imported"
    if chosen.examples is not None:
        yield "examples only" if chosen.examples else "examples left out"
    if chosen.words:
        yield f"with the words “{truncate(chosen.words, 60)}”"


def _label_conditions(chosen: ItemFilter) -> Iterable[str]:
    if chosen.own_labels:
        yield "imported labels left out"
    if chosen.labels:
        yield "labelled " + _joined_with_or(STYLES[label].word.lower() for label in chosen.labels)
    if chosen.reviewers:
        yield "reviewed by " + _joined_with_or(truncate(name, 40) for name in chosen.reviewers)
    if chosen.faults:
        yield "fault: " + _joined_with_or(FAULT_TEXT[fault].lower() for fault in chosen.faults)
    if chosen.tags:
        yield "tagged " + _joined_with_or(truncate(tag, 40) for tag in chosen.tags)
    if chosen.adjudicated is not None:
        yield "adjudicated" if chosen.adjudicated else "not adjudicated"
    for saying in chosen.said:
        moment, label, reviewer = saying.split("|", 2)
        label_word = STYLES[label].word.lower() if label in STYLES else truncate(label, 40)
        yield f"{truncate(reviewer, 40)} {'labelled first' if moment == 'first' else 'says'} {label_word}"
    if chosen.queue:
        yield "in one queue"
    if chosen.labelled_from or chosen.labelled_before:
        yield _labelled_when(chosen)


def _labelled_when(chosen: ItemFilter) -> str:
    since, until = (
        datetime.fromisoformat(moment) if moment else None
        for moment in (chosen.labelled_from, chosen.labelled_before)
    )
    if since and until and until - since == timedelta(days=1):
        return f"labelled on {since:%Y-%m-%d}"
    parts = [f"from {since:%Y-%m-%d %H:%M}"] if since else []
    return "labelled " + " ".join(parts + ([f"before {until:%Y-%m-%d %H:%M}"] if until else []))


def filter_of(query: str) -> ItemFilter:
    """Parse the filter in a URL: its JSON with only the conditions that are set.

    Raises:
        UsageError: It is not a filter.
    """
    try:
        raw: Json = json.loads(query) if query.strip() else {}
        if not isinstance(raw, dict):
            raise ValueError("a filter is an object")
        return parse_filter(raw)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"The filter in the address cannot be used ({truncate(str(error), 120)}); set it again."
        ) from error


def address_of(chosen: ItemFilter) -> str:
    """A filter as URL text; empty for everything."""
    conditions = chosen.to_dict()
    return json.dumps(conditions, separators=(",", ":"), ensure_ascii=False) if conditions else ""


def _joined_with_or(words: Iterable[str]) -> str:
    several = list(words)
    return " or ".join([", ".join(several[:-1]), several[-1]] if several[1:] else several)
