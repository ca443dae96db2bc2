"""How each service wants to be asked: its pace, its answer's type, where a key and a contact go."""

from dataclasses import dataclass

JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceProfile:
    """The manners of one service."""

    name: str
    """As in the settings."""
    label: str
    """As people call it."""
    per_second: float
    """Requests that may start in a second, until the service's own headers say otherwise."""
    at_once: int
    """Requests that may be open at a time, until the service's own headers say otherwise."""
    accept: str = JSON
    contact_parameter: str = ""
    """A parameter for the contact address, where the service asks for one."""
    key_parameter: str = ""
    """A parameter for the key; empty where it goes into a header, or where there are no keys."""
    key_header: str = ""
    key_scheme: str = ""
    """What precedes the key in that header."""
    keyed_per_second: float | None = None
    """The pace with a key, where it differs."""
    no_record: str = r"(?!)"
    """What it says, with HTTP status 404, where it has no such record; anybody says 404."""
    leads_on: bool = False
    """Whether its answers come from others, whose failures are not its own."""


PROFILES: dict[str, ServiceProfile] = {
    profile.name: profile
    for profile in (
        ServiceProfile(
            name="doi",
            label="doi.org",
            per_second=5,  # most DOIs lead on to Crossref, whose public pool takes five
            at_once=2,
            accept="application/vnd.citationstyles.csl+json",
            no_record=r"\bDOI\b.{0,20}\bnot found",
            leads_on=True,
        ),
        ServiceProfile(
            name="crossref",
            label="Crossref",
            per_second=5,  # the public pool; the polite one says so in its headers
            at_once=1,
            contact_parameter="mailto",
            no_record=r"resource not found",
        ),
        ServiceProfile(
            name="datacite",
            label="DataCite",
            per_second=3,  # 1,000 in five minutes
            at_once=2,
            accept="application/vnd.api+json, application/json;q=0.9",
            no_record=r'"errors".*"status"\s*:\s*"?404\b',
        ),
        ServiceProfile(
            name="openalex",
            label="OpenAlex",
            per_second=10,
            at_once=2,
            key_parameter="api_key",
            no_record=r'^\s*\{.*"error"\s*:\s*"[^"]*not found',
        ),
        ServiceProfile(
            name="arxiv",
            label="arXiv",
            per_second=1 / 3,  # one request in three seconds over one connection
            at_once=1,
            accept="application/atom+xml",
        ),
        ServiceProfile(
            name="pubmed",
            label="PubMed",
            per_second=3,
            at_once=2,
            contact_parameter="email",
            key_parameter="api_key",
            keyed_per_second=10,
        ),
        ServiceProfile(name="dblp", label="DBLP", per_second=1, at_once=1),
        ServiceProfile(
            name="semantic_scholar",
            label="Semantic Scholar",
            per_second=1,
            at_once=1,
            key_header="x-api-key",
            no_record=r'^\s*\{.*"error"\s*:\s*"[^"]*not found',
        ),
        ServiceProfile(name="open_library", label="Open Library", per_second=1, at_once=1),
        ServiceProfile(
            name="courtlistener",
            label="CourtListener",
            per_second=1,  # 60 citations a minute
            at_once=1,
            key_header="Authorization",
            key_scheme="Token ",
        ),
    )
}
"""Every service that can be asked, by its name in the settings."""
INDEXES_WITHOUT_KEY = ("doi", "crossref", "datacite", "arxiv", "pubmed", "dblp", "open_library")
"""Asked unless the settings name others: those that answer anybody. Semantic Scholar's public pool
is busy most of the time, and OpenAlex answers no search without a key."""
