"""The order of the stages: find, link, fetch, read, judge.

`averify` composes the rooms and knows no store: each finished verdict goes to a callback, so a run
survives a crash and works in a notebook with no database. One source is fetched and read once,
whatever the number of citations to it, and fetching overlaps with judging. What goes wrong with a
citation ends up on that citation; only the caller's mistakes are raised.
"""

from workbench.pipeline.claim import claim_for_judge
from workbench.pipeline.envelope import CheckedClaim, EnvelopeReport, check_envelope
from workbench.pipeline.estimate import Estimate, estimate_run
from workbench.pipeline.fetching import open_web
from workbench.pipeline.gate import Documents, agate, gate
from workbench.pipeline.grounding import ground_claims, read_documents
from workbench.pipeline.joint import ClaimVerdict, joint_verdicts
from workbench.pipeline.options import Options, Progress, Sources, Together
from workbench.pipeline.reading import MAX_INPUT_BYTES, read_bytes, read_output, sources_within
from workbench.pipeline.verify import averify, verify
from workbench.pipeline.web_search import open_search

__all__ = [
    "CheckedClaim",
    "ClaimVerdict",
    "Documents",
    "EnvelopeReport",
    "Estimate",
    "MAX_INPUT_BYTES",
    "Options",
    "Progress",
    "Sources",
    "Together",
    "agate",
    "averify",
    "check_envelope",
    "claim_for_judge",
    "estimate_run",
    "gate",
    "ground_claims",
    "joint_verdicts",
    "open_search",
    "open_web",
    "read_bytes",
    "read_documents",
    "read_output",
    "sources_within",
    "verify",
]
