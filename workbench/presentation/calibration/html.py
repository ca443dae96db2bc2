"""A calibration as a file that is kept: Markdown, or one page of HTML that stands alone."""

import re
from pathlib import Path

from workbench.calibration.results import CalibrationReport
from workbench.errors import UsageError, storage_error
from workbench.presentation.calibration.markdown import markdown
from workbench.presentation.calibration.svg import reliability_svg, sweep_svg
from workbench.presentation.escape import escape_html

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CSS = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
figure { display: inline-block; width: min(100%, 32rem); margin: 0 1rem 1rem 0; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: currentColor; }
li, td { overflow-wrap: break-word; }
"""
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|#])")
_CELLS = re.compile(r"(?<!\\)\|")


def write_report(view: CalibrationReport, path: Path) -> None:
    """Write a report; its form is told by the file's ending.

    Raises:
        UsageError: The ending is neither `.md` nor `.html`, or the file cannot be written.
    """
    check_report_path(path)
    whole = markdown(view) if path.suffix.lower() == ".md" else page(view)
    try:
        path.write_text(whole, "utf-8")
    except OSError as error:
        raise storage_error(error, path) or UsageError(
            f"The report {path} cannot be written: {error.strerror}."
        ) from None


def check_report_path(path: Path) -> None:
    """Nothing, where a report can have this name.

    Raises:
        UsageError: The ending is neither `.md` nor `.html`.
    """
    if path.suffix.lower() not in (".md", ".html"):
        raise UsageError(f"A report is written to a file.md or a file.html, not to {path.name}.")


def page(view: CalibrationReport) -> str:
    """The report as a whole HTML document, its charts drawn within."""
    calibration = view.calibration
    blocks = [_block(one) for one in markdown(view).strip().split("\n\n")]
    charts = ""
    if calibration.cuts:
        charts = sweep_svg(calibration.cuts, calibration.threshold)
        charts += reliability_svg(calibration.table.reliability)
    title = escape_html(f"How far {calibration.judge.words} can be trusted")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_CSS}</style></head><body>"
        f"{''.join(blocks[:3])}{charts}{''.join(blocks[3:])}</body></html>\n"
    )


def _block(text: str) -> str:
    """One block of our own Markdown: a heading, a table, a list or a paragraph."""
    if text.startswith("#"):
        marks, _, words = text.partition(" ")
        return f"<h{len(marks)}>{_words(words)}</h{len(marks)}>"
    lines = text.split("\n")
    if text.startswith("| "):
        rows = [_CELLS.split(line)[1:-1] for line in (lines[0], *lines[2:])]
        drawn = [
            "<tr>" + "".join(f"<{tag}>{_words(cell.strip())}</{tag}>" for cell in row) + "</tr>"
            for row, tag in zip(rows, ["th"] + ["td"] * len(rows), strict=False)
        ]
        return f"<table>{''.join(drawn)}</table>"
    if re.match(r"\d+\. ", text):
        items = "".join(f"<li>{_words(line.partition(' ')[2])}</li>" for line in lines)
        return f"<ol>{items}</ol>"
    if text.startswith("- "):
        return f"<ul>{''.join(f'<li>{_words(line[2:])}</li>' for line in lines)}</ul>"
    return f"<p>{_words(text)}</p>"


def _words(text: str) -> str:
    said = re.sub(r" \*\((.*)\)\*$", r" (\1)", text)
    return escape_html(_ESCAPED.sub(r"\1", said))
