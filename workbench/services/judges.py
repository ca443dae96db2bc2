"""Judges by their names: which there are, what each needs, and how one is opened."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.judging import (
        Judge,
        judge_availability,
        names_path,
        open_judge,
        run_sync,
        suggested_judge,
        takes_prompt,
    )
    from workbench.judging.nli import models_folder, use_models_folder

__all__ = [
    "Judge",
    "judge_availability",
    "models_folder",
    "names_path",
    "open_judge",
    "run_sync",
    "suggested_judge",
    "takes_prompt",
    "use_models_folder",
]

__getattr__ = lazy_exports(__name__, __file__)
