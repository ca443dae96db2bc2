"""Put together which source says what about which statement of a run; pure.

A person's decision on a citation fills its cell first, then the verdict of the run's judge where it
is sure, then what a judge said that was asked about the matrix, then the run's unsure verdict. Two
sources contradict each other about a statement where one bears it out and the other contradicts it;
two statements do where one is contradicted by the rest of the text. It counts as found where both
sides are sure; with a verdict that its judge is not sure of it may be one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.records.citation import Citation, Sentence
from workbench.records.format import host_of
from workbench.records.matrix import (
    REPORT,
    STATEMENT_KINDS,
    CellJudgment,
    Contradiction,
    ContradictionSide,
    Matrix,
    MatrixCell,
    MatrixSource,
    MatrixStatement,
    SourceLoad,
)
from workbench.records.review import Label
from workbench.records.text import Span
from workbench.records.verdict import CitationResult, Evidence, Judgment, Run, judge_outcome

NO_SHARED_WORD = "The source shares no word with the statement; no judge was asked."
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "example", "gov", "net", "org"})
_SUFFIXES = ("", "ag", "ai", "app", "gmbh", "group", "hq", "inc", "labs")
_NAME = re.compile(r"[^\W_]+")
_MOST_WORDS = 4
"""Words of a name that a host writes as one."""
_LEAST_NAME = 4
"""Letters of a name: shorter ones occur in hosts by chance."""


def build_matrix(
    run: Run, labels: Mapping[str, Label], judgments: Iterable[CellJudgment]
) -> Matrix:
    """Return the matrix of a run.

    Args:
        run: The run with its text; its sources may come without theirs.
        labels: What people decided, by citation.
        judgments: What judges said that were asked about the matrix, oldest first.
    """
    sources, number_of = _sources(run)
    asked: dict[tuple[int, int, str], list[CellJudgment]] = {}
    for judgment in judgments:
        key = (judgment.start_at, judgment.end_at, judgment.source_sha256)
        asked.setdefault(key, []).append(judgment)
    results = {result.citation.id: result for result in run.citations}
    statements: list[MatrixStatement] = []
    cells: list[MatrixCell] = []
    for sentence in run.sentences:
        if sentence.kind not in STATEMENT_KINDS:
            continue
        cited = [results[name] for name in sentence.citations if name in results]
        numbers = {
            number_of[result.citation.id] for result in cited if result.citation.id in number_of
        }
        statement = MatrixStatement(
            number=len(statements) + 1,
            span=sentence.span,
            text=sentence.span.of(run.text),
            kind=sentence.kind,
            cites=tuple(sorted(numbers)),
        )
        statements.append(statement)
        for source in sources:
            own = [r for r in cited if number_of.get(r.citation.id) == source.number]
            said = asked.get((sentence.start, sentence.end, source.sha256), ())
            cells.append(_cell(statement, source, own, labels, said))
    names = _Names(_title(run))
    sources = tuple(
        _with_load(source, statements, cells, len(sources), names) for source in sources
    )
    matrix = Matrix(
        run_id=run.id,
        finished=run.finished,
        statements=tuple(statements),
        sources=sources,
        cells=tuple(cells),
        contradictions=(),
        load=SourceLoad(sentences=len(run.sentences)),
    )
    return replace(matrix, contradictions=tuple(_contradictions(matrix)), load=_load(matrix, names))


def _sources(run: Run) -> tuple[tuple[MatrixSource, ...], dict[str, int]]:
    """The sources in the order in which they are cited, and the number of each citation's."""
    report = MatrixSource(
        number=REPORT,
        mark="Report",
        title="The rest of the report",
        url="",
        host="",
        sha256=run.output_sha256,
    )
    found = {"": report}
    number_of: dict[str, int] = {}
    read = {r.citation.target: r.source.sha256 for r in run.counted if r.source is not None}
    read.pop(None, None)
    for result in run.counted:
        source, target = result.source, result.citation.target
        key = source.sha256 if source else read.get(target, target.value if target else "")
        if not key:
            continue
        address = target.value if target else ""
        url = source.final_url or source.url if source else address
        number = found[key].number if key in found else len(found)
        numbered = result.citation.kind == "numbered"
        column = MatrixSource(
            number=number,
            mark=f"[{result.citation.identifier}]" if numbered else f"S{number}",
            title=source.title or url if source else url,
            url=url,
            host=host_of(url),
            sha256=source.sha256 if source else "",
            why_unread=_why_unread(result),
        )
        if key not in found or (found[key].why_unread and not column.why_unread):
            found[key] = column
        number_of[result.citation.id] = number
    return tuple(found.values()), number_of


def _why_unread(result: CitationResult) -> str:
    """Why nothing can be asked about the source of a citation; empty where it was read."""
    error = result.error
    if result.source is not None and (error is None or judge_outcome(error.kind) != "no_source"):
        return ""
    return error.message if error else "It was not read."


def _cell(
    statement: MatrixStatement,
    source: MatrixSource,
    results: Sequence[CitationResult],
    labels: Mapping[str, Label],
    asked: Sequence[CellJudgment],
) -> MatrixCell:
    """What is known of a statement and a source."""
    cell = MatrixCell(
        statement=statement.number,
        source=source.number,
        label="unverifiable" if source.why_unread else None,
        basis="run" if source.why_unread else "open",
        cited=source.number in statement.cites,
        reason=source.why_unread,
    )
    about = [result for result in results if _is_about(result.citation, statement.span)]
    for result in about:
        label = labels.get(result.citation.id)
        if label is not None and label.label != "cannot_tell":
            quotes = label.evidence or (
                result.judgment.evidence
                if result.judgment and result.judgment.label == label.label
                else ()
            )
            return replace(
                cell,
                label=label.label,
                basis="person",
                by=label.author,
                reason=label.note,
                evidence=tuple(quotes),
                citation=result.citation.id,
            )
    judged = [result for result in about if result.status == "ok" and result.judgment is not None]
    judged.sort(key=lambda result: (not result.unsure, result.verdict == "contradicted"))
    of_run = None
    if judged:
        last = judged[-1]
        assert last.judgment is not None
        of_run = replace(
            _said(cell, last.judgment, statement), basis="run", citation=last.citation.id
        )
        if of_run.sure:
            return of_run
    opinions = sorted(asked, key=lambda said: said.judgment is None or said.judgment.sure)
    if not opinions:
        return of_run or cell
    judgment = opinions[-1].judgment
    if judgment is None:
        return replace(cell, label="not_supported", basis="words", reason=NO_SHARED_WORD)
    return replace(_said(cell, judgment, statement), basis="judge")


def _said(cell: MatrixCell, judgment: Judgment, statement: MatrixStatement) -> MatrixCell:
    """The cell with a judgment; a statement is no evidence for itself."""
    label, evidence = judgment.label, judgment.evidence
    if cell.source == REPORT:
        evidence = tuple(piece for piece in evidence if not _overlap(piece.span, statement.span))
        if judgment.evidence and not evidence:
            label = "not_supported"
    return replace(
        cell,
        label=label,
        sure=judgment.sure,
        by=judgment.judge,
        reason=judgment.reason or judgment.rationale,
        evidence=evidence,
    )


def _is_about(citation: Citation, span: Span) -> bool:
    """Whether the verdict on a citation is one on the statement: most of its claim stands there."""
    claim = citation.labelled_claim
    return claim is not None and _overlap(claim.span, span) * 5 > (claim.end - claim.start) * 4


def _overlap(one: Span, other: Span) -> int:
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _contradictions(matrix: Matrix) -> list[Contradiction]:
    """The contradictions, each once, those of which both sides are sure first.

    A source that supports a statement in part may be silent on what the other one denies. Of what
    a judge is unsure of, a source against one that the statement cites is worth a look: of 18 such
    pairs in ten planted reports 7 were contradictions, of 14 pairs of statements none.
    """
    candidates: list[Contradiction] = []
    for statement in matrix.statements:
        row = [cell for cell in matrix.row(statement.number) if cell.evidence]
        own = ContradictionSide(source=REPORT, span=statement.span, quote=statement.text)
        for con in row:
            if con.label != "contradicted":
                continue
            if con.source == REPORT:
                pros = [(own, True)] if con.sure else []
            else:
                pros = [
                    (_side(pro), pro.sure and con.sure)
                    for pro in row
                    if pro.supports and pro.source != REPORT
                    if pro.cited or (pro.sure and con.sure)
                ]
            candidates += [
                Contradiction(
                    kind="statements" if con.source == REPORT else "sources",
                    statement=statement.number,
                    sides=(pro, _side(con)),
                    found=found,
                )
                for pro, found in pros
            ]
    listed: list[Contradiction] = []
    for candidate in sorted(candidates, key=lambda candidate: not candidate.found):
        if not any(_are_same(candidate, other) for other in listed):
            listed.append(candidate)
    return listed


def _are_same(one: Contradiction, other: Contradiction) -> bool:
    """Whether the same words of the same two contradict each other, in either order."""
    return any(
        all(
            a.source == b.source and _overlap(a.span, b.span)
            for a, b in zip(one.sides, sides, strict=True)
        )
        for sides in (other.sides, other.sides[::-1])
    )


def _side(cell: MatrixCell) -> ContradictionSide:
    evidence: Evidence = cell.evidence[0]
    return ContradictionSide(source=cell.source, span=evidence.span, quote=evidence.quote)


def _with_load(
    source: MatrixSource,
    statements: Sequence[MatrixStatement],
    cells: Sequence[MatrixCell],
    width: int,
    names: "_Names",
) -> MatrixSource:
    """The source with how many statements it supports, and how many of them it alone does."""
    if source.number == REPORT:
        return source
    supported = [at for at in range(source.number, len(cells), width) if cells[at].supports]
    alone = sum(
        _supporters(cells[at - source.number : at - source.number + width]) == [source.number]
        for at in supported
    )
    named = (names.shared(source.host, statements[at // width].text) for at in supported)
    return replace(
        source,
        supports=len(supported),
        alone=alone,
        own_page=names.shared(source.host) or next(filter(None, named), ""),
    )


def _supporters(row: Sequence[MatrixCell]) -> list[int]:
    """The numbers of the sources that support a statement; the text itself is none."""
    return [cell.source for cell in row if cell.supports and cell.source != REPORT]


def _load(matrix: Matrix, names: "_Names") -> SourceLoad:
    supported = alone = own = 0
    for statement in matrix.statements:
        numbers = _supporters(matrix.row(statement.number))
        supported += bool(numbers)
        alone += len(numbers) == 1
        hosts = [matrix.sources[number].host for number in numbers]
        own += bool(hosts) and all(names.shared(host, statement.text) for host in hosts)
    return replace(
        matrix.load,
        statements=len(matrix.statements),
        supported=supported,
        on_one_source=alone,
        on_own_pages=own,
        open=sum(cell.basis == "open" for cell in matrix.cells),
    )


def _title(run: Run) -> str:
    """The heading that the text begins with; empty where it begins with a statement."""
    first: Sentence | None = next(iter(run.sentences), None)
    return first.span.of(run.text) if first and first.kind == "structure" else ""


@dataclass(frozen=True, slots=True)
class _Names:
    """What organizations and products are looked for by: names in a title or a statement."""

    title: str

    def shared(self, host: str, statement: str = "") -> str:
        """The name that a host and the title, or else the statement, have; empty without one."""
        owner = _owner(host)
        if len(owner) < _LEAST_NAME:
            return ""
        return _named(owner, self.title) or _named(owner, statement)


def _owner(host: str) -> str:
    """The part of a host that names whose it is: `acme` of `docs.acme.co.uk`."""
    parts = host.lower().split(".")[:-1]
    if len(parts) > 1 and parts[-1] in _SECOND_LEVEL:
        parts = parts[:-1]
    return parts[-1].replace("-", "") if parts else ""


def _named(owner: str, text: str) -> str:
    """The words of the text, the first with a capital, that a host's owner is written like."""
    words = list(_NAME.finditer(text))
    for first, word in enumerate(words):
        if not (word[0][0].isupper() or word[0][0].isdigit()):
            continue
        joined, found = "", ""
        for last in words[first : first + _MOST_WORDS]:
            joined += last[0].lower()
            if len(joined) >= _LEAST_NAME and any(owner == joined + end for end in _SUFFIXES):
                found = text[word.start() : last.end()]
            if not owner.startswith(joined):
                break
        if found:
            return found
    return ""
