"""The References view as pure data: what is said of each entry, and what is marked in it."""

import json
from dataclasses import replace

import pytest

from tests.fakes import records as make
from tests.fakes.looked_up import TEXT, looked_up_run, unchecked_run
from workbench.citations import extract
from workbench.presentation.reference_card import doi_address, entry_card_data
from workbench.presentation.reference_list import (
    PAGE_SIZE,
    differing_words,
    entry_filters,
    entry_list,
    list_data,
    list_facts,
    page_of,
    split_marked,
    step_entry,
    view_label,
)
from workbench.presentation.reference_styles import (
    DECISIONS,
    FINDINGS,
    NOTICES,
    finding_style,
    likelihood,
)
from workbench.presentation.run_view import ReviewState
from workbench.presentation.verdicts import STYLES
from workbench.records.bibliography import (
    REFERENCE_STATUSES,
    RETRACTION_KINDS,
    FieldComparison,
    IndexAnswer,
    ReferenceCheck,
    ReferenceEntry,
    RetractionNotice,
)
from workbench.records.citation import Reference
from workbench.records.reference_labels import REFERENCE_DECISIONS, EntryLabel
from workbench.records.text import Span
from workbench.records.verdict import CitationResult
from workbench.services.references.checking import corrected_reference, with_spans

CITED = """Rain fell [1]. Wind blew [1], and snow came [4]. A quiet book (Okonjo, 2016).

References
[1] Rain. https://a.example/rain
[2] Wind. https://a.example/wind
[3] Okonjo, A. (2016). A quiet book. Tern Harbor Press.
"""


def review_of(run, text):
    return ReviewState(run=run, text=text, labels={})


def page(run, text=TEXT, shown="all", selected=None, decided=None, number=0):
    entries = entry_list(run)
    data = list_data(
        entries, review_of(run, text), shown, selected, decided or {}, number, with_spans
    )
    assert json.loads(json.dumps(data)) == data
    return data


def card(run, position, text=TEXT, **fields):
    check = entry_list(run).check(position)
    data = entry_card_data(
        entry_list(run),
        review_of(run, text),
        position,
        with_spans=with_spans,
        corrected=corrected_reference(check) if check else None,
        **fields,
    )
    assert json.loads(json.dumps(data)) == data
    return data


def marked(pieces):
    return [text for text, differs in pieces if differs]


def run_with(check, **fields):
    reference = Reference(
        label=check.label, title="", text=check.text, span=check.span, target=None
    )
    return replace(
        make.run("one", [], check.text),
        references=(reference,),
        reference_checks=(check,),
        **fields,
    )


def case_check(**fields):
    text = "Ito v. Harbor Board, 512 F.2d 81 (9th Cir. 1975)."
    defaults = {
        "label": None, "span": Span(0, len(text)), "text": text,
        "entry": ReferenceEntry(title="Ito v. Harbor Board", type="legal_case"),
        "status": "differs",
        "fields": (FieldComparison(
            field="case_name", entry_value="Ito v. Harbor Board",
            record_value="Ito v. Harbor Pilots", agrees=False,
            why="The case at 512 F.2d 81 is Ito v. Harbor Pilots."),),
    }  # fmt: skip
    return ReferenceCheck(**(defaults | fields))


# -- words --------------------------------------------------------------------------------------


def test_every_finding_has_a_glyph_and_words_of_its_own():
    assert set(FINDINGS) == set(REFERENCE_STATUSES)
    assert set(NOTICES) == set(RETRACTION_KINDS)
    assert set(DECISIONS) == set(REFERENCE_DECISIONS)
    for styles in (FINDINGS, NOTICES, DECISIONS):
        assert len({style.word for style in styles.values()}) == len(styles)
    glyphs = [style.glyph for style in FINDINGS.values()]
    assert len(set(glyphs)) == len(glyphs)
    # whether a work exists and whether it supports a claim are two questions
    verdicts = {STYLES[mark].glyph for mark in ("supported", "not_supported", "contradicted")}
    assert verdicts.isdisjoint(glyphs)


def test_no_finding_accuses():
    words = json.dumps([style.word + style.meaning for style in FINDINGS.values()]).lower()
    assert not any(word in words for word in ("fake", "halluc", "invent", "fabricat"))


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (0.823, "82 % likely to exist"),
        (0.9999, "over 99 % likely to exist"),
        (0.004, "under 1 % likely to exist"),
        (None, ""),
    ],
)
def test_a_probability_is_said_and_never_rounded_to_certainty(score, words):
    assert likelihood(score) == words


# -- the list -----------------------------------------------------------------------------------


def test_each_entry_says_what_was_found():
    run = looked_up_run()
    words = [entry["finding"]["word"] for entry in page(run)["entries"]]
    assert words == [
        "Matches its record",
        "Described differently",
        "Another work has this identifier",
        "Not found in the indexes asked",
        "Matches its record",
    ]
    assert [entry["notice"] and entry["notice"]["word"] for entry in page(run)["entries"]] == [
        None, None, None, None, "Retracted",
    ]  # fmt: skip
    assert view_label(entry_list(run)) == "References 5 · 4 problems"


def test_what_differs_is_marked_in_the_entry():
    entries = page(looked_up_run())["entries"]
    assert [marked(entry["pieces"]) for entry in entries] == [
        [], ["2014"], ["10.5555/ps.2015.0099"], ["10.5555/jqw.2019.0301"], [],
    ]  # fmt: skip
    assert "".join(text for text, _ in entries[1]["pieces"]).startswith("Osei, K.")


def test_filters_count_and_choose():
    run = looked_up_run()
    entries = entry_list(run)
    decided = {0: label("exists", position=0)}
    assert entry_filters(entries, decided) == {
        "all": 5, "problems": 4, "matches": 2, "differs": 1, "other_work": 1, "not_found": 1,
        "notices": 1, "undecided": 4,
    }  # fmt: skip
    assert entries.order("problems", {}) == (1, 2, 3, 4)
    assert entries.order("undecided", decided) == (1, 2, 3, 4)
    assert [entry["index"] for entry in page(run, shown="notices")["entries"]] == [4]


def test_a_correction_is_no_problem_and_a_concern_is():
    counts = {}
    for kind in RETRACTION_KINDS:
        notice = RetractionNotice(kind=kind)
        check = case_check(status="matches", fields=(), retraction=notice)
        counts[kind] = len(entry_list(run_with(check)).matching["problems"])
    assert counts == {"retracted": 1, "concern": 1, "corrected": 0}


def test_a_run_that_nobody_looked_up_has_its_list_and_one_filter():
    run = unchecked_run()
    data = page(run)
    assert [entry["finding"] for entry in data["entries"]] == [None] * 5
    assert entry_filters(entry_list(run), {}) == {"all": 5}
    assert view_label(entry_list(run)) == "References 5"


def test_entries_list_their_citations_and_those_nobody_cites():
    extraction = extract(CITED)
    results = [
        CitationResult(citation=citation, status="skipped", verdict="unverifiable")
        for citation in extraction.citations
    ]
    run = replace(make.run(results=results, text=CITED), references=extraction.references)
    data = page(run, CITED)
    cited = [[citation["raw"] for citation in entry["cites"]] for entry in data["entries"]]
    # an entry without an address is cited all the same
    assert cited == [["[1]", "[1]"], [], ["(Okonjo, 2016)"]]
    assert list_facts(entry_list(run)) == "1 never cited · 1 citation missing from the list"
    (left,) = data["unlisted"]
    assert left["raw"] == "[4]"
    assert "[4]" in left["why"]


def test_a_long_list_comes_in_pages():
    run = looked_up_run()
    many = replace(
        run,
        references=run.references * 30,
        reference_checks=run.reference_checks * 30,
    )
    data = page(many, number=2)
    assert (data["pages"], data["page"], data["where"]) == (3, 2, "101–150 of 150")
    assert [entry["index"] for entry in data["entries"]] == list(range(100, 150))
    assert page(many, number=99)["page"] == 2
    assert page_of(range(150), PAGE_SIZE + 1) == 1


def test_next_and_previous_stay_within_the_filter():
    order = (1, 4, 7)
    assert [step_entry(order, at, 1) for at in (1, 7, 5, 0, None)] == [4, 7, 7, 1, 1]
    assert [step_entry(order, at, -1) for at in (4, 1, 5)] == [1, 1, 4]
    assert step_entry((), 3, 1) is None


# -- the card -----------------------------------------------------------------------------------


def label(decision, position=1, **fields):
    defaults = {
        "id": "e", "run_id": "looked", "position": position, "decision": decision,
        "reviewer": "Ada", "created_at": make.MOMENT,
    }  # fmt: skip
    return EntryLabel(**(defaults | fields))


def test_entry_and_record_stand_side_by_side_what_differs_first():
    data = card(looked_up_run(), 1)
    year = data["fields"][0]
    assert (year["name"], year["state"]) == ("Year", "differs")
    assert (year["entry"], year["record"]) == ([["2014", True]], [["2012", True]])
    assert year["why"]
    assert {field["state"] for field in data["fields"][1:]} == {"agrees"}
    assert data["record"] == {
        "from": "mine.json",
        "title": "Moths at the harbor lamps",
        "address": "https://doi.org/10.5555/ne.2012.0070",
        "shown": "10.5555/ne.2012.0070",
    }
    assert data["likely"].endswith("likely to exist")
    assert "not proof" in data["lead"]


def test_the_corrected_entry_keeps_the_style_and_marks_what_changed():
    data = card(looked_up_run(), 1)
    assert data["corrected"]["text"].startswith("[2] Osei, K., & Brandt, L. (2012). Moths")
    assert marked(data["corrected"]["pieces"]) == ["2012"]
    assert card(looked_up_run(), 0)["corrected"] is None


def test_who_was_asked_which_words_and_when():
    answers = (
        IndexAnswer(name="crossref", answer="none", question="Ito harbor", why="It returned others.",
                    asked_at="2026-05-04T03:02:01+00:00"),
        IndexAnswer(name="registry:mine.bib", answer="match"),
        IndexAnswer(name="dblp", answer="not_asked", covers=False, why="Holds computer science."),
        IndexAnswer(name="openalex", answer="error", why="It answered 429."),
    )  # fmt: skip
    data = card(run_with(case_check(indexes=answers)), 0, text=case_check().text)
    assert [(item["name"], item["words"]) for item in data["indexes"]] == [
        ("Crossref", "has no such work"),
        ("mine.bib", "has a record"),
        ("DBLP", "not asked: does not cover it"),
        ("OpenAlex", "did not answer"),
    ]
    crossref = data["indexes"][0]
    assert (crossref["question"], crossref["when"]) == ("Ito harbor", "2026-05-04 03:02")
    assert [item["local"] for item in data["indexes"]] == [False, True, False, False]


def test_a_court_decision_shows_both_names():
    check = case_check()
    assert finding_style(check).word == "The case name differs"
    data = card(run_with(check), 0, text=check.text)
    (name,) = data["fields"]
    assert marked(name["entry"]) == ["Board"]
    assert marked(name["record"]) == ["Pilots"]
    # a case has no calibrated probability
    assert data["likely"] == ""
    assert marked(data["text"]) == ["Ito v. Harbor Board"]


def test_a_retraction_says_when_and_where():
    notice = card(looked_up_run(), 4)["notice"]
    assert notice["word"] == "Retracted"
    assert notice["facts"] == "2020-06-01, says Retraction Watch"
    assert notice["address"] == "https://doi.org/10.5555/jqw.2020.0001"


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", '10.1/x" onclick=', "file:///etc/passwd", "", None]
)
def test_only_web_addresses_are_followed(address):
    assert doi_address(address) is None
    record = {"title": "T", "URL": address or "", "DOI": address or ""}
    check = case_check(record=record, retraction=RetractionNotice(kind="retracted", notice=address))
    data = card(run_with(check), 0, text=check.text)
    assert data["record"]["address"] is None
    assert data["notice"]["address"] is None


def test_decisions_are_shown_with_their_reasons():
    own = label("exists", reason="exists_elsewhere", note="In my shelf.")
    other = label("fabricated", reason="fabricated", reviewer="Bo")
    data = card(looked_up_run(), 1, own_label=own, others=(other,))
    assert (data["label"]["word"], data["label"]["reason"]) == (
        "The work exists",
        "exists elsewhere",
    )
    assert data["label"]["note"] == "In my shelf."
    assert [(person["by"], person["word"]) for person in data["people"]] == [("Bo", "Fabricated")]


def test_an_entry_that_nobody_looked_up_says_what_to_do():
    data = card(unchecked_run(), 0)
    assert data["finding"] is None
    assert "Check references" in data["why"]


# -- marks --------------------------------------------------------------------------------------


def test_marked_pieces_join_to_the_text():
    text = "abcdef"
    pieces = split_marked(text, [Span(1, 3), Span(2, 4), Span(5, 9)])
    assert pieces == [["a", False], ["bc", True], ["d", True], ["e", False], ["f", True]]
    assert split_marked("", []) == [["", False]]


def test_words_that_differ_are_found_in_any_script():
    def words(first, second):
        left, right = differing_words(first, second)
        return [span.of(first) for span in left], [span.of(second) for span in right]

    assert words("Seeds in cool dark", "Seeds in Cold dark") == (["cool"], ["Cold"])
    assert words("城市公交电动化", "城市地铁电动化") == (["公交"], ["地铁"])
    assert words("2014", "") == ([], [])
