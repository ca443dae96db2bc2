"""`calibrate --references`: how far reference checks can be trusted."""

import argparse
import time
from typing import TYPE_CHECKING

from workbench.errors import UsageError
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import say
from workbench.services.database import Database

if TYPE_CHECKING:
    from workbench.services.calibration import ThresholdObjective

_JUDGE_OPTIONS = (
    "judge", "prompt", "part", "guide_version", "labels_of", "at", "open_test",
    "embedded", "run", "since", "until", "slices", "report", "band", "label_next", "random_sample",
)  # fmt: skip


def calibrate_references(
    arguments: argparse.Namespace, store: Database, aim: "ThresholdObjective"
) -> int:
    """Print the figures of reference checks; the exit code is that of a judge's calibration.

    Raises:
        UsageError: An option applies only to judges, or no reference is labelled.
    """
    for option in _JUDGE_OPTIONS:
        if getattr(arguments, option):
            name = option.replace("_", "-").replace("label-next", "suggest-labels")
            raise UsageError(f"--{name} applies only to judges; leave it out with --references.")
    from workbench.presentation.calibration.markdown import references_markdown
    from workbench.presentation.calibration.references import (
        NO_REFERENCE_LABELS,
        references_document,
    )
    from workbench.services.references.calibration import (
        calibrate_references as measure_references,
    )
    from workbench.services.references.calibration import (
        save_reference_threshold,
    )

    started = time.perf_counter()
    calibration = measure_references(store, aim)
    if calibration is None:
        raise UsageError(NO_REFERENCE_LABELS)
    report_document = references_document(calibration, time.perf_counter() - started)
    text = references_markdown(calibration)
    complete = True
    if arguments.save is not None:
        try:
            saved = save_reference_threshold(
                store, calibration, aim, by=arguments.by, note=arguments.save
            )
            report_document["threshold_id"] = saved.id
            text += f"\nthreshold id: {saved.id}\n"
        except UsageError as error:
            report_document["threshold_id"] = None
            complete = False
            say(f"workbench: {error}")
    print_document(arguments, report_document, text)
    holds = calibration.guarantee.holds or arguments.target_precision is None
    return 0 if calibration.table.n and holds and complete else 1
