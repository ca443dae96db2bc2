"""The form beside the YAML: the fields of a policy that are changed most.

The YAML is the only state: each widget shows what it says, and a change is written into it.
"""

from collections.abc import Callable

import streamlit as st

from workbench.interfaces.web.policies import text as texts
from workbench.services.policies import ACTIONS, FIELDS, PATTERNS, Field, FieldValue, Policy


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
    help_text = f"`{field.path}`: {field.says}"
    st.session_state[key] = list(value) if isinstance(value, tuple) else value

    def changed() -> None:
        chosen = st.session_state[key]
        if field.kind == "patterns":
            chosen = tuple(pattern for pattern in PATTERNS if pattern in chosen)
        on_change(field.path, chosen)

    may_be_unset = field.default == "unset"
    with st.container(width=texts.FIELD_WIDTH):
        match field.kind:
            case "switch":
                st.toggle(label, key=key, help=help_text, on_change=changed, disabled=disabled)
            case "share":
                st.number_input(
                    label,
                    min_value=0.0,
                    max_value=1.0,
                    value=None if may_be_unset else "min",
                    step=0.05,
                    format="%g",
                    placeholder="not set" if may_be_unset else None,
                    key=key,
                    help=help_text,
                    on_change=changed,
                    disabled=disabled,
                )
            case "action":
                st.selectbox(
                    label,
                    ACTIONS,
                    format_func=str.capitalize,
                    key=key,
                    help=help_text,
                    on_change=changed,
                    disabled=disabled,
                )
            case "patterns":
                st.pills(
                    label,
                    PATTERNS,
                    selection_mode="multi",
                    format_func=texts.pattern_text,
                    key=key,
                    help=help_text,
                    on_change=changed,
                    disabled=disabled,
                )
