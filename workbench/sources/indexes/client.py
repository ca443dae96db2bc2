"""Asks services about works: guarded, at their pace, cached, and replayed where nothing may be sent."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal, Protocol
from urllib.parse import urlencode, urlsplit

from workbench.errors import FetchError, UsageError
from workbench.masking import register_secret
from workbench.records.bibliography import CachedAnswer, IndexReply, ReferenceEntry
from workbench.records.source import Fetched
from workbench.records.text import JsonDict
from workbench.sources.concurrency import SingleFlight
from workbench.sources.fetch import (
    Limits,
    RetryLaterError,
    ServiceRequest,
    StatusError,
    fetch_guarded,
    load_tls_context,
)
from workbench.sources.indexes.profiles import (
    LONGEST_WAIT,
    PROFILES,
    ServicePace,
    ServiceProfile,
    TooLongToWait,
    shared_pace,
)
from workbench.sources.services import Services
from workbench.sources.ssrf_guard import CheckedUrl, UrlGuard

MAX_ANSWER = 2 * 1024 * 1024
"""A few records with their reference lists; an answer that is longer cannot be read in part."""
SECONDS = 15.0
"""For one request, redirects included; not for waiting until it may start."""
MATCH_DAYS = 14
"""A record is asked for again after this time: it may have been retracted or corrected."""
NONE_DAYS = 2
"""That there is none holds for less: new works are registered every day, and it accuses somebody."""
MOST_RETRIES = 2
MOST_FAILURES = 3
"""So many failures in a row, and a service is left alone for the rest of the run."""
_CONTACT = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")

Reader = Callable[[bytes], list[JsonDict]]
"""From a service's body to records; raises `UnexpectedAnswer` for what is not its answer."""


class ReferenceIndex(Protocol):
    """An index of works that can be asked for the work of a bibliography entry.

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


class UnexpectedAnswer(Exception):
    """A service answered with something else than what it answers; the message says with what."""


class NoAnswer(Exception):
    """A service gave no usable answer: `error` where it failed, `not_asked` where nothing was sent."""

    def __init__(self, kind: Literal["error", "not_asked"], why: str, asked_at: str | None) -> None:
        super().__init__(why)
        self.kind: Literal["error", "not_asked"] = kind
        self.why = why
        self.asked_at = asked_at


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceQuestion:
    """One request to a service."""

    words: str
    """What of the entry is sent, as it is shown to people."""
    path: str
    """Below the service's base address, percent-encoded."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Of the query; a contact address and a key are added where the service wants them."""
    form: Mapping[str, str] | None = None
    """Posted in place of a query."""
    none_on_404: bool = False
    """Whether the service says with this status that it has no such record."""
    field: str = ""
    """Under which a record holds the identifier that is sent: `DOI`, `PMID`, `isbns`, `arxiv`."""
    authority: bool = False
    """Whether the service hands such identifiers out, so that it knows them all."""

    @property
    def key(self) -> str:
        """The request without contact and key: under this its answer is kept."""
        query = urlencode(self.parameters)
        posted = "" if self.form is None else f" {urlencode(self.form)}"
        return self.path + (f"?{query}" if query else "") + posted


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAnswer:
    """The records of an answer; none where the service has none."""

    records: list[JsonDict]
    asked_at: str


class IndexClient:
    """One run's access to the services."""

    def __init__(
        self,
        services: Services | None = None,
        *,
        allow_fetch: bool = False,
        refused: str = "",
        offline: bool = False,
        allowed_domains: Sequence[str] = (),
        contact: str | None = None,
        keys: Mapping[str, str] | None = None,
        cache: AnswerCache | None = None,
        limits: Limits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Builds the client.

        Args:
            services: Base addresses.
            allow_fetch: Whether the network may be used.
            refused: Why its use was refused: a sentence.
            offline: Whether only kept answers count, whatever their age.
            allowed_domains: Suffixes of the hosts that may be asked; empty means any public host.
            contact: An e-mail address that services are told.
            keys: Keys and tokens by the name of their service.
            cache: Where answers are kept; in memory when None.
            limits: Deadline, size and redirects of one request.
            clock: The time.

        Raises:
            UsageError: The contact is not an e-mail address.
        """
        self.services = services or Services()
        self.keys = dict(keys or {})
        for key in self.keys.values():
            register_secret(key)
        self._contact = checked_contact(contact)
        self._allow_fetch = allow_fetch and not offline
        self._offline = offline
        self._refused = refused
        self.cache = cache or MemoryAnswerCache()
        self._guard = UrlGuard(allowed_domains, self.services.configured())
        self._limits = limits or Limits(seconds=SECONDS, max_bytes=MAX_ANSWER)
        self._clock = clock
        self._flights: SingleFlight[CachedAnswer] = SingleFlight()
        self._failures: dict[str, int] = {}
        self._left_alone: dict[str, str] = {}

    async def ask(self, name: str, question: ServiceQuestion, read: Reader) -> ServiceAnswer:
        """What a service answers, from the cache while it is fresh.

        Args:
            name: The service.
            question: What it is asked.
            read: Makes records of its body.

        Raises:
            NoAnswer: It failed, or nothing may be sent and nothing is kept.
        """
        answer = await self.kept(name, question, read)
        if answer is not None:
            return answer
        self.check_allowed(name)
        try:
            fetched = await self._flights.join(
                f"{name} {question.key}", lambda: self._fetch(name, question)
            )
            answer = _read(fetched, read)
        except UnexpectedAnswer as bad:
            why = f"{PROFILES[name].label} {bad}."
            if PROFILES[name].leads_on:
                raise NoAnswer("error", why, self._now()) from bad
            raise self._failed(name, why) from bad
        self._failures.pop(name, None)
        await self.cache.keep(fetched)
        return answer

    async def kept(
        self, name: str, question: ServiceQuestion, read: Reader
    ) -> ServiceAnswer | None:
        """What is kept of a service's answer; None where it has to be asked again."""
        kept = await self.cache.find(name, question.key)
        if kept is None:
            return None
        try:
            answer = _read(kept, read)
        except UnexpectedAnswer:  # kept by another version: asked again
            return None
        return answer if not self._allow_fetch or self._is_fresh(answer) else None

    def why_unavailable(self, name: str) -> str | None:
        """Why a service cannot be asked at all: it is switched off."""
        if self.services.index_base(name) is None:
            return f"{PROFILES[name].label} is switched off in the settings."
        return None

    def check_allowed(self, name: str) -> None:
        """Nothing, where a service may be asked now.

        Raises:
            NoAnswer: Look-ups are off, or it has failed too often in this run.
        """
        label = PROFILES[name].label
        if self._offline:
            raise NoAnswer("not_asked", f"Offline: no answer of {label} is stored.", None)
        if not self._allow_fetch:
            why = self._refused or f"Look-ups are off: allow fetching to ask {label}."
            raise NoAnswer("not_asked", why, None)
        if name in self._left_alone:
            raise NoAnswer("error", self._left_alone[name], None)

    def _is_fresh(self, answer: ServiceAnswer) -> bool:
        days = MATCH_DAYS if answer.records else NONE_DAYS
        try:
            asked_at = datetime.fromisoformat(answer.asked_at)
        except ValueError:
            return False
        if asked_at.tzinfo is None:
            asked_at = asked_at.replace(tzinfo=UTC)
        return self._clock() - asked_at < timedelta(days=days)

    def _failed(self, name: str, why: str, *, leave_alone: bool = False) -> NoAnswer:
        self._failures[name] = self._failures.get(name, 0) + 1
        if leave_alone or self._failures[name] >= MOST_FAILURES:
            self._left_alone[name] = f"{why} It was not asked again in this run."
        return NoAnswer("error", why, self._now())

    def _now(self) -> str:
        return self._clock().isoformat(timespec="seconds")

    async def _fetch(self, name: str, question: ServiceQuestion) -> CachedAnswer:
        """The answer to a question as it came.

        Raises:
            NoAnswer: The service failed.
        """
        profile = PROFILES[name]
        base = self.services.index_base(name) or ""
        per_second = profile.per_second
        if name in self.keys and profile.keyed_per_second:
            per_second = profile.keyed_per_second
        pace = shared_pace(name, base, per_second, profile.at_once)
        status = 200
        try:
            fetched = await self._fetch_patiently(profile, base, question, pace)
            if fetched.truncated:
                raise UnexpectedAnswer(f"answered with more than {MAX_ANSWER // 2**20} MiB")
            body = fetched.body
        except StatusError as refused:
            if refused.status != 404 or not question.none_on_404 or refused.hop > 0:
                raise self._refusal(profile, refused) from refused
            if not re.search(
                profile.no_record, refused.body.decode("utf-8", "replace"), re.I | re.S
            ):
                raise UnexpectedAnswer(
                    "answered with HTTP status 404 and did not say that it has no such record"
                ) from refused
            status, body = 404, refused.body
        except FetchError as failed:
            if profile.leads_on and failed.hop > 0:
                why = f"{profile.label} knows it and leads on, but: {failed.message}"
                raise NoAnswer("error", why, self._now()) from failed
            raise self._failed(name, failed.message) from failed
        return CachedAnswer(
            service=name, question=question.key, status=status, body=body, asked_at=self._now()
        )

    def _refusal(self, profile: ServiceProfile, refused: StatusError) -> NoAnswer:
        label = profile.label
        if refused.hop > 0:
            why = f"{label} led on to {urlsplit(refused.url).hostname}, which gave no record "
            return NoAnswer("error", f"{why}(HTTP status {refused.status}).", self._now())
        if refused.status in (429, 503):
            why = f"{label} is busy and asked to come back later (HTTP status {refused.status})."
            return self._failed(profile.name, why, leave_alone=True)
        if refused.status in (401, 402, 403):
            advice = ": check its key" if profile.name in self.keys else ""
            why = f"{label} refuses to answer (HTTP status {refused.status}){advice}."
            return self._failed(profile.name, why, leave_alone=True)
        why = f"{label} answered with HTTP status {refused.status}."
        if 400 <= refused.status < 500:  # it minds this question: it may answer the next one
            return NoAnswer("error", why, self._now())
        return self._failed(profile.name, why)

    async def _fetch_patiently(
        self, profile: ServiceProfile, base: str, question: ServiceQuestion, pace: ServicePace
    ) -> Fetched:
        """One request at the service's pace, repeated where it asks for a short wait.

        Raises:
            FetchError: There is no answer.
            NoAnswer: It may not be asked, was left alone meanwhile, or asks for too long a wait.
        """
        await load_tls_context()
        url = base + question.path + self._query(profile, question)
        try:
            checked = self._guard.check(url)
        except FetchError as forbidden:
            raise NoAnswer("not_asked", forbidden.message, None) from forbidden
        request = ServiceRequest(
            headers=lambda hop: self._headers(profile, checked, hop, question),
            form=None if question.form is None else urlencode(question.form).encode("ascii"),
        )
        try:
            for retry in range(MOST_RETRIES + 1):
                async with pace.turn():
                    if profile.name in self._left_alone:  # meanwhile
                        raise NoAnswer("error", self._left_alone[profile.name], None)
                    try:
                        fetched = await fetch_guarded(
                            url, self._guard, limits=self._limits, first=checked, request=request
                        )
                    except StatusError as refused:
                        self._pause_or_raise(refused, pace, url, retry)
                        continue
                    if _server(fetched.final_url) == _server(url):
                        pace.follow(fetched.headers)
                    return fetched
        except TooLongToWait as late:
            why = (
                f"{profile.label} allows one request in {late.seconds:,.0f} seconds at the moment, "
                f"and no more than {LONGEST_WAIT:g} are waited for."
            )
            raise self._failed(profile.name, why, leave_alone=True) from late
        raise AssertionError  # the last retry returns or raises

    def _pause_or_raise(
        self, refused: StatusError, pace: ServicePace, asked: str, retry: int
    ) -> None:
        """Let a busy service rest where it asks for a short time; limits of other hosts are theirs.

        Raises:
            StatusError: It is not to be asked again.
        """
        server = _server(refused.url)
        if server == _server(asked):
            pace.follow(refused.headers)
        elif not self._is_service(server):
            raise refused
        if refused.status not in (429, 503) or retry == MOST_RETRIES:
            raise refused
        wait = refused.after if isinstance(refused, RetryLaterError) else 2.0**retry
        if wait > LONGEST_WAIT:
            raise refused
        pace.pause(wait)

    def _query(self, profile: ServiceProfile, question: ServiceQuestion) -> str:
        parameters = dict(question.parameters)
        if profile.contact_parameter and self._contact:
            parameters[profile.contact_parameter] = self._contact
        if profile.key_parameter and profile.name in self.keys:
            parameters[profile.key_parameter] = self.keys[profile.name]
        return f"?{urlencode(parameters)}" if parameters else ""

    def _headers(
        self,
        profile: ServiceProfile,
        first: CheckedUrl,
        hop: CheckedUrl,
        question: ServiceQuestion,
    ) -> dict[str, str]:
        """The headers for a hop: the key and the contact stay with the service that was asked."""
        headers = {"Accept": profile.accept}
        if question.form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        own = (hop.scheme, hop.host, hop.port) == (first.scheme, first.host, first.port)
        if self._contact and (own or self._is_service((hop.host, hop.port))):
            headers["User-Agent"] = _user_agent(self._contact)
        if own and profile.key_header and profile.name in self.keys:
            headers[profile.key_header] = profile.key_scheme + self.keys[profile.name]
        return headers

    def _is_service(self, server: tuple[str, int]) -> bool:
        """Whether a server belongs to one of the services, as where doi.org leads on to Crossref."""
        bases = (self.services.index_base(name) for name in PROFILES)
        return server in {_server(base) for base in bases if base}


def _server(url: str) -> tuple[str, int]:
    """The host and port of an address that was checked."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (80 if parts.scheme == "http" else 443)


def checked_contact(contact: str | None) -> str | None:
    """The e-mail address that services are told; None without one.

    Raises:
        UsageError: It is none.
    """
    address = (contact or "").strip()
    if not address:
        return None
    if not _CONTACT.fullmatch(address) or len(address) > 254:
        raise UsageError(f"The contact {address[:60]!r} is not an e-mail address.")
    return address


def _user_agent(contact: str) -> str:
    from workbench.sources.connect import USER_AGENT

    return f"{USER_AGENT.removesuffix(')')}; mailto:{contact})"


def _read(answer: CachedAnswer, read: Reader) -> ServiceAnswer:
    try:
        records = [] if answer.status == 404 else read(answer.body)
    except UnexpectedAnswer:
        raise
    except Exception as bad:  # whatever a service sends costs its own answer and no more
        raise UnexpectedAnswer("answered in a form that cannot be read") from bad
    return ServiceAnswer(records=records, asked_at=answer.asked_at)
