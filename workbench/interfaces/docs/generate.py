"""Documents whose generated parts stand between marks and are regenerated from the code.

    <!-- generated: NAME -->
    …
    <!-- end of NAME -->

Text outside the marks is written by hand and stays as it is.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from workbench.errors import UsageError
from workbench.services.documents import DOCS, DocumentationPage, documents

Section = Callable[[], str]
"""Draws one part, in Markdown."""
_PART = re.compile(
    r"^<!-- generated: (?P<name>[\w-]+) -->\n(?P<body>.*?)^<!-- end of (?P=name) -->$", re.M | re.S
)
_MARK = re.compile(r"^<!-- (?:generated: |end of )([\w-]+) -->$", re.M)


def render_document(document: DocumentationPage, sections: Mapping[str, Section]) -> str:
    """The document with every generated part regenerated.

    Raises:
        UsageError: A part is named that nothing draws, or its mark has no end.
    """
    drawn: set[str] = set()

    def draw(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in sections:
            raise UsageError(
                f"{document.path.name} uses the section {name!r}, which does not exist; available: "
                f"{', '.join(sorted(sections))}."
            )
        drawn.add(name)
        body = sections[name]().strip()
        return f"<!-- generated: {name} -->\n{body}\n<!-- end of {name} -->"

    woven = _PART.sub(draw, document.text)
    unpaired = set(_MARK.findall(document.text)) - drawn
    if unpaired:
        raise UsageError(
            f"{document.path.name} has a mark without its other half: {', '.join(sorted(unpaired))}."
        )
    return woven


def stale_documents(
    sections: Mapping[str, Section], folder: Path = DOCS
) -> list[DocumentationPage]:
    """The documents that are not what the code says now.

    Raises:
        UsageError: As `render_document`.
    """
    return [
        document
        for document in documents(folder)
        if render_document(document, sections) != document.text
    ]


def write_documents(
    sections: Mapping[str, Section], folder: Path = DOCS
) -> list[DocumentationPage]:
    """The documents that were stale, rewritten.

    Raises:
        UsageError: As `render_document`.
    """
    stale = stale_documents(sections, folder)
    for document in stale:
        document.path.write_text(render_document(document, sections), "utf-8")
    return stale
