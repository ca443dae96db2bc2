"""A judge that answers by a written script, so that a person can compute every verdict by hand.

The script is a JSON file, either a list of rules or `{"rules": [rule…], "default": reply}`. The
first rule whose conditions all hold answers; conditions are plain substrings, case ignored:

    {"if_claim_contains": "…", "if_source_contains": "…",
     "label": "supported", "quote": "…", "confidence": 0.9, "score": 0.9, "rationale": "…",
     "error": "malformed_judge_response", "cost_usd": 0.001, "delay_ms": 5}

Only `label` (or `error`) is required. `quote` may be a list, and `"*"` quotes the first sentence of
the first passage. Without a rule that fits, and without a default, the answer is `not_supported`.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.errors import ERROR_KINDS, JudgeError, UnknownJudge
from workbench.judging.judge import FreeJudge, run_sync
from workbench.judging.quotes import locate_quotes
from workbench.language.tokenization import first_sentence, segment
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import QUOTED_LABELS, VERDICT_LABELS, Judgment

_DEFAULT: JsonDict = {"label": "not_supported", "rationale": "No rule of the script fits."}
_SCORES = {"supported": 0.9, "partially_supported": 0.4, "not_supported": 0.1, "contradicted": 0.0}


class ScriptedJudge(FreeJudge):
    """Answers from rules; needs no model, no network and no clock."""

    def __init__(
        self,
        rules: Sequence[Mapping[str, Json]],
        default: Mapping[str, Json] | None = None,
        spec: str = "scripted:memory",
    ) -> None:
        self._rules = [dict(rule) for rule in rules]
        self._default = dict(default) if default else dict(_DEFAULT)
        self.spec = spec
        for rule in [*self._rules, self._default]:
            _check(rule, spec)

    @classmethod
    def from_file(cls, path: str | Path) -> "ScriptedJudge":
        """The judge that a script describes; raises `UnknownJudge` when it cannot be read."""
        spec = f"scripted:{path}"
        try:
            script = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise UnknownJudge(
                f"The script {str(path)!r} of the scripted judge cannot be read "
                f"({error.strerror or 'no such file'}): name an existing JSON file."
            ) from error
        except ValueError as error:
            raise UnknownJudge(
                f"The script {str(path)!r} of the scripted judge is not JSON ({error}): correct it."
            ) from error
        rules = script.get("rules", []) if isinstance(script, dict) else script
        default = script.get("default") if isinstance(script, dict) else None
        shaped = isinstance(rules, list) and all(isinstance(rule, dict) for rule in rules)
        if not shaped or not (default is None or isinstance(default, dict)):
            raise UnknownJudge(
                f"The script {str(path)!r} of the scripted judge has the wrong shape: give a list "
                'of rules, or {"rules": […], "default": {…}}.'
            )
        return cls(rules, default, spec)

    async def ajudge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """The reply of the first rule that fits; raises `JudgeError` as scripted or unquoted."""
        source = "\n".join(passage.text for passage in passages)
        reply = next((r for r in self._rules if _fits(r, claim, source)), self._default)
        delay = _number(reply.get("delay_ms"), 0.0)
        if delay:
            await asyncio.sleep(delay / 1000)
        return _judgment(reply, passages, self.spec)

    def judge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """What `ajudge` gives."""
        return run_sync(self.ajudge(claim, passages, context))

    def worst_cost_usd(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> float | None:
        """The dearest reply of the script."""
        return max(_number(r.get("cost_usd"), 0.0) for r in [*self._rules, self._default])


def _judgment(reply: Mapping[str, Json], passages: Sequence[Passage], spec: str) -> Judgment:
    cost = _number(reply.get("cost_usd"), 0.0)
    for kind in ERROR_KINDS:
        if reply.get("error") == kind:
            message = reply.get("rationale") or "The script answers with this error."
            raise JudgeError(kind, str(message), cost_usd=cost, reply=json.dumps(dict(reply)))
    label = next(label for label in VERDICT_LABELS if label == reply["label"])
    located = locate_quotes(_quotes(reply.get("quote"), passages), passages)
    if label in QUOTED_LABELS and not located.evidence:
        why = located.rejected[0][1] if located.rejected else "the script gives no quote"
        raise JudgeError(
            "unverified_quote",
            f"The scripted judge says {label}, but {why}: use a quote that occurs in the source.",
            cost_usd=cost,
            reply=json.dumps(dict(reply)),
            quotes=tuple(quote for quote, _ in located.rejected),
        )
    return Judgment(
        label=label,
        confidence=_number(reply.get("confidence"), 0.9),
        score=_number(reply.get("score"), _SCORES.get(label, 0.0)),
        rationale=str(reply.get("rationale") or ""),
        reason=str(reply.get("reason") or "") or first_sentence(str(reply.get("rationale") or "")),
        sure=reply.get("sure") is not False,
        evidence=located.evidence,
        judge=spec,
        cost_usd=cost,
        input_tokens=int(_number(reply.get("input_tokens"), 0.0)),
        output_tokens=int(_number(reply.get("output_tokens"), 0.0)),
    )


def _quotes(quote: Json, passages: Sequence[Passage]) -> list[str]:
    """The quotes of a reply; `*` stands for the first sentence of the first passage, after its headings."""
    quotes = [quote] if isinstance(quote, str) else list(quote) if isinstance(quote, list) else []
    texts = []
    for item in quotes:
        if item == "*" and passages:
            text = passages[0].text
            spans = segment(text)
            said = (s for s in spans if not text.startswith("#", s.start))
            item = next(said, spans[0]).of(text) if spans else ""
        texts.append(str(item))
    return texts


def _fits(rule: Mapping[str, Json], claim: str, source: str) -> bool:
    conditions = ((rule.get("if_claim_contains"), claim), (rule.get("if_source_contains"), source))
    return all(
        expected is None or str(expected).casefold() in text.casefold()
        for expected, text in conditions
    )


def _number(value: Json, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) else otherwise


def _check(rule: Mapping[str, Json], spec: str) -> None:
    """Refuse a rule without a known label or error, in a sentence."""
    if rule.get("error") in ERROR_KINDS or rule.get("label") in VERDICT_LABELS:
        return
    raise UnknownJudge(
        f"A rule of {spec} has neither a known label nor a known error "
        f"(label {rule.get('label')!r}, error {rule.get('error')!r}): "
        f"use one of {', '.join(VERDICT_LABELS)}."
    )
