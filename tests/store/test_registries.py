"""Works are found in registries by identifier, by title, and by what a title nearly is."""

from datetime import UTC, datetime

import pytest

from workbench.bibliography.csl import entry_of_record
from workbench.bibliography.keys import entry_keys
from workbench.errors import NotFoundError
from workbench.records.bibliography import Author, CachedAnswer, ReferenceCheck, ReferenceEntry
from workbench.records.reference_labels import EntryLabel
from workbench.records.registries import RecordKeys, Registry, RetractionRow
from workbench.records.text import Span
from workbench.store.bibliography.checks import IndexAnswerRepository, ReferenceCheckRepository
from workbench.store.bibliography.labels import EntryLabelRepository
from workbench.store.bibliography.registries import RegistryRepository
from workbench.store.store import Store

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def work(key, title, family="Lee", year=2020, **fields):
    return {
        "id": key,
        "title": title,
        "author": [{"family": family, "given": "A."}],
        "issued": {"date-parts": [[year]]},
        **fields,
    }


WORKS = [
    work("bert", "BERT: Pre-training of Deep Bidirectional Transformers", DOI="10.1000/BERT"),
    work("attention", "Attention Is All You Need", custom={"arxiv": "1706.03762"}),
    work("book", "The Sea Around Us", "Carson", 1951, ISBN="0-19-506997-8"),
    work("chinese", "深度学习在图像识别中的应用", "王"),
    work("subtitle", "Growth of coral reefs: a study of forty years", "Reef", PMID="42"),
    *(work(f"n{n}", f"Deep learning for problem {n} of transformers", "Wang") for n in range(40)),
]


def registry(name, kind="library", records=45):
    return Registry(
        name=name, kind=kind, file_name="f", sha256="ab", imported_at=NOW, records=records
    )


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("registries") / "w.duckdb")
    registries = RegistryRepository(store)
    registries.add_library(
        registry("mine"), [(entry_keys(entry_of_record(item)), item) for item in WORKS]
    )
    other = work("other", "Attention Is All You Need")
    registries.add_library(
        registry("other", records=1), [(entry_keys(entry_of_record(other)), other)]
    )
    return registries


def found(repository, registries=("mine",), **fields):
    (candidates,) = repository.find_candidates([entry_keys(ReferenceEntry(**fields))], registries)
    return [(candidate.record["id"], candidate.route) for candidate in candidates]


@pytest.mark.parametrize(
    ("fields", "key", "route"),
    [
        pytest.param({"doi": "https://doi.org/10.1000/bert"}, "bert", "identifier", id="doi"),
        pytest.param({"arxiv": "1706.03762v5"}, "attention", "identifier", id="arxiv"),
        pytest.param({"isbn": "9780195069976"}, "book", "identifier", id="isbn"),
        pytest.param({"pmid": "42"}, "subtitle", "identifier", id="pmid"),
        pytest.param({"title": "attention is all you need."}, "attention", "title", id="title"),
        pytest.param(
            {"title": "Growth of Coral Reefs"}, "subtitle", "main_title", id="no-subtitle"
        ),
        pytest.param(
            {"title": "Pretraining of deep bidirectional transformer"}, "bert", "words", id="near"
        ),
        pytest.param({"title": "深度学习的图像识别"}, "chinese", "words", id="chinese"),
        pytest.param(
            {"title": "The sea", "authors": (Author(family="Carson"),), "year": 1952},
            "book",
            "words",
            id="author-and-year",
        ),
    ],
)
def test_a_work_is_found(repository, fields, key, route):
    assert found(repository, **fields)[0] == (key, route)


def test_a_title_of_common_words_gives_the_five_that_share_most(repository):
    candidates = found(repository, title="Deep learning for problems of transformers")
    assert len(candidates) == 5
    assert all(route == "words" for _, route in candidates)


@pytest.mark.parametrize("fields", [{}, {"title": "Zebra"}, {"doi": "10.1/none"}, {"title": "…"}])
def test_what_nothing_resembles_is_not_found(repository, fields):
    assert found(repository, **fields) == []


def test_registries_are_looked_in_by_name(repository):
    title = {"title": "Attention is all you need"}
    assert [key for key, _ in found(repository, ("other",), **title)] == ["other"]
    assert {key for key, _ in found(repository, None, **title)} >= {"other", "attention"}
    assert found(repository, (), **title) == []


def test_a_whole_list_gives_what_each_entry_gives_alone(repository):
    keys = [entry_keys(entry_of_record(item)) for item in WORKS] * 10
    together = repository.find_candidates(keys)
    assert together[: len(WORKS)] == [
        repository.find_candidates([key])[0] for key in keys[: len(WORKS)]
    ]
    assert repository.find_candidates([]) == []


def test_a_registry_is_replaced_and_removed(tmp_path):
    registries = RegistryRepository(Store(tmp_path / "w.duckdb"))
    item = WORKS[0]
    pair = (entry_keys(entry_of_record(item)), item)
    registries.add_library(registry("mine", records=2), [pair, pair])
    registries.add_library(registry("mine", records=1), [pair])
    assert [item.records for item in registries.all()] == [1]
    assert len(found(registries, doi="10.1000/bert")) == 1
    registries.remove("mine")
    assert registries.all() == []
    assert found(registries, doi="10.1000/bert") == []
    with pytest.raises(NotFoundError, match="no registry 'mine'"):
        registries.remove("mine")


def test_a_retraction_is_found_by_identifier_and_by_a_long_title_of_the_same_author(tmp_path):
    registries = RegistryRepository(Store(tmp_path / "w.duckdb"))
    title = ReferenceEntry(
        title="Growth of corals in warm seas", authors=(Author(family="Reef"),), doi="10.1000/1"
    )
    keys = entry_keys(title)
    registries.add_retractions(
        registry("table", "retractions", 1),
        [RetractionRow(keys, "retracted", "10.1000/2", "2020-01-02", "Error")],
    )
    by_doi, by_title, other_author, short = registries.find_retractions(
        [
            RecordKeys(doi="10.1000/1"),
            keys._replace(doi=""),
            keys._replace(doi="", author="lee"),
            keys._replace(doi="", words=("growth",)),
        ]
    )
    assert [(line.kind, line.by_identifier) for line in by_doi] == [("retracted", True)]
    assert [(line.date, line.by_identifier) for line in by_title] == [("2020-01-02", False)]
    assert other_author == short == []


def test_the_newest_answer_of_an_index_is_kept(tmp_path):
    answers = IndexAnswerRepository(Store(tmp_path / "w.duckdb"))
    older, newer = (
        CachedAnswer(
            service="crossref",
            question="works/10.1",
            status=200,
            body=body,
            asked_at=f"2026-01-0{day}T00:00:00+00:00",
        )
        for day, body in ((1, b"old"), (2, b"new"))
    )
    assert answers.find("crossref", "works/10.1") is None
    answers.keep(newer)
    answers.keep(older)
    answer = answers.find("crossref", "works/10.1")
    assert answer is not None and answer.body == b"new"
    assert datetime.fromisoformat(answer.asked_at) == datetime.fromisoformat(newer.asked_at)
    assert answers.find("datacite", "works/10.1") is None
    assert answers.forget() == 1


def test_the_newest_check_of_an_entry_counts(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    moments = iter([NOW, NOW.replace(year=2027)])
    checks = ReferenceCheckRepository(store, lambda: next(moments))
    check = ReferenceCheck(
        label="1", span=Span(0, 1), text="x", entry=ReferenceEntry(), status="not_found"
    )
    checks.add("r", [(0, check), (1, check)])
    checks.add("r", [(1, ReferenceCheck(
        label="1", span=Span(0, 1), text="x", entry=ReferenceEntry(), status="matches"
    ))])  # fmt: skip
    assert {place: kept.status for place, kept in checks.of_run("r").items()} == {
        0: "not_found",
        1: "matches",
    }


def test_a_label_that_is_taken_back_makes_the_one_before_current(tmp_path):
    labels = EntryLabelRepository(Store(tmp_path / "w.duckdb"))
    first = EntryLabel(
        id="a", run_id="r", position=0, decision="fabricated", reviewer="Ada", created_at=NOW
    )
    second = EntryLabel(
        id="b",
        run_id="r",
        position=0,
        decision="exists",
        reviewer="Ada",
        created_at=NOW.replace(day=2),
        reason="exists_elsewhere",
        replaces="a",
    )
    labels.add(first)
    labels.add(second)
    assert labels.listed("r") == [second]
    assert labels.withdraw("r", 0, "Ada") == second
    assert labels.listed() == [first]
