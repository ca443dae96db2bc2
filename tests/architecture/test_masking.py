"""What counts as a secret, in which forms it is found, and what is left alone."""

import base64
import html
import json
import logging
import pickle
import subprocess
import sys
import traceback
from urllib.parse import quote, quote_plus

import pytest
from anthropic import Anthropic
from openai import AzureOpenAI, OpenAI

from workbench import grounded
from workbench.errors import InvalidPolicy, JudgeError, UsageError
from workbench.judging.provider import Completion, ProviderFailure
from workbench.masking import (
    MASK,
    mask,
    mask_bytes,
    mask_known,
    register_authorization,
    register_client,
    register_headers,
    register_secret,
)

KEY = 'p1um/Hárbour+"Vio\\lin"=42%9&dusk'


@pytest.mark.parametrize(
    "quoted",
    [
        KEY,
        KEY.upper(),
        quote(KEY),
        quote(KEY, safe=""),
        quote(KEY, safe="").lower(),
        quote(quote(KEY, safe=""), safe=""),
        quote_plus(KEY),
        json.dumps(KEY)[1:-1],
        json.dumps(KEY, ensure_ascii=False)[1:-1],
        html.escape(KEY),
    ],
)
def test_a_secret_is_found_however_it_is_quoted(quoted):
    register_secret(KEY)
    assert mask_known(f"before {quoted} after") == f"before {MASK} after"


@pytest.mark.parametrize("user", ["", "a", "ab", "abc", "reviewer:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_is_found_in_basic_credentials_of_any_user(user, encode):
    register_secret(KEY)
    encoded = encode(f"{user}{KEY}".encode()).decode()
    masked = mask_known(f"Basic {encoded} was refused")
    assert MASK in masked and encoded[8:24] not in masked and masked.endswith("was refused")


def test_what_is_left_of_a_key_where_a_message_was_cut_is_no_secret_either():
    key = "q8Wn3Zr6Ty1Uv4Xs7Bd0Ce5Fg9Hj2Kl"
    register_secret(key)
    assert mask_known(f"The key was {key[:20]}") == f"The key was {MASK}"
    assert mask_known(f"The key was {key[:8]}") == f"The key was {key[:8]}"


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ("none", False),
        ("ollama", False),
        ("workbench", False),
        ("not-needed", False),
        ("12345678901", False),
        ("xxxxxxxxxxxxxxxx", False),
        ("", False),
        ("a1b2c3d", False),
        ("a1b2c3d4", True),
        ("correct-horse", True),
    ],
)
def test_a_placeholder_is_not_taken_out_of_every_sentence(value, masked, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", value)
    assert (MASK in mask_known(f"The value {value} was given.")) is masked


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SERPER_API_KEY", "t5Gh8Jk2Lm"),
        ("MY_SERVICE_TOKEN", "t5Gh8Jk2Lm"),
        ("apikey", "t5Gh8Jk2Lm"),
        ("DB_PASSWORD", "t5Gh8Jk2Lm"),
        ("HTTPS_PROXY", "http://reviewer:t5Gh8Jk2Lm@proxy.example:3128"),
        ("OPENAI_BASE_URL", "https://models.example/v1?api-key=t5Gh8Jk2Lm"),
        ("ANTHROPIC_CUSTOM_HEADERS", "X-Team: a\nAuthorization: Bearer t5Gh8Jk2Lm"),
    ],
)
def test_what_variables_name_as_a_secret_is_one(name, value, monkeypatch):
    monkeypatch.setenv(name, value)
    assert mask_known("asked with t5Gh8Jk2Lm") == f"asked with {MASK}"


def test_a_path_to_a_key_and_the_rest_of_the_environment_are_no_secrets(monkeypatch):
    monkeypatch.setenv("SERVER_KEY", "/etc/server/key-1.pem")
    monkeypatch.setenv("FAVOURITE_BRIDGE", "clifton-1864-bridge")
    message = "/etc/server/key-1.pem of clifton-1864-bridge"
    assert mask(message) == message


@pytest.mark.parametrize(
    ("client", "key"),
    [
        (OpenAI(api_key="w2Er5Ty8Ui1Op4"), "w2Er5Ty8Ui1Op4"),
        (Anthropic(auth_token="s3Df6Gh9Jk2Lz5"), "s3Df6Gh9Jk2Lz5"),
        (
            AzureOpenAI(
                api_key="0a1b2c3d4e5f60718293a4b5c6d7e8f9",
                api_version="v1",
                azure_endpoint="https://a.example",
            ),
            "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
        ),
        (
            OpenAI(api_key="none", default_headers={"X-Api-Key": "x4Cv7Bn0Mq3We6"}),
            "x4Cv7Bn0Mq3We6",
        ),
        (
            OpenAI(api_key="none", default_query={"api_key": "z5Xc8Vb1Nm4As7"}),
            "z5Xc8Vb1Nm4As7",
        ),
    ],
    ids=["openai", "anthropic", "azure", "header", "query"],
)
def test_the_credentials_of_a_client_are_secrets(client, key):
    register_client(client)
    assert mask_known(f"refused: {key}") == f"refused: {MASK}"


def test_a_client_within_the_flag_is_registered():
    with grounded(OpenAI(api_key="e6Rt9Yu2Io5Pa8"), sources=[{"content": "a"}]):
        assert mask_known("e6Rt9Yu2Io5Pa8") == MASK


def test_headers_of_requests_hold_secrets():
    register_headers({"Accept": "application/json-and-more", "api-key": "h7Jk0Lz3Xc6Vb9"})
    register_authorization("Bearer d8Fg1Hj4Kl7Zx0")
    register_authorization("Basic " + base64.b64encode(b"ada:n9Mq2We5Rt8Yu1").decode())
    message = "h7Jk0Lz3Xc6Vb9 d8Fg1Hj4Kl7Zx0 n9Mq2We5Rt8Yu1 application/json-and-more"
    assert mask_known(message) == f"{MASK} {MASK} {MASK} application/json-and-more"


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("refused: sk-ant-api03-Ab12Cd34Ef56", f"refused: {MASK}"),
        ("refused: sk-proj-****wxyz.", f"refused: {MASK}"),
        ("refused: gsk_Ab12Cd34Ef56Gh78", f"refused: {MASK}"),
        ("refused: AIzaSyAb12Cd34Ef56Gh78", f"refused: {MASK}"),
        ("refused: xai-Ab12Cd34Ef56Gh78", f"refused: {MASK}"),
        ("Authorization: Bearer q2w3e4r5t6y7", f"Authorization: {MASK}"),
        (
            "Invalid subscription key (0123456789abcdef0123456789abcdef)",
            f"Invalid subscription key ({MASK})",
        ),
        (
            "Incorrect API key provided: 0123456789ABCDEF0123456789ABCDEF.",
            f"Incorrect API key provided: {MASK}.",
        ),
        ("token=Ab3dEf6hIj9kLm2nOp5qRs8t", f"token={MASK}"),
    ],
)
def test_what_has_the_shape_of_a_key_is_masked_in_messages(message, masked):
    assert mask(message) == masked


@pytest.mark.parametrize(
    "message",
    [
        "The source with sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.",
        "The key 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 is a hash.",
        "git:0f9d2c1b3a4e5f60718293a4b5c6d7e8f9012345 is not in the repository.",
        "There is no run '3fa85f6457174562b3fc2c963f66afa6'; see the list of runs.",
        "There is no run 3fa85f64-5717-4562-b3fc-2c963f66afa6.",
        "https://a.example/9f86d081884c7d659a2feaa0c55ad015 answered with HTTP status 404.",
        "unknown key alow_fetch; known keys are allow_fetch, allowed_domains",
        "The judge openai:gpt-4o-mini needs an API key: set OPENAI_API_KEY.",
        "This server requires its token, as Authorization: Bearer or X-Workbench-Token.",
        "scikit-learn and sk-learn are one; the basic authentication scheme is another.",
    ],
)
def test_hashes_addresses_and_plain_words_stay(message):
    assert mask(message) == message


def test_an_error_is_masked_as_it_is_made():
    register_secret(KEY)
    assert str(UsageError(f"No {KEY}.")) == f"No {MASK}."
    assert str(ProviderFailure(f"No {KEY}.")) == f"No {MASK}."
    error = JudgeError("llm_judge_error", f"No {KEY}.", reply=f"I have {KEY}.")
    assert error.message == str(error) == f"No {MASK}." and error.reply == f"I have {MASK}."
    assert InvalidPolicy([(3, f"{KEY} is not a JSON number")]).problems == (
        (3, f"{MASK} is not a JSON number"),
    )
    assert Completion(text=f"I have {KEY}.", usage=None).text == f"I have {MASK}."
    assert str(pickle.loads(pickle.dumps(UsageError(f"No {KEY}.")))) == f"No {MASK}."


def test_a_verdict_may_speak_of_the_shape_of_keys():
    """Only messages lose what merely looks like a key: an answer may be about keys."""
    message = "OpenAI's keys begin with sk-proj-abcdef."
    assert Completion(text=message, usage=None).text == message


def test_a_body_of_any_encoding_keeps_its_other_bytes():
    register_secret("r1Ty4Ui7Op0As3")
    assert mask_bytes(b"\xff\x00r1Ty4Ui7Op0As3\xe9") == b"\xff\x00" + MASK.encode() + b"\xe9"


def test_records_of_any_logger_are_masked(caplog):
    register_secret(KEY)
    log = logging.getLogger("somebody.elses")
    log.warning("asked with %s and %s", KEY, {"authorization": KEY})
    log.warning(f"asked with {KEY}")
    log.warning("%(key)s", {"key": KEY})
    try:
        raise ValueError(f"bad header {KEY}")
    except ValueError:
        log.exception("it broke off")
    assert caplog.text.count(MASK) == 5 and KEY not in caplog.text
    assert "Traceback" in caplog.text and "ValueError: bad header" in caplog.text
    log.warning("status %d of %s", 200, "a")
    assert caplog.records[-1].args == (200, "a")


def test_the_formatter_of_an_access_log_still_finds_its_arguments():
    from uvicorn.logging import AccessFormatter

    register_secret("y2Ui5Op8As1Df4")
    record = logging.getLogRecordFactory()(
        "uvicorn.access", logging.INFO, "", 0, '%s - "%s %s HTTP/%s" %d',
        ("127.0.0.1:5", "GET", "/api/v1/runs?key=y2Ui5Op8As1Df4", "1.1", 200), None,
    )  # fmt: skip
    line = AccessFormatter("%(request_line)s", use_colors=False).format(record)
    assert line == f"GET /api/v1/runs?key={MASK} HTTP/1.1"


def test_a_traceback_that_ends_a_command_holds_no_key():
    code = (
        "from workbench.masking import mask_tracebacks; mask_tracebacks(); "
        "raise RuntimeError('asked with f3Gh6Jk9Lz2Xc5')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"A_SERVICE_KEY": "f3Gh6Jk9Lz2Xc5"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and f"RuntimeError: asked with {MASK}" in done.stderr


def test_no_traceback_of_a_refusal_shows_what_the_sdk_was_told(monkeypatch):
    """The SDK's own error holds the body as it came."""
    from tests.fakes.providers import Answer, FakeProvider
    from workbench import open_judge
    from workbench.records.source import Passage
    from workbench.records.text import Span

    monkeypatch.setenv("OPENAI_API_KEY", "c4Vb7Nm0Qw3Er6")
    passage = Passage(span=Span(0, 9), text="120 m long", score=1.0)
    with FakeProvider(lambda request: Answer(status=401, error="bad c4Vb7Nm0Qw3Er6")) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
        with pytest.raises(JudgeError) as raised:
            open_judge("openai:gpt-4o-mini").judge("It is 120 m long.", [passage])
    printed = "".join(traceback.format_exception(raised.value))
    assert MASK in printed and "c4Vb7Nm0Qw3Er6" not in printed
