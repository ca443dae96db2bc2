"""What does this text cite? Text in; citations, references and claims out; pure."""

from workbench.citations.claims.prose import claim_text
from workbench.citations.claims.words import ClaimWords
from workbench.citations.context.claim_context import contexts_in, with_claim_context
from workbench.citations.context.scope import Scopes, with_scope
from workbench.citations.context.sentence_kinds import with_question
from workbench.citations.context.stretches import MOST_PARTS
from workbench.citations.document import document_of
from workbench.citations.extract import extract, with_clean_claims
from workbench.citations.native.answer import adjacent_question
from workbench.citations.native.shapes import from_native
from workbench.citations.references.entry.parse import parse_entry

__all__ = [
    "ClaimWords", "MOST_PARTS", "Scopes", "adjacent_question", "claim_text", "contexts_in", "document_of", "extract",
    "from_native", "parse_entry", "with_claim_context", "with_clean_claims", "with_question", "with_scope",
]  # fmt: skip
