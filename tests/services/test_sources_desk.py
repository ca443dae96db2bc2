"""What the Sources page knows and does: real store, real snapshots, a local web."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from tests.fakes import records as make
from tests.fakes.web_server import PUBLIC, diverted, fake_web, page
from workbench.errors import FetchError, UsageError
from workbench.pipeline.options import VerifyOptions
from workbench.records.citation import Target
from workbench.records.source import Fetched
from workbench.records.stored_sources import SourceCitation
from workbench.records.text import Span
from workbench.records.verdict import Evidence
from workbench.services.sources.actions import SourceActions, UploadedSource
from workbench.services.sources.catalog import list_sources, lost_quotes, read_version, text_of
from workbench.services.verification import verify_and_store
from workbench.sources.snapshots import SnapshotFolder
from workbench.sources.web import WebFetcher
from workbench.store.sources import SourceRepository
from workbench.store.store import Store

ANSWER = """The bridge is 120 m long [1]. It opened in 1931 [2], and it is blue [1].

References
[1] The bridge. http://bridge.example/a
[2] The opening. http://bridge.example/b
"""
OTHER = "Its length is 120 m (http://BRIDGE.example:80/a/?utm_source=x). Nobody knows [1].\n"
LONG = "The bridge measures 120 m in length. It is painted blue. It opened in 1931. " * 4
WALL = (
    "<html><head><title>Log in</title></head><body><form><input type=password></form>"
    "<p>Please log in to continue.</p></body></html>"
)


SCRIPT = """[
  {"if_source_contains": "1931", "label": "supported", "quote": "*"},
  {"if_source_contains": "120 m", "label": "supported", "quote": "*"}
]"""


def html(text, title="The bridge"):
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body>"


class Desk:
    """A store, a folder of snapshots and a web of two pages."""

    def __init__(self, folder, web):
        self.store = Store(folder / "w.duckdb")
        self.book = SourceRepository(self.store)
        self.folder = SnapshotFolder(folder / "snapshots")
        self.web = web
        script = folder / "script.json"
        script.write_text(SCRIPT)
        self.judge = f"scripted:{script}"

    def check(self, text=ANSWER, **options):
        defaults = {
            "allow_fetch": True,
            "snapshots": self.folder.path,
            "judge": self.judge,
        }
        name = options.pop("name", "Bridges")
        return verify_and_store(self.store, text, name, VerifyOptions(**(defaults | options)))

    def rows(self, *run_ids, uncited=True):
        ids = run_ids or [stamp.run_id for stamp in self.book.run_versions()]
        uses = [use for uses in self.book.uses(ids).values() for use in uses]
        return list_sources(
            uses,
            self.folder.list(),
            self.book.supplied(),
            self.book.acceptances(),
            uncited=uncited,
        )

    def row(self, ending):
        (row,) = [row for row in self.rows() if row.address.rstrip("/").endswith(ending)]
        return row

    def recheck(self, ending, on_progress=None):
        row = self.row(ending)
        return SourceActions(self.store, self.folder, row, row.uses, on_progress)

    def fetcher(self):
        return WebFetcher(snapshots=self.folder, allow_fetch=True, refresh=True)

    def serve(self, path, body, **facts):
        self.web.replies[path] = page(body, **facts)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    with fake_web() as web, diverted(monkeypatch, web, {"bridge.example": [PUBLIC]}) as network:
        network.default = [PUBLIC]
        source_desk = Desk(tmp_path, web)
        source_desk.serve("/a", html(LONG))
        source_desk.serve("/b", WALL)
        yield source_desk


def judged_rows(outcome):
    return [
        (judged.citation.raw, judged.before, judged.before_error, judged.after, judged.after_error)
        for judged in outcome.judged
    ]


def test_a_row_for_each_source_with_its_facts_and_its_citations_by_verdict(desk):
    desk.check()
    first, second = desk.rows()
    assert (first.host, first.title, first.state) == ("bridge.example", "The bridge", "read")
    assert first.facts.status == 200
    assert sum(first.counts().values()) == 2
    assert [version.requests for version in first.versions] == [1]
    assert first.judged == first.newest
    assert not first.changed
    assert (second.state, second.error.kind) == ("not_evidence", "not_evidence")
    assert second.facts.sha256 == second.newest.sha256
    assert second.counts() == {"unverifiable": 1}
    assert Counter([first.state, second.state]) == {"read": 1, "not_evidence": 1}


def test_every_spelling_of_an_address_in_every_run_is_one_source(desk):
    desk.check()
    desk.serve("/a/", html(LONG))
    desk.check(OTHER, name="Lengths")
    (row,) = [row for row in desk.rows() if row.title == "The bridge"]
    assert {use.run_name for use in row.uses} == {"Bridges", "Lengths"}
    assert len({row.id for row in desk.rows()}) == len(desk.rows())


def test_a_citation_that_names_no_source_has_no_row(desk):
    desk.check("Nobody knows [7].")
    assert desk.rows() == []


def test_what_nobody_cites_is_listed_where_it_is_wished_for(desk):
    desk.folder.put(
        Fetched(
            url="https://other.example/x", final_url="https://other.example/x", status=200,
            content_type="text/plain", body=b"Other.", fetched_at=make.MOMENT,
        )
    )  # fmt: skip
    run = desk.check()
    (other,) = [row for row in desk.rows() if row.state == "uncited"]
    assert other.host == "other.example"
    assert other.target == Target(form="url", value="https://other.example/x")
    assert all(row.uses for row in desk.rows(run.id, uncited=False))


@pytest.mark.parametrize(
    ("target", "address", "askable"),
    [
        (Target(form="doi", value="10.5555/abc", reference=0), "doi:10.5555/abc", True),
        (Target(form="arxiv", value="2401.00001"), "arxiv:2401.00001", True),
        (Target(form="file", value="notes.md:3"), "file:notes.md:3", False),
        (Target(form="url", value="https://b.example/x"), "https://b.example/x", True),
    ],
)
def test_a_source_that_could_not_be_fetched_is_known_by_what_was_cited(target, address, askable):
    failed = make.failure(1, "timeout")
    failed = type(failed)(
        citation=make.citation(1, target=target), status="error", verdict="unverifiable",
        error=failed.error,
    )  # fmt: skip
    (row,) = list_sources(
        [SourceCitation(run_id="r", run_name="n", result=failed, judged_at=make.MOMENT)], []
    )
    assert (row.address, row.state, row.error.kind) == (address, "missing", "timeout")
    assert (row.target is not None) is askable
    assert row.target is None or row.target.reference is None
    assert row.facts is None


def test_a_given_file_stands_for_the_address_that_its_label_answers(desk, tmp_path):
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "1.txt").write_text(LONG)
    desk.check(sources=folder, allow_fetch=False)
    row = desk.row("/a")
    assert row.state == "read"
    assert row.facts.url == "1.txt"
    assert [version.requests for version in row.versions] == [1]
    assert len(desk.rows()) == 2


def test_the_text_is_the_one_that_was_judged_and_a_wall_is_read_for_showing(desk):
    desk.check()
    row = desk.row("/a")
    reading = text_of(desk.store, desk.folder, row.judged)
    quoted = row.uses[0].result.judgment.evidence
    assert all(quote.quote in reading.source.text for quote in quoted)
    wall = desk.row("/b")
    doubted = read_version(desk.folder, wall.newest)
    assert (doubted.reason, doubted.source) == ("login_wall", None)
    assert doubted.confidence >= 0.8
    assert "log in" in text_of(desk.store, desk.folder, wall.newest).source.text


def test_bytes_that_are_gone_are_told_and_nothing_breaks(desk):
    desk.check()
    row = desk.row("/b")
    desk.folder.object_path(row.newest.sha256).unlink()
    assert text_of(desk.store, desk.folder, row.newest).error.kind == "no_source"
    with pytest.raises(UsageError, match="not stored here"):
        desk.recheck("/b").judge_with(row.newest)


# -- actions ----------------------------------------------------------------------------------


def test_fetching_again_judges_what_had_no_verdict_and_says_what_changed(desk):
    desk.check()
    desk.serve("/b", html("The mayor opened the bridge in 1931, on a rainy day in May. " * 8))
    steps = []
    outcome = desk.recheck("/b", lambda done, total: steps.append((done, total))).fetch_again(
        desk.fetcher()
    )
    assert judged_rows(outcome) == [("[2]", "unverifiable", "not_evidence", "supported", None)]
    assert outcome.changed == outcome.judged
    assert "other bytes than before" in outcome.did
    assert steps == [(0, 1), (1, 1)]
    row = desk.row("/b")
    assert row.state == "read"
    assert len(row.versions) == 2
    assert row.uses[0].before == "unverifiable"
    history = desk.store.verdict_history(row.uses[0].run_id, row.uses[0].result.citation.id)
    assert [result.verdict for result in history] == ["unverifiable", "supported"]


def test_the_same_bytes_leave_verdicts_alone(desk):
    desk.check()
    outcome = desk.recheck("/a").fetch_again(desk.fetcher())
    assert outcome.judged == ()
    assert "identical to the previous snapshot" in outcome.did
    assert [version.requests for version in desk.row("/a").versions] == [2]


@pytest.mark.parametrize(
    "now", [page(WALL), page("gone", status="404 Not Found")], ids=["a wall", "an error"]
)
def test_a_page_that_got_worse_leaves_the_verdicts_on_its_earlier_text(desk, now):
    desk.check()
    verdicts_before = [use.result.verdict for use in desk.row("/a").uses]
    desk.web.replies["/a"] = now
    outcome = desk.recheck("/a").fetch_again(desk.fetcher())
    assert outcome.judged == ()
    assert "remain" in outcome.did
    row = desk.row("/a")
    assert [use.result.verdict for use in row.uses] == verdicts_before
    assert row.state == "read"


def test_another_failure_than_before_is_recorded(desk):
    desk.check(allow_fetch=False, snapshots=None)
    assert desk.row("/b").error.kind == "fetch_disabled"
    desk.serve("/b", "no", status="410 Gone")
    outcome = desk.recheck("/b").fetch_again(desk.fetcher())
    assert judged_rows(outcome) == [
        ("[2]", "unverifiable", "fetch_disabled", "unverifiable", "bad_status")
    ]
    assert "410" in desk.row("/b").error.message


def test_a_doi_is_asked_for_by_what_it_is():
    queries = []

    class Resolver:
        async def fetch(self, query):
            queries.append(query)
            raise FetchError("bad_status", "The DOI does not exist.")

    cited = make.citation(1, target=Target(form="doi", value="10.5555/abc", reference=0))
    failed = type(make.failure())(
        citation=cited, status="error", verdict="unverifiable", error=make.failure().error
    )
    reference = make.run().references[0]
    use = SourceCitation(
        run_id="r", run_name="", result=failed, reference=reference, judged_at=make.MOMENT
    )
    (row,) = list_sources([use], [])
    SourceActions(None, None, row, ()).fetch_again(Resolver())
    assert [(query.target, query.title) for query in queries] == [
        (Target(form="doi", value="10.5555/abc"), "A bridge")
    ]


def test_what_is_not_on_the_web_is_not_fetched(desk):
    desk.check()
    row = desk.row("/a")
    nowhere = type(row)(
        **{name: getattr(row, name) for name in row.__dataclass_fields__} | {"target": None}
    )
    outcome = SourceActions(desk.store, desk.folder, nowhere, row.uses).fetch_again(desk.fetcher())
    assert "no web address" in outcome.did
    assert outcome.judged == ()


def test_an_uploaded_file_becomes_the_newest_snapshot_and_says_who_gave_it(desk):
    desk.check()
    body = html("The mayor opened the bridge in 1931 in front of a large crowd. " * 8).encode()
    outcome = desk.recheck("/b").hand_over(
        UploadedSource(
            form="upload", body=body, name="../opening.html", reviewer="Ada", note=" library "
        )
    )
    assert judged_rows(outcome) == [("[2]", "unverifiable", "not_evidence", "supported", None)]
    row = desk.row("/b")
    assert (row.supplied.reviewer, row.supplied.form, row.supplied.note) == (
        "Ada",
        "upload",
        "library",
    )
    assert row.facts.status is None
    assert row.facts.content_type == "text/html"
    assert desk.folder.newest("http://bridge.example/b").sha256 == row.newest.sha256
    assert row.versions[0].supplied is None


def test_a_later_run_finds_what_a_reviewer_gave(desk):
    desk.check()
    text = b"The mayor opened the bridge in 1931 in front of a large crowd."
    desk.recheck("/b").hand_over(UploadedSource(form="paste", body=text, reviewer="Ada"))
    again = desk.check(name="Again", allow_fetch=False)
    assert again.citations[1].verdict == "supported"
    assert again.citations[1].source.sha256 == desk.row("/b").newest.sha256


@pytest.mark.parametrize(
    ("replacement_file", "message"),
    [
        (UploadedSource(form="paste", body=b" \n ", reviewer="A"), "empty"),
        (
            UploadedSource(form="upload", body=b"%PDF-1.4 x", name="scan.pdf", reviewer="A"),
            "scan.pdf",
        ),
        (
            UploadedSource(form="upload", body=b"\x00\x01\x02" * 99, name="x.bin", reviewer="A"),
            "x.bin",
        ),
        (
            UploadedSource(form="upload", body=b"a" * (2**25 + 1), name="big.txt", reviewer="A"),
            "32 MiB",
        ),
    ],
    ids=["blank", "no real PDF", "binary", "too large"],
)
def test_what_cannot_be_read_is_refused_in_a_sentence_and_nothing_is_kept(
    desk, replacement_file, message
):
    desk.check()
    count_before = len(desk.folder.list())
    with pytest.raises(UsageError, match=message):
        desk.recheck("/b").hand_over(replacement_file)
    assert len(desk.folder.list()) == count_before
    assert desk.book.supplied() == []


def test_the_article_is_judged_on_a_reviewers_word_and_doubted_again_when_it_is_taken_back(desk):
    short = html("Please log in to see more. The bridge opened in 1931.", "Log in to the bridge")
    desk.serve("/b", short)
    desk.check()
    row = desk.row("/b")
    assert row.state == "not_evidence"
    outcome = desk.recheck("/b").accept(row.newest, "Ada", "It is all there is.")
    assert [judged.before_error for judged in outcome.judged] == ["not_evidence"]
    assert [judged.after_error for judged in outcome.judged] == [None]
    row = desk.row("/b")
    assert (row.state, row.acceptance.reviewer) == ("read", "Ada")

    assert desk.check(name="Again").citations[1].status == "ok"

    outcome = desk.recheck("/b").take_back(row.judged, "Bo")
    assert {judged.after_error for judged in outcome.judged} == {"not_evidence"}
    assert len(outcome.judged) == 2
    row = desk.row("/b")
    assert (row.state, row.acceptance) == ("not_evidence", None)


def test_a_page_without_text_cannot_be_accepted(desk):
    desk.serve("/b", "<html><head></head><body><div id=root></div><script>x()</script></body>")
    desk.check()
    row = desk.row("/b")
    with pytest.raises(UsageError, match="no text"):
        desk.recheck("/b").accept(row.newest, "Ada", "")
    assert desk.book.accepted() == frozenset()


def test_citations_can_be_judged_on_an_earlier_snapshot(desk):
    desk.check()
    desk.serve("/a", html("The bridge was closed and is being repaired until the spring. " * 8))
    desk.recheck("/a").fetch_again(desk.fetcher())
    row = desk.row("/a")
    worse = [use.result.verdict for use in row.uses]
    outcome = desk.recheck("/a").judge_with(row.versions[0])
    row = desk.row("/a")
    assert row.judged == row.versions[0]
    assert row.changed
    assert [judged.before for judged in outcome.judged] == worse
    assert "Judged on the snapshot of" in outcome.did


def test_the_other_citations_of_the_run_keep_their_verdicts(desk):
    run = desk.check()
    untouched = {r.citation.id: r for r in desk.store.get_run(run.id).citations}
    desk.recheck("/b").hand_over(UploadedSource(form="paste", body=LONG.encode(), reviewer="Ada"))
    for use in desk.row("/a").uses:
        name = use.result.citation.id
        assert len(desk.store.verdict_history(run.id, name)) == 1
        assert use.result == untouched[name]


def test_what_a_stopped_run_has_not_reached_is_left_for_it(desk):
    run = make.run(
        "r9",
        [make.result(1), make.failure(2, "cancelled")],
        finished=False,
        judge=(desk.judge,),
    )
    desk.store.add_run(run, make.TEXT, "Stopped")
    desk.store.add_verdict("r9", make.result(1))
    (row,) = [row for row in desk.rows("r9") if row.state == "read"]
    outcome = SourceActions(desk.store, desk.folder, row, row.uses).hand_over(
        UploadedSource(form="paste", body=b"The bridge measures 120 metres.", reviewer="Ada")
    )
    assert [judged.citation.id for judged in outcome.judged] == ["c1"]
    assert desk.store.verdict_history("r9", "c2") == []
    assert [row.state for row in desk.rows("r9", uncited=False)] == ["read", "waiting"]


def test_a_judge_that_is_not_here_is_a_problem_of_its_run_alone(desk):
    desk.check()
    run = make.run("r9", [make.failure(2)], judge=("anthropic:some-model",))
    desk.store.add_run(run, make.TEXT, "Judged elsewhere")
    desk.store.finish_run(run)
    row = desk.row("/2")
    outcome = SourceActions(desk.store, desk.folder, row, row.uses).hand_over(
        UploadedSource(form="paste", body=b"It opened in 1931.", reviewer="Ada")
    )
    assert outcome.judged == ()
    (problem,) = outcome.problems
    assert "Judged elsewhere" in problem


def test_quotes_that_a_newer_text_no_longer_has_are_named():
    judged = make.judgment(evidence=(Evidence(quote="120\nmetres", span=Span(0, 10)),))
    use = SourceCitation(run_id="r1", run_name="", result=make.result(1, judgment=judged))
    assert lost_quotes([use], "It measures 120  metres.") == {}
    assert lost_quotes([use], "It measures 121 metres.") == {"r1:c1": ["120\nmetres"]}


def test_equal_bodies_in_a_row_are_one_version_and_a_return_is_a_third(desk):
    def put_page(body, minute):
        desk.folder.put(
            Fetched(
                url="http://bridge.example/z", final_url="http://bridge.example/z", status=200,
                content_type="text/plain", body=body,
                fetched_at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute),
            )
        )  # fmt: skip

    for minute, body in enumerate([b"one", b"one", b"two", b"one"]):
        put_page(body, minute)
    (row,) = desk.rows()
    assert [version.requests for version in row.versions] == [2, 1, 1]
    assert row.versions[0].last - row.versions[0].first == timedelta(minutes=1)
