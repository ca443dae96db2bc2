"""How one service is asked for an entry: by what identifies it first, then by its title."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.records.bibliography import IndexAnswer, IndexReply, ReferenceEntry
from workbench.records.text import JsonDict
from workbench.sources.indexes.client import (
    IndexClient,
    NoAnswer,
    Reader,
    ServiceQuestion,
    UnexpectedAnswer,
)
from workbench.sources.indexes.entries import (
    OTHER_WORK,
    SAME_WORK,
    first_author,
    has_identifier,
    same_doi,
    shared_words,
    shares_no_word,
)
from workbench.sources.indexes.fields import (
    about_another_work,
    as_object,
    as_text,
    as_texts,
    read_json,
    read_list,
    value_at,
)
from workbench.sources.indexes.profiles import PROFILES


@dataclass(slots=True)
class _LookUp:
    """What a look-up came to so far."""

    records: list[JsonDict] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    """What was sent."""
    asked_at: str | None = None
    unknown: str | None = None


class ServiceIndex:
    """What the indexes have in common; a module for each service says what is its own."""

    name: str = ""
    description: str = ""
    record_at = ""
    """The path of the record in an answer about an identifier; empty where the answer is one."""
    listed_at = count_at = listed = ""
    """The paths of the list in a search's answer and of its length, and what it lists."""

    def __init__(self, client: IndexClient) -> None:
        self._client = client
        self._label = PROFILES[self.name].label

    def covers(self, entry: ReferenceEntry) -> bool:
        """Whether the service should hold such a work."""
        raise NotImplementedError

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        """Look-ups by identifiers that the service knows, best first."""
        return ()

    def title_questions(self, title: str, author: str) -> Sequence[ServiceQuestion]:
        """Searches by title and first author; the next is tried where one finds nothing."""
        return ()

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The record of an identifier's answer; raises `UnexpectedAnswer`."""
        return [self.read_work(as_object(value_at(read_json(body), self.record_at)))]

    def read_search(self, body: bytes) -> list[JsonDict]:
        """The records of a search's answer; raises `UnexpectedAnswer`."""
        answer = read_json(body)
        works, count = value_at(answer, self.listed_at), value_at(answer, self.count_at)
        return [self.read_work(work) for work in read_list(works, count, self.listed)]

    def read_work(self, work: JsonDict) -> JsonDict:
        """The CSL-JSON item of one work; raises `UnexpectedAnswer` where it is none."""
        raise NotImplementedError

    async def search(self, question: ServiceQuestion, read: Reader) -> tuple[list[JsonDict], str]:
        """The records of a search, and when it was asked."""
        answer = await self._client.ask(self.name, question, read)
        return answer.records, answer.asked_at

    async def look_up(self, entry: ReferenceEntry) -> IndexReply:
        """What the service returns for an entry; never raises for what a service does."""
        reason = self._why_not_asked(entry)
        answer = IndexAnswer(
            name=self.name, answer="not_asked", why=reason or "", covers=self.covers(entry)
        )
        if reason:
            return IndexReply(answer=answer)
        so_far = _LookUp()
        try:
            await self._by_identifier(entry, so_far)
            if not any(_may_be(entry, record) for record in so_far.records):
                await self._by_title(entry, so_far)
            why = "" if so_far.records else f"{self._label} answered and has no such work."
        except NoAnswer as missing:
            why = missing.why
            if not so_far.records:  # else the work whose number the entry gives is known already
                sent = "; ".join(so_far.words) if missing.asked_at else ""
                answer = replace(answer, answer=missing.kind, why=why, question=sent)
                answer = replace(answer, asked_at=missing.asked_at)
                return IndexReply(answer=answer, identifier_unknown=so_far.unknown)
        answer = replace(answer, answer="match" if so_far.records else "none", why=why)
        answer = replace(answer, question="; ".join(so_far.words), asked_at=so_far.asked_at)
        return IndexReply(
            answer=answer, records=tuple(so_far.records), identifier_unknown=so_far.unknown
        )

    def _why_not_asked(self, entry: ReferenceEntry) -> str | None:
        switched_off = self._client.why_unavailable(self.name)
        if switched_off:
            return switched_off
        if entry.unreadable and not has_identifier(entry):
            return f"The entry could not be read: {entry.unreadable}"
        if self.identifier_questions(entry) or self._may_search(entry):
            return None
        if not self.covers(entry):
            return f"{self._label} does not cover works of this kind."
        return f"The entry has nothing to look up in {self._label}."

    def _may_search(self, entry: ReferenceEntry) -> bool:
        """Whether the title is sent: not to a service that does not hold such works."""
        readable = bool(entry.title) and not entry.unreadable
        return readable and self.covers(entry) and bool(self._title_questions(entry))

    def _title_questions(self, entry: ReferenceEntry) -> Sequence[ServiceQuestion]:
        return self.title_questions(entry.title or "", first_author(entry))

    async def _by_identifier(self, entry: ReferenceEntry, so_far: _LookUp) -> None:
        for asked in self.identifier_questions(entry):

            def read(body: bytes, asked: ServiceQuestion = asked) -> list[JsonDict]:
                records = self.read_record(body)
                _check_identity(entry, asked, records)
                return records

            so_far.words.append(asked.words)
            records, so_far.asked_at = await self.search(asked, read)
            so_far.records += [_marked(entry, record) for record in records]
            if records:
                return
            if asked.authority:
                so_far.unknown = so_far.unknown or asked.words

    async def _by_title(self, entry: ReferenceEntry, so_far: _LookUp) -> None:
        if not self._may_search(entry):
            return
        for question in self._title_questions(entry):

            def read(body: bytes) -> list[JsonDict]:
                records = self.read_search(body)
                _check_relevance(entry, records)
                return records

            so_far.words.append(question.words)
            records, so_far.asked_at = await self.search(question, read)
            works = [record for record in records if not is_about_another(entry, record)]
            known = [_identity(record) for record in so_far.records]
            so_far.records += [work for work in works if _identity(work) not in known]
            if works:
                return


def is_about_another(entry: ReferenceEntry, record: JsonDict) -> bool:
    """Whether a record is a review, a correction or a notice that only has the work's title."""
    if as_object(record.get("custom")).get("about"):
        return True
    about = about_another_work(as_text(record.get("title")))
    return about is not None and about_another_work(entry.title or "") is None


def _marked(entry: ReferenceEntry, record: JsonDict) -> JsonDict:
    """The record, marked as what it is where it is about another work."""
    about = about_another_work(as_text(record.get("title")))
    custom = as_object(record.get("custom"))
    if about is None or custom.get("about") or about_another_work(entry.title or ""):
        return record
    return {**record, "custom": {**custom, "about": about}}


def _may_be(entry: ReferenceEntry, record: JsonDict) -> bool:
    share = shared_words(entry.title, record) if entry.title else None
    return share is None or share >= OTHER_WORK


def _check_identity(entry: ReferenceEntry, asked: ServiceQuestion, records: list[JsonDict]) -> None:
    """Is this the record that was asked for?

    A service may know a work under another number (an alias, the published version of a preprint);
    its title has to be the entry's then.

    Raises:
        UnexpectedAnswer: It is somebody else's record.
    """
    for record in records:
        numbers = as_texts(
            record.get(asked.field) or as_object(record.get("custom")).get(asked.field)
        )
        if not numbers or any(same_doi(number, asked.words) for number in numbers):
            continue
        share = shared_words(entry.title, record) if entry.title else None
        if share is None or share < SAME_WORK:
            raise UnexpectedAnswer(
                f"answered with the record of {numbers[0]} when asked for {asked.words}"
            )


def _check_relevance(entry: ReferenceEntry, records: list[JsonDict]) -> None:
    """Does a search return anything that shares a word with what was searched for?

    Raises:
        UnexpectedAnswer: It does not: these are answers to another question.
    """
    if records and all(shares_no_word(entry.title or "", record) for record in records):
        raise UnexpectedAnswer("answered with records of something else")


def _identity(record: JsonDict) -> tuple[str, str]:
    return as_text(record.get("DOI")).casefold(), as_text(record.get("title")).casefold()
