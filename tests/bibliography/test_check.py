"""From an entry and what indexes return to one finding: fields, states, retractions."""

import pytest

from workbench.bibliography.check import conclude
from workbench.bibliography.csl import record_of_entry
from workbench.records.bibliography import Author, IndexAnswer, IndexReply, ReferenceEntry

KELP = ReferenceEntry(
    title="Kelp forests as carbon sinks: a field study of two fjords",
    authors=(
        Author(family="Nordahl", given="Ingrid"),
        Author(family="van der Velde", given="Joris"),
        Author(family="Østby", given="Marit K."),
    ),
    year=2019,
    venue="Journal of Coastal Ecology",
    volume="14",
    pages="210-229",
    doi="10.5555/jce.2019.014",
    type="article-journal",
)
LICHEN = ReferenceEntry(
    title="Lichen growth on abandoned railway bridges",
    authors=(Author(family="Brandt", given="Oskar"),),
    year=2015,
    venue="Urban Botany",
    doi="10.5555/ub.2015.3",
    type="article-journal",
)


def changed(entry: ReferenceEntry, **fields: object) -> ReferenceEntry:
    from dataclasses import replace

    return replace(entry, **fields)


def reply(*works: ReferenceEntry, name: str = "registry:test", answer: str = "", **custom: object):
    records = []
    for work in works:
        record = record_of_entry(work)
        if custom:
            record["custom"] = custom
        records.append(record)
    return IndexReply(
        answer=IndexAnswer(name=name, answer=answer or ("match" if works else "none")),
        records=tuple(records),
    )


def finding(entry: ReferenceEntry, *replies: IndexReply, text: str = ""):
    return conclude(entry, text, replies, year_now=2026)


def differing(entry: ReferenceEntry, *works: ReferenceEntry) -> list[str]:
    checked = finding(entry, reply(*works))
    assert checked.status in ("matches", "differs")
    return [comparison.field for comparison in checked.fields if comparison.agrees is False]


# -- what agrees --------------------------------------------------------------------------------


def test_an_entry_that_says_what_the_record_says_matches():
    checked = finding(KELP, reply(KELP, LICHEN))
    assert checked.status == "matches"
    assert checked.record is not None and checked.record["DOI"] == KELP.doi
    assert checked.record_from == "registry:test"
    assert {comparison.field for comparison in checked.fields} == {
        "title", "authors", "year", "venue", "volume", "pages", "doi",
    }  # fmt: skip
    assert all(comparison.agrees for comparison in checked.fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"title": "Kelp Forests as Carbon Sinks"},
        {"title": "KELP FORESTS AS CARBON SINKS - A FIELD-STUDY OF TWO FJORDS"},
        {"title": "<i>Kelp</i> forests as carbon sinks: A Field Study of Two Fjörds."},
        {"authors": (Author(family="Nordahl", given="I."),), "authors_complete": False},
        {
            "authors": (
                Author(family="Nordahl", given="I"),
                Author(family="Velde", given="J. van der"),
                Author(family="Ostby", given="M. K."),
            )
        },
        {
            "authors": (
                Author(family="Ingrid", given="Nordahl"),
                Author(family="Joris", given="van der Velde"),
                Author(family="Marit K.", given="Østby"),
            )
        },
        {"authors": (Author(family="Nord&#97;hl", given="Ingrid"), *KELP.authors[1:])},
        {"venue": "J. Coast. Ecol."},
        {"venue": "The Journal of Coastal Ecology"},
        {"pages": "210–29"},
        {"pages": None, "volume": None, "venue": None, "doi": None},
        {"doi": "https://doi.org/10.5555/JCE.2019.014"},
        {"year": 2020},
    ],
    ids=lambda fields: ",".join(f"{name}={value}"[:40] for name, value in fields.items()),
)
def test_another_way_of_writing_is_no_difference(fields):
    assert differing(changed(KELP, **fields), KELP) == []


@pytest.mark.parametrize(
    ("written", "registered"),
    [
        ("Soerensen", "Sørensen"),
        ("Haakansson", "Håkansson"),
        ("Djokovic", "Đoković"),
        ("Shikh", "Šikh"),
        ("Ohno", "Ōno"),
        ("Lv", "Lü"),
        ("McGill", "MacGill"),
        ("Saint John", "St. John"),
        ("Mueller", "Müller"),
        ("Aubrac", "d’Aubrac"),
        ("DAubrac", "D’Aubrac"),
        ("Čajanskaja", "Chayanskaya"),
        ("Tschajanskaja", "Chayanskaya"),
        ("Tchaianskaia", "Čajanskaja"),
        ("Schtscherbina", "Shcherbina"),
        ("Ščerbina", "Shcherbina"),
    ],
)
def test_a_letter_that_is_written_as_two_is_the_same_letter(written, registered):
    author, other = Author(family=written, given="K."), Author(family=registered, given="Kai")
    assert differing(changed(KELP, authors=(author,)), changed(KELP, authors=(other,))) == []


@pytest.mark.parametrize(
    ("written", "registered", "same"),
    [
        (("Shcherbina", "J."), ("Ščerbina", "Yevgeny"), True),
        (("Shcherbina", "K."), ("Ščerbina", "Yevgeny"), False),
        (("Shcherbinin", "Y."), ("Ščerbina", "Yevgeny"), False),
        (("Meier", "K."), ("Meyer", "Kai"), False),
    ],
)
def test_a_cyrillic_name_is_romanised_in_several_ways(written, registered, same):
    author, other = (Author(family=family, given=given) for family, given in (written, registered))
    found = differing(changed(KELP, authors=(author,)), changed(KELP, authors=(other,)))
    assert (found == []) is same


@pytest.mark.parametrize("family", ["Нордаль", "王", "Νορνταλ"])
def test_names_in_another_script_cannot_be_compared(family):
    registered = changed(KELP, authors=(Author(family=family), *KELP.authors[1:]))
    checked = finding(KELP, reply(registered))
    assert checked.status == "matches"
    (authors,) = [field for field in checked.fields if field.field == "authors"]
    assert (authors.agrees, authors.why) == (None, "The names are in different scripts.")


def test_a_body_may_be_named_by_its_initials():
    body = changed(KELP, authors=(Author(family="World Kelp Organization"),))
    tidal = changed(KELP, authors=(Author(family="Tidal Collaboration"),))
    assert differing(changed(KELP, authors=(Author(family="TIDAL Collab."),)), tidal) == []
    for name in ("WKO", "World Kelp Organisation"):
        assert differing(changed(KELP, authors=(Author(family=name),)), body) == []
    assert differing(changed(KELP, authors=(Author(family="WKA"),)), body) == ["authors"]


def test_a_group_beside_its_members_may_be_left_out():
    grouped = changed(KELP, authors=(*KELP.authors, Author(family="FJORD Study Group")))
    assert differing(grouped, KELP) == differing(KELP, grouped) == []
    alone = changed(KELP, authors=(Author(family="FJORD Study Group"),))
    assert differing(alone, KELP) == ["authors"]


@pytest.mark.parametrize(
    ("title", "other", "agrees"),
    [
        ("Kelp & its many uses in Norway", "Kelp and its many uses in Norway", True),
        ("Kelp – its uses: 3 cases", "Kelp: its uses – three cases", True),
        ("Growth of α-kelp by 10 %", "Growth of alpha-kelp by 10 percent", True),
        ("World Kelp II", "World Kelp 2", True),
        ("Modelling the colour of kelp", "Modeling the color of kelp", True),
        ("Kelp in fifteen organised fjords", "Kelp in 15 organized fjords", True),
        ("Kelp of the north", "Kelp of the north, 1895–2010", True),
        ("Kelp in C++", "Kelp in C#", False),
        ("Kelp 1.5 at sea", "Kelp 15 at sea", False),
        ("Kelp of 1,500 fjords", "Kelp of 1500 fjords", True),
        ("Kelp in 40M cells", "Kelp in 40 million cells", True),
        ("Kelp in 40M cells", "Kelp in 40 billion cells", False),
        ("Kelp for six-to-nine-year-olds", "Kelp for 6- to 9-year-olds: a cohort study", True),
        ("KelpNet", "KelpNet: a million fronds", True),
        ("Kelp", "Kelp: a million fronds", False),
    ],
)
def test_signs_and_numerals_may_be_written_out(title, other, agrees):
    assert (differing(changed(KELP, title=title), changed(KELP, title=other)) == []) is agrees


# -- what differs -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"title": "Kelp forests as carbon sources: a field study of two fjords"}, ["title"]),
        ({"title": "Kelp forests and carbon sinks: a field study of two fjords"}, ["title"]),
        ({"authors": (Author(family="Nordahl", given="Ingrid"),)}, ["authors"]),
        ({"authors": (*KELP.authors, Author(family="Marsh", given="Tim"))}, ["authors"]),
        ({"authors": (Author(family="Anonymous"),)}, ["authors"]),
        (
            {"authors": (Author(family="Nordahl", given="Peter"), *KELP.authors[1:])},
            ["authors"],
        ),
        ({"authors": KELP.authors[1:], "authors_complete": False}, ["authors"]),
        ({"year": 2016}, ["year"]),
        ({"year": 2031}, ["year"]),
        ({"venue": "Nature Climate Change"}, ["venue"]),
        ({"venue": "Journal of Coastal Engineering"}, ["venue"]),
        ({"volume": "15"}, ["volume"]),
        ({"pages": "310-329"}, ["pages"]),
        ({"doi": "10.5555/other"}, ["doi"]),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_field_that_is_described_otherwise_is_named(fields, expected):
    assert differing(changed(KELP, **fields), KELP) == expected


def test_a_difference_is_told_in_words():
    entry = changed(KELP, title="Kelp forests as carbon sources: a field study of two fjords")
    checked = finding(entry, reply(KELP))
    assert "“sources:” where the record has “sinks:”" in checked.why


def test_authors_in_alphabetical_order_are_the_same_authors():
    ordered = tuple(sorted(KELP.authors, key=lambda author: author.family))
    assert differing(changed(KELP, authors=ordered), KELP) == []


def test_a_work_of_other_people_under_the_same_title_differs_in_its_authors():
    others = (Author(family="Silva", given="Ana"), Author(family="Sato", given="Ken"))
    assert differing(changed(KELP, authors=others), KELP) == ["authors"]


def test_a_short_title_by_other_people_elsewhere_is_another_work():
    entry = ReferenceEntry(
        title="Introduction", authors=(Author(family="Silva", given="Ana"),), year=2001, venue="X"
    )
    other = changed(entry, authors=(Author(family="Lund", given="Per"),), year=1980, venue="Y")
    assert finding(entry, reply(other)).status == "not_found"


@pytest.mark.parametrize(
    "written",
    [
        "Reply to: {}", "Reply to “{}”", "Comment on: {}", "Comment on {}", "Authors' response to: {}",
        "Author Correction: {}", "Erratum to: {}", "Corrigendum: {}", "Book review: {}", "Review of {}",
        "Editorial: {}", "Re: {}", "In reply to: {}", "Retraction: {}", "{}: a reply", "{} – Comment",
        "{}: Correction", "{} (review)", "Kommentar zu: {}", "Réponse à : {}", "勘误：{}",
    ],
)  # fmt: skip
def test_what_is_written_about_a_work_is_another_work(written):
    title = "Kelp forests as carbon sinks"
    about = changed(KELP, title=written.format(title), doi=None)
    work = changed(KELP, title=title, doi=None)
    for entry, record in ((about, work), (work, about)):
        checked = finding(entry, reply(record), text=f"Nordahl, I. (2019). {entry.title}. Ecology.")
        assert checked.status == "not_found"
    assert finding(about, reply(work, about)).record["title"] == about.title
    assert finding(about, reply(about)).status == "matches"


def test_a_review_of_a_field_may_say_so_in_its_subtitle():
    whole = changed(KELP, title="Kelp forests as carbon sinks: a review")
    assert differing(changed(KELP, title="Kelp forests as carbon sinks"), whole) == []
    retracted = changed(KELP, title=f"RETRACTED ARTICLE: {KELP.title}")
    assert differing(KELP, retracted) == []


# -- preprints ----------------------------------------------------------------------------------


def test_a_preprint_and_its_publication_may_have_different_years_and_identifiers():
    preprint = changed(
        KELP, venue="arXiv", year=2018, doi="10.48550/arXiv.1811.01234", volume=None, pages=None
    )
    assert differing(preprint, KELP) == []


def test_a_preprint_that_is_said_to_have_appeared_differs_where_an_index_would_know():
    record = changed(KELP, venue=None, doi="10.48550/arXiv.1811.01234", type="article")
    entry = changed(KELP, venue="ICLR", doi=None, volume=None, pages=None)
    assert differing(entry, record) == ["venue"]
    of_archive = finding(entry, reply(record, name="arxiv"))
    assert of_archive.status == "matches"


# -- other works, missing works -----------------------------------------------------------------


def test_an_identifier_of_another_work_is_told_and_the_described_work_is_shown():
    entry = changed(KELP, doi=LICHEN.doi)
    checked = finding(entry, reply(KELP, LICHEN))
    assert checked.status == "other_work"
    assert "belongs to another work: “Lichen growth on abandoned railway bridges”" in checked.why
    assert "10.5555/jce.2019.014" in checked.why
    assert checked.record is not None and checked.record["title"] == KELP.title


def test_an_identifier_of_another_work_without_the_described_one_shows_that_work():
    entry = changed(KELP, doi=LICHEN.doi)
    checked = finding(entry, reply(LICHEN))
    assert checked.status == "other_work"
    assert checked.record is not None and checked.record["title"] == LICHEN.title


def test_what_nobody_holds_is_not_found_and_the_nearest_title_is_named():
    others = (Author(family="Quist", given="A."),)
    entry = changed(KELP, title="Kelp forests as a source of methane", doi=None, authors=others)
    checked = finding(entry, reply(KELP))
    assert checked.status == "not_found"
    assert "The nearest title is “Kelp forests as carbon sinks" in checked.why
    assert checked.score is not None and checked.score < finding(KELP, reply(KELP)).score


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ([], "No index was asked"),
        (
            [IndexReply(answer=IndexAnswer(name="crossref", answer="error", why="HTTP 503."))],
            "crossref could not be asked: HTTP 503.",
        ),
        (
            [
                IndexReply(answer=IndexAnswer(name="dblp", answer="none")),
                IndexReply(answer=IndexAnswer(name="crossref", answer="error", why="Half a JSON.")),
            ],
            "crossref could not be asked: Half a JSON.",
        ),
        (
            [
                IndexReply(answer=IndexAnswer(name="doi", answer="none")),
                IndexReply(
                    answer=IndexAnswer(name="crossref", answer="not_asked", why="No stored answer.")
                ),
            ],
            "No stored answer.",
        ),
        (
            [IndexReply(answer=IndexAnswer(name="dblp", answer="none", covers=False))],
            "No index that was asked holds works of this kind.",
        ),
        (
            [IndexReply(answer=IndexAnswer(name="crossref", answer="not_asked", why="Offline."))],
            "Offline.",
        ),
    ],
)
def test_what_nobody_could_say_is_not_checked_with_the_reason(replies, why):
    checked = finding(KELP, *replies)
    assert checked.status == "not_checked"
    assert why in checked.why
    assert checked.score is None


def test_an_index_that_fails_does_not_hide_what_another_one_has():
    failed = IndexReply(answer=IndexAnswer(name="crossref", answer="error", why="HTTP 503."))
    assert finding(KELP, failed, reply(KELP, name="datacite")).status == "matches"


def test_an_index_that_returns_other_works_only_has_none_of_this_one():
    checked = finding(
        changed(KELP, doi=None), reply(LICHEN, name="crossref"), reply(KELP, name="datacite"),
        reply(KELP, LICHEN, name="openalex"),
    )  # fmt: skip
    assert checked.status == "matches"
    assert [answer.answer for answer in checked.indexes] == ["none", "match", "match"]
    missing = finding(changed(KELP, doi=None), reply(LICHEN, name="crossref"))
    assert [answer.answer for answer in missing.indexes] == ["none"]


def test_an_entry_that_cannot_be_read_is_never_called_missing():
    entry = ReferenceEntry(unreadable="No title could be told from the authors.")
    checked = finding(entry, IndexReply(answer=IndexAnswer(name="x", answer="not_asked")))
    assert checked.status == "not_checked"
    assert checked.why == "No title could be told from the authors."


def test_a_doi_that_its_authority_does_not_know_differs():
    entry = changed(KELP, doi="10.5555/nowhere")
    record = reply(changed(KELP, doi=None))
    unknown = IndexReply(
        answer=IndexAnswer(name="doi", answer="none"), identifier_unknown="10.5555/nowhere"
    )
    checked = finding(entry, unknown, record)
    assert checked.status == "differs"
    assert "This DOI is not known" in checked.why
    # without the authority nothing is said about it
    assert finding(entry, record).status == "matches"


def test_a_placeholder_is_named_as_such():
    entry = changed(KELP, doi="10.xxxx/jce", url=None)
    checked = finding(entry, reply(KELP))
    assert checked.status == "differs"
    assert "placeholder" in checked.why


def test_a_library_of_ones_own_that_lacks_a_work_accuses_nobody():
    lacks = IndexReply(answer=IndexAnswer(name="registry:mine", answer="none", covers=False))
    checked = finding(changed(KELP, doi=None), lacks)
    assert checked.status == "not_checked"
    assert checked.why == "registry:mine does not have it and need not; no index was asked."


def test_a_placeholder_is_named_where_nobody_was_asked():
    checked = finding(ReferenceEntry(url="https://example.com/x", type="webpage"))
    assert checked.status == "not_checked"
    assert checked.why.startswith("“https://example.com/x” is a placeholder address")
    assert [field.field for field in checked.fields if field.agrees is False] == ["url"]


# -- retractions --------------------------------------------------------------------------------


def test_a_retracted_work_is_told_beside_the_state():
    notice = {"kind": "retracted", "date": "2022-03-01", "notice": "10.5555/n", "from": "crossref"}
    checked = finding(KELP, reply(KELP, name="crossref", retraction=notice))
    assert checked.status == "matches"
    assert checked.retraction is not None
    assert checked.retraction.to_dict() == notice


def test_the_gravest_notice_of_the_same_work_counts():
    corrected = {"kind": "corrected", "date": "2020-01-01"}
    retracted = {"kind": "retracted", "date": "2021-01-01"}
    checked = finding(
        KELP,
        reply(KELP, name="openalex", retraction=corrected),
        reply(KELP, name="crossref", retraction=retracted),
        reply(LICHEN, name="pubmed", retraction={"kind": "retracted"}),
    )
    assert checked.retraction is not None
    assert (checked.retraction.kind, checked.retraction.date) == ("retracted", "2021-01-01")
    assert checked.retraction.source == "crossref"


def test_a_review_of_the_book_is_not_the_book():
    review = reply(KELP, name="crossref", about="review")
    assert finding(KELP, review).status == "not_found"
