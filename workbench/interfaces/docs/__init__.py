"""The documentation of each interface: written by hand above, generated from the code below."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.interfaces.docs.fields_reference import (
        describe_fields,
        describe_policy,
        describe_records,
        describe_settings,
        field_notes,
        table,
    )
    from workbench.interfaces.docs.generate import (
        Section,
        render_document,
        stale_documents,
        write_documents,
    )
    from workbench.interfaces.docs.names_reference import describe_commands, describe_names
    from workbench.interfaces.docs.tools_reference import (
        describe_http,
        describe_schema,
        describe_tools,
    )

__all__ = [
    "Section", "describe_commands", "describe_fields", "describe_http", "describe_names",
    "describe_policy", "describe_records", "describe_schema", "describe_settings", "describe_tools",
    "field_notes", "render_document", "stale_documents", "table", "write_documents",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)
