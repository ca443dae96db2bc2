"""The list of runs, without a browser: what was imported stands apart from what was checked."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.fakes.app_page import component
from tests.fakes.labelled import Given, add_run
from workbench.__main__ import main
from workbench.records.queue import ItemFilter
from workbench.services.imports import import_file
from workbench.services.runs import list_runs
from workbench.store.runs.items import CitationQuery

APP = Path(__file__).parents[3] / "app.py"


def import_pairs(store, tmp_path, number, name="pairs"):
    rows = [
        {"claim": f"Claim {n}.", "source": f"Claim {n} holds.", "label": "supported"}
        for n in range(number)
    ]
    file = tmp_path / f"{name}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return import_file(store, "pairs", file, name=name)


def open_page():
    at = AppTest.from_file(APP, default_timeout=60)
    at.switch_page("pages/runs.py")
    at.run()
    assert not at.exception, [box.message for box in at.exception]
    return at


def test_a_data_set_of_several_runs_is_one_line_below_the_runs(store, tmp_path):
    add_run(store, "checked", [Given()])
    import_pairs(store, tmp_path, 253)
    at = open_page()
    (runs,) = [frame.value for frame in at.dataframe]
    assert list(runs["Output"]) == ["report checked"]
    ((name, _, examples, labelled, unjudged),) = component(at, "data-sets")["rows"]
    assert (name["text"], examples["text"], labelled["text"]) == ("pairs", "253", "253")
    assert unjudged["text"] == "253"
    parts = tuple(run.id for run in list_runs(store) if run.data_set == "pairs")
    assert len(parts) == 2
    assert CitationQuery(store).count(ItemFilter(runs=parts)) == 253


def test_a_workspace_with_imports_alone_says_that_there_are_no_runs(store, tmp_path):
    import_pairs(store, tmp_path, 2)
    at = open_page()
    assert "No runs yet" in at.info[0].value
    assert component(at, "data-sets")["rows"][0][0]["text"] == "pairs"


def test_citations_are_found_by_whether_they_were_imported(store, tmp_path):
    add_run(store, "checked", [Given(), Given()])
    import_pairs(store, tmp_path, 3)
    query = CitationQuery(store)
    counts = [query.count(ItemFilter(imported=imported)) for imported in (None, True, False)]
    assert counts == [5, 3, 2]


def test_the_command_line_says_which_runs_are_data_sets(store, tmp_path, capsys):
    add_run(store, "checked", [Given()])
    import_pairs(store, tmp_path, 1)
    assert main(["runs", "list", "--json"]) == 0
    assert {run["name"]: run["data_set"] for run in json.loads(capsys.readouterr().out)} == {
        "report checked": "", "pairs": "pairs",
    }  # fmt: skip
    assert main(["runs", "list"]) == 0
    (imported,) = [
        line for line in capsys.readouterr().out.splitlines() if "imported data set" in line
    ]
    assert "pairs" in imported
