"""What a notebook shows of each record; foreign text never becomes markup."""

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import records as make
from tests.fakes.labelled import add_run, mixed
from workbench import calibrate, draw, extract
from workbench.calibration.agreement import agreement
from workbench.calibration.classification_report import judge_table
from workbench.errors import UsageError
from workbench.experiments.evaluate import LabelledPair, evaluate
from workbench.interfaces.notebook.runs import MOST_ROWS
from workbench.judging.claim_verification import averify_claims
from workbench.judging.judge import run_sync
from workbench.presentation.verdicts import STYLES
from workbench.records.review import EvaluationExample, Rating
from workbench.store.store import Store

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&\ud800‮ [1] | $x$ `a`"


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.words = set(), [], []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.words.append(data)


def parse_drawing(html):
    """The tags, attributes and words of a drawing; whatever must not be in one fails here."""
    parser = _Tags()
    parser.feed(html)
    allowed_tags = {
        "div", "p", "span", "sup", "b", "a", "br", "ol", "li", "table", "thead", "tbody", "tr",
        "th", "td", "figure", "figcaption", "svg", "text", "polyline", "polygon", "circle", "ul",
        "blockquote",
    }  # fmt: skip
    assert parser.tags <= allowed_tags
    for name, value in parser.attributes:
        assert not name.startswith("on") and name not in ("src", "srcset", "id", "class")
        if name == "href":
            assert value.startswith(("http://", "https://"))
        if name == "style":
            assert "url(" not in value and "expression" not in value
    return parser


def draw_and_parse(record, **more):
    picture = draw(record, **more)
    parsed = parse_drawing(picture.html)
    return picture, parsed


def styles(parsed):
    return " ".join(value or "" for name, value in parsed.attributes if name == "style")


def test_a_run_looks_as_on_the_pages():
    results = [make.result(1), make.result(2, "contradicted")]
    picture, parsed = draw_and_parse(make.run(results=results, text=make.TEXT))
    assert "1 of 2 supported. Judge: 2 resolved, 1 supported" in picture.plain
    css = styles(parsed)
    for mark in ("supported", "contradicted"):
        style = STYLES[mark]
        assert f"background:{style.colour}2E" in css
        assert style.glyph in " ".join(parsed.words) and style.word in " ".join(parsed.words)
    assert "underline solid 2px #009E73" in picture.html or "No text" in picture.html


def test_a_run_with_its_text_shows_all_of_it_and_one_without_shows_its_claims():
    from dataclasses import replace

    results = [make.result(1), make.result(2)]
    without_text = make.run(results=results)
    _, parsed = draw_and_parse(without_text)
    assert "The bridge is 120 m long" in "".join(parsed.words)
    with_text = replace(without_text, text=make.TEXT)
    picture, parsed = draw_and_parse(with_text)
    assert make.TEXT in "".join(w for w in parsed.words if w not in "●◐○✕?~·")
    assert "underline solid 2px #009E73" in picture.html


def test_a_human_label_has_a_ring_and_stands_beside_the_judge():
    run = make.run(results=[make.result(1)])
    picture, parsed = draw_and_parse(run, labels=[make.label(value="contradicted")])
    assert "●→✕" in parsed.words
    assert "Supported; reviewer: Contradicted" in picture.html
    assert "box-shadow" in picture.html


def test_an_extraction_shows_marks_and_targets():
    extraction = extract("It is so [1].\n\nReferences\n[1] https://a.example/x")
    bundle = extraction._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/markdown", "text/plain"}
    assert bundle["text/html"] == extraction._repr_html_()
    assert bundle["text/markdown"] == extraction._repr_markdown_()
    parsed = parse_drawing(bundle["text/html"])
    assert ("href", "https://a.example/x") in parsed.attributes
    assert "1 citations: 1 numbered citation" in bundle["text/plain"]


def test_a_text_is_a_document_with_each_letter_in_its_place():
    text = (
        "# Bridges\n\nThe **old** one [1].\n\n| a | b |\n|---|---|\n| So [2] | <b>x</b> |\n\n"
        "- [click](javascript:alert(1))\n> [page](https://x.example)\n"
    )
    picture, parsed = draw_and_parse(extract(text))
    start = picture.html.index("# </span>Bridges")
    assert {"table", "th", "td", "ul", "li", "blockquote"} <= parsed.tags
    assert text in "".join(word for word in parsed.words if word not in "·")
    assert picture.html[:start].endswith('<span style="display:none;">')
    assert '<span style="font-weight:700;">old</span>' in picture.html
    assert "b" not in parsed.tags or "&lt;b&gt;x&lt;/b&gt;" in picture.html


def test_hostile_markup_stays_text_everywhere():
    from dataclasses import replace

    judgment = replace(make.judgment(), rationale=HOSTILE, evidence=(), judge=HOSTILE)
    source = make.source(url="javascript:alert(1)", final_url="javascript:alert(1)", title=HOSTILE)
    result = make.result(1, judgment=judgment, judgments=(judgment,), source=source)
    failed = make.failure(2)
    failed = replace(failed, error=replace(failed.error, message=HOSTILE))
    run = replace(make.run(results=[result, failed]), judge=(HOSTILE,), text=make.TEXT + HOSTILE)
    label = make.label(note=HOSTILE, reviewer=HOSTILE)
    ratings = [Rating(item="i", rater=who, label="supported") for who in ("<b>a", HOSTILE)]
    for record in (
        run, extract(HOSTILE + "\n\nReferences\n[1] javascript:alert(1)"), label,
        run_sync(averify_claims([HOSTILE], [{"content": HOSTILE, "title": HOSTILE}])), agreement(ratings),
    ):  # fmt: skip
        picture, parsed = draw_and_parse(record)
        assert "<script" not in picture.html and "<img" not in picture.html
        assert not re.search(r"(?<!\\)<(script|img)", picture.markdown)
        assert "\ud800" not in picture.html + picture.markdown + picture.plain
    _, parsed = draw_and_parse(run)
    assert "<script>alert(1)</script>" in "".join(parsed.words)


@given(st.text(max_size=300))
def test_any_text_can_be_shown(text):
    extraction = extract(text)
    parsed = parse_drawing(extraction._repr_html_())
    assert all(len(name) < 20 for name in parsed.tags)
    extraction._repr_markdown_().encode("utf-8")


def test_long_texts_and_tables_are_cut_and_say_so():
    text = " ".join(f"Fact {n} is so [{n}]." for n in range(1, 4001))
    picture, _ = draw_and_parse(extract(text))
    assert f"{MOST_ROWS:,} of" in picture.html and "extraction.to_frame() has all" in picture.html
    assert "The text continues for" in picture.html
    assert len(picture.html) < 2_000_000


def test_calibration_results_come_with_charts(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    for number in range(8):
        add_run(store, f"r{number}", mixed(f"r{number}", 10, wrong=number % 2))
    view = calibrate(store, "local")
    picture, parsed = draw_and_parse(view)
    assert picture.html.count("<svg") == 2 and "polyline" in parsed.tags
    assert picture.markdown.startswith("# How far local can be trusted")
    assert "Cohen's κ of the labels" in " ".join(parsed.words)
    picture, _ = draw_and_parse(view.calibration)
    assert "local against people" in picture.plain
    _, parsed = draw_and_parse(view.calibration.table)
    assert "Brier score" in parsed.words
    with pytest.raises(UsageError, match="must be between 0 and 1"):
        calibrate(store, target_precision=95)


def test_without_labels_calibrate_says_so(tmp_path):
    with pytest.raises(UsageError, match="No labelled example has a verdict yet"):
        calibrate(Store(tmp_path / "w.duckdb"))


def test_small_results_of_statistics_show_themselves():
    judged = [
        EvaluationExample(
            item=str(n), judge="supported", score=0.9, human="supported", group=str(n)
        )
        for n in range(4)
    ]
    _, parsed = draw_and_parse(judge_table(judged))
    assert "Accuracy" in parsed.words
    pairs = [
        LabelledPair(id=str(n), claim="It is 3 m.", source=f"It is {n} m.", label=label, group="")
        for n, label in ((3, "supported"), (4, "contradicted"))
    ]
    _, parsed = draw_and_parse(evaluate(pairs))
    assert "AUROC" in parsed.words


def test_nothing_else_is_drawn():
    with pytest.raises(UsageError, match="dict cannot be drawn"):
        draw({})


def test_a_record_shows_itself_without_a_word_and_at_no_cost_to_the_import():
    code = (
        "import sys; from workbench import extract; found = extract('So [1].'); "
        "before = 'workbench.interfaces.notebook' in sys.modules; html = found._repr_html_(); "
        "print(before, 'streamlit' in sys.modules, 'pandas' in sys.modules, html[:4])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.split(r"\s+", done.stdout.strip()) == ["False", "False", "False", "<div"]
