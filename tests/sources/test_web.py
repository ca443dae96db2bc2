"""The web fetcher: snapshots, identifiers, one request for one address, manners."""

import asyncio
import json
from datetime import timedelta

import pytest

from tests.fakes.web_server import PUBLIC, diverted, fake_web, page, redirect
from workbench.errors import FetchError, SourceError
from workbench.records.citation import Target
from workbench.records.source import SourceQuery
from workbench.sources.given import replacement
from workbench.sources.services import Services
from workbench.sources.snapshots import SnapshotFolder
from workbench.sources.web import WebFetcher

ARTICLE = "<html><body><article><p>Rain fell in Bergen: 2,495 mm.</p></article></body></html>"
NAMES = {
    name: [PUBLIC]
    for name in (
        "a.example",
        "b.example",
        "web.archive.org",
        "crossref.example",
        "archive.example",
        "doi.org",
        "www.example.com",
    )
}


@pytest.fixture
def web(monkeypatch):
    with fake_web({"*": page(ARTICLE)}) as server, diverted(monkeypatch, server, NAMES):
        yield server


def query(value, form="url", **fields):
    return SourceQuery(target=Target(form=form, value=value), **fields)


def get(fetcher, *queries):
    async def main():
        return await asyncio.gather(*[fetcher.fetch(query) for query in queries])

    results = asyncio.run(main())
    return results[0] if len(results) == 1 else results


def failure(fetcher, source_query):
    with pytest.raises(SourceError) as caught:
        asyncio.run(fetcher.fetch(source_query))
    return caught.value


# -- snapshots ------------------------------------------------------------------------------------


def test_a_page_is_kept_and_replayed_offline(web, tmp_path):
    folder = SnapshotFolder(tmp_path)
    first = get(WebFetcher(snapshots=folder, allow_fetch=True), query("http://a.example/x"))
    offline = WebFetcher(snapshots=SnapshotFolder(tmp_path), allow_fetch=True, offline=True)
    again = get(offline, query("https://A.example/x/#part"))
    assert (again.body, again.sha256, again.status) == (first.body, first.sha256, 200)
    assert again.url == "https://A.example/x/#part"
    assert again.fetched_at == first.fetched_at
    assert len(web.requests) == 1
    assert failure(offline, query("http://a.example/y")).kind == "fetch_disabled"
    assert len(web.requests) == 1


def test_without_leave_nothing_is_asked(web):
    assert failure(WebFetcher(), query("http://a.example/")).kind == "fetch_disabled"
    assert web.requests == []


def test_a_fresh_snapshot_saves_the_request_and_an_old_one_does_not(web, tmp_path):
    folder = SnapshotFolder(tmp_path)
    for max_age, requests in ((timedelta(days=1), 1), (timedelta(0), 2), (None, 2)):
        get(
            WebFetcher(snapshots=folder, allow_fetch=True, max_age=max_age),
            query("http://a.example/"),
        )
        assert len(web.requests) == requests
    get(WebFetcher(snapshots=folder, allow_fetch=True, refresh=True), query("http://a.example/"))
    assert len(web.requests) == 3
    assert len(folder.history("http://a.example/")) == 3


def test_a_changed_page_is_a_second_snapshot(web, tmp_path):
    folder = SnapshotFolder(tmp_path)
    first = get(WebFetcher(snapshots=folder, allow_fetch=True), query("http://a.example/"))
    web.replies["*"] = page("<p>Something else: 7 mm.</p>")
    second = get(
        WebFetcher(snapshots=folder, allow_fetch=True, refresh=True), query("http://a.example/")
    )
    assert folder.get(first.sha256).body == ARTICLE.encode()
    assert folder.find("http://a.example/").body == second.body != first.body


def test_what_somebody_uploads_answers_for_the_address(web, tmp_path):
    folder = SnapshotFolder(tmp_path)
    first = get(WebFetcher(snapshots=folder, allow_fetch=True), query("http://a.example/paper"))
    folder.put(replacement("http://a.example/paper", b"The whole paper.", "paper.txt"))
    source = get(
        WebFetcher(snapshots=folder, allow_fetch=True, max_age=timedelta(0)),
        query("http://a.example/paper"),
    )
    assert (source.body, source.status, source.content_type) == (
        b"The whole paper.",
        None,
        "text/plain",
    )
    assert folder.get(first.sha256).body == first.body
    assert len(web.requests) == 1


def test_an_old_snapshot_stands_in_while_the_site_is_silent(web, tmp_path, monkeypatch):
    folder = SnapshotFolder(tmp_path)
    get(WebFetcher(snapshots=folder, allow_fetch=True), query("http://a.example/"))
    with diverted(monkeypatch, web, {}):
        old = get(
            WebFetcher(snapshots=folder, allow_fetch=True, max_age=timedelta(0)),
            query("http://a.example/"),
        )
    assert old.body == ARTICLE.encode()
    web.replies["*"] = page("gone", status="404 Not Found")
    dead = WebFetcher(snapshots=folder, allow_fetch=True, max_age=timedelta(0))
    assert failure(dead, query("http://a.example/")).kind == "bad_status"


# -- one request for one address -----------------------------------------------------------------


def test_citations_of_one_address_are_one_request(web):
    web.replies["*"] = page(ARTICLE, delay=0.1)
    fetcher = WebFetcher(allow_fetch=True)
    spellings = [
        "http://a.example/x",
        "https://a.example/x/",
        "http://A.EXAMPLE/x#p",
        "http://a.example/x",
    ]
    together = get(
        fetcher, *[query(spelling, label=str(n)) for n, spelling in enumerate(spellings)]
    )
    assert len({source.sha256 for source in together}) == 1
    assert [source.url for source in together] == spellings
    get(fetcher, query("http://a.example/x?utm_source=y"))
    assert len(web.requests) == 1


def test_a_failure_is_not_asked_for_twice(web):
    web.replies["*"] = page("no", status="500 Oops")
    fetcher = WebFetcher(allow_fetch=True)
    assert failure(fetcher, query("http://a.example/")).kind == "bad_status"
    assert failure(fetcher, query("http://a.example/")).kind == "bad_status"
    assert len(web.requests) == 1


def test_who_waits_is_served_when_another_gives_up(web):
    web.replies["*"] = page(ARTICLE, delay=0.3)
    fetcher = WebFetcher(allow_fetch=True)

    async def main():
        first = asyncio.create_task(fetcher.fetch(query("http://a.example/")))
        second = asyncio.create_task(fetcher.fetch(query("http://a.example/")))
        await asyncio.sleep(0.1)
        first.cancel()
        source = await second
        assert first.cancelled()
        return source

    assert asyncio.run(main()).body == ARTICLE.encode()
    assert len(web.requests) == 1


def test_cancelling_all_who_wait_leaves_nothing_running(web):
    web.replies["*"] = page(ARTICLE, delay=20)
    fetcher = WebFetcher(allow_fetch=True)

    async def main():
        tasks = [
            asyncio.create_task(fetcher.fetch(query(f"http://a.example/{n % 3}"))) for n in range(6)
        ]
        while len(web.requests) < 2:
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert all(task.cancelled() for task in tasks)

    asyncio.run(main())


def test_few_at_once_and_fewer_at_one_host(web, monkeypatch):
    web.replies["*"] = page(ARTICLE, delay=0.05)
    names = {f"h{n}.example": [PUBLIC] for n in range(12)}
    with diverted(monkeypatch, web, names):
        # Sorted by host: a queue for a busy host must not keep the others waiting.
        addresses = [f"http://h{n // 8}.example/{n}" for n in range(96)]
        get(WebFetcher(allow_fetch=True), *[query(address) for address in addresses])
    assert web.most_open <= 16
    assert web.most_open > 10
    assert max(web.most_by_host.values()) == 2
    assert len(web.requests) == 96


# -- identifiers ---------------------------------------------------------------------------------


def services(web, **fields):
    bases = {name: f"{web.base}{name}/" for name in ("doi", "arxiv", "pubmed", "pmc", "wayback")}
    return Services(**{"crossref": None, **bases, **fields})


@pytest.mark.parametrize(
    ("form", "value", "target"),
    [
        ("doi", "10.1000/abc", "/doi/10.1000/abc"),
        ("doi", "https://doi.org/10.1000/ABC", "/doi/10.1000/abc"),
        ("doi", "10.1000/a<b>#c?d e", None),
        ("doi", "10.1000/a<b>#c?d", "/doi/10.1000/a%3Cb%3E%23c%3Fd"),
        ("doi", "10.1000/x@evil.example/", "/doi/10.1000/x%40evil.example"),
        ("doi", "not-a-doi", None),
        ("arxiv", "1706.03762v5", "/arxiv/pdf/1706.03762v5"),
        ("arxiv", "hep-th/9901001", "/arxiv/pdf/hep-th/9901001"),
        ("arxiv", "../../etc", None),
        ("pmid", "31452104", "/pubmed/31452104/"),
        ("pmid", "PMC7029759", "/pmc/articles/PMC7029759/"),
        ("pmid", "12; rm", None),
    ],
)
def test_identifiers_are_asked_at_their_service(form, value, target, web):
    fetcher = WebFetcher(allow_fetch=True, services=services(web))
    if target is None:
        assert failure(fetcher, query(value, form)).kind == "unresolvable_kind"
        assert web.requests == []
    else:
        source = get(fetcher, query(value, form))
        assert source.url == value
        assert [request.target for request in web.requests] == [target]


def test_a_doi_leads_to_its_publisher_under_the_guard(web):
    web.replies["/doi/10.1000/ok"] = redirect("http://b.example/article")
    web.replies["/doi/10.1000/bad"] = redirect(f"http://127.0.0.1:{web.port + 1}/")
    fetcher = WebFetcher(allow_fetch=True, services=services(web))
    assert get(fetcher, query("10.1000/ok", "doi")).final_url == "http://b.example/article"
    assert failure(fetcher, query("10.1000/bad", "doi")).kind == "ssrf"


@pytest.mark.parametrize(
    ("form", "value", "host"),
    [
        ("doi", "10.1000/abc", "doi.test.example"),
        ("arxiv", "1706.03762", "arxiv.test.example"),
        ("pmid", "31452104", "pubmed.test.example"),
        ("pmid", "PMC7029759", "pmc.test.example"),
    ],
)
def test_the_allowlist_holds_for_what_resolves_identifiers(form, value, host, web):
    bases = {name: f"http://{name}.test.example/" for name in ("doi", "arxiv", "pubmed", "pmc")}
    fetcher = WebFetcher(["b.example"], allow_fetch=True, services=Services(**bases))
    error = failure(fetcher, query(value, form))
    assert error.kind == "not_allowed_domain"
    assert f"allow {host}" in error.message
    assert web.requests == []


def test_a_second_service_is_asked_only_where_it_is_allowed(web):
    others = services(web, crossref="http://crossref.example/", wayback="http://archive.example/")
    web.replies["/doi/10.1000/a"] = redirect("http://a.example/article")
    web.replies["a.example/gone"] = page("no", status="404 Not Found")
    fetcher = WebFetcher(
        ["127.0.0.1", "a.example"], allow_fetch=True, services=others, archive=True
    )
    source = get(fetcher, SourceQuery(target=Target(form="doi", value="10.1000/a"), title="Rain"))
    assert source.final_url == "http://a.example/article"
    assert failure(fetcher, query("http://a.example/gone")).kind == "bad_status"
    assert {request.host.partition(":")[0] for request in web.requests} == {
        "127.0.0.1", "a.example",
    }  # fmt: skip


def test_where_a_doi_leads_has_to_be_allowed_too(web):
    web.replies["/doi/10.1000/a"] = redirect("http://a.example/article")
    web.replies["/doi/10.1000/b"] = redirect("http://b.example/article")
    fetcher = WebFetcher(["127.0.0.1", "a.example"], allow_fetch=True, services=services(web))
    assert get(fetcher, query("10.1000/a", "doi")).status == 200
    error = failure(fetcher, query("10.1000/b", "doi"))
    assert error.kind == "not_allowed_domain" and "allow b.example" in error.message


def test_a_doi_that_does_not_exist(web):
    web.replies["/doi/10.1000/none"] = page("no", status="404 Not Found")
    error = failure(
        WebFetcher(allow_fetch=True, services=services(web)), query("10.1000/none", "doi")
    )
    assert error.kind == "bad_status"
    assert "does not exist" in error.message


def crossref(title):
    work = {"message": {"title": [title], "issued": {"date-parts": [[2019, 5]]}}}
    return page(json.dumps(work), content_type="application/json")


@pytest.mark.parametrize(
    ("registered", "cited_title", "same"),
    [
        ("Rain in Bergen: a survey of stations", "Rain in Bergen", True),
        ("Rain in <i>Bergen</i>", "A. Lee (2019). Rain in Bergen. J. Weather 3.", True),
        ("Attention is all you need", "Attention Is All You Need", True),
        ("Feeding habits of the arctic fox", "Rain in Bergen and other cities", False),
        ("Feeding habits of the arctic fox", "北方城市的降雨调查", True),
        ("Feeding habits of the arctic fox", "Editorial", True),
    ],
)
def test_a_doi_of_another_work_is_found(registered, cited_title, same, web):
    web.replies["/crossref/works/10.1000%2Fabc"] = crossref(registered)
    fetcher = WebFetcher(allow_fetch=True, services=services(web, crossref=f"{web.base}crossref/"))
    if same:
        assert get(fetcher, query("10.1000/abc", "doi", title=cited_title)).status == 200
    else:
        error = failure(fetcher, query("10.1000/abc", "doi", title=cited_title))
        assert error.kind == "not_evidence"
        assert registered in error.message
        assert "2019" in error.message


def test_the_address_of_a_doi_is_checked_like_the_doi(web):
    web.replies["/crossref/works/10.1000%2Fabc"] = crossref("Feeding habits of the arctic fox")
    fetcher = WebFetcher(allow_fetch=True, services=services(web, crossref=f"{web.base}crossref/"))
    address = query("http://doi.org/10.1000/abc", title="Rain in Bergen and other cities")
    error = failure(fetcher, address)
    assert error.kind == "not_evidence"
    assert "Feeding habits" in error.message


@pytest.mark.parametrize(
    "address", ["https://doi.org/10.xxxx/abc", "https://site.example/[link]", "10.1234/xxxx"]
)
def test_a_placeholder_is_named_before_anybody_is_asked(address, web):
    form = "url" if address.startswith("http") else "doi"
    error = failure(WebFetcher(allow_fetch=True, services=services(web)), query(address, form))
    assert error.kind == "unresolvable_kind"
    assert "placeholder" in error.message
    assert not web.requests


def test_the_page_at_an_example_address_is_no_evidence(web):
    web.replies["/doc"] = page("<html><title>Example Domain</title><p>For use in examples.</p>")
    fetcher = WebFetcher(allow_fetch=True, services=services(web))
    assert get(fetcher, query("http://a.example/doc")).status == 200
    error = failure(fetcher, query("http://www.example.com/doc"))
    assert error.kind == "not_evidence"
    assert "placeholder" in error.message


@pytest.mark.parametrize(
    "reply",
    [
        page("no", status="500 Oops"),
        page("{broken", content_type="application/json"),
        page("[]", content_type="application/json"),
        page('{"message": {"title": "text"}}', content_type="application/json"),
    ],
)
def test_a_silent_or_odd_registry_changes_nothing(reply, web):
    web.replies["/crossref/works/10.1000%2Fabc"] = reply
    fetcher = WebFetcher(allow_fetch=True, services=services(web, crossref=f"{web.base}crossref/"))
    assert get(fetcher, query("10.1000/abc", "doi", title="Rain in Bergen")).status == 200


def test_the_abstract_stands_in_where_there_is_no_full_text(web):
    web.replies["/arxiv/pdf/1706.03762"] = page("no", status="404 Not Found")
    source = get(WebFetcher(allow_fetch=True, services=services(web)), query("1706.03762", "arxiv"))
    assert source.final_url.endswith("/arxiv/abs/1706.03762")


def test_the_free_full_text_behind_a_pubmed_page(web):
    web.replies["/pubmed/31452104/"] = page('<a href="/articles/PMC7029759/">Free</a> Abstract')
    web.replies["/pmc/articles/PMC7029759/"] = page(ARTICLE)
    fetcher = WebFetcher(allow_fetch=True, services=services(web))
    assert get(fetcher, query("31452104", "pmid")).body == ARTICLE.encode()
    web.replies["/pubmed/2/"] = page('<a href="/articles/PMC99/">Free</a> Abstract')
    web.replies["/pmc/articles/PMC99/"] = page("no", status="403 Forbidden")
    assert b"Abstract" in get(fetcher, query("2", "pmid")).body


@pytest.mark.parametrize("form", ["case", "file", "git", "memory", "guess"])
def test_what_is_not_on_the_web(form, web):
    assert failure(WebFetcher(allow_fetch=True), query("x", form)).kind == "unresolvable_kind"


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        ("file", "src/app.py:42", "file:src/app.py:42 is a local file: provide it as a"),
        ("file", "file:src/app.py:42", "file:src/app.py:42 is a local file"),
        ("file", "app.py", "`roots` in settings.toml"),
        ("git", "abc1234", "git:abc1234 is a commit: provide its text as a source"),
        ("git", "abc1234", "`repositories` in settings.toml"),
        ("memory", "m1", "memory:m1 is a memory entry"),
        ("memory", "m1", "`memories` in settings.toml"),
        ("case", "925 F.3d 1339", "925 F.3d 1339 is a court decision"),
    ],
)
def test_what_is_not_on_the_web_says_what_to_do(form, value, message, web):
    assert message in failure(WebFetcher(allow_fetch=True), query(value, form)).message


def test_a_query_without_an_address():
    assert failure(WebFetcher(allow_fetch=True), SourceQuery(label="3")).kind == "no_source"


# -- the archive, robots --------------------------------------------------------------------------


def test_a_dead_link_has_an_archived_copy_where_that_is_wished_for(web):
    async def archive(request, writer):
        archived = (
            request.target.startswith("/wayback/web/2")
            and "http://a.example/dead" in request.target
        )
        reply = page(ARTICLE) if archived else page("no", status="404 Not Found")
        await reply(request, writer)

    web.replies["*"] = archive
    plain = WebFetcher(allow_fetch=True, services=services(web))
    assert failure(plain, query("http://a.example/dead")).kind == "bad_status"
    saved = get(
        WebFetcher(allow_fetch=True, archive=True, services=services(web)),
        query("http://a.example/dead"),
    )
    assert saved.url == "http://a.example/dead"
    assert "/wayback/web/2" in saved.final_url
    assert saved.body == ARTICLE.encode()


@pytest.mark.parametrize("address", ["http://127.0.0.1/", "ftp://a.example/", "http://x.local/"])
def test_the_archive_is_not_asked_for_what_is_blocked(address, web):
    fetcher = WebFetcher(allow_fetch=True, archive=True, services=services(web))
    assert failure(fetcher, query(address)).kind in ("ssrf", "bad_scheme")
    assert web.requests == []


def test_robots_are_heard_only_where_the_setting_says_so(web):
    web.replies["/robots.txt"] = page(
        "User-agent: *\nDisallow: /private/\n", content_type="text/plain"
    )
    assert get(WebFetcher(allow_fetch=True), query("http://a.example/private/x")).status == 200
    polite = WebFetcher(allow_fetch=True, robots=True)
    assert failure(polite, query("http://a.example/private/y")).kind == "fetch_disabled"
    assert get(polite, query("http://a.example/open")).status == 200
    assert get(polite, query("http://a.example/open2")).status == 200
    assert web.targets().count("a.example/robots.txt") == 1


def test_a_site_without_robots_asks_nothing(web):
    web.replies["/robots.txt"] = page("no", status="404 Not Found")
    assert get(WebFetcher(allow_fetch=True, robots=True), query("http://a.example/x")).status == 200


def test_fetch_errors_say_which_address(web):
    web.replies["*"] = page("no", status="403 Forbidden")
    error = failure(WebFetcher(allow_fetch=True), query("http://a.example/x?key=secret"))
    assert isinstance(error, FetchError)
    assert error.url == "http://a.example/x"
    assert "secret" not in error.message
