"""Filter labels by version of the label guide; the choice is in the URL."""

from collections.abc import Mapping

import streamlit as st

from workbench.errors import UsageError
from workbench.records.guide_versions import guide_name, guide_text, parse_guide

_PARAMETER = "guide"


def chosen_guides(counts: Mapping[int, int], key: str) -> tuple[int, ...]:
    """The chosen guide versions; empty for all.

    Nothing is drawn if all labels are of one version. `counts` is the number of labels
    of each version; `key` is the widget's.
    """
    requested = requested_guides()
    if len(counts) < 2 and not requested:
        return ()
    versions = sorted({*counts, *requested}, key=lambda version: (version < 0, version))
    st.session_state[key] = requested[0] if requested else None

    def keep() -> None:
        chosen = st.session_state[key]
        if chosen is None:
            st.query_params.pop(_PARAMETER, None)
        else:
            st.query_params[_PARAMETER] = guide_name(chosen)

    def words(version: int | None) -> str:
        if version is None:
            return "All versions"
        name = guide_text(version)
        return f"{name[0].upper()}{name[1:]}: {counts.get(version, 0):,} labels"

    chosen: int | None = st.selectbox(
        "Labels given with guide version",
        (None, *versions),
        format_func=words,
        key=key,
        on_change=keep,
    )
    return () if chosen is None else (chosen,)


def requested_guides() -> tuple[int, ...]:
    """The guide versions of the URL; empty for all."""
    text = st.query_params.get(_PARAMETER, "")
    try:
        return (parse_guide(text),) if text else ()
    except UsageError:
        return ()
