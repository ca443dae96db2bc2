import re
from html.parser import HTMLParser

from tests.fakes import records as make
from workbench.presentation.run_report import annotated_html
from workbench.records.citation import Target
from workbench.records.text import Excerpt, Span

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)> [1] " onclick="x [2]'


class Page(HTMLParser):
    """Every tag with its attributes, and the text in and outside the output's section."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self.inside, self.output = [], [], False, []
        self.skip = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self.inside = dict(attrs).get("aria-label") == "The output"
        self.skip = tag == "style" or dict(attrs).get("class", "").startswith("glyph")

    def handle_endtag(self, tag):
        if tag == "section":
            self.inside = False
        self.skip = False

    def handle_data(self, data):
        if self.skip:
            return
        self.words.append(data)
        if self.inside:
            self.output.append(data)

    def attributes(self, name):
        return [attrs[name] for _, attrs in self.tags if name in attrs]


def report(results=None, text=make.TEXT, labels=(), **fields):
    if results is None:
        results = (make.result(1), make.failure(2))
    return annotated_html(
        make.run(results=results, text=text, **fields), text, labels, name="Bridges"
    )


def test_the_output_stands_there_letter_for_letter():
    assert "".join(Page(report()).output) == make.TEXT


def test_every_mark_leads_to_its_card_and_back():
    page = Page(report())
    ids = set(page.attributes("id"))
    assert {"c1", "c2", "m1", "m2"} <= ids
    inner = [href[1:] for href in page.attributes("href") if href.startswith("#")]
    assert set(inner) <= ids


def test_a_card_tells_verdict_evidence_source_and_error():
    words = " ".join(Page(report()).words)
    assert "Supported" in words and "very sure, 0.90" in words
    assert "120 metres" in words and "page 2" in words
    assert "bridge.example" in words
    assert "The source did not answer in time" in words


def test_a_label_stands_beside_the_verdict():
    page = report(labels=[make.label()])
    assert "Reviewer: Contradicted" in page.replace("; reviewer: ", "; Reviewer: ")
    assert "see page 2" in page and "Ada" in page
    assert "●→✕" in page


def test_hostile_text_stays_text():
    results = (
        make.result(
            1,
            citation=make.citation(
                1, text=HOSTILE, claim=Excerpt(span=Span(0, 10), text=HOSTILE[:10])
            ),
            source=make.source(
                HOSTILE, title="<svg onload=alert(1)>", final_url="javascript:alert(1)"
            ),
            judgment=make.judgment(rationale="<iframe src=x>", judge="<b>judge</b>", evidence=()),
        ),
        make.result(
            2,
            citation=make.citation(
                2, text=HOSTILE, target=Target(form="url", value='https://a.example/" onclick="x')
            ),
            source=None,
            judgment=None,
            judgments=(),
        ),
    )
    page = Page(
        report(results, HOSTILE, [make.label(note="</p><script>", reviewer="<i>")], judge=("<u>",))
    )
    assert {tag for tag, _ in page.tags}.isdisjoint(
        {"script", "img", "iframe", "svg", "b>", "link"}
    )
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert not [href for href in page.attributes("href") if not re.match(r"#|https?://", href)]
    assert "".join(page.output) == HOSTILE


def test_the_page_loads_nothing():
    text = report()
    assert "default-src 'none'" in text
    assert not Page(text).attributes("src")
    assert "url(" not in text and "@import" not in text


def test_lone_surrogates_and_emptiness_are_no_harm():
    text = "a \ud800 [1] [2]"
    assert "a \ufffd [1]" in "".join(Page(report(text=text, results=())).output)
    annotated_html(make.run(text=""), "").encode()


def test_a_stopped_run_says_so():
    text = report([make.failure(1, "cancelled"), make.result(2)], finished=False)
    assert "Not checked" in text


def checked_references(*changes):
    """A run whose entries were looked up; of the first entry the year differs."""
    from dataclasses import replace

    from workbench.records.bibliography import FieldComparison, IndexAnswer, RetractionNotice

    text = (
        "Oak beams hold [1]. Tides rise [2].\n\n## References\n"
        "[1] Novak, J. (2018). Oak beams under load. Journal of Timber, 12(3), 100-110.\n"
        f"[2] {HOSTILE} (2020). Rising tides in basins. Journal of Seas, 1(1), 1-2.\n"
    )
    from workbench import verify

    run = verify(text)
    first = replace(
        run.reference_checks[0], status="differs",
        fields=(
            FieldComparison(
                field="year", entry_value="2018", record_value="2019", agrees=False,
                why="The record says 2019.",
            ),
        ),
        record={"title": "Oak beams under load", "URL": "javascript:alert(1)"},
        record_from="registry:mine.bib", score=0.98,
        indexes=(IndexAnswer(name="registry:mine.bib", answer="match"),),
        retraction=RetractionNotice(
            kind="retracted", date="2021-02-03", notice="10.5555/notice", source="retraction_watch"
        ),
    )  # fmt: skip
    second = replace(run.reference_checks[1], status="not_found", why=f"Nobody has it. {HOSTILE}")
    return replace(run, reference_checks=(first, second)), text


def test_references_stand_in_the_report_with_what_differs_and_who_was_asked():
    run, text = checked_references()
    page = Page(annotated_html(run, text, corrected={0: "Novak, J. (2019). Oak beams under load."}))
    words = " ".join("".join(page.words).split())
    for piece in (
        "Described differently", "Not found in the indexes asked", "2018", "2019",
        "The record says 2019.", "Retracted", "2021-02-03", "Corrected entry",
        "mine.bib: asked about 1, answered 1, failed 0", "mine.bib has a record",
    ):  # fmt: skip
        assert piece in words, piece
    assert "https://doi.org/10.5555/notice" in page.attributes("href")
    ids = set(page.attributes("id"))
    assert {href[1:] for href in page.attributes("href") if href.startswith("#")} <= ids


def test_words_of_entries_and_records_are_never_markup():
    run, text = checked_references()
    page = Page(annotated_html(run, text, corrected={0: HOSTILE}))
    assert {"script", "img"}.isdisjoint({name for name, _ in page.tags})
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert not any(href.startswith("javascript") for href in page.attributes("href"))


def test_a_run_whose_references_nobody_was_asked_about_has_no_such_part():
    from workbench import verify

    _, text = checked_references()
    assert "Journal of Timber" in text
    page = Page(annotated_html(verify(text), text))
    assert "r1" not in page.attributes("id")


MARKDOWN = (
    "# Bridges\n\nThe **old** one [1].\n\n| a | b |\n|---|---|\n| So [2] | <b>x</b> |\n\n"
    "- [click](javascript:alert(1))\n- [page](https://x.example)\n"
)


def test_the_output_is_a_document_with_each_letter_in_its_place():
    results = (
        make.result(1, citation=make.citation(1, text=MARKDOWN), source=None),
        make.result(2, citation=make.citation(2, text=MARKDOWN), source=None),
    )
    html = report(results, MARKDOWN)
    page = Page(html)
    assert "".join(page.output) == MARKDOWN
    classes = [attrs["class"] for tag, attrs in page.tags if "block" in attrs.get("class", "")]
    assert classes == [
        f"block {tag}" for tag in ("h1", "table", "tr", "th", "th", "tr", "td", "td", "ul", "li", "li")
    ]  # fmt: skip
    assert '<span class="syntax">**</span><span class="is-strong">old</span>' in html
    assert not [href for href in page.attributes("href") if "x.example" in href or ":alert" in href]
    assert "https://x.example" in page.attributes("title")
    assert ".text:not(.raw) .syntax { display: none; }" in html
