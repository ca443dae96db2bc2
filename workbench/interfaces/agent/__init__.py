"""One flag on an agent: every answer of a function or an SDK client comes with its grounding.

The agent goes first: its answer comes back as it is, whatever becomes of the check, and what it
raises is raised. A check that cannot be made says why in `.grounding`.
"""

from workbench.interfaces.agent.answers import Call, Grounding
from workbench.interfaces.agent.wrappers import grounded

__all__ = ["Call", "Grounding", "grounded"]
