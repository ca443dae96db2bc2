"""Judges by their names: which there are, what each needs, and how one is opened."""

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.judging.judge import Judge, run_sync
    from workbench.judging.judge_factory import (
        judge_availability,
        names_judge,
        names_path,
        open_judge,
        suggested_judge,
        takes_prompt,
    )
    from workbench.judging.local_servers import local_servers_allowed, server_of
    from workbench.judging.nli.files import models_folder
    from workbench.judging.reading_model import embedded_accuracy

__all__ = [
    "Judge", "embedded_accuracy", "judge_availability", "local_servers_allowed", "models_folder",
    "names_judge", "names_path", "open_judge", "run_sync", "server_of", "suggested_judge",
    "takes_prompt",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)


def use_judges(models_folder: Path | None, local_servers: bool) -> None:
    """Use the settings' folder of models, and servers on this machine only where they allow it."""
    from workbench.judging.local_servers import use_local_servers
    from workbench.judging.nli.files import use_models_folder

    use_models_folder(models_folder)
    use_local_servers(local_servers)
