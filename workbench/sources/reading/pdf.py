"""The text of a PDF, page by page."""

import io
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.sources.reading.page_image import place_text
from workbench.sources.reading.parsed import MAX_CHARS, PageIssue, Parsed, Unparsable
from workbench.sources.reading.pdf_layers import (
    LayerVisitor,
    letters_run_together,
    with_word_gaps,
)

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader
    from pypdf.generic import StreamObject
    from pypdfium2 import PdfDocument

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
