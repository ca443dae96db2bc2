"""Under which key a judgment is kept, so that no call is paid for twice."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from workbench.judging.judge import Judge, context_read_by
from workbench.records import NO_CONTEXT, Json, JudgeContext, Judgment, Passage


def judgment_key(
    judge: Judge, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
) -> str:
    """The SHA-256, in hexadecimal, of all that a judgment depends on.

    That is the claim, the passages with their places, the judge's SPEC (which names the model; where
    it does not, nothing is found again), its prompt, and what the judge takes in of the context: the
    same claim elsewhere is another question. Canonical form: ASCII-escaped JSON of
    `[1, spec, prompt, claim, passages]`, with a context, or headings that the judge reads without
    one, of `[2, spec, prompt, claim, passages, headings, source, context]`.
    """
    prompt = getattr(getattr(judge, "prompt", None), "id", None)
    passage_values: list[Json] = [[passage.start, passage.text] for passage in passages]
    name = getattr(judge, "name_in_keys", judge.spec)
    parts: list[Json] = [1, name, prompt, claim, passage_values]
    read = context_read_by(judge, context)
    is_headed = any(passage.heading or passage.table_header for passage in passages)
    if read != NO_CONTEXT or (is_headed and getattr(judge, "reads_headings", False)):
        headings: list[Json] = [[passage.heading, passage.table_header] for passage in passages]
        parts = [2, *parts[1:], headings, read.of_source, read.of_claim]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()


def as_cached(judgment: Judgment) -> Judgment:
    """A kept judgment as a run that did not pay for it counts it: without tokens, cost or wait."""
    return replace(
        judgment, input_tokens=0, output_tokens=0, cost_usd=0.0, price_unknown=False, latency_ms=0
    )
