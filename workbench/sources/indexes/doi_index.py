"""doi.org: every DOI, whichever agency registered it, as CSL-JSON by content negotiation."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from workbench.records.bibliography import ReferenceEntry
from workbench.records.text import JsonDict
from workbench.sources.indexes.client import ServiceQuestion
from workbench.sources.indexes.crossref_index import read_work
from workbench.sources.indexes.identifiers import entry_doi
from workbench.sources.indexes.json_fields import read_json
from workbench.sources.indexes.service_index import IdentifierQuestion, ServiceIndex

_OFTEN_UNREGISTERED = re.compile(r"/(?:j\.)?(?:cnki|issn)\b", re.IGNORECASE)
"""DOIs that Chinese journals print and that their agencies do not pass on: that doi.org does not
know one says nothing of the work."""


class DoiIndex(ServiceIndex):
    """The record behind a DOI."""

    name = "doi"
    description = "Every registered DOI: articles, books, data sets and preprints of all agencies."

    def covers(self, entry: ReferenceEntry) -> bool:
        """Entries with a DOI."""
        doi = entry_doi(entry)
        return doi is not None and not _OFTEN_UNREGISTERED.search(doi)

    def identifier_questions(self, entry: ReferenceEntry) -> Sequence[IdentifierQuestion]:
        """By DOI; its 404 is the resolver's own word that there is no such DOI."""
        doi = entry_doi(entry)
        if doi is None:
            return ()
        question = ServiceQuestion(words=doi, path=quote(doi, safe="/"), none_on_404=True)
        return (
            IdentifierQuestion(
                question=question,
                identifier=doi,
                field="DOI",
                authority=not _OFTEN_UNREGISTERED.search(doi),
            ),
        )

    def read_record(self, body: bytes) -> list[JsonDict]:
        """The CSL-JSON item, its titles, dates and updates read as Crossref's."""
        return [read_work(self.name, read_json(body))]
