"""Where identifiers are resolved: the services' base addresses, and the addresses made of them."""

import re
from dataclasses import dataclass, fields
from datetime import date
from urllib.parse import quote

from workbench.errors import SourceError
from workbench.records.citation import Target
from workbench.sources.addresses import target_key

_DOI = re.compile(r"10\.\d{4,9}/\S{1,500}")
_PMC_LINK = re.compile(rb"/articles/(PMC\d{1,9})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Base addresses, each with its final slash; None switches a service off.

    A base that differs from the one given here may lie on a private address: it is exempt from
    that rule, by its exact host and port.
    """

    doi: str = "https://doi.org/"
    arxiv: str = "https://arxiv.org/"
    pubmed: str = "https://pubmed.ncbi.nlm.nih.gov/"
    pmc: str = "https://pmc.ncbi.nlm.nih.gov/"
    crossref: str | None = "https://api.crossref.org/"
    wayback: str = "https://web.archive.org/"
    arxiv_api: str | None = "https://export.arxiv.org/"
    pubmed_api: str | None = "https://eutils.ncbi.nlm.nih.gov/"
    datacite: str | None = "https://api.datacite.org/"
    openalex: str | None = "https://api.openalex.org/"
    dblp: str | None = "https://dblp.org/"
    semantic_scholar: str | None = "https://api.semanticscholar.org/"
    open_library: str | None = "https://openlibrary.org/"
    courtlistener: str | None = "https://www.courtlistener.com/"
    serper: str | None = "https://google.serper.dev/"
    tavily: str | None = "https://api.tavily.com/"
    brave: str | None = "https://api.search.brave.com/"

    def configured(self) -> tuple[str, ...]:
        """The bases that somebody set."""
        return tuple(
            str(getattr(self, field.name))
            for field in fields(self)
            if getattr(self, field.name) not in (None, field.default)
        )

    def index_base(self, name: str) -> str | None:
        """The base of an index of works, by its name; None for one that is switched off.

        arXiv and PubMed are asked at an address of their own, and where only the address of their
        pages was set, there: whoever set it does not want the public one to be asked.
        """
        pages = {"arxiv": "arxiv_api", "pubmed": "pubmed_api"}
        field_name = pages.get(name, name)
        base: str | None = getattr(self, field_name)
        defaults = {field.name: field.default for field in fields(self)}
        if field_name != name and base == defaults[field_name]:
            own: str = getattr(self, name)
            return base if own == defaults[name] else own
        return base

    def addresses(self, target: Target) -> list[str]:
        """The addresses of an identifier's readable forms, best first.

        Raises:
            SourceError: `unresolvable_kind` for an identifier that is not one.
        """
        form, _, number = target_key(target).partition(":")
        if form == "doi" and _DOI.fullmatch(number):
            return [self.doi + quote(number, safe="/")]
        if form == "arxiv" and re.fullmatch(r"[\w.-]+(?:/\d{7})?(?:v\d+)?", number):
            version = _version(target.value)
            return [f"{self.arxiv}pdf/{number}{version}", f"{self.arxiv}abs/{number}{version}"]
        if form == "pmid" and number.isdigit():
            return [f"{self.pubmed}{number}/"]
        if form == "pmc" and number.isdigit():
            return [f"{self.pmc}articles/PMC{number}/"]
        raise SourceError(
            "unresolvable_kind", f"{target.value!r} is not a valid {target.form.upper()}."
        )

    def full_text_of(self, url: str, body: bytes) -> str | None:
        """The address of the free full text that a PubMed page links to."""
        if not url.startswith(self.pubmed):
            return None
        match = _PMC_LINK.search(body)
        return f"{self.pmc}articles/{match[1].decode('ascii')}/" if match else None

    def crossref_record(self, doi: str) -> str | None:
        """The address of a DOI's metadata."""
        return None if self.crossref is None else f"{self.crossref}works/{quote(doi, safe='')}"

    def archived(self, url: str, on: date) -> str:
        """The address of the archive's copy nearest to a day, as the archive got it."""
        return f"{self.wayback}web/{on:%Y%m%d}id_/{url.split('#', 1)[0]}"


def _version(value: str) -> str:
    match = re.search(r"\d(v\d{1,2})(?:\.pdf)?$", value.strip())
    return match[1] if match else ""
