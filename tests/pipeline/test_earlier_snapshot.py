"""A log-in wall that took a page's place does not take the page away."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.fakes.web_server import PUBLIC, diverted, fake_web, page
from workbench import verify
from workbench.records.source import Fetched, RetrievalOptions
from workbench.sources.snapshots import SnapshotFolder

TEXT = "The bridge is 120 m long [1].\n\nReferences\n[1] http://bridge.example/a\n"
ARTICLE = "The bridge measures 120 m in length. It is painted blue. It opened in 1931. " * 4
WALL = (
    "<html><head><title>Log in</title></head><body><form><input type=password></form>"
    "<p>Please log in to continue.</p></body></html>"
)
EVERY_TIME = RetrievalOptions(refresh=True)


def html(text):
    return f"<html><head><title>The bridge</title></head><body><h1>The bridge</h1><p>{text}</p>"


@pytest.fixture
def web(monkeypatch):
    with fake_web() as server, diverted(monkeypatch, server, {"bridge.example": [PUBLIC]}):
        yield server


def check(folder, **options):
    defaults = {"snapshots": folder, "allow_fetch": True, "judge": "local"}
    return verify(TEXT, **(defaults | options)).counted[0]


def test_a_wall_after_an_article_leaves_the_article_in_use(web, tmp_path):
    web.replies["/a"] = page(html(ARTICLE))
    first = check(tmp_path)
    assert first.status == "ok" and not first.notes
    web.replies["/a"] = page(WALL)
    then = check(tmp_path, reach=EVERY_TIME)
    assert then.status == "ok"
    assert then.source.sha256 == first.source.sha256
    assert then.source.fetched_at == first.source.fetched_at
    (note,) = [note for note in then.notes if note.kind == "source"]
    assert "Judged on the earlier snapshot of 20" in note.message
    # the wall is stored as fetched, and later runs, offline too, still judge the article
    assert len(SnapshotFolder(tmp_path).history("http://bridge.example/a")) == 2
    offline = check(tmp_path, allow_fetch=False, offline=True)
    assert offline.source.sha256 == first.source.sha256


def test_a_wall_without_an_article_before_it_is_no_evidence(web, tmp_path):
    web.replies["/a"] = page(WALL)
    for _ in range(2):
        result = check(tmp_path, reach=EVERY_TIME)
        assert (result.status, result.error.kind) == ("error", "not_evidence")
        assert result.source is not None
    web.replies["/a"] = page(html(ARTICLE))
    assert check(tmp_path, reach=EVERY_TIME).status == "ok"


def test_a_page_that_really_changed_is_read_anew(web, tmp_path):
    web.replies["/a"] = page(html(ARTICLE))
    first = check(tmp_path)
    web.replies["/a"] = page(html(ARTICLE.replace("120", "130")))
    then = check(tmp_path, reach=EVERY_TIME)
    assert then.source.sha256 != first.source.sha256
    assert not [note for note in then.notes if note.kind == "source"]


def test_what_somebody_gave_does_not_age(web, tmp_path):
    web.replies["/a"] = page(html(ARTICLE.replace("120", "130")))
    long_ago = datetime.now(UTC) - timedelta(days=400)
    url = "http://bridge.example/a"
    fields = {"url": url, "final_url": url, "content_type": "text/plain", "body": ARTICLE.encode()}
    folder = SnapshotFolder(tmp_path)
    folder.put(Fetched(**fields, status=None, fetched_at=long_ago))
    result = check(tmp_path)
    assert result.source.sha256 == Fetched(**fields, status=None).sha256
    # a page that was fetched as long ago is fetched again
    folder.put(Fetched(**fields, status=200, fetched_at=long_ago))
    assert check(tmp_path).source.sha256 != result.source.sha256
