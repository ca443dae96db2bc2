"""The progress of a run on the command line, and the message when it is stopped."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.interfaces.cli import output
from workbench.interfaces.cli.terminal import progress, say, told_when_stopped
from workbench.records.verdict import Run

if TYPE_CHECKING:
    from workbench.services.verification import VerifyOptions


@contextmanager
def run_progress(options: "VerifyOptions", *, stored: bool) -> "Iterator[VerifyOptions]":
    """Options that show the progress of a run; Ctrl-C ends with what is stored and how to continue.

    A run that waits for a batch is announced with its id.
    """
    started: list[str] = []

    def begin(run: Run) -> None:
        started.append(run.id)
        if options.batch:
            say(
                f"workbench: run {run.id} is waiting for a batch; you can stop it and continue "
                f"later with "
                f"`workbench resume {run.id}`."
            )

    def kept() -> str:
        if not stored:
            return "nothing is stored because of --no-store."
        if not started:
            return "the run had not started, so nothing is stored."
        return f"finished verdicts are stored: continue with `workbench resume {started[0]}`."

    with told_when_stopped(kept), progress("starting") as show:
        yield replace(options, on_start=begin, on_progress=output.run_shown(show))
