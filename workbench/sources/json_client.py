"""A question to a service as JSON, under the same guard as every fetch."""

import asyncio
import json
from collections.abc import Collection, Mapping

from workbench.errors import FetchError
from workbench.masking import register_authorization
from workbench.records.text import Json, JsonDict
from workbench.sources.decompression import TooManyBytes
from workbench.sources.fetch import StatusError, load_tls_context, resolve_addresses
from workbench.sources.ssrf_guard import UrlGuard, url_for_display

MAX_ANSWER = 1024 * 1024


async def post_json(
    url: str,
    question: JsonDict,
    *,
    authorization: str | None = None,
    seconds: float = 2.0,
    internal_hosts: Collection[str] = (),
) -> Json:
    """What a service answers to a question; redirects are not followed.

    Args:
        url: The service.
        question: Sent as the body.
        authorization: Sent as that header; no message holds it.
        seconds: For everything together.
        internal_hosts: Hosts that may lie on a private address, named by whoever runs this.

    Raises:
        FetchError: The address is not allowed, or there is no JSON answer of up to 1 MiB in time.
    """
    services = [url] if _host(url) in {host.lower() for host in internal_hosts} else []
    headers = {}
    if authorization:
        headers["Authorization"] = authorization
        register_authorization(authorization)
    return await ask_json(
        url, question, headers=headers, seconds=seconds, guard=UrlGuard(services=services)
    )


async def ask_json(
    url: str,
    question: JsonDict | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    seconds: float = 2.0,
    guard: UrlGuard | None = None,
) -> Json:
    """What a service answers to a GET, or to a POST of a question; redirects are not followed.

    `headers` may hold credentials, which whoever calls this registers as secrets; `seconds` are for
    everything together.

    Raises:
        StatusError: The service answered with a status that is no success.
        FetchError: The address is not allowed, or there is no JSON answer of up to 1 MiB in time.
    """
    display_url = url_for_display(url)
    guard = guard or UrlGuard()
    checked = guard.check(url)
    body = None if question is None else json.dumps(question).encode()
    sent = {"Accept": "application/json", "Accept-Encoding": "identity", **(headers or {})}
    if body is not None:
        sent["Content-Type"] = "application/json"
    tls = await load_tls_context()
    try:
        async with asyncio.timeout(seconds):
            from workbench.sources.connect import send_request

            addresses = await resolve_addresses(checked, guard, 0)
            async with send_request(checked, addresses, tls, MAX_ANSWER, body, sent) as response:
                if not 200 <= response.status_code < 300:
                    message = f"{display_url} answered with HTTP status {response.status_code}."
                    raise StatusError(message, url=display_url, hop=0, status=response.status_code)
                reply = b""
                async for part in response.aiter_raw():
                    reply += part
                    if len(reply) > MAX_ANSWER:
                        raise TooManyBytes
    except TimeoutError as late:
        message = f"{display_url} did not answer within {seconds:g} seconds."
        raise FetchError("timeout", message, url=display_url) from late
    except TooManyBytes as bad:
        message = f"{display_url} answered with more than 1 MiB."
        raise FetchError("too_large", message, url=display_url) from bad
    except FetchError:
        raise
    except Exception as bad:
        message = f"{checked.host} could not be reached, or closed the connection."
        raise FetchError("bad_status", message, url=display_url) from bad
    try:
        answer: Json = json.loads(reply)
    except (ValueError, RecursionError) as bad:
        raise FetchError(
            "not_text", f"{display_url} answered with no JSON.", url=display_url
        ) from bad
    return answer


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
