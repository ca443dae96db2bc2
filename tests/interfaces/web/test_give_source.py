"""A source without text, given on the card of the Review page or a queue and judged at once."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.fakes import records as make
from tests.fakes.app_page import component, open_app, open_page, press, shown_html
from workbench.interfaces.web.review import give_source
from workbench.interfaces.web.sources import jobs
from workbench.interfaces.web.sources.data import load_sources, source_of_citation
from workbench.pipeline.options import VerifyOptions
from workbench.records.citation import Target
from workbench.records.stored_sources import SourceCitation
from workbench.records.verdict import ErrorInfo
from workbench.services import cached_views
from workbench.services.sources.catalog import row_without_address
from workbench.services.verification import verify_and_store
from workbench.settings import load_settings
from workbench.store.queues.queues import Queues
from workbench.store.sources import SourceRepository
from workbench.store.store import Store

ANSWER = """The bridge is painted blue [1]. It opened in spring [2]. The mayor opened it [2].

## References
[1] The bridge. https://bridge.example/a
[2] The <b>opening</b>. https://bridge.example/b
"""
SCRIPT = [{"if_source_contains": "in spring", "label": "supported", "quote": "*"},
          {"if_source_contains": "painted blue", "label": "supported", "quote": "*"}]  # fmt: skip


class CheckedAnswer:
    """A run of three citations: the source of the first was given, that of the others was not."""

    def __init__(self, script):
        self.settings = load_settings()
        self.store = Store(self.settings.database)
        self.run = verify_and_store(
            self.store,
            ANSWER,
            "Bridge",
            VerifyOptions(
                judge=f"scripted:{script}",
                sources=[{"content": "The bridge is painted blue.", "label": "1"}],
                snapshots=self.settings.snapshots,
            ),
        )
        self.read, self.unread, self.unread_too = (
            result.citation.id for result in self.run.citations
        )

    def open(self, citation_id):
        return open_app(run=self.run.id, c=citation_id)

    def open_queue(self, blind):
        items = [(self.run.id, self.unread), (self.run.id, self.unread_too)]
        queue = Queues(self.store).build("bridge", created_by="Zoe", items=items, blind=blind)
        return open_page("queues", who="Ada", queue=queue.id)

    def settle(self, at):
        """The page after the action on the unread source has ended."""
        rows = load_sources(self.settings, self.run.id).rows
        (row,) = [row for row in rows if row.address.endswith("/b")]
        assert jobs.find(self.store.path, row.id).ended.wait(30)
        at.run()
        assert not at.exception, [box.message for box in at.exception]
        return at

    def verdicts(self):
        return [result.verdict for result in self.store.get_run(self.run.id).citations]

    def field(self, at):
        return at.text_area(key=f"give-text-{self.run.id}-{self.unread}")

    def upload(self, at, name, body):
        place = f"give-file-{self.run.id}-{self.unread}"
        at.file_uploader(key=place).upload(name, body).run()


@pytest.fixture
def answer(tmp_path):
    cached_views.clear_cached_views()
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    return CheckedAnswer(script)


def use(at):
    return at.button(key="give-source-use").click().run()


def toast(at):
    return at.toast[-1].value.replace("\\", "")


def keys(at):
    return {button.key for button in at.button}


def test_pasted_text_judges_all_citations_of_the_source_and_says_what_changed(answer):
    assert answer.verdicts() == ["supported", "unverifiable", "unverifiable"]
    at = answer.open(answer.unread)
    answer.field(at).set_value("It opened in spring.")
    use(at)
    answer.settle(at)
    assert "2 citations re-judged, 2 changed." in shown_html(at)
    assert "Supported" in shown_html(at)
    assert answer.verdicts() == ["supported"] * 3
    assert "give-source-use" not in keys(at), "a source that is there needs no form"
    (supplied,) = SourceRepository(answer.store).supplied()
    assert (supplied.form, supplied.reviewer) == ("paste", "Ada")

    at.button(key="source-seen").click().run()
    assert "re-judged" not in shown_html(at)


def test_an_uploaded_file_is_used_as_the_source(answer):
    at = answer.open(answer.unread)
    answer.upload(at, "opening.txt", b"The bridge opened in spring.")
    use(at)
    answer.settle(at)
    assert "The file opening.txt is now used as the source." in shown_html(at)
    assert answer.verdicts() == ["supported"] * 3


def test_what_changed_is_shown_on_the_cards_of_that_source_alone(answer):
    at = answer.open(answer.unread)
    answer.field(at).set_value("It opened in spring.")
    use(at)
    answer.settle(at)
    for citation_id, shown in ((answer.unread_too, True), (answer.read, False)):
        at.query_params["c"] = citation_id
        at.run()
        assert ("2 citations re-judged" in shown_html(at)) is shown


def test_a_file_that_cannot_be_read_is_told_and_the_form_stays(answer):
    at = answer.open(answer.unread)
    answer.upload(at, "[x](y).pdf", b"%PDF-1.4 no")
    use(at)
    answer.settle(at)
    assert "cannot be used" in at.error[0].value
    assert "[x](y)" not in at.error[0].value, "a file's name is no link"
    assert "give-source-use" in keys(at)
    assert answer.verdicts() == ["supported", "unverifiable", "unverifiable"]


def test_neither_or_both_start_nothing_and_lose_nothing(answer):
    at = answer.open(answer.unread)
    assert toast(use(at)) == "Choose a file or paste the text first."
    answer.field(at).set_value("It opened in spring.")
    answer.upload(at, "opening.txt", b"The bridge opened in spring.")
    assert toast(use(at)) == "You provided both a file and a text. Remove one of them."
    assert answer.field(at).value == "It opened in spring."
    assert SourceRepository(answer.store).supplied() == []


def test_a_citation_with_its_source_draws_no_form_and_reads_no_list(answer, monkeypatch):
    def read(*_):
        raise AssertionError("the list of sources was read")

    monkeypatch.setattr(give_source, "source_of_citation", read)
    assert "give-source-use" not in keys(answer.open(answer.read))


def test_an_entry_without_an_address_gets_its_source_for_all_its_citations(tmp_path):
    cached_views.clear_cached_views()
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    settings = load_settings()
    store = Store(settings.database)
    text = (
        "It opened in spring [1]. The mayor opened it for 44 % of them [1]. It is old [7].\n\n"
        "## References\n"
    )
    run = verify_and_store(
        store,
        f"{text}[1] Smith, J. (2019). The opening of bridges. Journal of Bridges.\n",
        "Paper",
        VerifyOptions(judge=f"scripted:{script}", snapshots=settings.snapshots),
    )
    first, *others, missing = run.citations
    # the figure stands on the marker of its claim
    assert [other.citation.kind for other in others] == ["statistic", "numbered"]
    assert {result.error.kind for result in run.citations} == {"unlinked"}
    at = open_app(run=run.id, c=first.citation.id)
    at.text_area(key=f"give-text-{run.id}-{first.citation.id}").set_value("It opened in spring.")
    row = source_of_citation(settings, run.id, first.citation.id)
    use(at)
    assert jobs.find(store.path, row.id).ended.wait(30)
    at.run()
    assert "2 citations re-judged, 2 changed." in shown_html(at)
    verdicts = [result.verdict for result in store.get_run(run.id).citations]
    assert verdicts == ["supported", "supported", "supported", "unverifiable"]
    assert len(load_sources(settings, run.id).rows) == 1, "it is on the Sources page from now on"
    alone = source_of_citation(settings, run.id, missing.citation.id)
    assert [use.result.citation.id for use in alone.uses] == [missing.citation.id]


def test_a_source_that_the_text_calls_a_guess_is_not_asked_for():
    guess = make.citation(1, target=Target(form="guess", value="a book"))
    error = ErrorInfo(kind="unresolvable_kind", message="The agent itself calls this a guess.")
    result = replace(make.result(1), citation=guess, status="skipped", error=error)
    use_of_guess = SourceCitation(
        run_id="r", run_name="", result=result, judged_at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert row_without_address([use_of_guess], guess.id) is None


def card(at):
    return component(at, "queue-card")


def test_on_the_card_of_a_queue_a_source_is_given_and_judged_at_once(answer):
    at = answer.open_queue(blind=False)
    answer.field(at).set_value("It opened in spring.")
    use(at)
    answer.settle(at)
    assert "2 citations re-judged, 2 changed." in shown_html(at)
    assert answer.verdicts() == ["supported"] * 3
    assert "give-source-use" not in keys(at)
    assert (card(at)["place"], card(at)["hidden"]) == ("1 of 2", False)
    assert "Supported" in str(card(at)), "the open item shows its new verdict"


def test_in_a_blind_queue_a_source_is_judged_and_no_verdict_is_shown(answer):
    at = answer.open_queue(blind=True)
    answer.field(at).set_value("It opened in spring.")
    use(at)
    answer.settle(at)
    assert answer.verdicts() == ["supported"] * 3
    assert "2 citations re-judged." in shown_html(at)
    payload = " ".join(str(element.proto) for element in at.main)
    assert "became" not in payload and "changed" not in shown_html(at)
    assert "Supported" not in shown_html(at)
    assert card(at)["hidden"]
    assert "It opened in spring." in str(card(at)), "the reviewer reads the new source"

    press(at, "label", key="queue-keys", label="supported")
    assert (card(at)["place"], card(at)["hidden"]) == ("2 of 2", True)
    assert "Supported" not in shown_html(at), "the next item has the same source"
    press(at, "previous", key="queue-keys")
    assert not card(at)["hidden"], "the decided item shows its verdict"
    assert "became" not in shown_html(at), "those of undecided items are not told beside it"


def test_keys_of_a_queue_work_beside_the_closed_form(answer):
    at = answer.open_queue(blind=True)
    assert "give-source-use" in keys(at)
    press(at, "label", key="queue-keys", label="unverifiable")
    assert card(at)["place"] == "2 of 2"
    assert "give-source-use" in keys(at)
    press(at, "undo", key="queue-keys")
    assert card(at)["place"] == "1 of 2"
    (label,) = answer.store.label_history(answer.run.id, answer.unread)
    assert label.label == "unverifiable"


def test_in_a_queue_a_file_that_cannot_be_read_is_told_and_the_item_stays(answer):
    at = answer.open_queue(blind=True)
    answer.upload(at, "opening.pdf", b"%PDF-1.4 no")
    use(at)
    answer.settle(at)
    assert "cannot be used" in at.error[0].value
    assert "give-source-use" in keys(at)
    assert card(at)["place"] == "1 of 2"
