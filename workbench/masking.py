"""No message holds a key: the secrets in use in this process are taken out of what others say.

Providers echo keys in their refusals, proxies and resolvers in their errors, libraries in their
logs. So whatever comes from outside is compared with the secrets that this process really uses:
those registered where they are used (SDK clients, `Authorization` headers, the server's token) and
the values of environment variables that are named like secrets (`…_KEY`, `…_TOKEN`, `…_SECRET`,
`…_PASSWORD`), which are read for this comparison alone. `mask` also removes what merely has the
shape of a key, for messages; `mask_known` does not, for texts in which such a shape may be content.

Masked are the words of others, not a reviewer's own: an output or a source that holds a key keeps
it, since its offsets and its hash must hold.

A value counts as a secret from 12 characters on, or from 8 with letters and digits, so that a
placeholder such as `none`, `ollama` or `not-needed` is not taken out of every sentence. Comparing
costs about 0.05 ms for 1,000 characters, and grows with their number.
"""

import base64
import html
import json
import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import TracebackType
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

MASK = "[key]"
"""The text in place of a secret."""
MIN_LENGTH = 12
MIN_LENGTH_MIXED = 8
"""With letters and digits."""
_MOST_REGISTERED = 1000
"""Tokens that expire are replaced by others; the oldest are forgotten."""
_PREFIX = 16
"""So many characters at the start of a secret that is half as long again give a cut one away."""

_SECRET_NAME = re.compile(r"(?:^|[_-])(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_URL_NAME = re.compile(r"_(?:URL|URI|ENDPOINT|PROXY)$", re.IGNORECASE)
_HEADERS_NAME = re.compile(r"_CUSTOM_HEADERS$")
_PATH = re.compile(r"(?:~|\.{0,2})/")
_ATTRIBUTES = (
    "api_key", "auth_token", "admin_api_key", "webhook_key", "webhook_secret", "access_token",
    "_azure_ad_token",
)  # fmt: skip
"""Of the clients of Anthropic's and OpenAI's SDKs."""

_SHAPE = re.compile(
    r"""
    \b(?:sk|pk|rk|gsk|xai|pplx|tvly)[-_][\w*.\-]{6,}              # OpenAI, Anthropic, Groq, xAI, …
    | \b(?:hf|ghp|gho|ghs|ghu|glpat|r8|github_pat|xox[abprs])[-_](?=[\w*\-]*\d)[\w*\-]{16,}
    | \bAIza[\w*\-]{10,} | \bya29\.[\w*.\-]{10,}                  # Google
    | \bAKIA[0-9A-Z]{12,}
    | \beyJ[\w\-]{8,}\.[\w\-]{8,}\.[\w\-]*                        # a JSON web token
    | (?i:\b(?:Bearer|Basic)(?:[\s+:=]|%20){1,3})(?=\S*\d)[\w*.~+/=\-]{8,}
    | (?i:(?:key|token|secret|password|credentials?|authorization)s?\b)
      (?:[^\w]{1,4}\w{1,20}){0,2}[^\w]{1,4}
      (?:[0-9a-fA-F]{32}\b                                        # Azure
        |(?=[\w\-]*\d)(?=[\w\-]*[a-z])(?=[\w\-]*[A-Z])[\w\-]{20,200})
    """,
    re.VERBOSE,
)
_HINTS = (
    "sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "xai-", "xai_", "pplx", "tvly", "hf_", "hf-", "ghp",
    "gho", "ghs", "ghu", "glpat", "r8_", "github_pat", "xox", "aiza", "ya29", "akia", "eyj",
    "bearer", "basic", "key", "token", "secret", "password", "credential", "authorization",
)  # fmt: skip
_AFTER_WORD = re.compile(r"[\w\-]+\Z")

_registered: dict[str, None] = {}
_lock = threading.Lock()


def register_secret(value: object) -> None:
    """Take a value out of every message from now on; nothing for what is too short for a secret."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str) or not _is_secret(value.strip()):
        return
    with _lock:
        _registered.pop(value.strip(), None)
        _registered[value.strip()] = None
        while len(_registered) > _MOST_REGISTERED:
            del _registered[next(iter(_registered))]
    mask_logs()


def register_authorization(value: object) -> None:
    """Register the credentials of an `Authorization` header, with and without their scheme."""
    if not isinstance(value, str):
        return
    scheme, _, credentials = value.strip().partition(" ")
    register_secret(credentials or scheme)
    if scheme.lower() == "basic":
        try:
            user_and_password = base64.b64decode(credentials).decode("utf-8", "replace")
        except ValueError:
            return
        register_secret(user_and_password)
        register_secret(user_and_password.partition(":")[2])


def register_headers(headers: object) -> None:
    """Register the credentials among the headers of a request."""
    if not isinstance(headers, Mapping):
        return
    for name, value in headers.items():
        if str(name).lower() in ("authorization", "proxy-authorization"):
            register_authorization(value)
        elif _SECRET_NAME.search(str(name)):
            register_secret(value)


def register_client(client: object) -> None:
    """Register the credentials of an SDK's client; nothing for any other object."""
    for name in _ATTRIBUTES:
        register_secret(getattr(client, name, None))
    register_headers(getattr(client, "_custom_headers", None))
    query = getattr(client, "_custom_query", None)
    for name, value in query.items() if isinstance(query, Mapping) else ():
        if _SECRET_NAME.search(str(name)):
            register_secret(value)
    for secret in _in_url(str(getattr(client, "base_url", ""))):
        register_secret(secret)


def mask(text: str) -> str:
    """The text without the secrets in use, and without anything that has the shape of a key."""
    text = mask_known(text)
    lowered = text.lower()
    # the pattern takes 0.5 ms for 1,000 characters, and few messages have anything of this in them
    if not any(hint in lowered for hint in _HINTS):
        return text
    return _SHAPE.sub(_masked_shape, text)


def mask_known(text: str) -> str:
    """The text without the secrets in use: as they are, percent-encoded, in JSON, HTML, Base64."""
    if len(text) < MIN_LENGTH_MIXED:
        return text
    forms, pattern = _compiled(frozenset((*_registered.copy(), *_in_environment())))
    lowered = text.lower()
    if not any(form in lowered for form in forms):
        return text
    return pattern.sub(MASK, text)


def mask_bytes(body: bytes) -> bytes:
    """A body of any encoding that contains ASCII, without the secrets in use."""
    return mask_known(body.decode("latin-1")).encode("latin-1")


def mask_logs() -> None:
    """From now on no record that is logged in this process, by anybody, holds a secret in use."""
    make_record = logging.getLogRecordFactory()
    if getattr(make_record, "masks_secrets", False):
        return

    def make_masked(*args: object, **kwargs: object) -> logging.LogRecord:
        record = make_record(*args, **kwargs)
        _mask_record(record)
        return record

    make_masked.masks_secrets = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(make_masked)


def mask_tracebacks() -> None:
    """From now on no traceback that ends this process holds a secret in use."""

    def show(
        kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lines = traceback.format_exception(kind, error, trace)
        if sys.stderr is not None:
            sys.stderr.write(mask_known("".join(lines)))

    sys.excepthook = show


def _masked_shape(match: re.Match[str]) -> str:
    """A mask in place of the key alone: the word before it says what was wrong with it."""
    text = match.group()
    if re.match(r"(?i)key|token|secret|password|credential|authorization", text):
        return _AFTER_WORD.sub(MASK, text)
    return MASK


def _mask_record(record: logging.LogRecord) -> None:
    """Mask in place; a record without secrets stays as it is, arguments and all."""
    message = record.getMessage() if _formats(record) else str(record.msg)
    if mask_known(message) != message:
        # formatters of access logs take the arguments apart, so these stay where they can
        if isinstance(record.args, tuple):
            record.args = tuple(_masked_argument(argument) for argument in record.args)
        message = record.getMessage()
        if mask_known(message) != message:
            record.msg, record.args = mask_known(message), None
    if record.exc_info and record.exc_info[0]:
        trace = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
        if mask_known(trace) != trace:
            record.exc_text, record.exc_info = mask_known(trace), None
    if record.stack_info:
        record.stack_info = mask_known(record.stack_info)


def _formats(record: logging.LogRecord) -> bool:
    try:
        record.getMessage()
    except (TypeError, ValueError, KeyError):
        return False  # the logging package says so itself, when it comes to it
    return True


def _masked_argument(argument: object) -> object:
    text = str(argument)
    masked = mask_known(text)
    return argument if masked == text else masked


def _is_secret(value: str) -> bool:
    if len(set(value)) < 5:
        return False  # xxxxxxxxxxxx
    mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    return len(value) >= (MIN_LENGTH_MIXED if mixed else MIN_LENGTH)


def _in_environment() -> list[str]:
    """The values of variables that are named like secrets, and the passwords in addresses."""
    values: list[str] = []
    for name, kind in _secret_variables(tuple(os.environ)):
        value = os.environ.get(name, "").strip()
        if kind == "address":
            values += _in_url(value)
        elif kind == "headers":
            values += _in_headers(value)
        elif not _PATH.match(value):  # a key in a file
            values.append(value)
    return [value for value in values if _is_secret(value)]


@lru_cache(maxsize=8)
def _secret_variables(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The variables that may hold a secret, each with what it is: a secret, an address, headers."""
    kinds = ((_SECRET_NAME, "secret"), (_URL_NAME, "address"), (_HEADERS_NAME, "headers"))
    return tuple((name, kind) for name in names for form, kind in kinds if form.search(name))


def _in_headers(lines: str) -> list[str]:
    """The credentials among headers that a variable of the SDKs lists, one a line."""
    credentials = []
    for line in lines.splitlines():
        header, _, value = line.partition(":")
        if _SECRET_NAME.search(header.strip()) or "authorization" in header.lower():
            credentials += [value.strip(), value.strip().partition(" ")[2]]
    return credentials


@lru_cache(maxsize=64)
def _in_url(url: str) -> tuple[str, ...]:
    """The password of an address, and the values of its query that are named like secrets."""
    try:
        parts = urlsplit(url)
        secrets = [parts.password or ""]
        secrets += [value for name, value in parse_qsl(parts.query) if _SECRET_NAME.search(name)]
    except ValueError:
        return ()
    return tuple(secrets)


@lru_cache(maxsize=16)
def _compiled(secrets: frozenset[str]) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """Lower-case texts of which one occurs where a secret does, and what is masked there."""
    forms = sorted({form for secret in secrets for form in _forms(secret)}, key=len, reverse=True)
    prefixes = {secret[:_PREFIX] for secret in secrets if len(secret) >= _PREFIX * 3 // 2}
    # a message that was cut may end in the middle of a key: what is left of it goes too
    cut = [re.escape(prefix) + r"[\w.~+/=%\-]*" for prefix in sorted(prefixes)]
    pattern = re.compile("|".join([*map(re.escape, forms), *cut]) or r"(?!)", re.IGNORECASE)
    return tuple(form.lower() for form in (*forms, *prefixes)), pattern


def _forms(secret: str) -> Iterable[str]:
    """A secret as messages may quote it; case does not matter."""
    every = "".join(
        letter if letter.isalnum() and letter.isascii() else "".join(map("%{:02X}".format, octets))
        for letter, octets in ((char, char.encode("utf-8", "surrogatepass")) for char in secret)
    )
    plain = secret.encode("utf-8", "surrogatepass")
    once = quote(plain, safe="")
    yield from (secret, once, quote(plain), quote_plus(plain), quote(once, safe=""), every)
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield html.escape(secret)
    for prefix_length in range(3):  # whatever precedes it, as the user name of Basic does
        encoded = base64.b64encode(bytes(prefix_length) + plain).decode()
        core = encoded[-(-prefix_length * 8 // 6) : (prefix_length + len(plain)) * 8 // 6]
        if len(core) >= MIN_LENGTH:
            yield from (core, core.replace("+", "-").replace("/", "_"))
