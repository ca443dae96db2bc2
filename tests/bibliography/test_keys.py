"""Titles and identifiers that mean the same have the same key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.bibliography.keys import (
    entry_keys,
    family_key,
    fold_arxiv,
    fold_doi,
    fold_pmid,
    isbn13,
    main_title_key,
    title_key,
    title_words,
)
from workbench.records.bibliography import Author, ReferenceEntry


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("BERT: Pre-training of Deep Transformers", "bert — pretraining of deep transformers"),
        ("Gödel, Escher", "Godel Escher"),
        ("Straße in Łódź", "STRASSE IN LODZ"),
        ("Søren & <i>Œuvres</i>", r"Soren \& {Oeuvres}"),
        ("ıstanbul", "Istanbul"),
        ("The ﬁeld", "The field"),
        ("ＡＩ と医療", "AIと医療"),
        ("H<sub>2</sub>O", "H2O"),
        ("R&amp;D", "R & D"),
    ],
)
def test_titles_that_differ_in_signs_alone_have_one_key(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)
    assert set(title_words(one)) & set(title_words(other))


def test_letters_that_no_accent_makes_stay_apart() -> None:
    assert title_key("がん") != title_key("かん")
    assert title_key("한국어") == "한국어"


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("The Pre-training of Things", ("pre", "training", "pretraining", "things")),
        ("深度学习 for 图像", ("深度", "度学", "学习", "图像")),
        ("On the", ("on", "the")),
        ("", ()),
        ("!!", ()),
    ],
)
def test_words_of_titles(title: str, words: tuple[str, ...]) -> None:
    assert title_words(title) == words


def test_what_stands_before_a_subtitle_has_a_key_of_its_own() -> None:
    assert main_title_key("Deep things: a study") == title_key("Deep things")
    assert main_title_key("BERT: a study") == ""  # one word tells no work
    assert main_title_key("Deep things") == ""


@pytest.mark.parametrize(
    ("function", "given_form", "key"),
    [
        (fold_doi, "https://doi.org/10.1000/ABC.", "10.1000/abc"),
        (fold_doi, "doi:10.1000/a(b)c", "10.1000/a(b)c"),
        (fold_doi, "not one", ""),
        (fold_doi, None, ""),
        (fold_arxiv, "arXiv:1706.03762v5", "1706.03762"),
        (fold_arxiv, "hep-th/9901001v2", "hep-th/9901001"),
        (fold_arxiv, "https://arxiv.org/abs/2104.00001", "2104.00001"),
        (fold_pmid, "PMID: 0123", "123"),
        (isbn13, "0-262-03384-4", "9780262033848"),
        (isbn13, "978-0-262-03384-8", "9780262033848"),
        (isbn13, "123", ""),
        (family_key, "van der Berg", "berg"),
        (family_key, "O’Neil-Ünal", "oneilunal"),
    ],
)
def test_identifiers_and_names_have_one_spelling(function, given_form, key) -> None:
    assert function(given_form) == key


def test_an_arxiv_doi_is_an_arxiv_number_too() -> None:
    keys = entry_keys(ReferenceEntry(doi="10.48550/arXiv.1706.03762"))
    assert keys.arxiv == "1706.03762"


@given(st.text(max_size=60))
def test_every_text_has_keys(text: str) -> None:
    entry = ReferenceEntry(title=text, authors=(Author(family=text),), doi=text, isbn=text)
    keys = entry_keys(entry)
    assert keys.title == title_key(keys.title)
    assert len(set(keys.words)) == len(keys.words)
