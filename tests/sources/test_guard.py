"""Which addresses may be fetched, and which are never connected to."""

import asyncio
import json
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.web_server import diverted
from workbench.errors import FetchError
from workbench.sources.ssrf_guard import UrlGuard, is_public
from workbench.sources.web import fetch

VECTORS = Path(__file__).parents[2] / "../shared/data/ssrf_vectors.json"

_GLOBAL = ip_network("2000::/3")
PUBLIC = "93.184.216.34"
NAMES = {
    "example.com": [PUBLIC],
    "a-b_c.example.com": [PUBLIC],
    "notlocalhost": [PUBLIC],
    "xn--strae-oqa.de": [PUBLIC],
    "10.example.com": [PUBLIC],
    "dual.example.com": ["2606:4700:4700::1111", PUBLIC],
    "dns64.example.com": ["64:ff9b::5db8:d822"],
    "localhost": ["127.0.0.1"],
    "private.example.com": ["10.0.0.5"],
    "mixed.example.com": [PUBLIC, "127.0.0.1"],
    "isatap.example.com": ["2606:4700::5efe:7f00:1"],
    "scoped.example.com": ["fe80::1%lo"],
    "odd.example.com": ["not-an-address"],
    "azure.example.com": ["168.63.129.16"],
    "metadata": [PUBLIC],
    "metadata.google.internal": [PUBLIC],
    "printer.local": [PUBLIC],
    "x.home.arpa": [PUBLIC],
    "thelocal.example.com": [PUBLIC],
}

ALLOWED = [
    pytest.param("http://example.com/", id="a name"),
    pytest.param("https://example.com:443/x?y=1", id="the default port, written"),
    pytest.param("http://example.com./", id="an absolute name"),
    pytest.param("HTTP://EXAMPLE.COM/", id="upper case"),
    pytest.param("http://a-b_c.example.com/", id="an underscore, as real hosts have them"),
    pytest.param("http://notlocalhost/", id="a name of one label"),
    pytest.param("http://straße.de/", id="an international name"),
    pytest.param("http://10.example.com/", id="a number that is not the last label"),
    pytest.param("http://dual.example.com/", id="both families"),
    pytest.param("http://dns64.example.com/", id="a public address behind NAT64"),
    pytest.param("http://thelocal.example.com/", id="only ends like a local name"),
    pytest.param("http://8.8.8.8/", id="a public literal"),
    pytest.param("http://[2606:4700:4700::1111]/", id="a public IPv6 literal"),
    pytest.param("http://example.com/http://127.0.0.1/", id="an address in the path"),
    pytest.param("http://example.com/a|b?q={x}#f", id="odd characters in the path"),
]
BLOCKED = [
    pytest.param("", "bad_scheme", id="nothing"),
    pytest.param("example.com", "bad_scheme", id="no scheme"),
    pytest.param("ftp://example.com/", "bad_scheme", id="another scheme"),
    pytest.param("javascript:alert(1)", "bad_scheme", id="a script"),
    pytest.param("http:/example.com/", "ssrf", id="one slash"),
    pytest.param("http://", "ssrf", id="no host"),
    pytest.param(" http://example.com/", "ssrf", id="a space before"),
    pytest.param("http://example.com/a b", "ssrf", id="a space inside"),
    pytest.param("http://example.com\t/", "ssrf", id="a tab"),
    pytest.param("http://example.com\\@127.0.0.1/", "ssrf", id="a backslash"),
    pytest.param("http://user@example.com/", "ssrf", id="a user name"),
    pytest.param("http://@example.com/", "ssrf", id="an empty user name"),
    pytest.param("http://example.com:22/", "ssrf", id="another port"),
    pytest.param("http://example.com:+80/", "ssrf", id="a signed port"),
    pytest.param("http://example.com:８０/", "ssrf", id="a full-width port"),
    pytest.param("http://localhost/", "ssrf", id="localhost"),
    pytest.param("http://printer.local/", "ssrf", id="a local name with a public answer"),
    pytest.param("http://metadata/", "ssrf", id="the metadata name with a public answer"),
    pytest.param("http://metadata.google.internal./", "ssrf", id="its long form"),
    pytest.param("http://x.home.arpa/", "ssrf", id="the home network"),
    pytest.param("http://private.example.com/", "ssrf", id="a private answer"),
    pytest.param("http://mixed.example.com/", "ssrf", id="one private answer of two"),
    pytest.param("http://isatap.example.com/", "ssrf", id="an ISATAP answer"),
    pytest.param("http://scoped.example.com/", "ssrf", id="an answer with a zone"),
    pytest.param("http://odd.example.com/", "ssrf", id="an answer that is none"),
    pytest.param("http://azure.example.com/", "ssrf", id="the platform's own address"),
    pytest.param("http://2130706433/", "ssrf", id="a decimal address"),
    pytest.param("http://0x7f.1/", "ssrf", id="a hex address"),
    pytest.param("http://1.1/", "ssrf", id="a short address"),
    pytest.param("http://1.1.1.1./", "ssrf", id="an address with a final dot"),
    pytest.param("http://８.８.８.８/", "ssrf", id="full-width digits"),
    pytest.param("http://⑧.⑧.⑧.⑧/", "ssrf", id="circled digits"),
    pytest.param("http://127.0.0.1/", "ssrf", id="loopback"),
    pytest.param("http://[::1]/", "ssrf", id="IPv6 loopback"),
    pytest.param("http://[::ffff:8.8.8.8]/", "ssrf", id="a mapped literal"),
    pytest.param("http://[2606:4700:4700::1.1.1.1]/", "ssrf", id="a dotted tail"),
    pytest.param("http://[2606:4700:4700::1111%25eth0]/", "ssrf", id="a zone"),
    pytest.param("http://[2002:808:808::1]/", "ssrf", id="6to4"),
    pytest.param("http://[4000::1]/", "ssrf", id="outside global unicast"),
    pytest.param("http://nobody.example/", "no_such_host", id="an invented host"),
    pytest.param("http://example.com/" + "a" * 2048, "ssrf", id="far too long"),
]


def _vectors():
    if not VECTORS.is_file():
        return [pytest.param({}, marks=pytest.mark.skip("the shared vectors are not here"))]
    return [pytest.param(v, id=v["id"]) for v in json.loads(VECTORS.read_text("utf-8"))]


def _ask(url: str) -> str:
    """The error kind of a fetch; `reached` when a connection was attempted."""
    with pytest.raises(FetchError) as caught:
        asyncio.run(fetch(url, allow_fetch=True))
    assert caught.value.kind != "fetch_disabled"
    return caught.value.kind


@pytest.mark.parametrize("vector", _vectors())
def test_shared_vectors(vector, monkeypatch):
    with diverted(monkeypatch, names=vector.get("dns")) as network:
        kind = _ask(vector["url"])
    if vector["expect"] == "blocked":
        assert network.connected == []
        assert kind in ("ssrf", "bad_scheme")
    else:
        assert network.connected
        assert all(is_public(ip_address(host)) for host, _ in network.connected)


@pytest.mark.parametrize("url", ALLOWED)
def test_allowed_addresses_reach_a_public_host(url, monkeypatch):
    with diverted(monkeypatch, names=NAMES) as network:
        _ask(url)
    assert network.connected
    assert {port for _, port in network.connected} <= {80, 443}
    assert all(is_public(ip_address(host)) for host, _ in network.connected)


@pytest.mark.parametrize(("url", "kind"), BLOCKED)
def test_blocked_addresses_are_never_connected_to(url, kind, monkeypatch):
    with diverted(monkeypatch, names=NAMES) as network:
        assert _ask(url) == kind
    assert network.connected == []


@pytest.mark.parametrize(
    "name", ["private.example.com", "mixed.example.com", "isatap.example.com", "azure.example.com"]
)
def test_no_message_reveals_an_address(name, monkeypatch):
    with diverted(monkeypatch, names=NAMES), pytest.raises(FetchError) as caught:
        asyncio.run(fetch(f"http://{name}/p?secret=1", allow_fetch=True))
    message = f"{caught.value} {caught.value.url} {caught.value.__cause__}"
    assert not any(answer in message for answer in NAMES[name])
    assert "secret" not in message


@pytest.mark.parametrize(
    ("allowed", "url", "listed"),
    [
        (["wikipedia.org"], "https://en.wikipedia.org/wiki/X", True),
        (["wikipedia.org"], "https://wikipedia.org/", True),
        (["wikipedia.org"], "https://wikipedia.org./", True),
        (["wikipedia.org"], "https://notwikipedia.org/", False),
        (["wikipedia.org"], "https://wikipedia.org.evil.example/", False),
        (["wikipedia.org"], "https://evil.example/wikipedia.org", False),
        ([".Wikipedia.ORG."], "https://en.wikipedia.org/", True),
        (["*.wikipedia.org"], "https://en.wikipedia.org/", True),
        (["bücher.example"], "https://xn--bcher-kva.example/", True),
        (["8.8"], "https://8.8.8.8/", False),
        (["8.8.8.8"], "https://8.8.8.8/", True),
        (["a b"], "https://example.com/", False),
        ([], "https://example.com/", True),
        ([" "], "https://example.com/", True),
    ],
)
def test_allowlist_has_a_dot_boundary(allowed, url, listed):
    guard = UrlGuard(allowed)
    if listed:
        assert guard.check(url).url
        return
    with pytest.raises(FetchError) as caught:
        guard.check(url)
    assert caught.value.kind == "not_allowed_domain"


def test_a_configured_service_is_exempt_by_exact_host_and_port():
    guard = UrlGuard(services=["http://127.0.0.1:8123/base/"])
    assert guard.check("http://127.0.0.1:8123/other").exempt
    for url in ("http://127.0.0.1/", "http://127.0.0.1:8124/", "http://127.0.0.2:8123/"):
        with pytest.raises(FetchError) as caught:
            guard.check(url)
        assert caught.value.kind == "ssrf"


def test_fetching_is_off_unless_allowed(monkeypatch):
    with diverted(monkeypatch, names=NAMES) as network, pytest.raises(FetchError) as caught:
        asyncio.run(fetch("http://example.com/"))
    assert caught.value.kind == "fetch_disabled"
    assert network.looked_up == []


@given(st.ip_addresses(v=4))
def test_public_ipv4_is_what_the_registries_call_global(address):
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast


@given(st.ip_addresses(v=6))
def test_public_ipv6_is_global_unicast_or_carries_a_public_ipv4(address):
    if is_public(address):
        embedded = address.ipv4_mapped
        nat64 = int(address) >> 32 == 0x64FF9B << 64
        assert address in _GLOBAL or embedded or nat64
        assert address.sixtofour is None
        assert address.teredo is None


@given(st.ip_addresses(v=4, network="10.0.0.0/8") | st.ip_addresses(v=4, network="127.0.0.0/8"))
@pytest.mark.parametrize("prefix", ["::ffff:0:0", "64:ff9b::", "::", "::ffff:0:0:0", "64:ff9b:1::"])
def test_no_ipv6_form_carries_a_private_ipv4_through(prefix, address):
    assert not is_public(ip_address(int(ip_address(prefix)) + int(address)))


@given(st.text(max_size=60))
def test_any_text_is_either_refused_or_names_an_http_host(text):
    for url in (text, f"http://{text}", f"https://example.com{text}"):
        try:
            checked = UrlGuard().check(url)
        except FetchError as refused:
            assert refused.kind in ("bad_scheme", "ssrf")
        else:
            assert checked.scheme in ("http", "https")
            assert checked.host.isascii()
