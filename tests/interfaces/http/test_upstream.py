"""Where the pass-through sends requests: never to itself, and with whose key."""

import pytest

from workbench.interfaces.http.upstream import data_of, is_self, open_upstream


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("http://127.0.0.1:8501/v1", True),
        ("http://localhost:8501/v1", True),
        ("http://[::1]:8501", True),
        ("http://127.0.0.2:8501/v1", True),
        ("http://0.0.0.0:8501/v1", True),
        ("http://127.0.0.1:8000/v1", False),
        ("https://api.openai.com/v1", False),
        ("http://[broken", False),
        ("", False),
    ],
)
def test_its_own_address_is_known(base, expected):
    assert is_self(base, 8501) is expected


def test_a_key_is_never_shown():
    upstream = open_upstream({"OPENAI_API_KEY": "sk-secret"}, 8501, "the-token-of-this-server")
    assert upstream.base == "https://api.openai.com/v1"
    assert "secret" not in repr(upstream)
    assert "token-of" not in repr(upstream)
    # the token of this server is not a key of the other
    headers = upstream.headers({"authorization": "Bearer the-token-of-this-server"})
    assert headers["authorization"] == "Bearer sk-secret"
    assert "authorization" not in open_upstream({}, 1, None).headers({})


def test_the_data_of_an_event():
    assert data_of(b"event: x\ndata: a\ndata:b\n: note\n\n") == "a\nb"
