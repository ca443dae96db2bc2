"""The label guide: what each label means, in versions that stay."""

from workbench.errors import StoreError, UsageError
from workbench.records.review import AnnotationGuideline
from workbench.records.reviewers import LONGEST_GUIDE, normalize_reviewer_name, utc_now
from workbench.records.text import replace_surrogates
from workbench.store.queues.queues import Clock
from workbench.store.store import Store


class Guides:
    """The versions of the label guide.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

    def current(self) -> AnnotationGuideline | None:
        """The newest version; None while the team has written none."""
        versions = self.history()
        return versions[0] if versions else None

    def history(self) -> list[AnnotationGuideline]:
        """Every version, newest first."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                "select version, body, author, note, created_at from guides order by version desc"
            ).fetchall()
        return [
            AnnotationGuideline(
                version=row[0], body=row[1], author=row[2], note=row[3], created_at=row[4]
            )
            for row in rows
        ]

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
            rows = connection.execute(
                "select version, body, author, note, created_at from guides "
                "order by version desc limit 1"
            ).fetchall()
            newest = rows[0] if rows else None
            if newest and newest[1] == text:
                return AnnotationGuideline(
                    version=newest[0],
                    body=newest[1],
                    author=newest[2],
                    note=newest[3],
                    created_at=newest[4],
                )
            if newest and newest[0] != based_on:
                raise UsageError(
                    f"{newest[2]} saved version {newest[0]} of the labelling guide while you "
                    f"edited version {based_on or 0}; merge the changes, then save again."
                )
            guide = AnnotationGuideline(
                version=newest[0] + 1 if newest else 1,
                body=text,
                author=normalize_reviewer_name(author),
                note=replace_surrogates(note.strip()),
                created_at=self._now(),
            )
            connection.execute(
                "insert into guides values (?, ?, ?, ?, ?)",
                [guide.version, guide.body, guide.author, guide.note, guide.created_at],
            )
        return guide
