"""`python -m workbench`: the command line, and the servers that it can start."""

import atexit
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.interfaces import cli
from workbench.masking import mask_tracebacks
from workbench.settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from workbench.interfaces.docs import Section


def main(argv: Sequence[str] | None = None, on_stop: Callable[[], None] = lambda: None) -> int:
    """Run one command and return its exit code; `on_stop` is called where Ctrl-C ended it.

    Interfaces do not know each other; here is where the command line gets the servers.
    """
    mask_tracebacks()
    return cli.main(
        argv, servers={"mcp": _mcp, "serve": _serve}, sections=sections, on_stop=on_stop
    )


def run() -> None:
    """Run the command of the program's arguments and end the process with its exit code."""
    # where Jupyter brings this, jsonschema compiles grammars of addresses for seconds, unasked
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # "no such module"
    sys.exit(main(on_stop=_end_process))


def _end_process() -> None:
    """End without taking the interpreter down: a thread that Ctrl-C left within DuckDB aborts that."""
    sys.stdout.flush()
    sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(1)


def sections() -> "Mapping[str, Section]":
    """What generates each generated part of `data/docs`, from the interfaces' own descriptions."""
    from workbench import __all__ as verbs
    from workbench.interfaces import docs, http, mcp

    return {
        "agent": _agent,
        "commands": lambda: docs.describe_commands(cli.build_parser()),
        "http": lambda: docs.describe_http(http.describe_api()),
        "notebook": _notebook,
        "policy-fields": docs.describe_policy,
        "public-names": lambda: docs.describe_names(
            {name: getattr(sys.modules["workbench"], name) for name in verbs}
        ),
        "records": docs.describe_records,
        "settings": docs.describe_settings,
        "tools": lambda: docs.describe_tools(mcp.list_tools()),
    }


def _agent() -> str:
    from workbench.interfaces import agent, docs

    names = docs.describe_names({"grounded": agent.grounded})
    return f"{names}\n\n{docs.describe_records((agent.Grounding, agent.Call))}"


def _notebook() -> str:
    from workbench.interfaces import docs, notebook
    from workbench.records.citation import Extraction
    from workbench.records.verdict import Run
    from workbench.store.store import Store

    return docs.describe_names(
        {
            "draw": notebook.draw,
            "review": notebook.review,
            "calibrate": notebook.calibrate,
            "Extraction.to_frame": Extraction.to_frame,
            "Run.to_frame": Run.to_frame,
            "Store.frame": Store.frame,
            "Store.label": Store.label,
        }
    )


def _mcp(settings: Settings, db: Path | None, **options: object) -> None:
    from workbench.interfaces.mcp import serve

    serve(settings, db=db, **options)  # type: ignore[arg-type]  # the parser gave them their types


def _serve(settings: Settings, db: Path | None, **options: object) -> None:
    from workbench.interfaces.http import serve
    from workbench.interfaces.web.warm_up import PAGES

    if db and db.resolve() != settings.database.resolve():
        raise UsageError(
            f"The pages work on {settings.database}; name another folder by WORKBENCH_DATA (with "
            "make: DATA_DIR=), not by --db."
        )

    def agents() -> "Starlette":
        from workbench.interfaces.mcp import CALLS_A_MINUTE, build_server, http_app

        return http_app(build_server(settings, calls_a_minute=CALLS_A_MINUTE))

    serve(
        settings,
        mounts={"/mcp": agents},
        # what takes longest of the API and the tools, in steps between which a page can be drawn
        warm_up=(
            *PAGES, "fastapi", "workbench.interfaces.http.routes", "mcp_types", "mcp.types",
            "mcp.server.auth.routes", "mcp.server", "mcp", "workbench.interfaces.mcp.server",
        ),
        **options,  # type: ignore[arg-type]  # the parser gave them their types
    )  # fmt: skip


if __name__ == "__main__":
    run()
