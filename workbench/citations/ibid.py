"""Find marks that point back to an earlier one: `ibid.`, `op. cit.`, `（同上）`."""

import re

from workbench.citations.author_year import author_mark
from workbench.citations.marks import Mark

_PAGES = r"(?:,?\s?(?:at|pp?\.)\s?\d{1,5}(?:[–-]\d{1,5})?)?"
_IBID = re.compile(rf"bid(?<=\b[iI]bid)(?:em)?\b\.?{_PAGES}")
_LOC_CIT = re.compile(r"[lL]oc\. ?cit\.")
_SAME = re.compile(r"(?<=[（(\[【])同上(?:注)?(?:[，,]\s?第?\s?\d{1,4}\s?页)?(?=[）)\]】])")
_OP_CIT = re.compile(rf"(?P<name>[^\W\d_][\w'’-]{{1,30}})(?: et al\.)?,?\s[oO]p\. ?cit\.{_PAGES}")


def find_backward(text: str) -> list[Mark]:
    """Marks of style `ibid` (the mark before) and `op. cit.` (the work of that author)."""
    marks: list[Mark] = []
    if "bid" in text:
        marks.extend(_ibid(text, found.start() - 1, found.end()) for found in _IBID.finditer(text))
    if "oc. cit" in text or "oc.cit" in text:
        marks.extend(_ibid(text, *found.span()) for found in _LOC_CIT.finditer(text))
    if "同上" in text:
        marks.extend(_ibid(text, *found.span()) for found in _SAME.finditer(text))
    if "p. cit" in text or "p.cit" in text:
        for found in _OP_CIT.finditer(text):
            if found["name"][0].isupper():
                marks.append(author_mark(*found.span(), (found["name"],), "", "op cit"))
    return marks


def _ibid(text: str, start: int, end: int) -> Mark:
    return Mark(start, end, "author_year", text[start:end], style="ibid")
