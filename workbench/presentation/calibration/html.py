"""A calibration as a file: Markdown, or one self-contained HTML page."""

from pathlib import Path

from workbench.calibration.results import CalibrationReport
from workbench.errors import UsageError, storage_error
from workbench.presentation.calibration.fitted_limits import limits_sections
from workbench.presentation.calibration.markdown import markdown
from workbench.presentation.calibration.references import reference_sections
from workbench.presentation.calibration.sections import basis_paragraph, report_sections
from workbench.presentation.calibration.svg import calibration_charts
from workbench.presentation.calibration.text import cautions, report_title, sentences
from workbench.presentation.templating import markup, render


def write_report(view: CalibrationReport, path: Path) -> None:
    """Write a report; the file's ending decides its format.

    Raises:
        UsageError: The ending is neither `.md` nor `.html`, or the file cannot be written.
    """
    check_report_path(path)
    text = markdown(view) if path.suffix.lower() == ".md" else page(view)
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise storage_error(error, path) or UsageError(
            f"The report {path} cannot be written: {error.strerror}."
        ) from None


def check_report_path(path: Path) -> None:
    """Check that a report can have this name.

    Raises:
        UsageError: The ending is neither `.md` nor `.html`.
    """
    if path.suffix.lower() not in (".md", ".html"):
        raise UsageError(f"A report is written to a .md or .html file, not to {path.name}.")


def page(view: CalibrationReport) -> str:
    """The report as a complete HTML document with inline charts."""
    calibration = view.calibration
    return render(
        "calibration.html.jinja",
        title=report_title(calibration),
        sentences=sentences(calibration, view.rates),
        paragraphs=[basis_paragraph(calibration), *(f"Caution: {c}" for c in cautions(view))],
        charts=[markup(chart) for chart in calibration_charts(calibration)],
        sections=(
            *limits_sections(view.limits),
            *report_sections(view),
            *reference_sections(view.references),
        ),
    )
