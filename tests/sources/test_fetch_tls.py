"""TLS to a pinned address: the certificate is verified against the name, never the address."""

import asyncio
import datetime
import ssl
import time

import pytest

from tests.fakes.web_server import PUBLIC, diverted, fake_web, page, redirect
from workbench.errors import FetchError
from workbench.sources.fetch import Limits, fetch_guarded
from workbench.sources.ssrf_guard import UrlGuard

NAMES = {"good.example": [PUBLIC], "other.example": [PUBLIC]}


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A throw-away authority, and a server certificate for good.example."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    folder = tmp_path_factory.mktemp("tls")
    now = datetime.datetime.now(datetime.UTC)

    def build(subject, issuer, key, signer, *extensions):
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )
        for extension in extensions:
            builder = builder.add_extension(extension, critical=False)
        return builder.sign(signer, hashes.SHA256())

    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = build(
        "root", "root", root_key, root_key, x509.BasicConstraints(ca=True, path_length=None)
    )
    leaf = build(
        "leaf", "root", key, root_key, x509.SubjectAlternativeName([x509.DNSName("good.example")])
    )
    (folder / "ca.pem").write_bytes(root.public_bytes(serialization.Encoding.PEM))
    (folder / "server.pem").write_bytes(
        leaf.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "server.pem")
    return server, ssl.create_default_context(cafile=str(folder / "ca.pem"))


@pytest.fixture
def secure_web(certificates):
    with fake_web({"*": page(b"<p>secure</p>")}, tls=certificates[0]) as server:
        yield server


def test_the_name_is_verified_on_a_pinned_connection(secure_web, certificates, monkeypatch):
    with diverted(monkeypatch, secure_web, NAMES) as network:
        fetched = asyncio.run(
            fetch_guarded("https://good.example/", UrlGuard(), tls=certificates[1])
        )
    assert fetched.body == b"<p>secure</p>"
    assert secure_web.requests[0].host == "good.example"
    assert network.connected == [(PUBLIC, 443)]


def test_another_name_is_refused(secure_web, certificates, monkeypatch):
    with diverted(monkeypatch, secure_web, NAMES), pytest.raises(FetchError) as caught:
        asyncio.run(fetch_guarded("https://other.example/", UrlGuard(), tls=certificates[1]))
    assert caught.value.kind == "bad_status"
    assert "certificate" in caught.value.message
    assert secure_web.requests == []


def test_an_unknown_authority_is_refused(secure_web, monkeypatch):
    with diverted(monkeypatch, secure_web, NAMES), pytest.raises(FetchError) as caught:
        asyncio.run(fetch_guarded("https://good.example/", UrlGuard()))
    assert caught.value.kind == "bad_status"


def test_a_downgrade_to_http_is_refused(secure_web, certificates, monkeypatch):
    secure_web.replies["/down"] = redirect("http://good.example/")
    with diverted(monkeypatch, secure_web, NAMES) as network, pytest.raises(FetchError) as caught:
        asyncio.run(fetch_guarded("https://good.example/down", UrlGuard(), tls=certificates[1]))
    assert caught.value.kind == "bad_scheme"
    assert caught.value.hop == 1
    assert network.connected == [(PUBLIC, 443)]


def test_a_handshake_that_never_ends_ends_at_the_deadline(monkeypatch):
    with fake_web() as silent, diverted(monkeypatch, silent, NAMES):
        silent.handshake_seconds = 60
        started = time.monotonic()
        with pytest.raises(FetchError) as caught:
            asyncio.run(
                fetch_guarded("https://good.example/", UrlGuard(), limits=Limits(seconds=0.5))
            )
    assert caught.value.kind == "timeout"
    assert time.monotonic() - started < 1.0
