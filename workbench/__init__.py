"""Citation workbench: find, fetch and judge every citation in an AI's answer.

    >>> from workbench import extract
    >>> [citation.raw for citation in extract("Rain fell [1].").citations]
    ['[1]']

The public verbs are imported when they are first used, so that `import workbench` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.citations import extract
    from workbench.interfaces.agent import grounded
    from workbench.interfaces.notebook import calibrate, draw, review
    from workbench.judging.judge_factory import open_judge
    from workbench.judging.passages import select_passages
    from workbench.pipeline.reading import read_output
    from workbench.services.claims import aground, extract_claims, fact_check, ground
    from workbench.services.handoff import export_handoff, import_handoff
    from workbench.services.library import acheck_references, averify, check_references, verify
    from workbench.services.matrix import source_matrix
    from workbench.store.store import Store

__version__ = "0.1.0"

_HOMES = {
    "Store": "workbench.store.store",
    "acheck_references": "workbench.services.library",
    "aground": "workbench.services.claims",
    "averify": "workbench.services.library",
    "calibrate": "workbench.interfaces.notebook",
    "check_references": "workbench.services.library",
    "draw": "workbench.interfaces.notebook",
    "export_handoff": "workbench.services.handoff",
    "extract": "workbench.citations",
    "extract_claims": "workbench.services.claims",
    "fact_check": "workbench.services.claims",
    "ground": "workbench.services.claims",
    "grounded": "workbench.interfaces.agent",
    "import_handoff": "workbench.services.handoff",
    "open_judge": "workbench.judging.judge_factory",
    "read_output": "workbench.pipeline.reading",
    "review": "workbench.interfaces.notebook",
    "select_passages": "workbench.judging.passages",
    "source_matrix": "workbench.services.matrix",
    "verify": "workbench.services.library",
}

__all__ = [
    "Store", "acheck_references", "aground", "averify", "calibrate", "check_references", "draw",
    "export_handoff", "extract", "extract_claims", "fact_check", "ground", "grounded",
    "import_handoff", "open_judge", "read_output", "review", "select_passages",
    "source_matrix", "verify",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'workbench' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    _enable_notebook_display()
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def _enable_notebook_display() -> None:
    """Let notebooks show records as `draw` renders them; records themselves know no renderer."""
    from workbench.records.notebook_display import use_renderer

    use_renderer(lambda record: import_module(_HOMES["draw"]).draw(record))
