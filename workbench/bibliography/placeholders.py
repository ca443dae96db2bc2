"""The field of an entry that holds a placeholder in place of an address or identifier."""

from workbench.records.bibliography import ReferenceEntry
from workbench.records.placeholders import placeholder_reason


def entry_placeholder(entry: ReferenceEntry) -> tuple[str, str, str] | None:
    """The field of an entry that holds a placeholder, what it holds, and why it is one."""
    for field in ("doi", "arxiv", "url"):
        value: str | None = getattr(entry, field)
        if value and (reason := placeholder_reason(value)):
            return field, value, reason
    return None
