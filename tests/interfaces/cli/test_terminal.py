"""What a person sees on a terminal, and that a pipe gets none of it."""

import ast
import json
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.fakes.launched import launched
from tests.fakes.providers import Answer, FakeProvider, verdict
from tests.fakes.screens import finish, on_terminal, screen_of, start
from workbench.interfaces import cli
from workbench.interfaces.cli.terminal import plain, without_controls
from workbench.settings import load_settings
from workbench.store.store import Store

ANSWER = """The bridge is 120 m long [1]. It opened in 1931 [2]. It cost much [3]. It is blue [4].

References
[1] The bridge. https://bridge.example/a
[2] The opening. https://bridge.example/b
[3] The cost. https://bridge.example/c
[4] The color. https://bridge.example/d
"""
COLOR = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture
def files(tmp_path):
    """An answer of four citations, sources of two of them, and a judge that refutes all."""
    (tmp_path / "answer.md").write_text(ANSWER, "utf-8")
    sources = [
        {"content": "It is 90 m long.", "url": "https://bridge.example/a"},
        {"content": "It opened in 1913.", "url": "https://bridge.example/b"},
    ]
    (tmp_path / "sources.json").write_text(json.dumps(sources))
    (tmp_path / "judge.json").write_text(
        json.dumps({"default": {"label": "not_supported", "confidence": 0.8, "rationale": "No."}})
    )
    judge = f"scripted:{tmp_path / 'judge.json'}"
    return ["verify", tmp_path / "answer.md", "--sources", tmp_path / "sources.json",
            "--judge", judge]  # fmt: skip


def piped(*arguments):
    done = subprocess.run(launched(*map(str, arguments)), capture_output=True, text=True)
    return done.stdout, done.stderr


def same_but_for_run(text):
    return re.sub(r"[\d.]+ s\. Run [\w-]+", "", text)


def test_a_terminal_shows_a_table_in_colors_and_what_to_do_next(files):
    code, written = on_terminal(*files, anew=True)
    assert code == 1
    assert COLOR.search(written)
    screen = screen_of(written)
    assert re.search(r"Verdict +Sure +Citations +Why", screen.text)
    assert re.search(r"○ Not supported +80% +2 × \[1\], \[2\] +No\.", screen.text)
    assert "○ 2 not supported   ? 2 unverifiable" in screen.text
    run_id = Store(load_settings().database).list_runs()[0].id
    assert f"http://127.0.0.1:8501/review?run={run_id}" in screen.text
    assert "2 citations: the source was not provided. Add it to --sources" in screen.text


def test_the_progress_line_is_gone_at_the_end(files):
    _, written = on_terminal(*files)
    assert "found 4 · linked 4 · fetched 2 of 4, 2 not found · judged 4" in written
    screen = screen_of(written)
    assert "judged" not in screen.text
    assert screen.cursor_shown


def test_claims_show_their_progress(tmp_path):
    (tmp_path / "answer.md").write_text("The bridge is 120 m long. It opened in 1931.", "utf-8")
    (tmp_path / "sources.json").write_text(
        json.dumps([{"content": "The bridge is 120 m long.", "url": "https://bridge.example/a"}])
    )
    _, written = on_terminal(
        "claims", tmp_path / "answer.md", "--sources", tmp_path / "sources.json", NO_COLOR="1"
    )
    assert "reading" in written
    assert "judged 2 of 2 claims" in written
    assert "judged" not in screen_of(written).text


@pytest.mark.parametrize("command", ["extract", "verify", "references"])
def test_a_file_that_is_read_for_long_says_so(tmp_path, command):
    (tmp_path / "answer.md").write_text(ANSWER, "utf-8")
    _, written = on_terminal(command, tmp_path / "answer.md", NO_COLOR="1")
    assert "reading" in written
    assert "reading" not in screen_of(written).text


def test_a_pipe_gets_plain_text(files):
    out, err = piped(*files)
    assert err == ""
    assert "\x1b" not in out
    assert "Next" not in out
    assert out.splitlines()[0] == "○ not_supported         80%  2 × [1], [2]         No."


def test_a_pipe_with_all_gets_a_line_for_each(files):
    out, _ = piped(*files, "--all")
    assert out.splitlines()[:2] == [
        "○ not_supported         80%  [1]                  No.",
        "○ not_supported         80%  [2]                  No.",
    ]


def test_json_is_never_grouped_and_has_no_color(files):
    code, written = on_terminal(*files, "--json")
    document = json.loads(written[written.index("{") :])
    assert code == 1
    assert len(document["citations"]) == 4


def test_no_color_means_no_color(files):
    _, written = on_terminal(*files, NO_COLOR="1")
    assert not COLOR.search(written)
    assert "Verdict" in screen_of(written).text


def test_a_dumb_terminal_gets_what_a_pipe_gets(files):
    _, written = on_terminal(*files, term="dumb")
    out, _ = piped(*files)
    assert "\x1b" not in written
    assert same_but_for_run(written.replace("\r\n", "\n")) == same_but_for_run(out)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_results_fit_the_terminal(files, width):
    _, written = on_terminal(*files, width=width, NO_COLOR="1")
    results = screen_of(written).text.split("○ 2 not supported")[0].splitlines()
    assert max(map(cell_len, results)) <= width
    assert any("○ Not supported" in line and "[1], [2]" in line for line in results)


HOSTILE = "The [red]bridge[/red] \x1b]0;owned\x07\x1b[2J\x1b[31m\x9b31m\u202e"


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_escape_sequences_in_a_text_do_nothing(tmp_path, term):
    path = tmp_path / "answer.md"
    path.write_text(f"It is long [{HOSTILE}](https://bridge.example/{HOSTILE}) [1].\n\n"
                    f"References\n[1] {HOSTILE} https://bridge.example/{HOSTILE}\n", "utf-8")  # fmt: skip
    _, written = on_terminal("extract", path, term=term, NO_COLOR="1")
    # nothing is left but the progress line's own, which the screen knows
    assert "bridge.example" in screen_of(written).text
    assert not set("\x07\x9b\u202e") & set(written)
    _, written = on_terminal("references", path, term=term, NO_COLOR="1")
    assert "[red]bridge[/red]" in written
    assert "owned" in screen_of(written).text
    assert not set("\x07\x9b\u202e") & set(written)


def test_escape_sequences_in_a_file_name_do_nothing(tmp_path):
    code, written = on_terminal("verify", tmp_path / "\x1b[2Jmissing.md")
    assert code == 2
    assert "\x1b" not in written
    assert "There is no file" in written


def test_texts_are_cleaned_of_what_steers_a_terminal():
    assert plain("a\x1b[31m\r\nb\u202ec", 40) == "a [31m b c"
    assert without_controls("a\tb\n\x1b[31m\rc") == "a\tb\n [31m c"


def test_wide_characters_stand_in_columns(tmp_path):
    path = tmp_path / "answer.md"
    path.write_text("票价为53元【1】。续航很长[2]。\n\n参考文献\n[1] 年报 https://metro.example/a\n"
                    "[2] 实测 https://metro.example/b\n", "utf-8")  # fmt: skip
    _, written = on_terminal("extract", path, NO_COLOR="1")
    rows = [line for line in screen_of(written).lines if "https://metro.example" in line]
    assert any("【1】" in row for row in rows)
    assert len({cell_len(row[: row.index("https")]) for row in rows}) == 1


def test_ctrl_c_says_what_is_kept_and_how_to_go_on(files, monkeypatch):
    may_answer = threading.Event()

    def reply(request):
        if len(server.requests) > 1:
            may_answer.wait(60)
        return Answer(text=verdict(quote="It is 90 m long."))

    with FakeProvider(reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        child = start(*files[:-1], "openai:gpt-4o-mini")
        child.expect(r"judged 3")
        before = child.before + child.after
        child.kill(signal.SIGINT)  # which key means it hangs on the terminal of the tests
        code, after = finish(child)
        may_answer.set()
    written = before + after
    run = Store(load_settings().database).list_runs()[0]
    assert code == 1, written
    assert written.rfind("\x1b[?25h") > written.rfind("\x1b[?25l"), "the cursor is hidden"
    # keys that the terminal itself echoes may stand between the lines
    words = " ".join(re.sub(r"\x1b\[[\d;?]*[A-Za-z]|[^\n -\uffff]", "", written).split())
    assert (
        f"workbench: stopped; finished verdicts are stored: continue with `workbench resume "
        f"{run.id}`."
    ) in words
    assert not run.finished


def test_nothing_is_drawn_for_a_pipe(files):
    code = (
        "import sys\nfrom workbench.interfaces.cli import main\n"
        f"main({list(map(str, files))!r})\nassert 'rich' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_text_leaves_through_one_module():
    folder = Path(cli.__file__).parent
    writers = {
        path.name
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.stderr.write",
                                                                     "sys.stdout.write")
    }  # fmt: skip
    assert writers == {"terminal.py", "output.py"}  # the latter for JSON, which is ASCII
