"""Environment and settings file to one record; only the interfaces read it and pass it down.

Read are `WORKBENCH_DATA`, `WORKBENCH_ALLOW_FETCH`, `WORKBENCH_ALLOWED_DOMAINS`, and
`$WORKBENCH_DATA/settings.toml` with the keys `allow_fetch`, `allowed_domains`, `search` (a
`module:function` for claim mode), `models` (a folder), `local_servers`, `contact`, `indexes` and `[index_keys]` for
look-ups of references, and the fields of `RetrievalOptions` (`roots`, `repositories`, `memories`,
`archive`, `robots`, `max_age_days`, `[services]`), and what the server holds to (`[server]`, the
fields of `Serving`); the environment wins. No key of any provider is read here: the SDKs read
their own.
"""

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UsageError
from workbench.records.source import RetrievalOptions
from workbench.records.spending import checked_cost_cap

KEYS = {
    "allow_fetch": "true or false",
    "archive": "true or false",
    "robots": "true or false",
    "allowed_domains": "a list of strings",
    "allowed_services": "a list of strings",
    "roots": "a list of strings",
    "repositories": "a list of strings",
    "memories": "a string",
    "models": "a string",
    "local_servers": "true or false",
    "max_age_days": "a number of at least 0",
    "contact": "a string",
    "indexes": "a list of strings",
    "index_keys": "a table of strings",
    "services": "a table of strings",
    "search": "a string",
    "resolver_hosts": "a list of strings",
    "server": "a table",
}
"""The keys of the settings file, and what each must hold."""
VARIABLES = {
    "WORKBENCH_DATA": "The folder with the database, the snapshots and `settings.toml`.",
    "WORKBENCH_ALLOW_FETCH": "`1` allows fetching cited addresses; `0` forbids it.",
    "WORKBENCH_ALLOWED_DOMAINS": (
        "Allow only these domains and their subdomains, separated by commas."
    ),
}
"""The variables of the environment that are read here, and what they do."""
SERVER_KEYS = {
    "token_file": "a string",
    "hosts": "a list of strings",
    "origins": "a list of strings",
    "calls_a_minute": "a whole number of at least 1",
    "max_body_mb": "a whole number of at least 1",
    "max_cost_usd": "a number of at least 0",
    "judge": "a string",
    "policy": "a string",
}
"""The keys under `[server]`, and what each must hold."""
_TRUE = {"1", "true", "yes", "on"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The limits and defaults of the server of pages and API."""

    token_file: str | None = None
    """A file with the token that callers of the API must send."""
    hosts: tuple[str, ...] = ()
    """Host names accepted in addition to this machine's own: those of a reverse proxy."""
    origins: tuple[str, ...] = ()
    """Origins, in addition to the server's own, whose pages may call the API."""
    calls_a_minute: int = 120
    """Limit for requests that check or change something; ten times as many may read."""
    max_body_mb: int = 16
    """Maximum size of a request body, in MiB."""
    max_cost_usd: float = 1.0
    """The highest cost cap that an API call can set, and the default of calls that set none."""
    judge: str = "local"
    """The judge for calls that name none."""
    policy: str | None = None
    """The policy for calls that name none: a name or a file; None for the published defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the interfaces start from."""

    data_dir: Path
    allow_fetch: bool = False
    """Whether cited addresses may be fetched."""
    allowed_domains: tuple[str, ...] = ()
    """Only these domains and their subdomains may be contacted; empty: any public host."""
    allowed_services: tuple[str, ...] = ()
    """Resolvers and indexes that may be contacted in addition to `allowed_domains`, unless a
    call sets its own domains; by their names under `[services]`."""
    contact: str | None = None
    """An e-mail address that is sent to indexes of works, some of which then respond faster."""
    indexes: tuple[str, ...] = ()
    """The indexes of works that are asked whether a reference exists, in this order: `doi crossref
    datacite openalex arxiv pubmed dblp semantic_scholar open_library courtlistener`; empty: those
    that need no key, and those with one."""
    index_keys: Mapping[str, str] = field(default_factory=dict)
    """Files with the keys of indexes, by the index's name: `openalex`, `semantic_scholar`, `pubmed`,
    `courtlistener`. A relative path is relative to the folder of `settings.toml`."""
    reach: RetrievalOptions = field(default_factory=RetrievalOptions)
    search: str | None = None
    """`module:function` that looks a claim up on the web in claim mode; None for no search."""
    models: str | None = None
    """The folder of models of your own, each in a folder below it; a relative path is
    relative to the folder of `settings.toml`, where `models` is the default."""
    local_servers: bool = True
    """Whether Ollama, LM Studio, llama.cpp and vLLM are looked for on this machine and asked."""
    resolver_hosts: tuple[str, ...] = ()
    """Hosts of policies' resolvers that may have a private address."""
    server: Serving = field(default_factory=Serving)
    """The limits and defaults of the server of pages and API; see below."""

    @property
    def database(self) -> Path:
        """The DuckDB file."""
        return self.data_dir / "workbench.duckdb"

    @property
    def snapshots(self) -> Path:
        """The folder of source snapshots."""
        return self.data_dir / "snapshots"

    @property
    def models_folder(self) -> Path:
        """The folder that models of the user's own are looked up in."""
        return self.data_dir / Path(self.models or "models").expanduser()


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process.

    Raises:
        UsageError: The settings file is not TOML or holds an unknown key or a wrong type.
    """
    environ = os.environ if environ is None else environ
    data_path = environ.get("WORKBENCH_DATA", "").strip()
    data_dir = Path(data_path).expanduser() if data_path else _user_data_dir()
    stored = _read_file(data_dir / "settings.toml")
    allow = environ.get("WORKBENCH_ALLOW_FETCH", "").strip().lower()
    domains = environ.get("WORKBENCH_ALLOWED_DOMAINS", "").strip()
    return Settings(
        data_dir=data_dir,
        allow_fetch=allow in _TRUE if allow else stored.allow_fetch,
        allowed_domains=split_domains(domains) if domains else stored.allowed_domains,
        allowed_services=stored.allowed_services,
        contact=stored.contact,
        indexes=stored.indexes,
        index_keys=stored.index_keys,
        reach=stored.reach,
        search=stored.search,
        models=stored.models,
        local_servers=stored.local_servers,
        resolver_hosts=stored.resolver_hosts,
        server=stored.server,
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
        table = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"The settings file {path} is not valid TOML: {error}.") from None
    _check(table, KEYS, path, "")
    served, usual = table.get("server", {}), Serving()
    _check(served, SERVER_KEYS, path, "server.")
    return Settings(
        data_dir=path.parent,
        allow_fetch=table.get("allow_fetch", False),
        allowed_domains=tuple(table.get("allowed_domains", ())),
        allowed_services=tuple(table.get("allowed_services", ())),
        contact=table.get("contact"),
        indexes=tuple(table.get("indexes", ())),
        index_keys={
            name: str(path.parent / Path(file).expanduser())
            for name, file in table.get("index_keys", {}).items()
        },
        search=table.get("search"),
        models=table.get("models"),
        local_servers=table.get("local_servers", True),
        resolver_hosts=tuple(table.get("resolver_hosts", ())),
        server=Serving(
            token_file=served.get("token_file"),
            hosts=tuple(served.get("hosts", ())),
            origins=tuple(served.get("origins", ())),
            calls_a_minute=served.get("calls_a_minute", usual.calls_a_minute),
            max_body_mb=served.get("max_body_mb", usual.max_body_mb),
            max_cost_usd=served.get("max_cost_usd", usual.max_cost_usd),
            judge=served.get("judge", usual.judge),
            policy=served.get("policy"),
        ),
        reach=RetrievalOptions(
            services=table.get("services", {}),
            roots=tuple(table.get("roots", ())),
            repositories=tuple(table.get("repositories", ())),
            memories=table.get("memories"),
            archive=table.get("archive", False),
            robots=table.get("robots", False),
            max_age_days=table.get("max_age_days", RetrievalOptions().max_age_days),
        ),
    )


def _check(table: Mapping[str, object], keys: Mapping[str, str], path: Path, prefix: str) -> None:
    unknown = sorted(prefix + name for name in set(table) - set(keys))
    if unknown:
        raise UsageError(
            f"The settings file {path} contains the unknown key {', '.join(unknown)}; known keys "
            f"are {', '.join(sorted(keys))}."
        )
    for key, value in table.items():
        if not _holds(value, keys[key]):
            raise UsageError(f"{prefix}{key} in {path} must be {keys[key]}.")


def _holds(value: object, what: str) -> bool:
    if what == "true or false":
        return isinstance(value, bool)
    if what == "a list of strings":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if what == "a table of strings":
        return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    if what == "a table":
        return isinstance(value, dict)
    if what == "a whole number of at least 1":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if what == "a number of at least 0":
        try:  # TOML knows nan and inf
            return checked_cost_cap(value) is not None
        except UsageError:
            return False
    return isinstance(value, str)
