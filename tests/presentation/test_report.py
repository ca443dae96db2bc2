import re
from html.parser import HTMLParser

from tests.fakes import records as make
from workbench.presentation.run_report import annotated_html
from workbench.records import Excerpt, Span, Target

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
