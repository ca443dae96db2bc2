"""Names that others wrote, as widgets show them: letter by letter, with Markdown or without."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from workbench.presentation.escape import escape_markdown
from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"
NAME = "Parkinson's *Disease* - Warning_signs_ [1] :red[y]"
PAGES = (
    "claims", "datasets", "guide", "home", "items", "keep", "policy", "prompts", "queues", "review",
    "runs", "search", "sources", "trust",
)  # fmt: skip
CHOSEN_FROM = {
    "datasets": "export-run",
    "keep": "erase-run",
    "policy": "policy-run",
    "queues": "queue-runs",
    "search": "search-run",
    "sources": "sources-run",
    "trust": "agreement-of",
}
"""The widget of each page in which a run is chosen by its name."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Every page, drawn over runs and a queue of that name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_DATA", str(tmp_path_factory.mktemp("named")))
        cached_views.clear_cached_views()
        store = Store(load_settings().database)
        run = make.run("r1", [make.result(1), make.failure(2)])
        store.add_run(run, make.TEXT, NAME)
        store.finish_run(run)
        for reviewer in ("Ada", "Bob"):
            store.add_label(make.label(reviewer, "supported", reviewer=reviewer))
        Queues(store).build(NAME, created_by="Ada")
        yield {page: open_page(page) for page in PAGES}


def open_page(page):
    at = AppTest.from_file(APP, default_timeout=60)
    at.session_state["who"] = "Ada"
    at.session_state["search-narrow"] = at.session_state["new-queue"] = True
    at.session_state["policy-text"] = True
    at.query_params["q"] = "bridge" if page == "search" else "{}"
    at.query_params.update(dict.fromkeys(("calibration", "agreement", "drift"), "true"))
    at.switch_page(f"pages/{page}.py").run()
    assert not at.exception
    return at


def options(at):
    """Of the widgets whose options are text nodes, by key."""
    return {
        widget.key: widget.options for kind in (at.selectbox, at.multiselect) for widget in kind
    }


@pytest.mark.parametrize(("page", "key"), [*CHOSEN_FROM.items(), ("trust", "calibrate-runs")])
def test_an_option_shows_the_name_as_it_was_written(pages, page, key):
    option_texts = [text for text in options(pages[page])[key] if "Parkinson" in text]
    assert option_texts
    assert [text for text in option_texts if NAME not in text] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_option_holds_a_backslash(pages, page):
    assert [
        text
        for option_texts in options(pages[page]).values()
        for text in option_texts
        if "\\" in text
    ] == []


@pytest.mark.parametrize("page", PAGES)
def test_where_markdown_is_read_the_name_is_escaped(pages, page):
    at = pages[page]
    texts = [
        text
        for kind in (at.caption, at.markdown, at.error, at.warning, at.info, at.success)
        for text in [element.value for element in kind]
    ]
    texts += [
        widget.label
        for kind in (at.button, at.selectbox, at.multiselect, at.expander, at.text_input, at.radio)
        for widget in kind
    ]
    texts += [text for widget in at.radio for text in widget.options]
    assert [
        text for text in texts if "Parkinson" in text and escape_markdown(NAME) not in text
    ] == []
