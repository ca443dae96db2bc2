"""How much of a text has a citation, in words."""

from collections.abc import Iterable, Mapping

from workbench.presentation.escape import marker_text, truncate
from workbench.records.citation import Coverage, Sentence, SentenceKind, SentenceSuggestion
from workbench.records.format import count_of

SENTENCE_WORDS: dict[SentenceKind, tuple[str, str]] = {
    "cited": ("Cited", "A citation stands for it."),
    "uncited": ("Not cited", "It states something that can be checked, without a citation."),
    "absence": ("Absence", "It says that something was not found or does not exist."),
    "derived": ("Derived", "Its figure follows from others."),
    "synthesis": ("Synthesis", "It says what several sources say together."),
    "given": ("Given", "It repeats a fact of the question."),
    "opinion": ("Opinion", "It is advice or a judgment of value."),
    "structure": ("Structure", "It asserts nothing: a heading, a transition, a question."),
}
"""The word for each kind of sentence, and what it means."""


def coverage_text(coverage: Coverage) -> str:
    """How many of the sentences that need a citation have one; empty where none needs one."""
    if coverage.share is None:
        return ""
    elsewhere = coverage.cited_elsewhere
    return (
        f"{coverage.cited:,} of {count_of(coverage.needing, 'sentence')} that "
        f"{'needs' if coverage.needing == 1 else 'need'} a citation "
        f"{'has' if coverage.cited == 1 else 'have'} one ({coverage.share:.0%})."
    ) + (
        f" {elsewhere:,} of these {'cites' if elsewhere == 1 else 'cite'} nothing: a reviewer found "
        f"{'it' if elsewhere == 1 else 'them'} stated in a source that the text cites elsewhere."
        if elsewhere
        else ""
    )


def coverage_figure(coverage: Coverage) -> list[tuple[str, str]]:
    """The same as a figure with its words; none where no sentence needs a citation."""
    if coverage.share is None:
        return []
    words = f"cited: {coverage.cited:,} of {coverage.needing:,} sentences"
    if coverage.cited_elsewhere:
        words += f", {coverage.cited_elsewhere:,} by a source cited elsewhere"
    return [(f"{coverage.share:.0%}", words)]


def suggestion_text(suggestion: SentenceSuggestion, names: Mapping[str, str]) -> str:
    """What a source of the run says of a sentence that does not cite it, with the quote.

    `names` are the citations as the text has them, by id.
    """
    stated = "stated" if suggestion.label == "supported" else "contradicted"
    unsure = ", unsure" if not suggestion.sure else ""
    cited = marker_text(names.get(suggestion.citation_id, suggestion.citation_id), 40)
    return (
        f"{truncate(suggestion.judge, 60)} finds it {stated}{unsure}, in the source of {cited}, which "
        f"is not cited here: “{truncate(suggestion.quote, 400)}”"
    )


def uncited_sentences(sentences: Iterable[Sentence], text: str) -> list[str]:
    """The sentences that need a citation and have none, in text order."""
    return [sentence.span.of(text) for sentence in sentences if sentence.is_uncited]
