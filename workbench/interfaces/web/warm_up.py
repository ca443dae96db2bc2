"""Import what the pages need before a user has to wait for it."""

from importlib import import_module

FIRST = ("workbench.interfaces.web.review.start", "pandas", "duckdb")
"""What the start page needs."""
OTHERS = (
    "workbench.interfaces.web.command_palette.palette",
    "workbench.interfaces.web.review.overview",
    "workbench.interfaces.web.queues.page",
    "altair",
    "workbench.interfaces.web.home.page",
    "workbench.interfaces.web.trust.page",
)


def import_pages() -> None:
    """Import the pages that are opened first, the start page before all others."""
    for module in (*FIRST, *OTHERS):
        import_module(module)
