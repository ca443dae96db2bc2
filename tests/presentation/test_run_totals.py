"""The figures and the legend of a run as HTML, beside other HTML."""

from workbench.presentation.run_totals import legend
from workbench.presentation.templating import macro


def test_html_of_a_template_escapes_nothing_that_stands_beside_it():
    assert (legend() + "<p>6 citations</p>").endswith("<p>6 citations</p>")
    assert type(macro("notebook.html.jinja", "plain", "a < b")) is str
    assert macro("notebook.html.jinja", "plain", "a < b") == "a &lt; b"
