"""What all pages share: the style sheet, and that a page is drawn inside the app."""

import runpy
from collections.abc import Callable
from pathlib import Path

from workbench.fronts.ui import session
from workbench.fronts.ui.identity import draw_login, must_log_in

STYLE = f"<style>{(Path(__file__).parent / 'assets' / 'page.css').read_text('utf-8')}</style>"
"""Our own rules, read once; nothing of it comes from outside."""

_APP = Path(__file__).resolve().parents[3] / "app.py"
_started = False


def app_started() -> None:
    """Note that the app has set its navigation, which holds for every later session."""
    global _started
    _started = True


def draw(page: Callable[[], None]) -> None:
    """Draw a page inside the app; where a login is configured, for those who are logged in.

    Streamlit runs a file of `pages/` by itself when its address is the very first one a server is
    asked for; the app is then run in its place, and comes back here with its navigation set.
    """
    if not _started:
        runpy.run_path(str(_APP))
    elif must_log_in():
        draw_login()
    else:
        session.go_on()
        page()
