"""How one service is asked for an entry, by identifier, then by title; and its answers as records."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote

from workbench.records.bibliography import IndexAnswer, IndexReply, ReferenceEntry, WorkType
from workbench.records.text import JsonDict
from workbench.sources.addresses import same_source_key
from workbench.sources.indexes.client import (
    IndexClient,
    NoAnswer,
    Reader,
    ServiceQuestion,
    UnexpectedAnswer,
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

_DOI = re.compile(r"10\.\d{4,9}/\S{1,300}")
_PLACEHOLDER = re.compile(r"10\.(?:x+|0{4})(?:/|$)|x{3,}|…|\.\.\.", re.IGNORECASE)
_ARXIV = re.compile(r"(?:[a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})", re.IGNORECASE)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
DATACITE_PREFIXES = frozenset({
    "10.48550", "10.5281", "10.6084", "10.5061", "10.7910", "10.17605", "10.31234", "10.13140",
    "10.31219", "10.31235", "10.3929", "10.5445", "10.14279", "10.17863", "10.25384", "10.34894",
    "10.4230", "10.5067", "10.5072", "10.5517", "10.18452", "10.11588", "10.5075", "10.57967",
    "10.24433", "10.15468", "10.4121", "10.5285", "10.17632", "10.17169", "10.26434",
})  # fmt: skip
"""Of large repositories that register at DataCite: arXiv, Zenodo, figshare, Dryad, OSF, …"""


def entry_doi(entry: ReferenceEntry) -> str | None:
    """The entry's DOI; None without one, or where it is a placeholder."""
    text = unquote((entry.doi or "").strip())
    text = re.sub(r"^(?:doi:\s*|https?://(?:dx\.|www\.)?doi\.org/)", "", text, flags=re.IGNORECASE)
    if not text and entry.url:
        key = same_source_key(entry.url)
        text = key.removeprefix("doi:") if key.startswith("doi:") else ""
    return text if _DOI.fullmatch(text) and not _PLACEHOLDER.search(text) else None


def entry_arxiv(entry: ReferenceEntry) -> str | None:
    """The entry's arXiv number without a version; None without one."""
    candidates = [entry.arxiv or "", entry.doi or "", entry.url or ""]
    for text in candidates:
        text = text.strip()
        doi = _ARXIV_DOI.search(text)
        number = doi[1] if doi else text
        if "arxiv.org/" in number.lower():
            key = same_source_key(number)
            number = key.removeprefix("arxiv:") if key.startswith("arxiv:") else ""
        number = re.sub(r"^arxiv:\s*", "", number, flags=re.IGNORECASE)
        number = re.sub(r"v\d{1,2}$|\s*\[.*\]$", "", number.strip())
        if _ARXIV.fullmatch(number):
            return number
    return None


def entry_pmid(entry: ReferenceEntry) -> str | None:
    """The entry's PubMed number; None without one."""
    number = (entry.pmid or "").strip()
    if not number and entry.url:
        key = same_source_key(entry.url)
        number = key.removeprefix("pmid:") if key.startswith("pmid:") else ""
    return number if re.fullmatch(r"[1-9]\d{0,8}", number) else None


def entry_isbn(entry: ReferenceEntry) -> str | None:
    """The entry's ISBN, digits and X alone; None without one of 10 or 13."""
    number = re.sub(r"[\s-]", "", entry.isbn or "").upper()
    return number if re.fullmatch(r"\d{9}[\dX]|97[89]\d{10}", number) else None


def has_identifier(entry: ReferenceEntry) -> bool:
    """Whether anything but its title names the work."""
    return any((entry_doi(entry), entry_arxiv(entry), entry_pmid(entry), entry_isbn(entry)))


def is_datacite_doi(doi: str) -> bool:
    """Whether a DOI belongs to a repository that registers at DataCite."""
    return doi.partition("/")[0] in DATACITE_PREFIXES


def same_doi(first: str, second: str) -> bool:
    """Whether two DOIs are one: letter case and percent spelling do not count."""
    return unquote(first).strip().casefold() == unquote(second).strip().casefold()


# -- the kind of its work ------------------------------------------------------------------------

_PREPRINT = re.compile(
    r"\b(?:arxiv|corr|biorxiv|medrxiv|chemrxiv|ssrn|preprint|research square)\b", re.I
)
_CONFERENCE = re.compile(
    r"\b(?:proc\b|proceedings|conference|conf\b|workshop|symposium|congress|advances in neural"
    r"|neurips|nips|icml|iclr|aaai|ijcai|acl|emnlp|naacl|eacl|coling|cvpr|iccv|eccv|kdd|sigir|www"
    r"|chi|uist|icra|iros|corl|colt|aistats|uai|interspeech|icassp|miccai|wacv|bmvc|sosp|osdi|nsdi"
    r"|usenix|ndss|ccs|vldb|sigmod|icde|pldi|popl|icse|fse|podc|stoc|focs|soda|lrec|conll|findings of)\b",
    re.I,
)
_JOURNAL = re.compile(
    r"\b(?:journal|j|transactions|trans|letters|lett|annals|ann|review|reviews|rev|bulletin|bull"
    r"|archives|arch|acta|quarterly|magazine|nature|science|cell|lancet|bmj|jama|pnas|plos"
    r"|zeitschrift|revue|revista|rivista|tidsskrift|学报|杂志)\b|学报|杂志|期刊",
    re.I,
)
_PUBLISHER = re.compile(
    r"\b(?:press|verlag|publish\w*|publications|books?|editions?|éditions|wiley|springer|elsevier"
    r"|routledge|penguin|harper\w*|norton|sage|crc|mcgraw|pearson|random house|macmillan|gallimard"
    r"|suhrkamp|o'reilly)\b|出版社",
    re.I,
)
_BIOMEDICAL = re.compile(
    r"\b(?:lancet|bmj|jama|plos|n\.? ?engl|new england|elife|nature|science|cell|cells|pnas|proc\.? natl)\b"
    r"|\b(?:medic|med\b|clin|surg|oncol|cancer|tumou?r|cardi|heart|circul|stroke|neuro|brain|pharm"
    r"|drug|immun|allerg|epidem|health|nurs|psych|pa?ediat|biol|bioch|biom|biop|bioin|genet|genom"
    r"|gene\b|genes\b|viro|virus|microb|infect|bacter|vaccin|nutri|dent|oral|hepat|gastro|ophthal"
    r"|radiol|an[a]?esth|rheum|dermat|urol|nephro|kidney|endocr|diabet|obes|hospital|patient|therap"
    r"|toxic|physiol|anat|pathol|reprod|obstet|gyn[a]?ec|blood|h[a]?emat|respir|thorac|lung|pain|sleep"
    r"|aging|ageing|geront|rehab|sports? med|trauma|orthop|bone|nucleic|protein|molec|embo\b|faseb)",
    re.I,
)
_COMPUTING = re.compile(
    r"\b(?:acm|ieee|comput|software|informati|algorithm|machine learning|artificial intell|neural"
    r"|robot|data\b|database|language proc|linguist|vision|pattern|signal|network|security|privacy"
    r"|crypto|programming|graphics|hci|interaction|knowledge|learning|logic|system|jmlr|tmlr|tacl"
    r"|pami|tpami|lncs|lecture notes|pmlr|corr\b)",
    re.I,
)
_COMPUTING_PREFIXES = ("10.1145/", "10.1109/", "10.18653/", "10.1609/", "10.24963/", "10.1162/")
_WITHOUT_DOIS = re.compile(
    r"\b(?:neurips|nips|neural information processing systems|iclr|learning representations|icml"
    r"|international conference on machine learning|pmlr|jmlr|tmlr|machine learning research"
    r"|aistats|colt|uai|corl|colm|midl|usenix|osdi|nsdi|ndss)\b",
    re.I,
)
"""Venues that register no DOIs, so that Crossref lacks their papers."""
SCHOLARLY: frozenset[WorkType | None] = frozenset(
    {"article-journal", "paper-conference", "chapter", "article"}
)


def work_type(entry: ReferenceEntry) -> WorkType | None:
    """What the entry says it is, else what its venue and numbers make it; None where open."""
    venue = entry.venue or ""
    if entry.type is not None:
        return entry.type
    if entry_arxiv(entry) or _PREPRINT.search(venue):
        return "article"
    if entry_isbn(entry):
        return "book"
    if _CONFERENCE.search(venue):
        return "paper-conference"
    if entry_pmid(entry) or (venue and (entry.volume or entry.issue)) or _JOURNAL.search(venue):
        return "article-journal"
    if _PUBLISHER.search(venue):
        return "book"
    return None


def is_open(entry: ReferenceEntry) -> bool:
    """Whether it may be any scholarly work or book: authors and a title, and no kind or address.

    Every index that might hold such a work has to be asked before it counts as missing. A page on
    the web is none, whatever its title.
    """
    unknown = work_type(entry) is None and not entry.url
    return unknown and bool(entry.title and entry.authors)


def is_preprint(entry: ReferenceEntry) -> bool:
    """Whether it is on arXiv as far as one can tell: by number, venue, or as a bare preprint."""
    venue = entry.venue or ""
    if entry_arxiv(entry) or re.search(r"\barxiv\b|\bcorr\b", venue, re.I):
        return True
    doi = entry_doi(entry)
    return work_type(entry) == "article" and not venue and doi is None


def is_without_doi(entry: ReferenceEntry) -> bool:
    """Whether its venue is one of those that register no DOIs."""
    return entry_doi(entry) is None and bool(_WITHOUT_DOIS.search(entry.venue or ""))


def is_biomedical(entry: ReferenceEntry) -> bool:
    """Whether its journal's name is of the kind that PubMed takes in."""
    kind = work_type(entry)
    return kind == "article-journal" and bool(_BIOMEDICAL.search(entry.venue or ""))


def is_computing(entry: ReferenceEntry) -> bool:
    """Whether it is a paper of the kind that DBLP takes in."""
    kind = work_type(entry)
    doi = (entry_doi(entry) or "").lower()
    if kind in ("paper-conference", "article-journal") and doi.startswith(_COMPUTING_PREFIXES):
        return True
    if kind == "paper-conference":
        return not _BIOMEDICAL.search(entry.venue or "") or bool(
            _COMPUTING.search(entry.venue or "")
        )
    return kind == "article-journal" and bool(_COMPUTING.search(entry.venue or ""))


# -- its title -----------------------------------------------------------------------------------

SAME_WORK = 0.6
"""Share of the shorter title's words from which a record may be the entry's work after all."""
OTHER_WORK = 0.34
"""Below it, an identifier's record is another work: then the entry's title is looked up as well."""
FEW_WORDS = 4
"""A title of fewer words is looked up with its first author: there are many `Introduction`s."""
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STEM = 5
"""Letters that are compared: searches find `networks` for `network`."""
_MOST_WORDS = 8
_FEWEST_IN_HALF = 2
_LONGEST = 900
"""Percent-encoded characters of a title in a request: an address has 2,048 at most."""


def title_words(title: str) -> set[str]:
    """The starts of a title's longer words, folded; pairs of characters where nothing is spaced."""
    words = _folded_words(title)
    found = {word[:_STEM] for word in words if len(word) > 3 and not _WIDE.search(word)}
    for word in words:
        if _WIDE.search(word):
            found.update(word[n : n + 2] for n in range(max(1, len(word) - 1)))
    return found or {word[:_STEM] for word in words}


def shared_words(title: str, record: JsonDict) -> float | None:
    """The largest share of a title's words in one of a record's titles, 0 to 1.

    None where it cannot be told: a title is missing, or they are in two scripts.
    """
    words = title_words(title)
    custom = as_object(record.get("custom"))
    shares: list[float] = []
    for known_title in (as_text(record.get("title")), *as_texts(custom.get("titles"))):
        known_words = title_words(known_title)
        if words and known_words and _is_wide(title) == _is_wide(known_title):
            shorter = min(len(words), len(known_words))
            shares.append(len(words & known_words) / shorter)
    return max(shares, default=None)


def shares_no_word(title: str, record: JsonDict) -> bool:
    """Whether a record's titles have not even an `of` in common with a title of the same script."""
    custom = as_object(record.get("custom"))
    words = _stems(title)
    for known_title in (as_text(record.get("title")), *as_texts(custom.get("titles"))):
        known_words = _stems(known_title)
        if not known_words or _is_wide(title) != _is_wide(known_title) or words & known_words:
            return False
    return bool(words)


def search_words(title: str) -> str:
    """A title for a search: without punctuation, which is syntax there, and cut to fit a request.

    >>> search_words('Tides: a "short" (and sweet) history?')
    'Tides a short and sweet history'
    """
    words: list[str] = []
    for word in re.sub(r"[^\w'’-]|_", " ", title).split():
        word = word.strip("-'’")
        if len(quote(" ".join([*words, word]))) > _LONGEST:
            break
        if word:
            words.append(word)
    return " ".join(words)


def telling_words(title: str) -> list[str]:
    """The longest words of a title in its order, for a search in which all have to occur.

    >>> telling_words("Pre-training of deep lanterns for the very slow mines of the northern fjords")
    ['training', 'deep', 'lanterns', 'very', 'slow', 'mines', 'northern', 'fjords']
    """
    words = list(dict.fromkeys(re.findall(r"\w+", search_words(title))))
    longest = sorted(words, key=len, reverse=True)[:_MOST_WORDS]
    telling = [word for word in words if word in longest and len(word) > 3]
    return telling if len(telling) > 1 else [word for word in words if word in longest]


def title_halves(title: str) -> tuple[list[str], ...]:
    """The first and the second half of a title's telling words; none of a short title.

    A search for all of them finds nothing where one of them is wrong; half of them are right then.
    """
    words = telling_words(title)
    middle = len(words) // 2
    return (words[:middle], words[middle:]) if middle >= _FEWEST_IN_HALF else ()


def title_searches(title: str, words: str, author: str, *, short: bool) -> list[tuple[str, str]]:
    """Words and a first author to search for: a short title with its author first, then alone.

    Then each half with the author, as all words of a search have to occur: half of a title finds
    one that is quoted with a wrong word. Without an author the words alone; none without words.
    """
    if not words or not author:
        return [(words, "")] if words else []
    halves = [(" ".join(half), author) for half in title_halves(title)]
    return [*([(words, author)] if short else []), (words, ""), *halves]


def fitting_title(title: str) -> str:
    """A title as it is written, cut at a word to fit a request."""
    cut = " ".join(title.split())
    while len(quote(cut)) > _LONGEST:
        cut = cut.rpartition(" ")[0] if " " in cut[:-1] else cut[:-10]
    return cut


def first_author(entry: ReferenceEntry) -> str:
    """The family name of the first author, for a search; empty without one."""
    return search_words(entry.authors[0].family) if entry.authors else ""


def is_short(title: str) -> bool:
    """Whether a title is too short to be looked up alone."""
    return len(title.split()) < FEW_WORDS and len(_WIDE.findall(title)) < 2 * FEW_WORDS


def _folded_words(title: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", title.casefold())
    return re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c)))


def _stems(title: str) -> set[str]:
    """The starts of all its words, and its characters where nothing is spaced."""
    words = _folded_words(title)
    wide = {char for word in words if _WIDE.search(word) for char in word}
    return wide | {word[:_STEM] for word in words}


def _is_wide(title: str) -> bool:
    letters = [char for char in title if char.isalpha()]
    return 2 * len(_WIDE.findall(title)) > len(letters)


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
