"""The text of a PDF, page by page.

What a page of a PDF shows of its text: invisible layers under pictures, and the gaps of words.

Text recognition leaves its letters invisible, or under the picture of the page. A program that sets
words apart by less than half a space leaves a text in which words run together; on the page the
gaps are there, so they are measured. Runs in the child.
"""

import io
import re
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from workbench.sources.reading.page_image import place_text
from workbench.sources.reading.page_text import Box
from workbench.sources.reading.parsed import MAX_CHARS, PageIssue, Parsed, Unparsable

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader
    from pypdf.generic import StreamObject
    from pypdfium2 import PdfDocument


INVISIBLE = (3, 7)
"""Text render modes that draw nothing."""
COVERED = 0.5
"""The share of a page that a picture, or several, covers if the page is a scan."""
LONG_RUN = 24
"""Letters in a row that are hardly one word."""
LEAST_GAP = 0.035
"""By how much more of a line's height than two letters two words are apart."""
WORDS = (1.5, 14.0)
"""Fewest and most letters a word, on average, where the gaps found are those of words."""

_UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uff00-\uffef"
_RUN = re.compile(rf"[^\W_{_UNSPACED}]{{{LONG_RUN},}}")
_ADDRESS = re.compile(r"\S*(?:://|www\.|@|/|_)\S*")


class LayerVisitor:
    """Counts what is drawn while the text of a page is extracted: pass it as `visitor`."""

    def __init__(self, images: Mapping[str, bool], area: float) -> None:
        """Take the page's pictures by name, and whether nothing shows through each; its area."""
        self._images, self._area = images, area
        self._mode, self._modes = 0, list[int]()
        self.seen = self.hidden = 0
        self.pictured = 0.0

    def __call__(
        self, operator: bytes, operands: Sequence[object], matrix: Sequence[float], _text: object
    ) -> None:
        """Read one operation of the page."""
        if operator == b"q":
            self._modes.append(self._mode)
        elif operator == b"Q" and self._modes:
            self._mode = self._modes.pop()
        elif operator == b"Tr" and operands and isinstance(operands[0], int | float):
            self._mode = int(operands[0])
        elif operator in (b"Tj", b"'", b'"', b"TJ") and operands:
            shown = operands[-1] if isinstance(operands[-1], list) else operands[-1:]
            letters = sum(len(piece) for piece in shown if isinstance(piece, str | bytes))
            if self._mode in INVISIBLE:
                self.hidden += letters
            else:
                self.seen += letters
        elif operator == b"Do" and operands and str(operands[0]) in self._images:
            share = abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) / self._area
            self.pictured += min(share, 1.0)
            if (
                share >= COVERED and self._images[str(operands[0])]
            ):  # what was drawn before lies under it
                self.hidden, self.seen = self.hidden + self.seen, 0

    @property
    def is_scan(self) -> bool:
        """Whether pictures cover the page and most of its text is not to be seen."""
        return self.pictured >= COVERED and self.hidden > self.seen


def letters_run_together(text: str) -> float:
    """The share of a text's letters in rows that are too long for words; addresses left out."""
    text = _ADDRESS.sub(" ", text)
    long = sum(len(match[0]) for match in _RUN.finditer(text))
    return long / max(sum(map(str.isalnum, text)), 1) if long else 0.0


def with_word_gaps(text: str, places: Sequence[Box | None]) -> str:
    """The text of a page with a space where its letters stand as far apart as words do.

    The gaps of a page fall into two groups, those between letters and those between words, with
    nothing between them; where they do not, the text stays as it is.

    Args:
        text: As it was extracted.
        places: For each code point where it stands on the page.
    """
    gaps: dict[int, float] = {}
    for at, (one, other) in enumerate(pairwise(places), 1):
        if one and other and one.top < other.bottom and other.top < one.bottom:
            gaps[at] = (other.left - one.right) / max(one.bottom - one.top, 1)
    edge = _edge(sorted(gaps.values()))
    if edge is None:
        return text
    starts = [0, *(at for at, gap in gaps.items() if gap > edge), len(text)]
    spaced = " ".join(text[start:end] for start, end in pairwise(starts))
    words = spaced.split()
    is_likely = WORDS[0] <= sum(map(len, words)) / max(len(words), 1) <= WORDS[1]
    return spaced if is_likely else text


def _edge(gaps: Sequence[float]) -> float | None:
    """The gap above which words begin: the widest jump above the gap that most letters have."""
    if not gaps:
        return None
    usual = gaps[len(gaps) // 2]
    above = [usual, *(gap for gap in gaps if gap > usual)]
    width, low = max(
        ((after - before, before) for before, after in pairwise(above)), default=(0, 0)
    )
    return low + width / 2 if width >= LEAST_GAP else None


MAX_PAGES = 500
READING_SECONDS = 6.0
"""No new page is begun after this; what was read until then is kept and flagged `truncated`."""
BETWEEN_PAGES = "\n\n"

LIKELY_TOGETHER = 0.03
"""The share of a page's letters in rows too long for words from which its gaps are measured."""
RUNS_TOGETHER = 0.3
"""The same share of the whole text, from which the document is told to be badly read."""

_RUN_TOGETHER = PageIssue(
    reason="words_run_together",
    confidence=0.8,
    message="The words of the PDF run together, so nothing can be compared with them. Upload another "
    "copy, or paste the text.",
)
_URI_LENGTH = 2048
_TOO_LARGE = (
    "The PDF unpacks to more than is allowed and was not read: upload a smaller copy, or paste the "
    "text."
)


def parse_pdf(
    body: bytes,
    *,
    clean: Callable[[str], str],
    join_words: bool,
    max_pages: int = MAX_PAGES,
) -> Parsed:
    """The text of a PDF with the span of each page; pages are joined by a blank line.

    Args:
        body: The document.
        clean: What is done to the text of each page, before its span is counted.
        join_words: Whether a word that a line end divides is written in one piece.
        max_pages: Only so many pages are read.

    Raises:
        Unparsable: `unreadable` for an encrypted, broken, empty or scanned document.
    """
    import pypdf
    from pypdf.errors import LimitReachedError, PyPdfError

    limits = pypdf.apply_configuration(
        zlib_maximum_output_length=20_000_000,
        lzw_maximum_output_length=20_000_000,
        run_length_maximum_output_length=20_000_000,
        array_based_stream_maximum_output_length=20_000_000,
        stream_decoding_work_maximum_length=60_000_000,
        stream_parsing_work_maximum_count=500_000,
        jbig2dec_binary=None,
    )
    with limits:
        try:
            reader = pypdf.PdfReader(io.BytesIO(body), strict=False)
            if reader.is_encrypted and not reader.decrypt(""):
                raise Unparsable(
                    "unreadable",
                    "The PDF is encrypted: it opens with a password only. Upload a copy without "
                    "one, or paste the text.",
                )
            return _read(reader, _Gaps(body), clean, join_words, max_pages)
        except Unparsable:
            raise
        except LimitReachedError as bad:
            raise Unparsable("unreadable", _TOO_LARGE) from bad
        except (PyPdfError, NotImplementedError) as bad:
            raise Unparsable("unreadable", _damage_message(bad)) from bad
        except RecursionError as bad:
            raise Unparsable("unreadable", _damage_message(bad)) from bad
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OSError) as bad:
            # A damaged file makes the parser stumble in as many ways as there are damages.
            raise Unparsable("unreadable", _damage_message(bad)) from bad


def _damage_message(error: Exception) -> str:
    reason = " ".join(str(error).split())[:120] or type(error).__name__
    return f"The PDF is broken and cannot be read ({reason}): upload another copy."


class _Gaps:
    """Sets words apart that run together, on the pages where they do; opens the file once."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._document: PdfDocument | None = None

    def between(self, text: str, number: int) -> str:
        """The text of a page, counted from 0, as `with_word_gaps`; as it is where that fails."""
        if letters_run_together(text) < LIKELY_TOGETHER:
            return text
        from pypdfium2 import PdfDocument, PdfiumError

        try:
            self._document = self._document or PdfDocument(self._body)
            return with_word_gaps(text, place_text(self._document[number], text))
        except PdfiumError:
            return text


def _read(
    reader: "PdfReader",
    gaps: _Gaps,
    clean: Callable[[str], str],
    join_words: bool,
    max_pages: int,
) -> Parsed:
    from pypdf.errors import LimitReachedError

    began = time.monotonic()
    texts: list[str] = []
    scanned: list[int] = []
    length = failed = pictures = 0
    limited = False
    total = len(reader.pages)
    cut = total > max_pages
    for page in reader.pages[:max_pages]:
        if time.monotonic() - began > READING_SECONDS or length > MAX_CHARS:
            cut = True
            break
        try:
            raw, is_scan = _page_text(page)
            text = gaps.between(clean(raw), len(texts))
            text = _join_words(text) if join_words else text
        except Exception as bad:  # one damaged or monstrous page costs that page, not the document
            if isinstance(bad, MemoryError):
                raise
            text, is_scan, failed = "", False, failed + 1
            limited = limited or isinstance(bad, LimitReachedError)
        if not text.strip():
            pictures += bool(_images(page))
        texts.append(text)
        scanned += [len(texts)] if is_scan else []
        length += len(text) + len(BETWEEN_PAGES)
    if not any(text.strip() for text in texts):
        raise Unparsable("unreadable", _no_text(len(texts), failed, limited, pictures))
    pages: list[tuple[int, int]] = []
    start = 0
    for text in texts:
        pages.append((start, start + len(text)))
        start += len(text) + len(BETWEEN_PAGES)
    return Parsed(
        text=BETWEEN_PAGES.join(texts),
        pages=tuple(pages),
        scanned=tuple(scanned),
        title=_fact(reader, "title"),
        author=_fact(reader, "author"),
        truncated=cut or failed > 0,
        doubt=_RUN_TOGETHER if letters_run_together(" ".join(texts)) > RUNS_TOGETHER else None,
    )


def _no_text(read: int, failed: int, limited: bool, pictures: int) -> str:
    if failed:
        return (
            _TOO_LARGE
            if limited
            else f"None of the PDF's {read} pages can be read: upload another copy."
        )
    if pictures:
        return (
            "The PDF is scanned: its pages are pictures without text. Upload a copy with a text "
            "layer (OCR), or paste the text."
        )
    return "The PDF has no text. Upload another copy, or paste the text."


def _images(part: "PageObject | StreamObject", depth: int = 2) -> dict[str, bool]:
    """The pictures of a page and of the forms on it by name: whether nothing shows through."""
    images: dict[str, bool] = {}
    try:
        resources = part.get("/Resources")
        reference = resources.get_object().get("/XObject") if resources is not None else None
        objects = reference.get_object() if reference is not None else {}
        for name, item in objects.items():
            drawn = item.get_object()
            if drawn.get("/Subtype") == "/Image":
                images[name] = not any(key in drawn for key in ("/SMask", "/Mask", "/ImageMask"))
            elif depth > 1:
                images |= _images(drawn, depth - 1)
    except Exception:
        return images
    return images


def _page_text(page: "PageObject") -> tuple[str, bool]:
    """The text of a page, and whether it lies unseen under a picture of it."""
    images = _images(page)
    area = abs(float(page.mediabox.width) * float(page.mediabox.height)) or 1.0
    layers = LayerVisitor(images, area) if images else None
    text = page.extract_text(visitor_operand_before=layers) or ""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    text = _join_links(text, _link_targets(page)).strip("\n")
    return text, layers is not None and layers.is_scan


_DIVIDED = re.compile(r"(?<![\w./:-])([^\W\d_]{2,})-\n([a-zß-ÿ]{2,}) ?")


def _join_words(text: str) -> str:
    """A word that a line end divides, in one piece; addresses keep their hyphens.

    A hyphen stays where the text writes the same word with one.
    """

    def join(match: re.Match[str]) -> str:
        hyphen = "-" if f"{match[1]}-{match[2]}" in text else ""
        return f"{match[1]}{hyphen}{match[2]}\n"

    return _DIVIDED.sub(join, text)


def _link_targets(page: "PageObject") -> list[str]:
    """The addresses that the page's own links lead to."""
    targets: list[str] = []
    try:
        notes = page.get("/Annots")
        for note in (notes.get_object() if notes is not None else [])[:500]:
            action = note.get_object().get("/A")
            uri = action.get_object().get("/URI") if action is not None else None
            if isinstance(uri, str) and 8 < len(uri) <= _URI_LENGTH:
                targets.append(uri)
    except Exception:
        return targets
    return targets


def _join_links(text: str, targets: list[str]) -> str:
    """The text with each address that a line end broke written in one piece."""
    for target in dict.fromkeys(targets):
        if target in text:
            continue
        broken = re.compile(r"[ \t]*\n?[ \t]*".join(re.escape(char) for char in target))
        text = broken.sub(lambda match, whole=target: whole, text)  # type: ignore[misc]
    return text


def _fact(reader: "PdfReader", name: str) -> str | None:
    try:
        value = getattr(reader.metadata, name, None)
    except Exception:
        return None
    text = " ".join(value.split()) if isinstance(value, str) else ""
    # Word processors leave the file's name as the title.
    useless = text.lower().endswith((".doc", ".docx", ".tex", ".indd", ".pdf")) or (
        text.lower() in ("", "untitled", "title")
    )
    return None if useless else text[:500]
