"""Two runs side by side: which citations got a different verdict; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.presentation.run_view import ReviewState
from workbench.presentation.verdicts import Mark
from workbench.records.citation import Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationPair:
    """One citation in two runs."""

    first: str
    """Its id in the first run."""
    second: str
    citation: Citation
    """The citation in the first run."""
    before: Mark
    after: Mark

    @property
    def changed(self) -> bool:
        """Whether the verdicts differ."""
        return self.before != self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """What two runs have in common and where they differ."""

    same_text: bool
    pairs: tuple[CitationPair, ...]
    """The citations that both have, in the first run's order."""
    only_first: int
    only_second: int

    @property
    def changed(self) -> tuple[CitationPair, ...]:
        """The pairs whose verdicts differ."""
        return tuple(pair for pair in self.pairs if pair.changed)


def compare(first: ReviewState, second: ReviewState) -> RunComparison:
    """The two runs matched citation by citation.

    In the same text a citation is identified by its place; in two texts by its claim and
    its identifier, each match used once.
    """
    same = first.run.output_sha256 == second.run.output_sha256
    keys = _keys(second, same)
    pairs = []
    for key, name in _keyed_names(first, same):
        others = keys.get(key)
        if others:
            other = others.pop(0)
            pairs.append(
                CitationPair(
                    first=name,
                    second=other,
                    citation=first.results[name].citation,
                    before=first.marks[name],
                    after=second.marks[other],
                )
            )
    return RunComparison(
        same_text=same,
        pairs=tuple(pairs),
        only_first=len(first.results) - len(pairs),
        only_second=len(second.results) - len(pairs),
    )


_Key = tuple[str, ...]


def _keyed_names(review: ReviewState, same: bool) -> Iterable[tuple[_Key, str]]:
    for name, result in review.results.items():
        citation = result.citation
        if same:
            yield (citation.kind, str(citation.start), str(citation.end), citation.identifier), name
        else:
            claim = " ".join(citation.claim.text.split()) if citation.claim else ""
            yield (citation.kind, claim, citation.identifier), name


def _keys(review: ReviewState, same: bool) -> Mapping[_Key, list[str]]:
    keys: dict[_Key, list[str]] = {}
    for key, name in _keyed_names(review, same):
        keys.setdefault(key, []).append(name)
    return keys
