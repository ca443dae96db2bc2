"""The figures and the legend of a run as HTML, beside other HTML."""

from dataclasses import replace

from tests.fakes import records as make
from workbench.presentation.escape import macro
from workbench.presentation.run_report import annotated_html
from workbench.presentation.run_totals import legend, scanned_quotes


def test_html_of_a_template_escapes_nothing_that_stands_beside_it():
    assert (legend() + "<p>6 citations</p>").endswith("<p>6 citations</p>")
    assert type(macro("notebook.html.jinja", "plain", "a < b")) is str
    assert macro("notebook.html.jinja", "plain", "a < b") == "a &lt; b"


def test_quotes_from_scanned_pages_are_told_for_the_run_and_on_each_card():
    quote = replace(make.judgment().evidence[0], page=2, scanned=True)
    results = [make.result(judgment=make.judgment(evidence=(quote,)))]
    run = make.run(results=results)
    (sentence,) = scanned_quotes(run)
    assert "(page 2)" in sentence and "recognized under scanned pages" in sentence
    assert scanned_quotes(make.run(results=[make.result()])) == []
    assert "text recognized under a scanned page" in annotated_html(run, make.TEXT, (), name="A")
