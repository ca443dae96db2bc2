"""The pipeline with fakes whose answers can be computed by hand."""

import asyncio
import json
import threading
from dataclasses import replace

import pytest

from tests.fakes import records as make
from workbench import verify
from workbench.citations import extract
from workbench.errors import FetchError, JudgeError, SourceError, UsageError
from workbench.pipeline.claim import claim_for_judge
from workbench.pipeline.reading import read_output
from workbench.pipeline.verification import averify
from workbench.records.source import Fetched
from workbench.records.text import Span
from workbench.records.verdict import Evidence
from workbench.store.store import Store

TEXT = """The bridge is 120 m long [1]. It opened in 1931 [2], and it is blue [1].

References
[1] The bridge. https://bridge.example/a
[2] The opening. https://bridge.example/b
"""
PAGES = {
    "https://bridge.example/a": "The bridge measures 120 m in length. It is painted blue.",
    "https://bridge.example/b": "The mayor opened the bridge in 1932.",
}


class Pages:
    """A fetcher over a dict that counts what it was asked for."""

    def __init__(self, pages=PAGES, delay=0.0):
        self.pages, self.delay, self.asked, self.at_once, self.most = pages, delay, [], 0, 0

    async def fetch(self, query):
        url = query.target.value if query.target else ""
        self.asked.append(url)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(self.delay)
        finally:
            self.at_once -= 1
        if not url:
            raise SourceError("no_source", "Nothing to look for.")
        if url not in self.pages:
            raise FetchError("bad_status", "The page answered 404.", url=url)
        body = self.pages[url].encode()
        return Fetched(url=url, final_url=url, status=200, content_type="text/plain", body=body)


class FirstSentence:
    """A judge that supports every claim with the first ten letters of the first passage."""

    spec = "first"

    def __init__(self, label="supported", delay=0.0, cost=0.0, worst=0.0):
        self.label, self.delay, self.cost, self.worst = label, delay, cost, worst
        self.claims, self.closed = [], False

    async def ajudge(self, claim, passages):
        self.claims.append(claim)
        await asyncio.sleep(self.delay)
        start = passages[0].start
        return make.judgment(
            self.label,
            evidence=(Evidence(quote=passages[0].text[:10], span=Span(start, start + 10)),),
            judge=self.spec,
            cost_usd=self.cost,
        )

    def worst_cost_usd(self, claim, passages):
        return self.worst

    async def aclose(self):
        self.closed = True


class Broken(FirstSentence):
    """A judge whose reply cannot be read, though it was paid for."""

    async def ajudge(self, claim, passages):
        raise JudgeError("malformed_judge_response", "The reply is not JSON.", cost_usd=self.cost)


def verdicts(run):
    return [(r.citation.identifier, r.verdict, r.error.kind if r.error else None)
            for r in run.citations]  # fmt: skip


def test_each_citation_gets_a_verdict_with_its_evidence():
    judge = FirstSentence()
    run = verify(TEXT, judge=judge, sources=Pages())
    assert verdicts(run) == [
        ("1", "supported", None),
        ("2", "supported", None),
        ("1", "supported", None),
    ]
    first = run.citations[0]
    assert first.source.url == "https://bridge.example/a"
    quote = first.judgment.evidence[0]
    assert first.source.text[quote.start : quote.end] == quote.quote
    assert run.overall_score == 1.0
    assert run.finished
    assert judge.closed


def test_a_source_is_fetched_once_for_all_its_citations():
    pages = Pages()
    verify(TEXT, judge=FirstSentence(), sources=pages)
    assert sorted(pages.asked) == ["https://bridge.example/a", "https://bridge.example/b"]


def test_equal_claims_in_one_context_on_one_source_are_judged_once():
    text = "The bridge is 120 m long [1].\n\n---\n\n" + TEXT
    judge = FirstSentence()
    run = verify(text, judge=judge, sources=Pages())
    assert len(run.citations) == 4
    assert len(judge.claims) == 3


def test_equal_claims_in_two_contexts_are_two_questions():
    text = "The bridge is 120 m long [1].\n\n# Ostrau\n\n" + TEXT
    judge = FirstSentence()
    run = verify(text, judge=judge, sources=Pages())
    assert len(run.citations) == 4
    assert len(judge.claims) == 4


def test_the_judge_sees_the_claim_without_its_markers():
    judge = FirstSentence()
    verify(TEXT, judge=judge, sources=Pages())
    assert not any("[" in claim for claim in judge.claims)
    assert any("120 m long" in claim for claim in judge.claims)


def test_a_run_tells_which_marks_were_not_read_and_keeps_it(tmp_path):
    run = verify("It is 120 m long [S1], and old [1].", judge=FirstSentence(), sources=Pages())
    (notice,) = run.notices
    assert "“[S1]”" in notice
    assert run.to_dict()["notices"] == [notice]
    assert "notices" not in run.to_dict()["config"]
    store = Store(tmp_path / "a.duckdb")
    store.add_run(run, run.text)
    assert store.get_run(run.id).notices == (notice,)
    assert "notices" not in verify(TEXT, judge=FirstSentence(), sources=Pages()).to_dict()


def test_the_judge_gets_the_claim_that_the_run_shows():
    extraction = extract(TEXT)
    for citation in extraction.citations:
        assert claim_for_judge(extraction, citation) == citation.claim.text


def test_a_link_keeps_its_words_and_loses_its_address():
    extraction = extract("According to [the harbour board](https://b.example/x) it is 120 m long.")
    (citation,) = extraction.citations
    claim = claim_for_judge(extraction, citation)
    assert "the harbour board" in claim
    assert "b.example" not in claim


@pytest.mark.parametrize(
    ("text", "cited", "expected"),
    [
        ("It is 120 m long.", (0, 17), "It is 120 m long."),
        ("It is 120 m long. (b.example)", (18, 29), "It is 120 m long."),
        ("It is 120 m long [[1]](https://b.example)", (17, 41), "It is 120 m long"),
    ],
)
def test_words_that_a_provider_vouches_for_stay_in_the_claim_and_its_marks_do_not(
    text, cited, expected
):
    start, end = cited
    annotation = {
        "type": "url_citation", "url": "https://b.example", "title": "B",
        "start_index": start, "end_index": end,
    }  # fmt: skip
    part = {"type": "output_text", "text": text, "annotations": [annotation]}
    extraction = read_output(
        {"object": "response", "output": [{"type": "message", "content": [part]}]}
    )
    (citation,) = [citation for citation in extraction.citations if citation.kind == "native"]
    assert claim_for_judge(extraction, citation).strip() == expected


def test_a_failed_fetch_is_a_state_of_its_citations_only():
    only_a = Pages({"https://bridge.example/a": PAGES["https://bridge.example/a"]})
    run = verify(TEXT, judge=FirstSentence(), sources=only_a)
    assert verdicts(run)[1] == ("2", "unverifiable", "bad_status")
    assert run.citations[1].status == "error"
    assert run.total_resolved == 2
    assert run.complete


def test_an_unlinked_citation_says_why():
    run = verify("Rain fell in May [7].", judge=FirstSentence(), sources=Pages())
    (result,) = run.citations
    assert (result.status, result.verdict) == ("skipped", "unverifiable")
    assert result.error.kind == "unlinked"
    assert "7" in result.error.message


def test_an_entry_without_address_is_found_among_the_given_sources_by_its_title():
    text = (
        "Push messages are no consent (Okonjo, 2016).\n\nBibliography\n"
        "- Okonjo, A. (2016). Contracts by Notification. Tern Harbor Press.\n"
    )
    (citation,) = extract(text).citations
    assert citation.target is None
    title = extract(text).references[citation.reference].title
    sources = [{"content": "A push message is no consent.", "title": title}]
    run = verify(text, judge=FirstSentence(), sources=sources)
    assert run.citations[0].status == "ok"


def test_without_leave_to_fetch_nothing_is_fetched_and_every_citation_says_so():
    run = verify(TEXT, judge=FirstSentence())
    assert {kind for _, _, kind in verdicts(run)} == {"fetch_disabled"}
    assert not run.complete


def test_a_broken_reply_is_paid_for_and_is_not_a_verdict():
    run = verify(TEXT, judge=Broken(cost=0.01), sources=Pages())
    assert {kind for _, _, kind in verdicts(run)} == {"malformed_judge_response"}
    assert run.total_cost_usd == pytest.approx(0.03)
    assert run.citations[0].source is not None


def test_the_cost_cap_is_never_exceeded_and_names_what_it_left():
    text = "".join(f"Claim number {n} is here [{n}].\n" for n in range(1, 41))
    text += "\nReferences\n" + "".join(f"[{n}] https://b.example/{n}\n" for n in range(1, 41))
    pages = Pages({f"https://b.example/{n}": f"Page {n} says something." for n in range(1, 41)})
    judge = FirstSentence(delay=0.005, cost=0.01, worst=0.01)
    run = verify(text, judge=judge, sources=pages, max_cost_usd=0.1, judgments_at_once=32)
    assert run.total_cost_usd == pytest.approx(0.1)
    assert run.total_resolved == 10
    assert run.errors == {"cost_cap_reached": 30}


def test_an_unknown_price_is_refused_under_a_cap_and_runs_without_one():
    judge = FirstSentence(worst=None)
    assert verify(TEXT, judge=judge, sources=Pages()).total_resolved == 3
    capped = verify(TEXT, judge=judge, sources=Pages(), max_cost_usd=5.0)
    assert set(capped.errors) == {"cost_cap_reached"}


def test_the_rest_beyond_max_citations_is_skipped_and_counted():
    run = verify(TEXT, judge=FirstSentence(), sources=Pages(), max_citations=1)
    assert [result.status for result in run.citations] == ["ok", "skipped", "skipped"]
    assert run.total_citations_found == 3


def test_cancel_keeps_what_is_done_and_marks_the_rest():
    cancel = threading.Event()
    results = []

    def on_verdict(run_id, result):
        results.append(result)
        cancel.set()

    run = verify(
        TEXT,
        judge=FirstSentence(delay=0.2),
        sources=Pages(),
        judgments_at_once=1,
        on_verdict=on_verdict,
        cancel=cancel,
    )
    assert not run.finished
    assert not run.complete
    judged = [result for result in run.citations if result.status == "ok"]
    assert 1 <= len(judged) < 3
    assert run.errors["cancelled"] == 3 - len(judged)


def test_a_stopped_run_goes_on_where_it_was():
    cancel = threading.Event()
    judge = FirstSentence(delay=0.1, cost=0.01)
    first = verify(
        TEXT,
        judge=judge,
        sources=Pages(),
        judgments_at_once=1,
        on_verdict=lambda *_: cancel.set(),
        cancel=cancel,
    )
    judged_before = {r.citation.id: r for r in first.citations if r.status == "ok"}
    judged = []
    second = verify(
        TEXT,
        judge=judge,
        sources=Pages(),
        resume=first,
        on_verdict=lambda run_id, result: judged.append(result.citation.id),
    )
    assert second.id == first.id
    assert second.finished
    assert second.total_resolved == 3
    assert not set(judged) & set(judged_before)
    assert {
        r.citation.id: r for r in second.citations if r.citation.id in judged_before
    } == judged_before
    assert second.total_cost_usd >= first.total_cost_usd + 0.01


def test_a_judgment_is_paid_for_once():
    memory = {}
    judge = FirstSentence(cost=0.01, worst=0.02)
    options = {"sources": Pages(), "recall": memory.get, "remember": memory.__setitem__}
    first = verify(TEXT, judge=judge, **options)
    second = verify(TEXT, judge=judge, **options)
    assert first.total_cost_usd == pytest.approx(0.03)
    assert second.total_cost_usd == 0.0
    assert verdicts(first) == verdicts(second)
    assert len(judge.claims) == 3


def test_callbacks_tell_the_run_its_sources_and_its_progress():
    started, sources, results, progress = [], [], [], []
    run = verify(
        TEXT,
        judge=FirstSentence(),
        sources=Pages(),
        on_start=started.append,
        on_source=sources.append,
        on_verdict=lambda run_id, result: results.append((run_id, result)),
        on_progress=progress.append,
    )
    assert started[0].id == run.id
    assert started[0].total_citations_found == 3
    assert len(sources) == 2
    assert {(run.id, r.citation.id) for r in run.citations} == {
        (run_id, result.citation.id) for run_id, result in results
    }
    last = progress[-1]
    assert (last.found, last.linked, last.fetched, last.read, last.judged) == (3, 3, 2, 2, 3)


def test_a_callback_that_fails_ends_the_run_with_its_error():
    def fail(run_id, result):
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        verify(TEXT, judge=FirstSentence(), sources=Pages(), on_verdict=fail)


def test_several_judges_give_a_joint_judgment(tmp_path):
    file = tmp_path / "judge.json"
    file.write_text(json.dumps({"default": {"label": "not_supported", "confidence": 0.8}}))
    spec = f"scripted:{file}"
    run = verify(TEXT, judge=[spec, spec, "local"], sources=Pages())
    assert run.judge == (spec, spec, "local")
    assert [len(result.judgments) for result in run.citations] == [3, 3, 3]
    assert {result.verdict for result in run.citations} == {"not_supported"}


def test_verify_works_inside_a_running_loop():
    async def notebook():
        return verify(TEXT, judge=FirstSentence(), sources=Pages())

    assert asyncio.run(notebook()).total_resolved == 3


def test_averify_is_awaitable():
    run = asyncio.run(averify(TEXT, judge=FirstSentence(), sources=Pages()))
    assert run.total_resolved == 3


def test_fetching_and_judging_overlap():
    targets = []

    class Uneven(Pages):
        async def fetch(self, query):
            fetched = await super().fetch(query)
            if query.target.value.endswith("/b"):
                # the second page comes only when the first one has been judged
                while not judge.claims:
                    await asyncio.sleep(0.01)
            targets.append(query.target.value)
            return fetched

    judge = FirstSentence()
    run = verify(TEXT, judge=judge, sources=Uneven())
    assert targets == ["https://bridge.example/a", "https://bridge.example/b"]
    assert run.total_resolved == 3


def test_sources_are_fetched_at_the_same_time():
    pages = Pages(delay=0.2)
    verify(TEXT, judge=FirstSentence(), sources=pages)
    assert pages.most == 2


def test_callers_mistakes_are_raised():
    with pytest.raises(UsageError, match="Unknown option max_cost; known are"):
        verify(TEXT, max_cost=1)
    with pytest.raises(UsageError, match="No judge"):
        verify(TEXT, judge=[])
    with pytest.raises(UsageError):
        verify(TEXT, judge="oracle")


def test_an_extraction_can_be_passed_instead_of_a_text():
    extraction = extract(TEXT)
    trimmed = replace(extraction, citations=extraction.citations[:1])
    assert len(verify(trimmed, judge=FirstSentence(), sources=Pages()).citations) == 1


@pytest.mark.parametrize("text", ["", " \n\n", "No citation here.", "\ud800", "\u202e[1]\u202c"])
def test_odd_texts_are_run_without_a_word(text):
    assert verify(text, judge=FirstSentence(), sources=Pages()).id


def test_what_was_fetched_and_cannot_be_read_keeps_its_facts():
    class Scans:
        async def fetch(self, query):
            body = b"%PDF-1.4 this is no PDF"
            return Fetched(
                url=query.target.value, final_url=query.target.value, status=200,
                content_type="application/pdf", body=body,
            )  # fmt: skip

    run = verify(TEXT, judge=FirstSentence(), sources=Scans())
    first = run.citations[0]
    assert (first.status, first.error.kind) == ("error", "unreadable")
    assert first.source.text == ""
    assert (first.source.bytes, first.source.content_type) == (23, "application/pdf")
    assert run.total_resolved == 0
    assert first.layers.resolves is False


def test_the_embedded_judge_does_not_hold_up_the_event_loop(monkeypatch):
    from workbench.judging.embedded import LocalJudge

    judge, threads = LocalJudge.judge, []

    def noted(self, claim, passages, context):
        threads.append(threading.current_thread())
        return judge(self, claim, passages, context)

    monkeypatch.setattr(LocalJudge, "judge", noted)
    loop_threads = []
    verify(
        TEXT,
        sources=Pages(),
        on_progress=lambda progress: loop_threads.append(threading.current_thread()),
    )
    assert threads and not set(threads) & set(loop_threads)


def test_progress_counts_what_the_finished_run_counts():
    progress = []
    text = 'The bridge is 120 m long [1], and "it is painted blue" [1]. It opened in 1931 [2].\n'
    run = verify(
        text + TEXT[TEXT.index("References") :],
        judge=FirstSentence(),
        sources=Pages(),
        on_progress=progress.append,
    )
    # quotes and statistics are counted separately
    assert len(run.citations) > run.total_citations_found
    last = progress[-1]
    assert (last.found, last.judged, last.linked) == (run.total_citations_found,) * 3


def test_a_figure_finds_the_source_that_its_marker_names_by_label():
    text = "The old bridge is 120 metres long [1]. It weighs 80 tonnes [2]."
    run = verify(
        text,
        sources=[
            {"label": "1", "content": "The old bridge is 120 metres long."},
            {"label": "2", "content": "The old bridge weighs 80 tonnes."},
        ],
    )
    figures = [result for result in run.citations if result.citation.kind == "statistic"]
    assert [result.citation.raw for result in figures] == ["120 metres", "80 tonnes"]
    assert [result.source.sha256 for result in figures] == [
        result.source.sha256 for result in run.citations if result.citation.kind == "numbered"
    ]
