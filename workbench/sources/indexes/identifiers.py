"""Identifiers of an entry in the form in which services know them."""

import re
from urllib.parse import unquote

from workbench.records.bibliography import ReferenceEntry
from workbench.sources.addresses import same_source_key

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
