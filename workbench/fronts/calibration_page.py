"""A calibration as a file that is kept: Markdown, or one page of HTML that stands alone."""

from pathlib import Path

from workbench.errors import UsageError
from workbench.fronts.calibrating_words import View
from workbench.fronts.calibration_report import markdown


def write_report(view: View, path: Path) -> None:
    """Write a report; its form is told by the file's ending.

    Raises:
        UsageError: The ending is neither `.md` nor `.html`, or the file cannot be written.
    """
    if path.suffix.lower() != ".md":
        raise UsageError(f"A report is written to a file.md or a file.html, not to {path.name}.")
    try:
        path.write_text(markdown(view), "utf-8")
    except OSError as error:
        raise UsageError(f"The report {path} cannot be written: {error.strerror}.") from None
