"""The order of the stages: find, link, fetch, read, judge.

`averify` composes the rooms and knows no store: each finished verdict goes to a callback, so a run
survives a crash and works in a notebook with no database. One source is fetched and read once,
whatever the number of citations to it, and fetching overlaps with judging. What goes wrong with a
citation ends up on that citation; only the caller's mistakes are raised.
"""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.pipeline.claim import StoredClaims, claim_for_judge, context_for_judge
    from workbench.pipeline.claim_verification import (
        aground_documents,
        extract_claims,
        ground_claims,
        read_documents,
    )
    from workbench.pipeline.envelope import CheckedClaim, EnvelopeReport, check_envelope
    from workbench.pipeline.estimate import Estimate, estimate_questions, estimate_run
    from workbench.pipeline.fetching import open_services, open_web
    from workbench.pipeline.joint import ClaimVerdict, joint_verdicts
    from workbench.pipeline.options import (
        Progress,
        Sources,
        VerifyKeywords,
        VerifyOptions,
        check_choice,
        default_cap_usd,
    )
    from workbench.pipeline.policy_gate import Documents, agate, gate
    from workbench.pipeline.reading import (
        MAX_INPUT_BYTES,
        given_sources,
        read_bytes,
        read_output,
        sources_within,
    )
    from workbench.pipeline.source_matching import CitedWork, SourceMatching, match_sources
    from workbench.pipeline.verification import averify, verify, verify_with
    from workbench.pipeline.web_search import open_search

__all__ = [
    "CheckedClaim",
    "CitedWork",
    "ClaimVerdict",
    "Documents",
    "EnvelopeReport",
    "Estimate",
    "MAX_INPUT_BYTES",
    "Progress",
    "SourceMatching",
    "Sources",
    "StoredClaims",
    "VerifyKeywords",
    "VerifyOptions",
    "agate",
    "aground_documents",
    "averify",
    "check_choice",
    "check_envelope",
    "claim_for_judge",
    "context_for_judge",
    "default_cap_usd",
    "estimate_questions",
    "estimate_run",
    "extract_claims",
    "gate",
    "given_sources",
    "ground_claims",
    "joint_verdicts",
    "match_sources",
    "open_search",
    "open_services",
    "open_web",
    "read_bytes",
    "read_documents",
    "read_output",
    "sources_within",
    "verify",
    "verify_with",
]

__getattr__ = lazy_exports(__name__, __file__)
