"""Look-ups in indexes of works: what each service is sent, what comes of its answer, and its failures."""

import asyncio
import json
import logging
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.fakes.index_server import index_server
from tests.fakes.web_server import fake_web, page, redirect
from workbench.errors import UsageError
from workbench.records.bibliography import Author, ReferenceEntry
from workbench.sources.fetch import Limits
from workbench.sources.indexes import client as client_module
from workbench.sources.indexes.client import (
    IndexClient,
    MemoryAnswerCache,
    NoAnswer,
    ServiceQuestion,
)
from workbench.sources.indexes.open_indexes import FACTORIES, open_indexes, read_index_keys
from workbench.sources.services import Services

TIDES = {
    "type": "article-journal",
    "title": "Tides of the northern fjords and their slow decline",
    "author": [{"family": "Åsheim", "given": "Kari L."}, {"literal": "Fjord Survey Group"}],
    "issued": {"date-parts": [[2011, 4]]},
    "container-title": "Journal of Coastal Biology",
    "volume": "12",
    "issue": "3",
    "page": "201-219",
    "DOI": "10.5555/Tides.2011",
    "PMID": "21190001",
}
SPARSE = {
    "type": "paper-conference",
    "title": "Sparse lanterns for very deep mines",
    "author": [{"family": "Okonkwo", "given": "Ada"}],
    "issued": {"date-parts": [[2021]]},
    "container-title": "ICLR",
    "custom": {"indexes": ["dblp", "semantic_scholar"]},
}
PREPRINT = {
    "type": "article",
    "title": "Lanterns are mostly what miners need",
    "author": [{"family": "van der Laan", "given": "Piet"}],
    "issued": {"date-parts": [[2022, 3, 1]]},
    "custom": {"arxiv": "2203.01234"},
}
BOOK = {
    "type": "book",
    "title": "A short history of lanterns",
    "author": [{"family": "Moreau", "given": "Claire"}],
    "issued": {"date-parts": [[1987]]},
    "publisher": "Harbor Press",
    "ISBN": "9780306406157",
    "custom": {"years": [1994], "indexes": ["open_library", "openalex"]},
}
CASE = {
    "type": "legal_case",
    "title": "Tarn v. Orlan Mills, Inc.",
    "author": [],
    "issued": {"date-parts": [[2009]]},
    "container-title": "F.3d",
    "volume": "564",
    "page": "636",
}
WORKS = [TIDES, SPARSE, PREPRINT, BOOK, CASE]
OF_ITS_KIND = {
    "arxiv": PREPRINT,
    "datacite": PREPRINT,
    "dblp": SPARSE,
    "open_library": BOOK,
    "courtlistener": CASE,
}
"""A work that an index holds, where that is not `TIDES`."""
CONTACT = "librarian@example.edu"
KEYS = {
    "openalex": "oa-key-7f3b9d21",
    "semantic_scholar": "s2-key-1c8e44aa",
    "courtlistener": "cl-token-5d2e90ff",
}


def entry_of(work, **changes):
    """The entry that describes a work as it is."""
    fields = ReferenceEntry(
        title=work["title"],
        authors=tuple(
            Author(family=a.get("literal") or a["family"], given=a.get("given", ""))
            for a in work["author"]
        ),
        year=work["issued"]["date-parts"][0][0],
        venue=work.get("container-title") or work.get("publisher"),
        doi=work.get("DOI"),
        arxiv=work.get("custom", {}).get("arxiv"),
        pmid=work.get("PMID"),
        volume=work.get("volume"),
        pages=work.get("page"),
        isbn=work.get("ISBN"),
        type=work["type"],
    )
    return replace(fields, **changes)


def without_numbers(work, **changes):
    return entry_of(work, doi=None, arxiv=None, pmid=None, isbn=None, **changes)


INVENTED = ReferenceEntry(
    title="Wholly imagined harbors of the western plain",
    authors=(Author(family="Nemo", given="N."),),
    year=2019,
    venue="Journal of Coastal Biology",
    volume="4",
    type="article-journal",
)


@pytest.fixture
def server():
    with index_server(WORKS) as running:
        yield running


def open_one(server, name, **options):
    options = {"allow_fetch": True, "keys": KEYS, **options}
    return open_indexes(Services(**server), [name], **options)[0]


def look_up(index, *entries):
    async def main():
        return await asyncio.gather(*[index.look_up(entry) for entry in entries])

    replies = asyncio.run(main())
    return replies[0] if len(replies) == 1 else replies


def ask(server, name, entry, **options):
    return look_up(open_one(server, name, **options), entry)


# -- what the services return ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "entry", "work", "request_"),
    [
        ("doi", entry_of(TIDES), TIDES, "10.5555/Tides.2011"),
        ("crossref", entry_of(TIDES), TIDES, "works/10.5555/Tides.2011"),
        ("datacite", entry_of(PREPRINT), PREPRINT, "dois/10.48550/arXiv.2203.01234"),
        ("openalex", entry_of(TIDES), TIDES, "works/doi:10.5555/Tides.2011"),
        ("openalex", entry_of(TIDES, doi=None), TIDES, "works/pmid:21190001"),
        ("arxiv", entry_of(PREPRINT), PREPRINT, "api/query?id_list=2203.01234"),
        ("arxiv", without_numbers(PREPRINT, url="https://arxiv.org/abs/2203.01234v1"), PREPRINT,
         "api/query?id_list=2203.01234"),
        ("pubmed", entry_of(TIDES), TIDES, "entrez/eutils/esummary.fcgi?db=pubmed&id=21190001"),
        ("semantic_scholar", entry_of(TIDES), TIDES, "graph/v1/paper/DOI:10.5555/Tides.2011"),
        ("open_library", entry_of(BOOK), BOOK, "search.json?isbn=9780306406157"),
        ("courtlistener", entry_of(CASE), CASE, "api/rest/v4/citation-lookup/"),
    ],
)  # fmt: skip
def test_a_work_is_found_by_what_identifies_it(server, name, entry, work, request_):
    reply = ask(server, name, entry)
    assert reply.answer.answer == "match" and reply.answer.covers
    assert reply.records[0]["title"] == work["title"]
    assert reply.records[0]["custom"]["index"] == name
    (asked,) = server.asked(_base(name))
    assert asked.startswith(request_)


@pytest.mark.parametrize(
    ("name", "work", "question"),
    [
        ("crossref", TIDES, "works?query.title=Tides of the northern fjords"),
        ("datacite", PREPRINT, 'dois?query=titles.title:"Lanterns" AND titles.title:"mostly"'),
        ("openalex", TIDES, "works?filter=title.search:Tides of the northern fjords"),
        ("arxiv", PREPRINT, 'api/query?search_query=ti:"Lanterns" AND ti:"mostly" AND'),
        ("pubmed", TIDES, "entrez/eutils/esearch.fcgi?db=pubmed&term=Tides of the northern"),
        ("dblp", SPARSE, "search/publ/api?q=Sparse lanterns for very deep mines&format=json"),
        ("semantic_scholar", SPARSE, "graph/v1/paper/search/match?query=Sparse lanterns"),
        ("open_library", BOOK, "search.json?title=A short history of lanterns"),
    ],
)
def test_a_work_is_found_by_its_title(server, name, work, question):
    reply = ask(server, name, without_numbers(work))
    assert reply.answer.answer == "match"
    assert set(reply.answer.question.split()) <= set(work["title"].split())
    assert [record["title"] for record in reply.records][0] == work["title"]
    assert server.asked(_base(name))[0].startswith(question)


@pytest.mark.parametrize("name", FACTORIES)
def test_an_index_that_has_no_such_work_says_so(server, name):
    invented = {
        "doi": replace(INVENTED, doi="10.5555/nothing"),
        "datacite": replace(INVENTED, type="dataset"),
        "arxiv": replace(INVENTED, type="article", venue="arXiv"),
        "dblp": replace(INVENTED, type="paper-conference", venue="ICML"),
        "open_library": replace(INVENTED, type="book"),
        "courtlistener": entry_of(CASE, pages="999"),
    }.get(name, INVENTED)
    server.works.clear()
    reply = ask(server, name, invented)
    assert (reply.answer.answer, reply.records) == ("none", ())
    assert reply.answer.covers and reply.answer.question and reply.answer.asked_at
    assert reply.identifier_unknown == ("10.5555/nothing" if name == "doi" else None)


def test_a_record_is_a_csl_item(server):
    (record,) = ask(server, "crossref", entry_of(TIDES)).records
    expected = {key: value for key, value in TIDES.items() if key != "PMID"}
    assert expected.items() <= record.items()
    assert record["URL"] == "https://doi.org/10.5555/Tides.2011"
    (record,) = ask(server, "pubmed", entry_of(TIDES)).records
    assert record["author"] == [
        {"family": "Åsheim", "given": "KL"},
        {"literal": "Fjord Survey Group"},
    ]
    (record,) = ask(server, "arxiv", entry_of(PREPRINT)).records
    assert record["author"] == [{"family": "van der Laan", "given": "Piet"}]
    assert (record["type"], record["DOI"]) == ("article", "10.48550/arXiv.2203.01234")
    (record,) = ask(server, "open_library", entry_of(BOOK)).records
    assert record["custom"]["years"] == [1987, 1994]


def test_numbers_that_only_their_own_service_hands_out_are_unknown_there_alone(server):
    server.works.clear()
    preprint = replace(INVENTED, arxiv="2301.99999", venue="arXiv", type="article")
    assert ask(server, "arxiv", preprint).identifier_unknown == "2301.99999"
    assert ask(server, "datacite", preprint).identifier_unknown is None
    numbered = replace(INVENTED, pmid="39999999")
    assert ask(server, "pubmed", numbered).identifier_unknown == "39999999"
    printed = replace(INVENTED, doi="10.13292/j.cnki.1000-1.2019")
    reply = ask(server, "doi", printed)
    assert (reply.identifier_unknown, reply.answer.covers) == (None, False)


def test_the_title_is_looked_up_too_where_the_number_is_not_that_of_the_work(server):
    mixed_up = entry_of(TIDES, doi="10.5555/Other.1")
    server.works.append(
        {**TIDES, "title": "Glaciers and their moraines in summer", "DOI": "10.5555/Other.1"}
    )
    reply = ask(server, "crossref", mixed_up)
    assert [record["DOI"] for record in reply.records][:2] == [
        "10.5555/Other.1",
        "10.5555/Tides.2011",
    ]
    unknown = entry_of(TIDES, doi="10.5555/unknown")
    assert ask(server, "crossref", unknown).records[0]["DOI"] == TIDES["DOI"]


def test_a_short_title_is_looked_up_with_its_first_author_and_then_alone(server):
    server.works[:] = [{**SPARSE, "title": "Deep mines"}]
    entry = without_numbers(SPARSE, title="Deep mines")
    assert ask(server, "dblp", entry).answer.question == "Okonkwo Deep mines"
    somebody_else = replace(entry, authors=(Author(family="Ruiz"),))
    reply = ask(server, "dblp", somebody_else)
    assert (reply.answer.answer, reply.answer.question) == (
        "match",
        "Ruiz Deep mines; Deep mines",
    )


# -- what stands in the way of a comparison ---------------------------------------------------------


def crossref_record(server, facts, **changes):
    work = {**TIDES, **changes, "custom": {"crossref": facts}}
    server.works[:] = [work]
    return ask(server, "crossref", entry_of(work)).records[0]


def test_crossrefs_titles_and_dates_are_joined_and_freed_of_markup(server):
    record = crossref_record(
        server,
        {
            "title": ["The <i>slow</i> tides &amp;amp; CO<sub>2</sub>"],
            "subtitle": ["A   survey\n of fjords"],
            "original-title": ["De langsomme tidevann"],
            "issued": {"date-parts": [[2011, 4]]},
            "published-online": {"date-parts": [[2010, 12, 1]]},
            "created": {"date-parts": [[2018, 1, 1]]},
            "relation": {"has-preprint": [{"id-type": "doi", "id": "10.5555/pre"}]},
            "short-container-title": ["J. Coast. Biol."],
        },
        title="The slow tides & CO2: A survey of fjords",
    )
    assert record["title"] == "The slow tides & CO2: A survey of fjords"
    assert record["custom"]["titles"] == ["The slow tides & CO2", "De langsomme tidevann"]
    assert record["custom"]["years"] == [2010, 2011]
    assert record["custom"]["dois"] == ["10.5555/pre"]
    assert record["custom"]["venues"] == ["J. Coast. Biol."]
    assert record["issued"] == {"date-parts": [[2011, 4]]}


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            {"updated-by": [{"DOI": "10.5555/note", "type": "retraction", "source": "publisher",
                             "updated": {"date-parts": [[2014, 2, 6]]}}]},
            {"kind": "retracted", "date": "2014-02-06", "notice": "10.5555/note"},
        ),
        (
            {"updated-by": [{"DOI": "10.5555/fix", "type": "correction"},
                            {"DOI": "10.5555/doubt", "type": "expression_of_concern"}]},
            {"kind": "concern", "date": None, "notice": "10.5555/doubt"},
        ),
        ({"updated-by": [{"DOI": "10.5555/v2", "type": "new_version"}]}, None),
        (
            {"title": [f"RETRACTED ARTICLE: {TIDES['title']}"]},
            {"kind": "retracted", "date": None, "notice": None},
        ),
    ],
)  # fmt: skip
def test_crossref_says_that_a_work_was_retracted(server, facts, expected):
    record = crossref_record(server, facts)
    assert record["title"] == TIDES["title"]
    assert record["custom"].get("retraction") == (expected and {**expected, "from": "crossref"})


def test_a_notice_tells_of_the_work_that_stands_beside_it(server):
    notice = {
        **TIDES,
        "title": f"Retraction: {TIDES['title']}",
        "DOI": "10.5555/notice",
        "custom": {"crossref": {"update-to": [{
            "DOI": TIDES["DOI"].lower(), "type": "retraction", "label": "Retraction",
            "updated": {"date-time": "2015-06-01T00:00:00Z"}}]}},
    }  # fmt: skip
    server.works.append(notice)
    reply = ask(server, "crossref", without_numbers(TIDES))
    assert [record["DOI"] for record in reply.records][:1] == [TIDES["DOI"]]
    assert "10.5555/notice" not in [record["DOI"] for record in reply.records]
    assert reply.records[0]["custom"]["retraction"] == {
        "kind": "retracted", "date": "2015-06-01", "notice": "10.5555/notice", "from": "crossref",
    }  # fmt: skip


def test_pubmed_and_openalex_say_that_a_work_was_retracted(server):
    references = [{"reftype": "Retraction in", "refsource": "J Coast Biol. 2014;15:9", "pmid": 88}]
    retracted = {
        "pubmed": {
            "pubtype": ["Journal Article", "Retracted Publication"],
            "references": references,
        },
        "openalex": {"is_retracted": True},
    }
    server.works[:] = [{**TIDES, "custom": retracted}]
    assert ask(server, "pubmed", entry_of(TIDES)).records[0]["custom"]["retraction"] == {
        "kind": "retracted", "date": "2014", "notice": "https://pubmed.ncbi.nlm.nih.gov/88/",
        "from": "pubmed",
    }  # fmt: skip
    record = ask(server, "openalex", entry_of(TIDES)).records[0]
    assert record["custom"]["retraction"]["kind"] == "retracted"


@pytest.mark.parametrize(
    "facts",
    [
        {"type": "peer-review"},
        {"relation": {"is-review-of": [{"id-type": "doi", "id": TIDES["DOI"]}]}},
        {"title": [f"Book review: {TIDES['title']}"]},
        {"title": [f"Correction to: {TIDES['title']}"]},
        {"update-to": [{"DOI": "10.5555/x", "type": "erratum"}]},
    ],
)
def test_a_text_about_a_work_is_not_taken_for_it(server, facts):
    server.works[:] = [{**TIDES, "custom": {"crossref": facts}}]
    assert ask(server, "crossref", without_numbers(TIDES)).answer.answer == "none"
    # under its own DOI it is shown as what it is
    assert ask(server, "crossref", entry_of(TIDES)).records[0]["custom"]["about"]


def test_a_work_that_is_called_a_correction_is_itself(server):
    work = {**TIDES, "title": "Correction of astigmatism in four steps"}
    server.works[:] = [work]
    reply = ask(server, "crossref", without_numbers(work))
    assert "about" not in reply.records[0]["custom"]


# -- failures are never "none" ----------------------------------------------------------------------


@pytest.mark.parametrize("name", FACTORIES)
@pytest.mark.parametrize(
    "how", ["down", "html", "half", "empty", "shape", "refuse", "busy", "large", "other_record"]
)
def test_a_service_that_fails_has_not_answered(server, name, how):
    server.fail(_base(name), how)
    reply = ask(server, name, entry_of(OF_ITS_KIND.get(name, TIDES)))
    assert (reply.answer.answer, reply.records) == ("error", ())
    assert reply.answer.why.endswith(".") and reply.identifier_unknown is None


@pytest.mark.parametrize("name", ["crossref", "openalex", "dblp", "semantic_scholar", "pubmed"])
@pytest.mark.parametrize("how", ["down", "html", "half", "empty", "shape", "other_record"])
def test_nor_has_one_whose_search_fails(server, name, how):
    server.fail(name if name != "pubmed" else "pubmed_api", how)
    work = SPARSE if name == "dblp" else TIDES
    assert ask(server, name, without_numbers(work)).answer.answer == "error"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("crossref", {"status": "failed", "message": {"total-results": 0, "items": []}}),
        ("crossref", {"status": "ok", "message": {"total-results": 5, "items": []}}),
        ("crossref", {"status": "ok", "message": {"total-results": 2, "items": [None, None]}}),
        ("crossref", {"status": "ok", "message": {"total-results": 2, "items": [{}, {}]}}),
        ("datacite", {"errors": [{"status": "500"}], "data": []}),
        ("datacite", {"data": [], "meta": {"total": 4}}),
        ("datacite", {"data": [None]}),
        ("openalex", {"error": "overloaded", "results": [], "meta": {"count": 0}}),
        ("openalex", {"meta": {"count": 7}, "results": []}),
        ("openalex", {"meta": {"count": 1}, "results": [None]}),
        ("open_library", {"error": "timeout", "docs": [], "numFound": 0}),
        ("open_library", {"numFound": 3, "docs": []}),
        ("open_library", {"numFound": 0, "docs": ["x"]}),
        ("pubmed", {"esearchresult": {"count": "3", "idlist": []}}),
        ("pubmed", {"esearchresult": {"count": "1", "idlist": [None]}}),
        ("pubmed", {"esearchresult": {"count": "1", "idlist": ["none"]}}),
        ("pubmed", {"error": "API rate limit exceeded", "esearchresult": {"idlist": []}}),
        ("dblp", {"result": {"status": {"@code": "500"}, "hits": {"@total": "0"}}}),
        ("dblp", {"result": {"status": {"@code": "200"}, "hits": {"@total": "2", "hit": []}}}),
        ("dblp", {"result": {"hits": {"@total": "1", "hit": [None]}}}),
        ("semantic_scholar", {"error": "internal", "data": []}),
        ("semantic_scholar", {"data": [None]}),
        ("semantic_scholar", {"total": 3, "data": []}),
    ],
)
def test_an_answer_that_contradicts_itself_is_none(server, name, body):
    server.fail(_base(name), "says", body=json.dumps(body).encode())
    work = without_numbers(OF_ITS_KIND.get(name, TIDES))
    assert ask(server, name, work).answer.answer == "error"


@pytest.mark.parametrize("name", ["doi", "crossref", "datacite", "openalex", "semantic_scholar"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><h1>404 Not Found</h1></html>",
        b'{"message": "no route"}',
        b"404 page not found",
    ],
)
def test_a_404_that_is_not_the_services_own_is_no_answer(server, name, body):
    server.fail(name, "says", body=body, status="404 Not Found")
    reply = ask(server, name, entry_of(OF_ITS_KIND.get(name, TIDES)))
    assert (reply.answer.answer, reply.identifier_unknown) == ("error", None)


@pytest.mark.parametrize("name", FACTORIES)
def test_what_is_nested_deep_costs_one_answer(server, name):
    deep = "[" * 900 + "]" * 900
    bodies = {
        "datacite": f'{{"data": {{"id": "1", "attributes": {{"doi": {deep}, "titles": {deep}}}}}}}',
        "crossref": f'{{"message": {{"title": {deep}, "DOI": {deep}}}}}',
        "pubmed": f'{{"result": {{"uids": {deep}}}}}',
    }
    body = bodies.get(name, f'{{"title": {deep}, "data": {deep}, "docs": {deep}, "id": {deep}}}')
    server.fail(_base(name), "says", body=body.encode())
    assert ask(server, name, entry_of(OF_ITS_KIND.get(name, TIDES))).answer.answer == "error"


def test_what_stands_behind_doi_org_may_fail_without_its_being_left_alone(server):
    with index_server(WORKS) as agency:
        services = Services(**{**server, "wayback": agency["crossref"]})
        index = open_indexes(services, ["doi"], allow_fetch=True)[0]
        for how in ("html", "down", "refuse", "empty"):
            agency.fail("crossref", how)
            for number in range(2):
                server.fail("doi", "redirect", to=f"{agency['crossref']}works/{how}{number}")
                reply = look_up(index, replace(INVENTED, doi=f"10.5555/{how}{number}"))
                assert (reply.answer.answer, reply.identifier_unknown) == ("error", None)
        server.mend("doi")
        assert look_up(index, entry_of(TIDES)).answer.answer == "match"


def test_a_404_behind_doi_org_is_not_its_own(server):
    with index_server([]) as agency:
        server.fail("doi", "redirect", to=f"{agency['crossref']}works/10.5555/nothing")
        services = Services(**{**server, "wayback": agency["crossref"]})
        index = open_indexes(services, ["doi"], allow_fetch=True)[0]
        reply = look_up(index, replace(INVENTED, doi="10.5555/nothing"))
        assert (reply.answer.answer, reply.identifier_unknown) == ("error", None)
        assert agency.asked("crossref") == ["works/10.5555/nothing"]


@pytest.mark.parametrize(
    ("name", "work"), [("dblp", SPARSE), ("arxiv", PREPRINT), ("pubmed", TIDES)]
)
def test_a_title_with_a_wrong_word_is_found_by_its_other_half(server, name, work):
    words = work["title"].split()
    entry = without_numbers(work, title=" ".join([*words[:-1], "chandeliers"]))
    reply = ask(server, name, entry)
    assert [record["title"] for record in reply.records] == [work["title"]]


def test_a_slow_service_is_given_up_at_the_deadline(server):
    server.fail("crossref", "hang")
    services = Services(**server)
    client = IndexClient(services, allow_fetch=True, limits=Limits(seconds=0.3))
    reply = look_up(FACTORIES["crossref"](client), entry_of(TIDES))
    assert reply.answer.answer == "error" and "within 0.3 seconds" in reply.answer.why


def test_a_redirect_to_a_private_address_is_not_followed(server):
    with index_server(WORKS) as inside:
        server.fail("doi", "redirect", to=f"{inside['doi'].replace('127.0.0.1', '127.0.0.2')}x")
        reply = ask(server, "doi", entry_of(TIDES))
        assert reply.answer.answer == "error" and "Blocked for safety" in reply.answer.why
        assert inside.requests("doi") == []


def test_a_busy_service_is_waited_for_and_asked_again(server, monkeypatch):
    server.fail("crossref", "busy", retry_after=0, times=1)
    assert ask(server, "crossref", entry_of(TIDES)).answer.answer == "match"
    assert len(server.requests("crossref")) == 2


def test_one_that_stays_busy_is_left_alone_for_the_rest_of_the_run(server):
    server.fail("crossref", "busy", retry_after=3600)
    index = open_one(server, "crossref")
    first = look_up(index, entry_of(TIDES))
    second = look_up(index, INVENTED)
    assert first.answer.answer == second.answer.answer == "error"
    assert "later" in first.answer.why and "not asked again" in second.answer.why
    assert second.answer.question == ""
    assert len(server.requests("crossref")) == 1


def test_one_that_is_down_is_left_alone_after_three_failures(server):
    server.fail("crossref", "down")
    index = open_one(server, "crossref")
    for number in range(6):
        entry = replace(INVENTED, doi=f"10.5555/{number}")
        assert look_up(index, entry).answer.answer == "error"
    assert len(server.requests("crossref")) == 3


# -- manners ---------------------------------------------------------------------------------------


def test_requests_start_no_faster_than_the_services_headers_allow(server):
    server.headers["crossref"] = {
        "X-Rate-Limit-Limit": "20",
        "X-Rate-Limit-Interval": "1s",
        "X-Concurrency-Limit": "2",
    }
    server.delay = 0.15
    entries = [replace(INVENTED, doi=f"10.5555/{n}", title=None) for n in range(12)]
    index = open_one(server, "crossref")
    look_up(index, entries[0])
    replies = look_up(index, *entries[1:])
    assert {reply.answer.answer for reply in replies} == {"none"}
    assert server.most_at_once["crossref"] == 2
    starts = sorted(server.started["crossref"])[1:]
    assert starts[-1] - starts[0] > 10 * 0.05 * 0.8  # as many intervals, less what may arrive late


def test_before_the_first_answer_the_public_pools_limits_hold(server):
    server.headers["crossref"] = {}
    server.delay = 0.05
    entries = [replace(INVENTED, doi=f"10.5555/{n}", title=None) for n in range(4)]
    look_up(open_one(server, "crossref"), *entries)
    assert server.most_at_once["crossref"] == 1
    starts = server.started["crossref"]
    assert starts[-1] - starts[0] > 0.55  # three intervals of a fifth of a second


def test_the_first_request_goes_alone(server):
    server.delay = 0.3
    entries = [replace(INVENTED, doi=f"10.5555/{n}", title=None) for n in range(2)]
    look_up(open_one(server, "doi"), *entries)
    first, second = server.started["doi"]
    assert second - first > 0.3


def test_a_service_that_puts_its_next_request_off_for_hours_is_not_waited_for(server):
    server.headers["crossref"] = {"X-Rate-Limit-Limit": "1", "X-Rate-Limit-Interval": "99999s"}
    index = open_one(server, "crossref")
    assert look_up(index, entry_of(TIDES)).answer.answer == "match"
    second, third = (look_up(index, replace(INVENTED, doi=f"10.5555/{n}")) for n in range(2))
    assert second.answer.answer == third.answer.answer == "error"
    assert "allows one request in 300 seconds" in second.answer.why
    assert "was not asked again in this run" in third.answer.why
    assert len(server.requests("crossref")) == 1
    # each service has its own pace
    assert ask(server, "datacite", entry_of(PREPRINT)).answer.answer == "match"


@pytest.mark.parametrize("status", ["200 OK", "404 Not Found", "429 Too Many Requests"])
def test_a_page_behind_doi_org_sets_no_limits_for_it(server, status):
    slow = {"X-Rate-Limit-Limit": "1", "X-Rate-Limit-Interval": "999s", "Retry-After": "9"}
    with index_server(WORKS) as landing:
        services = Services(**{**server, "wayback": landing["dblp"]})
        landing.fail("dblp", "says", body=b"{}", status=status, headers=slow)
        server.fail("doi", "redirect", to=f"{landing['dblp']}x", times=1)
        index = open_indexes(services, ["doi"], allow_fetch=True)[0]
        assert look_up(index, replace(INVENTED, doi="10.5555/x")).answer.answer == "error"
        assert look_up(index, entry_of(TIDES)).answer.answer == "match"
        assert len(landing.requests("dblp")) == 1


def test_two_entries_of_one_work_are_one_request(server):
    index = open_one(server, "crossref")
    replies = look_up(index, entry_of(TIDES), entry_of(TIDES, year=1999))
    assert [reply.answer.answer for reply in replies] == ["match", "match"]
    assert len(server.requests("crossref")) == 1


def test_services_are_told_the_contact_and_nothing_but_the_entrys_words(server):
    entry = without_numbers(TIDES, venue="Secret Letters of Biology", volume="77", pages="5-6")
    for name in FACTORIES:
        ask(server, name, replace(entry, doi=TIDES["DOI"]), contact=CONTACT)
    agents = {request.headers["user-agent"] for request in server.web.requests}
    assert len(agents) == 1 and f"mailto:{CONTACT}" in agents.pop()
    crossref = parse_qs(urlsplit(server.requests("crossref")[0].target).query)
    assert crossref["mailto"] == [CONTACT]
    fixed = {
        "select", "fields", "limit", "rows", "page[size]", "per-page", "max_results", "retmax",
        "h", "format", "db", "retmode", "tool", "mailto", "email", "api_key",
    }  # fmt: skip
    words = set(re.findall(r"\w+", f"{entry.title} Åsheim {TIDES['DOI']}".casefold()))
    words.add(TIDES["PMID"])  # PubMed's own answer to its search
    syntax = {"titles", "title", "search", "ti", "doi", "and", "au", "author"}
    for request in server.web.requests:
        for key, values in parse_qs(urlsplit(request.target).query).items():
            if key not in fixed:
                assert set(re.findall(r"\w+", values[0].casefold())) <= words | syntax, (
                    request.target
                )
    every = " ".join(request.raw.decode("latin-1") for request in server.web.requests)
    assert "Secret" not in every and "=77" not in every


def test_the_contact_has_to_be_an_address():
    for contact in ("nobody", "a@b", "a b@example.edu", "a@example.edu\r\nX: y"):
        with pytest.raises(UsageError, match="not an e-mail address"):
            open_indexes(contact=contact)
    assert open_indexes(contact=f" {CONTACT} ")


def test_keys_go_to_their_own_service_and_into_no_message(server, tmp_path, caplog):
    file = tmp_path / "openalex.key"
    file.write_text(f"{KEYS['openalex']}\n")
    keys = {**KEYS, **read_index_keys({"openalex": str(file)})}
    caplog.set_level(logging.DEBUG)
    for name in FACTORIES:
        ask(server, name, entry_of(OF_ITS_KIND.get(name, TIDES)), keys=keys)
    with_keys = [
        request.target.split("/")[1]
        for request in server.web.requests
        if any(key in request.raw.decode("latin-1") for key in KEYS.values())
    ]
    assert set(with_keys) == set(KEYS)
    for how in ("down", "html", "refuse", "busy", "redirect", "half"):
        for name in ("openalex", "semantic_scholar"):
            server.fail(name, how)
            why = str(ask(server, name, entry_of(TIDES), keys=keys).answer.to_dict())
            assert not any(key in why for key in KEYS.values())
    assert not any(key in caplog.text for key in KEYS.values())


def test_a_key_is_not_sent_on_to_where_a_service_leads(server):
    with index_server(WORKS) as elsewhere:
        server.fail("semantic_scholar", "redirect", to=elsewhere["semantic_scholar"] + "x")
        services = Services(**{**server, "wayback": elsewhere["semantic_scholar"]})
        index = open_indexes(services, ["semantic_scholar"], allow_fetch=True, keys=KEYS)[0]
        look_up(index, entry_of(TIDES))
        (request,) = elsewhere.requests("semantic_scholar")
        assert "x-api-key" not in request.headers
        assert (
            server.requests("semantic_scholar")[0].headers["x-api-key"] == KEYS["semantic_scholar"]
        )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"dblp": "key"}, "No index 'dblp' takes a key"),
        ({"openalex": "missing"}, "cannot be read"),
        ({"openalex": "empty"}, "at least 8 plain characters"),
    ],
)
def test_a_key_file_that_cannot_be_used_gets_a_sentence(tmp_path, files, message):
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(UsageError, match=message):
        read_index_keys({name: str(tmp_path / file) for name, file in files.items()})


# -- what may be asked, and the cache --------------------------------------------------------------


def test_nothing_is_sent_unless_it_is_allowed(server):
    for name in FACTORIES:
        entry = entry_of(OF_ITS_KIND.get(name, TIDES))
        reply = ask(server, name, entry, allow_fetch=False)
        assert reply.answer.answer == "not_asked" and "off" in reply.answer.why
        assert (reply.answer.question, reply.answer.asked_at) == ("", None)
    refused = ask(
        server, "crossref", entry_of(TIDES), allow_fetch=False, refused="The operator says no."
    )
    assert refused.answer.why == "The operator says no."
    assert server.web.requests == []


def test_an_index_outside_the_allowed_domains_is_not_asked(server):
    reply = ask(server, "crossref", entry_of(TIDES), allowed_domains=["who.int"])
    assert reply.answer.answer == "not_asked" and "allowed domains" in reply.answer.why
    assert server.web.requests == []


def test_an_index_that_is_switched_off_is_not_asked(server):
    services = replace(Services(**server), crossref=None)
    reply = look_up(open_indexes(services, ["crossref"], allow_fetch=True)[0], entry_of(TIDES))
    assert reply.answer.answer == "not_asked" and "switched off" in reply.answer.why


def test_what_cannot_be_read_is_not_looked_up_but_by_its_number(server):
    unreadable = entry_of(TIDES, unreadable="It has no title.", doi=None, pmid=None)
    reply = ask(server, "crossref", unreadable)
    assert (reply.answer.answer, server.web.requests) == ("not_asked", [])
    numbered = entry_of(TIDES, unreadable="It has no title.")
    assert ask(server, "crossref", numbered).answer.answer == "match"
    unknown = entry_of(TIDES, unreadable="It has no title.", doi="10.5555/unknown")
    ask(server, "crossref", unknown)
    assert len(server.requests("crossref")) == 2


def test_placeholders_are_not_looked_up(server):
    reply = ask(server, "doi", entry_of(TIDES, doi="10.xxxx/example"))
    assert reply.answer.answer == "not_asked" and server.web.requests == []


def test_answers_are_kept_and_replayed_offline(server):
    cache = MemoryAnswerCache()
    online = ask(server, "crossref", entry_of(TIDES), cache=cache, contact=CONTACT)
    nothing = ask(server, "doi", replace(INVENTED, doi="10.5555/none"), cache=cache)
    sent = len(server.web.requests)
    offline = ask(server, "crossref", entry_of(TIDES), cache=cache, offline=True)
    assert (offline.records, offline.answer) == (online.records, online.answer)
    assert (
        ask(server, "doi", replace(INVENTED, doi="10.5555/none"), cache=cache, offline=True)
        == nothing
    )
    other = ask(server, "crossref", INVENTED, cache=cache, offline=True)
    assert other.answer.answer == "not_asked" and other.answer.why.startswith("Offline")
    assert len(server.web.requests) == sent


def test_failures_are_not_kept(server):
    cache = MemoryAnswerCache()
    server.fail("crossref", "half", times=1)
    assert ask(server, "crossref", entry_of(TIDES), cache=cache).answer.answer == "error"
    assert ask(server, "crossref", entry_of(TIDES), cache=cache).answer.answer == "match"


def test_no_key_and_no_contact_is_kept_with_an_answer(server):
    cache = MemoryAnswerCache()
    for name in ("openalex", "crossref", "pubmed"):
        ask(server, name, entry_of(TIDES), cache=cache, contact=CONTACT)
    kept = [answer.question for answer in cache._answers.values()]
    assert len(kept) == 3 and not any("key" in q or CONTACT.split("@")[0] in q for q in kept)


def test_that_there_is_none_is_asked_again_sooner_than_a_record(server):
    now = datetime(2026, 3, 1, tzinfo=UTC)
    cache = MemoryAnswerCache()
    missing = replace(INVENTED, doi="10.5555/none", title=None)

    def requests_at(days):
        client = IndexClient(
            Services(**server),
            allow_fetch=True,
            cache=cache,
            clock=lambda: now + timedelta(days=days),
        )
        before = len(server.web.requests)
        look_up(FACTORIES["crossref"](client), entry_of(TIDES), missing)
        return len(server.web.requests) - before

    assert [requests_at(days) for days in (0, 1, 3, 15)] == [2, 0, 1, 2]
    assert client_module.NONE_DAYS < client_module.MATCH_DAYS


def test_a_kept_answer_that_cannot_be_read_is_asked_for_again(server):
    cache = MemoryAnswerCache()
    ask(server, "crossref", entry_of(TIDES), cache=cache)
    for key, answer in list(cache._answers.items()):
        cache._answers[key] = replace(answer, body=b'{"other": "version"}')
    assert ask(server, "crossref", entry_of(TIDES), cache=cache).answer.answer == "match"
    assert len(server.requests("crossref")) == 2


# -- scopes and the factory ------------------------------------------------------------------------


SCOPES = {
    "an article with a DOI": (entry_of(TIDES), "doi crossref openalex pubmed semantic_scholar"),
    "a conference paper": (
        without_numbers(SPARSE, venue="SIGMOD"),
        "crossref openalex dblp semantic_scholar",
    ),
    "one of a conference without DOIs": (
        without_numbers(SPARSE),
        "datacite openalex dblp semantic_scholar",
    ),
    "a preprint": (entry_of(PREPRINT), "datacite openalex arxiv semantic_scholar"),
    "a book": (without_numbers(BOOK), "crossref openalex open_library"),
    "a data set": (ReferenceEntry(title="Tide gauges", type="dataset"), "datacite"),
    "a page": (ReferenceEntry(title="Tides", url="https://a.example", type="webpage"), ""),
    "an address of no kind": (
        replace(INVENTED, type=None, venue=None, volume=None, url="https://a.example/x"),
        "",
    ),
    "what may be anything": (
        replace(INVENTED, type=None, venue=None, volume=None),
        "crossref openalex arxiv dblp semantic_scholar open_library",
    ),
    "a decision": (entry_of(CASE), "courtlistener"),
    "a decision of no reporter": (ReferenceEntry(title="A v. B", type="legal_case"), ""),
}


@pytest.mark.parametrize("kind", SCOPES)
def test_an_index_covers_what_it_should_hold(kind):
    entry, names = SCOPES[kind]
    indexes = open_indexes(names=list(FACTORIES), keys=KEYS)
    assert [index.name for index in indexes if index.covers(entry)] == [
        name for name in FACTORIES if name in names.split()
    ]


def test_the_title_goes_to_no_index_that_does_not_hold_such_works(server):
    web_page = ReferenceEntry(title="Tides of the northern fjords", url="https://a.example")
    for name in FACTORIES:
        reply = ask(server, name, web_page)
        assert (reply.answer.answer, reply.answer.covers) == ("not_asked", False)
    assert server.web.requests == []


def test_a_search_that_finds_other_works_has_answered(server):
    """Ranking services return the nearest titles, if only an `of` is shared."""
    reply = ask(server, "crossref", INVENTED)
    assert reply.answer.answer == "match" and reply.records[0]["title"] == TIDES["title"]


def test_those_that_answer_anybody_are_asked_unless_others_are_named():
    usual = ["doi", "crossref", "datacite", "arxiv", "pubmed", "dblp", "open_library"]
    assert [index.name for index in open_indexes()] == usual
    with_key = open_indexes(keys={"openalex": KEYS["openalex"]})
    assert "openalex" in [index.name for index in with_key]
    named = open_indexes(names=["dblp", "doi", "dblp"])
    assert [index.name for index in named] == ["dblp", "doi"]
    assert all(index.description for index in open_indexes(names=list(FACTORIES)))
    with pytest.raises(UsageError, match="no index 'google'"):
        open_indexes(names=["google"])


def test_arxiv_and_pubmed_are_not_asked_in_public_where_their_pages_are_ones_own():
    services = Services(arxiv="http://127.0.0.1:1/", pubmed="http://127.0.0.1:2/")
    assert services.index_base("arxiv") == "http://127.0.0.1:1/"
    assert services.index_base("pubmed") == "http://127.0.0.1:2/"
    assert Services().index_base("arxiv") == "https://export.arxiv.org/"


def test_a_form_is_posted_with_its_token_and_not_led_on(server):
    """As CourtListener is asked."""
    seen = []

    async def answer(request, writer):
        seen.append(request)
        await page(b'{"clusters": []}', content_type="application/json")(request, writer)

    with fake_web({"/citation-lookup/": answer, "/moved/": redirect("/citation-lookup/")}) as web:
        client = IndexClient(Services(courtlistener=web.base), allow_fetch=True, keys=KEYS)
        question = ServiceQuestion(
            words="1 U.S. 1", path="citation-lookup/", form={"text": "1 U.S. 1"}
        )
        answered = asyncio.run(client.ask("courtlistener", question, lambda body: []))
        moved = replace(question, path="moved/")
        with pytest.raises(NoAnswer, match="not forwarded"):
            asyncio.run(client.ask("courtlistener", moved, lambda body: []))
    assert answered.records == [] and len(seen) == 1
    assert seen[0].raw.startswith(b"POST /citation-lookup/ ")
    assert seen[0].headers["authorization"] == f"Token {KEYS['courtlistener']}"
    assert seen[0].headers["content-type"] == "application/x-www-form-urlencoded"


def test_hostile_answers_do_no_harm(server):
    record = crossref_record(
        server,
        {
            "title": ["Tides\u0000 of \ud800the <script>northern</script> fjords"],
            "author": [{"family": None}, "x", {"name": "<b>Fjord</b> Survey"}],
            "issued": {"date-parts": [["2011", None]]},
            "container-title": {"a": 1},
            "updated-by": "nobody",
            "relation": [],
            "page": 12.5,
        },
    )
    assert record["title"] == "Tides of \ufffdthe northern fjords"
    assert record["author"] == [{"literal": "Fjord Survey"}]
    assert json.dumps(record)


def test_threads_with_their_own_event_loops_share_a_services_pace(server):
    from concurrent.futures import ThreadPoolExecutor

    server.headers["crossref"] = {}
    server.delay = 0.05
    entries = [replace(INVENTED, doi=f"10.5555/{n}", title=None) for n in range(4)]
    with ThreadPoolExecutor(4) as threads:
        replies = list(threads.map(lambda e: ask(server, "crossref", e), entries))
    assert {reply.answer.answer for reply in replies} == {"none"}
    assert server.most_at_once["crossref"] == 1


def _base(name):
    return {"arxiv": "arxiv_api", "pubmed": "pubmed_api"}.get(name, name)
