"""The reference panel: who cites what, and who is left over."""

import json
from dataclasses import replace

from tests.fakes import records as make
from workbench.citations import extract
from workbench.presentation.references import references_data, unlisted
from workbench.presentation.run_view import ReviewState
from workbench.records import CitationResult

TEXT = """Rain fell [1]. Wind blew [1], and snow came [4]. A quiet book (Okonjo, 2016).

References
[1] Rain. https://a.example/rain
[2] Wind. https://a.example/wind
[3] Okonjo, A. (2016). A quiet book. Tern Harbor Press.
"""


def panel(selected=None):
    extraction = extract(TEXT)
    results = [
        CitationResult(citation=citation, status="skipped", verdict="unverifiable")
        for citation in extraction.citations
    ]
    run = replace(make.run(results=results, text=TEXT), references=extraction.references)
    desk = ReviewState(run=run, text=TEXT, labels={})
    return desk, references_data(desk, selected)


def test_entries_list_their_citations_and_those_nobody_cites():
    _, data = panel()
    assert json.loads(json.dumps(data)) == data
    cited = [[citation["raw"] for citation in entry["cites"]] for entry in data["entries"]]
    # an entry without an address is cited all the same
    assert cited == [["[1]", "[1]"], [], ["(Okonjo, 2016)"]]
    assert data["uncited"] == 1


def test_citations_that_nobody_lists_say_why():
    desk, data = panel()
    assert [desk.results[name].citation.raw for name in unlisted(desk)] == ["[4]"]
    assert "[4]" in data["unlisted"][0]["why"]


def test_the_entry_of_the_chosen_citation_is_marked():
    _, data = panel("c1")
    assert [entry["here"] for entry in data["entries"]] == [True, False, False]


def test_kinds_are_counted_with_their_signs():
    _, data = panel()
    assert {kind["word"]: kind["number"] for kind in data["kinds"]} == {
        "Numbered citation": 3,
        "Author and year": 1,
    }
