import json
from dataclasses import replace

import pytest

from tests.fakes import records as make
from workbench.errors import ERROR_KINDS
from workbench.presentation.citation_card import (
    card_data,
    claim_parts,
    collapse_line_breaks,
    position_label,
    quote_context,
    source_facts,
    split_at,
)
from workbench.presentation.run_totals import figures, legend, outcome_text, state_of
from workbench.presentation.run_view import (
    ReviewState,
    describe_citation,
    document_data,
    headline,
    minimap_data,
    step,
)
from workbench.presentation.verdicts import (
    ERROR_TEXT,
    MARKS,
    SEVERITY,
    STYLES,
    confidence_words,
    counts,
    worst,
)
from workbench.records.review import LabelDecision, active_labels
from workbench.records.text import Span
from workbench.records.verdict import HUMAN_LABELS, Layers
from workbench.services.labels import split_by_reviewer
from workbench.store.labels.repository import LabelRepository
from workbench.store.store import Store


def desk(**fields):
    results = fields.pop("results", (make.result(1), make.failure(2)))
    defaults = {
        "run": make.run(results=results),
        "text": make.TEXT,
        "name": "Bridges",
        "labels": {},
    }
    return ReviewState(**(defaults | fields))


def test_every_label_and_error_has_words_of_its_own():
    assert set(STYLES) == set(MARKS) == set(SEVERITY)
    assert set(ERROR_TEXT) == set(ERROR_KINDS)
    glyphs = [STYLES[mark].glyph for mark in MARKS]
    lines = {(STYLES[mark].glyph, STYLES[mark].line) for mark in MARKS}
    assert len(set(glyphs)) == len(glyphs) == len(lines)
    assert [STYLES[label].key for label in HUMAN_LABELS] == ["1", "2", "3", "4", "5", "0"]


def test_the_gravest_mark_of_a_group_is_shown():
    assert worst(["supported", "contradicted", "unverifiable"]) == "contradicted"
    assert worst([]) == "pending"


@pytest.mark.parametrize(
    ("confidence", "words"),
    [(0.95, "very sure, 0.95"), (0.7, "fairly sure, 0.70"), (0.69, "unsure, 0.69")],
)
def test_confidence_in_words(confidence, words):
    assert confidence_words(confidence) == words


def test_marks_are_counted_in_their_order():
    assert list(counts({"a": "unverifiable", "b": "supported", "c": "supported"}).items()) == [
        ("supported", 2),
        ("unverifiable", 1),
    ]


def test_the_newest_label_of_a_citation_counts():
    older, newer = make.label("l1", "supported"), make.label("l2", "contradicted")
    newer = make.label("l2", "contradicted", created_at=older.created_at.replace(year=2027))
    assert active_labels([newer, older])["c1"].id == "l2"


def test_the_label_of_most_reviewers_counts_however_old_it_is():
    first = make.label("l1", "supported", reviewer="Ada")
    labels = [
        first,
        make.label("l2", "supported", reviewer="Bob"),
        make.label(
            "l3",
            "contradicted",
            reviewer="Zoe",
            created_at=first.created_at.replace(year=2027),
        ),
    ]
    assert active_labels(labels)["c1"].label == "supported"
    # one against one: not adjudicated, so the newest is shown
    assert active_labels([labels[2], first])["c1"].id == "l3"


def test_filters_let_through_by_mark_and_by_review():
    state = desk(labels={"c1": make.label()})
    assert state.order() == ["c1", "c2"]
    assert state.order(["supported"]) == ["c1"]
    assert state.order(["reviewed"]) == ["c1"]
    assert state.order(["unreviewed"]) == ["c2"]
    assert state.order(["supported", "unreviewed"]) == []


def test_quotes_and_statistics_are_passed_over_unless_asked_for():
    aside = make.result(1, citation=make.citation(1, kind="statistic"))
    state = desk(results=(aside, make.result(2)))
    assert state.order() == ["c2"]
    assert state.order(["asides"]) == ["c1"]
    assert state.counts() == {"supported": 1}
    assert position_label(state, "c2") == "1 of 1"
    assert desk(results=(aside,)).order() == ["c1"]


@pytest.mark.parametrize(
    ("position", "step_by", "expected"),
    [
        ("c1", 1, "c3"),
        ("c1", -1, "c1"),
        ("c3", 1, "c3"),
        ("c2", 1, "c3"),
        ("c2", -1, "c1"),
        (None, 1, "c1"),
    ],
)
def test_next_and_previous_stay_inside_the_filter(position, step_by, expected):
    marks = {"c1": "supported", "c2": "unverifiable", "c3": "supported"}
    assert step(["c1", "c3"], marks, position, step_by) == expected


def test_next_of_nothing_is_nothing():
    assert step([], {}, "c1", 1) is None


def test_what_the_browser_gets_is_json_and_holds_the_text():
    state = desk(labels={"c1": make.label()}, pending=frozenset({"c2"}))
    data = document_data(state, 0, "c1", ["supported"])
    assert json.loads(json.dumps(data)) == data
    assert "".join(piece["t"] for piece in data["pieces"]) == make.TEXT
    assert data["marks"]["c1"] == {
        "m": "supported",
        "k": "#",
        "h": "contradicted",
        "d": "Citation [1]: supported; you say contradicted",
        "off": False,
    }
    assert (data["marks"]["c2"]["m"], data["marks"]["c2"]["off"]) == ("pending", True)
    ticks = minimap_data(state, 0, "c1")["ticks"]
    assert [tick[0] for tick in ticks] == ["c1", "c2"]
    assert 0 < ticks[0][1] < ticks[1][1] < 1


def test_lone_surrogates_are_shown_one_for_one():
    text = "a \ud800 b [1]. c [2]."
    state = desk(text=text, results=(make.result(1, citation=make.citation(1, text=text)),))
    joined = "".join(piece["t"] for piece in document_data(state, 0, None)["pieces"])
    assert joined == text.replace("\ud800", "\ufffd")


def test_a_citation_is_described_in_words():
    assert describe_citation(desk(), "c2") == "Citation [2]: unverifiable"


def test_the_headline_is_the_name_or_the_first_words():
    assert headline(desk()) == "Bridges"
    assert headline(desk(name="")) == make.TEXT
    assert headline(desk(name="", text="\n\n# Big head\nx")) == "Big head"
    preamble = "Now I will write the report.\n\n**Plan**\n\n## Bridges of Harrow\n\nText."
    assert headline(desk(name="", text=preamble)) == "Bridges of Harrow"
    assert headline(desk(name="", text="**Bold** start\n#no heading")) == "Bold start"


def test_the_card_holds_the_quote_in_its_surroundings():
    data = card_data(desk(), "c1", make.source())
    (quote,) = data["quotes"]
    assert quote["before"] + quote["quote"] + quote["after"] == make.SOURCE_TEXT
    assert quote["quote"] == "120 metres"
    assert quote["page"] == "page 2"
    assert data["place"] == "1 of 2"
    assert data["facts"]["host"] == "bridge.example"
    assert json.loads(json.dumps(data)) == data


def test_the_card_says_who_judged_and_hides_it_with_the_verdict():
    assert card_data(desk(), "c1", None)["judged_by"]
    assert card_data(desk(hidden=frozenset({"c1"})), "c1", None)["judged_by"] == ""
    assert card_data(desk(), "c2", None)["judged_by"] == ""


def test_the_card_of_a_failure_says_what_and_why():
    data = card_data(desk(), "c2", None)
    assert data["error"]["what"] == "The source did not answer in time"
    assert "10 seconds" in data["error"]["why"]
    assert data["quotes"] == []


def test_the_card_of_a_citation_not_reached_shows_no_error():
    assert card_data(desk(pending=frozenset({"c2"})), "c2", None)["error"] is None


def test_evidence_counts_round():
    assert card_data(desk(), "c1", make.source(), evidence_at=7)["at"] == 0


def test_uncovered_words_of_the_claim_are_marked():
    assert claim_parts(make.result(1)) == [
        ["The ", False],
        ["bridge", True],
        [" is 120 m long ", False],
    ]


@pytest.mark.parametrize(
    ("spans", "parts"),
    [
        ((), [("abcdef", False)]),
        ((Span(0, 6),), [("abcdef", True)]),
        ((Span(4, 9), Span(1, 2)), [("a", False), ("b", True), ("cd", False), ("ef", True)]),
        ((Span(1, 4), Span(2, 3)), [("a", False), ("bcd", True), ("ef", False)]),
    ],
)
def test_text_is_split_without_loss(spans, parts):
    assert split_at("abcdef", spans) == parts


def test_surroundings_are_cut_at_words():
    text = "one two three QUOTE four five six"
    assert quote_context(text, Span(14, 19), 8, 8) == ("… three ", "QUOTE", " four …")
    assert quote_context("QUOTE", Span(0, 5)) == ("", "QUOTE", "")


def test_hard_line_ends_flow():
    assert collapse_line_breaks("of the\n  building\n\nNext") == "of the building\nNext"


def test_only_web_sources_get_a_link():
    assert source_facts(make.source(final_url="javascript:alert(1)"))["address"] is None
    assert source_facts(make.source())["address"] == "https://bridge.example/a"
    assert source_facts(None) is None
    details = source_facts(make.source(status=None, fetched_at=None, truncated=True))
    assert details["facts"] == ["supplied with the run", "2 pages", "cut at the size limit"]


def test_figures_tell_totals_and_errors():
    markup = figures(desk())
    assert "<b>2</b> found" in markup and "<b>1</b> resolved" in markup
    assert "1 The source did not answer in time" in markup
    assert "to be judged" in figures(desk(pending=frozenset({"c2"})))


def test_a_verdict_that_the_judge_is_not_sure_of_is_told_as_such_everywhere():
    judged = make.judgment(sure=False, reason="Most of it is there.", confidence=0.55)
    review = desk(results=(make.result(judgment=judged, judgments=(judged,)), make.failure()))
    assert review.marks["c1"] == "unsure" and review.run.total_unsure == 1
    card = card_data(review, "c1", make.source())
    assert (card["mark"], card["words"]) == ("unsure", "Unsure, leaning supported")
    assert (card["confidence"], card["reason"]) == ("0.55", "Most of it is there.")
    assert "supported, 1 of them unsure" in figures(review)
    sure = desk()
    assert sure.marks["c1"] == "supported" and "unsure" not in figures(sure)


@pytest.mark.parametrize(
    ("labels", "pending", "expected"),
    [
        ({}, (), "1 of 2 supported"),
        ({"c1": "supported"}, (), "1 of 2 supported, 1 decided by people"),
        ({"c1": "contradicted"}, (), "0 of 2 supported, 1 decided by people (1 changed)"),
        ({"c1": "supported", "c2": "supported"}, (), "2 of 2 supported, 2 decided by people (1 changed)"),
        ({"c1": "cannot_tell"}, (), "0 of 2 supported, 1 decided by people (1 changed)"),
        ({}, ("c1",), "0 of 2 supported"),
    ],
)  # fmt: skip
def test_the_outcome_goes_by_what_people_decided(labels, pending, expected):
    given = {name: make.label(name, label, citation_id=name) for name, label in labels.items()}
    state = desk(labels=given, pending=frozenset(pending))
    assert outcome_text(state) == expected
    assert (
        (expected in figures(state)) == ("supported by the judge" in figures(state)) == bool(labels)
    )
    assert "decided by people" not in figures(state, people=False)
    assert "supported by the judge" in figures(state, people=False)


@pytest.mark.parametrize(
    ("results", "fields", "pending", "expected"),
    [
        ((make.result(1),), {}, (), ""),
        ((make.failure(1, "no_source"),), {}, (), "No source was available"),
        (
            (make.failure(1, "cost_cap_reached"), make.result(2)),
            {},
            (),
            "Cost cap: 1 citation",
        ),
        ((make.failure(1, "cancelled"), make.result(2)), {"finished": False}, ("c1",), "Stopped"),
        ((), {}, (), ""),
    ],
)
def test_the_end_of_a_run_is_explained(results, fields, pending, expected):
    review_state = desk(run=make.run(results=results, **fields), pending=frozenset(pending))
    state = state_of(review_state, live=False)
    assert state.startswith(expected) if expected else state == ""
    assert state_of(review_state, live=True) == ""


def test_the_legend_names_every_mark():
    assert all(STYLES[mark].word in legend() for mark in MARKS)


def test_a_reviewer_takes_back_their_own_label_only(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    run = make.run(results=[make.result(1)])
    store.add_run(run, make.TEXT, "Bridges")
    store.finish_run(run)
    labelling = LabelRepository(store)
    for name, label in (("Bob", "supported"), ("Ada", "contradicted"), ("Ada", "supported")):
        labelling.give("r1", "c1", name, LabelDecision(label=label))
    assert LabelRepository(store).withdraw("r1", "c1", "Ada")
    own_labels, others = split_by_reviewer(store.labels("r1"), "Ada")
    assert own_labels["c1"].label == "contradicted"
    assert [(label.reviewer, label.label) for label in others["c1"]] == [("Bob", "supported")]
    assert LabelRepository(store).withdraw("r1", "c1", "Ada")
    assert not LabelRepository(store).withdraw("r1", "c1", "Ada")
    assert [label.reviewer for label in store.labels("r1")] == ["Bob"]


def test_a_card_keeps_the_reviewers_apart():
    ada, bob = make.label("l1", "supported"), make.label("l2", "contradicted", reviewer="Bob")
    gold = make.label("l3", "not_supported", reviewer="Cy", role="adjudication")
    state = desk(labels={"c1": ada}, own_labels={"c1": ada}, others={"c1": (bob, gold)})
    card = card_data(state, "c1", None)
    assert card["label"]["mark"] == "supported"
    assert [(person["by"], person["mark"], person["settles"]) for person in card["people"]] == [
        ("Bob", "contradicted", False),
        ("Cy", "not_supported", True),
    ]
    assert "you say supported" in describe_citation(state, "c1")
    state_of_other = desk(labels={"c1": bob}, others={"c1": (bob,)})
    assert card_data(state_of_other, "c1", None)["label"] is None
    assert "others say contradicted" in describe_citation(state_of_other, "c1")


def test_an_adjudicated_label_stands_before_newer_ones():
    gold = make.label("l1", "not_supported", role="adjudication")
    newer = make.label("l2", "supported", created_at=gold.created_at.replace(year=2028))
    assert active_labels([gold, newer])["c1"].id == "l1"


@pytest.mark.parametrize(
    ("exists", "resolves", "expected"),
    [
        (True, True, ["Source named", True]),
        (False, True, ["Source provided", True]),
        (False, False, ["No source named", False]),
        (True, False, ["Source named", True]),
        (None, None, ["Source not looked for", None]),
        (None, False, ["Source not looked for", None]),
    ],
)
def test_a_source_that_was_provided_counts_for_a_citation_that_names_none(
    exists, resolves, expected
):
    result = replace(make.result(1), layers=Layers(exists=exists, resolves=resolves))
    assert card_data(desk(results=(result,)), "c1", None)["layers"][0] == expected


@pytest.mark.parametrize(
    ("label", "evidence", "derivable", "chip"),
    [
        ("supported", make.judgment().evidence, True, "Quote found"),
        ("contradicted", make.judgment().evidence, False, "Quote does not support it"),
        ("not_supported", (), False, "No quote found"),
        ("not_supported", (), None, "Quote not looked for"),
    ],
)
def test_the_chip_never_denies_a_quote_that_stands_beside_it(label, evidence, derivable, chip):
    judged = make.judgment(label=label, evidence=evidence, sure=False)
    result = make.result(judgment=judged, layers=Layers(exists=True, derivable=derivable))
    data = card_data(desk(results=(result,)), "c1", make.source())
    assert (data["layers"][2][0], bool(data["quotes"])) == (chip, bool(evidence))
