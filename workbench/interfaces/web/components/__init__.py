"""The pages' own components: each a Python module here, its JavaScript and CSS in `assets/`."""

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
"""Scripts, styles and the icon of the pages."""
