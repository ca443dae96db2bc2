"""The texts that describe queues, as tables of examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.desk import START
from workbench.errors import UsageError
from workbench.interfaces.web.filters import address_of, filter_of, filter_text
from workbench.interfaces.web.queues.text import progress_text, rest_text
from workbench.records.queue import ItemFilter, Queue, QueueProgress, ReviewTask


def queue(**fields):
    defaults = {
        "id": "q", "name": "to do", "filter": ItemFilter(), "order": "document", "seed": 0,
        "blind": False, "reviews": 1, "reviewers": (), "role": "review", "created_by": "Zoe",
        "created_at": START,
    }  # fmt: skip
    return Queue(**(defaults | fields))


def progress(**fields):
    defaults = {"items": 400, "done": 62, "reviews_given": 62, "reviews_needed": 400, "assigned": 0, "own_reviews": 62,
             "skipped": 0, "available": 338}  # fmt: skip
    return QueueProgress(**(defaults | fields))


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({}, "Everything with a verdict"),
        ({"reviewed": False, "confidence_below": 0.7}, "Not reviewed yet, confidence below 0.7"),
        ({"near": 0.5}, "Score within 0.1 of 0.5"),
        ({"judge_differs": True, "hosts": ("", "*.gov")},
         "Judge and reviewers disagree, from no host or *.gov"),
        ({"error_kinds": ("timeout",), "kinds": ("doi", "url")},
         "The source did not answer in time, doi or web address"),
        ({"labels": ("cannot_tell",), "tags": ("hard",)}, "Labelled cannot tell, tagged hard"),
        ({"runs": ("r1", "r2")}, "In Bridges or Untitled run"),
    ],
)  # fmt: skip
def test_a_filter_reads_as_a_sentence(chosen, words):
    assert filter_text(ItemFilter(**chosen), {"r1": "Bridges"}) == words


@pytest.mark.parametrize(
    ("plan", "counts", "parts"),
    [
        ({}, {}, ["62 of 400"]),
        ({}, {"recent_s": (12.0,) * 9}, ["62 of 400", "about 1 h 8 min at your pace"]),
        ({}, {"own_reviews": 20, "skipped": 2}, ["62 of 400", "20 by you", "2 skipped"]),
        ({"reviews": 2}, {"reviews_given": 90, "reviews_needed": 800, "own_reviews": 30, "available": 370},
         ["30 of 400 by you", "90 of 800 reviews in total"]),
        ({}, {"own_reviews": 0, "available": 300, "recent_s": (12.0,)},
         ["62 of 400", "about 1 h at the average pace"]),
    ],
)  # fmt: skip
def test_progress_in_parts(plan, counts, parts):
    assert progress_text(queue(**plan), progress(**counts)) == parts


def test_a_filter_goes_through_an_address():
    chosen = ItemFilter(hosts=("", "例え.jp"), near=0.5, reviewed=False)
    assert filter_of(address_of(chosen)) == chosen
    assert address_of(ItemFilter()) == ""
    assert filter_of("") == ItemFilter()


@given(st.text(max_size=60) | st.from_regex(r'\{"[a-z_]{1,12}":[^}]{0,20}\}', fullmatch=True))
def test_whatever_stands_in_an_address_is_a_filter_or_told(text):
    try:
        parsed = filter_of(text)
    except UsageError as error:
        assert "cannot be used" in str(error)
    else:
        assert isinstance(parsed, ItemFilter)


def test_a_filter_by_verdict_gives_the_judge_away():
    assert ItemFilter(verdicts=("contradicted",)).reveals_verdict
    assert not ItemFilter(confidence_below=0.5).reveals_verdict


@pytest.mark.parametrize(
    ("plan", "counts", "said"),
    [
        ({"role": "adjudication"}, {"barred": 2}, "You labelled 2 yourself"),
        ({}, {"assigned": 2}, "2 items are open with other reviewers"),
        ({}, {"skipped": 2}, "You skipped 2."),
        ({"reviews": 2}, {}, "2 items need a review by another reviewer."),
        ({"reviews": 2, "reviewers": ("Ada", "Bob")}, {}, "2 items need a review by Bob."),
    ],
)
def test_the_end_names_the_reason_why_nothing_is_left_and_no_other(plan, counts, said):
    task = ReviewTask(
        queue=queue(**plan), reviewer="Ada", progress=progress(done=398, available=0, **counts)
    )
    reasons = ("You labelled", "open with other", "You skipped", "need a review")
    words = rest_text(task)
    assert said in words
    assert "2 items of the queue are not done" in words
    assert [reason for reason in reasons if reason in words] == [
        reason for reason in reasons if reason in said
    ]
