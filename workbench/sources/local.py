"""Sources that are not on the web: lines of a file, a commit, an entry of a memory."""

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.errors import SourceError
from workbench.records.source import Fetched, SourceQuery
from workbench.records.text import Json
from workbench.sources.fetchers import no_source
from workbench.sources.given import CONTENT_TYPES, MAX_GIVEN_BYTES
from workbench.sources.reading.decode import decode, looks_binary

GIT_SECONDS = 10.0
MAX_COMMIT_BYTES = 5 * 1024 * 1024

_LINES = re.compile(r"^(?P<path>.+?)(?::L?(?P<first>\d{1,9})(?:\s*[-–:]\s*L?(?P<last>\d{1,9}))?)?$")
_COMMIT = re.compile(r"^(?P<sha>[0-9a-fA-F]{4,64})(?::(?P<path>[^\0\n]{1,1000}))?$")
# Nothing of the user's or the repository's settings runs a program, opens a pager or fetches.
_GIT_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "protocol.allow=never",
    "diff.external=", "core.attributesFile=/dev/null", "credential.helper=", "gpg.program=false",
    "core.sshCommand=false", "submodule.recurse=false", "log.showSignature=false",
)  # fmt: skip
_GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_PAGER": "cat",
    "LC_ALL": "C.UTF-8",
}


class LocalFetcher:
    """A fetcher for `file:`, `git:` and `memory:`; each answers only where it was allowed to."""

    def __init__(
        self,
        *,
        roots: Sequence[str | Path] = (),
        repositories: Sequence[str | Path] = (),
        memories: Mapping[str, str] | None = None,
    ) -> None:
        """Builds the fetcher.

        Args:
            roots: Directories whose files may be read, symbolic links resolved.
            repositories: Git repositories whose commits may be read.
            memories: Texts by id.
        """
        self._roots = tuple(Path(root).resolve() for root in roots)
        self._repositories = tuple(Path(repository).resolve() for repository in repositories)
        self._memories = dict(memories or {})

    async def fetch(self, query: SourceQuery) -> Fetched:
        """The lines, the commit or the memory that the query's target names.

        Raises:
            SourceError: `no_source` for another kind of target, or when there is no such thing;
                `unreadable` for a file that is not text.
        """
        target = query.target
        if target is None or target.form not in ("file", "git", "memory"):
            raise no_source(query)
        value = target.value.strip()
        value = value.removeprefix(f"{target.form}:")
        if target.form == "memory":
            return self._memory(value)
        if target.form == "git":
            return await self._commit(value)
        return await asyncio.to_thread(self._file, value)

    def _memory(self, name: str) -> Fetched:
        if name not in self._memories:
            raise SourceError("no_source", f"There is no memory {name!r} in the given store.")
        return _text(f"memory:{name}", self._memories[name].encode("utf-8", "replace"))

    # -- files ----------------------------------------------------------------------------------

    def _file(self, value: str) -> Fetched:
        match = _LINES.match(value.removeprefix("//"))
        if match is None:
            raise SourceError("unresolvable_kind", f"file:{value} names no file.")
        path = self._allowed(match["path"])
        body = path.read_bytes() if path.stat().st_size <= MAX_GIVEN_BYTES else b""
        if not body:
            reason = "is empty" if path.stat().st_size == 0 else "is too large"
            raise SourceError("unreadable", f"{match['path']} {reason}.")
        if match["first"] is None:
            kind = CONTENT_TYPES.get(path.suffix.lower(), "text/plain; charset=utf-8")
            return _text(f"file:{value}", body, kind, title=path.name)
        return _text(f"file:{value}", _lines(body, match, path.name), title=path.name)

    def _allowed(self, name: str) -> Path:
        """The file, when it lies inside an allowed directory once links are resolved.

        A file outside and a file that does not exist read alike: the answer is no directory
        listing.
        """
        for root in self._roots:
            path = (root / name).resolve()
            if path.is_relative_to(root) and path.is_file():
                return path
        raise SourceError(
            "no_source",
            f"There is no file {name!r} in the directories that may be read: allow its directory, "
            "or provide the source yourself.",
        )

    # -- commits --------------------------------------------------------------------------------

    async def _commit(self, value: str) -> Fetched:
        match = _COMMIT.match(value)
        if match is None:
            raise SourceError("unresolvable_kind", f"git:{value[:80]} names no commit by its hash.")
        sha, path = match["sha"], match["path"]
        for repository in self._repositories:
            kind = await _git(repository, "cat-file", "-t", sha)
            if kind is None or kind.strip() != b"commit":
                continue
            if path is not None:
                output = await _git(repository, "cat-file", "blob", f"{sha}:{path}")
            else:
                output = await _git(
                    repository, "show", "--no-color", "--no-ext-diff", "--no-textconv",
                    "--no-show-signature", "--stat", "--patch", "--format=%H%n%an%n%aI%n%n%B", sha,
                    "--",
                )  # fmt: skip
            if output is not None:
                cut = output[:MAX_COMMIT_BYTES]
                return _text(f"git:{value}", cut, truncated=len(output) > len(cut))
        item = f"{path!r} in a commit" if path else "a commit"
        raise SourceError("no_source", f"There is no {item} {sha} in the allowed repositories.")


def read_memories(path: str | Path) -> dict[str, str]:
    """The memories of a JSON file: an object of texts by id, or a list of `{"id", "content"}`.

    Raises:
        SourceError: `unreadable` when it is neither.
    """
    try:
        loaded: Json = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError) as bad:
        raise SourceError("unreadable", f"{path} cannot be read as memories ({bad}).") from bad
    memories: dict[str, str] = {}
    if isinstance(loaded, dict):
        memories = {name: text for name, text in loaded.items() if isinstance(text, str)}
    elif isinstance(loaded, list):
        for entry in loaded:
            if isinstance(entry, dict) and isinstance(entry.get("content"), str):
                memories[str(entry.get("id"))] = str(entry["content"])
    if not memories:
        raise SourceError("unreadable", f"{path} contains no memories: it needs texts by their id.")
    return memories


def _lines(body: bytes, match: re.Match[str], file_name: str) -> bytes:
    if looks_binary(body):
        raise SourceError("unreadable", f"{file_name} is not text: it has no lines.")
    lines = decode(body).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    first = int(match["first"])
    last = int(match["last"] or first)
    if not 1 <= first <= last <= len(lines):
        requested = f"line {first}" if first == last else f"lines {first} to {last}"
        raise SourceError(
            "no_source", f"{file_name} has {len(lines)} lines: there is no {requested}."
        )
    return "\n".join(lines[first - 1 : last]).encode()


async def _git(repository: Path, *arguments: str) -> bytes | None:
    """What git says about a repository; None when it refuses, hangs or is not installed."""
    settings = [part for setting in _GIT_SETTINGS for part in ("-c", setting)]
    command = ["git", "--no-pager", *settings, "-c", f"safe.directory={repository}", *arguments]
    environment = _GIT_ENVIRONMENT | {"PATH": os.environ.get("PATH", ""), "HOME": os.devnull}
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=repository,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(GIT_SECONDS):
            output = await process.stdout.read(MAX_COMMIT_BYTES + 1)
            while len(output) <= MAX_COMMIT_BYTES:
                more = await process.stdout.read(MAX_COMMIT_BYTES + 1 - len(output))
                if not more:
                    break
                output += more
            complete = len(output) <= MAX_COMMIT_BYTES
            status = await process.wait() if complete else 0
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.communicate()
    return output if status == 0 else None


def _text(
    url: str,
    body: bytes,
    content_type: str = "text/plain; charset=utf-8",
    *,
    title: str | None = None,
    truncated: bool = False,
) -> Fetched:
    return Fetched(
        url=url,
        final_url=url,
        status=None,
        content_type=content_type,
        body=body,
        title=title,
        truncated=truncated,
    )
