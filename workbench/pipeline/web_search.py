"""A search function of the user's own for claim mode, named as `module:function`.

    def search(claim: str) -> list[dict[str, str]]:
        return [{"url": "https://…", "title": "…", "content": "the text of the page"}]

It may be a coroutine function. A result without `content` is fetched by its `url` where fetching is
allowed, behind the same guard as cited pages. The function reads its own key, from wherever it
likes; the workbench knows none of it.
"""

import asyncio
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import cast

from workbench.errors import SourceError, UsageError
from workbench.judging.claim_verification import Found, Search, call_search
from workbench.judging.ground_report import ReferenceDocument
from workbench.records import SourceQuery, Target
from workbench.sources import Fetcher, read_source

MOST_RESULTS = 5
"""Results of one search that are looked at."""


def open_search(name: str, folder: Path | None = None) -> Search:
    """The function that `module:function` names; the module may lie in `folder`.

    Raises:
        UsageError: There is no such function, or its module cannot be imported.
    """
    module, _, function = name.partition(":")
    if not module or not function:
        raise UsageError(f"The search {name!r} is no module:function: name one, for example a:b.")
    if folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
    try:
        loaded = getattr(import_module(module), function, None)
    except Exception as error:  # importing runs the user's own module
        raise UsageError(
            f"The search module {module!r} cannot be imported ({type(error).__name__}: {error}): "
            "put it on PYTHONPATH or into the data directory."
        ) from None
    if not callable(loaded):
        raise UsageError(f"There is no function {function!r} in the search module {module!r}.")
    return cast("Search", loaded)


def fetching_search(search: Search, fetcher: Fetcher | None) -> Search:
    """The search with the texts of results that have an address alone; None fetches none."""

    async def search_and_fetch(claim: str) -> Found:
        results = list(await call_search(search, claim))[:MOST_RESULTS]
        texts = await asyncio.gather(*(_with_text(result, fetcher) for result in results))
        return [text for text in texts if text is not None]

    return search_and_fetch


async def _with_text(
    result: ReferenceDocument | Mapping[str, str | None], fetcher: Fetcher | None
) -> ReferenceDocument | None:
    if isinstance(result, ReferenceDocument):
        return result
    url, title, content = result.get("url"), result.get("title"), result.get("content")
    if content:
        return ReferenceDocument(content=content, title=title, url=url)
    if fetcher is None or not url:
        return None
    try:
        target = Target(form="url", value=url)
        source = await read_source(await fetcher.fetch(SourceQuery(target=target)))
    except SourceError:
        return None  # a page that cannot be retrieved says nothing about the claim
    return ReferenceDocument(content=source.text, title=source.title or title, url=url)
