"""What a reviewer can do about a source, and the citations that are judged again after it.

Fetch it again, hand it over, say that it is the article, go back to an earlier body. Whatever is
done, earlier bytes and verdicts stay where they are: a new snapshot, a new verdict, a new row.
"""

import mimetypes
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

from workbench.errors import ErrorKind, SourceError, UsageError, WorkbenchError
from workbench.judging.judge import run_sync
from workbench.records.citation import UNCOUNTED_KINDS, Citation, Extraction
from workbench.records.format import file_size, word_for
from workbench.records.source import Fetched, SourceQuery
from workbench.records.stored_sources import (
    HandedAs,
    SourceCitation,
    SourceOverride,
    SuppliedSource,
)
from workbench.records.verdict import CitationResult, VerdictLabel
from workbench.services.sources.catalog import SourceRow, SourceVersion, fetched_version, state_of
from workbench.services.verification import rejudge_citations
from workbench.sources.fetchers import Fetcher
from workbench.sources.read import read_source
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.sources import SourceRepository
from workbench.store.store import Store

MAX_HANDED_BYTES = 32 * 1024 * 1024

Tell = Callable[[int, int], None]
"""Called with the numbers of judged citations and of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckChange:
    """One citation that was judged again."""

    run_id: str
    run_name: str
    citation: Citation
    before: VerdictLabel
    before_error: ErrorKind | None
    after: VerdictLabel
    after_error: ErrorKind | None

    @classmethod
    def of(
        cls, run_id: str, run_name: str, before: CitationResult, after: CitationResult
    ) -> "RecheckChange":
        """The change between two results of a citation."""
        return cls(
            run_id=run_id,
            run_name=run_name,
            citation=after.citation,
            before=before.verdict,
            before_error=before.error.kind if before.error else None,
            after=after.verdict,
            after_error=after.error.kind if after.error else None,
        )

    @property
    def changed(self) -> bool:
        """Whether it has another verdict, or another reason for none."""
        return (self.before, self.before_error) != (self.after, self.after_error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """The changes."""

    did: str
    """What happened to the source, in a sentence or two."""
    judged: tuple[RecheckChange, ...] = ()
    problems: tuple[str, ...] = ()
    """What did not work, in sentences."""

    @property
    def citing(self) -> tuple[RecheckChange, ...]:
        """Those judged without the quotes and figures that stand on a marker judged as well."""
        marked = {
            (change.run_id, _claim_of(change.citation))
            for change in self.judged
            if change.citation.kind not in UNCOUNTED_KINDS
        }
        return tuple(
            change
            for change in self.judged
            if change.citation.kind not in UNCOUNTED_KINDS
            or (change.run_id, _claim_of(change.citation)) not in marked
        )

    @property
    def changed(self) -> tuple[RecheckChange, ...]:
        """Those of them that have another verdict now."""
        return tuple(change for change in self.citing if change.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedSource:
    """What a reviewer hands over."""

    form: HandedAs
    body: bytes
    name: str = ""
    """The file's name; it tells the kind of file."""
    reviewer: str
    note: str = ""


class SourceActions:
    """A reviewer's acts on one source; `uses` are the citations to judge again after them."""

    def __init__(
        self,
        store: Store,
        folder: SnapshotFolder,
        row: SourceRow,
        uses: Sequence[SourceCitation],
        tell: Tell | None = None,
    ) -> None:
        self._store, self._repository = store, SourceRepository(store)
        self.folder = folder
        self.row = row
        self.uses = tuple(uses)
        self._tell = tell or (lambda done, of: None)

    def fetch_again(self, fetcher: Fetcher) -> ActionResult:
        """Fetch the source again; the fetcher keeps the snapshot.

        Verdicts on a text that was read stand when the answer now is an error or no evidence.
        """
        if self.row.target is None:
            return ActionResult(
                did="This source has no web address: provide it as a file or as text."
            )
        entry = next((use.reference for use in self.row.uses if use.reference), None)
        query = SourceQuery(target=self.row.target, title=entry.title if entry else None)
        unread = _unread(self.uses)
        try:
            fetched = run_sync(_fetch(fetcher, query))
        except SourceError as failed:
            summary = f"It could not be fetched: {failed.message}"
            if len(unread) < len(self.uses):
                summary += " The earlier snapshot and its verdicts remain."
            return self._judged(summary, unread, FixedFetcher(failed))
        return self._after_fetch(fetched)

    def hand_over(self, handed: UploadedSource) -> ActionResult:
        """Put what a reviewer gives in the place of the source, as its newest snapshot.

        Raises:
            UsageError: It cannot be read; nothing is kept then.
        """
        fetched = self._checked_upload(handed)
        sha256 = self.folder.put(fetched)
        self._repository.add_supplied(
            SuppliedSource(
                id=str(uuid.uuid4()),
                sha256=sha256,
                url=fetched.url,
                form=handed.form,
                name=handed.name,
                reviewer=handed.reviewer,
                note=handed.note.strip(),
                created_at=datetime.now(UTC),
            )
        )
        what = f"The file {handed.name}" if handed.form == "upload" else "The pasted text"
        return self._judged(f"{what} is now used as the source.", self.uses, FixedFetcher(fetched))

    def accept(self, version: SourceVersion, reviewer: str, reason: str) -> ActionResult:
        """Call a doubted body the source it stands for, here and wherever it is met again.

        Raises:
            UsageError: Its bytes are not kept, or there is no text in them.
        """
        fetched = self._stored_bytes(version)
        try:
            run_sync(read_source(fetched, accept=True))
        except SourceError as bad:
            raise UsageError(f"It still cannot be judged: {bad.message}") from bad
        self._repository.accept(
            SourceOverride(
                id=str(uuid.uuid4()),
                sha256=version.sha256,
                url=fetched.url,
                reviewer=reviewer,
                reason=reason.strip(),
                created_at=datetime.now(UTC),
            )
        )
        summary = "The page is accepted as the source."
        return self._judged(summary, _unread(self.uses), FixedFetcher(fetched))

    def take_back(self, version: SourceVersion, reviewer: str) -> ActionResult:
        """Take back every word that a body is the article; its doubts count again."""
        fetched = self._stored_bytes(version)
        for acceptance in self._repository.acceptances([version.sha256]):
            if acceptance.withdrawn_at is None:
                self._repository.withdraw_acceptance(acceptance.id, reviewer)
        standing = [use for use in self.uses if _sha256(use) == version.sha256]
        summary = "The page is no longer accepted as the source."
        return self._judged(summary, standing, FixedFetcher(fetched))

    def judge_with(self, version: SourceVersion) -> ActionResult:
        """Judge the citations on one of the bodies that are kept.

        Raises:
            UsageError: Its bytes are not kept.
        """
        when = f" of {version.last:%Y-%m-%d %H:%M}" if version.last else ""
        fetched = self._stored_bytes(version)
        return self._judged(f"Judged on the snapshot{when}.", self.uses, FixedFetcher(fetched))

    # -- underneath -----------------------------------------------------------------------------

    def _after_fetch(self, fetched: Fetched) -> ActionResult:
        same = [use for use in self.uses if _sha256(use) == fetched.sha256]
        summary = self._fetch_summary(fetched)
        try:
            run_sync(read_source(fetched, accept=fetched.sha256 in self._repository.accepted()))
        except SourceError as bad:
            unread = _unread(self.uses)
            summary = f"{summary} {bad.message}"
            if len(unread) < len(self.uses):
                summary += " The verdicts on the earlier text remain."
            return self._judged(summary, unread, FixedFetcher(fetched))
        settled = {id(use) for use in same if use.text_sha256}
        return self._judged(
            summary, [u for u in self.uses if id(u) not in settled], FixedFetcher(fetched)
        )

    def _fetch_summary(self, fetched: Fetched) -> str:
        size = f"Fetched, {file_size(len(fetched.body))}"
        if not self.row.versions:
            return f"{size}."
        if self.row.versions[-1].sha256 == fetched.sha256:
            return f"{size}: identical to the previous snapshot."
        if self.row.version(fetched.sha256):
            return f"{size}: the same as an earlier snapshot."
        return f"{size}: other bytes than before."

    def _checked_upload(self, handed: UploadedSource) -> Fetched:
        if len(handed.body) > MAX_HANDED_BYTES:
            raise UsageError(
                f"{handed.name or 'The text'} is larger than {file_size(MAX_HANDED_BYTES)}: "
                f"provide only the cited part."
            )
        if not handed.body.strip():
            raise UsageError(f"{handed.name or 'The text'} is empty: there is nothing to judge.")
        kind = "text/plain; charset=utf-8"
        if handed.form == "upload":
            bare = PurePath(handed.name.replace("\\", "/")).name.lower()
            kind = mimetypes.guess_type(bare)[0] or "application/octet-stream"
        fetched = Fetched(
            url=self.row.address,
            final_url=self.row.address,
            status=None,
            content_type=kind,
            body=handed.body,
            fetched_at=datetime.now(UTC),
            title=self.row.title or None,
        )
        try:
            run_sync(read_source(fetched))
        except SourceError as bad:
            raise UsageError(f"{handed.name or 'The text'} cannot be used: {bad.message}") from bad
        return fetched

    def _stored_bytes(self, version: SourceVersion) -> Fetched:
        fetched = fetched_version(self.folder, version)
        if fetched is None:
            raise UsageError(
                f"The bytes {version.sha256[:10]} are not stored here or are damaged: fetch the "
                f"source again, or provide it yourself."
            )
        return fetched

    def _judged(
        self, summary: str, uses: Sequence[SourceCitation], answer: "FixedFetcher"
    ) -> ActionResult:
        """Judge citations again on one answer, run by run."""
        by_run: dict[str, list[SourceCitation]] = {}
        for use in uses:
            by_run.setdefault(use.run_id, []).append(use)
        changes: list[RecheckChange] = []
        problems: list[str] = []
        judged_count = 0
        self._tell(0, len(uses))
        for run_id, leaning in by_run.items():
            unjudged: list[CitationResult] = []
            try:
                changes += judge_again(self._store, run_id, leaning, answer, unjudged.append)
                problems += _kept_verdict_reasons(leaning[0].run_name or run_id, unjudged)
            except WorkbenchError as error:
                name = leaning[0].run_name or run_id
                problems.append(f"Not judged again in “{name}”: {error}")
            judged_count += len(leaning)
            self._tell(judged_count, len(uses))
        return ActionResult(did=summary, judged=tuple(changes), problems=tuple(problems))


def judge_again(
    store: Store,
    run_id: str,
    uses: Collection[SourceCitation],
    fetcher: Fetcher,
    on_unjudged: Callable[[CitationResult], None] | None = None,
) -> list[RecheckChange]:
    """Judge citations of one run again on what a fetcher says; their earlier verdicts are kept.

    What it costs is added to the run's cost, and stays within what is left of the run's cost cap;
    `on_unjudged` gets what came instead of a verdict where an earlier one stands.

    Raises:
        UsageError: There is no such run, or its judge is not available here.
    """
    run = store.get_run(run_id)
    uses_by_id = {use.result.citation.id: use for use in uses}
    citations = tuple(
        result.citation
        for result in run.citations
        # what the run has not reached is left for the run: this fetcher knows one source alone
        if result.citation.id in uses_by_id
        or not (result.error and result.error.kind == "cancelled")
    )
    # the citations as they were found then: a later version may find and name others
    extraction = Extraction(
        text=store.get_output(run.output_sha256),
        citations=citations,
        references=run.references,
        claims=run.claims,
    )
    again = rejudge_citations(
        store,
        run_id,
        frozenset(uses_by_id),
        text=extraction,
        sources=fetcher,
        accepted=SourceRepository(store).accepted(),
        on_unjudged=on_unjudged,
    )
    return [
        RecheckChange.of(run_id, use.run_name, use.result, result)
        for result in again.citations
        if (use := uses_by_id.get(result.citation.id)) is not None
    ]


class FixedFetcher:
    """A fetcher that has one answer: the bytes, or why there are none."""

    def __init__(self, answer: Fetched | SourceError) -> None:
        self._answer = answer

    async def fetch(self, query: SourceQuery) -> Fetched:
        """The answer, whatever is asked."""
        if isinstance(self._answer, SourceError):
            raise self._answer
        return self._answer


def _kept_verdict_reasons(name: str, unjudged: Sequence[CitationResult]) -> list[str]:
    """Why citations of a run kept their earlier verdicts, in a sentence for each reason."""
    counts = Counter(result.error.message for result in unjudged if result.error)
    return [
        f"{count} in “{name}” kept {word_for(count, 'its', 'their')} earlier verdict: {message}"
        for message, count in counts.items()
    ]


async def _fetch(fetcher: Fetcher, query: SourceQuery) -> Fetched:
    return await fetcher.fetch(query)


def _claim_of(citation: Citation) -> tuple[int, int]:
    claim = citation.claim or citation
    return claim.start, claim.end


def _sha256(use: SourceCitation) -> str | None:
    return use.result.source.sha256 if use.result.source else None


def _unread(uses: Sequence[SourceCitation]) -> list[SourceCitation]:
    return [use for use in uses if state_of(use) != "read"]
