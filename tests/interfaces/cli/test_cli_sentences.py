"""`workbench sentences`, and `workbench claims RUN --uncited`."""

import json

import pytest

from tests.fakes.uncited import BELONGS, MARKER, SHIPS, add_run_with_uncited
from tests.interfaces.cli.test_cli import run as called
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


@pytest.fixture
def run(store):
    return add_run_with_uncited(store)


def test_sentences_are_listed_corrected_and_taken_back(capsys, store, run):
    def sentences(*arguments):
        return called(capsys, "sentences", *arguments, "--db", store.path)

    code, out, _ = sentences("list", run.id)
    assert (code, f"{SHIPS:>7}  uncited     It has two ships." in out.splitlines()) == (0, True)
    assert out.rstrip().endswith("1 of 4 sentences that need a citation has one (25%).")
    code, out, _ = sentences("correct", run.id, SHIPS, "opinion", "--by", "Ada")
    assert out.splitlines()[0] == f"{SHIPS:>7}  opinion    (by Ada)  It has two ships."
    code, out, _ = sentences(
        "correct", run.id, BELONGS, "cited", "--stated-in", MARKER, "--by", "Ada"
    )
    assert "1 of these cites nothing" in out
    code, out, _ = sentences("undo", run.id, "--by", "Ada", "--json")
    assert json.loads(out)["sentence"]["kind"] == "uncited"
    code, out, _ = sentences("undo", run.id, SHIPS, "--by", "Bob")
    assert (code, "nothing changed" in out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["correct", SHIPS, "opinion"], "Say who corrects it: --by NAME."),
        (["correct", "--by", "Ada"], "Name the sentence and its kind"),
        (["correct", "1", "opinion", "--by", "Ada"], "No sentence of run"),
        (["correct", SHIPS, "claim", "--by", "Ada"], "kind is cited, uncited"),
    ],
)
def test_what_cannot_be_corrected_is_told(capsys, store, run, arguments, told):
    action, *rest = arguments
    code, _, err = called(capsys, "sentences", action, run.id, *rest, "--db", store.path)
    assert (code, told in err) == (2, True), err


def test_uncited_sentences_are_checked_against_the_runs_sources(capsys, store, run):
    code, out, err = called(capsys, "claims", run.id, "--uncited", "--db", store.path)
    assert code == 0
    assert (
        "local compares 3 sentences with 1 source of the run: at most 3 judgments, at no cost"
        in err
    )
    assert f"{BELONGS}: local finds it stated, in the source of [1], which is not cited here" in out
    code, out, _ = called(capsys, "claims", run.id, "--uncited", "--db", store.path, "--json")
    assert json.loads(out)["suggestions"][0]["citation_id"] == MARKER


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["answer.md"], "Name the sources to check against"),
        (["r", "--uncited", "--sources", "x.json"], "takes the run's own sources"),
        (["none", "--uncited"], "There is no run 'none'"),
    ],
)
def test_claims_say_what_they_need(capsys, store, arguments, told):
    code, _, err = called(capsys, "claims", *arguments, "--db", store.path)
    assert (code, told in err) == (2, True), err
