"""The text of a Word document: paragraphs, lists, tables, and its foot- and endnotes.

docx2python is the parser: it alone of the well-kept ones hands back both kinds of notes with the
place of their marks (python-docx knows no notes; mammoth makes HTML, which would be parsed again).
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from workbench.sources.reading.parsed import MAX_CHARS, Parsed, Unparsable

if TYPE_CHECKING:
    from docx2python.depth_collector import Par

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_MAX_PARTS = 10_000
_MAX_XML_BYTES = 120 * 1024 * 1024
"""Of all parts that hold text, unpacked; a thousand pages have about a tenth of it."""
_NOTE_MARK = re.compile(r"----((?:foot|end)note)(\d+)----")
_NOTE = re.compile(r"\A((?:foot|end)note)(\d+)\)\s*")
_OTHER_MARK = re.compile(r"----(?:media/[^\n-]{1,80}|(?:comment|Image)[^\n-]{0,80})----")
_LINK = re.compile(r'<a href="([^"\n]{0,2000})">(.*?)</a>')
_HEADING = re.compile(r"heading\s?([1-6])", re.IGNORECASE)
_BULLET = re.compile(r"\A(\t*)(--|\S{1,8}\))\t")


def is_docx(body: bytes) -> bool:
    """Whether bytes are a ZIP file with the parts of a Word document."""
    if not body.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return "word/document.xml" in archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False


def parse_docx(body: bytes, *, clean: Callable[[str], str]) -> Parsed:
    """The text of a Word document; notes are lines `[^n]: …` at its end, with marks in the text.

    Headings begin with `#`, the cells of a table's row stand in one line between `|`.

    Raises:
        Unparsable: `unreadable` where it is damaged, or unpacks to more than a document holds.
    """
    _check(body)
    from docx2python import docx2python

    try:
        with docx2python(io.BytesIO(body)) as document:
            if not document.docx_reader.files_of_type("officeDocument"):
                raise ValueError("no part of the package is its main document")
            lines = _blocks(document.body_pars)
            notes = _notes([*document.footnotes_pars, *document.endnotes_pars])
    except Exception as error:  # whatever its XML makes the parser raise
        raise _unreadable() from error
    numbers: dict[tuple[str, str], int] = {}

    def number(match: re.Match[str]) -> str:
        key = (match[1], match[2])
        return f"[^{numbers.setdefault(key, len(numbers) + 1)}]"

    text = _NOTE_MARK.sub(number, "\n\n".join(lines))
    listed = [
        f"[^{numbers[key]}]: {notes[key]}"
        for key in sorted(numbers, key=numbers.__getitem__)
        if notes.get(key)
    ]
    text = "\n\n".join([text, *listed]).strip()
    text = clean(_LINK.sub(_markdown_link, _OTHER_MARK.sub("", text)))
    return Parsed(text=text[:MAX_CHARS], truncated=len(text) > MAX_CHARS)


def _check(body: bytes) -> None:
    """Nothing, unless the file would exhaust memory or declares entities."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            parts = archive.infolist()
            xml = [part for part in parts if part.filename.lower().endswith((".xml", ".rels"))]
            if len(parts) > _MAX_PARTS or sum(part.file_size for part in xml) > _MAX_XML_BYTES:
                raise Unparsable("unreadable", "The unpacked document is too large.")
            for part in xml:
                with archive.open(part) as opened:
                    head = opened.read(_MAX_XML_BYTES)
                if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                    raise _unreadable()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError) as error:
        raise _unreadable() from error


def _unreadable() -> Unparsable:
    return Unparsable(
        "unreadable",
        "This Word document is damaged, protected, or not a Word document: save it again as .docx, "
        "or use .pdf.",
    )


Table = Sequence[Sequence[Sequence["Par"]]]


def _blocks(tables: Sequence[Table]) -> list[str]:
    """The blocks of a text in their order: paragraphs, and tables of which each row is a line."""
    blocks: list[str] = []
    for table in tables:
        if len(table) == 1 and len(table[0]) == 1:
            blocks += filter(None, map(_paragraph, table[0][0]))
            continue
        rows = (
            " | ".join(" ".join(filter(None, map(_paragraph, cell))) for cell in row)
            for row in table
        )
        blocks.append("\n".join(f"| {row} |" for row in rows if row.strip(" |")))
    return [block for block in blocks if block]


def _paragraph(par: "Par") -> str:
    text = "".join(par.run_strings).strip("\n ")
    bullet = _BULLET.match(text)
    if bullet:
        sign = "-" if bullet[2] == "--" else bullet[2].replace(")", ".")
        text = f"{'  ' * len(bullet[1])}{sign} {text[bullet.end() :].strip()}"
    heading = _HEADING.match(par.style or "")
    if heading and text.strip():
        return f"{'#' * int(heading[1])} {' '.join(text.split())}"
    return text.replace("\t", " ").strip() if not bullet else text


def _notes(tables: Iterable[Table]) -> dict[tuple[str, str], str]:
    """Each note by its kind and number, on one line."""
    notes: dict[tuple[str, str], str] = {}
    key: tuple[str, str] | None = None
    for table in tables:
        for row in table:
            for cell in row:
                for par in cell:
                    text = " ".join("".join(par.run_strings).split())
                    begins = _NOTE.match(text)
                    if begins:
                        key = (begins[1], begins[2])
                        text = text[begins.end() :]
                    if key is not None and text:
                        notes[key] = f"{notes.get(key, '')} {text}".strip()
    return notes


def _markdown_link(match: re.Match[str]) -> str:
    address, words = match[1], match[2]
    return words if not address or words == address else f"[{words}]({address})"
