"""A batch in the two formats that build servers read: JUnit and SARIF."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from workbench.records.text import Json, JsonDict, replace_surrogates

_LEVELS = {
    "contradicted": "error",
    "not_supported": "error",
    "partially_supported": "warning",
    "unverifiable": "note",
}
_RULES = {
    "contradicted": "The source contradicts the claim.",
    "not_supported": "The source does not say what is claimed.",
    "partially_supported": "The source says only a part of what is claimed.",
    "unverifiable": "The citation could not be checked.",
}
_REFERENCE_LEVELS = {
    "reference-not-found": "error",
    "reference-other-work": "error",
    "reference-differs": "warning",
    "reference-retracted": "error",
}
_REFERENCE_RULES = {
    "reference-not-found": "No index that should have the work of this reference has it.",
    "reference-other-work": "The identifier of this reference belongs to another work.",
    "reference-differs": "The work exists but is described differently.",
    "reference-retracted": "The work was retracted, or there is an expression of concern.",
}
_CONTROL = {
    code: " " for code in (*range(32), *range(127, 160), 0xFFFE, 0xFFFF) if code not in (9, 10, 13)
}
"""Not allowed in XML 1.0; surrogates are shown as U+FFFD before."""


def write_junit(runs: Iterable[JsonDict], failed: Iterable[JsonDict], path: Path) -> int:
    """How many test cases were written: one a citation, and one a reference that was looked up.

    A refuted citation fails, and so does a reference that is not found, another work or retracted.

    Contradicted and unsupported citations fail, unverifiable ones are skipped, an output that could
    not be read is an error. Written run by run, so memory stays small.
    """
    number = 0
    with path.open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="workbench">\n')
        for run in runs:
            cases = list(_cases(run))
            number += len(cases)
            failures = sum("<failure" in case for case in cases)
            skipped = sum("<skipped" in case for case in cases)
            file.write(
                f'  <testsuite name={_attribute(run["input"])} tests="{len(cases)}" '
                f'failures="{failures}" errors="0" skipped="{skipped}">\n'
            )
            file.writelines(f"    {case}\n" for case in cases)
            file.write("  </testsuite>\n")
        for failure in failed:
            number += 1
            file.write(
                f'  <testsuite name={_attribute(failure["input"])} tests="1" failures="0" '
                'errors="1" skipped="0">\n    <testcase classname="workbench" name="read">'
                f"<error message={_attribute(failure['reason'])}/></testcase>\n  </testsuite>\n"
            )
        file.write("</testsuites>\n")
    return number


def _cases(run: Mapping[str, Json]) -> Iterator[str]:
    for citation in _citations(run):
        name = f"{citation['raw']} at {citation['start']}"
        head = f'<testcase classname="citation" name={_attribute(name)}'
        verdict, why = str(citation["verdict"]), _reason(citation)
        if verdict in ("contradicted", "not_supported"):
            message = f"{_RULES[verdict]} {why}"
            what = f"type={_attribute(verdict)} message={_attribute(message)}"
            yield f"{head}><failure {what}/></testcase>"
        elif verdict == "unverifiable":
            yield f"{head}><skipped message={_attribute(why)}/></testcase>"
        else:
            yield f"{head}/>"
    for check in _checks(run):
        if check["status"] == "not_checked" and not _rules_of(check):
            continue
        name = f"{str(check['text'])[:200]} at {check['start']}"
        head = f'<testcase classname="reference" name={_attribute(name)}'
        failed = [rule for rule, level in _rules_of(check) if level == "error"]
        if failed:
            message = f"{_REFERENCE_RULES[failed[0]]} {check['why']}"
            what = f"type={_attribute(failed[0])} message={_attribute(message)}"
            yield f"{head}><failure {what}/></testcase>"
        else:
            yield f"{head}/>"


def write_sarif(runs: Iterable[JsonDict], path: Path, version: str) -> int:
    """How many results were written: what is wrong with citations and references (SARIF 2.1.0).

    One for each citation that is not supported, and for each reference that is not found, another
    work, described otherwise or retracted.

    Places are `charOffset` and `charLength` in Unicode code points of the output.
    """
    import json

    rules = [
        {"id": name, "shortDescription": {"text": description},
         "defaultConfiguration": {"level": {**_LEVELS, **_REFERENCE_LEVELS}[name]}}
        for name, description in {**_RULES, **_REFERENCE_RULES}.items()
    ]  # fmt: skip
    head = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
    }
    tool = {"driver": {"name": "citation-workbench", "version": version, "rules": rules}}
    number = 0
    with path.open("w", encoding="utf-8") as file:
        opening = json.dumps(head)[:-1]
        file.write(
            f'{opening}, "runs": [{{"tool": {json.dumps(tool)}, '
            '"columnKind": "unicodeCodePoints", "results": ['
        )
        for run in runs:
            for result in _results(run):
                file.write((",\n" if number else "\n") + json.dumps(result))
                number += 1
        file.write("\n]}]}\n")
    return number


def _results(run: Mapping[str, Json]) -> Iterator[JsonDict]:
    for citation in _citations(run):
        if citation["verdict"] in _LEVELS:
            yield _result(run, citation)
    for position, check in enumerate(_checks(run)):
        for rule, level in _rules_of(check):
            yield {
                "ruleId": rule,
                "level": level,
                "message": {"text": _reference_message(check, rule)},
                "locations": [_location(run, check)],
                "properties": {"run": run["id"], "reference": position, "input": run["input"]},
            }


def _rules_of(check: Mapping[str, Json]) -> list[tuple[str, str]]:
    """The rules that an entry breaks, each with its level: doubt is less than a retraction."""
    rule, notice = "reference-" + str(check["status"]).replace("_", "-"), check["retraction"]
    rules = [(rule, _REFERENCE_LEVELS[rule])] if rule in _REFERENCE_LEVELS else []
    if isinstance(notice, dict) and notice["kind"] in ("retracted", "concern"):
        rules.append(
            ("reference-retracted", "error" if notice["kind"] == "retracted" else "warning")
        )
    return rules


def _reference_message(check: Mapping[str, Json], rule: str) -> str:
    fields = check["fields"] if rule == "reference-differs" else []
    differing = [
        f"{field['field']}: {field['given']} ↔ {field['found']}"
        for field in (fields if isinstance(fields, list) else [])
        if isinstance(field, dict) and field["agrees"] is False
    ]
    why = "; ".join(differing) or (str(check["why"]) if rule != "reference-retracted" else "")
    return replace_surrogates(f"{_REFERENCE_RULES[rule]} {why}".strip())


def _result(run: Mapping[str, Json], citation: Mapping[str, Json]) -> JsonDict:
    verdict = str(citation["verdict"])
    return {
        "ruleId": verdict,
        "level": _LEVELS[verdict],
        "message": {
            "text": f"{replace_surrogates(str(citation['raw']))}: {_RULES[verdict]} {_reason(citation)}"
        },
        "locations": [_location(run, citation)],
        "properties": {"run": run["id"], "citation": citation["id"], "input": run["input"]},
    }


def _location(run: Mapping[str, Json], spanned: Mapping[str, Json]) -> JsonDict:
    """Where a citation or an entry stands, in code points of the output."""
    start, end = spanned["start"], spanned["end"]
    assert isinstance(start, int) and isinstance(end, int)
    where, _, line = str(run["input"]).rpartition(":")
    uri = where if where and line.isdecimal() else str(run["input"])
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri.replace("\\", "/")},
            "region": {"charOffset": start, "charLength": end - start},
        }
    }


def _checks(run: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """The entries of the reference list; lines of earlier versions have none."""
    checks = run.get("references")
    for check in checks if isinstance(checks, list) else ():
        if isinstance(check, dict):
            yield check


def _citations(run: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """The counted citations; quotes and statistics belong to the markers beside them."""
    citations = run["citations"]
    for citation in citations if isinstance(citations, list) else ():
        if isinstance(citation, dict) and citation["kind"] not in ("quote", "statistic"):
            yield citation


def _reason(citation: Mapping[str, Json]) -> str:
    error, judgment = citation["error"], citation["judgment"]
    if isinstance(error, dict):
        return replace_surrogates(str(error["message"]))
    return replace_surrogates(str(judgment["rationale"])) if isinstance(judgment, dict) else ""


def _attribute(value: Json) -> str:
    return quoteattr(replace_surrogates(str(value)).translate(_CONTROL)[:500])
