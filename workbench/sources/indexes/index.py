"""What an index of works is, and what keeps its answers.

An index returns records as CSL-JSON items: `type`, `title`, `author` (`[{family, given}]` or
`[{literal}]`), `issued` (`{"date-parts": [[year, month, day]]}`), `container-title`, `volume`,
`issue`, `page`, `DOI`, `ISBN`, `PMID`, `URL` (the record's page at the service, for people), and
under `custom` what CSL has no field for:

- `index`: the name of the index;
- `titles`: other titles of the work: short, original, translated, without its subtitle;
- `years`: every year it was published in: online, in print, as a preprint, in other editions;
- `venues`: other names of where it was published: abbreviations, the journal of a preprint;
- `dois`: DOIs of its other versions: the preprint's, the published one's;
- `isbns`: of its editions;
- `link`: another page of the work;
- `arxiv`: its arXiv number, without a version;
- `retraction`: `{"kind", "date", "notice", "from"}`, as `RetractionNotice.to_dict()`;
- `about`: what kind of text about another work it is (`review`, `correction`, `notice`,
  `comment`), where it is one: it has that work's title and is not that work.
"""

from typing import Protocol

from workbench.records.bibliography import CachedAnswer, IndexReply, ReferenceEntry


class ReferenceIndex(Protocol):
    """An index of works that can be asked for the work of a bibliography entry."""

    name: str
    """As in the settings: `crossref`."""
    description: str
    """What it holds, in a sentence for people."""

    def covers(self, entry: ReferenceEntry) -> bool:
        """Whether it should hold a work like this one.

        A work is only missing where every index that covers it was asked and has none.
        """

    async def look_up(self, entry: ReferenceEntry) -> IndexReply:
        """What it returns for an entry; one that it does not cover is looked up by identifier alone.

        Never raises for what a service does: `error` with a reason where it is down, busy, or
        answers with something else than its records; `not_asked` where nothing was sent.
        """


class AnswerCache(Protocol):
    """Keeps what services answered."""

    async def find(self, service: str, question: str) -> CachedAnswer | None:
        """The newest answer to a question, of any age; None where there is none."""

    async def keep(self, answer: CachedAnswer) -> None:
        """Keeps an answer in place of an older one to the same question."""


class MemoryAnswerCache:
    """Answers kept for as long as the process runs."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], CachedAnswer] = {}

    async def find(self, service: str, question: str) -> CachedAnswer | None:
        """The newest answer to a question; None where there is none."""
        return self._answers.get((service, question))

    async def keep(self, answer: CachedAnswer) -> None:
        """Keeps an answer in place of an older one."""
        self._answers[answer.service, answer.question] = answer
