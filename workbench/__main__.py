"""`python -m workbench`: the command line, and the servers that it can start."""

import sys
from collections.abc import Sequence
from pathlib import Path

from workbench.fronts import cli
from workbench.settings import Settings


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Fronts do not know each other; here is where the command line gets the servers.
    """
    return cli.main(argv, servers={"mcp": _mcp})


def _mcp(settings: Settings, db: Path | None, **options: object) -> None:
    from workbench.fronts.mcp_server import serve

    serve(settings, db=db, **options)  # type: ignore[arg-type]  # the parser gave them their types


if __name__ == "__main__":
    sys.exit(main())
