"""Lines of files, commits and memories: only where it was allowed, and nothing is run."""

import asyncio
import json
import os
import shutil
import subprocess

import pytest

from workbench.errors import SourceError
from workbench.records.citation import Target
from workbench.records.source import SourceQuery
from workbench.sources.local import LocalFetcher, read_memories
from workbench.sources.read import read_source

GIT = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def query(form, value):
    return SourceQuery(target=Target(form=form, value=value))


def text_of(fetcher, form, value):
    async def main():
        return (await read_source(await fetcher.fetch(query(form, value)))).text

    return asyncio.run(main())


def failure(fetcher, form, value):
    with pytest.raises(SourceError) as caught:
        asyncio.run(fetcher.fetch(query(form, value)))
    return caught.value


# -- files ----------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("one\ntwo\nthree\nfour\n")
    (folder / "sub" / "b: c.txt").write_text("odd name\n")
    (folder / "empty.txt").write_text("")
    (folder / "bin.dat").write_bytes(bytes(100))
    (tmp_path / "secret.txt").write_text("secret\n")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "in.txt").symlink_to(folder / "a.md")
    return folder


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a.md", "one\ntwo\nthree\nfour\n"),
        ("a.md:2", "two"),
        ("a.md:2-3", "two\nthree"),
        ("a.md:L2-L4", "two\nthree\nfour"),
        ("file:a.md:4", "four"),
        ("sub/../a.md:1", "one"),
        ("in.txt:3", "three"),
        ("sub/b: c.txt", "odd name\n"),
        ("sub/b: c.txt:1", "odd name"),
    ],
)
def test_lines_of_a_file(value, text, root):
    assert text_of(LocalFetcher(roots=[root]), "file", value) == text


def test_an_absolute_path_inside_a_root(root):
    assert text_of(LocalFetcher(roots=[root]), "file", f"{root}/a.md:1") == "one"


@pytest.mark.parametrize(
    "value",
    ["../secret.txt", "/etc/passwd", "out.txt", "none.txt", "sub", "a.md:5", "a.md:0", "a.md:3-2"],
)
def test_what_may_not_be_read_or_is_not_there(value, root):
    assert failure(LocalFetcher(roots=[root]), "file", value).kind == "no_source"


def test_outside_and_missing_read_alike(root):
    fetcher = LocalFetcher(roots=[root])
    outside, none = (failure(fetcher, "file", name).message for name in ("../secret.txt", "../x"))
    assert outside.replace("../secret.txt", "NAME") == none.replace("../x", "NAME")


def test_without_a_root_there_is_no_file(root):
    assert failure(LocalFetcher(), "file", str(root / "a.md")).kind == "no_source"


@pytest.mark.parametrize("value", ["empty.txt", "bin.dat:1"])
def test_a_file_without_words(value, root):
    assert failure(LocalFetcher(roots=[root]), "file", value).kind == "unreadable"


def test_lines_are_counted_as_editors_do(tmp_path):
    (tmp_path / "w.txt").write_bytes(b"one\r\ntwo\r\n")
    fetcher = LocalFetcher(roots=[tmp_path])
    assert text_of(fetcher, "file", "w.txt:2") == "two"
    assert "has 2 lines" in failure(fetcher, "file", "w.txt:3").message


# -- commits --------------------------------------------------------------------------------------


def git(folder, *arguments):
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "a@b.example",
        "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "a@b.example",
    }  # fmt: skip
    process = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return process.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "config.txt").write_text("timeout = 30\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Set the timeout to 30 seconds")
    return folder


@GIT
def test_a_commit_is_its_message_and_its_changes(repository):
    sha = git(repository, "rev-parse", "HEAD")
    fetcher = LocalFetcher(repositories=[repository])
    for value in (sha, sha[:8], f"git:{sha}"):
        text = text_of(fetcher, "git", value)
        assert "Set the timeout to 30 seconds" in text
        assert "+timeout = 30" in text
        assert "Ann" in text
    assert text_of(fetcher, "git", f"{sha}:config.txt") == "timeout = 30\n"


@GIT
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("0" * 40, "no_source"),
        ("deadbeef", "no_source"),
        ("HEAD", "unresolvable_kind"),
        ("--upload-pack=touch x", "unresolvable_kind"),
        ("main; touch x", "unresolvable_kind"),
        ("", "unresolvable_kind"),
    ],
)
def test_what_is_no_commit_there(value, kind, repository):
    assert failure(LocalFetcher(repositories=[repository]), "git", value).kind == kind


@GIT
def test_a_blob_is_no_commit_and_a_path_stays_inside(repository):
    fetcher = LocalFetcher(repositories=[repository])
    blob = git(repository, "rev-parse", "HEAD:config.txt")
    assert failure(fetcher, "git", blob).kind == "no_source"
    sha = git(repository, "rev-parse", "HEAD")
    assert failure(fetcher, "git", f"{sha}:../../etc/passwd").kind == "no_source"
    assert failure(LocalFetcher(), "git", sha).kind == "no_source"


@GIT
def test_nothing_in_the_repository_is_run(repository, tmp_path):
    """Its settings, hooks and attributes name programs; none of them starts."""
    trap = tmp_path / "trap.sh"
    sprung = tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    sha = git(repository, "rev-parse", "HEAD")
    for name in ("core.fsmonitor", "core.pager", "diff.external", "diff.evil.textconv",
                 "diff.evil.command", "filter.evil.smudge", "gpg.program", "core.sshCommand",
                 "pager.show", "pager.log", "core.editor"):  # fmt: skip
        git(repository, "config", name, str(trap))
    git(repository, "config", "log.showSignature", "true")
    (repository / ".git" / "info" / "attributes").write_text("* diff=evil filter=evil\n")
    (repository / ".gitattributes").write_text("* diff=evil filter=evil\n")
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "reference-transaction", "pre-auto-gc", "post-index-change"):
        shutil.copy(trap, hooks / name)
    fetcher = LocalFetcher(repositories=[repository])
    assert "+timeout = 30" in text_of(fetcher, "git", sha)
    assert text_of(fetcher, "git", f"{sha}:config.txt") == "timeout = 30\n"
    assert not sprung.exists()


@GIT
def test_a_missing_object_is_not_fetched_from_elsewhere(repository, tmp_path):
    """A partial clone would ask its origin for what it lacks."""
    git(repository, "config", "remote.origin.url", f"ext::sh -c touch% {tmp_path}/sprung")
    git(repository, "config", "remote.origin.promisor", "true")
    git(repository, "config", "extensions.partialClone", "origin")
    git(repository, "config", "core.repositoryFormatVersion", "1")
    assert failure(LocalFetcher(repositories=[repository]), "git", "1" * 40).kind == "no_source"
    assert not (tmp_path / "sprung").exists()


# -- memories -------------------------------------------------------------------------------------


def test_memories_by_id(tmp_path):
    (tmp_path / "m.json").write_text(json.dumps({"m1": "The user likes tea."}))
    (tmp_path / "l.json").write_text(json.dumps([{"id": 7, "content": "Seven."}]))
    fetcher = LocalFetcher(memories=read_memories(tmp_path / "m.json"))
    assert text_of(fetcher, "memory", "m1") == "The user likes tea."
    assert text_of(fetcher, "memory", "memory:m1") == "The user likes tea."
    assert failure(fetcher, "memory", "m2").kind == "no_source"
    assert read_memories(tmp_path / "l.json") == {"7": "Seven."}


@pytest.mark.parametrize("data", ["", "{", "[]", '{"a": 1}', '"x"'])
def test_memories_that_are_none(data, tmp_path):
    (tmp_path / "m.json").write_text(data)
    with pytest.raises(SourceError):
        read_memories(tmp_path / "m.json")


def test_other_targets_are_for_other_fetchers():
    assert failure(LocalFetcher(), "url", "https://example.com/").kind == "no_source"
