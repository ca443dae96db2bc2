"""A review in a cell: messages of the browser go in, labels are stored, and what is shown comes out."""

import importlib.util
import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.fakes import records as make
from tests.interfaces.notebook.test_notebook_drawings import HOSTILE, parse_drawing
from workbench import review
from workbench.errors import StoreError, UsageError
from workbench.interfaces.notebook.html import RichOutput
from workbench.interfaces.notebook.review_desk import NO_NAME, open_desk
from workbench.interfaces.notebook.reviewing import STATIC_HINT
from workbench.presentation.browser_components import CARD, DESK_KEYS, DOCUMENT, BrowserComponent
from workbench.presentation.run_desk import LAST_CITATION, NOTHING_TO_UNDO
from workbench.records.review import LabelDecision
from workbench.records.text import Span
from workbench.records.verdict import Evidence
from workbench.settings import load_settings
from workbench.store.admin.erasure import Erasures
from workbench.store.labels.repository import LabelRepository
from workbench.store.store import Store

TEXT = "The bridge is 120 m long [1]. It opened in 1931 [2]. It carries two lanes [3]."
WORDS = "The bridge measures 120 metres. It opened in 1931."


def run_of(run_id, results, text):
    """A run that was made in Python: it has its text."""
    cited = [
        replace(result, citation=make.citation(n, text)) for n, result in enumerate(results, 1)
    ]
    return replace(make.run(run_id, cited, text), text=text)


def three():
    labels = ("supported", "contradicted", "not_supported")
    return run_of("three", [make.result(1, label) for label in labels], TEXT)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "labels.duckdb")


class Browser:
    """Sends what the widget's script sends, and reads what it is shown."""

    def __init__(self, desk):
        self.desk, self.presses = desk, 0

    def press(self, verb, at=None, **more):
        self.presses += 1
        at = self.shown["buttons"]["at"] if at is None else at
        action = {"id": f"press-{self.presses}", "verb": verb, "at": at, "note": "", **more}
        self.desk.receive({"act": action})

    def label(self, label, at=None, **more):
        self.press("label", at, label=label, **more)

    @property
    def shown(self):
        # as it travels
        return json.loads(json.dumps(self.desk.data()))

    @property
    def said(self):
        return self.shown["buttons"]["said"]

    @property
    def place(self):
        return self.shown["card"]["place"]


@pytest.fixture
def ada(store):
    return Browser(open_desk(store, three(), "Ada"))


def labels_in(store, run_id="three"):
    return [(label.citation_id, label.label, label.reviewer) for label in store.labels(run_id)]


def test_a_label_is_stored_with_its_run_and_goes_on(ada, store):
    assert (ada.place, store.list_runs()) == ("1 of 3", [])
    ada.label("contradicted", note="120, not 130")
    assert labels_in(store) == [("c1", "contradicted", "Ada")]
    (label,) = store.labels("three")
    assert (label.note, label.saw_judge, label.judge_label) == ("120, not 130", True, "supported")
    shown = ada.shown
    assert (shown["card"]["place"], shown["buttons"]["ack"]) == ("2 of 3", "press-1")
    assert shown["buttons"]["said"] == "Contradicted: citation 1 of 3."
    assert shown["marks"]["marks"]["c1"]["h"] == "contradicted"
    assert shown["bar"]["progress"] == "1 of 3 labelled by you"
    assert [result.verdict for result in store.get_run("three").citations] == [
        "supported", "contradicted", "not_supported",
    ]  # fmt: skip


def test_keys_move_agree_and_stop_at_the_ends(ada, store):
    ada.press("previous")
    assert (ada.place, ada.said) == ("1 of 3", "This is the first citation of the selection.")
    ada.press("next")
    assert ada.shown["buttons"]["agree"] == "contradicted"
    ada.label(ada.shown["buttons"]["agree"])
    ada.press("next")
    assert (ada.place, ada.said) == ("3 of 3", LAST_CITATION)
    ada.label("supported")
    assert ada.said == f"Supported: citation 3 of 3. {LAST_CITATION} 1 of the run has no label yet."
    assert labels_in(store) == [("c2", "contradicted", "Ada"), ("c3", "supported", "Ada")]


def test_a_press_counts_for_the_citation_that_was_on_the_screen(ada, store):
    for at in (0, 1, 2):
        ada.label("cannot_tell", at)
    ada.desk.receive({"act": {"id": "press-3", "verb": "label", "at": 0, "label": "supported"}})
    assert labels_in(store) == [(f"c{n}", "cannot_tell", "Ada") for n in (1, 2, 3)]


def test_pausing_stays_on_the_citation(ada):
    ada.press("stay")
    ada.label("supported")
    assert (ada.place, ada.shown["buttons"]["stay"]) == ("1 of 3", True)


def test_undo_takes_back_the_last_label_and_shows_it(ada, store):
    ada.label("supported")
    ada.label("supported")
    ada.press("undo")
    assert (ada.place, ada.said) == ("2 of 3", "Undone: label “Supported” on citation 2 of 3.")
    ada.press("undo")
    ada.press("undo")
    assert (ada.said, labels_in(store)) == (NOTHING_TO_UNDO, [])
    assert len(store.label_history("three", "c1")) == 1, "nothing is deleted"


def test_a_note_is_stored_with_the_label_there_is(ada, store):
    ada.press("note", note="nothing to keep it with")
    ada.press("stay")
    ada.label("supported")
    ada.press("note", note="see page 2")
    assert (ada.said, store.labels("three")[0].note) == ("Note saved.", "see page 2")
    assert ada.shown["buttons"]["note"] == "see page 2"


def test_a_new_label_keeps_the_evidence_tags_and_error_source_of_the_one_before(store):
    store.label(three(), "c1", "supported", author="Ada")
    decision = LabelDecision(
        label="supported", evidence=(Span(20, 30),), fault="judge", tags=("hard",)
    )
    LabelRepository(store).give("three", "c1", "Ada", decision)
    ada = Browser(open_desk(store, "three", "Ada"))
    ada.label("contradicted", 0)
    (label,) = store.labels("three")
    assert (label.label, label.fault, label.tags) == ("contradicted", "judge", ("hard",))
    assert [piece.span for piece in label.evidence] == [Span(20, 30)]


def test_what_others_label_meanwhile_is_shown(ada, store):
    ada.label("supported")
    LabelRepository(store).give("three", "c2", "Ben", LabelDecision(label="not_supported"))
    ada.press("next", 0)
    people = ada.shown["card"]["people"]
    assert [(person["by"], person["mark"]) for person in people] == [("Ben", "not_supported")]


def test_labels_wait_for_the_name_of_who_gives_them(store):
    someone = Browser(open_desk(store, three(), None))
    someone.label("contradicted", 0)
    shown = someone.shown
    assert (shown["bar"]["asks"], shown["buttons"]["ack"], labels_in(store)) == (True, "", [])
    someone.desk.receive({"name": "   "})
    assert someone.shown["bar"]["problem"].startswith("Enter a reviewer name")
    someone.desk.receive({"name": " Ada  Lovelace "})
    shown = someone.shown
    assert (shown["bar"]["asks"], shown["bar"]["who"]) == (False, "Ada Lovelace")
    assert (shown["buttons"]["ack"], shown["card"]["place"]) == ("press-1", "2 of 3")
    assert labels_in(store) == [("c1", "contradicted", "Ada Lovelace")]


def test_who_gives_no_name_labels_nothing(store):
    someone = Browser(open_desk(store, three(), None))
    someone.label("contradicted", 0)
    someone.desk.receive({"name": None})
    shown = someone.shown
    assert (shown["buttons"]["said"], shown["buttons"]["bad"]) == (NO_NAME, True)
    assert (shown["buttons"]["ack"], store.list_runs()) == ("press-1", [])
    someone.press("next")
    assert someone.place == "2 of 3"


def test_another_reviewer_takes_the_seat(ada, store):
    ada.label("supported")
    ada.desk.receive({"ask": True})
    ada.desk.receive({"name": "Ben"})
    ada.label("not_supported", 0)
    assert sorted(labels_in(store)) == [("c1", "not_supported", "Ben"), ("c1", "supported", "Ada")]


def test_a_refused_label_says_why_and_the_citation_stays(ada, store):
    ada.label("supported")
    Erasures(store).erase(store.get_run("three").output_sha256, "Ada", "")
    ada.label("supported")
    shown = ada.shown
    assert shown["buttons"]["bad"] and shown["buttons"]["said"], "a reason"
    assert (shown["buttons"]["ack"], shown["card"]["place"]) == ("press-2", "2 of 3")
    assert store.list_runs() == [], "an erased run does not come back"


def test_what_has_no_verdict_yet_cannot_be_labelled(store):
    results = [make.result(1), make.failure(2, "cancelled")]
    unfinished = replace(run_of("stopped", results, make.TEXT), finished=False)
    ada = Browser(open_desk(store, unfinished, "Ada"))
    ada.label("supported", 1)
    assert store.list_runs() == []
    ada.desk.receive({"picked": "c2"})
    assert all(button["off"] for button in ada.shown["buttons"]["labels"])


@pytest.mark.parametrize(
    "message",
    [
        None, "act", 7, [], {}, {"act": None}, {"act": {"verb": "label", "at": 0}},
        {"act": {"verb": "label", "at": 99, "label": "supported"}},
        {"act": {"verb": "label", "at": 0, "label": "<b>"}}, {"act": {"verb": "rm", "at": 0}},
        {"picked": "c9"}, {"picked": ["c1"]}, {"part": "1"}, {"part": -5}, {"part": 10**9},
    ],
    ids=repr,
)  # fmt: skip
def test_a_message_that_makes_no_sense_changes_nothing(ada, store, message):
    before = ada.shown["card"], ada.shown["text"]
    ada.desk.receive(message)
    assert (ada.shown["card"], ada.shown["text"]) == before
    assert store.list_runs() == []


def test_an_unknown_run_and_a_bad_name_are_refused(store):
    with pytest.raises(StoreError, match="no run 'nowhere'"):
        review("nowhere", store=store)
    with pytest.raises(UsageError, match="Enter a reviewer name"):
        review(three(), reviewer=" ", store=store)
    with pytest.raises(UsageError, match="has no text"):
        review(make.run(results=[make.result(1)]), store=store)


def test_labels_go_to_the_database_of_the_pages():
    widget = review(three(), reviewer="Ada")
    assert widget._desk.database.path == load_settings().database


def test_a_run_without_citations_is_drawn(store):
    assert isinstance(review(make.run(results=[], text="No citation."), store=store), RichOutput)


# -- the widget ---------------------------------------------------------------------------


def test_the_widget_sends_only_what_changed(store):
    widget = review(three(), reviewer="Ada", store=store)
    changed = []
    widget.observe(lambda change: changed.append(change["name"]), list(widget._desk.data()))
    action = {"id": "1", "verb": "next", "at": 0, "note": ""}
    widget._receive(widget, {"act": action}, [])
    assert sorted(set(changed)) == ["buttons", "card", "marks"]
    assert widget.card["place"] == "2 of 3"


def test_a_front_end_without_widgets_finds_the_static_drawing(store):
    store.label(three(), "c1", "contradicted", author="Ada")
    data, _ = review("three", reviewer="Ada", store=store)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    words = " ".join(parse_drawing(data["text/html"]).words)
    assert "Contradicted" in words and "The bridge is 120 m long" in words
    assert data["text/plain"].startswith("Run three")


def test_without_anywidget_the_static_drawing_is_all_there_is(tmp_path):
    code = (
        "import sys; sys.modules['anywidget'] = None\n"
        "from importlib import util; find = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'anywidget' else find(name, *more)\n"
        "from workbench import review, verify\n"
        "run = verify('It is so [1].', sources=[{'label': '1', 'content': 'It is so.'}])\n"
        f"shown = review(run, store={str(tmp_path / 'w.duckdb')!r})\n"
        "print(type(shown).__name__, shown.html)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("RichOutput")
    assert STATIC_HINT.split(":")[0] in done.stdout and "It is so" in done.stdout


def test_foreign_text_travels_as_data(store):
    text = f"{HOSTILE} [1]."
    results = [replace(make.result(1), source=make.source(HOSTILE))]
    widget = review(run_of("hostile", results, text), reviewer="A", store=store)
    assert "alert(1)" not in widget._esm
    shown = "".join(piece["t"] for piece in widget.text["pieces"])
    assert "<script>alert(1)" in shown
    data, _ = widget._repr_mimebundle_()
    parse_drawing(data["text/html"])


# -- the parts that pages and widget share ------------------------------------------------


@pytest.mark.parametrize("component", [DOCUMENT, CARD, DESK_KEYS])
def test_a_shared_script_sets_no_markup_and_has_one_export(component):
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", component.js)
    assert component.factory().count("export ") == 0
    assert component.js.count("export default function") == 1


def test_a_script_with_two_exports_is_refused():
    twice = "export default function a() {}\nexport default function b() {}"
    with pytest.raises(ValueError, match="one function"):
        BrowserComponent(html="", css="", js=twice).factory()


def test_pages_and_widget_run_the_same_scripts(store):
    from workbench.interfaces.web.components import ASSETS

    widget = review(three(), store=store)
    for component in (DOCUMENT, CARD, DESK_KEYS):
        head, _, rest = component.js.partition("export default function")
        assert head in widget._esm and rest in widget._esm
        assert json.dumps(component.css) in widget._esm
    copies = {"text_blocks.js", "document.js", "document.css", "card.js", "card.css"}
    assert not copies & {path.name for path in ASSETS.iterdir()}


def test_the_static_view_in_a_converted_notebook(store, tmp_path):
    if importlib.util.find_spec("nbconvert") is None:
        pytest.skip("nbconvert is not installed")
    from nbconvert import HTMLExporter
    from nbformat.v4 import new_code_cell, new_notebook, new_output

    data, _ = review(three(), store=store)._repr_mimebundle_()
    cell = new_code_cell("review(run)", outputs=[new_output("display_data", data=data)])
    page, _ = HTMLExporter().from_notebook_node(new_notebook(cells=[cell]))
    assert "The bridge is 120 m long" in page and "Not supported" in page


def test_evidence_is_shown_in_its_source(ada):
    quote = ada.shown["card"]["quotes"][0]
    judged = make.result(1).judgment.evidence[0]
    assert isinstance(judged, Evidence) and quote["quote"] in judged.quote
