"""The pages' own components: Python here or beside their one page, JavaScript and CSS in `assets/`."""

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
"""Scripts, styles and the icon of the pages."""


def asset(name: str) -> str:
    """The text of a script or style in `assets/`."""
    return (ASSETS / name).read_text("utf-8")
