"""Decided corrections as preference pairs, and an output with those that were taken; pure lines.

Beside them the sentences that reviewers decided on, with what they are there for.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.datasets.dataset_card import (
    CardMetadata,
    WrittenFile,
    by_count,
    card_line,
    card_table,
)
from workbench.datasets.line_writers import csv_line
from workbench.errors import UsageError
from workbench.records.citation import SentenceCorrection, SentenceKind
from workbench.records.corrections import CorrectionDecision, TextEdit, segments_between, word_edits
from workbench.records.format import format_timestamp
from workbench.records.text import JsonDict, format_iso8601, replace_surrogates

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~&-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedCorrection:
    """A decision on a proposed correction, with the source that it is about."""

    decision: CorrectionDecision
    name: str
    """The name of the output."""
    output_sha256: str
    marker: str
    """The citation's, as it stands in the text."""
    places: Sequence[int] | None = None
    """For each character of the claim where it stands in the output; None for one that does not
    stand there any more."""
    quotes: tuple[str, ...] = ()
    """What the judge quotes from the source."""
    source_title: str = ""
    source_url: str = ""
    source_sha256: str = ""


@dataclass(slots=True)
class CorrectionTally:
    """Counts of an export of corrections: for its card."""

    rows: int = 0
    choices: Counter[str] = field(default_factory=Counter)
    judges: Counter[str] = field(default_factory=Counter)
    reviewers: Counter[str] = field(default_factory=Counter)

    def add(self, row: DecidedCorrection, rows: int) -> None:
        """Count one decision that gave some rows."""
        self.rows += rows
        self.choices[row.decision.choice] += 1
        self.judges[row.decision.judge] += 1
        self.reviewers[row.decision.reviewer] += 1


def correction_pair_lines(
    rows: Iterable[DecidedCorrection], tally: CorrectionTally
) -> Iterator[str]:
    """Preference pairs, one ASCII-escaped JSON object a line: `prompt`, `chosen`, `rejected`.

    What was taken is preferred over the claim, an edited text over the claim and over the proposal,
    and the claim over a proposal that was refused.
    """
    for row in rows:
        pairs = _pairs(row.decision)
        tally.add(row, len(pairs))
        for number, (chosen, rejected) in enumerate(pairs):
            pair: JsonDict = {
                "prompt": _prompt(row),
                "chosen": chosen,
                "rejected": rejected,
                "id": f"{row.decision.id}:{number}",
                "choice": row.decision.choice,
                "reason": row.decision.reason,
                "claim": row.decision.claim,
                "judge": row.decision.judge,
                "run_id": row.decision.run_id,
                "citation_id": row.decision.citation_id,
                "url": row.source_url or None,
                "source_sha256": row.source_sha256 or None,
            }
            yield json.dumps(pair) + "\n"


def corrected_markdown_lines(
    text: str, rows: Sequence[DecidedCorrection], tally: CorrectionTally
) -> Iterator[str]:
    """The text with the taken corrections in place, then a numbered list of the changes."""
    corrected, made, left_out = corrected_output(text, rows)
    yield replace_surrogates(corrected.rstrip("\n")) + "\n\n---\n\n## Changes\n\n"
    if not made:
        yield "No correction was taken.\n"
    for number, row in enumerate(made, start=1):
        tally.add(row, 1)
        yield f"{number}. {_change(row)}\n"
    if left_out:
        yield "\nNot made, since a later decision is about the same words:\n\n"
        yield from (f"- {_change(row)}\n" for row in left_out)


def corrected_output(
    text: str, rows: Sequence[DecidedCorrection]
) -> tuple[str, list[DecidedCorrection], list[DecidedCorrection]]:
    """The text with the taken corrections, those made in text order, and those that were not.

    Each claim is changed at its exact place, word by word; white space and markers around it stay.
    Of decisions about overlapping claims the newest is made. A decision whose claim does not stand
    at its place any more is not made.
    """
    taken = [row for row in rows if row.decision.text is not None]
    newest_first = sorted(
        taken, key=lambda row: (row.decision.created_at, row.decision.id), reverse=True
    )
    made: list[DecidedCorrection] = []
    left_out: list[DecidedCorrection] = []
    for row in newest_first:
        decision, places = row.decision, row.places
        fits = places is not None and len(places) == len(decision.claim)
        free = not any(
            decision.start < other.decision.end and other.decision.start < decision.end
            for other in made
        )
        (made if fits and free else left_out).append(row)
    made.sort(key=lambda row: row.decision.span)
    parts: list[str] = []
    at = 0
    for row in made:
        edits = word_edits(row.decision.claim, row.decision.text or "")
        if edits is None:  # too long to compare
            parts += [text[at : row.decision.start], row.decision.text or ""]
            at = row.decision.end
        for edit in edits or ():
            start, end = _in_output(edit, row)
            parts += [text[at:start], edit.text]
            at = end
    return "".join([*parts, text[at:]]), made, left_out


def _in_output(edit: TextEdit, row: DecidedCorrection) -> tuple[int, int]:
    """Where in the output an edit of the claim is made."""
    places = row.places or ()
    if edit.start < edit.end:
        return places[edit.start], places[edit.end - 1] + 1
    at = places[edit.start - 1] + 1 if edit.start else row.decision.start
    return at, at


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedSentence:
    """A sentence that a reviewer decided on, with the kind that the rules gave it."""

    correction: SentenceCorrection
    kind: SentenceKind
    text: str
    name: str
    """The name of the output."""
    output_sha256: str

    def to_dict(self) -> JsonDict:
        """The row of a data set: offsets are code points of the output."""
        correction = self.correction
        return {
            "id": correction.id,
            "text": replace_surrogates(self.text),
            "kind": self.kind,
            "corrected_kind": correction.kind,
            "stated_in": correction.stated_in,
            "author": correction.author,
            "created_at": format_iso8601(correction.created_at),
            "start": correction.start_at,
            "end": correction.end_at,
            "run_id": correction.run_id,
            "queue_id": correction.queue_id,
            "output_name": replace_surrogates(self.name),
            "output_sha256": self.output_sha256,
        }


SENTENCE_COLUMNS = (
    "id", "text", "kind", "corrected_kind", "stated_in", "author", "created_at", "start", "end",
    "run_id", "queue_id", "output_name", "output_sha256",
)  # fmt: skip


def sentence_lines(
    rows: Iterable[DecidedSentence], tally: CorrectionTally, *, as_csv: bool
) -> Iterator[str]:
    """One ASCII-escaped JSON object a line, or CSV with a header; no cell is a formula."""
    if as_csv:
        yield csv_line(SENTENCE_COLUMNS)
    for row in rows:
        cells = row.to_dict()
        tally.rows += 1
        tally.choices[row.correction.kind] += 1
        tally.judges[row.kind] += 1
        tally.reviewers[row.correction.author] += 1
        yield (
            csv_line(cells[name] for name in SENTENCE_COLUMNS)
            if as_csv
            else json.dumps(cells) + "\n"
        )


_CARD = (
    "Corrected claims proposed by judges, and what reviewers decided.",
    ("decision", "judge that proposed"),
    "`taken` has the judge's words, `edited` the reviewer's; of a `refused` one the claim is "
    "preferred. Of several reviewers' decisions the newest counts.",
)
_SENTENCES_CARD = (
    "Sentences of outputs, and what reviewers say that they are there for.",
    ("corrected kind", "kind by the rules"),
    "A sentence whose two kinds are equal was confirmed by a reviewer. One with `stated_in` cites "
    "nothing: a reviewer found it stated in the source of that citation. Of several reviewers' "
    "decisions the newest counts.",
)


def correction_card(
    metadata: CardMetadata, format_name: str, file: WrittenFile, tally: CorrectionTally
) -> str:
    """The card in Markdown, without anything that changes from one export to the next."""
    says, (given, proposed), rule = _SENTENCES_CARD if "sentences" in format_name else _CARD
    return "\n".join(
        [
            f"# {card_line(metadata.title)}\n",
            f"{says} Format: `{format_name}`. Chosen: {card_line(metadata.selection)}.\n",
            card_table((given, "corrections"), by_count(tally.choices)),
            card_table((proposed, "corrections"), by_count(tally.judges)),
            card_table(("who decided", "corrections"), by_count(tally.reviewers)),
            f"{rule}\n",
            "## Files\n\n"
            + card_table(("file", "rows", "sha256"), [(file.name, file.rows, file.sha256)]),
        ]
    )


def only_run(run_ids: Sequence[str]) -> str:
    """The one run that a corrected output is of.

    Raises:
        UsageError: None is named, or several.
    """
    if len(run_ids) != 1:
        raise UsageError("A corrected output is that of one run: name it (--run ID).")
    return run_ids[0]


def _pairs(decision: CorrectionDecision) -> list[tuple[str, str]]:
    """`(chosen, rejected)` for each preference that a decision tells."""
    if decision.text is None:
        return [(decision.claim, decision.proposed)]
    if decision.choice == "edited":
        return [(decision.text, decision.claim), (decision.text, decision.proposed)]
    return [(decision.text, decision.claim)]


def _prompt(row: DecidedCorrection) -> str:
    quotes = "\n".join(f"> {' '.join(quote.split())}" for quote in row.quotes)
    named = row.source_title or row.source_url
    return replace_surrogates(
        "Rewrite the claim so that the source bears all of it out, with as few changes as that "
        f"takes. A claim that needs none stays as it is.\n\nClaim: {row.decision.claim}\n\n"
        f"Source{f' ({named})' if named else ''}:\n{quotes}"
    )


def _change(row: DecidedCorrection) -> str:
    """A change as one line of Markdown: what goes struck through, what comes bold."""
    decision = row.decision
    marks = {"same": "", "deleted": "~~", "inserted": "**"}
    parts = []
    for segment in segments_between(decision.claim, decision.text or decision.proposed):
        words = " ".join(segment.text.split())
        lead = " " if segment.text[:1].isspace() else ""
        tail = " " if segment.text[-1:].isspace() and words else ""
        mark = marks[segment.kind] if words else ""
        parts.append(f"{lead}{mark}{_escaped(words)}{mark}{tail}")
    facts = [decision.choice, decision.reviewer, format_timestamp(decision.created_at)]
    source = row.source_title or row.source_url
    if row.source_title and row.source_url:
        source = f"{row.source_title}, {row.source_url}"
    quoted = "".join(f" “{_escaped(' '.join(quote.split()))}”" for quote in row.quotes[:2])
    named = f" Source {_escaped(row.marker)}: {_escaped(source)}.{quoted}" if source else quoted
    return f"{''.join(parts)}{named} ({_escaped(', '.join(facts))}; proposed by {_escaped(decision.judge)})"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", replace_surrogates(text))
