"""One way to verify a text through every door of the workbench, and to see what came of it.

    def test_a_rule(door, web):
        outcome = door.verify("Rain fell [1].", sources=[…], judge="local")
        assert outcome.run["complete"], outcome.output
        assert web.names() == []

A door says what a caller of it can express; `door.supports("max_cost_usd")` asks. What a door
cannot express is refused by `verify`, so that no test passes because an option was dropped.
"""

import io
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

from tests.doors.diverted import divert
from tests.fakes.providers import FakeProvider
from tests.fakes.web_server import FakeWeb
from workbench.records.citation import UNCOUNTED_KINDS
from workbench.store.store import Store

PROJECT = Path(__file__).parents[2]
DIVERTED = Path(__file__).parent / "diverted"
EVERYTHING = frozenset(
    {"sources", "judge", "allow_fetch", "allowed_domains", "max_cost_usd", "settings", "services"}
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one call."""

    data_dir: Path
    output: str
    """Every text that the caller was shown: stdout, stderr, bodies, errors, log lines, a page."""
    run: dict[str, Any] | None = None
    """The run's published JSON; None where the call was refused before there was one."""
    document: dict[str, Any] = field(default_factory=dict)
    """What the door answered, in its own shape."""
    code: int | None = None
    """The exit code, or the HTTP status."""
    refused: bool = False
    """Whether the caller was told of an error instead of getting a result."""

    @property
    def citations(self) -> list[dict[str, Any]]:
        """The run's citations that its totals count: no quotes and statistics."""
        listed = self.run["citations"] if self.run else []
        return [citation for citation in listed if citation["kind"] not in UNCOUNTED_KINDS]

    @property
    def errors(self) -> list[str]:
        """The error kinds of the counted citations, in order; `""` for one without an error."""
        return [(citation["error"] or {}).get("kind", "") for citation in self.citations]

    @property
    def messages(self) -> list[str]:
        """The sentences of the counted citations' errors."""
        return [citation["error"]["message"] for citation in self.citations if citation["error"]]

    def files(self) -> Iterator[tuple[Path, bytes]]:
        """Every file of the data directory with its bytes, the database's included."""
        for path in sorted(self.data_dir.rglob("*")):
            if path.is_file():
                yield path, path.read_bytes()


@dataclass
class Web:
    """The only web there is: a scripted server, and a record of what was requested."""

    server: FakeWeb
    log: Path

    @property
    def replies(self) -> dict[str, Any]:
        """By `host/path`, by `/path`, and `*` for the rest; see `tests.fakes.web_server`."""
        return self.server.replies

    def targets(self) -> list[str]:
        """The `host/path` of every request, in order."""
        return self.server.targets()

    def names(self) -> list[str]:
        """Every name that was looked up, in every process."""
        return [line.split()[1] for line in self._lines() if line.startswith("name ")]

    def contacts(self) -> list[str]:
        """Every name looked up and address connected to: empty where nothing was requested."""
        return self._lines()

    def clear(self) -> None:
        """Forget what was requested until now."""
        self.server.requests.clear()
        self.log.write_bytes(b"")

    def _lines(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


def keys_of(provider: FakeProvider) -> dict[str, str]:
    """The variables with which the SDKs ask a fake provider."""
    return {
        "ANTHROPIC_API_KEY": "sk-ant-not-a-real-key-000000000000",
        "ANTHROPIC_BASE_URL": provider.url,
        "OPENAI_API_KEY": "sk-not-a-real-key-0000000000000000",
        "OPENAI_BASE_URL": f"{provider.url}/v1",
    }


def write_settings(path: Path, settings: Mapping[str, Any]) -> None:
    """Writes `settings.toml`; tables are dicts."""
    import json

    plain = [f"{key} = {json.dumps(v)}" for key, v in settings.items() if not isinstance(v, dict)]
    for name, table in settings.items():
        if isinstance(table, dict):
            plain += [f"[{name}]", *(f"{key} = {json.dumps(v)}" for key, v in table.items())]
    path.write_text("\n".join(plain) + "\n", "utf-8")


@dataclass
class Door:
    """One way into the workbench; a subclass knows how to make a call there."""

    data_dir: Path
    web: Web

    name: ClassVar[str]
    lacks: ClassVar[frozenset[str]] = frozenset()
    """What a caller cannot express here."""
    callers_own: ClassVar[bool] = True
    """Whether the process belongs to its caller, whose wish to fetch is then enough. A server for
    many only narrows what its settings allow."""

    def supports(self, *names: str) -> bool:
        """Whether a caller can pass all of these options here."""
        assert set(names) <= EVERYTHING, names
        return not self.lacks & set(names)

    def verify(
        self,
        text: str,
        *,
        sources: Sequence[Mapping[str, str]] | None = None,
        judge: str | None = None,
        allow_fetch: bool | None = None,
        allowed_domains: Sequence[str] | None = None,
        max_cost_usd: float | None = None,
        settings: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Outcome:
        """What the door makes of a text; what is None is left out of the call.

        Args:
            text: The answer whose citations are checked.
            sources: Given sources: `content`, and `url`, `title` or `label`.
            judge: A SPEC.
            allow_fetch: Whether the call asks for fetching.
            allowed_domains: The call's own list.
            max_cost_usd: The call's own cap.
            settings: What the operator wrote to `settings.toml`; tables are dicts.
            environment: Variables of the process that does the work.
            more: Arguments of this door alone, as it names them.

        Raises:
            TypeError: The door cannot express something; ask `supports` before.
        """
        requested = {
            "sources": sources, "judge": judge, "allow_fetch": allow_fetch,
            "allowed_domains": allowed_domains, "max_cost_usd": max_cost_usd, "settings": settings,
            "services": (settings or {}).get("services"),
        }  # fmt: skip
        unsupported = [
            name for name, value in requested.items() if value is not None and name in self.lacks
        ]
        if unsupported:
            raise TypeError(f"A caller of {self.name} cannot express {', '.join(unsupported)}.")
        call = {
            name: requested[name]
            for name in ("sources", "judge", "allow_fetch", "allowed_domains", "max_cost_usd")
            if requested[name] is not None
        }
        with self.prepared(settings, environment):
            return self._verify(text, call, more)

    @contextmanager
    def prepared(
        self,
        settings: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[None]:
        """The data directory with an operator's settings in it, and the variables set."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        write_settings(self.data_dir / "settings.toml", settings or {})
        variables = {"WORKBENCH_DATA": str(self.data_dir), **(environment or {})}
        with mock.patch.dict(os.environ, variables):
            yield

    def allowing(self, *domains: str) -> dict[str, Any]:
        """The arguments of `verify` with which this door fetches, from these domains if any."""
        options: dict[str, Any] = {"allow_fetch": True}
        if domains:
            options["allowed_domains"] = list(domains)
        return options if self.callers_own else {**options, "settings": {"allow_fetch": True}}

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        raise NotImplementedError

    def _outcome(self, output: str, **facts: Any) -> Outcome:
        return Outcome(data_dir=self.data_dir, output=output, **facts)

    def stored_run(self, run_id: str) -> dict[str, Any]:
        """A run of the data directory's database as its published JSON."""
        return Store(self.data_dir / "workbench.duckdb").get_run(run_id).to_dict()

    def diverted_environment(self) -> dict[str, str]:
        """The variables of a process of its own, which are diverted there too."""
        path = os.pathsep.join(filter(None, [str(DIVERTED), os.environ.get("PYTHONPATH")]))
        return {
            **os.environ, "PYTHONPATH": path,
            divert.PORT: str(self.web.server.port), divert.LOG: str(self.web.log),
        }  # fmt: skip


@contextmanager
def listening() -> Iterator[io.StringIO]:
    """Everything that this process prints and logs within the block."""
    output = io.StringIO()
    handler = logging.StreamHandler(output)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        with redirect_stdout(output), redirect_stderr(output):
            yield output
    finally:
        root.removeHandler(handler)


@contextmanager
def diverted_here(web: Web) -> Iterator[None]:
    """Within the block this process sees no other web."""
    undo = divert.divert(web.server.port, str(web.log))
    try:
        yield
    finally:
        undo()
