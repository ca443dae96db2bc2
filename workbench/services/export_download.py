"""An export as bytes, for a download."""

import io
import tempfile
import zipfile
from pathlib import Path

from workbench.records.export_formats import CORRECTION_FORMATS, REFERENCE_FORMATS
from workbench.services.export import ExportSelection, export_dataset
from workbench.store.store import Store

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The moment that every member of an archive has, so that the same items give the same bytes."""


def export_title(store: Store, choice: ExportSelection, format_name: str = "") -> str:
    """What a download is named after: the run, or all labelled citations or references."""
    if choice.run_id:
        return store.get_summary(choice.run_id).name
    if format_name in CORRECTION_FORMATS:
        return "corrections"
    return "labelled" if format_name in REFERENCE_FORMATS else "labelled-citations"


def export_bytes(
    store: Store, format_name: str, name: str, choice: ExportSelection, data_dir: Path
) -> bytes:
    """An export as bytes: the file, or a folder of several as a zip archive.

    Raises:
        UsageError: As `export_dataset`.
    """
    with tempfile.TemporaryDirectory(dir=data_dir, prefix=".out-") as folder:
        target = Path(folder) / (name if format_name != "huggingface" else "set")
        export_dataset(store, format_name, target, choice)
        return target.read_bytes() if target.is_file() else zipped(target)


def card_bytes(
    store: Store, format_name: str, name: str, choice: ExportSelection, data_dir: Path
) -> bytes:
    """The data card of an export, in Markdown.

    Raises:
        UsageError: As `export_dataset`.
    """
    with tempfile.TemporaryDirectory(dir=data_dir, prefix=".out-") as folder:
        return export_dataset(store, format_name, Path(folder) / name, choice).card.read_bytes()


def zipped(folder: Path) -> bytes:
    """A folder as a zip archive; the same files give the same bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EARLIEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, path.read_bytes())
    return data.getvalue()
