"""Which source of a run says what about which statement of its text: read, estimated, asked.

What a run's judge and people said fills the matrix; a judge of the user's choice is asked about the
rest, source by source, each answer kept as it comes. What is kept is not asked again: asking that
was stopped, or reached a cap, goes on with what is left.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby

from workbench.datasets.line_writers import csv_line
from workbench.errors import UsageError
from workbench.experiments.judge_items import JudgingCost, JudgingResult, judge_items, judging_cost
from workbench.judging.handoff import HANDOFF
from workbench.judging.matrix import build_matrix
from workbench.language.assertions import language_of
from workbench.language.tokenization import content_stems, without_markers
from workbench.records.citation import Citation
from workbench.records.evaluation import JudgingRequest, OfflineJudgment
from workbench.records.matrix import REPORT, CellJudgment, Matrix, MatrixCell
from workbench.records.options import CAP_USD
from workbench.records.review import active_labels
from workbench.records.reviewers import utc_now
from workbench.records.source import Source
from workbench.records.text import Excerpt, Json, Span, text_sha256
from workbench.records.verdict import CitationResult, Judgment, Run, judge_outcome
from workbench.services.cached_views import cached_view, file_state
from workbench.services.labelled_judging import JudgeConfig, total_of
from workbench.services.spending import attempt_budget
from workbench.store.evaluation.offline_judgments import MatrixCells
from workbench.store.store import Store

__all__ = ["JudgingCost"]

COLUMNS = (
    "statement", "start", "end", "text", "kind", "source", "title", "url", "cited", "label",
    "sure", "basis", "by", "quote", "quote_start", "quote_end", "reason", "contradictions",
)  # fmt: skip


@cached_view(state=file_state)
def run_matrix(store: Store, run_id: str) -> Matrix:
    """Return the matrix of a run as far as it is known; nobody is asked.

    Raises:
        NotFoundError: There is no such run.
    """
    return build_matrix(
        store.get_run(run_id),
        active_labels(store.labels(run_id)),
        MatrixCells(store).of_run(run_id),
    )


def source_matrix(
    store: Store,
    run_id: str,
    judge: str | None = None,
    *,
    max_cost_usd: float | None = CAP_USD,
    max_calls: int | None = None,
) -> Matrix:
    """Return which source of a stored run says what about which statement of its text.

    Args:
        store: Where the run is.
        run_id: The run.
        judge: Asked about every statement and source that nobody has judged for sure; without one
            nobody is asked.
        max_cost_usd: A cap for all calls together; None for none.
        max_calls: Ask about so many at most.

    Raises:
        NotFoundError: There is no such run.
        UsageError: The judge cannot be opened or asked here.
    """
    if judge is not None:
        fill_matrix(store, run_id, judge, max_cost_usd=max_cost_usd, max_calls=max_calls)
    return run_matrix(store, run_id)


def open_cells(matrix: Matrix, judge: str) -> list[MatrixCell]:
    """Return what a judge would be asked about, source by source, the report itself last.

    That is what nobody judged, and what another judge is not sure of.
    """
    return sorted(
        (
            cell
            for cell in matrix.cells
            if cell.basis == "open"
            or (cell.basis in ("run", "judge") and not cell.sure and cell.by != judge)
        ),
        key=lambda cell: (cell.source == REPORT, cell.source),
    )


def estimate_matrix(store: Store, run_id: str, judge: str) -> JudgingCost:
    """Return what asking a judge about the open cells of a run can cost at most.

    Raises:
        NotFoundError: There is no such run.
        UsageError: The judge cannot be opened or asked here.
    """
    config = _config(judge)
    columns = list(matrix_columns(store, run_matrix(store, run_id), config.name.name))
    requests = chain.from_iterable(column.requests() for column in columns)
    return judging_cost(requests, sum(len(column.asked) for column in columns), config.open())


def fill_matrix(
    store: Store,
    run_id: str,
    judge: str,
    *,
    max_cost_usd: float | None = CAP_USD,
    max_calls: int | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int, float], None] | None = None,
) -> JudgingResult:
    """Return the result of asking a judge about the open cells of a run.

    Args:
        store: Where the run is, and where the answers go.
        run_id: The run.
        judge: Its SPEC.
        max_cost_usd: A cap that holds under concurrency.
        max_calls: Ask about so many at most; the rest stays open.
        cancel: Ends it early.
        on_progress: Called with how many are done and what they cost so far, in USD.

    Raises:
        NotFoundError: There is no such run.
        UsageError: The judge cannot be opened or asked here.
    """
    config = _config(judge)
    name, cells, left = config.name.name, MatrixCells(store), max_calls
    results: list[JudgingResult] = []
    with attempt_budget(store, f"the matrix of run {run_id} by {name}", max_cost_usd) as budget:
        for column in matrix_columns(store, run_matrix(store, run_id), name):
            cells.add(column.unlike)
            asked = column.asked if left is None else column.asked[:left]
            before = total_of(results)

            def tell(judged: int, cost: float, before: JudgingResult = before) -> None:
                if on_progress:
                    on_progress(before.judged + judged, before.cost_usd + cost)

            result = judge_items(
                column.requests(asked),
                config.open(),
                partial(keep_cells, cells, column.sha256),
                name=name,
                recall=store.get_judgment,
                remember=store.add_judgment,
                cancel=cancel,
                on_progress=tell,
                budget=budget,
            )
            skipped = len(column.asked) - len(asked)
            if skipped:
                why = f"the limit of {max_calls:,} questions is reached"
                result = replace(result, unjudged=result.unjudged + skipped, stop_reason=why)
            left = None if left is None else left - len(asked)
            results.append(result)
    return total_of(results)


def keep_cells(
    cells: MatrixCells, sha256: str, opinions: Sequence[OfflineJudgment], first: object
) -> None:
    """Store what a judge said about statements and one source; what failed stays open."""
    cells.add(
        [
            _judgment(said.run_id, _span(said.citation_id), sha256, said.judge, said.judgment)
            for said in opinions
            if said.judgment is not None
        ]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixColumn:
    """One source with its text, and the statements that a judge is to be asked about."""

    run: Run
    sha256: str
    source: Source
    items: tuple[CitationResult, ...]
    """All statements of the run, in text order, as what is judged."""
    asked: tuple[MatrixCell, ...]
    unlike: tuple[CellJudgment, ...]
    """Statements that the source, in the same language, shares no word with."""

    def requests(self, cells: Sequence[MatrixCell] | None = None) -> Iterator[JudgingRequest]:
        """Yield the questions; of the report itself each statement is left out of its own."""
        citations = (
            *(result.citation for result in self.run.citations),
            *(item.citation for item in self.items),
        )
        for cell in self.asked if cells is None else cells:
            item = self.items[cell.statement - 1]
            yield JudgingRequest(
                run_id=self.run.id,
                result=item,
                text=self.run.text,
                citations=citations,
                source=_without(self.source, item.citation.span)
                if cell.source == REPORT
                else self.source,
                has_verdict=True,
            )


def matrix_columns(store: Store, matrix: Matrix, judge: str) -> Iterator[MatrixColumn]:
    """Yield the sources that a judge, by its name, is to be asked about, with their texts."""
    run = store.get_run(matrix.run_id)
    cited = {
        r.source.sha256: r.citation.id
        for r in reversed(run.citations)
        if r.source and not (r.error and judge_outcome(r.error.kind) == "no_source")
    }
    items = tuple(_item(statement.span, statement.text) for statement in matrix.statements)
    language = language_of(run.text)
    stems = [content_stems(without_markers(statement.text)) for statement in matrix.statements]
    for number, cells in groupby(open_cells(matrix, judge), key=lambda cell: cell.source):
        sha256 = matrix.sources[number].sha256
        source = _report(run.text) if number == REPORT else store.get_source(run.id, cited[sha256])
        if source is None or not source.text:
            continue
        # in another language a source says the same in other words
        compared = number != REPORT and language_of(source.text) == language
        words = content_stems(source.text) if compared else frozenset[str]()
        asked: list[MatrixCell] = []
        unlike: list[CellJudgment] = []
        for cell in cells:
            if not compared or stems[cell.statement - 1] & words:
                asked.append(cell)
            else:
                unlike.append(_judgment(run.id, items[cell.statement - 1].citation.span, sha256))
        yield MatrixColumn(
            run=run,
            sha256=sha256,
            source=source,
            items=items,
            asked=tuple(asked),
            unlike=tuple(unlike),
        )


def _judgment(
    run_id: str, span: Span, sha256: str, judge: str = "", judgment: Judgment | None = None
) -> CellJudgment:
    return CellJudgment(
        run_id=run_id,
        start_at=span.start,
        end_at=span.end,
        source_sha256=sha256,
        judge=judge,
        judgment=judgment,
        created_at=utc_now(),
    )


def matrix_source(store: Store, matrix: Matrix, number: int) -> str:
    """Return the text of a source by its number, in which the offsets of quotes count."""
    run = store.get_run(matrix.run_id)
    if number == REPORT:
        return run.text
    sha256 = matrix.sources[number].sha256
    cited = [r.citation.id for r in run.citations if r.source and r.source.sha256 == sha256]
    sources = (store.get_source(run.id, citation_id) for citation_id in cited)
    return next((source.text for source in sources if source), "")


def _item(span: Span, text: str) -> CitationResult:
    """A statement as what judges are asked about: a claim with no mark of its own."""
    name = f"{span.start}-{span.end}"
    citation = Citation(
        id=name,
        kind="statistic",
        raw=text,
        span=span,
        identifier=name,
        context=span,
        claim=Excerpt(span=span, text=text),
    )
    return CitationResult(citation=citation, status="skipped", verdict="unverifiable")


def _span(name: str) -> Span:
    start, _, end = name.partition("-")
    return Span(int(start), int(end))


def _report(text: str) -> Source:
    """The report as a source of its own statements."""
    return Source(
        url="", final_url="", status=None, content_type="text/plain", bytes=0, sha256="",
        title="The rest of the report that the claim is taken from", fetched_at=None,
        truncated=False, text=text,
    )  # fmt: skip


def _without(report: Source, span: Span) -> Source:
    """The report with a statement blanked, so that the offsets of the rest hold."""
    text = f"{report.text[: span.start]}{' ' * (span.end - span.start)}{report.text[span.end :]}"
    return replace(report, text=text, sha256=text_sha256(text))


def _config(judge: str) -> JudgeConfig:
    """Who is asked.

    Raises:
        UsageError: A chat window cannot be asked from here.
    """
    if judge.startswith(f"{HANDOFF}:"):
        raise UsageError(
            f"{judge} is a chat that a person carries questions to: write them with "
            "`workbench handoff export RUN --matrix`, and take the answers back."
        )
    return JudgeConfig(specs=(judge,))


def matrix_csv(matrix: Matrix) -> Iterator[str]:
    """Yield the matrix as lines of CSV, one a statement and source; no cell is a formula."""
    yield csv_line(COLUMNS)
    about: dict[tuple[int, int], list[str]] = {}
    for number, contradiction in enumerate(matrix.contradictions, 1):
        for column in {side.source for side in contradiction.sides}:
            name = f"{number}{'' if contradiction.found else '?'}"
            about.setdefault((contradiction.statement, column), []).append(name)
    for cell in matrix.cells:
        statement, source = matrix.statements[cell.statement - 1], matrix.sources[cell.source]
        quote = cell.evidence[0] if cell.evidence else None
        row: list[Json] = [
            statement.number, statement.start, statement.end, statement.text, statement.kind,
            source.number, source.title, source.url, cell.cited, cell.label, cell.sure, cell.basis,
            cell.by, quote.quote if quote else None, quote.start if quote else None,
            quote.end if quote else None, cell.reason,
            " ".join(about.get((cell.statement, cell.source), ())),
        ]  # fmt: skip
        yield csv_line(row)
