"""Does the source support the claim? Claim and source in; passages, judgment, layers, cost out."""

from workbench.judging.batch import (
    BatchItem,
    BatchTicket,
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
from workbench.judging.cache import judgment_key, recalled
from workbench.judging.decompose import decompose, split_claims
from workbench.judging.ground import aground, ground
from workbench.judging.ground_report import GroundedClaim, GroundReport, GroundSource
from workbench.judging.join_parts import join_parts
from workbench.judging.judge import (
    Judge,
    ask_judge,
    context_read_by,
    run_sync,
    worst_cost_of,
)
from workbench.judging.layers import LayerReport, check_layers, quoted_in, quoted_sentences
from workbench.judging.llm import LlmJudge
from workbench.judging.open import (
    Availability,
    judge_availability,
    open_judge,
    open_judges,
    prompt_of,
    standing_alone,
    takes_prompt,
)
from workbench.judging.panel import (
    ABSTAIN_BAND,
    PANEL_RULES,
    Panel,
    PanelRule,
    disagreement,
    is_undecided,
    joint_judgment,
)
from workbench.judging.passages import select_passages
from workbench.judging.plan_calls import Call, cost_about, plan_calls
from workbench.judging.prices import Price, Usage, find_price
from workbench.judging.prompt_diff import DiffLine, PromptDiff, diff_prompts
from workbench.judging.prompts import PROMPTS, STRICT, find_prompt, joint_prompt
from workbench.judging.provider import BatchIntent
from workbench.judging.quotes import Located, locate_quotes
from workbench.judging.scope import ScopeFinding, find_overreach
from workbench.judging.scripted import ScriptedJudge
from workbench.judging.several import JointVerdict, join_sources
from workbench.judging.standalone import with_standalone, without_standalone
from workbench.judging.together import judge_together

__all__ = [
    "ABSTAIN_BAND",
    "Availability",
    "BatchIntent",
    "BatchItem",
    "BatchTicket",
    "Budget",
    "Call",
    "DiffLine",
    "GroundReport",
    "GroundSource",
    "GroundedClaim",
    "JointVerdict",
    "Judge",
    "LayerReport",
    "LlmJudge",
    "Located",
    "PANEL_RULES",
    "PROMPTS",
    "Panel",
    "PanelRule",
    "Price",
    "PromptDiff",
    "STRICT",
    "ScopeFinding",
    "ScriptedJudge",
    "Usage",
    "aground",
    "ask_judge",
    "batch_state",
    "bibliography_spans",
    "check_layers",
    "collect_batch",
    "context_read_by",
    "cost_about",
    "decompose",
    "diff_prompts",
    "disagreement",
    "evidence_spans",
    "find_batch",
    "find_overreach",
    "find_price",
    "find_prompt",
    "ground",
    "intend_batch",
    "is_undecided",
    "join_parts",
    "join_sources",
    "joint_judgment",
    "joint_prompt",
    "judge_availability",
    "judge_together",
    "judgment_key",
    "locate_quotes",
    "open_judge",
    "open_judges",
    "plan_calls",
    "prompt_of",
    "quoted_in",
    "quoted_sentences",
    "quotes_bibliography",
    "recalled",
    "run_sync",
    "select_passages",
    "split_claims",
    "standing_alone",
    "submit_batch",
    "takes_prompt",
    "with_standalone",
    "without_standalone",
    "worst_cost_of",
]
