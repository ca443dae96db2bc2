"""`workbench runs`: the stored runs, and a title for one."""

import json

import pytest

from tests.fakes.desk import fill
from workbench.interfaces.cli import main
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    fill(store, 2)
    return store


def test_runs_are_listed_and_renamed(store, capsys):
    assert main(["runs", "list", "--db", str(store.path)]) == 0
    assert "report r1" in capsys.readouterr().out
    rename = ["runs", "rename", "r1", "My title", "--by", "Ada", "--db", str(store.path), "--json"]
    assert main(rename) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "My title"
    assert main(["runs", "rename", "r1", "", "--db", str(store.path)]) == 0
    assert "r1 is called report r1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["rename", "r1"], "Name the run and its title"), (["rename", "r9", "x"], "no run 'r9'")],
)
def test_what_cannot_be_renamed_is_told(store, capsys, arguments, told):
    assert main(["runs", *arguments, "--db", str(store.path)]) == 2
    assert told in capsys.readouterr().err
