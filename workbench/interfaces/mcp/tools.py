"""The tools: each is a typed method, whose parameters and result make the tool's schemas."""

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import anyio
from anyio import to_thread
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import Field

from workbench.errors import UsageError
from workbench.interfaces.mcp import results
from workbench.interfaces.mcp.calls import judge_spec, progress_sender, tool_result
from workbench.interfaces.mcp.results import (
    CLIENT_MODEL,
    ENVELOPE,
    TRACE_ID,
    WHOLE,
    AllowFetch,
    Bytes,
    CheckReferences,
    ClientCalls,
    CostCap,
    Decider,
    Domains,
    Entries,
    IndexNames,
    Limit,
    Milliseconds,
    MostCitations,
    MostSearches,
    Provider,
    Question,
    Registry,
    RunId,
    SentenceStart,
    Sources,
    SourceText,
    Standalone,
    StatedIn,
    SupportedFrom,
    WeakFrom,
    WebSearchName,
    option,
)
from workbench.interfaces.mcp.sampling import ClientRuns
from workbench.presentation.run_totals import run_summary_json
from workbench.records.citation import SentenceKind
from workbench.records.options import CAP_USD, ScopeChoice
from workbench.records.review import LabelDecision
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import HumanLabel
from workbench.services import inputs, judges
from workbench.services.claims import SEARCH_IS_OFF, ClaimOptions, extract_claims
from workbench.services.client_judge import CLIENT
from workbench.services.database import Database
from workbench.services.handoff import (
    LEAST_PART_CHARS,
    PART_CHARS,
    export_handoff,
    import_handoff,
)
from workbench.services.labels import list_comments, submit_label
from workbench.services.matrix import estimate_matrix, source_matrix
from workbench.services.permissions import Permissions, caller_permissions, own_permissions
from workbench.services.references.checking import check_list
from workbench.services.references.requests import (
    read_references,
    references_of_list,
    references_of_verify,
    registry_of_call,
)
from workbench.services.repositories import CommentRepository, Traces
from workbench.services.runs import get_traces, list_runs, rename_run, stored_run
from workbench.services.sentences import correct_sentence
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.services.verification import ClaimReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The tools on one database; a method's docstring is the description that agents read."""

    settings: Settings
    database: Database
    one_caller: bool = False
    """Whether the process belongs to its caller, who may then allow what the settings do not."""
    client_runs: ClientRuns = field(default_factory=ClientRuns)

    async def verify_citations(
        self,
        context: Context,
        output: Annotated[
            str, Field(description="The text whose citations are checked.", min_length=1)
        ],
        model: Annotated[str, Field(description=CLIENT_MODEL)],
        provider: Provider | None = None,
        allow_fetch: AllowFetch | None = None,
        domain_allowlist: Domains | None = None,
        max_cost_usd_total: CostCap = CAP_USD,
        max_citations: MostCitations = 20,
        per_source_timeout_ms: Milliseconds = 10_000,
        per_source_max_bytes: Bytes = 5 * 1024 * 1024,
        standalone: Standalone = False,
        scope: Annotated[ScopeChoice, option("scope")] = "guess",
        question: Question = "",
        trace_id: Annotated[str, Field(description=TRACE_ID, max_length=500)] = "",
        sources: Sources | None = None,
        check_references: CheckReferences = False,
        registry: Registry | None = None,
        indexes: IndexNames | None = None,
        max_client_calls: ClientCalls = 50,
    ) -> Annotated[CallToolResult, results.VerifiedText] | InputRequiredResult:
        """Find every citation in a text, get the cited sources, and judge whether each one
        supports the claim made on it. Sources come from `sources` and, where fetching is
        allowed, from the web.
        """  # noqa: D205

        def verify(judge: str | judges.Judge, cancel: threading.Event) -> CallToolResult:
            from workbench.services.verification import Limits, VerifyOptions, verify_and_store

            options = VerifyOptions(
                judge=judge,
                sources=_texts(sources),
                max_citations=max_citations,
                standalone=standalone,
                scope=scope,
                question=question,
                limits=Limits(seconds=per_source_timeout_ms / 1000, max_bytes=per_source_max_bytes),
                trace_id=trace_id or None,
                snapshots=self.settings.snapshots,
                reach=self.settings.reach,
                on_progress=progress_sender(context, cancel),
                cancel=cancel,
            )
            allowed = self._permissions(max_cost_usd_total, allow_fetch, domain_allowlist)
            options = replace(
                allowed.applied_to(options),
                references=references_of_verify(
                    self.settings,
                    allowed,
                    check_references=check_references,
                    indexes=indexes or (),
                    registry_files=registry_of_call(registry),
                    database=self.database,
                ),
            )
            run = verify_and_store(self.database, output, "verify_citations", options)
            known = Traces(self.database).has(trace_id) if trace_id else None
            return tool_result(results.run_document(run, max_citations, trace_id or None, known))

        if model.strip() == CLIENT:
            return await self.client_runs.call(context, max_client_calls, verify)
        cancel = threading.Event()
        try:
            return await to_thread.run_sync(
                lambda: verify(self._judge_spec(model, provider), cancel), abandon_on_cancel=True
            )
        except anyio.get_cancelled_exc_class():
            cancel.set()
            raise

    async def check_references(
        self,
        text: Annotated[
            str,
            Field(
                description="A text with a reference list, a list alone, or the text of a .bib, "
                ".ris or CSL-JSON file. Give this or `entries`."
            ),
        ] = "",
        entries: Entries | None = None,
        registry: Registry | None = None,
        indexes: IndexNames | None = None,
        allow_fetch: AllowFetch | None = None,
        domain_allowlist: Domains | None = None,
    ) -> Annotated[CallToolResult, results.CheckedReferences]:
        """Look up whether each reference of a list exists and is described right: matches,
        differs, other_work, not_found or not_checked, with the fields, the record and a
        retraction. Registries are asked offline, indexes where fetching is allowed. `not_found`
        is a lead, not proof.
        """  # noqa: D205
        cancel = threading.Event()

        def check() -> CallToolResult:
            if bool(text) == bool(entries):
                raise UsageError("Give either `text` or `entries`, and not both.")
            allowed = self._permissions(CAP_USD, allow_fetch, domain_allowlist)
            options = references_of_list(
                self.settings,
                allowed,
                indexes=indexes or (),
                registry_files=registry_of_call(registry),
                database=self.database,
            )
            listed = read_references(text or entries or ())
            return tool_result(check_list(listed, options, cancel=cancel).to_dict())

        try:
            return await to_thread.run_sync(check, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            cancel.set()
            raise

    def extract_citations(
        self,
        text: Annotated[str, Field(description="The text to look through.", min_length=1)],
        question: Question = "",
    ) -> Annotated[CallToolResult, results.ExtractedCitations]:
        """List every citation of a text with exact offsets, its claim and the source it points
        at. Nothing is fetched or judged.
        """  # noqa: D205
        extraction = inputs.extract(text, question).to_dict()
        del extraction["text"]
        return tool_result(extraction)

    def verify_claims(
        self,
        sources: Sources,
        text: Annotated[
            str, Field(description="A text; it is split into claims. Give this or `claims`.")
        ] = "",
        claims: Annotated[
            list[str], Field(description="Claims, checked as they are and in their order.")
        ]
        | None = None,
        model: Annotated[
            str, Field(description="The judge's model; by default the embedded judge.")
        ] = "",
        provider: Provider | None = None,
        max_cost_usd_total: CostCap = CAP_USD,
        standalone: Standalone = False,
        supported_from: SupportedFrom = 0.6,
        weak_from: WeakFrom = 0.3,
        web_search: WebSearchName | None = None,
        max_searches: MostSearches = 20,
        allow_fetch: AllowFetch | None = None,
        domain_allowlist: Domains | None = None,
        mark_unverified: Annotated[bool, option("mark_unverified")] = False,
        cite_sources: Annotated[bool, option("cite_sources")] = False,
        sides: Annotated[
            bool, Field(description="Show both sides if sources contradict a claim.")
        ] = True,
    ) -> Annotated[CallToolResult, results.CheckedClaims]:
        """Check claims that carry no citation against given sources: supported, weak,
        unverifiable or contradicted. A web search can look up what stays unverifiable, and the
        text comes back marked where that is asked for.
        """  # noqa: D205
        checked = text if claims is None else claims
        if bool(text) == (claims is not None):
            raise UsageError("Give either `text` or `claims`, and not both.")
        report = self._check_claims(
            checked,
            sources,
            self._judge_spec(model or "local", provider),
            self._permissions(max_cost_usd_total, allow_fetch, domain_allowlist),
            standalone=standalone,
            checks=ClaimOptions(
                supported_from=supported_from,
                weak_from=weak_from,
                web_search=web_search,
                max_searches=max_searches,
            ),
        )
        return tool_result(
            results.claim_document(
                report,
                marked=mark_unverified or cite_sources,
                cite_sources=cite_sources,
                sides=sides,
            )
        )

    def fact_check(
        self,
        statement: Annotated[str, Field(description="One statement.", min_length=1)],
        sources: Sources | None = None,
        model: Annotated[
            str, Field(description="The judge's model; by default the embedded judge.")
        ] = "",
        provider: Provider | None = None,
        max_cost_usd_total: CostCap = CAP_USD,
        standalone: Standalone = False,
        supported_from: SupportedFrom = 0.6,
        weak_from: WeakFrom = 0.3,
        web_search: WebSearchName | None = None,
        allow_fetch: AllowFetch | None = None,
        domain_allowlist: Domains | None = None,
    ) -> Annotated[CallToolResult, results.CheckedClaims]:
        """Check one statement as it stands against given sources, and by a web search where one
        is named: supported, weak, unverifiable or contradicted.
        """  # noqa: D205
        report = self._check_claims(
            [statement.strip()],
            sources or [],
            self._judge_spec(model or "local", provider),
            self._permissions(max_cost_usd_total, allow_fetch, domain_allowlist),
            standalone=standalone,
            checks=ClaimOptions(
                supported_from=supported_from,
                weak_from=weak_from,
                web_search=web_search,
                max_searches=1,
            ),
        )
        return tool_result(report.to_dict())

    def extract_claims(
        self, text: Annotated[str, Field(description="The text to split.", min_length=1)]
    ) -> Annotated[CallToolResult, results.ExtractedClaims]:
        """List the claims of a text, as verify_claims checks them: no code, questions, hedges or
        remarks about the text. Nothing is judged.
        """  # noqa: D205
        return tool_result({"claims": list[Json](extract_claims(text))})

    def _check_claims(
        self,
        claims: str | list[str],
        sources: list[SourceText],
        spec: str,
        allowed: Permissions,
        *,
        standalone: bool,
        checks: ClaimOptions,
    ) -> "ClaimReport":
        """What sources say of some claims, within what the call may do."""
        from workbench.services.verification import VerifyOptions, verify_documents

        if checks.web_search and not allowed.allow_search:
            raise UsageError(SEARCH_IS_OFF)
        options = allowed.applied_to(VerifyOptions(judge=spec, standalone=standalone))
        documents = [
            {name: str(source.get(name) or "") or None for name in ("content", "title", "url")}
            for source in _texts(sources) or ()
        ]
        return verify_documents(
            claims, documents, options, settings=self.settings, checks=checks, store=self.database
        )

    def check_envelope(
        self,
        envelope: Annotated[Any, Field(description=ENVELOPE)],  # noqa: ANN401
        allow_fetch: AllowFetch | None = None,
        domain_allowlist: Domains | None = None,
        sources: Sources | None = None,
    ) -> Annotated[CallToolResult, results.CheckedEnvelope]:
        """Check an envelope of claims with provenance and excerpts, each of four layers apart: it
        names a source (`exists`), the source could be had (`resolves`), the excerpt stands in it
        (`derivable`), the claim is no wider (`in_scope`). Nothing is repaired.
        """  # noqa: D205
        from workbench.services.verification import VerifyOptions

        options = VerifyOptions(sources=_texts(sources), reach=self.settings.reach)
        allowed = self._permissions(CAP_USD, allow_fetch, domain_allowlist)
        report = judges.run_sync(inputs.check_envelope(envelope, allowed.applied_to(options)))
        return tool_result(report.to_dict())

    def get_run(self, run_id: RunId) -> Annotated[CallToolResult, results.RunDocument]:
        """A stored run with every citation and verdict."""
        return tool_result(stored_run(self.database, run_id).to_dict())

    def list_runs(self, limit: Limit = 20) -> Annotated[CallToolResult, results.RunList]:
        """The newest stored runs with their figures."""
        runs = list_runs(self.database, limit)
        return tool_result({"runs": [run_summary_json(run) for run in runs]})

    def source_matrix(
        self,
        run_id: RunId,
        model: Annotated[
            str,
            Field(
                description="Ask this judge's model about every pair that nobody judged for sure; "
                "empty: nobody is asked."
            ),
        ] = "",
        provider: Provider | None = None,
        max_cost_usd_total: CostCap = CAP_USD,
        max_calls: Annotated[
            int | None, Field(description="Ask so many questions at most.", ge=0), WHOLE
        ] = None,
        estimate: Annotated[
            bool, Field(description="Only tell what asking would take; nobody is asked.")
        ] = False,
    ) -> Annotated[CallToolResult, results.MatrixDocument]:
        """Which source of a stored run says what about which statement of its text, also where it
        is not cited there; contradictions between sources or statements, each with both quotes;
        how many statements rest on one source.
        """  # noqa: D205
        spec = self._judge_spec(model or "local", provider)
        if estimate:
            return tool_result({"estimate": estimate_matrix(self.database, run_id, spec).to_dict()})
        matrix = source_matrix(
            self.database,
            run_id,
            spec if model else None,
            max_cost_usd=self._permissions(max_cost_usd_total).max_cost_usd,
            max_calls=max_calls,
        )
        return tool_result(matrix.to_dict())

    def submit_label(
        self,
        run_id: RunId,
        citation_id: Annotated[str, Field(description="The citation's id in that run.")],
        label: Annotated[HumanLabel, Field(description="What the person decided.")],
        reviewer: Decider,
        note: Annotated[str, Field(description="Why.")] = "",
        queue_id: Annotated[
            str,
            Field(
                description="The queue in which the label is given; `answers` belong to its fields."
            ),
        ] = "",
        answers: Annotated[
            dict[str, str | int | list[str]] | None,
            Field(
                description="Answers to the queue's fields, by name; if omitted, earlier answers stay."
            ),
        ] = None,
    ) -> Annotated[CallToolResult, results.AddedLabel]:
        """Record what a person decided about one citation. Earlier labels stay in the history."""
        decision = LabelDecision(label=label, note=note, answers=answers)
        added, _ = submit_label(
            self.database, run_id, citation_id, reviewer, decision, queue_id=queue_id or None
        )
        return tool_result(
            {"added": added is not None, "label": added.to_dict() if added else None}
        )

    def correct_sentence(
        self,
        run_id: RunId,
        start: SentenceStart,
        kind: Annotated[SentenceKind, Field(description="What the sentence is there for.")],
        reviewer: Decider,
        stated_in: StatedIn = "",
    ) -> Annotated[CallToolResult, results.CorrectedSentence]:
        """Record what a person says that a sentence of a run is there for, which counts in its
        coverage. Earlier kinds stay in the history.
        """  # noqa: D205
        change = correct_sentence(
            self.database, run_id, start, kind, reviewer, stated_in=stated_in or None
        )
        return tool_result(change.to_dict())

    def check_uncited(
        self,
        run_id: RunId,
        model: Annotated[
            str, Field(description="The judge's model; by default the run's judge.")
        ] = "",
        provider: Provider | None = None,
        max_cost_usd_total: CostCap = CAP_USD,
    ) -> Annotated[CallToolResult, results.CheckedUncited]:
        """Compare sentences of a run that lack a citation with its sources, as suggestions."""
        from workbench.services.uncited import check_uncited, judge_of_uncited
        from workbench.services.verification import VerifyOptions

        named = model and self._judge_spec(model, provider)
        judge = judge_of_uncited(stored_run(self.database, run_id), named)
        options = self._permissions(max_cost_usd_total).applied_to(VerifyOptions(judge=judge))
        return tool_result(check_uncited(self.database, run_id, options).to_dict())

    def rename_run(
        self,
        run_id: RunId,
        title: Annotated[str, Field(description="One line; empty to restore the original name.")],
        reviewer: Annotated[
            str,
            Field(description="Who renames it: a person's name, never a model's.", min_length=1),
        ],
    ) -> Annotated[CallToolResult, results.RenamedRun]:
        """Give a stored run a title. Earlier titles stay in the history."""
        run = rename_run(self.database, run_id, title, reviewer)
        return tool_result({"id": run.id, "name": run.name})

    def export_handoff(
        self,
        run_id: RunId,
        part_chars: Annotated[
            int, Field(description="The most characters of a part.", ge=LEAST_PART_CHARS), WHOLE
        ] = PART_CHARS,
        name: Annotated[str, Field(description="Leave out what this chat has answered.")] = "",
        matrix: Annotated[
            bool, Field(description="Ask about every other statement and source instead.")
        ] = False,
    ) -> Annotated[CallToolResult, results.HandoffQuestions]:
        """The questions of a stored run (claims with passages of their sources) in parts that fit a
        chat window, for any model to judge. Nothing is sent anywhere.
        """  # noqa: D205
        exported = export_handoff(self.database, run_id, part_chars, name, matrix=matrix)
        return tool_result(exported.to_dict())

    def import_handoff(
        self,
        run_id: RunId,
        answers: Annotated[str, Field(description="What the model answered, with its JSON.")],
        name: Annotated[
            str,
            Field(
                description="Who answered: the judge `handoff:NAME`; without, the chat that the run "
                "names, or `chat`."
            ),
        ] = "",
    ) -> Annotated[CallToolResult, results.HandoffOutcome]:
        """Take the answers to a run's questions back as verdicts of `handoff:NAME`; each quote is
        looked up in its source, and what cannot be taken is told.
        """  # noqa: D205
        return tool_result(import_handoff(self.database, run_id, answers, name).to_dict())

    def add_comment(
        self,
        run_id: RunId,
        citation_id: Annotated[str, Field(description="The citation's id in that run.")],
        author: Annotated[
            str, Field(description="Who comments: a person's name, never a model's.", min_length=1)
        ],
        body: Annotated[str, Field(description="The comment, as text.", min_length=1)],
    ) -> Annotated[CallToolResult, results.AddedComment]:
        """Comment on a citation for the other reviewers. A comment is never changed."""
        comment = CommentRepository(self.database).add(run_id, citation_id, author, body)
        return tool_result({"comment": comment.to_dict()})

    def get_comments(
        self,
        run_id: RunId,
        citation_id: Annotated[str, Field(description="On this citation only.")] = "",
    ) -> Annotated[CallToolResult, results.CommentList]:
        """The comments of reviewers on a run's citations, oldest first."""
        comments = list_comments(
            self.database, run_id=run_id, citation_id=citation_id or None, limit=1000
        )
        return tool_result({"comments": [comment.to_dict() for comment in comments]})

    def log_trace(
        self,
        output: Annotated[str, Field(description="The agent's answer.")],
        input: Annotated[str, Field(description="The question it was asked.")] = "",
        name: Annotated[str, Field(description="The agent or the step.")] = "",
        model: Annotated[str, Field(description="The model that answered.")] = "",
        metadata: Annotated[dict[str, Any], Field(description="Anything else, as JSON.")]
        | None = None,
    ) -> Annotated[CallToolResult, results.LoggedTrace]:
        """Keep an agent's answer and what led to it, so that its verdicts can name it."""
        facts = {"input": input, "name": name, "model": model}
        trace = Traces(self.database).log(output, metadata=metadata, **facts)
        return tool_result({"id": trace.id})

    def get_traces(
        self,
        trace_id: Annotated[str, Field(description="One trace; left out, the newest ones.")] = "",
        limit: Limit = 20,
    ) -> Annotated[CallToolResult, results.TraceList]:
        """One trace, or the newest ones, each with the runs that verified it."""
        traces = get_traces(self.database, trace_id or None, limit)
        return tool_result({"traces": [trace.to_dict() for trace in traces]})

    def delete_trace(
        self, trace_id: Annotated[str, Field(description="The trace's id.")]
    ) -> Annotated[CallToolResult, results.DeletedTrace]:
        """Delete a trace for good. The runs that verified it stay."""
        return tool_result({"deleted": Traces(self.database).delete(trace_id)})

    def _permissions(
        self, cap: float, allow_fetch: bool | None = None, domains: list[str] | None = None
    ) -> Permissions:
        """What a call may do; `allow_fetch` of None leaves it to the settings."""
        if self.one_caller:
            return own_permissions(
                self.settings,
                allow_fetch=bool(allow_fetch),
                domains=domains or (),
                max_cost_usd=cap,
            )
        return caller_permissions(
            self.settings, allow_fetch=allow_fetch, domains=domains or (), max_cost_usd=cap
        )

    def _judge_spec(self, model: str, provider: str | None) -> str:
        """`judge_spec`; a caller among many names models by the names that they have here."""
        spec = judge_spec(model, provider)
        if not self.one_caller and judges.names_path(spec):
            raise UsageError(
                "This server accepts only models in its own folder, by name (nli:NAME), not by "
                "path."
            )
        return spec


def _texts(sources: list[SourceText] | None) -> list[JsonDict] | None:
    """The sources without what is no text."""
    return None if sources is None else inputs.given_sources(cast("list[Json]", sources))
