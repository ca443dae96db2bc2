"""What may be fetched and what may be spent: decided here, for every interface.

There are two kinds of process. One belongs to its caller: a command, an agent's own MCP server over
standard input and output, the pages of somebody's own machine. There the caller's wish is enough,
and the domains of the call and of the settings are allowed together. The other serves many callers:
the HTTP API, the gateway and the pass-through, MCP over HTTP, and pages behind a reverse proxy or a
login. There a call narrows what the operator's settings allow and never widens it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from workbench.errors import UsageError
from workbench.pipeline.fetching import open_services
from workbench.pipeline.options import VerifyOptions, default_cap_usd
from workbench.records.options import CAP_USD, NO_CAP, NoCap
from workbench.records.spending import checked_cost_cap
from workbench.records.text import Json
from workbench.settings import Settings
from workbench.sources.ssrf_guard import domain_name

"""What a caller says who wants no cap at all."""
FETCH_IS_OFF = (
    "Fetching is off on this server, and a call cannot switch it on: its operator can set "
    "allow_fetch = true in settings.toml (or WORKBENCH_ALLOW_FETCH=1). Or provide the source "
    "yourself."
)
NO_SUCH_DOMAIN = (
    "Nothing is fetched: none of the domains that the call allows ({wanted}) is among the "
    "allowed_domains of this server's settings ({own}). Name one of those, or provide the source "
    "yourself."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What a run may do."""

    allow_fetch: bool = False
    allowed_domains: tuple[str, ...] = ()
    """Empty: any public host."""
    max_cost_usd: float | None = CAP_USD
    """None: no cap."""
    allow_search: bool = True
    """Whether a call may have the web searched; what it finds is fetched where `allow_fetch` says so."""
    fetch_refused: str = ""
    """Why the call's wish to fetch was refused, in a sentence; empty where it was not."""

    def applied_to(self, options: VerifyOptions) -> VerifyOptions:
        """The options with what may be fetched and spent; offline, nothing is fetched."""
        return replace(
            options,
            allow_fetch=self.allow_fetch and not options.offline,
            fetch_refused=self.fetch_refused,
            allowed_domains=self.allowed_domains,
            max_cost_usd=self.max_cost_usd,
        )


def own_permissions(
    settings: Settings,
    *,
    allow_fetch: bool = False,
    domains: Sequence[str] = (),
    max_cost_usd: float | NoCap | None = None,
    judges: Sequence[str] = (),
) -> Permissions:
    """What a call may do in a process that belongs to its caller.

    Args:
        settings: The settings of the process.
        allow_fetch: The call's wish; it is enough, and so are the settings.
        domains: The call's own list, united with that of the settings.
        max_cost_usd: The call's cap in USD; None where it names none, `none` for no cap.
        judges: SPECs that the default cap is for; see `default_cap_usd`.

    Raises:
        UsageError: The cap is no amount, or the settings name an unknown service.
    """
    cap: float | None
    if max_cost_usd is None:
        cap = default_cap_usd(judges)
    else:
        cap = None if max_cost_usd == NO_CAP else checked_cost_cap(max_cost_usd)
    return Permissions(
        allow_fetch=allow_fetch or settings.allow_fetch,
        allowed_domains=_merged_domains(settings, domains),
        max_cost_usd=cap,
    )


def caller_permissions(
    settings: Settings,
    *,
    allow_fetch: bool | None = None,
    domains: Sequence[str] = (),
    max_cost_usd: Json = None,
    usual_usd: float | None = None,
) -> Permissions:
    """What a call may do in a process that serves many callers.

    Args:
        settings: The operator's settings: what they allow is the most that a call gets.
        allow_fetch: The call's wish; None leaves it to the settings.
        domains: The call's own list; only what the settings' list admits is left of it.
        max_cost_usd: The call's cap in USD; one above `[server] max_cost_usd` is lowered to it.
        usual_usd: The cap of a call that names none; None for that of the settings.

    Raises:
        UsageError: The cap is no amount, or the settings name an unknown service.
    """
    most = settings.server.max_cost_usd
    usual_cap = most if usual_usd is None else usual_usd
    named_cap = checked_cost_cap(max_cost_usd)
    cap = min(usual_cap if named_cap is None else named_cap, most)
    own_domains = _merged_domains(settings, ())
    if not settings.allow_fetch:
        refused = FETCH_IS_OFF if allow_fetch else ""
        return Permissions(
            allowed_domains=own_domains, max_cost_usd=cap, allow_search=False, fetch_refused=refused
        )
    if allow_fetch is False:
        return Permissions(allowed_domains=own_domains, max_cost_usd=cap)
    call_domains = _normalized_domains(domains)
    if not call_domains:
        return Permissions(allow_fetch=True, allowed_domains=own_domains, max_cost_usd=cap)
    shared_domains = _domain_intersection(
        call_domains, _normalized_domains(settings.allowed_domains)
    )
    if shared_domains:
        return Permissions(allow_fetch=True, allowed_domains=shared_domains, max_cost_usd=cap)
    # an empty list would mean every public host
    refused = NO_SUCH_DOMAIN.format(
        wanted=", ".join(call_domains), own=", ".join(_normalized_domains(settings.allowed_domains))
    )
    return Permissions(allowed_domains=own_domains, max_cost_usd=cap, fetch_refused=refused)


def serves_many_callers(settings: Settings, account: Mapping[str, Json] | None = None) -> bool:
    """Whether the pages of this process are there for others than the one who started it.

    They are where a reverse proxy's name may be asked for (`[server] hosts`), and where people log
    in (`account` is what Streamlit's login says; None without one).
    """
    return bool(settings.server.hosts) or account is not None


def page_permissions(
    settings: Settings,
    *,
    allow_fetch: bool,
    domains: Sequence[str],
    max_cost_usd: float | None,
    shared: bool,
) -> Permissions:
    """What a run that is started on a page may do.

    On somebody's own machine the form says it all: it shows the settings' domains and the default
    cap, and whoever changes them there decides for their own run; an emptied cap is no cap. On
    pages that serve many (`serves_many_callers`) the form is a call like any other.

    Raises:
        UsageError: The cap is no amount.
    """
    if shared:
        return caller_permissions(
            settings, allow_fetch=allow_fetch, domains=domains, max_cost_usd=max_cost_usd
        )
    return Permissions(
        allow_fetch=allow_fetch,
        allowed_domains=tuple(domains),
        max_cost_usd=checked_cost_cap(max_cost_usd),
    )


def _merged_domains(settings: Settings, domains: Sequence[str]) -> tuple[str, ...]:
    """The settings' domains and a call's; without a list of the call's, allowed services too."""
    own_domains = settings.allowed_domains
    if _normalized_domains(domains) or not own_domains:
        return (*own_domains, *domains)
    return (*own_domains, *_service_hosts(settings))


def _service_hosts(settings: Settings) -> list[str]:
    """The hosts of the services that the settings allow beside their domains."""
    services = open_services(settings.reach)
    known_services = tuple(type(services).__dataclass_fields__)
    unknown = [name for name in settings.allowed_services if name not in known_services]
    if unknown:
        raise UsageError(
            f"allowed_services in settings.toml names {', '.join(unknown)}; known are "
            f"{', '.join(known_services)}."
        )
    bases = [getattr(services, name) for name in settings.allowed_services]
    return [host for base in bases if base and (host := urlsplit(base).hostname)]


def _normalized_domains(domains: Sequence[str]) -> tuple[str, ...]:
    """Domains as the fetcher compares them, without empty ones."""
    return tuple(filter(None, map(domain_name, domains)))


def _domain_intersection(
    call_domains: Sequence[str], own_domains: Sequence[str]
) -> tuple[str, ...]:
    """What two lists of suffixes both admit; empty `own_domains` admit everything."""
    if not own_domains:
        return tuple(call_domains)
    shared = [
        domain if _is_subdomain(domain, other) else other
        for domain in call_domains
        for other in own_domains
        if _is_subdomain(domain, other) or _is_subdomain(other, domain)
    ]
    return tuple(dict.fromkeys(shared))


def _is_subdomain(domain: str, root: str) -> bool:
    return domain == root or domain.endswith("." + root)
