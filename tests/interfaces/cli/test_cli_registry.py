"""Registries from the command line: one JSON document, what was skipped, and exit codes."""

import json

import pytest

from workbench.interfaces.cli.main import main

BIB = "@article{a, title = {Deep things}}\n@article{b, title = {no end\n"


@pytest.fixture
def run(tmp_path, capsys):
    def run_command(*arguments):
        code = main(["registry", *map(str, arguments), "--db", str(tmp_path / "w.duckdb")])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_command


def test_a_file_is_imported_listed_and_removed(run, tmp_path):
    path = tmp_path / "mine.bib"
    path.write_text(BIB)
    code, out, err = run("import", path, "--json")
    document = json.loads(out)
    assert code == 0
    assert "mine.bib" in err
    assert (document["name"], document["kind"], document["imported"]) == ("mine", "library", 1)
    assert [skip["place"] for skip in document["skipped"]] == ["line 2"]
    code, out, _ = run("list", "--json")
    assert [(item["name"], item["records"]) for item in json.loads(out)] == [("mine", 1)]
    assert "mine" in run("list")[1]
    assert run("remove", "mine")[0] == 0
    assert "no registries" in run("list")[1]


def test_several_files_become_several_registries(run, tmp_path):
    for name in ("a.bib", "b.bib"):
        (tmp_path / name).write_text(BIB)
    code, out, _ = run("import", tmp_path / "a.bib", tmp_path / "b.bib", "--json")
    assert [document["name"] for document in json.loads(out)] == ["a", "b"]
    assert code == 0
    code, _, err = run("import", tmp_path / "a.bib", tmp_path / "b.bib", "--name", "x")
    assert code == 2
    assert "--name" in err


@pytest.mark.parametrize("content", ["", "\0\1\2", "words"])
def test_what_cannot_be_read_is_a_sentence_and_exit_code_2(run, tmp_path, content):
    path = tmp_path / "list.bib"
    path.write_text(content)
    code, out, err = run("import", path, "--json")
    assert (code, out) == (2, "")
    assert "list.bib" in err
    assert run("import", tmp_path / "missing.bib")[0] == 2
    assert run("remove", "nothing")[0] == 2
