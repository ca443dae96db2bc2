"""Under which key a judgment is kept, so that no call is paid for twice."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from workbench.judging.judge import Judge
from workbench.records import Judgment, Passage


def judgment_key(judge: Judge, claim: str, passages: Sequence[Passage]) -> str:
    """The SHA-256, in hexadecimal, of all that a judgment depends on.

    That is the claim, the passages with their places, the judge's SPEC (which names the model) and
    its prompt; canonical form: ASCII-escaped JSON of `[version, spec, prompt, claim, passages]`.
    """
    prompt = getattr(getattr(judge, "prompt", None), "id", None)
    parts = [1, judge.spec, prompt, claim, [[one.start, one.text] for one in passages]]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()


def recalled(judgment: Judgment) -> Judgment:
    """A kept judgment as a run that did not pay for it counts it: without tokens, cost or wait."""
    return replace(
        judgment, input_tokens=0, output_tokens=0, cost_usd=0.0, price_unknown=False, latency_ms=0
    )
