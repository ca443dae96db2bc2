"""Searches of the web by their keys: Serper, Tavily and Brave, each as its documentation has it.

A request holds the claim, the number of results and the key, nothing else. It goes through the one
guard and over a connection to a checked address; redirects are not followed. A key is registered as
a secret before it is sent: no message, log or record holds it.

- Serper: `POST https://google.serper.dev/search`, header `X-API-KEY`, body `{q, num}`; answers
  `{organic: [{title, link, snippet}]}`.
- Tavily: `POST https://api.tavily.com/search`, header `Authorization: Bearer …`, body `{query,
  max_results, search_depth}`; answers `{results: [{title, url, content}]}`.
- Brave: `GET https://api.search.brave.com/res/v1/web/search?q=…&count=…`, header
  `X-Subscription-Token`; answers `{web: {results: [{title, url, description,
  extra_snippets?}]}}`. A question has 400 characters and 50 words at most.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from workbench.errors import FetchError
from workbench.masking import mask_known, register_secret
from workbench.records.text import Json, JsonDict
from workbench.sources.fetch import StatusError
from workbench.sources.json_client import ask_json
from workbench.sources.services import Services
from workbench.sources.ssrf_guard import UrlGuard

MOST_CHARS, MOST_WORDS = 400, 50
"""Of a question: what the strictest of the three takes."""
LONGEST_TEXT = 2000
"""Of a title and a snippet that is taken over."""
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,100}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchProvider:
    """A search of the web, and how it is asked."""

    name: str
    label: str
    path: str
    """Below its base address."""
    key_variable: str
    """The variable of the environment with its key."""
    key_header: str
    key_prefix: str = ""


@dataclass(frozen=True, slots=True)
class WebResult:
    """One result of a search: an address and the words that the search shows of it."""

    url: str
    title: str
    snippet: str


SEARCH_PROVIDERS: Mapping[str, SearchProvider] = {
    "serper": SearchProvider(
        name="serper", label="Serper", path="search",
        key_variable="SERPER_API_KEY", key_header="X-API-KEY",
    ),
    "tavily": SearchProvider(
        name="tavily", label="Tavily", path="search",
        key_variable="TAVILY_API_KEY", key_header="Authorization", key_prefix="Bearer ",
    ),
    "brave": SearchProvider(
        name="brave", label="Brave", path="res/v1/web/search",
        key_variable="BRAVE_API_KEY", key_header="X-Subscription-Token",
    ),
}  # fmt: skip


async def search_web(
    provider: SearchProvider,
    key: str,
    question: str,
    *,
    services: Services | None = None,
    most: int = 5,
    seconds: float = 10.0,
) -> list[WebResult]:
    """The results of a search, best first; those without an address are left out.

    `services` holds its base address; one that somebody set may lie on a private address.

    Raises:
        FetchError: The service refused, failed or did not answer in time; a sentence says which,
            and what to do.
    """
    register_secret(key)
    services = services or Services()
    base: str | None = getattr(services, provider.name)
    if base is None:
        message = f"{provider.label} is switched off in the settings."
        raise FetchError("fetch_disabled", message)
    url, posted = _request(provider, base + provider.path, short_question(question), most)
    guard = UrlGuard(services=services.configured())
    headers = {provider.key_header: provider.key_prefix + key}
    try:
        answer = await ask_json(url, posted, headers=headers, seconds=seconds, guard=guard)
    except StatusError as refused:
        raise StatusError(
            _refusal(provider, refused.status), url=base, hop=0, status=refused.status
        ) from refused
    except FetchError as failed:
        if failed.kind == "timeout":
            message = f"{provider.label} did not answer within {seconds:g} seconds."
        else:
            message = f"{provider.label} could not be asked: {failed.message}"
        raise FetchError(failed.kind, message, url=base) from failed
    return _results(provider, answer)[:most]


def short_question(claim: str) -> str:
    """A claim as a question of a search: one line of at most 400 characters and 50 words."""
    words = mask_known(" ".join(claim.split())).split(" ")[:MOST_WORDS]
    text = " ".join(words)
    if len(text) <= MOST_CHARS:
        return text
    cut = text[:MOST_CHARS]
    return cut.rsplit(" ", 1)[0] if " " in cut else cut


def _request(
    provider: SearchProvider, url: str, question: str, most: int
) -> tuple[str, JsonDict | None]:
    """The address of a request, and the JSON that is posted there; None for a GET."""
    if provider.name == "serper":
        return url, {"q": question, "num": most}
    if provider.name == "tavily":
        return url, {"query": question, "max_results": most, "search_depth": "basic"}
    query = urlencode({"q": question, "count": most, "text_decorations": "false"})
    return f"{url}?{query}", None


def _results(provider: SearchProvider, answer: Json) -> list[WebResult]:
    """The results of an answer; what is malformed in it is left out."""
    fields = {
        "serper": ("organic", "link", "snippet"),
        "tavily": ("results", "url", "content"),
        "brave": ("results", "url", "description"),
    }
    listed, address, words = fields[provider.name]
    document = answer if isinstance(answer, dict) else {}
    if provider.name == "brave":
        web = document.get("web")
        document = web if isinstance(web, dict) else {}
    entries = document.get(listed)
    results = []
    for entry in entries if isinstance(entries, list) else []:
        url = entry.get(address) if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(url, str):
            continue
        if not re.match(r"https?://", url, re.IGNORECASE):
            continue
        more = entry.get("extra_snippets")
        parts = [entry.get(words), *(more if isinstance(more, list) else [])]
        snippet = "\n".join(_plain(part) for part in parts if isinstance(part, str))
        title = entry.get("title")
        results.append(WebResult(url, _plain(title) if isinstance(title, str) else "", snippet))
    return results


def _plain(text: str) -> str:
    """Text of an answer without the tags that mark the words found, on one line, cut."""
    return " ".join(html.unescape(_TAG.sub("", text)).split())[:LONGEST_TEXT]


def _refusal(provider: SearchProvider, status: int) -> str:
    """What a status says, and what to do."""
    label, variable = provider.label, provider.key_variable
    if status in (401, 403) or (status == 422 and provider.name == "brave"):
        return f"{label} refused the key (HTTP status {status}): check {variable}."
    if status in (402, 432, 433):
        return f"{label}'s plan allows no more searches (HTTP status {status})."
    if status == 429:
        return f"{label} was asked too often (HTTP status 429): try again later."
    return f"{label} answered with HTTP status {status}: try again later."
