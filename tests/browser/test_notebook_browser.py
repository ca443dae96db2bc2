"""A review in a real JupyterLab: keys label in order, and the notebook takes none of them for commands."""

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.fakes import records as make
from tests.fakes.served import free_port, wait_for
from workbench.interfaces.notebook.review_desk import open_desk
from workbench.interfaces.notebook.review_widget import widget_script
from workbench.store.store import Store

PROJECT = Path(__file__).parents[2]
TOKEN = "token-of-this-test"
SENTENCES = ("The **bridge** is 120 m long", "It opened in 1931", "<b>It</b> carries two lanes",
             "It is built of steel", "It crosses the river")  # fmt: skip
TEXT = "# The old bridge\n\n" + " ".join(f"{words} [{n}]." for n, words in enumerate(SENTENCES, 1))
CELLS = ('from workbench import review\nreview("five", reviewer="Ada")', 'review("five")')

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("jupyterlab") is None, reason="JupyterLab is not installed"
)


@dataclass(frozen=True)
class Lab:
    url: str
    store: Store


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab with one notebook, on a data folder that holds one run."""
    folder = tmp_path_factory.mktemp("lab")
    store = Store(folder / "data" / "workbench.duckdb")
    judged = [
        replace(make.result(1, label), citation=make.citation(number, TEXT))
        for number, label in enumerate(("supported", "contradicted", *["supported"] * 3), 1)
    ]
    run = make.run("five", judged, TEXT)
    store.add_run(run, TEXT)
    store.finish_run(run)
    cells = [
        {"cell_type": "code", "id": f"cell-{n}", "metadata": {}, "source": source,
         "outputs": [], "execution_count": None}
        for n, source in enumerate(CELLS)
    ]  # fmt: skip
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}
    (folder / "work").mkdir()
    (folder / "work" / "review.ipynb").write_text(json.dumps(notebook))
    # it would ask whether it may tell the news of Jupyter
    (folder / "config" / "labconfig").mkdir(parents=True)
    (folder / "config" / "labconfig" / "page_config.json").write_text(
        json.dumps({"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}})
    )
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
             "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0",
             f"--ServerApp.root_dir={folder / 'work'}"],
            stdout=log, stderr=log,
            env={**os.environ, "PYTHONPATH": str(PROJECT), "WORKBENCH_DATA": str(folder / "data"),
                 "JUPYTER_TOKEN": TOKEN, "IPYTHONDIR": str(folder / "ipython"),
                 **{f"JUPYTER_{name}_DIR": str(folder / name.lower())
                    for name in ("CONFIG", "RUNTIME", "DATA")}},
        )  # fmt: skip
        try:
            wait_for(f"{url}/api", process)
            yield Lab(url, store)
        finally:
            process.terminate()
            process.wait(30)


class Cell:
    """The widget of a cell, and what can be seen on it."""

    def __init__(self, page, number):
        self.page = page
        self.widget = page.locator(".jp-Cell").nth(number).locator(".workbench-review")

    def begin(self, lab, reviewer):
        """Go to the first citation, with nothing labelled; the click on it takes the focus."""
        for label in lab.store.labels("five"):
            if label.reviewer == reviewer:
                lab.store.withdraw_label(label.id, reviewer)
        self.widget.locator("[data-id=c1]").click()
        self.widget.locator(".card .head").get_by_text("Citation 1 of 5").wait_for()

    def says(self, text):
        from playwright.sync_api import expect

        expect(self.widget.locator(".said")).to_contain_text(text)

    def press(self, keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(50)


@pytest.fixture(scope="module")
def notebook(lab, reviewers_browser):
    """The notebook after both cells ran; at the end no script failed and nothing was asked outside."""
    page = reviewers_browser.new_page()
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.set_default_timeout(90_000)
    errors, requested = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{lab.url}/doc/tree/review.ipynb?token={TOKEN}")
    for number in range(len(CELLS)):
        run_cell(page, number)
        page.locator(".workbench-review").nth(number).wait_for()
    yield page
    page.close()
    assert errors == []
    assert [url for url in requested if not url.startswith((lab.url, "data:", "blob:"))] == []


def run_cell(page, number):
    """Run a cell; until its kernel is there JupyterLab takes the key and does nothing."""
    cell = page.locator(".jp-Cell").nth(number)
    cell.locator(".cm-content").click()
    for _ in range(60):
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(500)
        if cell.locator(".jp-InputPrompt").inner_text() != "[ ]:":
            return
    raise AssertionError("the cell does not run")


def decisions(lab, reviewer):
    labels = [label for label in lab.store.labels("five") if label.reviewer == reviewer]
    return {label.citation_id: (label.label, label.note) for label in labels}


def test_keys_label_in_order_and_none_is_lost(lab, notebook):
    ada = Cell(notebook, 0)
    ada.begin(lab, "Ada")
    ada.press("1aj4n")
    notebook.keyboard.type("add a note")
    ada.press(["Escape", "5", "u"])
    ada.says("Undone: label “Unverifiable” on citation 5 of 5")
    assert decisions(lab, "Ada") == {
        "c1": ("supported", ""), "c2": ("contradicted", ""), "c4": ("contradicted", ""),
    }  # fmt: skip
    withdrawn = lab.store.label_history("five", "c5")[-1]
    assert (withdrawn.label, withdrawn.note) == ("unverifiable", "add a note")
    # in command mode these delete, cut and insert cells
    ada.press("ddxxbbzm")
    ada.press("k")
    notebook.wait_for_timeout(300)
    assert notebook.locator(".jp-Cell").count() == len(CELLS)
    assert notebook.evaluate("document.activeElement.className") == "workbench-review"


def test_no_message_leaves_before_the_one_before_it_was_handled(lab, reviewers_browser):
    """JupyterLab carries the first to a busy kernel by another channel, where the rest overtake it."""
    page = reviewers_browser.new_page()
    page.set_content("<div id=here></div>")
    page.evaluate(
        """async ([script, data]) => {
          const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }))
          const { default: widget } = await import(address)
          const hear = {}
          window.sent = []
          const model = {
            get: (trait) => data[trait],
            on: (name, does) => { hear[name] = does },
            off: () => {},
            send: (message) => sent.push(...Object.keys(message)),
          }
          window.handled = () => hear["msg:custom"]({ handled: true })
          widget.render({ model, el: document.getElementById("here") })
        }""",
        [widget_script(), open_desk(lab.store, "five", "Ada").data()],
    )
    page.locator("[data-id=c3]").click()
    page.keyboard.press("1")
    assert page.evaluate("sent") == ["picked"]
    page.evaluate("handled()")
    assert page.evaluate("sent") == ["picked", "act"]
    page.close()


def test_the_text_is_a_document_and_stays_text(notebook):
    text = Cell(notebook, 0).widget.locator(".text")
    assert text.locator("h2").inner_text().strip() == "The old bridge"
    assert text.locator("b").count() == 0
    assert "<b>It</b> carries two lanes" in text.inner_text()
    assert text.locator("[data-id]").count() == 5


def test_a_click_on_a_mark_shows_its_card(notebook):
    ada = Cell(notebook, 0)
    ada.widget.locator("[data-id=c3]").click()
    ada.widget.locator(".card .head").get_by_text("Citation 3 of 5").wait_for()


def test_the_name_is_asked_for_and_what_was_pressed_counts(lab, notebook):
    someone = Cell(notebook, 1)
    someone.begin(lab, "Ben")
    someone.press("2")
    field = someone.widget.locator(".name input")
    field.wait_for()
    notebook.keyboard.type("Ben")
    notebook.keyboard.press("Enter")
    someone.says("Partially supported: citation 1 of 5.")
    someone.press("3")
    someone.says("Not supported: citation 2 of 5.")
    assert decisions(lab, "Ben") == {"c1": ("partially_supported", ""), "c2": ("not_supported", "")}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_are_legible_in_both_themes(notebook, theme):
    variables = {"light": ("#ffffff", "#000000"), "dark": ("#111111", "#ffffff")}[theme]
    notebook.evaluate(
        """([paper, ink]) => {
          document.body.style.setProperty("--jp-layout-color0", paper)
          document.body.style.setProperty("--jp-content-font-color0", ink)
        }""",
        variables,
    )
    widget = Cell(notebook, 0).widget
    for place in (".card .claim", ".text", ".labels button >> nth=0"):
        ratio = widget.locator(place).first.evaluate(CONTRAST)
        assert ratio >= 4.5, place


CONTRAST = """(element) => {
  const channels = (colour) => {
    const canvas = document.createElement("canvas").getContext("2d")
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255)
  }
  const light = (colour) => channels(colour).slice(0, 3)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0)
  let paper = element
  while (channels(getComputedStyle(paper).backgroundColor)[3] < 1) {
    paper = paper.parentElement ?? paper.getRootNode().host
  }
  const [a, b] = [light(getComputedStyle(element).color), light(getComputedStyle(paper).backgroundColor)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}"""
