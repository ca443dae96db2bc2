"""What callers can choose between when they ask for a check, in every interface."""

from typing import Literal, get_args

from workbench.records.citation import ScopeKind

PanelRule = Literal["majority", "unanimous", "cascade"]
PANEL_RULES: tuple[PanelRule, ...] = get_args(PanelRule)

Together = Literal["auto", "never"]
"""Whether several claims of one source may share a call: where that is cheaper, or never."""
TOGETHER_WAYS: tuple[Together, ...] = get_args(Together)

ScopeChoice = Literal["guess", ScopeKind]
"""How much of the text citations stand for: one kind for all, or what is known of each."""
SCOPE_CHOICES: tuple[ScopeChoice, ...] = get_args(ScopeChoice)

MODEL_SPECS = "ollama:MODEL, lmstudio:MODEL, llamacpp, vllm:MODEL, anthropic:MODEL or openai:MODEL"
"""How language models are named, those of servers on this machine first."""
JUDGE_SPECS = f"local, nli:PATH, scripted:FILE, handoff:NAME, {MODEL_SPECS}"
"""How judges are named."""

CAP_USD = 1.0
"""What a run may cost where nobody says."""
NoCap = Literal["none"]
NO_CAP: NoCap = "none"
"""What callers say who want no cap at all."""
