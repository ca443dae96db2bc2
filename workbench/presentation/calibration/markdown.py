"""A calibration as Markdown, for the command line and written reports; pure."""

from collections.abc import Sequence

from workbench.calibration.references import ReferenceCalibration
from workbench.calibration.results import CalibrationReport
from workbench.presentation.calibration.fitted_limits import limits_sections
from workbench.presentation.calibration.references import reference_sections
from workbench.presentation.calibration.sections import Section, basis_paragraph, report_sections
from workbench.presentation.calibration.text import cautions, report_title, sentences
from workbench.presentation.tables import Table
from workbench.records.text import replace_surrogates

_ESCAPES = str.maketrans({char: "\\" + char for char in "\\`*_[]<>|#"})


def markdown(view: CalibrationReport) -> str:
    """The whole report; foreign names are escaped."""
    calibration = view.calibration
    numbered = (
        f"{n}. {plain(sentence.text)}{'' if sentence.is_supported else ' *(not established yet)*'}"
        for n, sentence in enumerate(sentences(calibration, view.rates), 1)
    )
    blocks = [
        f"# {plain(report_title(calibration))}",
        "\n".join(numbered),
        plain(basis_paragraph(calibration)),
        *(plain(f"Caution: {caution}") for caution in cautions(view)),
        *_blocks(limits_sections(view.limits)),
        *_blocks(report_sections(view)),
        *_blocks(reference_sections(view.references)),
    ]
    return "\n\n".join(blocks) + "\n"


def references_markdown(calibration: ReferenceCalibration) -> str:
    """The report on the checks of references alone; foreign names are escaped."""
    return "\n\n".join(_blocks(reference_sections(calibration))) + "\n"


def _blocks(sections: Sequence[Section]) -> list[str]:
    return [block for section in sections for block in _section(section)]


def plain(text: str) -> str:
    """Foreign text as one escaped line of Markdown."""
    return " ".join(replace_surrogates(text).split()).translate(_ESCAPES)


def _section(section: Section) -> list[str]:
    return [
        f"## {plain(section.title)}",
        *map(plain, section.before),
        *([markdown_table(section.table)] if section.table else []),
        *map(plain, section.after),
    ]


def markdown_table(table: Table) -> str:
    """A table in Markdown."""
    lines = [table.head, ("---",) * len(table.head), *table.lines]
    return "\n".join(
        f"| {' | '.join(line if at == 1 else tuple(map(plain, line)))} |"
        for at, line in enumerate(lines)
    )
