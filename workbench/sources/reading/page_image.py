"""One page of a PDF as it looks, and the place of each letter on it. Runs in the child.

PDFium draws it: a memory or time bomb ends the child (see `parser_process.py`), never the parent.
"""

import ctypes
import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.sources.reading.page_text import MAX_LETTERS, SCALE, Box, place_letters
from workbench.sources.reading.parsed import Unparsable

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfDocument, PdfPage

PAGE_WIDTH = 1_200
"""Pixels of a page that is drawn: sharp at 640 CSS pixels on a screen of double density."""
MAX_PIXELS = 6_000_000
MAX_SIDE = 16_000
"""Pixels of a picture's longer side; browsers show no larger ones."""
LEAST_PIXELS = 40
"""A page that comes out narrower or flatter within these limits cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPage:
    """A page as a PNG of `width` by `height` pixels, with the place of each letter of its text."""

    png: bytes
    width: int
    height: int
    places: Sequence[Box | None]
    """For each code point of the page's extracted text; None where none is known."""


def prepare_drawing() -> None:
    """Imports what `draw` will need, so that its clock does not pay for it."""
    import pypdfium2  # noqa: F401


def draw(body: bytes, number: int, text: str, width: int = PAGE_WIDTH) -> DrawnPage:
    """A page of a PDF as a viewer shows it: turned, and cropped.

    Args:
        body: The document.
        number: Of the page, counted from 1.
        text: The page's extracted text.
        width: Of the picture in pixels; less for a page of an odd shape.

    Raises:
        Unparsable: `unreadable` for a document or page that is encrypted, broken, missing or of a
            shape that no picture can show.
    """
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(body)
    except PdfiumError as bad:
        encrypted = "password" in str(bad).lower()
        raise Unparsable(
            "unreadable",
            "The PDF is encrypted: its pages cannot be drawn."
            if encrypted
            else "The PDF is broken: its pages cannot be drawn.",
        ) from bad
    try:
        return _draw(document, number, text, width)
    except PdfiumError as bad:
        raise Unparsable(
            "unreadable", f"Page {number} of the PDF is broken and cannot be drawn."
        ) from bad
    finally:
        document.close()


def _draw(document: "PdfDocument", number: int, text: str, width: int) -> DrawnPage:
    if not 1 <= number <= len(document):
        raise Unparsable("unreadable", f"The PDF has no page {number} that could be drawn.")
    page = document[number - 1]
    across, down = page.get_size()
    area = across * down
    scale = min(width / across, (MAX_PIXELS / area) ** 0.5, MAX_SIDE / down) if area > 0 else 0
    if not min(across, down) * scale >= LEAST_PIXELS:
        raise Unparsable(
            "unreadable",
            f"The page measures {across:,.0f} by {down:,.0f} points: no picture can show that.",
        )
    # the letters first: they are cheap, and the bitmap need not lie beside them in memory
    places = place_text(page, text)
    image = page.render(
        scale=scale, may_draw_forms=False, limit_image_cache=True, rev_byteorder=True
    ).to_pil()
    return DrawnPage(
        png=_png(image),
        width=image.width,
        height=image.height,
        places=places,
    )


def place_text(page: "PdfPage", text: str) -> Sequence[Box | None]:
    """Where each code point of a page's extracted text stands on it; None where that is unknown."""
    letters = _letters(page)
    boxes = [box for _, box in letters]
    return place_letters(text, "".join(letter for letter, _ in letters), boxes)


def _letters(page: "PdfPage") -> list[tuple[str, Box]]:
    """The letters with their boxes; none where there are too many."""
    import pypdfium2.raw as pdfium

    text = page.get_textpage()
    count = text.count_chars()
    if count > MAX_LETTERS:
        return []
    letters: list[tuple[str, Box]] = []
    rectangle = pdfium.FS_RECTF()
    high = 0
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(text, index)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000 and high:
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
        high = 0
        letter = chr(code) if code < 0x110000 else "\ufffd"
        if letter.isspace() or unicodedata.category(letter)[0] == "C":
            continue
        if pdfium.FPDFText_GetLooseCharBox(text, index, rectangle):
            box = _box_on_page(page, rectangle)
            if box.left < box.right and box.top < box.bottom:  # none off the page, none too small
                letters.append((letter, box))
    return letters


def _box_on_page(page: "PdfPage", rectangle: "ctypes.Structure") -> Box:
    """A rectangle of the document's coordinates on the page as it is shown: turned, and cropped."""
    import pypdfium2.raw as pdfium

    x, y = ctypes.c_int(), ctypes.c_int()
    across: list[int] = []
    down: list[int] = []
    for left, top in (
        (rectangle.left, rectangle.top),
        (rectangle.right, rectangle.bottom),
    ):
        pdfium.FPDF_PageToDevice(page, 0, 0, SCALE, SCALE, 0, left, top, x, y)
        across.append(min(max(x.value, 0), SCALE))
        down.append(min(max(y.value, 0), SCALE))
    return Box(min(across), min(down), max(across), max(down))


def _png(image: "Image") -> bytes:
    """The picture without colour where it has none: a third of the time and of the bytes."""
    red, green, blue = (channel.tobytes() for channel in image.convert("RGB").split())
    picture = image.convert("L") if red == green == blue else image.convert("RGB")
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=6 if picture.mode == "L" else 3)
    return stream.getvalue()
