"""Labels, comments and label guides that are given outside of queues."""

import uuid
from collections.abc import Sequence

from workbench.errors import NotFoundError, StoreError, UsageError
from workbench.records.comments import CitationComment, checked_comment
from workbench.records.review import AnnotationGuideline, BulkLabels, Label, LabelDecision
from workbench.records.reviewers import LONGEST_GUIDE, normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.store.labels.label_rules import (
    build_label,
    ensure_citation_exists,
    give_label,
    knows_run,
)
from workbench.store.labels.review_context import (
    ReviewerContext,
    load_item_view,
    load_item_views,
)
from workbench.store.rows import (
    ensure_not_erased,
    insert_label,
    insert_record,
    read_labels,
    read_records,
    where_of,
)
from workbench.store.store import Repository


class Guides(Repository):
    """The versions of the label guide."""

    def current(self) -> AnnotationGuideline | None:
        """The newest version; None while the team has written none."""
        versions = self.history()
        return versions[0] if versions else None

    def history(self) -> list[AnnotationGuideline]:
        """Every version, newest first."""
        return self._records(AnnotationGuideline, "from guides order by version desc")

    def get(self, version: int) -> AnnotationGuideline:
        """One version.

        Raises:
            StoreError: There is no such version.
        """
        for guide in self.history():
            if guide.version == version:
                return guide
        raise StoreError(f"There is no version {version} of the labelling guide; see its history.")

    def save(
        self, body: str, author: str, note: str = "", *, based_on: int | None = None
    ) -> AnnotationGuideline:
        """The current guide; a text like the newest one makes no new version.

        Args:
            body: The whole text, in Markdown.
            author: Who wrote it.
            note: What changed.
            based_on: The version that the author edited; None for the first.

        Raises:
            UsageError: The text is empty or too long, or somebody else saved one meanwhile.
        """
        text = replace_surrogates(body).strip()
        if not text:
            raise UsageError("The labelling guide is empty; describe what each label means.")
        if len(text) > LONGEST_GUIDE:
            raise UsageError(
                f"The labelling guide has {len(text):,} characters; the limit is {LONGEST_GUIDE:,}."
            )
        with self._store.transaction() as connection:
            guides = read_records(
                connection, AnnotationGuideline, "from guides order by version desc limit 1"
            )
            newest = guides[0] if guides else None
            if newest and newest.body == text:
                return newest
            if newest and newest.version != based_on:
                raise UsageError(
                    f"{newest.author} saved version {newest.version} of the labelling guide while you "
                    f"edited version {based_on or 0}; merge the changes, then save again."
                )
            guide = AnnotationGuideline(
                version=newest.version + 1 if newest else 1,
                body=text,
                author=normalize_reviewer_name(author),
                note=replace_surrogates(note.strip()),
                created_at=self._now(),
            )
            insert_record(connection, "guides", guide)
        return guide


class LabelRepository(Repository):
    """A reviewer's decisions on citations, one or several at once, and the current labels."""

    def give(
        self,
        run_id: str,
        citation_id: str,
        reviewer: str,
        decision: LabelDecision,
        *,
        blind: bool = False,
    ) -> Label | None:
        """The label that was added; None where the reviewer has decided the same already.

        It takes the place of the reviewer's own current label only, never of another's.
        `blind` says that the judge was not shown; it counts as seen where the reviewer ever saw it.

        Raises:
            NotKept: There is no such run.
            UsageError: Evidence lies outside the source's text.
        """
        seat = ReviewerContext(reviewer=normalize_reviewer_name(reviewer), blind=blind)
        with self._store.transaction() as connection:
            if not knows_run(connection, run_id):
                raise NotFoundError(
                    f"There is no run {run_id!r} in {self._store.path}; its label is not saved."
                )
            return give_label(connection, seat, run_id, citation_id, decision, self._now())

    def withdraw(self, run_id: str, citation_id: str, reviewer: str) -> Label | None:
        """The label that was taken back: the reviewer's current one; None without one.

        The label that it had replaced, if any, is current again.
        """
        seat = ReviewerContext(reviewer=normalize_reviewer_name(reviewer))
        with self._store.transaction() as connection:
            label = load_item_view(connection, run_id, citation_id, seat).own_label
            if label:
                connection.execute(
                    "insert into label_withdrawals values (?, ?, ?)",
                    [label.id, seat.reviewer, self._now()],
                )
        return label

    def give_several(
        self, items: Sequence[tuple[str, str]], reviewer: str, decision: LabelDecision
    ) -> BulkLabels:
        """The labels that were added, and the citations that were skipped.

        `items` are run and citation ids. Each label is one of its own, given with the verdict in
        view; a citation whose current label by this reviewer is the same keeps it with its note.

        Raises:
            NotFoundError: A citation is not there; nothing was saved.
            UsageError: The reviewer's name cannot be used.
            StoreError: The output of a citation was erased; nothing was saved.
        """
        seat = ReviewerContext(reviewer=normalize_reviewer_name(reviewer))
        added, unchanged = [], []
        with self._store.transaction() as connection:
            now = self._now()
            for item in load_item_views(connection, list(dict.fromkeys(items)), seat):
                if item.result is None:
                    raise NotFoundError(
                        f"The run {item.run_id} has no citation {item.citation_id[:80]!r}; "
                        "nothing was saved."
                    )
                own_label = item.own_label
                if own_label and own_label.label == decision.label:
                    unchanged.append((item.run_id, item.citation_id))
                    continue
                label = build_label(
                    connection=connection,
                    seat=seat,
                    sight=item,
                    decision=decision,
                    now=now,
                    seconds=None,
                )
                if label:
                    insert_label(connection, label)
                    added.append(label)
        return BulkLabels(added=tuple(added), unchanged=tuple(unchanged))

    def withdraw_several(self, label_ids: Sequence[str], reviewer: str) -> int:
        """The number of the reviewer's labels that were withdrawn; those replaced since then stay.

        A label that one of them had replaced is current again.

        Raises:
            UsageError: The reviewer's name cannot be used.
        """
        reviewer = normalize_reviewer_name(reviewer)
        rows = self._rows(
            "insert into label_withdrawals select id, ?, ? from current_labels "
            "where reviewer = ? and id in (select unnest(?::varchar[])) returning label_id",
            [reviewer, self._now(), reviewer, list(label_ids)],
        )
        return len(rows)

    def listed(
        self,
        *,
        run_id: str | None = None,
        citation_id: str | None = None,
        reviewer: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Label]:
        """Current labels, oldest first: of all runs, or of what is named, some at a time."""
        where, values = where_of(run_id=run_id, citation_id=citation_id, reviewer=reviewer)
        page = (
            f"(select * from current_labels where {where} "
            "order by created_at, id limit ? offset ?) found"
        )
        with self._store.transaction() as connection:
            return read_labels(connection, page, [*values, limit, offset])

    def tags(self, limit: int = 100) -> list[str]:
        """The tags of the current labels, most used first."""
        return list(
            self._column(
                "select tag from (select unnest(tags) as tag from current_labels) "
                "group by tag order by count(*) desc, tag limit ?",
                [limit],
            )
        )

    def reviewers(self) -> list[str]:
        """Everybody who gave a label or was assigned to a queue, in alphabetical order."""
        names = self._column(
            "select reviewer from labels where by_person "
            "union select reviewer from current_assignments"
        )
        return sorted(names, key=lambda name: (name.casefold(), name))


class CommentRepository(Repository):
    """Adding and reading comments."""

    def add(self, run_id: str, citation_id: str, author: str, body: str) -> CitationComment:
        """The comment that was added.

        Raises:
            NotFoundError: There is no such run.
            StoreError: Its output was erased.
            UsageError: The run has no such citation, the comment is empty or too long, or the name
                cannot be used.
        """
        comment = CitationComment(
            id=str(uuid.uuid4()),
            run_id=run_id,
            citation_id=citation_id,
            body=checked_comment(body),
            author=normalize_reviewer_name(author),
            created_at=self._now(),
        )
        with self._store.transaction() as connection:
            ensure_not_erased(connection, run_id)
            ensure_citation_exists(connection, self._store.path, run_id, citation_id)
            insert_record(connection, "citation_comments", comment)
        return comment

    def listed(
        self,
        *,
        run_id: str | None = None,
        citation_id: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[CitationComment]:
        """Comments, oldest first: of all runs, or of what is named, some at a time."""
        where, values = where_of(run_id=run_id, citation_id=citation_id)
        return self._records(
            CitationComment,
            f"from citation_comments where {where} order by created_at, id limit ? offset ?",
            [*values, limit, offset],
        )
