"""Full-text search on real files."""

import re
from dataclasses import replace

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import records as make
from tests.fakes.desk import fill
from workbench.errors import UsageError
from workbench.records.queue import ItemFilter
from workbench.records.run_listing import HIT_KINDS
from workbench.records.text import Excerpt, Span
from workbench.store.runs.items import CitationQuery, compile_term_regex, terms_of
from workbench.store.runs.search import Search
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    fill(store, 2)
    store.add_label(make.label(citation_id="c0", note="Café Müller, see p. 4", tags=("follow up",)))
    return store


def kinds(store, query):
    return {kind: n for kind, n in Search(store).find(query).counts.items() if n}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("fact 1", {"output": 1, "claim": 1}),
        ("FACT", {"output": 1, "claim": 2}),
        ('"holds [1]"', {"output": 1}),
        ("length sentence", {"rationale": 2}),
        ("metres 1931", {"source": 1}),
        ('"follow up"', {"note": 1}),
        ("cafe muller", {"note": 1}),
        ("CAFÉ", {"note": 1}),
        ("fact xyzzy", {}),
        (".*", {}),
        ("   ", {}),
    ],
)
def test_all_words_of_a_query_occur(store, query, expected):
    assert kinds(store, query) == expected


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("人工智能", "⼈⼯智能的发展"),
        ("⼈⼯", "人工智能的发展"),
        ("车门", "⻋⻔很宽"),
        ("efficient", "an eﬃcient oﬃce"),
        ("office", "an eﬃcient oﬃce"),
        ("first floor", "the ﬁrst ﬂoor"),
        ("AI 2024", "ＡＩ in ２０２４"),
        ("ＡＩ", "ai"),
        ("98%", "９８％"),
    ],
)
def test_compatibility_characters_are_found_as_what_they_stand_for(store, query, text):
    store.add_label(make.label(label_id="l9", citation_id="c1", note=text))
    hits = Search(store).find(query, ["note"]).hits
    assert [hit.excerpt.text.strip() for hit in hits] == [text]
    assert hits[0].matches


def test_a_query_that_is_too_long_is_told(store):
    with pytest.raises(UsageError, match="at most 1,000 characters, and this one has 100,000"):
        Search(store).find("a" * 100_000)
    with pytest.raises(UsageError, match="at most 1,000 characters"):
        CitationQuery(store).count(ItemFilter(words="a" * 100_000))
    for longest in ("a" * 1000, "ộ" * 1000, "none " * 199):
        assert Search(store).find(longest).total == 0


def test_a_hit_shows_the_match_in_its_place(store):
    (hit,) = Search(store).find("muller").hits
    assert (hit.kind, hit.run_id, hit.citation_id, hit.author) == ("note", "r1", "c0", "Ada")
    assert [span.of(hit.excerpt.text) for span in hit.matches] == ["Müller"]
    source = Search(store).find("metres", ["source"]).hits[0]
    assert source.name == "The bridge"
    assert (source.run_id, source.citation_id) == ("r1", "c1"), "the newest that read it"
    assert source.excerpt.span.of(make.SOURCE_TEXT) == source.excerpt.text
    output = Search(store).find("fact", ["output"]).hits[0]
    assert output.run_id == "r1"


def test_long_texts_are_cut_around_the_first_match(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    text = "x " * 500_000 + "needle in it" + " y" * 500_000
    store.add_source(make.source(text, pages=()))
    (hit,) = Search(store).find("needle").hits
    assert len(hit.excerpt.text) < 200
    assert hit.excerpt.span.of(text) == hit.excerpt.text
    assert [span.of(hit.excerpt.text) for span in hit.matches] == ["needle"]


def test_text_that_is_no_unicode_is_found_around_the_odd_places(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    text = "before \ud800 after [1]"
    claim = Excerpt(span=Span(0, 14), text=text[:14])
    result = make.result(1, citation=make.citation(1, text=text, claim=claim))
    run = make.run(results=[result], text=text)
    store.add_run(run, text, "odd")
    store.finish_run(run)
    assert kinds(store, "before after") == {"output": 1, "claim": 1}
    hit = Search(store).find("after").hits[0]
    assert hit.excerpt.text == "before \ufffd after [1]"
    assert [span.of(hit.excerpt.text) for span in hit.matches] == ["after"]


def test_other_scripts_are_found(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    store.add_source(make.source("这座桥长一百二十米。 Мост открыт. الجسر طويل", pages=()))
    for word in ("一百二十", "МОСТ", "الجسر"):
        assert kinds(store, word) == {"source": 1}


def test_withdrawn_notes_and_replaced_verdicts_are_not_found(store):
    store.withdraw_label("l1", "Ada")
    assert kinds(store, "muller") == {}
    changed = store.get_run("r1").citations[0]
    judgment = make.judgment("supported", rationale="Quite another reason.")
    store.replace_verdict("r1", replace(changed, judgment=judgment, judgments=(judgment,)))
    assert kinds(store, "length sentence") == {"rationale": 1}
    assert kinds(store, "another reason") == {"rationale": 1}


def test_what_a_panel_member_said_is_found(store):
    result = store.get_run("r1").citations[0]
    dissent = make.judgment("contradicted", rationale="The dissenting view.")
    store.replace_verdict("r1", replace(result, judgments=(result.judgment, dissent)))
    assert kinds(store, "dissenting") == {"rationale": 1}


def test_pages_run_through_the_kinds_without_overlap(store):
    hits = Search(store).find("fact", limit=50).hits
    assert [hit.kind for hit in hits] == ["output", "claim", "claim"]
    pages = [Search(store).find("fact", limit=1, offset=offset).hits for offset in range(4)]
    assert sum(pages, ()) == hits
    assert list(Search(store).find("fact").counts) == list(HIT_KINDS)
    assert list(Search(store).find("fact", ["claim"]).counts) == ["claim"]


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ({}, {"output": 2, "claim": 4, "rationale": 0, "note": 2, "source": 1}),
        ({"runs": ("r2",)}, {"output": 1, "claim": 2, "rationale": 0, "note": 1, "source": 1}),
        ({"verdicts": ("supported",)}, {"output": 2, "claim": 2, "note": 1, "source": 1}),
        ({"labels": ("supported",)}, {"output": 1, "claim": 1, "note": 1, "source": 1}),
        ({"reviewers": ("Bob",)}, {"output": 1, "claim": 1, "note": 1, "source": 1}),
        ({"reviewers": ("Zoe",)}, {}),
        ({"hosts": ("bridge.example",)}, {"output": 2, "claim": 4, "note": 2, "source": 1}),
        ({"hosts": ("other.example",)}, {}),
        ({"runs": ("r1",), "reviewers": ("Bob",)}, {}),
    ],
    ids=str,
)
def test_a_filter_leaves_the_texts_of_its_citations(tmp_path, filter, expected):
    store = Store(tmp_path / "w.duckdb")
    for run_id in ("r1", "r2"):
        fill(store, 2, run_id)
    store.add_label(make.label("l1", run_id="r1", citation_id="c0", note="fact? bridge"))
    store.add_label(
        make.label(
            "l2", "supported", run_id="r2", citation_id="c1", note="fact, bridge", reviewer="Bob"
        )
    )
    counts = dict.fromkeys(HIT_KINDS, 0)
    for query, kinds in (("fact", HIT_KINDS[:4]), ("bridge", ("source",))):
        results = Search(store).find(query, kinds, within=ItemFilter(**filter))
        counts |= results.counts
        for hit in results.hits:
            assert hit.run_id in filter.get("runs", ("r1", "r2"))
            assert (hit.verdict is None) == (hit.kind in ("output", "source"))
    assert {kind: n for kind, n in counts.items() if n} == {k: n for k, n in expected.items() if n}


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("two words", ("two", "words")),
        ('a "whole  phrase" b', ("a", "whole phrase", "b")),
        ("„deutsch so“ «et ça»", ("deutsch so", "et ça")),
        ('unclosed "end of it', ("unclosed", "end of it")),
        ('"" " " a a', ("a",)),
        ("a\ud800", ("a\ufffd",)),
    ],
)
def test_terms(query, terms):
    assert terms_of(query) == terms


@given(st.text(min_size=1, max_size=8))
def test_a_text_is_found_by_itself(text):
    """The pattern of a term matches the term, in both engines, whatever signs are in it."""
    for term in terms_of(text):
        pattern = compile_term_regex(term)
        assert pattern
        assert re.search(pattern, term, re.IGNORECASE)
        matched = duckdb.execute("select regexp_matches(?, ?, 'i')", [term, pattern]).fetchall()
        assert matched == [(True,)]


@pytest.mark.parametrize(
    ("term", "text", "expected"),
    [
        ("naive", "na\u00efve", True),
        ("na\u00efve", "naive", True),
        ("nai\u0308ve", "NA\u00cfVE", True),
        ("o'clock", "O\u2019CLOCK", True),
        ("well-known", "well\u2011known", True),
        ("a b", "a\n  b", True),
        ("a.c", "abc", False),
        ("(a|b)", "a", False),
        ("\u0301", "plain", False),
        ("\u00df", "\u1e9e", True),
        ("\uac00", "\u1100\u1161", True),
    ],
)
def test_what_is_alike(term, text, expected):
    pattern = compile_term_regex(term)
    assert bool(re.search(pattern, text, re.IGNORECASE)) == expected
    rows = duckdb.execute("select regexp_matches(?, ?, 'i')", [text, pattern]).fetchall()
    assert rows == [(expected,)]
