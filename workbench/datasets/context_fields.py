"""What a claim's words refer to and what a source is, as the fields that files hold it in.

`context` is the text before the claim, `title` its headings joined by ` > ` or the question that it
answers; `question`, `table_header`, `table_row` and `written` say the rest. What the source says of
itself stands in `source_title`, `source_site`, `source_author` and `source_published`. A title that
ends in a question mark is a question, unless a `question` stands beside it, which may be empty.
"""

from collections.abc import Mapping

from workbench.datasets.entries import InvalidEntryError
from workbench.records.context import LONGEST_BEFORE, LONGEST_LINE, JudgeContext, SourceFacts
from workbench.records.text import Json, replace_surrogates

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
