"""The doors, each as a caller of it works: what it can express, and how a call is put there."""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, ClassVar

import httpx
import pytest

from tests.doors.diverted import divert
from tests.doors.harness import PROJECT, Door, Outcome, listening
from tests.fakes.app_page import open_options
from tests.fakes.launched import launched
from workbench.__main__ import main
from workbench.errors import WorkbenchError
from workbench.settings import load_settings
from workbench.store.store import Store

_WAIT_S = 120.0


class PythonDoor(Door):
    """`workbench.verify`, which takes arguments only; its run is put into the database."""

    name, marks, lacks = "python", (), frozenset({"settings", "services"})

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        import workbench

        domains = tuple(call.pop("allowed_domains", ()))
        with listening() as output:
            try:
                run = workbench.verify(text, **call, **more, allowed_domains=domains)
            except WorkbenchError as error:
                return self._outcome(output.getvalue() + str(error), refused=True)
            store = Store(self.data_dir / "workbench.duckdb")
            store.add_run(run, text)
            store.finish_run(run)
            print(repr(run), json.dumps(run.to_dict()))
        return self._outcome(output.getvalue(), run=run.to_dict(), document=run.to_dict())


class AgentDoor(Door):
    """The flag on an agent: `grounded`, with a store."""

    name, marks, lacks = "agent", (), frozenset({"settings", "services"})

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        import workbench

        options: dict[str, Any] = {"check": "citations", **call, **more}
        options.setdefault("store", self.data_dir / "workbench.duckdb")
        with listening() as output:
            try:
                grounding = workbench.grounded(lambda: text, **options)().grounding
            except WorkbenchError as error:
                return self._outcome(output.getvalue() + str(error), refused=True)
            print(grounding.summary, json.dumps(grounding.to_dict()))
        run = grounding.run.to_dict() if grounding.run else None
        return self._outcome(
            output.getvalue(), run=run, document=grounding.to_dict(), refused=bool(grounding.error)
        )


class CommandDoor(Door):
    """`workbench verify --json`, then the same run as a person sees it."""

    name, marks = "cli", ()

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        file = self.data_dir / "answer.txt"
        file.write_text(text, "utf-8")
        code, document, output = command(["verify", str(file), *self.options(call), *options(more)])
        run = document if "citations" in document else None
        return self._outcome(output, run=run, document=document, code=code, refused=code == 2)

    def options(self, call: dict[str, Any]) -> list[str]:
        """A call as options of the command line."""
        arguments: list[str] = []
        if "sources" in call:
            file = self.data_dir / "sources.json"
            file.write_text(json.dumps(call["sources"]), "utf-8")
            arguments += ["--sources", str(file)]
        if "judge" in call:
            arguments += ["--judge", call["judge"]]
        if call.get("allow_fetch"):
            arguments.append("--allow-fetch")
        for domain in call.get("allowed_domains", ()):
            arguments += ["--allow-domain", domain]
        if "max_cost_usd" in call:
            arguments += [f"--max-cost-usd={call['max_cost_usd']}"]
        return arguments


def options(more: dict[str, Any]) -> list[str]:
    """`name=value` as `--name value`; True as a switch."""
    arguments: list[str] = []
    for name, value in more.items():
        arguments.append("--" + name.replace("_", "-"))
        arguments += [] if value is True else [str(value)]
    return arguments


def command(arguments: list[str]) -> tuple[int, dict[str, Any], str]:
    """Exit code, JSON document and everything that a command printed and logged."""
    with listening() as captured:
        try:
            code = main([*arguments, "--json"])
        except SystemExit as exit_:
            code = int(exit_.code or 0)
    output = captured.getvalue()
    lines = [line for line in output.splitlines() if line.startswith("{")]
    return code, json.loads(lines[-1]) if lines else {}, output


class LocalBatchDoor(CommandDoor):
    """`workbench batch` over a folder with the one text."""

    name = "batch-local"
    # a batch reads no services of the settings
    lacks = frozenset({"services"})
    engine: ClassVar[tuple[str, ...]] = ()

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        folder, out = self.data_dir / "in", self.data_dir / "out"
        folder.mkdir(exist_ok=True)
        (folder / "answer.txt").write_text(text, "utf-8")
        arguments = ["batch", str(folder), "--out", str(out), *self.engine]
        code, document, output = command([*arguments, *self.options(call), *options(more)])
        runs, failed = out / "runs.jsonl", out / "failed.jsonl"
        written = runs.read_text("utf-8").splitlines() if runs.exists() else []
        failures = failed.read_text("utf-8") if failed.exists() else ""
        return self._outcome(
            "\n".join([output, *written, failures]), run=json.loads(written[-1]) if written else None,
            document=document, code=code, refused=code == 2 or bool(failures),
        )  # fmt: skip


class RayBatchDoor(LocalBatchDoor):
    """The same on a cluster of one worker, which takes several seconds to start."""

    name = "batch-ray"
    engine = ("--engine", "ray", "--workers", "1")
    marks = (pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra `ray`"),)

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        file = self.data_dir / "answer.txt"
        file.write_text(text, "utf-8")
        for _ in range(_RAY_STARTS):
            # a process of its own, so that the cluster ends with it and its workers are diverted
            done = subprocess.run(
                [sys.executable, "-c", _RAY, json.dumps([text, call, more, str(self.data_dir)])],
                cwd=PROJECT, env={**self.diverted_environment(), divert.UNSEEN: _RAYS_OWN},
                capture_output=True, text=True, timeout=300,
            )  # fmt: skip
            if "timed out during startup" not in done.stderr:
                break
            # Ray waits 30 s for itself, which a busy machine may need: nothing was asked yet
            shutil.rmtree(self.data_dir / "out", ignore_errors=True)
        else:
            pytest.skip("Ray does not start on so busy a machine")
        assert done.stdout.strip(), done.stderr
        fields = json.loads(done.stdout.splitlines()[-1])
        fields["output"] += done.stderr
        return self._outcome(**fields)


_RAY_STARTS = 3
_RAYS_OWN = "metadata.google.internal 169.254.169.254"
"""Where Ray looks which cloud's accelerators it runs on; no business of any citation."""
_RAY = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from tests.doors.ways_in import LocalBatchDoor, RayBatchDoor
text, call, more, data_dir = json.loads(sys.argv[1])
door = RayBatchDoor(data_dir=Path(data_dir), web=None)
outcome = asdict(LocalBatchDoor._verify(door, text, call, more))
outcome.pop("data_dir")
print(json.dumps(outcome))
"""


class HttpDoor(Door):
    """`POST /api/v1/verify` to the server's own routes behind its own door, over a socket."""

    name, marks, callers_own = "http", (), False
    path: ClassVar[str] = "/api/v1/verify"

    def body(self, text: str, call: dict[str, Any]) -> dict[str, Any]:
        """A call as the request's JSON."""
        return {"text": text, **call}

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        with listening() as captured, api_server() as url:
            body = {**self.body(text, call), **more}
            answer = httpx.post(url + self.path, json=body, timeout=_WAIT_S, trust_env=False)
        document = answer.json()
        output = f"{captured.getvalue()}{dict(answer.headers)}\n{answer.text}"
        run = None if answer.status_code != 200 else self.run_of(document)
        return self._outcome(
            output, run=run, document=document, code=answer.status_code, refused=run is None
        )

    def run_of(self, document: dict[str, Any]) -> dict[str, Any]:
        """The run behind an answer."""
        return document


class GatewayDoor(HttpDoor):
    """`POST /api/v1/gateway`: the sources are the documents that the answer was made from."""

    name, path = "gateway", "/api/v1/gateway"

    def body(self, text: str, call: dict[str, Any]) -> dict[str, Any]:
        """A call as the request's JSON."""
        renamed = {"documents" if name == "sources" else name: v for name, v in call.items()}
        return {"response": text, **renamed}

    def run_of(self, document: dict[str, Any]) -> dict[str, Any]:
        """The run behind an answer."""
        return self.stored_run(document["run_id"])


@contextmanager
def api_server() -> Iterator[str]:
    """The API with the settings of this moment, in a thread; the pages are another door."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route

    from workbench.interfaces.http.app import API_PATHS, open_api
    from workbench.interfaces.http.security import SecurityMiddleware, SecurityRules
    from workbench.interfaces.http.server import GUARDED
    from workbench.interfaces.http.upstream import Upstream

    api = open_api(load_settings(), Upstream(base="http://127.0.0.1:1/v1"))
    app = Starlette(
        routes=[Route(path, api) for path in API_PATHS],
        middleware=[Middleware(SecurityMiddleware, rules=SecurityRules(guarded=GUARDED))],
    )
    listening_at = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening_at]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening_at.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listening_at.close()


class McpStdioDoor(Door):
    """`verify_citations` of `workbench mcp`, started by its caller, through the SDK's client."""

    name, marks = "mcp-stdio", ()
    tool: ClassVar[str] = "verify_citations"
    _names: ClassVar[dict[str, str]] = {
        "judge": "model", "allowed_domains": "domain_allowlist",
        "max_cost_usd": "max_cost_usd_total",
    }  # fmt: skip

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        renamed = {self._names.get(name, name): value for name, value in call.items()}
        return self._called(
            "verify_citations", {"output": text, "model": "local", **renamed, **more}
        )

    def tool_call(
        self,
        tool: str,
        arguments: dict[str, Any],
        *,
        settings: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        """What any tool of the server answers."""
        with self.prepared(settings, environment):
            return self._called(tool, arguments)

    def _called(self, tool: str, arguments: dict[str, Any]) -> Outcome:
        log = self.data_dir / "mcp.log"
        with log.open("w") as written:
            result = asyncio.run(self._once(tool, arguments, written))
        text = "".join(block.text for block in result.content)
        document = {} if result.is_error else dict(result.structured_content)
        run = self.stored_run(document["id"]) if tool == "verify_citations" and document else None
        return self._outcome(
            f"{log.read_text()}{text}", run=run, document=document, refused=bool(result.is_error)
        )

    async def _once(self, tool: str, arguments: dict[str, Any], log: Any) -> Any:
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client

        program, *arguments_of_it = launched("mcp")
        server = StdioServerParameters(
            command=program, args=arguments_of_it, cwd=str(PROJECT), env=self.diverted_environment()
        )
        async with Client(stdio_client(server, errlog=log)) as client:
            return await client.call_tool(tool, arguments)


class McpHttpDoor(McpStdioDoor):
    """The same of `workbench mcp --transport http`, one process for many callers."""

    name, callers_own = "mcp-http", False

    async def _once(self, tool: str, arguments: dict[str, Any], log: Any) -> Any:
        from mcp import Client

        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = launched("mcp", "--transport=http", f"--port={port}")
        process = subprocess.Popen(
            command, cwd=PROJECT, env=self.diverted_environment(), stdout=log, stderr=log
        )
        try:
            deadline = time.monotonic() + _WAIT_S
            while time.monotonic() < deadline:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    assert process.poll() is None, "the server ended before it answered"
                    await asyncio.sleep(0.05)
            async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                return await client.call_tool(tool, arguments)
        finally:
            process.terminate()
            process.wait(20)


class PagesDoor(Door):
    """The form on the first page, filled in and sent off, and the page of the run that follows."""

    name, marks = "pages", ()

    def _verify(self, text: str, call: dict[str, Any], more: dict[str, Any]) -> Outcome:
        from streamlit.testing.v1 import AppTest

        from workbench.services import cached_views, jobs

        standalone, scope = more.pop("standalone", False), more.pop("scope", None)
        question = more.pop("question", "")
        assert not more, "the form has no other fields"
        cached_views.clear_cached_views()
        with listening() as captured:
            page = AppTest.from_file(PROJECT / "app.py", default_timeout=_WAIT_S).run()
            open_options(page).text_area(key="paste").set_value(text)
            if "sources" in call:
                listed = json.dumps(call["sources"]).encode()
                page.file_uploader(key="source-files").upload(
                    "sources.json", listed, "application/json"
                )
            if "judge" in call:
                page.multiselect(key="judge").set_value([call["judge"]])
            if "allow_fetch" in call:
                page.toggle(key="fetch").set_value(call["allow_fetch"]).run()
            if "allowed_domains" in call:
                page.text_input(key="domains").set_value(" ".join(call["allowed_domains"]))
            if "max_cost_usd" in call:
                page.number_input(key="cap").set_value(call["max_cost_usd"])
            if standalone:
                page.run()  # the switch is there where a language model is asked
                page.toggle(key="standalone").set_value(True)
            if question:
                page.text_area(key="question").set_value(question)
            if scope:
                page.selectbox(key="scope").set_value(scope)
            page.button(key="run").click().run()
            page_texts = [page_text(page)]
            run_ids = page.query_params.get("run")
            run_id = run_ids[0] if isinstance(run_ids, list) else run_ids
            if run_id:
                job = jobs.find(run_id)
                if job:
                    assert job.ended.wait(_WAIT_S)
                page_texts.append(page_text(page.run()))
        output = "\n".join([captured.getvalue(), *page_texts])
        run = self.stored_run(run_id) if run_id else None
        return self._outcome(output, run=run, document=run or {}, refused=run is None)


def page_text(page: Any) -> str:
    """Everything that a page sends to the browser."""
    return "\n".join(str(getattr(element, "proto", "")) for element in page._tree)


DOORS: tuple[type[Door], ...] = (
    PythonDoor, AgentDoor, CommandDoor, LocalBatchDoor, RayBatchDoor, HttpDoor, GatewayDoor,
    McpStdioDoor, McpHttpDoor, PagesDoor,
)  # fmt: skip
