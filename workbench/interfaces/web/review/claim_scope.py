"""How much of the text a citation covers, changed by a reviewer with one key.

How a page uses it, for the item that it shows:

    render_scope_button(item, correction, cited)   # among its buttons

The choice is shown and judged again with corrected claims (`claim_boundaries`).
"""

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web.review import text as texts
from workbench.interfaces.web.review.claim_wording import claim_place
from workbench.interfaces.web.review.decision_details import DecisionItem
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.presentation.escape import escape_markdown
from workbench.records import Citation, ClaimSpanCorrection, Extraction, ScopeKind
from workbench.services.cached_views import cached_view
from workbench.services.claim_corrections import correct_claim
from workbench.services.database import Database
from workbench.services.inputs import Scopes


def render_scope_button(
    item: DecisionItem,
    correction: ClaimSpanCorrection | None,
    cited: Extraction,
) -> None:
    """Draw the button that shows the scope and switches to the next; disabled if there is only one.

    `cited` is the output with the citations of the run.
    """
    scopes = _scopes(item.database, item.run_id, cited)
    kinds = [scope.kind for scope in scopes.choices(item.result.citation)]
    current = current_scope(item.result.citation, correction)

    def take(_name: str) -> None:
        span = claim_place(item, correction)
        if span is None:
            return
        next_scope = (
            kinds[(kinds.index(current) + 1) % len(kinds)] if current in kinds else kinds[0]
        )
        try:
            correct_claim(
                item.database,
                item.run_id,
                item.citation_id,
                span,
                item.reviewer,
                scope=next_scope,
            )
        except UsageError as error:
            st.toast(escape_markdown(str(error)))
            return

    st.button(
        f"Scope: {current}",
        key="claim-scope",
        shortcut="x",
        on_click=with_name,
        args=(take,),
        disabled=len(kinds) < 2,
        help=texts.SCOPE_BUTTON_HELP if len(kinds) > 1 else texts.ONE_SCOPE_HELP,
    )


def current_scope(citation: Citation, correction: ClaimSpanCorrection | None) -> ScopeKind:
    """The current scope: the reviewer's, else the one that was judged."""
    if correction:
        return correction.scope or "sentence"
    return citation.scope.kind if citation.scope else "sentence"


@cached_view(key=lambda run_id, cited: run_id)
def _scopes(database: Database, run_id: str, cited: Extraction) -> Scopes:
    """The scopes in the output of a run; the output is parsed once for all of its cards."""
    return Scopes(cited)
