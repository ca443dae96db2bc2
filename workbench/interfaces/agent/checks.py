"""Checking one answer under the options of a flag; whatever goes wrong ends in the grounding."""

import inspect
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from workbench.errors import EmbeddingError, UsageError, WorkbenchError
from workbench.interfaces.agent.answers import Call, Grounding, extract_text, sources_in
from workbench.masking import mask
from workbench.records.citation import UNCOUNTED_KINDS, Extraction
from workbench.records.options import WebSearchName, check_choice
from workbench.records.spending import checked_cost_cap
from workbench.records.text import JsonDict, replace_surrogates
from workbench.records.verdict import Run
from workbench.services.claims import ClaimOptions, Embed, Nli
from workbench.services.database import Database, open_database
from workbench.services.inputs import (
    Sources,
    adjacent_question,
    extract,
    read_documents,
    with_question,
)
from workbench.services.judges import run_sync
from workbench.services.library import ReferenceKeywords
from workbench.services.policies import Policy, open_policy
from workbench.services.references.checking import ReferenceOptions
from workbench.services.references.requests import RegistryForms
from workbench.services.verification import (
    ClaimReport,
    Fetcher,
    VerifyKeywords,
    VerifyOptions,
    gate,
    ground_claims,
    open_snapshots,
    open_web,
    verify_and_store,
    verify_with,
)

What = Literal["auto", "citations", "claims"]
Where = Literal["inline", "background"]
SourcesFrom = str | Callable[[Call], Sources]
EMPTY_ANSWER = "The answer contains no words."
NO_SOURCES = "There are no sources to check it against."
NO_EMBEDDINGS = "There are no embeddings to compare by."
NO_CITATIONS = "It cites nothing."
BUDGET = "Budget reached: checking answers may cost {cap:g} USD in total, and that is spent."
_within: ContextVar[bool] = ContextVar("workbench_checking", default=False)
_log = logging.getLogger("workbench")


class GroundingKeywords(VerifyKeywords, total=False):
    """What `grounded` takes besides the options of `verify`; it documents each."""

    registry: RegistryForms
    check_references: bool
    indexes: Sequence[str]
    sources_from: SourcesFrom | None
    check: What
    policy: str | Path | Policy | None
    store: Database | str | Path | None
    max_total_usd: float | None
    where: Where
    name: str
    on_grounding: Callable[[Call, Grounding], None] | None
    embed: Embed | None
    nli: Nli | None
    supported_from: float
    weak_from: float
    web_search: WebSearchName | None
    max_searches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingOptions:
    """How answers are checked, beside the options of the run."""

    options: VerifyOptions
    sources_from: SourcesFrom | None = None
    check: What = "auto"
    policy: Policy | None = None
    store: Database | str | Path | None = None
    max_total_usd: float | None = None
    where: Where = "inline"
    name: str = ""
    on_grounding: Callable[[Call, Grounding], None] | None = None
    claims: ClaimOptions = field(default_factory=ClaimOptions)
    """How the claims of answers that cite nothing are checked."""

    def __post_init__(self) -> None:
        check_choice("check", self.check, get_args(What))
        check_choice("where", self.where, get_args(Where))
        checked_cost_cap(self.max_total_usd, "max_total_usd")


def open_flag(keywords: GroundingKeywords) -> GroundingOptions:
    """The flag of some options.

    Raises:
        UsageError: An option is unknown, or has a value that it does not know.
        InvalidPolicy, UnreadableInput: The policy cannot be used.
    """
    of_run = [field.name for field in fields(VerifyOptions)]
    own_options = [field.name for field in fields(GroundingOptions)][1:-1]
    of_claims = [field.name for field in fields(ClaimOptions)]
    of_references = ("registry", "check_references", "indexes")
    unknown = sorted(set(keywords) - {*of_run, *own_options, *of_references, *of_claims})
    if unknown:
        known_options = ", ".join([*of_run, *own_options, *of_references, *of_claims])
        raise UsageError(f"Unknown option {', '.join(unknown)}; available: {known_options}.")
    policy = keywords.get("policy")
    arguments: dict[str, Any] = {**keywords}
    arguments["policy"] = open_policy(policy) if isinstance(policy, str | Path) else policy
    options = VerifyOptions(**{name: arguments.pop(name) for name in of_run if name in arguments})
    claims = ClaimOptions(**{name: arguments.pop(name) for name in of_claims if name in arguments})
    asked = {name: arguments.pop(name) for name in of_references if name in arguments}
    if asked:
        options = replace(options, references=_reference_options(options, keywords, asked))
    return GroundingOptions(options=options, claims=claims, **arguments)


def _reference_options(
    options: VerifyOptions, keywords: GroundingKeywords, asked: Mapping[str, Any]
) -> ReferenceOptions | None:
    """Who is asked about reference lists; None where nobody would be."""
    return ReferenceKeywords(
        **asked,
        store=keywords.get("store"),
        allow_fetch=options.allow_fetch,
        offline=options.offline,
        allowed_domains=options.allowed_domains,
        reach=options.reach,
    ).options()


class Checker:
    """Checks answers one by one and keeps count of what that cost."""

    def __init__(self, flag: GroundingOptions) -> None:
        self.flag = flag
        self._lock = threading.Lock()
        self._spent_usd = 0.0

    @property
    def busy_here(self) -> bool:
        """Whether this very call comes out of a check: a judge's own question is no answer."""
        return _within.get()

    def check(self, call: Call) -> Grounding:
        """The grounding of an answer; never raises for what the check or its callback does."""
        started = time.perf_counter()
        token = _within.set(True)
        try:
            grounding = self._check(call)
        except WorkbenchError as error:
            grounding = Grounding(error=replace_surrogates(str(error)))
        except Exception as error:  # the agent's answer matters more than any fault of ours
            _log.exception("An answer could not be checked")
            grounding = Grounding(
                error=f"{type(error).__name__}: {mask(replace_surrogates(str(error)))[:300]}"
            )
        finally:
            _within.reset(token)
        grounding = replace(grounding, seconds=time.perf_counter() - started)
        with self._lock:
            self._spent_usd += grounding.cost_usd
        if self.flag.on_grounding:
            try:
                self.flag.on_grounding(call, grounding)
            except Exception:
                _log.exception("on_grounding failed; the answer is returned anyway")
        return grounding

    def _check(self, call: Call) -> Grounding:
        flag = self.flag
        words = extract_text(call.answer)
        if words is None:
            return Grounding(skipped=EMPTY_ANSWER)
        cap = self._cap()
        total = flag.max_total_usd
        if total is not None and cap is not None and cap <= 0 and self._spent_usd >= total:
            return Grounding(skipped=BUDGET.format(cap=total))
        sources = self._sources(call)
        extraction = words if isinstance(words, Extraction) else extract(words)
        cited = any(citation.kind not in UNCOUNTED_KINDS for citation in extraction.citations)
        options = flag.options
        reachable = sources is not None or options.allow_fetch or options.snapshots is not None
        if not reachable:
            return Grounding(skipped=NO_SOURCES)
        by_claim = flag.check == "claims" or (flag.check == "auto" and not cited)
        if flag.check == "citations" and not cited and flag.policy is None:
            return Grounding(skipped=NO_CITATIONS)
        if by_claim and (sources is None or isinstance(sources, Fetcher)):
            return Grounding(skipped=f"{NO_CITATIONS} {NO_SOURCES}")
        report = None
        if by_claim:
            try:
                report = self._claims(extraction.text, sources, cap)
            except EmbeddingError as error:
                return Grounding(skipped=f"{NO_EMBEDDINGS} {error}")
        run = None
        if not by_claim or flag.policy is not None:
            question = options.question or adjacent_question(cast("JsonDict", call.kwargs))
            run = self._run(with_question(extraction, question), sources, cap)
        return self._apply_policy(run, report, extraction.text, sources)

    def _cap(self) -> float | None:
        """What this answer may cost: its own cap, and what is left of the total."""
        flag = self.flag
        cap = flag.options.max_cost_usd
        if flag.max_total_usd is None:
            return cap
        with self._lock:
            remaining = flag.max_total_usd - self._spent_usd
        return remaining if cap is None else min(remaining, cap)

    def _sources(self, call: Call) -> Sources:
        """The flag's own sources, else what the call says; None where there is nothing."""
        flag = self.flag
        if flag.sources_from is not None:
            sources_from = flag.sources_from
            return _usable_sources(
                sources_from(call) if callable(sources_from) else _named_sources(call, sources_from)
            )
        if flag.options.sources is not None:
            return _usable_sources(flag.options.sources)
        return sources_in(call) or None

    def _claims(self, text: str, sources: Sources, cap: float | None) -> ClaimReport:
        options = self.flag.options
        judge = options.judge
        first = judge[0] if isinstance(judge, Sequence) and not isinstance(judge, str) else judge
        checks = self.flag.claims
        search = checks.open_search(options.allowed_domains, options.reach)
        fetcher = None
        if search is not None and options.allow_fetch:
            fetcher = open_web(options, open_snapshots(options.snapshots))
        return ground_claims(
            text,
            sources,
            first,
            search=search,
            fetcher=fetcher,
            max_cost_usd=cap,
            standalone=options.standalone,
            scoring=checks.scoring(),
        )

    def _run(self, extraction: Extraction, sources: Sources, cap: float | None) -> Run:
        flag = self.flag
        options = replace(flag.options, sources=sources, max_cost_usd=cap)
        if flag.store is None:
            return run_sync(verify_with(extraction, options))
        store = flag.store
        database = store if isinstance(store, Database) else open_database(store)
        return verify_and_store(database, extraction, flag.name, options)

    def _apply_policy(
        self, run: Run | None, report: ClaimReport | None, text: str, sources: Sources
    ) -> Grounding:
        flag, decision = self.flag, None
        if isinstance(flag.policy, Policy) and run is not None:
            has_documents = sources is not None and not isinstance(sources, Fetcher)
            documents = run_sync(read_documents(sources)) if has_documents else []
            decision = gate(flag.policy, run, text, documents=documents)
        counted_run = run if report is None or (run and run.total_citations_found) else None
        return Grounding(run=counted_run, report=report, decision=decision)


def bind_arguments(function: Callable[..., object], args: Sequence[object]) -> dict[str, object]:
    """What a function was given by place, under the names of its parameters."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}
    return dict(zip(names, args, strict=False))


def _named_sources(call: Call, name: str) -> Sources:
    """The sources in an argument of that name, else under that key of the answer."""
    if name in call.kwargs:
        return cast("Sources", call.kwargs[name])
    if isinstance(call.answer, Mapping):
        return cast("Sources", call.answer.get(name))
    return cast("Sources", getattr(call.answer, name, None))


def _usable_sources(sources: Sources) -> Sources:
    """The sources with plain strings made into texts; None where there is nothing."""
    if sources is None or isinstance(sources, str | Path | Fetcher):
        return sources
    return [
        {"content": source} if isinstance(source, str) else source for source in sources
    ] or None
