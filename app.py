"""The workbench in a browser: page config and navigation, nothing else."""

import streamlit as st

from workbench.interfaces.http import page_middleware
from workbench.interfaces.web.command_palette.palette import render_command
from workbench.interfaces.web.error_boundary import error_boundary
from workbench.interfaces.web.page import STYLE, app_started, require_security
from workbench.interfaces.web.places import pages_of_places, render_place
from workbench.interfaces.web.session import ICON


def draw() -> None:
    """Draw the page of the URL."""
    st.set_page_config(
        page_title="Citation workbench",
        page_icon=ICON,
        layout="wide",
        menu_items={"Get help": None, "Report a bug": None, "About": None},
    )
    require_security()
    st.logo(ICON, size="small")
    places = pages_of_places()
    page = st.navigation(
        [page for pages in places.values() for page in pages.values()], position="top"
    )
    app_started()
    st.html(STYLE)
    render_command(places)
    render_place(places, page)
    error_boundary(page.run)()


if __name__ == "app":  # imported by `streamlit run app.py`, which looks for an application in it
    app = st.App(__file__, middleware=page_middleware())
else:
    draw()
