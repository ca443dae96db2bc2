"""A TrueType face with just the characters of one Chinese text, out of the Noto collection.

The collection's outlines are CFF. Set with those, a PDF numbers its characters through an embedded
CMap, which many readers resolve for the first 256 characters only; TrueType outlines avoid it.
"""

import io
from pathlib import Path

from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable

FONTS = {
    "": Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
    "B": Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc"),
}
SIMPLIFIED = 2
"""Number of the simplified Chinese face in the collection."""
MAXIMA = [
    *("maxPoints", "maxContours", "maxCompositePoints", "maxCompositeContours"),
    *("maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs"),
    *("maxStackElements", "maxSizeOfInstructions", "maxComponentElements", "maxComponentDepth"),
]
MOST_ERROR = 1.0
"""How far a quadratic curve may stray from the cubic one, in font units of 1/1000 em."""


def write_face(text: str, style: str, folder: Path) -> Path:
    """Write the face with the characters of `text` into `folder` and return its path."""
    font = TTFont(FONTS[style], fontNumber=SIMPLIFIED, recalcTimestamp=False)
    subsetter = Subsetter(Options(layout_features=[], name_IDs=[1, 2, 4, 6], hinting=False))
    subsetter.populate(text=text)
    subsetter.subset(font)
    font = _reread(font)
    _quadratic(font)
    path = folder / f"face{style}.ttf"
    font.save(path)
    return path


def _reread(font: TTFont) -> TTFont:
    """The font as a reader would find it, with the tables in step with each other."""
    stream = io.BytesIO()
    font.save(stream)
    stream.seek(0)
    return TTFont(stream, recalcTimestamp=False)


def _quadratic(font: TTFont) -> None:
    """Put quadratic outlines in place of the cubic ones."""
    outlines = font.getGlyphSet()
    order = font.getGlyphOrder()
    glyphs = {}
    for name in order:
        pen = TTGlyphPen(outlines)
        outlines[name].draw(Cu2QuPen(pen, MOST_ERROR, reverse_direction=True))
        glyphs[name] = pen.glyph()
    font["loca"] = newTable("loca")
    font["glyf"] = glyf = newTable("glyf")
    glyf.glyphOrder = order
    glyf.glyphs = glyphs
    for name in order:
        width, _ = font["hmtx"][name]
        glyphs[name].recalcBounds(glyf)
        font["hmtx"][name] = (width, getattr(glyphs[name], "xMin", 0))
    maxp = newTable("maxp")
    maxp.tableVersion = 0x00010000
    maxp.numGlyphs = len(order)
    for field in MAXIMA:
        setattr(maxp, field, 0)
    maxp.maxZones = 1
    font["maxp"] = maxp
    post = font["post"]
    post.formatType = 2.0
    post.extraNames, post.mapping, post.glyphOrder = [], {}, order
    for table in ("CFF ", "VORG"):
        if table in font:
            del font[table]
    font.sfntVersion = "\x00\x01\x00\x00"
