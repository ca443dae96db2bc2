"""The matrix of a run as tables, sentences and a page: declared here once, drawn by each interface.

A sign in brackets means that the statement cites the source; the same sign without them, that the
source says it though it is not cited there.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from workbench.presentation.calibration.sections import Section
from workbench.presentation.escape import render, truncate
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.presentation.verdicts import STYLES, Mark
from workbench.records.format import count_of, word_for
from workbench.records.matrix import (
    REPORT,
    CellBasis,
    Contradiction,
    Matrix,
    MatrixCell,
    MatrixSource,
    MatrixStatement,
)

LONGEST_STATEMENT = 160
"""Characters of a statement in a table."""
LONGEST_QUOTE = 300
MAY = "may contradict, look"
NOTHING, NOTHING_WORD = "–", "Says nothing of it"
"""Of a source that the statement does not cite and that does not say it."""
LEGEND = (
    "Brackets: the statement cites the source. "
    + ", ".join(
        f"{STYLES[mark].glyph} {word}"
        for mark, word in (
            ("supported", "supports it"),
            ("partially_supported", "supports it in part"),
            ("contradicted", "contradicts it"),
            ("not_supported", "cited and does not say it"),
            ("unsure", "the judge is unsure"),
            ("unverifiable", "could not be read"),
            ("pending", "nobody was asked yet"),
        )
    )
    + f", {NOTHING} says nothing of it."
)
_BASIS: dict[CellBasis, str] = {
    "person": "Decided by {by}.",
    "run": "Verdict of the run, by {by}.",
    "judge": "Asked for the matrix: {by}.",
    "words": "",
    "open": "Nobody was asked yet.",
}


def _said_elsewhere(row: Sequence[MatrixCell]) -> bool:
    return any(cell.supports and not cell.cited and cell.source != REPORT for cell in row)


def _supporters(row: Sequence[MatrixCell]) -> int:
    return sum(cell.supports and cell.source != REPORT for cell in row)


FILTERS: Mapping[str, Callable[[Sequence[MatrixCell]], bool]] = {
    "All": lambda row: True,
    "Contradicted": lambda row: any(cell.label == "contradicted" and cell.sure for cell in row),
    "On one source": lambda row: _supporters(row) == 1,
    "On none": lambda row: not _supporters(row),
    "Said where not cited": _said_elsewhere,
}
"""Which statements are shown, by the row of each."""


class Sign(NamedTuple):
    """What a cell shows."""

    glyph: str
    word: str
    colour: str
    """Empty where the cell has none."""


def sign_of(cell: MatrixCell) -> Sign:
    """Return the sign of a cell; in brackets where the statement cites the source."""
    mark: Mark = cell.label or "pending"
    if cell.label is not None and not cell.sure:
        mark = "unsure"
    if mark == "not_supported" and not cell.cited:
        return Sign(NOTHING, NOTHING_WORD, "")
    style = STYLES[mark]
    if cell.cited:
        return Sign(f"[{style.glyph}]", f"{style.word}, cited", style.colour)
    return Sign(style.glyph, style.word, "" if mark in ("pending", "unsure") else style.colour)


def in_columns(matrix: Matrix) -> tuple[MatrixSource, ...]:
    """Return the sources in the order of the columns: by their marks, the report itself last."""
    cited = sorted(matrix.sources[1:], key=lambda source: _place(source.mark))
    return (*cited, matrix.sources[REPORT])


def _place(mark: str) -> int:
    """Return the number in a mark; marks without one keep their order behind the others."""
    digits = "".join(filter(str.isdecimal, mark))
    return int(digits) if digits else 1_000_000


def cell_link(matrix: Matrix, cell: MatrixCell) -> Link:
    """Return the link to a cell on the page of the run."""
    query = {"run": matrix.run_id, "view": "matrix", "cell": f"{cell.statement}.{cell.source}"}
    return Link(page="review", query=query)


def statement_text(statement: MatrixStatement, most: int = LONGEST_STATEMENT) -> str:
    """Return a statement on one line; of a table row, without the bars around it."""
    return truncate(statement.text.strip().strip("|*-•").strip(), most)


def matrix_table(matrix: Matrix, statements: Sequence[MatrixStatement] | None = None) -> Table:
    """Return some statements, else all, with a sign for what each source says about each."""
    shown = matrix.statements if statements is None else statements
    columns = in_columns(matrix)
    return Table(
        accessible_label="What each source says about each statement; activate a sign for its quote",
        columns=(
            Column(word="Statement", width="45%"),
            *(Column(word=source.mark, width="1.2rem", numeric=True) for source in columns),
        ),
        rows=tuple(
            (
                Cell(text=f"{statement.number}. {statement_text(statement)}"),
                *(
                    _sign_cell(matrix, matrix.cell(statement.number, source.number), source)
                    for source in columns
                ),
            )
            for statement in shown
        ),
        prose=True,
    )


def _sign_cell(matrix: Matrix, cell: MatrixCell, source: MatrixSource) -> Cell:
    sign = sign_of(cell)
    return Cell(
        text=sign.glyph,
        link=cell_link(matrix, cell),
        accessible_label=f"{cell.statement}, {source.mark}: {sign.word}",
        colour=sign.colour,
    )


def source_table(matrix: Matrix) -> Table:
    """Return the sources with how many statements rest on each."""
    return Table.of(
        "Sources and the statements that rest on them",
        (
            "Source",
            Column(word="Supports", numeric=True),
            Column(word="Alone", numeric=True),
            Column(word="Own page of"),
        ),
        [
            (
                Cell(
                    text=f"{source.mark} {truncate(source.title, 90)}",
                    more=source.host or truncate(source.url, 80),
                ),
                f"{source.supports:,}",
                f"{source.alone:,}",
                Cell(
                    text=source.own_page,
                    more=f"in the host {source.host} and in the text" if source.own_page else "",
                ),
            )
            for source in in_columns(matrix)[:-1]
        ],
        prose=True,
    )


def contradiction_table(matrix: Matrix) -> Table:
    """Return the contradictions with both quotes and where they stand."""
    return Table.of(
        "Contradictions between sources, and between statements",
        ("About", Column(word="One says"), Column(word="The other says")),
        [
            (
                Cell(
                    text=statement_text(matrix.statements[found.statement - 1]),
                    more=f"statement {found.statement}{'' if found.found else ': ' + MAY}",
                ),
                *(
                    Cell(
                        text=f"“{truncate(side.quote, LONGEST_QUOTE)}”",
                        more=f"{_named(matrix, found, side.source)}, characters {side.start:,} to "
                        f"{side.end:,}",
                    )
                    for side in found.sides
                ),
            )
            for found in matrix.contradictions
        ],
        prose=True,
    )


def _named(matrix: Matrix, found: Contradiction, number: int) -> str:
    if number == REPORT:
        return "this report"
    source = matrix.sources[number]
    return f"{source.mark} {source.host or truncate(source.title, 60)}"


def load_lines(matrix: Matrix) -> list[str]:
    """Return what rests on how few sources, and how much is not known yet, in sentences."""
    load = matrix.load
    if not load.sentences:
        return [
            "No sentence of the text is known: it has none, or an earlier version made this run. "
            "Check the text again to compare it."
        ]
    if not load.statements:
        return ["The text has no sentence that asserts something, so there is nothing to compare."]
    if len(matrix.sources) == 1:
        return [
            f"{count_of(load.statements, 'statement')}, and no source: the text cites none that was "
            "given or fetched."
        ]
    lines = [
        f"{load.supported:,} of {count_of(load.statements, 'statement')} "
        f"{word_for(load.supported, 'is', 'are')} supported by a source. "
        f"{load.on_one_source:,} {word_for(load.on_one_source, 'rests', 'rest')} on one source "
        "alone, and would fall with it."
    ]
    heaviest = max(matrix.sources[1:], key=lambda source: source.alone)
    if heaviest.alone > 1:
        lines.append(
            f"{heaviest.alone:,} of these would fall with {heaviest.mark} "
            f"({heaviest.host or truncate(heaviest.title, 60)})."
        )
    if load.on_own_pages:
        lines.append(
            f"{load.on_own_pages:,} {word_for(load.on_own_pages, 'rests', 'rest')} only on pages "
            "whose host is named like something in the title or in the statement: "
            "probably its own pages."
        )
    if load.open:
        lines.append(
            f"Nobody was asked yet about {load.open:,} of {len(matrix.cells):,} pairs of statement "
            "and source: the figures may change."
        )
    if not matrix.finished:
        lines.append("The run has not ended: sources and verdicts may be missing.")
    return lines


def contradictions_text(matrix: Matrix) -> str:
    """Return how many contradictions there are, and how many pairs may be one."""
    found = [each for each in matrix.contradictions if each.found]
    between = sum(each.kind == "sources" for each in found)
    unsure = len(matrix.contradictions) - len(found)
    words = (
        f"{count_of(between, 'contradiction')} between sources, {len(found) - between:,} between "
        "statements of the text."
    )
    if not found:
        judged = " among the pairs that were judged" if matrix.load.open else ""
        words = f"No contradiction was found{judged}."
    if unsure:
        words += (
            f" {count_of(unsure, 'pair')} of sources may contradict each other: a judge is unsure "
            "of a side, so look at both quotes."
        )
    return words


def matrix_sections(matrix: Matrix) -> list[Section]:
    """Return the whole matrix as sections of a report."""
    sections = [Section(title="What rests on what", before=tuple(load_lines(matrix)))]
    if len(matrix.sources) > 1 and matrix.statements:
        sections[0] = Section(
            title="What rests on what",
            before=tuple(load_lines(matrix)),
            table=source_table(matrix),
        )
    if matrix.statements:
        found = contradiction_table(matrix) if matrix.contradictions else None
        sections += [
            Section(title="Contradictions", before=(contradictions_text(matrix),), table=found),
            Section(title="Statements and sources", before=(LEGEND,), table=matrix_table(matrix)),
        ]
    return sections


def matrix_html(matrix: Matrix, name: str) -> str:
    """Return the matrix as a page of its own: it loads no script and no address."""
    return render(
        "calibration.html.jinja",
        title=f"Statements and sources: {name}",
        sentences=(),
        paragraphs=(),
        charts=(),
        sections=matrix_sections(matrix),
    )


def matrix_text(matrix: Matrix) -> str:
    """Return the matrix as lines of plain text, the signs of a statement before its words."""
    columns = in_columns(matrix)
    widths = [max(3, len(source.mark)) for source in columns]
    lines = load_lines(matrix)
    if matrix.statements:
        lines += [contradictions_text(matrix), "", LEGEND, ""]
        heads = (source.mark.rjust(width) for source, width in zip(columns, widths, strict=True))
        lines.append(" ".join(heads))
    for statement in matrix.statements:
        signs = (
            sign_of(matrix.cell(statement.number, source.number)).glyph.rjust(width)
            for source, width in zip(columns, widths, strict=True)
        )
        lines.append(f"{' '.join(signs)}  {statement.number}. {statement_text(statement, 100)}")
    for source in columns[:-1]:
        own = f", own page of {source.own_page}" if source.own_page else ""
        lines.append(
            f"{source.mark} {truncate(source.title, 70)}: supports {source.supports:,}, "
            f"{source.alone:,} alone{own}"
        )
    for found in matrix.contradictions:
        what = "Contradiction" if found.found else "May be a contradiction"
        lines += ["", f"{what} about statement {found.statement}:"]
        lines += [
            f"  {_named(matrix, found, side.source)}, {side.start:,}–{side.end:,}: "
            f"“{truncate(side.quote, LONGEST_QUOTE)}”"
            for side in found.sides
        ]
    return "\n".join(lines)


def basis_text(cell: MatrixCell) -> str:
    """Return who says what a cell shows, in a sentence."""
    if cell.basis == "run" and not cell.by:
        return "The source could not be read."
    said = _BASIS[cell.basis].format(by=cell.by)
    unsure = cell.label is not None and not cell.sure
    return f"{said} The judge is unsure: read the source." if unsure else said
