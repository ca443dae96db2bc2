"""Word documents as small as they can be, made by hand so that a test can read what is in them."""

import io
import zipfile
from collections.abc import Mapping

_NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" '
    'ContentType="application/xml"/><Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/></Types>'
)


def paragraph(*runs: str, style: str = "") -> str:
    head = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{head}{''.join(runs)}</w:p>"


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def mark(kind: str, number: int) -> str:
    """The mark of a `footnote` or an `endnote`."""
    return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'


def note(kind: str, number: int, text: str) -> str:
    return f'<w:{kind} w:id="{number}">{paragraph(run(text))}</w:{kind}>'


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(run(cell))}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def document(body: str, footnotes: str = "", endnotes: str = "", prolog: str = "") -> bytes:
    """A `.docx` file with these parts."""
    relations = "".join(
        f'<Relationship Id="r{kind}" Type="{_OFFICE}/{kind}" Target="{kind}.xml"/>'
        for kind in ("footnotes", "endnotes")
    )
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{relations}</Relationships>",
        "word/document.xml": f"{prolog}<w:document {_NAMES}><w:body>{body}</w:body></w:document>",
        "word/footnotes.xml": f"<w:footnotes {_NAMES}>{footnotes}</w:footnotes>",
        "word/endnotes.xml": f"<w:endnotes {_NAMES}>{endnotes}</w:endnotes>",
    }
    return zipped(parts)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file with these members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()
