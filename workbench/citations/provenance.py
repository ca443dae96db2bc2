"""Find provenance written as `file:path:line`, `memory:id`, `git:sha`, `web:url` or `guess`."""

import re

from workbench.citations import patterns
from workbench.citations.marks import Mark
from workbench.citations.url_finder import url_end
from workbench.records import Target

_WEB = re.compile(r"web:(?=https?://)")
_GUESS = re.compile(
    r"(?:\b(?:source|provenance|evidence|来源|出处)[\"'*_`]{0,3}\s?[:=：]\s?[\"'*_`]{0,3}|(?<=[\[(（【]))"
    r"(guess)(?=[\"'*_`\])）】.,;\s]|\Z)",
    re.IGNORECASE,
)


def find_provenance(text: str) -> list[Mark]:
    """Provenance marks, each with where it points; a `guess` points at nothing but itself."""
    marks: list[Mark] = []
    if "file:" in text or "memory:" in text or "git:" in text:
        marks.extend(
            _mark(*found.span(), provenance_target(found))
            for found in patterns.PROVENANCE.finditer(text)
        )
    if "web:http" in text:
        for found in _WEB.finditer(text):
            url = patterns.URL.match(text, found.end())
            if url:
                end = url_end(text, url.start(), url.end())
                target = Target(form="url", value=text[url.start() : end])
                marks.append(_mark(found.start(), end, target))
    marks = [mark for mark in marks if not (mark.start and _glued(text[mark.start - 1]))]
    if "guess" in text or "Guess" in text:
        marks.extend(
            _mark(*found.span(1), Target(form="guess", value="guess"))
            for found in _GUESS.finditer(text)
        )
    return marks


def provenance_target(found: re.Match[str]) -> Target:
    """Where a match of `patterns.PROVENANCE` points."""
    if found["line"]:
        return Target(form="file", value=f"{found['path']}:{found['line']}")
    if found["sha"]:
        return Target(form="git", value=found["sha"])
    return Target(form="memory", value=found["id"])


def _mark(start: int, end: int, target: Target) -> Mark:
    prefix = "" if target.form == "guess" else {"url": "web:"}.get(target.form, f"{target.form}:")
    return Mark(start, end, "provenance", prefix + target.value, target)


def _glued(before: str) -> bool:
    """Whether the character before makes the prefix the end of a longer word."""
    return before.isalnum() or before in "_/.-:"
