"""The command line: `python -m workbench COMMAND`."""

from workbench.interfaces.cli.main import build_parser, main

__all__ = ["build_parser", "main"]
