"""What the pages import, which is done before a user has to wait for it."""

PAGES = (
    "workbench.interfaces.web.review.start",
    "pandas",
    "duckdb",
    "workbench.interfaces.web.command_palette.palette",
    "workbench.interfaces.web.review.overview",
    "workbench.interfaces.web.queues.page",
    "altair",
    "workbench.interfaces.web.home.page",
    "workbench.interfaces.web.trust.page",
)
"""In the order in which they are likely opened."""
