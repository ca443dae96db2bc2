"""Packages whose names are imported when they are first used, so that a command starts with what it needs."""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def lazy_exports(package: str, file: str) -> Callable[[str], object]:
    """The `__getattr__` of a package (PEP 562) that imports under `if TYPE_CHECKING`.

    What the package re-exports stands there once, for the type checker and for this.
    """
    homes: dict[str, str] = {}
    for statement in ast.parse(Path(file).read_text("utf-8")).body:
        if isinstance(statement, ast.If):
            for imported in statement.body:
                if isinstance(imported, ast.ImportFrom) and imported.module:
                    homes |= {name.asname or name.name: imported.module for name in imported.names}

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
