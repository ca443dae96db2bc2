"""How much of a text has a citation, in words."""

from collections.abc import Iterable

from workbench.records.citation import Coverage, Sentence
from workbench.records.format import count_of


def coverage_text(coverage: Coverage) -> str:
    """How many of the sentences that need a citation have one; empty where none needs one."""
    if coverage.share is None:
        return ""
    return (
        f"{coverage.cited:,} of {count_of(coverage.needing, 'sentence')} that "
        f"{'needs' if coverage.needing == 1 else 'need'} a citation "
        f"{'has' if coverage.cited == 1 else 'have'} one ({coverage.share:.0%})."
    )


def coverage_figure(coverage: Coverage) -> list[tuple[str, str]]:
    """The same as a figure with its words; none where no sentence needs a citation."""
    if coverage.share is None:
        return []
    return [
        (f"{coverage.share:.0%}", f"cited: {coverage.cited:,} of {coverage.needing:,} sentences")
    ]


def uncited_sentences(sentences: Iterable[Sentence], text: str) -> list[str]:
    """The sentences that need a citation and have none, in text order."""
    return [sentence.span.of(text) for sentence in sentences if sentence.is_uncited]
