"""Reference lists of a batch: looked up with the same registry, counted, and told to build servers."""

import json
import subprocess
import sys
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest

from workbench.__main__ import main
from workbench.store.store import Store

ANSWER = """Oak beams hold [1]. Tides rise [2]. 🌊 Glass bends [3].

## References
[1] Novak, J. (2019). Oak beams under load. Journal of Timber, 12(3), 100-110.
[2] Mokri, A. (2020). Rising tides in shallow basins of the north. Journal of Seas, 1(1), 1-2.
[3] Ito, K. (2001). Glass that bends in cold rooms. Journal of Glass, 4(2), 7-19.
"""
RECORDS = [
    {
        "id": "novak", "type": "article-journal", "title": "Oak beams under load",
        "author": [{"family": "Novak", "given": "Jana"}], "issued": {"date-parts": [[2019]]},
        "container-title": "Journal of Timber", "volume": "12", "issue": "3", "page": "100-110",
    },
    {
        "id": "ito", "type": "article-journal", "title": "Glass that bends in cold rooms",
        "author": [{"family": "Ito", "given": "Kei"}], "issued": {"date-parts": [[2011]]},
        "container-title": "Journal of Glass", "volume": "4", "issue": "2", "page": "7-19",
    },
]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "answer.md").write_text(ANSWER, "utf-8")
    (tmp_path / "works.json").write_text(json.dumps(RECORDS), "utf-8")
    return tmp_path


def batch(folder, capsys, *more, out="out"):
    arguments = ["batch", str(folder / "in"), "--out", str(folder / out), "--json", *more]
    code = main([*arguments, "--registry", str(folder / "works.json")])
    return code, json.loads(capsys.readouterr().out)


def runs(folder, out="out"):
    lines = (folder / out / "runs.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_lines_and_summary_carry_the_references(folder, capsys):
    _, summary = batch(folder, capsys)
    (run,) = runs(folder)
    statuses = [check["status"] for check in run["references"]]
    assert statuses == ["matches", "not_found", "differs"]
    figures = {name: summary[name] for name in summary if name.startswith("references")}
    assert figures == {
        "references": 3, "references_not_found": 1, "references_differ": 1,
        "references_retracted": 0, "references_not_checked": 0,
    }  # fmt: skip


def test_a_batch_goes_on_with_the_same_registry_only(folder, capsys):
    batch(folder, capsys)
    _, summary = batch(folder, capsys, "--resume")
    assert (summary["resumed"], summary["references_not_found"]) == (1, 1)
    again = ["batch", str(folder / "in"), "--out", str(folder / "out"), "--resume"]
    assert main(again) == 2
    assert "references" in capsys.readouterr().err


def test_build_servers_are_told_where_a_wrong_reference_stands(folder, capsys):
    sarif, junit = folder / "r.sarif", folder / "r.xml"
    batch(folder, capsys, "--sarif", str(sarif), "--junit", str(junit))
    (log,) = json.loads(sarif.read_text("utf-8"))["runs"]
    rules = {rule["id"] for rule in log["tool"]["driver"]["rules"]}
    results = [entry for entry in log["results"] if entry["ruleId"].startswith("reference-")]
    assert {entry["ruleId"] for entry in results} <= rules
    told = [(entry["ruleId"], entry["level"]) for entry in results]
    assert told == [("reference-not-found", "error"), ("reference-differs", "warning")]
    region = results[0]["locations"][0]["physicalLocation"]["region"]
    # code points: the wave before it is one, though two in UTF-16
    start = region["charOffset"]
    assert ANSWER[start : start + region["charLength"]] == ANSWER.splitlines()[4]
    assert "year: 2001 ↔ 2011" in results[1]["message"]["text"]
    cases = ElementTree.parse(junit).iter("testcase")
    references = [case for case in cases if case.get("classname") == "reference"]
    assert [case.find("failure") is not None for case in references] == [False, True, False]


@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra `ray`")
@pytest.mark.slow
def test_a_cluster_asks_the_same(folder, capsys):
    batch(folder, capsys)
    # a process starts one cluster in its life
    command = [sys.executable, "-m", "workbench", "batch", str(folder / "in"), "--engine", "ray"]
    options = ["--workers", "1", "--out", str(folder / "ray"), "--registry"]
    subprocess.run([*command, *options, str(folder / "works.json")], check=False, timeout=300)
    assert runs(folder, "ray")[0]["references"] == runs(folder)[0]["references"]
    assert main(["import", "parts", str(folder / "ray")]) == 0
    store = Store(folder / "data" / "workbench.duckdb")
    stored = store.get_run(runs(folder, "ray")[0]["id"])
    assert [check.status for check in stored.reference_checks] == [
        "matches", "not_found", "differs",
    ]  # fmt: skip
