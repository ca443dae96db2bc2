"""Does the source support the claim? Claim and source in; passages, judgment, layers, cost out."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.judging.batch import (
        BatchItem,
        BatchJob,
        batch_state,
        collect_batch,
        find_batch,
        intend_batch,
        submit_batch,
    )
    from workbench.judging.bibliography import (
        bibliography_spans,
        evidence_spans,
        quotes_bibliography,
    )
    from workbench.judging.budget import Budget
    from workbench.judging.cache import as_cached, judgment_key
    from workbench.judging.call_planning import PlannedCall, cost_about, plan_calls
    from workbench.judging.claim_verification import averify_claims, verify_claims
    from workbench.judging.decomposition import decompose, split_claims
    from workbench.judging.ground_report import ClaimReport, GroundedClaim, ReferenceDocument
    from workbench.judging.joined_parts import join_parts
    from workbench.judging.joint_calls import judge_jointly
    from workbench.judging.judge import (
        Judge,
        ask_judge,
        context_read_by,
        run_sync,
        worst_cost_of,
    )
    from workbench.judging.judge_factory import (
        Availability,
        judge_availability,
        name_in_runs,
        names_judge,
        names_path,
        open_judge,
        open_judges,
        prompt_of,
        standalone_claim,
        suggested_judge,
        takes_prompt,
    )
    from workbench.judging.layer_checks import (
        LayerReport,
        check_layers,
        quoted_in,
        quoted_sentences,
    )
    from workbench.judging.llm import LlmJudge
    from workbench.judging.multi_source import JointVerdict, join_sources
    from workbench.judging.overreach import ScopeFinding, find_overreach
    from workbench.judging.panel import (
        ABSTAIN_BAND,
        is_undecided,
        joint_judgment,
    )
    from workbench.judging.passages import select_passages
    from workbench.judging.prices import Price, Usage, find_price
    from workbench.judging.prompt_diff import diff_prompts
    from workbench.judging.prompts import PROMPTS, STRICT, find_prompt, joint_prompt
    from workbench.judging.provider import BatchIntent
    from workbench.judging.quotes import QuoteMatches, locate_quotes
    from workbench.judging.scripted import ScriptedJudge
    from workbench.judging.standalone import with_standalone, without_standalone

__all__ = [
    "ABSTAIN_BAND",
    "Availability",
    "BatchIntent",
    "BatchItem",
    "BatchJob",
    "Budget",
    "ClaimReport",
    "GroundedClaim",
    "JointVerdict",
    "Judge",
    "LayerReport",
    "LlmJudge",
    "PROMPTS",
    "PlannedCall",
    "Price",
    "QuoteMatches",
    "ReferenceDocument",
    "STRICT",
    "ScopeFinding",
    "ScriptedJudge",
    "Usage",
    "as_cached",
    "ask_judge",
    "averify_claims",
    "batch_state",
    "bibliography_spans",
    "check_layers",
    "collect_batch",
    "context_read_by",
    "cost_about",
    "decompose",
    "diff_prompts",
    "evidence_spans",
    "find_batch",
    "find_overreach",
    "find_price",
    "find_prompt",
    "intend_batch",
    "is_undecided",
    "join_parts",
    "join_sources",
    "joint_judgment",
    "joint_prompt",
    "judge_availability",
    "judge_jointly",
    "judgment_key",
    "locate_quotes",
    "name_in_runs",
    "names_judge",
    "names_path",
    "open_judge",
    "open_judges",
    "plan_calls",
    "prompt_of",
    "quoted_in",
    "quoted_sentences",
    "quotes_bibliography",
    "run_sync",
    "select_passages",
    "split_claims",
    "standalone_claim",
    "submit_batch",
    "suggested_judge",
    "takes_prompt",
    "verify_claims",
    "with_standalone",
    "without_standalone",
    "worst_cost_of",
]

__getattr__ = lazy_exports(__name__, __file__)
