"""A batch in the two formats that build servers read: JUnit and SARIF."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from workbench.records import Json, JsonDict, replace_surrogates

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
_CONTROL = {code: " " for code in (*range(32), *range(127, 160)) if code not in (9, 10, 13)}
"""Not allowed in XML 1.0; surrogates are shown as U+FFFD before."""


def write_junit(runs: Iterable[JsonDict], failed: Iterable[JsonDict], path: Path) -> int:
    """How many test cases were written: one a citation, a failure where it is refuted.

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


def write_sarif(runs: Iterable[JsonDict], path: Path, version: str) -> int:
    """How many results were written, one for each citation that is not supported (SARIF 2.1.0).

    Places are `charOffset` and `charLength` in Unicode code points of the output.
    """
    import json

    rules = [
        {"id": name, "shortDescription": {"text": description},
         "defaultConfiguration": {"level": _LEVELS[name]}}
        for name, description in _RULES.items()
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
            for citation in _citations(run):
                if citation["verdict"] in _LEVELS:
                    file.write((",\n" if number else "\n") + json.dumps(_result(run, citation)))
                    number += 1
        file.write("\n]}]}\n")
    return number


def _result(run: Mapping[str, Json], citation: Mapping[str, Json]) -> JsonDict:
    verdict = str(citation["verdict"])
    start, end = citation["start"], citation["end"]
    assert isinstance(start, int) and isinstance(end, int)
    where, _, line = str(run["input"]).rpartition(":")
    uri = where if where and line.isdecimal() else str(run["input"])
    return {
        "ruleId": verdict,
        "level": _LEVELS[verdict],
        "message": {
            "text": f"{replace_surrogates(str(citation['raw']))}: {_RULES[verdict]} {_reason(citation)}"
        },
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri.replace("\\", "/")},
                    "region": {"charOffset": start, "charLength": end - start},
                }
            }
        ],
        "properties": {"run": run["id"], "citation": citation["id"], "input": run["input"]},
    }


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
