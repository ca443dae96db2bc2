"""Does the source support the claim? Claim and source in; passages, judgment, layers, cost out."""

from workbench.judging.cache import judgment_key, recalled
from workbench.judging.judge import Judge, run_sync
from workbench.judging.layers import check_layers
from workbench.judging.open import Availability, judge_availability, open_judge
from workbench.judging.panel import PANEL_RULES, PanelRule, is_undecided, joint_judgment
from workbench.judging.passages import select_passages
from workbench.judging.quotes import Located, locate_quotes
from workbench.judging.scripted import ScriptedJudge
from workbench.judging.several import JointVerdict, join_sources

__all__ = [
    "Availability",
    "JointVerdict",
    "Judge",
    "Located",
    "PANEL_RULES",
    "PanelRule",
    "ScriptedJudge",
    "check_layers",
    "is_undecided",
    "join_sources",
    "joint_judgment",
    "judge_availability",
    "judgment_key",
    "locate_quotes",
    "open_judge",
    "recalled",
    "run_sync",
    "select_passages",
]
