"""Find every mark of a text, of every form, and settle which of those that overlap stay."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.citations.marks import Mark
from workbench.citations.marks.addresses import (
    TextLink,
    address_target,
    find_addresses,
    find_provenance,
    is_web,
)
from workbench.citations.marks.author_year import find_author_year, find_backward
from workbench.citations.marks.legal import find_legal
from workbench.citations.marks.numbered import find_bracketed, find_callouts, find_keys, find_raised
from workbench.citations.marks.products import find_unknown_marks
from workbench.records.citation import CITATION_KINDS

if TYPE_CHECKING:
    from workbench.citations.document import Document

_RANK = {kind: rank for rank, kind in enumerate(CITATION_KINDS)}
_CODE = re.compile(r"(`{1,2})[^`\n]{1,400}\1")


def find_marks(document: "Document") -> list[Mark]:
    """The settled marks of a text in text order; none in code, images or reference lists.

    Marks that its provider made go before any that they overlap; those that cover the words they
    support are not among them.
    """
    text, links = document.text, document.links
    labels = document.entry_labels
    images = [(link.start, link.end) for link in links if link.image]
    marks = _outside(
        [*images, *_inline_code(document), *document.product_marks.markup],
        document.product_marks.marks
        + find_bracketed(text, links, labels)
        + find_raised(text, labels)
        + find_keys(text)
        + _in_links(find_author_year(document), links)
        + find_backward(text)
        + find_addresses(text, links)
        + find_legal(text),
    )
    fenced = [(line.start, line.end) for line in document.lines if line.kind == "code"]
    closed = [*document.reference_lists.spans, *fenced]
    marks = resolve_overlaps(_outside(closed, marks + find_provenance(text)))
    if labels and not any(mark.kind == "numbered" for mark in marks):
        known = sorted(closed + [(mark.start, mark.end) for mark in marks] + images)
        marks = resolve_overlaps(marks + find_callouts(text, labels, known))
    provided = document.provider_marks
    if not provided:
        return marks
    marks = _outside([(mark.start, mark.end) for mark in provided], marks)
    return sorted([*marks, *provided], key=_place)


def resolve_overlaps(marks: Iterable[Mark]) -> list[Mark]:
    """The marks that stay, in text order.

    Of marks that overlap, the one that begins first stays; of those that begin together, the
    longest; of those with one span, the kind that comes first in `CITATION_KINDS`, with all its
    marks (`[1, 2]` is two). So a DOI inside a URL is that URL, once, and `[1](url)` is mark 1.
    Quotations and statistics say what is claimed and not where from: they are not settled here.
    """
    settled: list[Mark] = []
    edge = -1
    identifiers: set[str] = set()
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end, _RANK[mark.kind])):
        if mark.start >= edge:
            edge = mark.end
            identifiers = {mark.identifier}
            settled.append(mark)
        elif mark[:3] == settled[-1][:3] and mark.identifier not in identifiers:
            identifiers.add(mark.identifier)
            settled.append(mark)
    return settled


def _place(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end


def _outside(spans: list[tuple[int, int]], marks: list[Mark]) -> list[Mark]:
    """The marks, sorted by place, that touch none of the half-open spans."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    at, count = 0, len(merged)
    outside = []
    for mark in sorted(marks, key=_place):
        while at < count and merged[at][1] <= mark.start:
            at += 1
        if at == count or mark.end <= merged[at][0]:
            outside.append(mark)
    return outside


def unknown_marks(document: "Document") -> list[tuple[int, int]]:
    """What looks like a mark and was not read as one, outside code, links and reference lists."""
    known = [(mark.start, mark.end) for mark in document.marks]
    known += [(link.start, link.end) for link in document.links]
    known += [*document.product_marks.markup, *document.reference_lists.spans]
    known += [(line.start, line.end) for line in document.lines if line.kind == "code"]
    return find_unknown_marks(document.text, known + _inline_code(document))


def _inline_code(document: "Document") -> list[tuple[int, int]]:
    """Code between backticks; a mark that has backticks of its own is none."""
    if "`" not in document.text:
        return []
    ticked = [
        mark for mark in document.product_marks.marks if "`" in document.text[mark.start : mark.end]
    ]
    return [
        (start, end)
        for start, end in (match.span() for match in _CODE.finditer(document.text))
        if not any(mark.start <= start and end <= mark.end for mark in ticked)
    ]


def _in_links(marks: list[Mark], links: list[TextLink]) -> list[Mark]:
    """Author-year marks; one that is a link's whole label takes the link's span and address."""
    if not marks or not links:
        return marks
    web = [link for link in links if not link.image and is_web(link.address)]
    around = {link.label_start: link for link in web} | {link.start: link for link in web}
    linked = []
    for mark in marks:
        link = around.get(mark.start)
        if link and mark.end in (link.label_end, link.label_end + 1):
            target = address_target(link.address)
            mark = mark._replace(start=link.start, end=link.end, target=target)
        linked.append(mark)
    return linked
