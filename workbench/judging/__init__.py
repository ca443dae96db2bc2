"""Does the source support the claim? Claim and source in; passages, judgment, layers, cost out."""

from workbench.judging.cache import judgment_key, recalled
from workbench.judging.judge import Judge, run_sync
from workbench.judging.open import Availability, judge_availability, open_judge
from workbench.judging.panel import joint_judgment
from workbench.judging.passages import select_passages
from workbench.judging.quotes import Located, locate_quotes
from workbench.judging.scripted import ScriptedJudge

__all__ = [
    "Availability",
    "Judge",
    "Located",
    "ScriptedJudge",
    "joint_judgment",
    "judge_availability",
    "judgment_key",
    "locate_quotes",
    "open_judge",
    "recalled",
    "run_sync",
    "select_passages",
]
