"""Find every mark of a text, of every form."""

import re

from workbench.citations.author_year import find_author_year, find_brackets
from workbench.citations.brackets import find_bracketed
from workbench.citations.ibid import find_backward
from workbench.citations.keys import find_keys
from workbench.citations.legal import find_legal
from workbench.citations.lines import Line
from workbench.citations.link import first_names
from workbench.citations.marks import Mark, Zones
from workbench.citations.narrative import find_narrative
from workbench.citations.overlapping_marks import resolve_overlaps
from workbench.citations.provenance import find_provenance
from workbench.citations.references import ReferenceEntry
from workbench.citations.superscripts import find_raised
from workbench.citations.url_finder import Link, address_target, find_addresses, is_web

_CODE = re.compile(r"(`{1,2})[^`\n]{1,400}\1")


def find_marks(
    text: str,
    lines: list[Line],
    links: list[Link],
    listed: list[ReferenceEntry],
    closed: list[tuple[int, int]],
) -> list[Mark]:
    """The settled marks of a text in text order; none in code, images or reference lists.

    Args:
        text: The text.
        lines: Its lines.
        links: Its Markdown links.
        listed: Its reference entries.
        closed: The stretches that its reference lists take up.
    """
    labels = frozenset(one.label for one in listed if one.label)
    brackets = find_brackets(text)
    known = first_names(listed) if brackets else frozenset()
    authors = find_author_year(brackets, known) + find_narrative(text, brackets, known)
    fenced = [(line.start, line.end) for line in lines if line.kind == "code"]
    shut = Zones([*closed, *fenced])
    images = [(link.start, link.end) for link in links if link.image]
    quiet = Zones([*images, *_inline_code(text)])
    marks = quiet.outside(
        find_bracketed(text, links, labels)
        + find_raised(text, labels)
        + find_keys(text)
        + _in_links(authors, links)
        + find_backward(text)
        + find_addresses(text, links)
        + find_legal(text)
    )
    return resolve_overlaps(shut.outside(marks + find_provenance(text)))


def _inline_code(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in _CODE.finditer(text)] if "`" in text else []


def _in_links(authors: list[Mark], links: list[Link]) -> list[Mark]:
    """Author-year marks; one that is a link's whole label takes the link's span and address."""
    if not authors or not links:
        return authors
    around = {link.label_start: link for link in links if not link.image and is_web(link.address)}
    around |= {link.start: link for link in links if not link.image and is_web(link.address)}
    kept = []
    for mark in authors:
        link = around.get(mark.start)
        if link and mark.end in (link.label_end, link.label_end + 1):
            target = address_target(link.address)
            mark = mark._replace(start=link.start, end=link.end, target=target)
        kept.append(mark)
    return kept
