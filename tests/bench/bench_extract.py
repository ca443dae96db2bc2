"""Extraction: its speed, its growth with the text, and what it finds compared with a plain extractor.

    python tests/bench/bench_extract.py [FILE.jsonl | FILE.txt]

The plain extractor is four regular expressions (number, author and year, URL, DOI) with 200
characters of context, overlaps dropped by comparing each match with all before it. Without a file
the texts are made here; the reports of `../shared/data` are taken where they are present.
"""

import json
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from workbench.citations import extract  # noqa: E402

SHARED = ROOT.parent / "shared" / "data" / "deep_research_reports.jsonl"
PLAIN = [
    re.compile(r"\[(\d{1,3})\]"),
    re.compile(r"\(([A-Z][A-Za-z'-]+(?: et al\.)?(?: (?:and|&) [A-Z][A-Za-z'-]+)?),? (\d{4})\)"),
    re.compile(r"https?://[^\s<>\"')\]]+"),
    re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+"),
]
WORDS = (
    "the a of in rain region report study shows that people number growth energy market since "
    "increased decreased between countries level result analysis effect treatment patients policy "
    "data which are were was by from with for under over many most large small early late health"
).split(" ")
LEGAL = (
    "The Court in Roe v. Wade, 410 U.S. 113, 120 (1973), held that the statute was void. "
    "Id. at 125. See also Brown v. Board of Education, 347 U.S. 483 (1954); 42 U.S.C. § 1983. "
)


def plain(text: str) -> list[tuple[int, int, str]]:
    """What four patterns find, each match compared with all before it."""
    matches: list[tuple[int, int, str]] = []
    for pattern in PLAIN:
        for match in pattern.finditer(text):
            if not any(match.start() < end and start < match.end() for start, end, _ in matches):
                context = text[max(0, match.start() - 200) : match.end() + 200]
                matches.append((match.start(), match.end(), context))
    return matches


def report(seed: int, sentences: int = 200) -> str:
    """A report with marks and a reference list, made of common words."""
    pick = random.Random(seed)
    parts = []
    for number in range(sentences):
        words = [pick.choice(WORDS) for _ in range(pick.randint(12, 28))]
        mark = f" [{pick.randint(1, 30)}]" if pick.random() < 0.6 else ""
        parts.append(f"{' '.join(words).capitalize()} by {pick.randint(2, 90)} percent{mark}.")
        if number % 5 == 4:
            parts.append("\n\n" + ("## Part of the report\n\n" if number % 25 == 24 else ""))
    entries = [f"[{n}] https://example.org/{seed}/{n} - Page number {n}" for n in range(1, 31)]
    return " ".join(parts) + "\n\n## References\n" + "\n".join(entries) + "\n"


def best(run: Callable[[str], object], text: str, times: int = 3) -> float:
    """Least processor seconds of several runs."""
    seconds = []
    for _ in range(times):
        begun = time.process_time()
        run(text)
        seconds.append(time.process_time() - begun)
    return min(seconds)


def read(path: Path) -> list[str]:
    """The texts of a file: one, or one a line under `article`, `text` or `answer_string`."""
    if path.suffix != ".jsonl":
        return [path.read_text("utf-8")]
    texts = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if "answers" in row:
            for answer in row["answers"].values():
                texts.append(
                    answer["answer_string"] + "\n\n" + "\n".join(answer.get("attribution", []))
                )
        else:
            texts.append(row.get("article") or row.get("text") or "")
    return texts


def speed(name: str, texts: list[str]) -> None:
    """Print megabytes a second of ours and of the plain extractor on the same texts."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    ours_seconds = sum(best(extract, text) for text in texts)
    plain_seconds = sum(best(plain, text) for text in texts)
    extractions = [extract(text) for text in texts]
    linked = sum(c.target is not None for extraction in extractions for c in extraction.citations)
    count = sum(len(extraction.citations) for extraction in extractions)
    claims = sum(len(extraction.claims) for extraction in extractions)
    print(
        f"{name:28} {size:6.2f} MB  ours {size / ours_seconds:6.2f} MB/s  plain {size / plain_seconds:6.2f} MB/s"
        f"  ({ours_seconds / plain_seconds:5.2f} x its time)  {count} citations, {linked} linked, {claims} claims;"
        f" plain {sum(len(plain(text)) for text in texts)}, 0 linked, no claims"
    )


def growth(name: str, piece: str, times: int) -> None:
    """Print how the time grows when the text is made sixteen times as long."""
    small, large = piece * times, piece * times * 16
    ours_growth = best(extract, large) / max(best(extract, small), 1e-4)
    plain_growth = "-"
    if len(large) < 400_000:
        plain_growth = f"{best(plain, large, 1) / max(best(plain, small, 1), 1e-4):7.1f}"
    print(f"{name:28} 16 x the text: ours {ours_growth:5.1f} x the time, plain {plain_growth} x")


def main() -> None:
    """Print speed and growth."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED
    extract(LEGAL)  # the legal library is loaded once
    if folder.exists():
        texts = read(folder)
        speed(folder.name, texts)
        half = len(texts) // 2
        if folder == SHARED:
            speed("  its English half", texts[half:])
            speed("  its Chinese half", texts[:half])
    elif len(sys.argv) > 1:
        raise SystemExit(f"{folder} does not exist: name a .jsonl or .txt file, or none.")
    speed("made reports", [report(seed) for seed in range(20)])
    speed("dense legal text", [LEGAL * 60])
    growth("made report", report(1), 1)
    for name, piece in (
        ("brackets", "["),
        ("marks", "Rain fell [1]. "),
        ("parentheses", "(word "),
        ("quotes", 'a "b '),
        ("http:// runs", "http://"),
        ("digits", "1 "),
        ("names", "Smith (2019) "),
    ):
        growth(name, piece, 625)


if __name__ == "__main__":
    main()
