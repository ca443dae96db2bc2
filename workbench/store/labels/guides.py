"""The label guide: what each label means, in versions that stay."""

from workbench.errors import StoreError, UsageError
from workbench.records.review import AnnotationGuideline
from workbench.records.reviewers import LONGEST_GUIDE, normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.store.rows import insert_record, read_records
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
