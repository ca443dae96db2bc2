"""Inputs with the trait of a public bug report, and whether each is handled right.

    python tests/bench/reported_cases.py [FOLDER]

The folder (default `../shared/cases`) has one folder a case. Each check here is a function of that
folder that returns whether the value is right; it reads files as the command line does.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from workbench import check_references, read_output, verify  # noqa: E402
from workbench.__main__ import main as command  # noqa: E402
from workbench.citations import extract  # noqa: E402
from workbench.records.citation import Extraction  # noqa: E402
from workbench.records.verdict import CitationResult, Run  # noqa: E402

FOLDER = ROOT.parent / "shared" / "cases"


def extracted(path: Path) -> Extraction:
    """What a file cites."""
    read = read_output(path)
    return extract(read) if isinstance(read, str) else read


def checked(folder: Path, answer: str = "answer.md") -> Run:
    """The run over an answer with the sources beside it."""
    sources = folder / "src"
    given = sources if sources.is_dir() else json.loads((folder / "src.json").read_text("utf-8"))
    return verify(read_output(folder / answer), sources=given)


def marks(run: Run) -> list[CitationResult]:
    """The results of the marks, without the statistics and quotations beside them."""
    return [r for r in run.citations if r.citation.kind not in ("statistic", "quote")]


def verdicts(folder: Path) -> list[str]:
    return [result.verdict for result in marks(checked(folder))]


def quotes(run: Run) -> list[str]:
    return [
        " ".join(piece.quote for piece in result.judgment.evidence) if result.judgment else ""
        for result in marks(run)
    ]


def statuses(folder: Path, name: str) -> list[str]:
    """The status of each entry of a list, asked of the registry beside it."""
    report = check_references(folder / name, registry=folder / "reg.json")
    return [check.status for check in report.checks]


def identifiers(path: Path) -> list[str]:
    return [citation.identifier for citation in extracted(path).citations]


def kinds(path: Path) -> list[str]:
    return [citation.kind for citation in extracted(path).citations]


def clean(path: Path, *signs: str) -> bool:
    """Whether no claim of a file holds one of these."""
    return not any(sign in claim.text for claim in extracted(path).claims for sign in signs)


def bad_byte(folder: Path) -> bool:
    run = checked(folder)
    fine = all(result.verdict == "supported" for result in marks(run))
    return fine and all("café" in quote for quote in quotes(run))


def raised(folder: Path) -> bool:
    found = verdicts(folder)
    return found[0] == "supported" and "supported" not in (found[1], found[3])


def broken_identifiers(folder: Path) -> bool:
    whole = {r.doi for r in extracted(folder / "list.md").references}
    return (
        statuses(folder, "list.pdf") == ["matches"] * 4
        and len(whole) == 4
        and {r.doi for r in extracted(folder / "list.pdf").references} == whole
    )


def raised_numbers(folder: Path) -> bool:
    def right(name: str) -> bool:
        found = [c for c in extracted(folder / name).citations if c.kind == "numbered"]
        # an entry without an address is linked by its place in the list
        linked = [(c.identifier, c.reference) for c in found]
        return linked == [("1", 0), ("2", 1), ("3", 2), ("4", 3)]

    return all(map(right, ("paper.pdf", "paper.md", "paren.md")))


def native_shapes(folder: Path) -> bool:
    for name in ("cohere.json", "mistral.json", "azure.json"):
        try:
            if not extracted(folder / name).citations:
                return False
        except Exception as error:  # a shape that is refused in a sentence is right, too
            if type(error).__name__ not in ("UnreadableInput", "UsageError"):
                return False
    return True


def rag_marks(folder: Path) -> bool:
    found = [identifiers(folder / f"{name}.md") for name in "abcd"]
    counted = [len(group) for group in found] == [3, 2, 2, len(found[3])] and len(found[3]) >= 1
    named = found[0] == ["2", "0", "3"] and found[1] == ["2", "0"]
    return (
        counted
        and named
        and all(clean(folder / f"{n}.md", "ID:", "##", "web:", "<co", "[", "$$") for n in "abcd")
    )


def chat_marks(folder: Path) -> bool:
    counted = all(len(identifiers(folder / f"{name}.md")) == 1 for name in "abcdef")
    return counted and all(clean(folder / f"{name}.md", "cite", "【", "†") for name in "abcdef")


def star_pages(folder: Path) -> bool:
    first = identifiers(folder / "a.md")
    return (
        len(first) == 1 and "135 Mass. 147" in first[0] and len(identifiers(folder / "b.md")) == 2
    )


def other_languages(folder: Path) -> bool:
    return not any("case_law" in kinds(folder / f"{name}.md") for name in "abcd")


def dashes(folder: Path) -> bool:
    names = ("list", "hyphens", "underscores", "names")
    return all(statuses(folder, f"{name}.md") == ["matches"] * 3 for name in names)


def groups(folder: Path) -> bool:
    names = ("a.md", "b.md", "c.md", "d.bib")
    return all(set(statuses(folder, name)) == {"matches"} for name in names)


def transliterated(folder: Path) -> bool:
    found = statuses(folder, "a.md")
    return all(found[i] == "matches" for i in (0, 1, 2, 5)) and "other_work" not in found


def replies(folder: Path) -> bool:
    return "matches" not in statuses(folder, "a.md")


def label_studio(folder: Path) -> bool:
    with tempfile.TemporaryDirectory() as place, redirect_stdout(StringIO()) as out:
        with redirect_stderr(StringIO()):
            database = str(Path(place) / "w.duckdb")
            command(["import", "label-studio", str(folder / "a.json"), "--json", "--db", database])
            result = json.loads(out.getvalue())
            command(["export", "csv", "--out", f"{place}/o.csv", "--json", "--db", database])
        rows = (Path(place) / "o.csv").read_text("utf-8-sig")
    both = "The pier is 80 m long." in rows and "The pier is red." in rows
    return both and result["imported"] == 2 and bool(result["skipped"])


def reports(folder: Path) -> bool:
    from xml.etree import ElementTree

    with tempfile.TemporaryDirectory() as place, redirect_stdout(StringIO()):
        with redirect_stderr(StringIO()):
            junit, sarif = Path(place) / "j.xml", Path(place) / "s.sarif"
            command(
                ["batch", str(folder / "a.md"), "--sources", str(folder / "src.json"), "--out",
                 f"{place}/out", "--junit", str(junit), "--sarif", str(sarif),
                 "--db", f"{place}/w.duckdb"]
            )  # fmt: skip
        ElementTree.parse(junit)
        unit = json.loads(sarif.read_text("utf-8"))["runs"][0]["columnKind"]
    return unit in ("unicodeCodePoints", "utf16CodeUnits")


def unlisted(folder: Path) -> bool:
    third = [c for c in extracted(folder / "a.json").citations if c.identifier == "3"]
    return bool(third) and all(c.target is None and c.unlinked for c in third)


CHECKS: dict[str, Callable[[Path], bool]] = {
    "01_bad_byte": bad_byte,
    "02_sup_sub": raised,
    "04_pull_quote": lambda f: all("ever fallen" in quote for quote in quotes(checked(f))),
    "05_list_in_cell": lambda f: set(verdicts(f)) == {"supported"},
    "06_comments": lambda f: verdicts(f)[0] == "supported" != verdicts(f)[1],
    "07_doi_line_break": broken_identifiers,
    "08_entry_over_page": lambda f: statuses(f, "list.pdf") == ["matches"] * 12,
    "09_raised_callouts": raised_numbers,
    "10_glued_words": lambda f: set(verdicts(f)) <= {"supported", "unverifiable"},
    "11_three_em_dash": dashes,
    "12_group_author": groups,
    "13_latex_names": lambda f: set(statuses(f, "a.bib")) == {"matches"},
    "14_transliteration": transliterated,
    "16_reply_to": replies,
    "17_bib_comma": lambda f: statuses(f, "a.bib") == ["matches"] * 3,
    "18_nested_quotes": lambda f: statuses(f, "a.md") == ["matches"] * 2,
    "19_same_title": lambda f: statuses(f, "a.md") == ["matches"],
    "20_cohere_mistral": native_shapes,
    "21_gemini_bytes": lambda f: (
        [(c.span.start, c.span.end) for c in extracted(f / "a.json").citations]
        == [(19, 21), (59, 75)]
    ),
    "22_grok_marks": lambda f: (
        identifiers(f / "a.md") == ["3", "17"] and clean(f / "a.md", "<", "{", "render")
    ),
    "23_rag_marks": rag_marks,
    "24_openai_marks": chat_marks,
    "25_star_page": star_pages,
    "27_abs_reporter": other_languages,
    "28_sign": lambda f: "supported" not in verdicts(f)[:4] and verdicts(f)[4] == "supported",
    "29_unit": lambda f: "supported" not in verdicts(f)[:6] and verdicts(f)[6] == "supported",
    "31_ls_empty": label_studio,
    "33_junit_control": reports,
    "34_more_marks": unlisted,
}


def outcomes(folder: Path) -> dict[str, str]:
    """`right`, `wrong`, or the error that a case raised, by case."""
    found = {}
    for name, check in CHECKS.items():
        try:
            found[name] = "right" if check(folder / name) else "wrong"
        except Exception as error:  # a crash is a wrong answer, and the next case is still asked
            found[name] = f"{type(error).__name__}: {error}"
    return found


def main() -> int:
    """Print each case; 1 where one is wrong."""
    found = outcomes(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
    for name, outcome in found.items():
        print(f"{name:24} {outcome}")
    right = sum(outcome == "right" for outcome in found.values())
    print(f"{right} of {len(found)} right")
    return int(right < len(found))


if __name__ == "__main__":
    sys.exit(main())
