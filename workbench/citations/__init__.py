"""What does this text cite? Text in; citations, references and claims out; pure."""

from workbench.citations.complete import contexts_in, with_claim_context
from workbench.citations.extract import extract
from workbench.citations.native import from_native
from workbench.citations.prose import claim_text
from workbench.citations.scope import MOST_PARTS, Scopes, with_scope

__all__ = [
    "MOST_PARTS",
    "Scopes",
    "claim_text",
    "contexts_in",
    "extract",
    "from_native",
    "with_claim_context",
    "with_scope",
]
