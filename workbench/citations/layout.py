"""How a text is laid out: its lines, sentences, headings and blocks."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from workbench.citations.blocks import TextBlock, read_blocks
from workbench.citations.lines import Line
from workbench.citations.outline import Outline, read_outline
from workbench.citations.provider_citations import AnsweredQuestion
from workbench.citations.segment import Sentence


class Layout:
    """The layout of one text; offsets count its code points. Each part is read when first asked."""

    def __init__(
        self,
        text: str,
        lines: Sequence[Line],
        sentences: Sequence[Sentence],
        answered: Sequence[AnsweredQuestion] = (),
    ) -> None:
        self.text = text
        self.lines = lines
        self.sentences = sentences
        self.answered = answered

    @cached_property
    def outline(self) -> Outline:
        """The headings of the text."""
        titles = {one.start for one in self.sentences if one.kind == "title"}
        return read_outline(self.text, self.lines, titles, self.answer_starts)

    @cached_property
    def blocks(self) -> list[TextBlock]:
        """Its paragraphs, lists and tables, in order."""
        headings = [number for number in self.outline.lines if number >= 0]
        return read_blocks(self.text, self.lines, headings, self.answer_starts)

    @cached_property
    def block_starts(self) -> list[int]:
        """Where each block begins."""
        return [block.start for block in self.blocks]

    @cached_property
    def line_starts(self) -> list[int]:
        """Where each line begins."""
        return [line.start for line in self.lines]

    @cached_property
    def sentence_starts(self) -> list[int]:
        """Where each sentence begins."""
        return [one.start for one in self.sentences]

    @cached_property
    def answer_starts(self) -> list[int]:
        """Where each answer of a transcript begins."""
        return [one.start for one in self.answered]

    def line_at(self, place: int) -> int:
        """The number of the line that holds a place; -1 before the first."""
        return bisect_right(self.line_starts, place) - 1

    def block_at(self, place: int) -> int:
        """The number of the block that holds a place; -1 before the first."""
        return bisect_right(self.block_starts, place) - 1

    def sentence_at(self, place: int) -> int:
        """The number of the last sentence that begins at a place or before; -1 for none."""
        return bisect_right(self.sentence_starts, place) - 1
