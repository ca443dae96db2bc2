"""The command line: `python -m workbench COMMAND`."""

from workbench.fronts.cli.main import main

__all__ = ["main"]
