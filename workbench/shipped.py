"""The location of the files that come with the program: its pages, the demo, policies and weights.

They are next to the package in a checkout, and inside it in an installed wheel
(`tool.hatch.build` in `pyproject.toml` puts them there).
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "installed"
_ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent

APP = _ROOT / "app.py"
"""The Streamlit application; `pages/` is next to it."""
SHIPPED_DATA = _ROOT / "data"
"""Demo outputs, documents and policies."""
JUDGE_DATA = SHIPPED_DATA / "judge"
"""The embedded judge's files."""
