"""Sixteen times the text takes less than twenty times as long, whatever the text is made of.

Run: python tests/bench/bench_extract_linear.py (exit code 1 when one text grows faster).
"""

import sys
import time

from workbench.citations import extract

SMALL = 400
"""Repetitions of the short run; the long run has sixteen times as many."""

PIECES = {
    "open brackets": "[",
    "closed brackets": "]",
    "pairs": "[]",
    "link starts": "[a](",
    "link starts to the web": "[a](http://",
    "open parentheses": "(",
    "closed parentheses": ")",
    "words in open parentheses": "(word ",
    "open years": "(2019",
    "names and years": "Smith (2019) ",
    "straight quotes": '"',
    "straight quotes and words": 'a "b ',
    "curly quotes": "“",
    "schemes": "http://",
    "schemes with commas": "http://,",
    "parentheses in an address": "http://a.b/(",
    "closed parentheses in an address": "http://a.b/)",
    "digits": "1",
    "digits and blanks": "1 ",
    "digits and dots": "10.",
    "DOI starts": "10.1000/",
    "wide ranges": "[1-99]",
    "groups": "[1, 2, 3-9]",
    "dots": ".",
    "dots and blanks": ". ",
    "initials": "A. ",
    "stars": "*",
    "underscores": "_",
    "backticks": "`",
    "fences": "```\n",
    "tags": "<cite ",
    "tags with attributes": '<cite id="1">',
    "carets": "^1^",
    "superscripts": "¹",
    "pipes": "|",
    "table rows": "| a |\n",
    "headings": "# References\n",
    "list heads and labels": "Sources: [1] ",
    "labels": "[1] a\n",
    "footnotes": "[^1]: a\n",
    "entries": "[1] https://a.b/c - d\n",
    "bullets": "- a\n",
    "carriage returns": "word\r",
    "hard wrapped words": "word word word word word word word word word word\n",
    "blank lines": "\n",
    "blanks": " ",
    "tabs": "\t",
    "versus": " v. ",
    "reporters": "410 U.S. 113 ",
    "volumes": "410 A. B. ",
    "ids": "Id. ",
    "ibids": "ibid. ",
    "Chinese full stops": "。",
    "Chinese years": "王（2019）",
    "equals signs": "p=",
    "at signs": "[@a;",
    "commands": "\\cite{",
    "percent signs": "1% [1] ",
    "surrogates": "\ud800",
    "combining marks": "e\u0301",
    "cited headings": "# a\n\nb [1].\n\n",
    "cited items": "- a [1]\n",
    "cited items of a list": "  - a [1]\n",
    "cited rows": "| a | b [1] |\n",
    "cited cells": "| a [1] ",
    "cited parts": "rain fell [1] and ",
    "cited Chinese headings": "一、雨\n\n下雨了[1]\n",
}


def seconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        extract(text)
        best = min(best, time.process_time() - begun)
    return best


def main() -> int:
    """Print the growth of each text; 1 when one takes twenty times as long or more."""
    grown = []
    for name, piece in PIECES.items():
        short, long = seconds(piece * SMALL), seconds(piece * SMALL * 16)
        growth = long / max(short, 0.002)
        grown.append(growth)
        print(f"{name:<34} {short * 1000:>8.2f} ms {long * 1000:>9.2f} ms  x {growth:.1f}")
    print(f"worst growth for 16 times the text: x {max(grown):.1f}")
    return int(max(grown) >= 20)


if __name__ == "__main__":
    sys.exit(main())
