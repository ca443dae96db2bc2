"""What an importer reads out of a file: items with what people said of them, and bad lines.

What a claim's words refer to and what a source is, as the fields that files hold it in.

`context` is the text before the claim, `title` its headings joined by ` > ` or the question that it
answers; `question`, `table_header`, `table_row` and `written` say the rest. What the source says of
itself stands in `source_title`, `source_site`, `source_author` and `source_published`. A title that
ends in a question mark is a question, unless a `question` stands beside it, which may be empty.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from workbench.errors import UsageError
from workbench.records.context import (
    LONGEST_BEFORE,
    LONGEST_LINE,
    NO_CONTEXT,
    JudgeContext,
    SourceFacts,
)
from workbench.records.review import Role
from workbench.records.text import Json, JsonDict, Span, replace_surrogates
from workbench.records.verdict import HUMAN_LABELS, HumanLabel

LONGEST_CLAIM = 20_000
"""Code points; a longer claim is a text to be checked, not a claim."""
LONGEST_SOURCE = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What one annotator of the file said."""

    annotator: str
    """Empty where the file names none."""
    by_person: bool = True
    """False where `annotator` names no person but a data set's unnamed annotators."""
    label: HumanLabel
    word: str = ""
    """The file's own word for the label."""
    note: str = ""
    role: Role = "review"
    created_at: datetime | None = None
    """As the file states it."""
    evidence: tuple[Span, ...] = ()
    """In the source's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportEntry:
    """One item of a file."""

    line: int
    """Where it begins, counted from 1; in a JSON list the number of the entry."""
    id: str
    claim: str
    source: str
    opinions: tuple[Annotation, ...] = ()
    """Empty for an item that nobody labelled."""
    group: str = ""
    context: JudgeContext = NO_CONTEXT
    """What the claim's words refer to, and what the source says of itself but for its address."""
    url: str = ""
    origin: str = ""
    licence: str = ""
    slices: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """The hash of what the item is: its id, claim, source and the claim's context, if any.

        Labels may be added to it. The same claim elsewhere is another item; the source's own title
        and the like make none.
        """
        parts = ["item", self.id, self.claim, self.source]
        context = self.context
        if replace(context, source=SourceFacts()) != NO_CONTEXT:
            headings, table = list(context.headings), [context.table_header, context.table_row]
            parts.append(
                json.dumps([headings, context.before, table, context.question, context.date])
            )
        return _hash(*parts)

    def label_id(self, opinion: Annotation) -> str:
        """The hash of an opinion on this item: the same one is kept once."""
        spans = [[span.start, span.end] for span in opinion.evidence]
        return _hash(
            self.key, opinion.annotator, opinion.role, opinion.label, opinion.note,
            json.dumps(spans),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A part of a file that was left out, and why."""

    line: int
    reason: str
    label_word: str = ""
    """The file's word for its label, where nobody knows what it stands for."""

    def to_dict(self) -> JsonDict:
        """`{"line", "reason"}`."""
        return {"line": self.line, "reason": self.reason}


class InvalidEntryError(ValueError):
    """An entry that cannot be used; its message is the reason, a clause without a full stop."""


class UnknownLabel(InvalidEntryError):
    """An entry with a word for its label that stands for none of ours."""

    def __init__(self, word: str, reason: str) -> None:
        super().__init__(reason)
        self.word = word


def skipped(line: int, error: InvalidEntryError) -> "Skipped":
    """The entry on a line that cannot be used."""
    return Skipped(
        line=line,
        reason=str(error),
        label_word=error.word if isinstance(error, UnknownLabel) else "",
    )


def contradiction(line: int, label: str, before: str) -> str:
    """Why a line of a file is left out that labels an item otherwise than an earlier line."""
    return f"it labels the item of line {line} as {label}, and that line as {before}"


def checked(entry: ImportEntry) -> ImportEntry:
    """The same entry.

    Raises:
        InvalidEntryError: Its claim or source is empty or too long.
    """
    for name, text, limit in (
        ("claim", entry.claim, LONGEST_CLAIM),
        ("source", entry.source, LONGEST_SOURCE),
    ):
        if not text.strip():
            raise InvalidEntryError(f"the {name} is empty")
        if len(text) > limit:
            raise InvalidEntryError(f"the {name} has {len(text):,} characters, more than {limit:,}")
    return entry


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()[:32]


CLAIM_FIELDS = ("context", "title", "question", "table_header", "table_row", "written")
SOURCE_FIELDS = ("source_title", "source_site", "source_author", "source_published")
CONTEXT_FIELDS = (*CLAIM_FIELDS, *SOURCE_FIELDS)
PATH = " > "
"""Between the headings of a title, outermost first."""
_QUESTION_MARKS = ("?", "\uff1f")
_WORD_CUT = 60
"""At most this many code points are dropped to begin a shortened text with a whole word."""


def read_context(row: Mapping[str, Json]) -> JudgeContext:
    """What the fields of an item say; nothing for fields that are missing, null or empty.

    Raises:
        InvalidEntryError: One of them is not a text.
    """
    lines = {name: _line(row, name) for name in CONTEXT_FIELDS if name != "context"}
    title, question = lines["title"], lines["question"]
    if not question and row.get("question") is None and title.endswith(_QUESTION_MARKS):
        question = title
    headings = [line_of(part) for part in title.split(PATH)] if title != question else []
    return JudgeContext(
        headings=tuple(filter(None, headings)),
        before=before_of(_text(row, "context")),
        table_header=lines["table_header"] or None,
        table_row=lines["table_row"] or None,
        question=question[:LONGEST_LINE] or None,
        date=lines["written"] or None,
        source=SourceFacts(
            title=lines["source_title"] or None,
            site=lines["source_site"] or None,
            author=lines["source_author"] or None,
            published=lines["source_published"] or None,
        ),
    )


def context_fields(context: JudgeContext) -> dict[str, str]:
    """The fields of a context that are known; `read_context` gives it back."""
    title = PATH.join(context.headings) or context.question or ""
    fields = {
        "context": context.before,
        "title": title,
        "question": context.question,
        "table_header": context.table_header,
        "table_row": context.table_row,
        "written": context.date,
        "source_title": context.source.title,
        "source_site": context.source.site,
        "source_author": context.source.author,
        "source_published": context.source.published,
    }
    # a heading that asks something is distinguished from a question by the empty one next to it
    asks = title.strip().endswith(_QUESTION_MARKS) and not context.question
    return {
        name: value or ""
        for name, value in fields.items()
        if (value and value.strip()) or (name == "question" and asks)
    }


def before_of(text: str) -> str:
    """The end of a text that stands before a claim, as much of it as judges get."""
    text = text.strip()
    if len(text) <= LONGEST_BEFORE:
        return text
    text = text[-LONGEST_BEFORE:]
    first, _, rest = text.partition(" ")
    return (rest if len(first) < _WORD_CUT else text).strip()


def line_of(text: str) -> str:
    """A heading, a title or another fact in one line, as long as judges get it."""
    return " ".join(replace_surrogates(text).split())[:LONGEST_LINE].strip()


def _line(row: Mapping[str, Json], name: str) -> str:
    """A text in one line, or a number as text; a title of several headings stays whole."""
    value = row.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    text = _text(row, name)
    return (
        " ".join(replace_surrogates(text).split())
        if name in ("title", "question")
        else line_of(text)
    )


def _text(row: Mapping[str, Json], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidEntryError(f"its {name} is not text")
    return value


_WORDS_BY_LABEL: tuple[tuple[HumanLabel, str], ...] = (
    ("supported", "support supports entailment entailed entails fully_supported"),
    ("partially_supported", "partial partially partly_supported partially_support"),
    (
        "not_supported",
        "unsupported not_enough_info not_enough_information nei notenoughinfo",
    ),
    ("contradicted", "contradiction contradicts contradictory refutes refute refuted"),
    ("unverifiable", "not_verifiable"),
    ("cannot_tell", "cant_tell can_t_tell unsure unclear"),
)
LONGEST_WORD = 60
_LABEL_WORDS: Mapping[str, HumanLabel] = {
    word: label for label, words in _WORDS_BY_LABEL for word in (label, *words.split())
}


_GUESSES: tuple[tuple[HumanLabel, str], ...] = (
    ("supported", "yes y true t 1 ja j oui si sì sí sim да 是 はい correct right"),
    ("not_supported", "no n false f 0 nein non não нет 否 いいえ incorrect wrong"),
)
_GUESSED: Mapping[str, HumanLabel] = {
    word: label for label, words in _GUESSES for word in words.split()
}


def guess_label(word: str) -> HumanLabel | None:
    """What an unknown word probably stands for, to be shown and confirmed before it counts.

    Only yes and no, in several languages, are guessed. `neutral` is not: in some files it says that
    the source does not state the claim, in others that nobody could tell.
    """
    return _GUESSED.get(word.strip().casefold())


def label_of(value: Json, names: Mapping[str, HumanLabel] | None = None) -> HumanLabel:
    """Our label for a file's word, whatever its case and spacing; `names` come first.

    Numbers, yes or no, and `neutral` are never taken for a label: `names` says what they stand for.

    Raises:
        UnknownLabel: The word is not a known label.
        InvalidEntryError: There is no label.
    """
    if value is None or isinstance(value, Mapping) or not isinstance(value, str | int | float):
        raise InvalidEntryError("it has no label")
    word = replace_surrogates(str(value)).strip()
    if not word:
        raise InvalidEntryError("it has no label")
    own_names = names or {}
    label = (
        own_names.get(word) or own_names.get(word[:LONGEST_WORD]) or _LABEL_WORDS.get(_plain(word))
    )
    if label is None:
        raise UnknownLabel(
            word[:LONGEST_WORD],
            f"its label is {word[:LONGEST_WORD]!r}, none of {', '.join(HUMAN_LABELS)}; map it with "
            f"a label",
        )
    return label


def word_of(value: Json) -> str:
    """The file's own word for a label, as it is shown and mapped."""
    return (
        replace_surrogates(str(value)).strip()[:LONGEST_WORD]
        if isinstance(value, str | int | float)
        else ""
    )


def parse_names(words: Mapping[str, str]) -> dict[str, HumanLabel]:
    """What a file's own words stand for, checked.

    Raises:
        UsageError: A word is mapped to something that is not a label.
    """
    labels: dict[str, HumanLabel] = {}
    for word, name in words.items():
        label = next((human_label for human_label in HUMAN_LABELS if human_label == name), None)
        if label is None:
            raise UsageError(
                f"{word!r} cannot be mapped to {name!r}; the labels are {', '.join(HUMAN_LABELS)}."
            )
        labels[word] = label
    return labels


def _plain(word: str) -> str:
    return re.sub(r"[^a-z]+", "_", word.lower()).strip("_")
