"""The four-layer envelope of a tool that emits claims: checked as it is, nothing repaired."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.errors import SourceError
from workbench.judging.bibliography import quotes_bibliography
from workbench.judging.layer_checks import find_overreach, quoted_in
from workbench.pipeline.fetching import open_fetcher
from workbench.pipeline.options import VerifyOptions
from workbench.pipeline.source_matching import CitedWork, match_works
from workbench.records.citation import Target, TargetForm
from workbench.records.source import Source, SourceQuery
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import Layers
from workbench.sources.fetchers import Fetcher
from workbench.sources.read import read_source

LONGEST_EXCERPT = 500
"""A verbatim excerpt is short; a longer one is the source again."""
_FORMS: dict[str, TargetForm] = {"file": "file", "memory": "memory", "git": "git", "web": "url"}
_SCOPE = re.compile(r"file|commit|context-bounded|as-of \S.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """One claim of an envelope, each layer found out apart."""

    index: int
    layers: Layers
    reasons: tuple[str, ...] = ()
    """Why a layer fails, or could not be checked."""

    @property
    def passed(self) -> bool:
        """Whether all four layers hold."""
        layers = self.layers
        return all((layers.exists, layers.resolves, layers.derivable, layers.in_scope))

    def to_dict(self) -> JsonDict:
        """The claim as the report lists it."""
        return {
            "index": self.index,
            "layers": self.layers.to_dict(),
            "passed": self.passed,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvelopeReport:
    """What an envelope holds."""

    problems: tuple[tuple[str, str], ...] = ()
    """Path into the envelope, and what is wrong with its form there."""
    claims: tuple[CheckedClaim, ...] = ()
    unverified: Json = field(default_factory=list)
    """As given: what could not be sourced is never dropped."""

    @property
    def valid(self) -> bool:
        """Whether the form is right; what the layers say is another matter."""
        return not self.problems

    def to_dict(self) -> JsonDict:
        """The report."""
        return {
            "valid": self.valid,
            "problems": [{"path": path, "message": message} for path, message in self.problems],
            "claims": [claim.to_dict() for claim in self.claims],
            "unverified": self.unverified,
        }


async def check_envelope(envelope: Json, options: VerifyOptions) -> EnvelopeReport:
    """What an envelope's form and each layer of each of its claims come to.

    Exists: it names a source, which is `file:PATH:LINE`, `memory:ID`, `git:SHA`, `web:URL` or
    `guess`. Resolves: the source could be had now. Derivable: the excerpt stands in it word for
    word. In scope: the claim is no wider than the excerpt's sentence, and its scope is one of the
    four. A layer is null where an earlier one left nothing to check it with.

    Raises:
        UsageError: The given sources or the options cannot be used.
    """
    if not isinstance(envelope, dict):
        return EnvelopeReport(problems=(("", "an envelope is an object with claims"),))
    problems: list[tuple[str, str]] = []
    unknown = (name for name in envelope if name not in ("claims", "unverified"))
    problems += [(name, "is no part of an envelope") for name in unknown]
    raw_claims = envelope.get("claims")
    if not isinstance(raw_claims, list):
        problems.append(("claims", "is a list of claims"))
        raw_claims = []
    unverified: Json = envelope.get("unverified", [])
    if not isinstance(unverified, list):
        problems.append(("unverified", "is a list; what cannot be sourced stands in it"))
    objects = [claim if isinstance(claim, dict) else {} for claim in raw_claims]
    targets = dict.fromkeys(_target(_text_field(claim, "source").strip()) for claim in objects)
    works = tuple(CitedWork(query=SourceQuery(target=target)) for target in targets if target)
    matching = await asyncio.to_thread(match_works, works, options.sources)
    fetcher = open_fetcher(options, matching, None)
    claims = []
    for number, claim in enumerate(raw_claims):
        problems += _form_problems(claim, f"claims[{number}]")
        claims.append(await _check(number, objects[number], fetcher))
    return EnvelopeReport(problems=tuple(problems), claims=tuple(claims), unverified=unverified)


_FIELDS = ("claim", "source", "evidence", "scope", "confidence")


def _form_problems(claim: Json, path: str) -> list[tuple[str, str]]:
    if not isinstance(claim, dict):
        return [(path, "is an object with claim, source, evidence and confidence")]
    problems = [
        (f"{path}.{name}", "is no field of a claim") for name in claim if name not in _FIELDS
    ]
    for name in ("claim", "source", "evidence"):
        value = claim.get(name)
        if not isinstance(value, str) or not value.strip():
            if name == "evidence" and claim.get("source") == "guess":
                continue
            problems.append((f"{path}.{name}", "is a text, and not empty"))
    if claim.get("confidence") not in ("high", "med", "low"):
        problems.append((f"{path}.confidence", "is high, med or low"))
    scope = claim.get("scope")
    if scope is not None and not (isinstance(scope, str) and _SCOPE.fullmatch(scope)):
        problems.append((f"{path}.scope", "is file, commit, context-bounded or as-of DATE"))
    return problems


async def _check(number: int, claim: Mapping[str, Json], fetcher: Fetcher) -> CheckedClaim:
    claim_text, excerpt = _text_field(claim, "claim"), _text_field(claim, "evidence")
    source_name = _text_field(claim, "source").strip()
    reasons: list[str] = []
    target = _target(source_name)
    if source_name == "guess":
        reasons.append("the source is a guess: there is nothing to check")
        layers = Layers(exists=True, resolves=False, derivable=False)
        return CheckedClaim(index=number, layers=layers, reasons=tuple(reasons))
    if target is None:
        reasons.append("the source is none of file:PATH:LINE, memory:ID, git:SHA, web:URL, guess")
        return CheckedClaim(index=number, layers=Layers(exists=False), reasons=tuple(reasons))
    source: Source | None = None
    try:
        source = await read_source(await fetcher.fetch(SourceQuery(target=target)))
    except SourceError as error:
        reasons.append(error.message)
    if source is None:
        return CheckedClaim(
            index=number, layers=Layers(exists=True, resolves=False), reasons=tuple(reasons)
        )
    sentences = quoted_in(excerpt, source.text) if excerpt.strip() else None
    derivable = sentences is not None and len(excerpt) <= LONGEST_EXCERPT
    if sentences is None:
        in_bibliography = quotes_bibliography([excerpt], source.text)
        reasons.append(
            "the excerpt is from the source's own reference list, which is not evidence"
            if in_bibliography
            else "the excerpt does not occur verbatim in the source"
        )
    elif not derivable:
        reasons.append(f"the excerpt is too long: over {LONGEST_EXCERPT} characters")
    in_scope: bool | None = None
    if sentences is not None:
        wider = find_overreach(claim_text, sentences)
        reasons += [finding.message for finding in wider]
        scope = claim.get("scope")
        fits = scope is None or (isinstance(scope, str) and bool(_SCOPE.fullmatch(scope)))
        if not fits:
            reasons.append("the scope is none of file, commit, context-bounded, as-of DATE")
        in_scope = not wider and fits
    return CheckedClaim(
        index=number,
        layers=Layers(exists=True, resolves=True, derivable=derivable, in_scope=in_scope),
        reasons=tuple(reasons),
    )


def _text_field(claim: Mapping[str, Json], name: str) -> str:
    value = claim.get(name)
    return value if isinstance(value, str) else ""


def _target(source_name: str) -> Target | None:
    form, colon, value = source_name.partition(":")
    if not colon or not value.strip() or form not in _FORMS:
        return None
    if form == "file" and not re.fullmatch(r"\s*[^\s:].*:\d+(?:[-–]\d+)?\s*", value):
        return None
    return Target(form=_FORMS[form], value=value.strip())
