"""`python -m workbench`: the command line, and the servers that it can start."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.errors import UsageError
from workbench.interfaces import cli
from workbench.interfaces.docs import Section
from workbench.masking import mask_tracebacks
from workbench.settings import Settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Interfaces do not know each other; here is where the command line gets the servers.
    """
    mask_tracebacks()
    return cli.main(argv, servers={"mcp": _mcp, "serve": _serve}, sections=sections)


def sections() -> Mapping[str, Section]:
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
    from workbench.records import Extraction, Run
    from workbench.store import Store

    return docs.describe_names(
        {
            "draw": notebook.draw,
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
    from workbench.interfaces.mcp import CALLS_A_MINUTE, build_server, http_app

    if db and db.resolve() != settings.database.resolve():
        raise UsageError(
            f"The pages work on {settings.database}; name another folder by WORKBENCH_DATA (with "
            "make: DATA_DIR=), not by --db."
        )
    agents = build_server(settings, calls_a_minute=CALLS_A_MINUTE)
    serve(
        settings,
        mounts=[lambda rules: http_app(agents, rules.hosts, rules.origins)],
        **options,  # type: ignore[arg-type]  # the parser gave them their types
    )


if __name__ == "__main__":
    sys.exit(main())
