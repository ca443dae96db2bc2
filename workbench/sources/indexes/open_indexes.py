"""The one place where indexes of works are made ready to be asked."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workbench.errors import UsageError
from workbench.masking import register_secret
from workbench.sources.indexes.client import AnswerCache, IndexClient, ReferenceIndex
from workbench.sources.indexes.courtlistener import CourtListenerIndex
from workbench.sources.indexes.databases import (
    DblpIndex,
    OpenalexIndex,
    OpenLibraryIndex,
    PubmedIndex,
    SemanticScholarIndex,
)
from workbench.sources.indexes.number_agencies import (
    ArxivIndex,
    CrossrefIndex,
    DataciteIndex,
    DoiIndex,
)
from workbench.sources.indexes.profiles import INDEXES_WITHOUT_KEY, PROFILES
from workbench.sources.services import Services

FACTORIES: dict[str, Callable[[IndexClient], ReferenceIndex]] = {
    "doi": DoiIndex,
    "crossref": CrossrefIndex,
    "datacite": DataciteIndex,
    "openalex": OpenalexIndex,
    "arxiv": ArxivIndex,
    "pubmed": PubmedIndex,
    "dblp": DblpIndex,
    "semantic_scholar": SemanticScholarIndex,
    "open_library": OpenLibraryIndex,
    "courtlistener": CourtListenerIndex,
}
"""Every index, by its name in the settings, in the order in which they are asked."""


def open_indexes(
    services: Services | None = None,
    names: Sequence[str] = (),
    *,
    allow_fetch: bool = False,
    refused: str = "",
    offline: bool = False,
    allowed_domains: Sequence[str] = (),
    contact: str | None = None,
    keys: Mapping[str, str] | None = None,
    cache: AnswerCache | None = None,
) -> list[ReferenceIndex]:
    """The indexes of one run, in the order in which they are named.

    Without names those that need no key, and those with one; the rest is as `IndexClient` takes it.

    Raises:
        UsageError: There is no such index, or the contact is not an e-mail address.
    """
    client = IndexClient(
        services,
        allow_fetch=allow_fetch,
        refused=refused,
        offline=offline,
        allowed_domains=allowed_domains,
        contact=contact,
        keys=keys,
        cache=cache,
    )
    unknown = [name for name in names if name not in FACTORIES]
    if unknown:
        raise UsageError(
            f"There is no index {', '.join(map(repr, unknown))}; available: {', '.join(FACTORIES)}."
        )
    usual = [name for name in FACTORIES if name in INDEXES_WITHOUT_KEY or name in client.keys]
    return [FACTORIES[name](client) for name in dict.fromkeys(names or usual)]


def read_index_keys(files: Mapping[str, str]) -> dict[str, str]:
    """The keys in files, by the name of their service; no message holds one from now on.

    Raises:
        UsageError: A service takes no key, or a file cannot be read or holds no plain word.
    """
    keys: dict[str, str] = {}
    for name, file in files.items():
        profile = PROFILES.get(name)
        if profile is None or not (profile.key_header or profile.key_parameter):
            keyed = ", ".join(p.name for p in PROFILES.values() if p.key_header or p.key_parameter)
            raise UsageError(f"No index {name!r} takes a key; those that do are {keyed}.")
        try:
            key = Path(file).expanduser().read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"The key file {file} of {name} cannot be read ({type(error).__name__})."
            ) from None
        if len(key) < 8 or not key.isascii() or not key.isprintable() or " " in key:
            raise UsageError(f"The key in {file} needs at least 8 plain characters and no spaces.")
        register_secret(key)
        keys[name] = key
    return keys
