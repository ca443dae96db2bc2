"""May this address be fetched? Every rule about URLs, names and IP addresses, in one place.

The one module that knows `ssrfguard`: its address table and URL policy stand under our stricter
rules, and nothing of its types leaves this file. Messages never hold a resolved address.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from workbench.errors import ErrorKind, FetchError

if TYPE_CHECKING:
    import httpx
    from ssrfguard import AddressTable, Policy

IPAddress = IPv4Address | IPv6Address

MAX_URL = 2048
PORTS = frozenset({80, 443})

_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*):", re.I)
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")
_NUMERIC_LABEL = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)", re.I)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.I)
# Names that mean "this machine" or "this network", whatever they resolve to.
_LOCAL_SUFFIXES = (
    "localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan",
    "home.arpa", "svc",
)  # fmt: skip
_LOCAL_NAMES = frozenset({"metadata", "instance-data", "kubernetes", "kubernetes.default"})
# ISATAP hides an IPv4 address in the last 32 bits of an otherwise global IPv6 address.
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedUrl:
    """An address that may be fetched, once its name's answers have been checked as well."""

    url: str
    """The address as it goes on the wire: host in ASCII without a final dot, no fragment."""
    scheme: str
    host: str
    port: int
    literal: IPAddress | None
    exempt: bool
    """A configured service: its host and port may lie on a private address."""


class UrlGuard:
    """The rules for one fetch: an allowlist of domains, and the configured services' origins.

    The list holds for every host that is asked: those that are cited, those that identifiers are
    resolved at (doi.org and the like), and those that redirects lead to.
    """

    def __init__(self, allowed_domains: Iterable[str] = (), services: Iterable[str] = ()) -> None:
        self.allowed_domains = tuple(filter(None, map(domain_name, allowed_domains)))
        self._exempt = frozenset(filter(None, (_origin(base) for base in services)))

    def check(self, url: str, *, hop: int = 0) -> CheckedUrl:
        """The address in the form that goes on the wire.

        Args:
            url: The address as it was cited, or as a redirect gave it.
            hop: How many redirects led here, for the error.

        Raises:
            FetchError: `bad_scheme`, `ssrf` or `not_allowed_domain`.
        """
        try:
            checked = self._check(url)
        except _Refused as refused:
            raise FetchError(
                refused.kind, str(refused), url=url_for_display(str(url)), hop=hop
            ) from refused
        if not self._is_listed(checked):
            raise FetchError(
                "not_allowed_domain",
                f"{checked.host} is not among the allowed domains "
                f"({', '.join(self.allowed_domains)}): allow {checked.host}, or provide the source "
                f"yourself.",
                url=url_for_display(url),
                hop=hop,
            )
        return checked

    def _check(self, url: str) -> CheckedUrl:
        _check_spelling(url)
        parsed, host, port = _parts(url)
        exempt = (host, port) in self._exempt
        literal = _literal(host)
        if not exempt:
            _check_policy(url, parsed)
            _check_name(host)
            if port not in PORTS:
                raise _Refused("ssrf", "it asks for an unusual port")
            if literal is not None and not (_is_plain(literal, host) and is_public(literal)):
                raise _Refused("ssrf", "its host is not a public address")
        return CheckedUrl(
            url=str(parsed.copy_with(host=host, fragment=None)),
            scheme=parsed.scheme,
            host=host,
            port=port,
            literal=literal,
            exempt=exempt,
        )

    def _is_listed(self, checked: CheckedUrl) -> bool:
        if not self.allowed_domains:
            return True
        if checked.literal is not None:
            return checked.host in self.allowed_domains
        return any(
            checked.host == domain or checked.host.endswith("." + domain)
            for domain in self.allowed_domains
        )

    @staticmethod
    def check_answers(
        checked: CheckedUrl, answers: Sequence[str], *, hop: int = 0
    ) -> list[IPAddress]:
        """The addresses to connect to: every answer of the name service, all of them public.

        Raises:
            FetchError: `ssrf` when a single one is not.
        """
        addresses: list[IPAddress] = []
        for answer in answers:
            try:
                address = ip_address(answer)
            except ValueError:
                raise blocked(checked.url, "its name has an unusable answer", hop) from None
            if not checked.exempt and not is_public(address):
                raise blocked(checked.url, "its name leads to a non-public address", hop)
            if address not in addresses:
                addresses.append(address)
        return addresses


def domain_name(name: str) -> str:
    """An entry of the allowlist as hosts are compared with it; empty for one that names nothing.

    One that is not a host name stays as it is and matches nothing.
    """
    if not name.strip(" .*"):
        return ""
    bare = name.strip().lower().removeprefix("*.").strip(".")
    return ascii_host(bare) or bare


class _Refused(Exception):
    def __init__(self, kind: ErrorKind, reason: str) -> None:
        message = f"Blocked for safety: {reason}. Provide the source yourself if you trust it."
        super().__init__(message if kind == "ssrf" else reason)
        self.kind: ErrorKind = kind


def blocked(url: str, reason: str, hop: int = 0) -> FetchError:
    """The `ssrf` error for an address that was refused after its name was looked up."""
    return FetchError("ssrf", str(_Refused("ssrf", reason)), url=url_for_display(url), hop=hop)


def is_public(address: IPAddress) -> bool:
    """Whether packets to this address end at a public host, transition forms decoded."""
    if isinstance(address, IPv6Address) and (
        address.scope_id is not None or (int(address) >> 32) & 0xFFFFFFFF in _ISATAP
    ):
        return False
    return not _table().classify(address).blocked


def url_for_display(url: str) -> str:
    """An address for messages and logs: without credentials, query and fragment, and short."""
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    bare = re.sub(r"^([a-z+.-]+://)[^/]*@", r"\1", bare, flags=re.I)
    clean = "".join(char if char.isprintable() else "\ufffd" for char in bare)
    return clean if len(clean) <= 200 else clean[:199] + "…"


def ascii_host(host: str) -> str | None:
    """The host as it goes on the wire, lower case; None for a name that cannot be one."""
    if host.isascii():
        return host.lower()
    import idna

    try:
        return idna.encode(host.lower()).decode("ascii")
    except idna.IDNAError:
        return None


def _check_spelling(url: str) -> None:
    """What can be said about the characters, before any parser interprets them."""
    if not isinstance(url, str):
        raise _Refused("bad_scheme", "The address is not a text: only http and https are fetched.")
    scheme = _SCHEME.match(url[:MAX_URL])
    if scheme is None or scheme[1].lower() not in ("http", "https"):
        problem = f"starts with {scheme[1][:20]}:" if scheme else "has no scheme"
        raise _Refused("bad_scheme", f"The address {problem}: only http and https are fetched.")
    if len(url) > MAX_URL:
        raise _Refused("ssrf", f"the address is longer than {MAX_URL} characters")
    if _FORBIDDEN.search(url):
        raise _Refused("ssrf", "the address contains a space, a backslash or a control character")
    if not re.match(r"https?://", url, re.I):
        raise _Refused("ssrf", "the address has no // after its scheme")


def _parts(url: str) -> tuple["httpx.URL", str, int]:
    """The parsed address, its ASCII host without a final dot, its port: where two parsers agree."""
    import httpx

    try:
        split = urlsplit(url)
        raw_host, port = split.hostname, split.port
        parsed = httpx.URL(url)
    except (ValueError, httpx.InvalidURL) as bad:
        raise _Refused("ssrf", "the address is malformed") from bad
    if "@" in split.netloc or parsed.userinfo:
        raise _Refused("ssrf", "the address contains a user name or a password")
    if not raw_host:
        raise _Refused("ssrf", "the address names no host")
    if raw_host.endswith(".") and _literal(raw_host.rstrip(".")):
        raise _Refused("ssrf", "its host is an unusual spelling of an address")
    host = ascii_host(raw_host)
    wire = parsed.raw_host.decode("ascii", "replace").strip("[]").lower()
    if host is None or host != wire or (parsed.port or port) != port:
        raise _Refused("ssrf", "the address can be read in two ways")
    if not raw_host.isascii() and _NUMERIC_LABEL.fullmatch(host.rstrip(".").rsplit(".", 1)[-1]):
        raise _Refused("ssrf", "its host is an unusual spelling of an address")
    host = host.removesuffix(".")
    default = 443 if parsed.scheme == "https" else 80
    return parsed, host, default if port is None else port


def _check_policy(url: str, parsed: "httpx.URL") -> None:
    """The library's own view of the raw address and of the parsed one.

    The parser silently mends `:+80` and full-width digits, so the parsed form alone would miss
    them. Underscores stand in real host names and only the library's pattern refuses them.
    """
    from ssrfguard import SSRFGuardError

    try:
        for form in {url, str(parsed)}:
            _policy().check_url(form.replace("_", "x"))
    except SSRFGuardError as refused:
        raise _Refused("ssrf", "its host, port or form is not allowed") from refused


def _check_name(host: str) -> None:
    if _literal(host) is not None or ":" in host:
        return
    labels = host.split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        # The C library would read `0x7f.1` or `2130706433` as an address.
        raise _Refused("ssrf", "its host is an unusual spelling of an address")
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise _Refused("ssrf", "its host is not a well-formed name")
    if host in _LOCAL_NAMES or any(
        host == suffix or host.endswith("." + suffix) for suffix in _LOCAL_SUFFIXES
    ):
        raise _Refused("ssrf", "its name is reserved for local networks")


def _literal(host: str) -> IPAddress | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _is_plain(literal: IPAddress, host: str) -> bool:
    """Whether a literal is spelled as people spell it: no dotted tail, only global unicast."""
    if isinstance(literal, IPv4Address):
        return str(literal) == host
    return "." not in host and "%" not in host and literal in ip_network("2000::/3")


def _origin(base: str) -> tuple[str, int] | None:
    try:
        _, host, port = _parts(base)
    except _Refused:
        return None
    return host, port


@cache
def _table() -> "AddressTable":
    """The library's table, made stricter: only global unicast, and no special-purpose blocks."""
    from ssrfguard import DEFAULT_DENIED, AddressTable, Block, Reach

    decoded = {ip_network("::ffff:0:0/96"), ip_network("64:ff9b::/96")}  # DNS64 networks need them
    blocks = [
        block
        if block.network in decoded
        else Block(block.network, block.name, block.rfc, Reach.DENIED)
        for block in DEFAULT_DENIED.blocks
    ]
    blocks += [
        Block(ip_network("::/0"), "Not global unicast", "RFC4291", Reach.DENIED),
        Block(ip_network("2000::/3"), "Global unicast", "RFC4291", Reach.PERMITTED),
        Block(ip_network("168.63.129.16/32"), "Cloud platform service", "-", Reach.DENIED),
    ]
    return AddressTable(tuple(blocks))


@cache
def _policy() -> "Policy":
    from ssrfguard import Policy

    return Policy(denied_networks=_table(), max_url_length=MAX_URL * 3, allowed_ports=PORTS)
