"""`workbench prompts` and `--prompt` from their arguments to JSON, requests and exit codes."""

import json

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.interfaces.cli import main
from workbench.judging.prompts import STRICT
from workbench.store.store import Store

MINI = "openai:gpt-4o-mini"
BODY = "The bridge is 120 m long and was opened in 1932."
PLAIN = "Weigh the claim with care.\n=====\n{{passages}}\n\n{{claim}}"


@pytest.fixture
def server(monkeypatch):
    with FakeProvider(lambda request: Answer(text=verdict(quote=BODY))) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


@pytest.fixture
def db(tmp_path):
    return tmp_path / "w.duckdb"


@pytest.fixture
def answer(tmp_path):
    (tmp_path / "answer.md").write_text(
        "The bridge is 120 m long [1].\n\n[1] https://bridge.example/a", "utf-8"
    )
    sources = [{"content": BODY, "url": "https://bridge.example/a"}]
    (tmp_path / "sources.json").write_text(json.dumps(sources), "utf-8")
    return [str(tmp_path / "answer.md"), "--sources", str(tmp_path / "sources.json")]


@pytest.fixture
def prompt(db, tmp_path, capsys):
    file = tmp_path / "mine.txt"
    file.write_text(PLAIN, "utf-8")
    return run_json(capsys, "prompts", "add", "mine", file, "--db", db)[1]


def run_json(capsys, *arguments):
    code = main([*map(str, arguments), "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else err


def test_prompts_are_added_listed_shown_and_compared(db, tmp_path, prompt, capsys):
    assert (prompt["title"], prompt["origin"], prompt["author"]) == (
        "mine@1",
        "written",
        "command line",
    )
    repeated = run_json(capsys, "prompts", "add", "mine", tmp_path / "mine.txt", "--db", db)[1]
    assert repeated["id"] == prompt["id"]
    (tmp_path / "next.txt").write_text(PLAIN.replace("with care", "coldly"), "utf-8")
    code, second = run_json(
        capsys, "prompts", "add", "mine", tmp_path / "next.txt", "--from", "mine@1", "--note",
        "colder", "--by", "Ada", "--db", db,
    )  # fmt: skip
    assert (code, second["parent"], second["note"]) == (0, prompt["id"], "colder")
    _, listed = run_json(capsys, "prompts", "list", "--db", db)
    assert [listed_prompt["title"] for listed_prompt in listed] == [
        "strict@1", "strict@2", "strict@3", "parts@1",
        "together@1", "together@2", "together@3", "parts-together@1", "mine@1", "mine@2",
    ]  # fmt: skip
    assert run_json(capsys, "prompts", "show", "mine", "--db", db)[1] == second
    _, diff = run_json(capsys, "prompts", "diff", "mine@1", "mine", "--db", db)
    assert (diff["added"], diff["removed"]) == (1, 1)
    assert diff["text"].splitlines()[2:] == [
        "-Weigh the claim with care.",
        "+Weigh the claim coldly.",
        " =====",
        " {{passages}}",
        " ",
    ]
    assert main(["prompts", "diff", "mine", "mine", "--db", str(db)]) == 0
    assert capsys.readouterr().out == "Nothing changed.\n"


def test_a_run_names_the_prompt_it_was_judged_by(db, answer, prompt, server, capsys):
    code, run = run_json(capsys, "verify", *answer, "--judge", MINI, "--prompt", "mine", "--db", db)
    assert code == 0
    assert run["config"]["prompt"] == prompt["id"]
    assert run["citations"][0]["judgment"]["prompt"] == prompt["id"]
    assert "Weigh the claim with care." in server.requests[-1].prompt
    _, usual = run_json(capsys, "verify", *answer, "--judge", MINI, "--db", db)
    assert usual["config"]["prompt"] == STRICT.id
    assert "You check whether" in server.requests[-1].prompt
    _, local = run_json(capsys, "verify", *answer, "--db", db)
    assert "prompt" not in local["config"]
    _, panel = run_json(
        capsys, "verify", *answer, "--judge", "local", "--judge", MINI, "--prompt", "mine@1",
        "--db", db,
    )  # fmt: skip
    assert [judgment["prompt"] for judgment in panel["citations"][0]["judgments"]] == [
        None,
        prompt["id"],
    ]


def test_a_run_that_was_cut_off_goes_on_with_its_prompt(db, answer, prompt, server, capsys):
    with_cap = [*answer, "--judge", MINI, "--prompt", "mine", "--db", db]
    _, run = run_json(capsys, "verify", *with_cap)
    store = Store(db)
    with store.transaction() as connection:
        connection.execute("delete from run_completions")
        connection.execute("delete from verdicts")
        connection.execute("delete from judgments")
    server.requests.clear()
    _, resumed = run_json(capsys, "resume", run["id"], "--db", db)
    assert resumed["config"]["prompt"] == prompt["id"]
    assert "Weigh the claim with care." in server.requests[-1].prompt


def test_evaluate_asks_by_the_named_prompt(db, tmp_path, prompt, server, capsys):
    pairs = tmp_path / "pairs.jsonl"
    rows = [
        {"claim": f"Claim {n}", "source": BODY, "label": label}
        for n, label in enumerate(["supported", "not_supported"])
    ]
    pairs.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    code, report = run_json(
        capsys, "evaluate", pairs, "--judge", MINI, "--prompt", "mine", "--db", db
    )
    assert (code, report["n"]) == (0, 2)
    assert all("Weigh the claim with care." in request.prompt for request in server.requests)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--prompt", "mine"], "not a language model and takes no prompt"),
        (["--judge", MINI, "--prompt", "nobody"], "There is no prompt"),
        (["--judge", MINI, "--prompt", "together"], "several claims at once"),
        (["--judge", MINI, "--prompt", "mine", "--together", "auto"], "uses its own prompt"),
    ],
)
def test_a_prompt_that_cannot_be_asked_gets_a_sentence(
    db, answer, prompt, server, arguments, message, capsys
):
    code, error = run_json(capsys, "verify", *answer, *arguments, "--db", db)
    assert code == 2
    assert message in error


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "needs exactly one"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b"PK\x03\x04", "control character"),
        (PLAIN.encode() + b" {{tone}}", "{{tone}} without a value"),
    ],
)
def test_a_file_that_is_no_template_gets_a_sentence(db, tmp_path, data, message, capsys):
    (tmp_path / "bad").write_bytes(data)
    code, error = run_json(capsys, "prompts", "add", "mine", tmp_path / "bad", "--db", db)
    assert code == 2
    assert message in error
    code, error = run_json(capsys, "prompts", "add", "mine", tmp_path / "nowhere", "--db", db)
    assert (code, "cannot be read" in error) == (2, True)


def test_other_variables_take_their_value_from_a_file(db, tmp_path, capsys):
    (tmp_path / "mine.txt").write_text(PLAIN + "\n{{tone}}", "utf-8")
    (tmp_path / "tone.txt").write_text("Be calm.", "utf-8")
    code, saved = run_json(
        capsys, "prompts", "add", "mine", tmp_path / "mine.txt",
        "--set", f"tone={tmp_path / 'tone.txt'}", "--db", db,
    )  # fmt: skip
    assert (code, saved["values"]) == (0, {"tone": "Be calm."})
