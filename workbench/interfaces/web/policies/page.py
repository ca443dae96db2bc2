"""The Policy page: edit a policy, and see at once its effect on stored runs."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from workbench.errors import InvalidPolicy, UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset, when_sent
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.policies import text as texts
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.records.format import count_of
from workbench.records.reviewers import utc_now
from workbench.records.text import replace_surrogates
from workbench.services.calibration.thresholds import list_thresholds
from workbench.services.database import Database
from workbench.services.examples import example_ids
from workbench.services.policies import (
    ACTIONS,
    FIELDS,
    PATTERNS,
    Field,
    FieldValue,
    Policy,
    RunHistory,
    SimulatedOutcome,
    builtin_policies,
    edit_policy,
    past_runs,
    policy_text,
    preview_policy,
    read_policy,
    save_policy,
    saved_policies,
    simulate_policy,
    simulate_thresholds,
    why_no_effect,
)

_EDITOR = st.components.v2.component(
    "workbench_policy_editor",
    html='<div class="editor"><div class="gutter" aria-hidden="true"></div>'
    '<textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" '
    'aria-label="Policy, YAML" aria-describedby="wb-policy-state"></textarea></div>'
    '<p class="state" id="wb-policy-state" role="status"></p>',
    css=asset("policy_editor.css"),
    js=asset("policy_editor.js"),
)
DRAFT, DOCUMENT, VALID, SAVED, CHANGES = (
    "policy-draft", "policy-document", "policy-valid", "policy-saved", "policy-changes",
)  # fmt: skip
FIRST = "research"


def render_policy() -> None:
    """Draw the page.

    Raises:
        StoreError: The database cannot be used.
        UsageError: The settings file cannot be used.
    """
    store = session.database()
    st.html(
        '<div class="wb-head"><h1>Policies</h1><p class="wb-quiet">What happens to an answer '
        "whose citations do not hold: flag, redact or block.</p></div>"
    )
    render_examples_banner()
    span = _bar()
    _write_changes()
    policy, problems = _read()
    history, outcomes = _preview(store, span, policy, problems)

    def edit() -> None:
        fields, document = st.columns([42, 58], gap="medium")
        with document:
            _edit(problems)
            _keep()
        with fields:
            render_form(policy, disabled=bool(problems), on_change=_change)

    fold("Edit the policy", "policy-edit", edit)
    if policy is None or not history.runs:
        return
    fold(
        "Effect of other thresholds", "policy-thresholds", lambda: _what_if(store, policy, history)
    )
    affected = texts.concerned(outcomes)
    if affected:
        listed = f"Affected runs ({len(affected):,})"
        fold(listed, "policy-affected", lambda: _runs(history, affected))
        fold("Resulting text", "policy-text", lambda: _text(store, policy, history, affected))


def _bar() -> texts.TimeRange:
    data_dir = session.settings().data_dir
    builtin, saved = builtin_policies(), saved_policies(data_dir)
    names = [*saved, *builtin]

    def load() -> None:
        _load(str(st.session_state["policy-from"]))

    ranges = {span.name: span for span in texts.spans(utc_now())}
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        st.selectbox(
            "Policy",
            names,
            index=names.index(FIRST) if FIRST in names else 0,
            format_func=lambda option: option if option in saved else f"{option} (built in)",
            key="policy-from",
            on_change=load,
            help="Choosing another policy replaces the editor's contents.",
        )
        span = st.selectbox(
            "Preview period",
            list(ranges),
            index=list(ranges).index("all"),
            format_func=lambda option: ranges[option].word if option in ranges else option,
            key="policy-span",
            bind="query-params",
        )
    if DRAFT not in st.session_state:
        _load(str(st.session_state["policy-from"]))
    st.caption(escape_markdown(texts.in_force_text(session.settings().server.policy)))
    return ranges.get(span, ranges["all"])


def _load(name: str) -> None:
    text = policy_text(name, session.settings().data_dir)
    st.session_state[DRAFT] = text
    st.session_state[DOCUMENT] = st.session_state.get(DOCUMENT, 0) + 1
    st.session_state["policy-name"] = "" if name in builtin_policies() else name
    st.session_state.pop(VALID, None)


def _change(path: str, value: FieldValue) -> None:
    """Note a change in the form; what is typed in the YAML may arrive at the same moment."""
    st.session_state.setdefault(CHANGES, {})[path] = value


def _write_changes() -> None:
    """Write the changes in the form into the YAML."""
    for path, value in st.session_state.pop(CHANGES, {}).items():
        try:
            edited = edit_policy(str(st.session_state[DRAFT]), path, value, os.environ)
        except UsageError as error:
            st.toast(escape_markdown(str(error)))
            continue
        st.session_state[DRAFT] = edited
        st.session_state[DOCUMENT] += 1


def _read() -> tuple[Policy | None, Sequence[tuple[int, str]]]:
    """The policy in the editor, or the last valid one, and its errors."""
    text = str(st.session_state[DRAFT])
    problems: Sequence[tuple[int, str]] = ()
    policy = None
    try:
        policy = read_policy(text, os.environ)
        st.session_state[VALID] = text
    except InvalidPolicy as error:
        problems = error.problems
        if VALID in st.session_state:
            policy = read_policy(str(st.session_state[VALID]), os.environ)
    return policy, problems


def _edit(problems: Sequence[tuple[int, str]]) -> None:
    def typed(changed_text: str) -> None:
        st.session_state[DRAFT] = changed_text

    text, document = str(st.session_state[DRAFT]), str(st.session_state[DOCUMENT])
    render_editor(text, document, problems, "policy-editor", typed)
    with st.container(key="policy-problems"):
        if problems:
            lines = "".join(
                f"<li><b>Line {line}</b> {escape_html(message)}</li>" for line, message in problems
            )
            st.html(f'<ul class="wb-problems">{lines}</ul>')


def _keep() -> None:
    """Save the policy under a name, or download it."""
    message = st.session_state.pop(SAVED, None)
    with st.container(key="policy-said"):
        if message:
            st.success(escape_markdown(message))

    def save() -> None:
        name = str(st.session_state.get("policy-name") or "")
        try:
            path = save_policy(name, str(st.session_state[DRAFT]), session.settings().data_dir)
        except UsageError as error:
            st.session_state["policy-refused"] = str(error)
            return
        st.session_state["policy-from"] = path.stem
        st.session_state[SAVED] = f"Saved. Use it with: workbench verify FILE --policy {path.stem}"

    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        st.text_input(
            "Name", key="policy-name", placeholder="support-2026", persist_state="session"
        )
        st.button("Save", key="policy-save", type="primary", on_click=save)
        st.download_button(
            "Download",
            data=str(st.session_state[DRAFT]).encode("utf-8", "replace"),
            file_name=f"{st.session_state.get('policy-name') or 'policy'}.yaml",
            mime="application/yaml",
            key="policy-download",
            on_click="ignore",
        )
    refused = st.session_state.pop("policy-refused", None)
    if refused:
        st.error(escape_markdown(refused))


def _preview(
    store: Database,
    span: texts.TimeRange,
    policy: Policy | None,
    problems: Sequence[tuple[int, str]],
) -> tuple[RunHistory, Sequence[SimulatedOutcome]]:
    history = past_runs(store, span.since, span.until)
    if policy is None:
        st.info("Fix the errors to see a preview.")
        return history, ()
    with st.container(key="policy-preview-of"):
        if problems:
            st.warning("The preview shows the last version without errors.")
    st.html(f'<p class="wb-outcome">{escape_html(texts.rule_text(policy))}</p>')
    if not history.runs:
        st.info("No completed runs in this period. Choose another period, or check an answer.")
        st.page_link("pages/review.py", label="Go to Review")
        return history, ()
    outcomes = simulate_policy(policy, history.runs)
    examples = len(set(history.facts) & set(example_ids(store, "run")))
    of_examples = f", {examples:,} of them examples" if examples else ""
    st.html(
        f'<h2 class="wb-h2">Preview: {count_of(len(history.runs), "run")}{of_examples}</h2>'
        f"{texts.outcome_bar(texts.counts(outcomes))}"
    )
    st.caption(
        "The preview covers citation presence and source match. It cannot check groundedness or "
        "call a resolver: citations that only a resolver could confirm count as not confirmed."
    )
    return history, outcomes


def _runs(history: RunHistory, affected: Sequence[SimulatedOutcome]) -> None:
    render_table(texts.runs_table(affected, history), "policy-runs")
    if len(affected) > texts.MOST_RUNS:
        st.caption(
            f"The {texts.MOST_RUNS} most severe and most recent of {len(affected):,} runs are listed."
        )


def _what_if(store: Database, policy: Policy, history: RunHistory) -> None:
    notes = {
        threshold.accept: f"{threshold.id}, saved threshold"
        for threshold in reversed(list_thresholds(store, references=False))
        if threshold.accept is not None
    }
    values = sorted({*texts.THRESHOLDS, policy.min_confidence, *notes})
    outcomes = simulate_thresholds(policy, history.runs, values)
    if len(texts.equal_outcomes(outcomes)) == 1:
        reason = why_no_effect(policy, history.runs, values)
        st.info(escape_markdown(texts.no_effect_text(reason, values)))
    render_table(texts.what_if_table(policy, outcomes, notes), "policy-what-if")
    labelled = f"{history.labelled:,} citations of these runs have an active label."
    st.caption(
        "Correctly held: at least one unconfirmed citation is labelled not supported. Wrongly "
        "held: all of them are labelled supported. Missed: the run passes, but one of its "
        f"citations is labelled not supported. Only active labels count. {labelled}"
    )


def _text(
    store: Database, policy: Policy, history: RunHistory, affected: Sequence[SimulatedOutcome]
) -> None:
    """The text of one run after the policy."""
    chosen = st.selectbox(
        "Run",
        [outcome.run_id for outcome in affected[: texts.MOST_RUNS]],
        format_func=lambda option: (
            texts.run_name(history, option) if option in history.facts else option
        ),
        key="policy-run",
    )
    if chosen is None:
        return
    decision = preview_policy(store, policy, str(chosen))
    reasons = "; ".join(decision.reasons)
    st.caption(escape_markdown(f"{texts.OUTCOME_TEXT[decision.action][1]}: {reasons}."))
    if decision.action == "block":
        st.info("The answer would be blocked and replaced by an error.")
    else:
        st.html(texts.redacted_html(decision.text))


def render_form(
    policy: Policy | None, *, disabled: bool, on_change: Callable[[str, FieldValue], None]
) -> None:
    """Draw the form; `on_change` gets the path of a field and its new value.

    Args:
        policy: What the YAML says, or said before it had errors; None if it never was valid.
        disabled: Whether the YAML has errors.
        on_change: Called before the page is drawn again.
    """
    st.caption(texts.FORM_DISABLED if disabled else "Each change is written into the YAML.")
    if policy is None:
        return
    fields = {field.path: field for field in FIELDS}
    # as many beside one another as there is room for
    with st.container(key="policy-form", horizontal=True, gap="small"):
        for path, label in texts.FORM_FIELDS.items():
            value = getattr(policy, path.rpartition(".")[2])
            _field(fields[path], label, value, disabled, on_change)


def _field(
    field: Field,
    label: str,
    value: FieldValue,
    disabled: bool,
    on_change: Callable[[str, FieldValue], None],
) -> None:
    key = f"policy-field-{field.path}"
    st.session_state[key] = list(value) if isinstance(value, tuple) else value

    def changed() -> None:
        chosen = st.session_state[key]
        if field.kind == "patterns":
            chosen = tuple(pattern for pattern in PATTERNS if pattern in chosen)
        on_change(field.path, chosen)

    may_be_unset = field.default == "unset"
    shared: dict[str, Any] = {
        "key": key,
        "help": f"`{field.path}`: {field.says}",
        "on_change": changed,
        "disabled": disabled,
    }
    with st.container(width=texts.FIELD_WIDTH):
        match field.kind:
            case "switch":
                st.toggle(label, **shared)
            case "share":
                st.number_input(
                    label,
                    min_value=0.0,
                    max_value=1.0,
                    value=None if may_be_unset else "min",
                    step=0.05,
                    format="%g",
                    placeholder="not set" if may_be_unset else None,
                    **shared,
                )
            case "action":
                st.selectbox(label, ACTIONS, format_func=str.capitalize, **shared)
            case "patterns":
                st.pills(
                    label,
                    PATTERNS,
                    selection_mode="multi",
                    format_func=texts.pattern_text,
                    **shared,
                )


def render_editor(
    text: str,
    document: str,
    problems: Sequence[tuple[int, str]],
    key: str,
    on_text: Callable[[str], None],
) -> None:
    """Draw the editor; `on_text` gets the text, a moment after the last key.

    `document` identifies the document: when it changes, the editor replaces its text with `text`.
    """
    _EDITOR(
        data={
            "text": replace_surrogates(text),
            "document": document,
            "problems": [[line, replace_surrogates(message)] for line, message in problems],
        },
        key=key,
        on_text_change=when_sent(key, "text", str, on_text),
        height="content",
    )
