"""Judges with models of the user's own: classifiers of sentence pairs in a folder.

`spec.py` reads what stands behind `nli:`, `places.py` finds the folder, `files.py` the files in it,
`labels.py` says what the outputs mean, `runtimes.py` and `classifier.py` run the model, `windows.py`
cuts passages, `judge.py` decides. Nothing here uses a network.
"""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.judging.nli.files import find_files, holds_model
    from workbench.judging.nli.judge import NliJudge, open_nli_judge
    from workbench.judging.nli.places import (
        list_model_folders,
        locate,
        models_folder,
        run_name,
        use_models_folder,
    )
    from workbench.judging.nli.runtimes import TRANSFORMERS
    from workbench.judging.nli.spec import ModelOptions

__all__ = [
    "ModelOptions",
    "NliJudge",
    "TRANSFORMERS",
    "find_files",
    "holds_model",
    "list_model_folders",
    "locate",
    "models_folder",
    "open_nli_judge",
    "run_name",
    "use_models_folder",
]

__getattr__ = lazy_exports(__name__, __file__)
