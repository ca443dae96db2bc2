"""Does the reference exist, and is it described right? Entry and record to a finding; pure."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.bibliography.csl import entry_of_record, record_of_entry
    from workbench.bibliography.formats import (
        LIST_FORMATS,
        ListFormat,
        list_format,
        read_record_list,
        write_record_list,
    )
    from workbench.bibliography.keys import entry_keys, fold_doi, fold_pmid, title_key
    from workbench.bibliography.record_list import RecordList

__all__ = [
    "LIST_FORMATS",
    "ListFormat",
    "RecordList",
    "entry_keys",
    "entry_of_record",
    "fold_doi",
    "fold_pmid",
    "list_format",
    "read_record_list",
    "record_of_entry",
    "title_key",
    "write_record_list",
]

__getattr__ = lazy_exports(__name__, __file__)
