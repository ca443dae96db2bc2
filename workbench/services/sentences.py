"""What sentences of a run are there for, as reviewers correct it: one rule for every interface."""

from workbench.errors import NotFoundError
from workbench.records.citation import Sentence, SentenceChange, SentenceKind
from workbench.records.text import Span
from workbench.services.database import Database
from workbench.services.runs import stored_run
from workbench.store.runs.sentences import SentenceKinds


def correct_sentence(
    database: Database,
    run_id: str,
    start: int,
    kind: SentenceKind,
    reviewer: str,
    *,
    stated_in: str | None = None,
) -> SentenceChange:
    """Return the sentence that begins at a code point of the run's text, with its new kind.

    `stated_in` is a citation of the run whose source states the sentence though the text cites it
    elsewhere; the sentence is then cited.

    Raises:
        NotFoundError: There is no such run, or no sentence begins there.
        UsageError: There is no such kind or citation, or the name cannot be used.
    """
    span = _sentence_at(database, run_id, start).span
    added = SentenceKinds(database).correct(run_id, span, kind, reviewer, stated_in=stated_in)
    return _changed(database, run_id, span, added is not None)


def undo_correction(
    database: Database, run_id: str, reviewer: str, start: int | None = None
) -> SentenceChange:
    """Return the sentence whose correction was taken back: the reviewer's newest, or that at `start`.

    Raises:
        NotFoundError: There is no such run, or no sentence begins there.
        UsageError: The name cannot be used.
    """
    span = None if start is None else _sentence_at(database, run_id, start).span
    withdrawn = SentenceKinds(database).withdraw(run_id, reviewer, span)
    return _changed(database, run_id, withdrawn.span if withdrawn else span, withdrawn is not None)


def _changed(database: Database, run_id: str, span: Span | None, changed: bool) -> SentenceChange:
    run = stored_run(database, run_id)
    sentence = next((sentence for sentence in run.sentences if sentence.span == span), None)
    return SentenceChange(changed=changed, sentence=sentence, coverage=run.coverage)


def _sentence_at(database: Database, run_id: str, start: int) -> Sentence:
    for sentence in stored_run(database, run_id).sentences:
        if sentence.start == start:
            return sentence
    raise NotFoundError(
        f"No sentence of run {run_id} begins at {start}; its JSON lists them under `sentences`."
    )
