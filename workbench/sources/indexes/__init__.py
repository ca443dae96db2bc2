"""Which indexes know a work? One small module a service, all through one guarded client."""

from workbench.sources.indexes.client import MATCH_DAYS, NONE_DAYS, IndexClient, checked_contact
from workbench.sources.indexes.index import AnswerCache, MemoryAnswerCache, ReferenceIndex
from workbench.sources.indexes.open_indexes import FACTORIES, open_indexes, read_index_keys
from workbench.sources.indexes.profiles import INDEXES_WITHOUT_KEY, PROFILES

__all__ = [
    "FACTORIES",
    "INDEXES_WITHOUT_KEY",
    "MATCH_DAYS",
    "NONE_DAYS",
    "PROFILES",
    "AnswerCache",
    "IndexClient",
    "MemoryAnswerCache",
    "ReferenceIndex",
    "checked_contact",
    "open_indexes",
    "read_index_keys",
]
