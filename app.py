"""The workbench in a browser: page config and navigation, nothing else."""

import streamlit as st

from workbench.interfaces.http import page_middleware
from workbench.interfaces.web.command_palette.palette import render_command
from workbench.interfaces.web.error_boundary import error_boundary
from workbench.interfaces.web.page import STYLE, app_started, require_security
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
    work = [
        st.Page("pages/home.py", title="Overview", url_path="home"),
        st.Page("pages/review.py", title="Review", url_path="review", default=True),
        st.Page("pages/claims.py", title="Claims", url_path="claims"),
        st.Page("pages/queues.py", title="Queues", url_path="queues"),
        st.Page("pages/runs.py", title="Runs", url_path="runs"),
        st.Page("pages/sources.py", title="Sources", url_path="sources"),
        st.Page("pages/search.py", title="Search", url_path="search"),
        st.Page("pages/items.py", title="Citations", url_path="items", visibility="hidden"),
    ]
    evaluation = [
        st.Page("pages/calibrate.py", title="Calibration", url_path="calibrate"),
        st.Page("pages/agreement.py", title="Agreement", url_path="agreement"),
        st.Page("pages/prompts.py", title="Prompts", url_path="prompts"),
        st.Page("pages/drift.py", title="Drift", url_path="drift"),
        st.Page("pages/policy.py", title="Policies", url_path="policy"),
    ]
    manage = [
        st.Page("pages/datasets.py", title="Import & export", url_path="datasets"),
        st.Page("pages/guide.py", title="Labelling guide", url_path="guide"),
        st.Page("pages/keep.py", title="Backup & deletion", url_path="data"),
    ]
    page = st.navigation({"": work, "Evaluation": evaluation, "Manage": manage}, position="top")
    app_started()
    st.html(STYLE)
    render_command([*work, *evaluation, *manage])
    error_boundary(page.run)()


if __name__ == "app":  # imported by `streamlit run app.py`, which looks for an application in it
    app = st.App(__file__, middleware=page_middleware())
else:
    draw()
