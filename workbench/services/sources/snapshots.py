"""Stored snapshots of sources: their folder, the difference between two, and archives of them."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.sources.snapshots import (
        Snapshot,
        SnapshotDiff,
        SnapshotFolder,
        SnapshotImportResult,
        diff_snapshots,
        export_snapshots,
        import_snapshots,
    )

__all__ = [
    "Snapshot", "SnapshotDiff", "SnapshotFolder", "SnapshotImportResult", "diff_snapshots",
    "export_snapshots", "import_snapshots",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)
