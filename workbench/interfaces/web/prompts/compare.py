"""Two judges or prompts side by side: which is better, its cost, and where they differ."""

import streamlit as st

from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.prompts.compare_text import (
    KIND_TEXT,
    error_counts_text,
    excluded_text,
    figures_table,
    key_of,
    mcnemar_text,
    outcome,
    outcome_text,
    side_text,
    transposed_table,
)
from workbench.interfaces.web.prompts.parts import choose_parts, render_test_part, split_or_way
from workbench.interfaces.web.query_params import bind_query_param
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.records import JudgeKey
from workbench.services.comparison import JudgeComparison
from workbench.services.database import Database
from workbench.services.labelled_judging import list_judges, why_no_prompt
from workbench.services.prompt_comparison import pairing
from workbench.services.prompts import has_examples
from workbench.services.splits import test_part_accesses

ALL = "all"
SHOWN = 25
"""Items listed on the page; the others are only counted."""
_GLYPHS = {"better": "▲", "worse": "▼", "not distinguishable": "≈", "unknown": "?"}


def render_compare(store: Database) -> None:
    """Draw the comparison of two judges; the URL contains both and the part."""
    split = split_or_way(store)
    if split is None:
        return
    judges = {key_of(judge): judge for judge in list_judges(store)}
    if len(judges) < 2:
        st.info(
            "Comparison needs two judges. So far the labelled examples have been judged by "
            f"{escape_markdown(', '.join(judges)) or 'no judge'}. "
            + (escape_markdown(why_no_prompt()) or "Choose Try to run another judge or prompt.")
        )
        return
    first, second = _choose_two(judges)
    purpose = f"comparing {side_text(first)} and {side_text(second)}"
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        parts = choose_parts(split, purpose, "prompts-compare")
        render_test_part(store, split, parts, purpose, "prompts-compare")
    if first == second:
        st.caption("Both selections are the same; choose a different one.")
        return
    opening = next(iter(test_part_accesses(store, split.id)), None) if "test" in parts else None
    evaluation = pairing(store, first, second, split.id, parts, opening)
    contest = evaluation.contest
    result = outcome(contest)
    st.html(
        f'<p class="wb-outcome" role="status" dir="auto"><span aria-hidden="true">{_GLYPHS[result]}'
        f"</span> {escape_html(outcome_text(contest))}</p>"
    )
    if not contest.comparison.n:
        st.caption("Choose Try to run both on these examples; stored results are not run again.")
        return
    render_table(figures_table(evaluation), "prompts-figures")
    notes = (mcnemar_text(contest), error_counts_text(contest), excluded_text(contest))
    st.caption(escape_markdown(" ".join(filter(None, notes))))
    if "train" in parts and any(has_examples(store, judge.prompt) for judge in (first, second)):
        st.warning(
            "This prompt's few-shot examples come from train, so results on train are inflated. Compare on dev."
        )
    _flips(contest)


def _choose_two(judges: dict[str, JudgeKey]) -> tuple[JudgeKey, JudgeKey]:
    keys = list(judges)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        chosen = []
        for name, label, default in (("a", "First", keys[0]), ("b", "Second", keys[1])):
            write_url = bind_query_param(name, f"prompts-{name}", keys, default)
            picked = st.selectbox(
                label,
                keys,
                key=f"prompts-{name}",
                format_func=lambda key: truncate(side_text(judges[key]), 70),
                on_change=write_url,
            )
            chosen.append(judges[picked])
    return chosen[0], chosen[1]


def _flips(comparison: JudgeComparison) -> None:
    st.html('<h2 class="wb-h2">Differences</h2>')
    if not comparison.flips:
        st.caption("None: both assign the same label to every example.")
        return
    counts = {kind: sum(flip.kind == kind for flip in comparison.flips) for kind in KIND_TEXT}
    names = [ALL, *(kind for kind, number in counts.items() if number)]
    write_url = bind_query_param("show", "prompts-kind", names, ALL)
    words = {ALL: f"All {len(comparison.flips):,}"}
    words |= {kind: f"{KIND_TEXT[kind]} {number:,}" for kind, number in counts.items()}
    kind = st.segmented_control(
        "Show",
        names,
        format_func=lambda option: words[option],
        key="prompts-kind",
        on_change=write_url,
        required=True,
        label_visibility="collapsed",
    )
    changed = [flip for flip in comparison.flips if kind in (ALL, flip.kind)]
    render_table(transposed_table(comparison, changed[:SHOWN]), "prompts-flips")
    if len(changed) > SHOWN:
        st.caption(
            f"{SHOWN} of {len(changed):,} are shown; `workbench compare … --json` lists all of them."
        )
