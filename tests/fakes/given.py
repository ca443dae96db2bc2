"""Given sources as a fetcher: each query is matched by itself, as the only work that is cited."""

from workbench.pipeline.source_matching import CitedWork, match_works
from workbench.sources.given import MatchedSources


class GivenFetcher:
    """Sources as `verify` takes them, asked for one query at a time."""

    def __init__(self, sources):
        self.sources = sources

    async def fetch(self, query):
        """The bytes of the source that is meant."""
        matching = match_works((CitedWork(query=query),), self.sources)
        return await MatchedSources(matching.by_query, matching.reasons).fetch(query)
