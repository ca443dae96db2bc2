"""The headings, lists and tables of a stored page, as spans of the text that was judged."""

import threading
from collections import OrderedDict
from pathlib import Path

from workbench.records.source import Source
from workbench.services.cached_views import register_cache
from workbench.sources.read import read_structure
from workbench.sources.reading.parse import SourceBlock
from workbench.sources.snapshots import SnapshotFolder

__all__ = ["SourceBlock"]

_KEPT = 16
_Key = tuple[Path, str, int]
"""Folder, hash of the bytes, and of the text: an earlier extraction may have another one."""
_STRUCTURES: OrderedDict[_Key, tuple[SourceBlock, ...]] = OrderedDict()
_LOCK = threading.Lock()


@register_cache
def _forget() -> None:
    with _LOCK:
        _STRUCTURES.clear()


def source_structure(folder: SnapshotFolder, source: Source) -> tuple[SourceBlock, ...]:
    """The structure of a source's text, out of its stored bytes; none where they are not kept.

    Spans are code points of `source.text`. What was looked at last is kept in memory.
    """
    key = (folder.path, source.sha256, hash(source.text))
    with _LOCK:
        if key in _STRUCTURES:
            _STRUCTURES.move_to_end(key)
            return _STRUCTURES[key]
    fetched = folder.get(source.sha256)
    if fetched is None:
        return ()
    blocks = read_structure(fetched.body, source.content_type, source.text)
    with _LOCK:
        _STRUCTURES[key] = blocks
        while len(_STRUCTURES) > _KEPT:
            _STRUCTURES.popitem(last=False)
    return blocks
