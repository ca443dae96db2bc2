"""One run under way: every citation's source is asked for, read and judged, all at once."""

import asyncio
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from workbench.bibliography.cases.quotations import check_quotation, quotations_beside
from workbench.errors import JudgeError, NotEvidenceError, ResolutionError, SourceError
from workbench.judging.batch import BatchJob
from workbench.judging.budget import Budget, SharedBudget
from workbench.judging.judge import Judge
from workbench.judging.judge_factory import prompt_of
from workbench.pipeline.claim import JudgedClaims, in_claim, span_in_claim
from workbench.pipeline.fetching import earlier_source, open_fetcher, open_snapshots
from workbench.pipeline.judge_calls import PendingProducer
from workbench.pipeline.judge_scheduler import JudgedPair, JudgeScheduler, join_answers
from workbench.pipeline.options import Progress, VerifyOptions
from workbench.pipeline.provider_batches import tickets_in
from workbench.pipeline.reference_checks import (
    ReferenceOptions,
    check_references,
    entry_of,
    unchecked_references,
    with_quotations,
)
from workbench.pipeline.source_matching import (
    SourceMatching,
    named_source,
    names_source,
    source_queries,
)
from workbench.records.bibliography import FieldComparison, ReferenceCheck
from workbench.records.citation import UNCOUNTED_KINDS, Citation, Extraction
from workbench.records.source import Fetched, Source, SourceQuery
from workbench.records.spending import NO_SPENDING, Spending
from workbench.records.text import Json, text_sha256
from workbench.records.verdict import CitationResult, ErrorInfo, Layers, Note, Run, Stage
from workbench.sources.read import read_source

CANCEL_POLL_S = 0.05
_NOT_LOOKED_UP = (
    "fetch_disabled", "ssrf", "not_allowed_domain", "cancelled", "unresolvable_kind"
)  # fmt: skip
"""The source was not requested: whether it can be retrieved is not known."""


@dataclass(slots=True)
class _Count:
    """The figures behind Progress."""

    found: int = 0
    linked: int = 0
    fetched: int = 0
    missing: int = 0
    read: int = 0
    judged: int = 0
    current: str = ""
    waiting: str = ""
    seconds: dict[Stage, float] = field(default_factory=dict)

    def spend(self, stage: Stage, since: float) -> None:
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - since


class RunExecutor:
    """One run under way."""

    def __init__(
        self,
        extraction: Extraction,
        judges: list[Judge],
        options: VerifyOptions,
        matching: SourceMatching,
        found_s: float,
    ) -> None:
        self.extraction = extraction
        self.judges = judges
        self.options = options
        self.count = _Count(seconds={"found": found_s})
        self.started = time.perf_counter() - found_s
        self.snapshots = open_snapshots(options.snapshots)
        self.fetcher = open_fetcher(options, matching, self.snapshots)
        self.asked: dict[SourceQuery, asyncio.Task[Source]] = {}
        self.unread: dict[SourceQuery, Source] = {}
        """The facts of what was retrieved and is no source: a wall, a damaged PDF."""
        self.older: dict[SourceQuery, Note] = {}
        """Why an earlier snapshot was read."""
        self.results: dict[str, CitationResult] = {}
        self.works = extraction.cited_works
        checked = options.resume.reference_checks if options.resume else ()
        self.checks: dict[int, ReferenceCheck] = {
            position: check
            for position, check in enumerate(checked)
            if check.status != "not_checked"
        }
        self.queries = source_queries(extraction)
        self.claims = JudgedClaims(extraction)
        self.named = len({query for query in self.queries.values() if names_source(query)})
        earlier = options.resume
        run_id = earlier.id if earlier else str(uuid.uuid4())
        handed_in = tickets_in(earlier.config) if earlier else []
        self.asking = JudgeScheduler(
            judges,
            options,
            lambda since: self.count.spend("judged", since),
            handed_in=handed_in,
            keep=self._keep_tickets,
            tell=self._tell_waiting,
            budget=_budget(options, run_id, earlier.spending if earlier else NO_SPENDING),
        )
        self.kept = {
            result.citation.id: result
            for result in (earlier.citations if earlier else ())
            if not (result.error and result.error.kind == "cancelled")
        }
        self.begun = Run(
            id=run_id,
            output_sha256=text_sha256(extraction.text),
            created_at=earlier.created_at if earlier else datetime.now(UTC),
            judge=tuple(judge.spec for judge in judges),
            config={
                **options.config(),
                **_prompt_config(judges),
                **_tickets_config(handed_in),
                **({"notices": list(extraction.notices)} if extraction.notices else {}),
            },
            finished=False,
            references=extraction.references,
            claims=extraction.claims,
            # with what reviewers corrected since it began
            sentences=(earlier and earlier.sentences) or extraction.sentences,
            text=extraction.text,
            source_matches=matching.matches,
        )

    # -- the whole ------------------------------------------------------------------------------

    async def run(self) -> Run:
        """The finished run; what was not done by a cancel is marked so on each citation."""
        citations = self.extraction.citations
        placeholders = tuple(_cancelled(citation) for citation in citations)
        if self.options.on_start:
            self.options.on_start(replace(self.begun, citations=placeholders))
        self.count.linked = sum(
            citation.target is not None
            for citation in citations
            if citation.kind not in UNCOUNTED_KINDS
        )
        self.count.found = sum(citation.kind not in UNCOUNTED_KINDS for citation in citations)
        self.count.spend("linked", time.perf_counter())
        self._report("")
        allowed = self._allowed()
        coming = [self.asking.coming() for _ in citations]
        tasks = [
            asyncio.create_task(self._check_citation(citation, citation.id in allowed, guest))
            for citation, guest in zip(citations, coming, strict=True)
        ]
        checking = asyncio.create_task(self._check_references())
        try:
            finished = await self._finish([*tasks, checking])
        finally:
            for judge in self.judges:
                close = getattr(judge, "aclose", None)
                if close is not None:
                    with suppress(Exception):
                        await close()
            await self.asking.budget.aclose()
        spending = self.asking.budget.spending
        return replace(
            self.begun,
            citations=tuple(self.results.get(c.id) or _cancelled(c) for c in citations),
            reference_checks=self._reference_checks(),
            cost_usd=round(spending.settled_usd, 9),
            reserved_usd=round(spending.reserved_usd, 9),
            unpriced_calls=spending.unpriced_calls,
            timings={k: round(v, 4) for k, v in self.count.seconds.items()}
            | {"total": round(time.perf_counter() - self.started, 4)},
            finished=finished,
        )

    def _allowed(self) -> set[str]:
        ids = [citation.id for citation in self.extraction.citations]
        return set(ids[: self.options.max_citations])

    async def _finish(self, tasks: list[asyncio.Task[None]]) -> bool:
        """Wait for the tasks; true when all came to their end, false when the run was cancelled."""
        everything = asyncio.gather(*tasks)
        try:
            if self.options.cancel is None:
                await everything
                return True
            while not everything.done():
                if self.options.cancel.is_set():
                    return False
                await asyncio.wait([everything], timeout=CANCEL_POLL_S)
            await everything
            return True
        finally:
            self.asking.close()
            leftovers = [*tasks, *self.asked.values(), *self.asking.tasks]
            for task in leftovers:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(everything, *leftovers, return_exceptions=True)

    def _keep_tickets(self, tickets: Sequence[BatchJob]) -> None:
        self.begun = replace(self.begun, config={**self.begun.config, **_tickets_config(tickets)})
        if self.options.on_config:
            self.options.on_config(self.begun)

    def _tell_waiting(self, what: str) -> None:
        self.count.waiting = what
        self._report("")

    def _report(self, current: str) -> None:
        self.count.current = current or self.count.current
        if self.options.on_progress:
            self.options.on_progress(
                Progress(
                    found=self.count.found,
                    linked=self.count.linked,
                    fetched=self.count.fetched,
                    missing=self.count.missing,
                    read=self.count.read,
                    judged=self.count.judged,
                    sources=self.named,
                    cost_usd=self.asking.budget.spent_usd,
                    unpriced_calls=self.asking.budget.unpriced_calls,
                    elapsed_s=time.perf_counter() - self.started,
                    current=self.count.current,
                    waiting=self.count.waiting,
                )
            )

    # -- the reference list ---------------------------------------------------------------------

    async def _check_references(self) -> None:
        """Looks the cited works up where somebody may be asked; what is impossible needs nobody."""
        references, asked = self.works, self.options.references or ReferenceOptions()
        if not references:
            return

        positions = [at for at in range(len(references)) if at not in self.checks]

        def keep(number: int, check: ReferenceCheck) -> None:
            self.checks[positions[number]] = check
            if self.options.on_reference:
                self.options.on_reference(self.begun.id, positions[number], check)

        since = time.perf_counter()
        entries = [(references[at], entry_of(references[at])) for at in positions]
        await check_references(entries, replace(asked, on_check=keep, cancel=self.options.cancel))
        self.count.spend("references", since)
        for number, at in enumerate(positions):
            check = self.checks.get(at)
            if check is not None and check.entry.type == "legal_case":
                quotations = await self._quotations(check)
                if quotations:
                    keep(number, with_quotations(check, quotations))

    async def _quotations(self, check: ReferenceCheck) -> list[FieldComparison]:
        """What the text quotes from a decision, looked for in its source where that is at hand."""
        citations = self.extraction.citations
        cited = next(
            (
                citation
                for citation in citations
                if citation.span == check.span and citation.kind == "case_law"
            ),
            None,
        )
        if cited is None:
            return []
        same = [
            citation
            for citation in citations
            if citation.kind == "case_law" and citation.target == cited.target
        ]
        quotations = [
            words for citation in same for words in quotations_beside(citation, citations)
        ]
        if not quotations:
            return []
        try:
            source = await self._source(cited)
        except ResolutionError:
            return []
        return [check_quotation(words, source.text) for words in dict.fromkeys(quotations)]

    def _reference_checks(self) -> tuple[ReferenceCheck, ...]:
        """The checks in the works' order, with the reason for each that was not reached."""
        if len(self.checks) == len(self.works):
            return tuple(self.checks[at] for at in range(len(self.works)))
        stopped = unchecked_references(self.works, "Not checked: the run was stopped.")
        return tuple(self.checks.get(at) or check for at, check in enumerate(stopped))

    # -- one citation ---------------------------------------------------------------------------

    async def _check_citation(
        self, citation: Citation, allowed: bool, coming: PendingProducer
    ) -> None:
        previous = self.kept.get(citation.id)
        try:
            if previous is not None:
                result = previous
            elif allowed:
                result = await self._result(citation, coming)
            else:
                result = _over_limit(citation, self.options)
        finally:
            coming.leave()
        self.results[citation.id] = result
        self.count.judged += citation.kind not in UNCOUNTED_KINDS
        if self.options.on_verdict and previous is None:
            # the callback writes to disk: off the event loop, or every other fetch would wait
            await asyncio.to_thread(self.options.on_verdict, self.begun.id, result)
        self._report(citation.raw)

    async def _result(self, citation: Citation, coming: PendingProducer) -> CitationResult:
        try:
            fetched_source = await self._source(citation)
        except ResolutionError as error:
            if citation.target is None and error.kind in ("no_source", "fetch_disabled"):
                why = citation.unlinked or "No source could be linked."
                given = f" {error.message}" if self.begun.source_matches else ""
                error = SourceError("unlinked", why + given)
            unread = self.unread.get(self.queries[citation.id])
            return replace(_failed(citation, error, None), source=unread)
        # judges see the source's own title: what the answer calls it is part of what is judged
        source = named_source(fetched_source, self.queries[citation.id])
        note = self.older.get(self.queries[citation.id])
        older = (note,) if note else ()
        try:
            answer = await self._answer(citation, fetched_source, coming)
        except JudgeError as error:
            result = _failed(citation, error, source)
            reply = (Note(kind="reply", message=error.reply),) if error.reply else ()
            return replace(result, notes=(*older, *reply))
        return CitationResult(
            citation=citation,
            status="ok",
            verdict=answer.joint.label,
            source=source,
            judgment=in_claim(answer.joint, citation),
            judgments=tuple(in_claim(judgment, citation) for judgment in answer.judgments),
            layers=replace(answer.layers, exists=citation.target is not None),
            notes=(
                *older,
                *(
                    replace(answer_note, span=span_in_claim(answer_note.span, citation))
                    for answer_note in answer.notes
                ),
            ),
        )

    async def _answer(
        self, citation: Citation, source: Source, coming: PendingProducer
    ) -> JudgedPair:
        """The answer on a citation's claim; on a wider scope, that on its parts together."""
        parts = self.claims.parts(citation)
        # all are announced before the first asks: a batch waits for those that were
        guests = [coming, *(self.asking.coming() for _ in parts[1:])]
        pending = [
            self.asking.answer(part.claim, source, guest, part.context)
            for part, guest in zip(parts, guests, strict=True)
        ]
        if len(pending) == 1:
            return (await pending[0]).placed(parts[0], self.claims.text)
        answers = await asyncio.gather(*pending, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return join_answers(
            [part.excerpt for part in parts],
            [answer for answer in answers if isinstance(answer, JudgedPair)],
        )

    async def _source(self, citation: Citation) -> Source:
        query = self.queries[citation.id]
        if query.target is not None and query.target.form == "guess":
            raise SourceError("unresolvable_kind", "The agent itself calls this a guess.")
        if query not in self.asked:
            self.asked[query] = asyncio.create_task(self._read(query))
        # shielded: the citation that asked first may be cancelled, the others still want it
        return await asyncio.shield(self.asked[query])

    async def _read(self, query: SourceQuery) -> Source:
        name = query.target.value if query.target else query.label or query.title or ""
        since = time.perf_counter()
        try:
            fetched = await self.fetcher.fetch(query)
            self.count.fetched += 1
        except SourceError:
            self.count.missing += names_source(query)
            raise
        finally:
            self.count.spend("fetched", since)
            self._report(name)
        if self.snapshots and fetched.status is None:
            await asyncio.to_thread(self.snapshots.put, fetched)
        since = time.perf_counter()
        try:
            source = await self._readable(fetched, query)
        finally:
            self.count.spend("read", since)
        self.count.read += 1
        self._report(name)
        if self.options.on_source:
            await asyncio.to_thread(self.options.on_source, named_source(source, query))
        return source

    async def _readable(self, fetched: Fetched, query: SourceQuery) -> Source:
        """What was fetched, read; where a wall took a page's place, the page as it was before."""
        try:
            return await read_source(fetched, accept=fetched.sha256 in self.options.accepted)
        except SourceError as error:
            earlier = None
            if (
                self.snapshots
                and fetched.status is not None
                and isinstance(error, NotEvidenceError)
            ):
                earlier = await earlier_source(self.snapshots, fetched, query)
            if earlier is None:
                self.unread[query] = fetched.facts()
                raise
            when = f" of {earlier.fetched_at:%Y-%m-%d}" if earlier.fetched_at else ""
            message = f"{error.message} Judged on the earlier snapshot{when}."
            self.older[query] = Note(kind="source", message=message)
            return earlier


def _prompt_config(judges: Sequence[Judge]) -> dict[str, Json]:
    """The prompt of the language models, as a run's config names it."""
    prompt = prompt_of(judges)
    return {"prompt": prompt} if prompt else {}


def _budget(options: VerifyOptions, run_id: str, before: Spending) -> Budget:
    """The money of a run: part of a purse, or a cap that what came before counts against."""
    if options.purse:
        return SharedBudget(options.purse)
    record = options.spending(run_id, before.settled_usd) if options.spending else None
    return Budget(options.max_cost_usd, record, before)


def _tickets_config(tickets: Sequence[BatchJob]) -> dict[str, Json]:
    """The tickets as a run's config holds them; nothing where there are none."""
    return {"batches": [ticket.to_dict() for ticket in tickets]} if tickets else {}


def _failed(citation: Citation, error: ResolutionError, source: Source | None) -> CitationResult:
    has_source = source is not None
    unasked = error.kind in ("unlinked", "unresolvable_kind")
    unknown = error.kind in _NOT_LOOKED_UP
    # A short form without its full citation names a case that was not looked up.
    names = True if citation.target else None if citation.kind == "case_law" else False
    if names and not has_source and (unknown or error.kind == "no_source"):
        names = None
    return CitationResult(
        citation=citation,
        status="skipped" if unasked else "error",
        verdict="unverifiable",
        error=ErrorInfo(kind=error.kind, message=error.message),
        source=source,
        layers=Layers(
            exists=names,
            resolves=True if has_source else None if unknown else False,
        ),
    )


def _cancelled(citation: Citation) -> CitationResult:
    return _failed(citation, SourceError("cancelled", "Not checked: the run was stopped."), None)


def _over_limit(citation: Citation, options: VerifyOptions) -> CitationResult:
    message = f"Not checked: the run was limited to {options.max_citations} citations."
    result = _failed(citation, SourceError("cancelled", message), None)
    return replace(result, status="skipped")
