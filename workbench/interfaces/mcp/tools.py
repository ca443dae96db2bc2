"""The tools: what each is called, what it takes and gives, and what it does."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UsageError
from workbench.interfaces.mcp import contract, schemas
from workbench.presentation.run_summary import run_summary_json
from workbench.records import (
    HUMAN_LABELS,
    SCOPE_CHOICES,
    Json,
    JsonDict,
    LabelDecision,
    checked_cost_cap,
)
from workbench.services.database import Database, open_database
from workbench.services.inputs import given_sources
from workbench.services.labels import give_label
from workbench.services.permissions import Permissions, caller_permissions, own_permissions
from workbench.services.runs import list_runs, stored_run
from workbench.services.traces import delete_trace, get_traces, has_trace, log_trace
from workbench.services.verification import Progress, VerifyOptions, check_choice
from workbench.settings import Settings

Arguments = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One call while it goes on: where its answer comes from, and how it can be stopped."""

    settings: Settings
    store: Database
    one_caller: bool = False
    """Whether the process belongs to its caller, who may then allow what the settings do not."""
    tell: Callable[[Progress], None] = lambda progress: None
    cancel: threading.Event = field(default_factory=threading.Event)

    def permissions(self, given: Arguments) -> Permissions:
        """What the call may do: `allow_fetch`, `domain_allowlist` and `max_cost_usd_total` of it.

        Raises:
            UsageError: The cap is no amount.
        """
        wish, domains = given.get("allow_fetch"), _words(given, "domain_allowlist")
        cap = _amount(given, "max_cost_usd_total", contract.DEFAULT_COST_USD)
        if self.one_caller:
            return own_permissions(
                self.settings, allow_fetch=bool(wish), domains=domains, max_cost_usd=cap
            )
        return caller_permissions(
            self.settings,
            allow_fetch=None if wish is None else bool(wish),
            domains=domains,
            max_cost_usd=cap,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool."""

    name: str
    title: str
    says: str
    takes: JsonDict
    gives: JsonDict
    run: Callable[[ToolContext, Arguments], JsonDict]
    """Runs in a thread of its own; raises UsageError for the caller's mistake."""
    reads_only: bool = False
    destroys: bool = False
    repeatable: bool = False
    open_world: bool = False


def _verify_citations(call: ToolContext, given: Arguments) -> JsonDict:
    from workbench.services.verification import Limits, verify_and_store

    trace_id = _word(given, "trace_id")
    many = _whole(given, "max_citations", contract.DEFAULT_CITATIONS)
    sources = given.get("sources")
    options = VerifyOptions(
        judge=contract.judge_spec(str(given["model"]), _word(given, "provider")),
        sources=given_sources(sources) if isinstance(sources, list) else None,
        max_citations=many,
        standalone=given.get("standalone") is True,
        scope=check_choice("scope", given.get("scope", "guess"), SCOPE_CHOICES),
        limits=Limits(
            seconds=_whole(given, "per_source_timeout_ms", contract.DEFAULT_TIMEOUT_MS) / 1000,
            max_bytes=_whole(given, "per_source_max_bytes", contract.DEFAULT_BYTES),
        ),
        trace_id=trace_id,
        snapshots=call.settings.snapshots,
        reach=call.settings.reach,
        on_progress=call.tell,
        cancel=call.cancel,
    )
    run = verify_and_store(
        call.store,
        str(given["output"]),
        "verify_citations",
        call.permissions(given).applied_to(options),
    )
    known = None if trace_id is None else has_trace(call.store, trace_id)
    return contract.run_document(run, many, trace_id, known)


def _extract(call: ToolContext, given: Arguments) -> JsonDict:
    from workbench.services.inputs import extract

    found = extract(str(given["text"])).to_dict()
    found.pop("text")
    return found


def _verify_claims(call: ToolContext, given: Arguments) -> JsonDict:
    from workbench.services.judges import run_sync, takes_prompt
    from workbench.services.spending import attempt_budget
    from workbench.services.verification import aground_documents, claims_purpose

    text, claims = given.get("text"), given.get("claims")
    if (text is None) == (claims is None):
        raise UsageError("Give either `text` or `claims`, not both and not neither.")
    asked = str(text) if claims is None else _words(given, "claims")
    model = _word(given, "model") or "local"
    sources = given.get("sources")
    listed = sources if isinstance(sources, list) else []
    documents = [
        {name: _word(one, name) for name in ("content", "title", "url")}
        for one in listed
        if isinstance(one, dict)
    ]
    spec = contract.judge_spec(model, _word(given, "provider"))
    cap = call.permissions(given).max_cost_usd
    store = call.store if takes_prompt(spec) else None
    standalone = given.get("standalone") is True
    purpose = claims_purpose(asked, spec, None, standalone=standalone)
    with attempt_budget(store, purpose, cap) as budget:
        checked = aground_documents(asked, documents, spec, budget=budget, standalone=standalone)
        return run_sync(checked).to_dict()


def _check_envelope(call: ToolContext, given: Arguments) -> JsonDict:
    from workbench.services.inputs import check_envelope
    from workbench.services.judges import run_sync

    sources = given.get("sources")
    options = VerifyOptions(
        sources=given_sources(sources) if isinstance(sources, list) else None,
        reach=call.settings.reach,
    )
    options = call.permissions(given).applied_to(options)
    return run_sync(check_envelope(given["envelope"], options)).to_dict()


def _get_run(call: ToolContext, given: Arguments) -> JsonDict:
    return stored_run(call.store, str(given["run_id"])).to_dict()


def _list_runs(call: ToolContext, given: Arguments) -> JsonDict:
    found = list_runs(call.store, _whole(given, "limit", 20))
    return {"runs": [run_summary_json(one) for one in found]}


def _submit_label(call: ToolContext, given: Arguments) -> JsonDict:
    label = next(one for one in HUMAN_LABELS if one == given["label"])
    added = give_label(
        call.store,
        str(given["run_id"]),
        str(given["citation_id"]),
        str(given["reviewer"]),
        LabelDecision(label=label, note=_word(given, "note") or ""),
    )
    return {"added": added is not None, "label": added.to_dict() if added else None}


def _log_trace(call: ToolContext, given: Arguments) -> JsonDict:
    metadata = given.get("metadata")
    trace = log_trace(
        call.store,
        str(given["output"]),
        input=_word(given, "input") or "",
        name=_word(given, "name") or "",
        model=_word(given, "model") or "",
        metadata=metadata if isinstance(metadata, dict) else None,
    )
    return {"id": trace.id}


def _get_traces(call: ToolContext, given: Arguments) -> JsonDict:
    traces = get_traces(call.store, _word(given, "trace_id"), _whole(given, "limit", 20))
    return {"traces": [trace.to_dict() for trace in traces]}


def _delete_trace(call: ToolContext, given: Arguments) -> JsonDict:
    return {"deleted": delete_trace(call.store, str(given["trace_id"]))}


TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        name="verify_citations", title="Verify citations",
        says="Find every citation in a text, get the cited sources, and judge whether each one "
        "supports the claim made on it. Sources come from `sources` and, where fetching is "
        "allowed, from the web.",
        takes=schemas.VERIFY_CITATIONS_INPUT, gives=schemas.VERIFY_CITATIONS_OUTPUT,
        run=_verify_citations, open_world=True,
    ),
    ToolSpec(
        name="extract_citations", title="Extract citations",
        says="List every citation of a text with exact offsets, its claim and the source it "
        "points at. Nothing is fetched or judged.",
        takes=schemas.EXTRACT_INPUT, gives=schemas.EXTRACT_OUTPUT, run=_extract, reads_only=True,
        repeatable=True,
    ),
    ToolSpec(
        name="verify_claims", title="Verify claims against sources",
        says="Check claims that carry no citation against given sources: supported, weak, "
        "unverifiable or contradicted.",
        takes=schemas.VERIFY_CLAIMS_INPUT, gives=schemas.VERIFY_CLAIMS_OUTPUT, run=_verify_claims,
        reads_only=True,
    ),
    ToolSpec(
        name="check_envelope", title="Check a claims envelope",
        says="Check an envelope of claims with provenance and excerpts, each of four layers "
        "apart: it names a source (`exists`), the source could be had (`resolves`), the excerpt "
        "stands in it (`derivable`), the claim is no wider (`in_scope`). Nothing is repaired.",
        takes=schemas.ENVELOPE_INPUT, gives=schemas.ENVELOPE_OUTPUT, run=_check_envelope,
        reads_only=True, repeatable=True, open_world=True,
    ),
    ToolSpec(
        name="get_run", title="Get a run", says="A stored run with every citation and verdict.",
        takes=schemas.GET_RUN_INPUT, gives=schemas.RUN_OUTPUT, run=_get_run, reads_only=True,
        repeatable=True,
    ),
    ToolSpec(
        name="list_runs", title="List runs", says="The newest stored runs with their figures.",
        takes=schemas.LIST_RUNS_INPUT, gives=schemas.LIST_RUNS_OUTPUT, run=_list_runs,
        reads_only=True, repeatable=True,
    ),
    ToolSpec(
        name="submit_label", title="Submit a human label",
        says="Record what a person decided about one citation. Earlier labels stay in the history.",
        takes=schemas.LABEL_INPUT, gives=schemas.LABEL_OUTPUT, run=_submit_label, repeatable=True,
    ),
    ToolSpec(
        name="log_trace", title="Log a trace",
        says="Keep an agent's answer and what led to it, so that its verdicts can name it.",
        takes=schemas.LOG_TRACE_INPUT, gives=schemas.LOG_TRACE_OUTPUT, run=_log_trace,
    ),
    ToolSpec(
        name="get_traces", title="Get traces",
        says="One trace, or the newest ones, each with the runs that verified it.",
        takes=schemas.GET_TRACES_INPUT, gives=schemas.GET_TRACES_OUTPUT, run=_get_traces,
        reads_only=True, repeatable=True,
    ),
    ToolSpec(
        name="delete_trace", title="Delete a trace",
        says="Delete a trace for good. The runs that verified it stay.",
        takes=schemas.DELETE_TRACE_INPUT, gives=schemas.DELETE_TRACE_OUTPUT, run=_delete_trace,
        destroys=True, repeatable=True,
    ),
)  # fmt: skip


def database(settings: Settings, named: Path | None) -> Database:
    """The store that the tools work on."""
    return open_database(named or settings.database)


def _word(given: Arguments, name: str) -> str | None:
    value = given.get(name)
    return value if isinstance(value, str) and value else None


def _words(given: Arguments, name: str) -> list[str]:
    value = given.get(name)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _whole(given: Arguments, name: str, usual: int) -> int:
    value = given.get(name, usual)
    return int(value) if isinstance(value, int | float) else usual


def _amount(given: Arguments, name: str, usual: float) -> float:
    cap = checked_cost_cap(given.get(name, usual), name)
    return usual if cap is None else cap
