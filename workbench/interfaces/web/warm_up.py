"""What the pages import, which is done before a user has to wait for it."""

_OWN = "review.start command_palette.palette review.overview queues.page home.page trust.page"
PAGES = ("duckdb", "pandas", *(f"workbench.interfaces.web.{module}" for module in _OWN.split()))
"""In the order in which pages are likely opened; the first needs the two beside ours."""
