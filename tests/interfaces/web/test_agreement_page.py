"""Agreement: what it says of labels, and where its numbers lead."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.fakes import records as make
from tests.fakes.app_page import cell_texts, component, open_page
from tests.fakes.desk import Clock, fill
from tests.fakes.reference_lists import add_list, check
from workbench.interfaces.web.filters import filter_of
from workbench.interfaces.web.trust.agreement_tables import confusion_table
from workbench.records.review import LabelDecision
from workbench.records.text import Span
from workbench.records.verdict import Evidence
from workbench.services.calibration.agreement import LabelSelection, agreement_report
from workbench.store.bibliography.labels import EntryLabelRepository
from workbench.store.labels.agreement import AgreementQueries
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.items import CitationQuery

APP = Path(__file__).parents[3] / "app.py"


def agreement_page(**params):
    return open_page("trust", agreement="true", **params)


def label(store, reviewer, item, value, **fields):
    number = len(store.all_labels()) + len(store.label_history("r1", item))
    defaults = {"created_at": datetime.now(UTC) + timedelta(milliseconds=number)}
    store.add_label(
        make.label(f"{reviewer}-{item}-{number}", value, citation_id=item, reviewer=reviewer,
                   **(defaults | fields))
    )  # fmt: skip


@pytest.fixture
def labelled_twice(store):
    """Ada and Bob on c0 to c4; they differ on c3 and c4, and Zoe has settled c4."""
    for run in ("r0", "r1"):
        fill(store, 6, run)
    for number, (ada, bob) in enumerate(
        [
            ("supported", "supported"),
            ("supported", "supported"),
            ("contradicted", "contradicted"),
            ("supported", "contradicted"),
            ("supported", "not_supported"),
        ]
    ):
        label(store, "Ada", f"c{number}", ada)
        label(store, "Bob", f"c{number}", bob)
    label(store, "Zoe", "c4", "contradicted", role="adjudication")
    return store


def items_behind(store, href):
    parameters = parse_qs(urlsplit(href).query)
    return {
        item.citation_id
        for item in CitationQuery(store).find(filter_of(parameters.get("filter", [""])[0]))
    }


def shown_text(at):
    boxes = (*at.text, *at.markdown, *at.caption, *at.info, *at.warning)
    return " ".join(box.value for box in boxes).replace("\\", "")


def test_without_labels_it_says_what_is_missing(store):
    at = agreement_page()
    assert "No citation has been labelled yet" in shown_text(at)
    assert "No reviewer has seen the judge's verdict after a blind decision" in shown_text(at)


def test_with_one_reviewer_it_says_what_is_missing(store):
    fill(store, 3)
    label(store, "Ada", "c0", "supported")
    assert "1 citation labelled by one reviewer, none of them by two" in shown_text(
        agreement_page()
    )


def test_figures_come_with_their_n_and_a_caution_where_they_are_few(labelled_twice):
    at = agreement_page()
    # by hand: 3 of 5 agree
    assert "Raw agreement 0.60 (n = 5; too few independent documents)" in shown_text(at)
    assert "Krippendorff's α 0.3" in shown_text(at)
    assert "Only 5 citations labelled twice" in shown_text(at)
    # the five are in one answer
    assert "1 of at least 3. Citations of one answer are not independent" in shown_text(at)
    ((pair, number, raw, kappa, weighted),) = cell_texts(at, "agreement-pairs")
    assert (pair, number) == ("Ada and Bob", "5")
    assert raw == "0.60 (n = 5; too few independent documents)"
    assert kappa.startswith("κ 0.")
    # by hand, in steps: observed (3 + 2) / 5; expected (4 * (2 * 3 + 2) + 2 * 3 + 1) / 25; 14 / 39
    assert weighted.startswith("κ 0.36 ")
    assert "ordinal α 0." in shown_text(at)
    assert "contradicted < not supported < partially supported < supported" in shown_text(at)
    rows = component(at, "agreement-labels")["rows"]
    assert [row[0]["marks"][0]["word"] for row in rows] == [
        "Supported",
        "Not supported",
        "Contradicted",
    ]
    # each cell of two reviewers leads to its citations
    rows = component(at, "agreement-confusion")["rows"]
    numbers = [[cell["text"] for cell in row[1:]] for row in rows]
    # Ada down, Bob across: supported, not supported, contradicted
    assert numbers == [["2", "1", "1"], ["0", "0", "0"], ["0", "0", "1"]]
    assert items_behind(labelled_twice, rows[0][1]["href"]) == {"c0", "c1"}
    assert items_behind(labelled_twice, rows[0][2]["href"]) == {"c4"}
    assert items_behind(labelled_twice, rows[0][3]["href"]) == {"c3"}
    # what is left to settle leads to a queue
    figures = component(at, "agreement-settling")["figures"]
    assert [(figure["text"], figure["word"]) for figure in figures] == [
        ("5", "labelled by two or more people"),
        ("1", "where labels differ and nobody has settled it"),
        ("1", "settled by an adjudicator"),
    ]
    assert items_behind(labelled_twice, figures[1]["href"]) == {"c3"}
    assert items_behind(labelled_twice, figures[2]["href"]) == {"c4"}
    assert "1 of 2 settled" in [bar.proto.text for bar in at.get("progress")]
    (link,) = [
        element for element in at.get("page_link") if element.proto.label.startswith("Create adj")
    ]
    chosen = filter_of(parse_qs(link.proto.query_string)["q"][0])
    queue = Queues(labelled_twice).build("settle", chosen, created_by="Zoe", role="adjudication")
    turn = ReviewTaskService(labelled_twice).open(queue.id, "Zoe")
    assert (turn.item.citation_id, turn.progress.items) == ("c3", 1)


@pytest.mark.parametrize("first", [True, False])
def test_the_items_of_a_cell_follow_a_change_of_mind_only_where_asked(labelled_twice, first):
    (label_before,) = [
        stored
        for stored in labelled_twice.labels("r1")
        if (stored.reviewer, stored.citation_id) == ("Bob", "c3")
    ]
    label(labelled_twice, "Bob", "c3", "supported", replaces=label_before.id)
    scope = LabelSelection(first=first)
    ratings = AgreementQueries(labelled_twice).ratings(LabelSelection(first=first))
    table = confusion_table(ratings, "Ada", "Bob", scope)
    total = 0
    for row in table.rows:
        for cell in row[1:]:
            if cell.link:
                total += int(cell.text)
                assert len(items_behind(labelled_twice, cell.link.href())) == int(cell.text)
    assert total == 5
    assert table.rows[0][1].text == ("2" if first else "3")


def test_a_run_without_such_labels_says_so(labelled_twice):
    label(labelled_twice, "Ada", "c0", "supported", run_id="r0")
    assert "1 citation labelled by one reviewer" in shown_text(agreement_page(of="run:r0"))


def test_a_scope_that_is_none_is_all_labels(labelled_twice):
    at = agreement_page(of="run:nope", days="x", basis="y", pair="99")
    assert "n = 5" in shown_text(at)


def test_old_labels_are_left_out_where_asked(store):
    fill(store, 3)
    old = datetime.now(UTC) - timedelta(days=60)
    for number, back in enumerate((old, datetime.now(UTC))):
        for who in ("Ada", "Bob"):
            label(store, who, f"c{number}", "supported", created_at=back)
    assert "n = 2" in shown_text(agreement_page())
    at = agreement_page(days="30")
    assert "n = 1" in shown_text(at)
    assert "Only one label is used" in shown_text(at)


def test_evidence_and_the_pull_of_the_judge(store):
    fill(store, 3)
    clock = Clock(datetime.now(UTC))
    turns = ReviewTaskService(store, now=clock)
    queue = Queues(store, clock).build("blind", created_by="Ada", blind=True, reviews=2,
                                       order="document")  # fmt: skip
    for who, spans in (("Ada", (Span(0, 20),)), ("Bob", (Span(10, 20),))):
        at = turns.open(queue.id, who)
        turns.decide(
            queue.id, who, at.item.position, LabelDecision(label="supported", evidence=spans)
        )
    page = agreement_page(of=f"queue:{queue.id}")
    (f1, jaccard, touching) = cell_texts(page, "agreement-evidence")
    # by hand: 10 characters shared of 20 and 10
    assert f1[1].startswith("0.67")
    assert jaccard[1].startswith("0.50")
    assert touching[1].startswith("1.00")
    assert "2 decisions were made blind" in shown_text(page)
    turns.reveal(queue.id, "Ada", 0)
    page = agreement_page()
    assert cell_texts(page, "agreement-pull")[0] == [
        "Agreed with the judge before it was shown",
        "1.00 (n = 1; too few independent documents)",
    ]


def test_a_label_with_evidence_is_read_by_the_page(store):
    """A label from another interface, with evidence in the source's text."""
    fill(store, 2)
    chosen = (Evidence(quote="x", span=Span(0, 1)),)
    label(store, "Ada", "c0", "supported", evidence=chosen, verdict_version=1)
    label(store, "Bob", "c0", "supported", evidence=chosen, verdict_version=1)
    assert cell_texts(agreement_page(), "agreement-evidence")[0][1].startswith("1.00")


def test_labels_of_two_versions_of_the_guide_are_told_apart(store):
    fill(store, 4)
    for number, guide in enumerate((0, 0, 1, None)):
        label(store, "Ada", f"c{number}", "supported", guide=guide)
        label(store, "Bob", f"c{number}", "supported" if guide == 0 else "contradicted",
              guide=guide)  # fmt: skip
    at = agreement_page()
    assert "mix labels given with different versions of the labelling guide" in shown_text(at)
    assert "Raw agreement 0.50 (n = 4; too few independent documents)" in shown_text(at)
    at = agreement_page(guide="0")
    assert "mix labels" not in shown_text(at)
    assert "Raw agreement 1.00 (n = 2; too few independent documents)" in shown_text(at)
    at.selectbox(key="agreement-guide").set_value(1).run()
    assert "Raw agreement 0.00 (n = 1; too few independent documents)" in shown_text(at)
    assert "Raw agreement 0.00 (n = 1; too few independent documents)" in shown_text(
        agreement_page(guide="unknown")
    )


def test_what_a_data_set_says_is_no_reviewers_word(store):
    fill(store, 2)
    label(store, "set annotators", "c0", "supported", by_person=False)
    label(store, "Ada", "c0", "contradicted")
    at = agreement_page()
    assert "1 citation labelled by one reviewer, none of them by two" in shown_text(at)
    figures = component(at, "agreement-settling")["figures"]
    assert [(figure["text"], figure["word"]) for figure in figures] == [
        ("0", "labelled by two or more people"),
        ("1", "where labels differ and nobody has settled it"),
        ("0", "settled by an adjudicator"),
    ]


def test_decisions_on_references_stand_apart(store):
    assert "References" not in shown_text(agreement_page())
    for number in range(4):
        add_list(store, f"l{number}", [check(1)])
        EntryLabelRepository(store).give(f"l{number}", 0, "Ada", "exists")
        EntryLabelRepository(store).give(
            f"l{number}", 0, "Bob", "fabricated" if number else "exists"
        )
    at = agreement_page()
    assert not at.exception
    assert "4 entries with two decisions or more, 2 reviewers: raw agreement 0.25" in shown_text(at)
    assert cell_texts(at, "agreement-decisions")[0][0] == "✓ The work exists"
    assert cell_texts(at, "agreement-reference-pairs")[0][:2] == ["Ada and Bob", "4"]


def test_each_reviewer_is_compared_with_the_gold_label_of_another(labelled_twice):
    label(labelled_twice, "Ada", "c3", "supported", role="adjudication")
    against = dict(agreement_report(labelled_twice, LabelSelection()).against_gold)
    # Zoe settled c4 otherwise than both; c3 is Ada's own word, which only Bob is compared with
    assert {name: (pair.raw.n, pair.raw.value) for name, pair in against.items()} == {
        "Ada": (1, 0.0),
        "Bob": (2, 0.0),
    }
    page = agreement_page()
    assert "Each reviewer against gold" in [header.value for header in page.header]
    rows = cell_texts(page, "agreement-gold")
    assert "Bob" in str(rows)


def test_gold_labels_of_disputed_items_alone_say_whose_label_was_kept(labelled_twice):
    sentence = "Reviewers disagreed on 1 of these 1 items."
    disputed = agreement_report(labelled_twice, LabelSelection()).gold_disputed
    assert disputed == (1, 1)
    assert sentence in shown_text(agreement_page())
    for item in ("c0", "c1"):
        label(labelled_twice, "Zoe", item, "supported", role="adjudication")
    assert agreement_report(labelled_twice, LabelSelection()).gold_disputed == (1, 3)
    assert "Reviewers disagreed on" not in shown_text(agreement_page())
