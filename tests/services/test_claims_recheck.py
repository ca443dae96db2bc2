"""A claim corrected, and its citation judged again on the very bytes it was judged on."""

import json

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.errors import UsageError
from workbench.pipeline.options import VerifyOptions
from workbench.records.text import Span
from workbench.services.claim_corrections import judge_claim_again
from workbench.services.verification import verify_and_store
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.store import Store

ANSWER = (
    "The bridge is 120 metres long 🙂 and opened in 1931 [1]. It is blue [2].\n\n"
    "## References\n[1] The bridge. https://b.example/a\n[2] The paint. https://b.example/b\n"
)
PAGE = "The bridge is 120 metres long. It opened in 1956."
SCRIPT = [
    {"if_claim_contains": "1931", "label": "contradicted", "quote": "It opened in 1956."},
    {"if_claim_contains": "120 metres", "label": "supported", "quote": "*"},
]
HALF = Span(0, ANSWER.index(" and opened"))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


@pytest.fixture
def shelf(tmp_path):
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "1.txt").write_text(PAGE)
    (folder / "2.txt").write_text("The paint is blue.")
    return folder


def checked(store, shelf, tmp_path, judge, **options):
    run = verify_and_store(
        store,
        ANSWER,
        "Bridge",
        VerifyOptions(judge=judge, sources=shelf, snapshots=tmp_path / "s", **options),
    )
    (first,) = [result.citation.id for result in run.citations if result.citation.raw == "[1]"]
    return run, first


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.json"
    path.write_text(json.dumps(SCRIPT))
    return f"scripted:{path}"


def test_the_corrected_claim_is_judged_and_the_earlier_verdict_stays(
    store, shelf, tmp_path, script
):
    run, name = checked(store, shelf, tmp_path, script)
    Corrections(store).correct(run.id, name, HALF, "Ada")
    # the folder may be gone: what was judged is kept
    (shelf / "1.txt").unlink()
    rows = len(SnapshotFolder(tmp_path / "s").list())
    progress = []
    outcome = judge_claim_again(
        store, tmp_path / "s", run.id, name, lambda *done: progress.append(done)
    )
    (change,) = outcome.judged
    assert (change.before, change.after) == ("contradicted", "supported")
    assert progress == [(0, 1), (1, 1)]
    assert len(SnapshotFolder(tmp_path / "s").list()) == rows
    old, new = store.verdict_history(run.id, name)
    assert old.citation.claim.text.endswith("1931.")
    assert new.citation.claim.text == "The bridge is 120 metres long 🙂"
    assert new.citation.claim.span.of(ANSWER) == new.citation.claim.text
    assert (new.source.sha256, new.source.url) == (old.source.sha256, old.source.url)
    others = [result for result in store.get_run(run.id).citations if result.citation.id != name]
    assert all(len(store.verdict_history(run.id, result.citation.id)) == 1 for result in others)


def test_without_kept_bytes_the_given_folder_answers(store, shelf, tmp_path, script):
    run = verify_and_store(store, ANSWER, "Bridge", VerifyOptions(judge=script, sources=shelf))
    (name,) = [result.citation.id for result in run.citations if result.citation.raw == "[1]"]
    Corrections(store).correct(run.id, name, HALF, "Ada")
    (change,) = judge_claim_again(store, tmp_path / "s", run.id, name).judged
    assert change.after == "supported"


def test_an_unknown_citation_is_told(store, shelf, tmp_path, script):
    run, _ = checked(store, shelf, tmp_path, script)
    with pytest.raises(UsageError, match="no citation 'nope'"):
        judge_claim_again(store, tmp_path / "s", run.id, "nope")


def billed(request):
    quote = "It opened in 1956." if "1956" in request.prompt else "The paint is blue."
    return Answer(text=verdict("supported", quote), input_tokens=700, output_tokens=120)


@pytest.fixture
def paid(monkeypatch):
    with FakeProvider(billed) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url + "/v1")
        yield provider


def test_a_spent_cap_leaves_the_verdict_and_says_so(store, shelf, tmp_path, paid):
    cap = 0.004
    run, name = checked(store, shelf, tmp_path, "openai:gpt-4o-mini", max_cost_usd=cap)
    assert run.total_supported == 2
    requests_before = len(paid.requests)
    with pytest.raises(
        UsageError, match=r"the next call could cost up to .* is left.* The earlier verdict remains"
    ):
        for end in range(4, 50):
            Corrections(store).correct(run.id, name, Span(0, end), "Ada")
            judge_claim_again(store, tmp_path / "s", run.id, name)
    assert len(paid.requests) > requests_before
    assert run.cost_usd < store.get_run(run.id).cost_usd <= cap
    current = next(
        result for result in store.get_run(run.id).citations if result.citation.id == name
    )
    assert (current.error, current.verdict) == (None, "supported")


def test_a_judge_that_fails_leaves_the_verdict(store, shelf, tmp_path, paid):
    run, name = checked(store, shelf, tmp_path, "openai:gpt-4o-mini")
    Corrections(store).correct(run.id, name, HALF, "Ada")
    paid.reply = lambda _: Answer(status=400)
    with pytest.raises(UsageError, match="earlier verdict remains"):
        judge_claim_again(store, tmp_path / "s", run.id, name)
    assert len(store.verdict_history(run.id, name)) == 1


REWORDED = "The Ostrau bridge is 120 metres long and opened in 1931."


def test_a_reworded_claim_is_judged_in_its_words_and_keeps_its_place(store, shelf, tmp_path, paid):
    run, name = checked(store, shelf, tmp_path, "openai:gpt-4o-mini", standalone=True)
    (old,) = store.verdict_history(run.id, name)
    Corrections(store).correct(run.id, name, old.citation.claim.span, "Ada", REWORDED)
    paid.queue(
        Answer(
            text=verdict(
                "partially_supported", "It opened in 1956.",
                missing=["opened in 1931", "The Ostrau bridge"], standalone="Reworded by a model.",
            )
        )
    )  # fmt: skip
    judge_claim_again(store, tmp_path / "s", run.id, name)
    request_text = paid.requests[-1].prompt
    assert f"<claim>\n{REWORDED}\n</claim>" in request_text
    assert "- standalone:" in request_text
    _, new = store.verdict_history(run.id, name)
    assert new.citation.claim == old.citation.claim
    assert new.citation.wording == REWORDED
    # of the missing claims, only those quoted verbatim have a position in the text
    (missing,) = new.judgment.uncovered
    assert missing.of(new.citation.claim.text) == "opened in 1931"
    assert new.judgments[0].uncovered == new.judgment.uncovered


def test_a_reworded_claim_is_published_with_its_wording_alone_where_there_is_one(
    store, shelf, tmp_path, script
):
    run, name = checked(store, shelf, tmp_path, script)
    Corrections(store).correct(run.id, name, HALF, "Ada", "It is 120 metres long.")
    judge_claim_again(store, tmp_path / "s", run.id, name)
    wordings = {
        citation["id"]: citation.get("wording")
        for citation in store.get_run(run.id).to_dict()["citations"]
    }
    assert wordings.pop(name) == "It is 120 metres long."
    assert set(wordings.values()) == {None}


def test_a_corrected_claim_is_asked_about_with_the_context_of_its_new_place(
    store, shelf, tmp_path, monkeypatch
):
    with FakeProvider(lambda request: Answer(text=verdict("not_supported"))) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url + "/v1")
        run, name = checked(store, shelf, tmp_path, "openai:gpt-4o-mini")
        (second,) = [result.citation.id for result in run.citations if result.citation.raw == "[2]"]
        start = ANSWER.index("opened in 1931")
        Corrections(store).correct(run.id, name, Span(start, start + len("opened in 1931")), "Ada")
        requests_before = len(provider.requests)
        judge_claim_again(store, tmp_path / "s", run.id, name)
        (request,) = provider.requests[requests_before:]
    context = request.prompt.rsplit("<context>", 1)[1].split("</context>")[0]
    assert "The bridge is 120 metres long 🙂 and" in context
    assert "opened in 1931" not in context
    corrected = {result.citation.id: result.citation for result in store.get_run(run.id).citations}
    assert corrected[name].claim_context.before.of(ANSWER) == "The bridge is 120 metres long 🙂 and"
    assert corrected[second].claim_context.before is not None, "the other claim keeps its context"
