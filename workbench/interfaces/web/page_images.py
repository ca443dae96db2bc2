"""A PDF source's pages as images beside its text: the choice between them, and the browser's data."""

import base64
from collections.abc import Callable, Mapping
from typing import Literal

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.sources.data import open_folder
from workbench.presentation.text_pages import Window
from workbench.records.source import Source
from workbench.records.text import Json, JsonDict, Span
from workbench.services.sources.page_images import SourcePage, has_page_images, page_image

SourceLook = Literal["text", "page", "both"]
"""What of a source is shown: its text, its pages as images, or both."""
LOOKS: dict[SourceLook, str] = {"text": "Text", "page": "Page", "both": "Both"}
NOT_PLACED = "The quote could not be placed on the page image; it is marked in the text."
NO_PLACES = "The words of this page could not be placed on its image: select them in the text."
MOST_PAGES_NAMED = 3_000
_CHOSEN = "source-look-chosen"


def choose_look(
    source: Source, changed: Callable[[SourceLook, SourceLook], None], default: SourceLook
) -> SourceLook:
    """What of a source to show, as chosen for this session; without page images it is the text.

    Args:
        source: The source with its text.
        changed: Called with the earlier look and the chosen one.
        default: What is shown until one is chosen.
    """
    if not can_draw(source):
        return "text"
    shown: SourceLook = st.session_state.get(_CHOSEN, default)

    def choose() -> None:
        chosen: SourceLook = st.session_state["source-look"]
        st.session_state[_CHOSEN] = chosen
        changed(shown, chosen)

    st.session_state["source-look"] = shown
    st.segmented_control(
        "Show",
        list(LOOKS),
        key="source-look",
        format_func=lambda look: LOOKS[look],
        required=True,
        label_visibility="collapsed",
        on_change=choose,
    )
    return shown


def can_draw(source: Source) -> bool:
    """Whether the pages of a source can be shown as images."""
    return has_page_images(open_folder(session.settings().snapshots), source)


def draw(source: Source, number: int) -> SourcePage:
    """A page of a source, counted from 1, out of the snapshots of this workbench."""
    return page_image(open_folder(session.settings().snapshots), source, number)


def page_windows(source: Source) -> tuple[Window, ...]:
    """The pages of a source as the parts of its text; at least one."""
    return tuple(
        Window(index=index, span=page.span, citations=()) for index, page in enumerate(source.pages)
    )


def page_data(page: SourcePage, source: Source, marks: Mapping[str, Span]) -> JsonDict:
    """The browser's data of a page: the image, its words and the marks on it.

    Offsets are code points of the page's text; places are ten-thousandths of its width and height.

    Args:
        page: The page.
        source: Its source.
        marks: Spans of the whole text by the id of their mark; those of other pages are left out.
    """
    span = source.pages[page.number - 1].span
    data: JsonDict = {
        "n": page.number,
        "of": len(source.pages) if len(source.pages) <= MOST_PAGES_NAMED else 0,
        "name": f"Page {page.number} of {len(source.pages)} as an image",
        "problem": page.problem,
    }
    image = page.image
    if image is None:
        return data
    words: list[Json] = []
    for word in image.words:
        words.append([word.span.start - span.start, word.span.end - span.start, *word.box])
    boxes: dict[str, Json] = {}
    missing: list[Json] = []
    for name, marked in marks.items():
        if marked.start < span.end and marked.end > span.start:
            lines: list[Json] = [list(box) for box in image.boxes(marked)]
            if lines:
                boxes[name] = lines
            else:
                missing.append(name)
    has_text = bool(span.of(source.text).strip())
    return data | {
        "src": "data:image/png;base64," + base64.b64encode(image.png).decode("ascii"),
        "w": image.width,
        "h": image.height,
        "words": words,
        "boxes": boxes,
        "missing": missing,
        "note": NO_PLACES if has_text and not words else NOT_PLACED if missing else "",
    }
