"""Text in, citations, references and claims out: the order of this room's stages."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from workbench.citations.build_extraction import compose
from workbench.citations.claims import place_marks
from workbench.citations.find import find_marks
from workbench.citations.layout import Layout
from workbench.citations.lines import read_lines
from workbench.citations.link import link_marks
from workbench.citations.prose import contents, outside
from workbench.citations.provider_citations import Given, covering_marks, with_given
from workbench.citations.quotes_and_statistics import find_asides
from workbench.citations.references import find_references
from workbench.citations.segment import cut_sentences
from workbench.citations.url_finder import find_links
from workbench.records import Extraction


def extract(text: str) -> Extraction:
    """The citations, reference entries and claims of a text, each in text order.

    Offsets count code points of the text as given, and `text[start:end]` is what was matched, for
    any string. Reference entries are neither citations nor claims, and code is neither. Never
    raises.
    """
    return extract_given(Given(text))


def extract_given(given: Given) -> Extraction:
    """The same for an answer with what its provider returned beside it.

    A stretch that a provider ties to a source is a citation of kind `native`. One that is a mark
    (`([page](https://…))`) takes the place of any mark found there; one that covers the words it
    supports lies outside the overlap rule, and is its own claim.
    """
    with _without_collection():
        text = given.text
        lines = read_lines(text)
        links = find_links(text)
        lists = find_references(text, lines, links)
        listed = lists.listed + given.listed()
        found = find_marks(text, lines, links, listed, lists.spans)
        marks = with_given(found, given, len(lists.listed))
        linked = link_marks(marks, listed)
        quiet = [*lists.spans, *contents(text, lines)]
        sentences = cut_sentences(text, list(outside(lines, quiet)), marks)
        placed = place_marks(text, sentences, marks)
        asides = find_asides(text, sentences, marks, placed)
        covering = link_marks(covering_marks(given, len(lists.listed)), listed)
        layout = Layout(text, lines, sentences, given.answered)
        return compose(layout, linked, covering, listed, placed, asides)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Hold the cyclic collector: no cycles are made here, and its passes outgrow the text."""
    held = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if held:
            gc.enable()
