"""Environment and settings file to one record; only the fronts read it and pass it down.

Read are `WORKBENCH_DATA`, `WORKBENCH_ALLOW_FETCH`, `WORKBENCH_ALLOWED_DOMAINS`, and
`$WORKBENCH_DATA/settings.toml` with the keys `allow_fetch` and `allowed_domains`; the environment
wins. No key of any provider is read here: the SDKs read their own.
"""

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError

SHIPPED_DATA = Path(__file__).resolve().parents[1] / "data"
"""Demo outputs, policies and weights, found from the package's own place."""

_KNOWN = {"allow_fetch", "allowed_domains"}
_TRUE = {"1", "true", "yes", "on"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the fronts start from."""

    data_dir: Path
    allow_fetch: bool = False
    allowed_domains: tuple[str, ...] = ()

    @property
    def database(self) -> Path:
        """The DuckDB file."""
        return self.data_dir / "workbench.duckdb"

    @property
    def snapshots(self) -> Path:
        """The folder of source snapshots."""
        return self.data_dir / "snapshots"


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process.

    Raises:
        UsageError: The settings file is not TOML or holds an unknown key or a wrong type.
    """
    environ = os.environ if environ is None else environ
    named = environ.get("WORKBENCH_DATA", "").strip()
    data_dir = Path(named).expanduser() if named else _user_data_dir()
    kept = _read_file(data_dir / "settings.toml")
    allow = environ.get("WORKBENCH_ALLOW_FETCH", "").strip().lower()
    domains = environ.get("WORKBENCH_ALLOWED_DOMAINS", "").strip()
    return Settings(
        data_dir=data_dir,
        allow_fetch=allow in _TRUE if allow else kept.allow_fetch,
        allowed_domains=split_domains(domains) if domains else kept.allowed_domains,
    )


def split_domains(text: str) -> tuple[str, ...]:
    """The domains of a comma- or space-separated list, in order, without empty ones."""
    return tuple(part for part in text.replace(",", " ").split() if part)


def _user_data_dir() -> Path:
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "citation-workbench"
    if sys.platform == "win32":
        return home / "AppData" / "Local" / "citation-workbench"
    return home / ".local" / "share" / "citation-workbench"


def _read_file(path: Path) -> Settings:
    if not path.is_file():
        return Settings(data_dir=path.parent)
    try:
        kept = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"The settings file {path} is not valid TOML: {error}.") from None
    unknown = set(kept) - _KNOWN
    if unknown:
        raise UsageError(
            f"The settings file {path} holds the unknown key {', '.join(sorted(unknown))}; "
            f"known are {', '.join(sorted(_KNOWN))}."
        )
    allow, domains = kept.get("allow_fetch", False), kept.get("allowed_domains", [])
    if not isinstance(allow, bool):
        raise UsageError(f"allow_fetch in {path} must be true or false.")
    if not isinstance(domains, list) or not all(isinstance(one, str) for one in domains):
        raise UsageError(f"allowed_domains in {path} must be a list of strings.")
    return Settings(data_dir=path.parent, allow_fetch=allow, allowed_domains=tuple(domains))
