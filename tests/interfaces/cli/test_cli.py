"""The command line: one JSON document, fixed exit codes, one sentence for a mistake."""

import io
import json
import subprocess
import sys

import pytest

from workbench.interfaces.cli import build_parser, main
from workbench.settings import load_settings
from workbench.store.store import Store

TEXT = """The bridge is 120 m long [1]. It opened in 1931 [2].

References
[1] The bridge. https://bridge.example/a
[2] The opening. https://bridge.example/b
"""


@pytest.fixture
def answer(tmp_path):
    path = tmp_path / "answer.md"
    path.write_text(TEXT, "utf-8")
    return path


@pytest.fixture
def sources(tmp_path):
    path = tmp_path / "sources.json"
    path.write_text(
        json.dumps(
            [
                {
                    "content": "The bridge measures 120 m in length.",
                    "url": "https://bridge.example/a",
                },
                {"content": "The mayor opened the bridge in 1931.", "label": "2"},
            ]
        )
    )
    return path


@pytest.fixture
def judge(tmp_path):
    path = tmp_path / "judge.json"
    path.write_text(json.dumps({"default": {"label": "not_supported", "confidence": 0.8}}))
    return f"scripted:{path}"


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def run_json(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert out.isascii()
    return code, json.loads(out), err


CITATION_KEYS = {
    "id", "kind", "raw", "start", "end", "identifier", "context", "claim", "target", "unlinked",
    "reference", "claim_context",
}  # fmt: skip
RESULT_KEYS = CITATION_KEYS | {
    "status", "verdict", "error", "source", "judgment", "judgments", "layers", "notes",
}  # fmt: skip
RUN_KEYS = {
    "id", "output_sha256", "created_at", "judge", "config", "overall_score", "passed", "complete",
    "total_citations_found", "total_resolved", "total_supported", "total_unsure", "total_cost_usd", "citations",
    "errors", "timings", "references", "source_matches", "sentences", "coverage",
}  # fmt: skip


def test_extract_prints_the_published_keys(capsys, answer):
    code, document, _ = run_json(capsys, "extract", answer)
    assert code == 0
    assert set(document) == {
        "text", "text_sha256", "citations", "references", "claims", "counts", "sentences",
        "coverage",
    }  # fmt: skip
    assert document["text"] == TEXT
    assert document["counts"] == {"numbered": 2}
    for citation in document["citations"]:
        assert set(citation) == CITATION_KEYS
        assert TEXT[citation["start"] : citation["end"]] == citation["raw"]
    assert document["citations"][0]["target"]["value"] == "https://bridge.example/a"


def test_extract_tells_marks_of_an_unknown_kind_beside_its_document(capsys, tmp_path):
    file = tmp_path / "a.md"
    file.write_text("Rain fell [S1]. Snow fell [S2].")
    code, document, errors = run_json(capsys, "extract", file)
    assert code == 0
    (notice,) = document["notices"]
    assert notice.startswith("2 marks of an unknown kind were not read as citations")
    assert notice in errors


def test_extract_reads_standard_input(capsys, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(TEXT.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, document, _ = run_json(capsys, "extract", "-")
    assert code == 0
    assert len(document["citations"]) == 2


def test_verify_prints_a_run_and_keeps_it(capsys, answer, sources):
    code, document, _ = run_json(capsys, "verify", answer, "--sources", sources)
    assert set(document) == RUN_KEYS | {"joint"}
    assert all(set(citation) == RESULT_KEYS for citation in document["citations"])
    assert document["total_resolved"] == 2
    assert document["judge"] == ["local"]
    assert code == (0 if document["passed"] else 1)
    stored = Store(load_settings().database).get_run(document["id"])
    assert stored.to_dict() | {"joint": []} == document


def test_verify_no_store_keeps_nothing(capsys, answer, sources):
    run_json(capsys, "verify", answer, "--sources", sources, "--no-store")
    assert not load_settings().database.exists()


def test_db_names_another_file(capsys, answer, sources, tmp_path):
    path = tmp_path / "other.duckdb"
    _, document, _ = run_json(capsys, "verify", answer, "--sources", sources, "--db", path)
    assert Store(path).get_run(document["id"]).id == document["id"]


def test_a_failing_score_exits_with_1(capsys, answer, sources, judge):
    code, document, _ = run_json(capsys, "verify", answer, "--sources", sources, "--judge", judge)
    assert (code, document["overall_score"], document["passed"]) == (1, 0.0, False)


def test_nothing_resolved_exits_with_1_though_it_passes(capsys, answer):
    code, document, _ = run_json(capsys, "verify", answer)
    assert (code, document["passed"], document["complete"]) == (1, True, False)
    assert document["errors"] == {"fetch_disabled": 2}


def test_no_citation_exits_with_0(capsys, tmp_path):
    (tmp_path / "a.md").write_text("Nothing is cited here.")
    assert run_json(capsys, "verify", tmp_path / "a.md")[0] == 0


def test_a_panel_is_several_judges(capsys, answer, sources, judge):
    _, document, _ = run_json(
        capsys, "verify", answer, "--sources", sources, "--judge", judge, "--judge", "local"
    )
    assert document["judge"] == [judge, "local"]
    assert [len(citation["judgments"]) for citation in document["citations"]] == [2, 2]


def test_export_writes_every_verdict(capsys, answer, sources, tmp_path):
    run_json(capsys, "verify", answer, "--sources", sources)
    out = tmp_path / "out.jsonl"
    code, document, _ = run_json(capsys, "export", "jsonl", "--all", "--out", out)
    assert code == 0
    assert document["rows"] == 2
    assert len(out.read_text().splitlines()) == 2


def test_a_person_reads_a_table(capsys, answer, sources):
    _, out, _ = run(capsys, "verify", answer, "--sources", sources)
    assert "[1]" in out
    assert "2 citations, 2 resolved" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "missing.md"], "no file missing.md"),
        (["verify", "ANSWER", "--judge", "oracle"], "oracle"),
        (["verify", "ANSWER", "--judge", "anthropic:claude-haiku-4-5"], "key"),
        (["verify", "ANSWER", "--judge", "openai:gpt-4o"], "key"),
        (["verify", "ANSWER", "--sources", "no/such/folder"], "no/such/folder"),
        (["export", "xml", "--out", "x"], "xml"),
        (["export", "jsonl", "--out", "x", "--run", "nope"], "nope"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(capsys, answer, arguments, message):
    arguments = [str(answer) if argument == "ANSWER" else argument for argument in arguments]
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.startswith("workbench: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["nonsense"], ["verify"], ["verify", "a", "--max-citations", "-1"],
     ["verify", "a", "--max-cost-usd", "nan"]],
)  # fmt: skip
def test_wrong_usage_exits_with_2(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "a.md"),
        (b"   \n", "a.md"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, "a.md"),
        (b"%PDF-1.7 broken", "a.pdf"),
        (b"{not json", "a.json"),
    ],
    ids=["empty", "blank", "binary", "broken-pdf", "broken-json"],
)
def test_unreadable_input_is_one_sentence(capsys, tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    code, out, err = run(capsys, "extract", tmp_path / name)
    assert code == 2
    assert out == ""
    assert err.startswith("workbench: ")
    assert "Traceback" not in err


@pytest.mark.reopens
def test_a_newer_database_is_one_sentence(capsys, answer, tmp_path):
    import duckdb

    path = tmp_path / "w.duckdb"
    Store(path).list_runs()
    with duckdb.connect(str(path)) as connection:
        connection.execute("insert into migrations values ('m999', now())")
    code, _, err = run(capsys, "verify", answer, "--db", path)
    assert code == 2
    assert "later version" in err


def test_lone_surrogates_pass_through_json(capsys, tmp_path):
    text = "A \ud83d claim [1].\n\nReferences\n[1] https://bridge.example/a\n"
    (tmp_path / "a.json").write_text(json.dumps({"text": text}))
    code, document, _ = run_json(capsys, "extract", tmp_path / "a.json")
    assert code == 0
    assert document["text"] == text


def test_the_module_runs(answer):
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "extract", str(answer), "--json"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert json.loads(done.stdout)["counts"] == {"numbered": 2}


def test_evaluate_prints_the_published_keys(capsys, tmp_path, judge):
    pairs = tmp_path / "pairs.jsonl"
    lines = [
        {"id": str(n), "claim": f"The bridge is {n} m long.", "source": f"It measures {n} m.",
         "label": "supported" if n % 2 else "contradicted", "group": str(n // 2)}
        for n in range(20)
    ]  # fmt: skip
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, document, _ = run_json(capsys, "evaluate", pairs, "--judge", judge)
    assert code == 0
    assert set(document) >= {
        "n", "positives", "auroc", "average_precision", "balanced_accuracy", "f1", "threshold",
        "ci95", "seconds_per_item", "cost_usd",
    }  # fmt: skip
    assert (document["n"], document["positives"]) == (20, 10)
    # a judge that gives every item the same score ranks by chance
    assert document["auroc"] == 0.5


def test_snapshots_are_listed_and_checked(capsys, answer, sources):
    run_json(capsys, "verify", answer, "--sources", sources)
    _, rows, _ = run_json(capsys, "snapshots", "list")
    assert len(rows) == 2
    code, document, _ = run_json(capsys, "snapshots", "verify")
    assert (code, document) == (0, {"checked": 2, "broken": []})
    for file in load_settings().snapshots.rglob("*.gz"):
        file.chmod(0o644)
        file.write_bytes(b"changed")
    code, document, _ = run_json(capsys, "snapshots", "verify")
    assert code == 1
    assert len(document["broken"]) == 2


@pytest.mark.reopens
def test_resume_continues_a_run_that_was_cut_off(capsys, answer, sources):
    _, document, _ = run_json(capsys, "verify", answer, "--sources", sources)
    store = Store(load_settings().database)
    code, _, err = run(capsys, "resume", document["id"])
    assert code == 2
    assert "nothing to continue" in err
    import duckdb

    with duckdb.connect(str(store.path)) as connection:  # what a killed process leaves
        connection.execute("delete from run_completions")
        connection.execute("delete from verdicts where position > 30")
    assert store.get_run(document["id"]).errors == {"cancelled": 1}
    _, resumed, _ = run_json(capsys, "resume", document["id"])
    assert resumed["id"] == document["id"]
    assert resumed["complete"]
    assert [c["verdict"] for c in resumed["citations"]] == [
        c["verdict"] for c in document["citations"]
    ]


def test_snapshots_travel_in_a_file(capsys, answer, sources, tmp_path, monkeypatch):
    run_json(capsys, "verify", answer, "--sources", sources)
    code, document, _ = run_json(capsys, "snapshots", "export", tmp_path / "s.zip")
    assert (code, document["rows"]) == (0, 2)
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "elsewhere"))
    code, document, _ = run_json(capsys, "snapshots", "import", tmp_path / "s.zip")
    assert (code, document) == (0, {"imported": 2, "skipped": []})
    _, rows, _ = run_json(capsys, "snapshots", "list")
    assert len(rows) == 2


def test_a_cited_file_is_read_where_the_settings_allow_it(capsys, tmp_path):
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "notes.txt").write_text("The bridge measures 120 m in length.\n")
    answer = tmp_path / "answer.md"
    answer.write_text(f"The bridge is 120 m long (file:{papers}/notes.txt:1).\n")
    _, document, _ = run_json(capsys, "verify", answer)
    assert document["citations"][0]["status"] != "ok"
    data = load_settings().data_dir
    data.mkdir(parents=True, exist_ok=True)
    (data / "settings.toml").write_text(f"roots = [{json.dumps(str(papers))}]\n")
    _, document, _ = run_json(capsys, "verify", answer)
    assert document["citations"][0]["status"] == "ok"


def test_an_answer_may_bring_its_sources_in_one_file(capsys, tmp_path):
    answer = tmp_path / "answer.json"
    sources = [{"content": "The bridge measures 120 m in length.", "url": "https://b.example/a"}]
    answer.write_text(json.dumps({"text": "The bridge is 120 m long [1].", "sources": sources}))
    _, document, _ = run_json(capsys, "verify", answer)
    assert document["citations"][0]["status"] == "ok"
    assert document["citations"][0]["source"]["url"] == "https://b.example/a"


def test_json_of_an_unknown_shape_names_the_accepted_ones(capsys, tmp_path):
    (tmp_path / "a.json").write_text('{"temperature": 3}')
    code, _, err = run(capsys, "extract", tmp_path / "a.json")
    assert code == 2
    assert "Anthropic" in err
    assert err.count("\n") == 1


def test_a_providers_json_can_be_piped_in(capsys, monkeypatch):
    answer = {"choices": [{"message": {"role": "assistant", "content": "Rain fell [1]."}}],
              "citations": ["https://a.example/rain"]}  # fmt: skip
    stdin = io.TextIOWrapper(io.BytesIO(json.dumps(answer).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    _, document, _ = run_json(capsys, "extract", "-")
    assert document["citations"][0]["target"]["value"] == "https://a.example/rain"


def test_claims_without_citations_are_checked_against_sources(capsys, tmp_path, sources):
    text = tmp_path / "claims.txt"
    text.write_text("The bridge measures 120 m in length.\nThe harbour has forty red cranes.\n")
    code, document, _ = run_json(capsys, "claims", text, "--sources", sources, "--lines")
    assert code == (0 if document["overall_grounded"] else 1)
    assert document["total_claims"] == 2
    assert [claim["text"] for claim in document["claims"]][0].startswith("The bridge")
    assert document["claims"][0]["verdict"] == "supported"
    assert document["claims"][0]["source_index"] == 0
    assert "claims verified" in document["summary"]


def commands_of(parser):
    return next(action for action in parser._actions if action.dest == "command").choices


@pytest.mark.parametrize("command", commands_of(build_parser()))
def test_a_command_is_parsed_without_the_others_as_with_them(command):
    alone, among_all = build_parser(command=command), build_parser()
    assert (
        commands_of(alone)[command].format_help() == commands_of(among_all)[command].format_help()
    )


def test_a_command_imports_no_other_commands_packages():
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "workbench", "verify", "--help"],
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    for heavy in ("starlette", "duckdb", "pandas", "ray", "streamlit", "workbench.calibration"):
        assert f"| {heavy}" not in "\n".join(" ".join(line.split()) for line in loaded.splitlines())
