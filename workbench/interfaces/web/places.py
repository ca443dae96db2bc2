"""The four places and their pages: what the navigation, its row of links, and Ctrl+K show."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from workbench.interfaces.web.reviewer_identity import must_log_in


class PlacePage(NamedTuple):
    """A page of a place."""

    file: str
    """Its name in `pages/`, without the ending."""
    title: str
    url_path: str = ""
    """Where it is not named like its file."""
    listed: bool = True
    """Whether it has a link of its own; others are reached from a figure or a name."""
    found: bool = True
    """Whether Ctrl+K finds it."""
    tasks: str = ""
    """Other words for what is done there, which Ctrl+K finds as well."""


PLACES: Mapping[str, Sequence[PlacePage]] = {
    "Review": (
        PlacePage(
            "review", "Check citations", tasks="verify answer citations sources paste upload demo"
        ),
        PlacePage("home", "Open work", tasks="continue where I stopped correct a wrong claim"),
        PlacePage("runs", "Runs", tasks="which prompt judged a run compare rename report"),
        PlacePage("claims", "Claims", tasks="check text without citations"),
        PlacePage("items", "Citations", listed=False, found=False),
    ),
    "Queues": (
        PlacePage("queues", "Queues", tasks="new add a second reviewer team adjudicate"),
        PlacePage("guide", "Labelling guide", tasks="rules instructions"),
    ),
    "Data": (
        PlacePage("datasets", "Data sets", tasks="import export labels download csv jsonl"),
        PlacePage("sources", "Sources", tasks="which changed since judged snapshots"),
        PlacePage("search", "Search", tasks="find a phrase over all the runs"),
        PlacePage(
            "keep", "Backup & deletion", "data", tasks="back up the database delete an old run"
        ),
    ),
    "Trust": (
        PlacePage("trust", "Trust", tasks="how good is the judge threshold accepted automatically"),
        PlacePage("prompts", "Prompts", tasks="judge template versions"),
        PlacePage("policy", "Policies", tasks="block redact flag minimum confidence"),
        # addresses of earlier versions, which lead to sections of the first page
        PlacePage("calibrate", "Calibration", listed=False),
        PlacePage("agreement", "Agreement", listed=False),
        PlacePage("drift", "Drift", listed=False),
    ),
}
"""The pages of each place; the first is the one that its name in the navigation opens."""

_MARK = """header a[data-testid="stTopNavLink"][href$="/%s"] { font-weight: 600;
  background: color-mix(in srgb, currentColor 8%%, transparent); }"""


Places = Mapping[str, Mapping[PlacePage, StreamlitPage]]
"""For each place its pages, as Streamlit knows them."""


def pages_of_places() -> Places:
    """Return the pages that `st.navigation` knows, by place: the first of each is in the top bar."""
    return {
        place: {
            page: st.Page(
                f"pages/{page.file}.py",
                title=page.title if number else place,
                url_path=page.url_path or page.file,
                default=page.file == "review",
                visibility="hidden" if number else "visible",
            )
            for number, page in enumerate(pages)
        }
        for place, pages in PLACES.items()
    }


def render_place(places: Places, current: StreamlitPage) -> None:
    """Draw the links to the pages of the current page's place; mark the place in the top bar."""
    if must_log_in():
        return
    pages = next(pages for pages in places.values() if current in pages.values())
    first, *others = pages.values()
    if current in others:  # Streamlit marks the first by itself
        st.html(f"<style>{_MARK % first.url_path}</style>")
    with st.container(key="place", horizontal=True, gap="xsmall"):
        for entry, page in pages.items():
            if entry.listed:
                st.page_link(page, label=entry.title)
