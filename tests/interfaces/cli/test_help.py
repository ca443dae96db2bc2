"""Help that a newcomer can read, and completion in the shells."""

import json
import re
import subprocess
import sys

import pytest

from workbench.interfaces.cli import build_parser, main
from workbench.interfaces.cli.main import DESCRIPTIONS, GROUPS, MODULES, overview
from workbench.interfaces.cli.next_steps import after_errors, after_references
from workbench.records.bibliography import ReferenceReport


def commands():
    return build_parser()._subparsers._group_actions[0].choices


def test_the_list_holds_every_command_once():
    assert set(commands()) == set(DESCRIPTIONS)
    assert sorted(name for names in MODULES.values() for name in names) == sorted(DESCRIPTIONS)


@pytest.mark.parametrize("width", [60, 100])
def test_the_overview_names_every_command_in_its_group(width):
    text = overview(width)
    for title, names in GROUPS.items():
        assert f"\n{title}:\n" in text
        for name in names:
            assert re.search(rf"^  {name} ", text, re.M)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"]])
def test_help_is_the_overview(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0
    assert capsys.readouterr().out == overview()


def test_no_command_shows_the_overview_and_is_wrong_usage(capsys):
    with pytest.raises(SystemExit) as stop:
        main([])
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (2, overview())
    assert err == "workbench: name a command. See `workbench --help`.\n"


def test_a_mistyped_command_is_guessed(capsys):
    with pytest.raises(SystemExit):
        main(["verfy", "answer.md"])
    assert "there is no command 'verfy'; did you mean verify?" in capsys.readouterr().err


def test_help_imports_no_command():
    code = (
        "import sys\nfrom workbench.interfaces.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "assert not any(name.startswith('workbench.services') for name in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_next_steps_name_options_that_there_are():
    kinds = ["fetch_disabled", "no_source", "not_allowed_domain", "timeout", "not_text",
             "cost_cap_reached", "llm_judge_error"]  # fmt: skip
    steps = after_errors({kind: number for number, kind in enumerate(kinds, start=1)})
    assert len(steps) == len(kinds)
    assert steps[0].startswith("1 citation: fetching is off.")
    named = set(re.findall(r"--[a-z-]+", " ".join(steps)))
    assert named <= set(commands()["verify"]._option_string_actions)
    assert after_references(ReferenceReport(checks=())) == []


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory):
    path = tmp_path_factory.mktemp("completion") / "workbench.bash"
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "completion", "bash"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    path.write_text(done.stdout)
    return path


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["ver"], {"verify"}),
        (["verify", "--check"], {"--check-references"}),
        (["verify", "--al"], {"--all", "--allow-domain", "--allow-fetch"}),
        (["snapshots", "ex"], {"export"}),
        (["prompts", "opti"], {"optimise", "optimisations"}),
        (["extract", "ans"], {"answer.md"}),
    ],
)
def test_bash_completes_commands_options_choices_and_files(bash_script, tmp_path, words, completed):
    (tmp_path / "answer.md").write_text("x")
    line = " ".join(["workbench", *words])
    done = subprocess.run(
        ["bash", "-c", f'source "{bash_script}"; COMP_WORDS=({line}); COMP_CWORD={len(words)}; '
         '$(complete -p workbench | sed "s/.*-F \\([^ ]*\\).*/\\1/"); printf "%s\\n" "${COMPREPLY[@]}"'],
        capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert set(done.stdout.split()) == completed, done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_each_shell_has_a_script_that_knows_the_commands(capsys, shell):
    assert main(["completion", shell, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["shell"] == shell
    assert "calibrate" in document["script"]
