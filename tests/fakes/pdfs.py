"""PDFs made for tests: of some pages of text, turned, and built by hand to do harm."""

import io
import zlib

import pypdf
from fpdf import FPDF


def pdf_of(*pages, size=12, **options):
    """A PDF with a page for each text."""
    document = FPDF(**options)
    document.set_font("helvetica", size=size)
    for text in pages:
        document.add_page()
        document.multi_cell(0, 8, text)
    return bytes(document.output())


def turned(body, degrees, crop=None):
    """The PDF with its pages shown turned clockwise and, in points, cropped to a rectangle."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(body))
    for page in writer.pages:
        page.rotate(degrees)
        if crop:
            page.cropbox = pypdf.generic.RectangleObject(crop)
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def raw_pdf(content, *, media_box="0 0 612 792", objects=()):
    """A PDF of one page from a content stream and objects from number 6 on; 5 is the font."""
    packed = zlib.compress(content.encode("latin-1"))
    names = "".join(f"/O{number} {number} 0 R " for number in range(6, 6 + len(objects)))
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{media_box}] /Contents 4 0 R "
        f"/Resources << /Font << /F1 5 0 R >> /XObject << {names}>> >> >>".encode(),
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *objects,
    ]
    body = b"%PDF-1.7\n"
    offsets = []
    for number, part in enumerate(parts, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    end = (len(parts) + 1, table, len(parts) + 1, len(body))
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\n" % (end[:3])
        + (b"startxref\n%d\n%%%%EOF\n" % end[3])
    )


TEXT = "BT /F1 12 Tf 72 700 Td (The bridge is 120 metres long.) Tj ET "
"""A content stream with one sentence."""


def nested_forms(levels=9, each=9):
    """A page whose form draws another nine times, which draws another nine times, and so on."""
    objects = []
    for level in range(levels):
        last = level == levels - 1
        below = 7 + level
        stream = b"0 0 600 700 re f " * each if last else b"/N Do " * each
        inner = b"" if last else b"/Resources << /XObject << /N %d 0 R >> >> " % below
        objects.append(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] %s/Length %d >>\n"
            b"stream\n%s\nendstream" % (inner, len(stream), stream)
        )
    return raw_pdf(TEXT + "/O6 Do", objects=objects)


def vast_image(side=60_000):
    """A page with a picture of a few kilobytes that unpacks to several gigabytes."""
    pixels = zlib.compressobj(9)
    packed = b"".join(pixels.compress(b"\0" * side * 100) for _ in range(side * 3 // 1000))
    packed += pixels.flush()
    picture = (
        b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB "
        b"/BitsPerComponent 8 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream"
        % (side, side, len(packed), packed)
    )
    return raw_pdf(TEXT + "q 500 0 0 500 50 50 cm /O6 Do Q", objects=[picture])
