"""Does the court decision exist, and is it cited right? Citation and record to a finding; pure.

Nothing is looked up here. What a citation says alone may be impossible (`check_case`); a record of
an index or a library is compared with it (`compare_case`), and both make a finding
(`conclude_case`).
"""

from workbench.bibliography.cases.citation import (
    CaseCitation,
    CaseRecord,
    ReporterCitation,
    case_entry,
    case_record,
    parse_case,
)
from workbench.bibliography.cases.compare import (
    CaseConclusion,
    CaseFinding,
    check_case,
    compare_case,
    conclude_case,
)
from workbench.bibliography.cases.names import compare_case_names
from workbench.bibliography.cases.quotations import check_quotation, quotations_beside

__all__ = [
    "CaseCitation",
    "CaseConclusion",
    "CaseFinding",
    "CaseRecord",
    "ReporterCitation",
    "case_entry",
    "case_record",
    "check_case",
    "check_quotation",
    "compare_case",
    "compare_case_names",
    "conclude_case",
    "parse_case",
    "quotations_beside",
]
