"""The documentation of each door: written by hand above, drawn from the code below."""

from workbench.fronts.docs.describe_commands import describe_commands
from workbench.fronts.docs.describe_fields import describe_fields, field_notes
from workbench.fronts.docs.describe_http import describe_http
from workbench.fronts.docs.describe_names import describe_names
from workbench.fronts.docs.describe_policy import describe_policy
from workbench.fronts.docs.describe_records import describe_records
from workbench.fronts.docs.describe_tools import Tool, describe_schema, describe_tools
from workbench.fronts.docs.settings_file import describe_settings
from workbench.fronts.docs.tables import table
from workbench.fronts.docs.weave import (
    DOCS,
    Document,
    Section,
    documents,
    stale_documents,
    weave,
    write_documents,
)

__all__ = [
    "DOCS",
    "Document",
    "Section",
    "Tool",
    "describe_commands",
    "describe_fields",
    "describe_http",
    "describe_names",
    "describe_policy",
    "describe_records",
    "describe_schema",
    "describe_settings",
    "describe_tools",
    "documents",
    "field_notes",
    "stale_documents",
    "table",
    "weave",
    "write_documents",
]
