"""Review: check a text, then go through its citations one by one."""

from workbench.interfaces.web import session
from workbench.interfaces.web.page import draw
from workbench.interfaces.web.review.overview import render_review
from workbench.interfaces.web.review.start import render_start


def draw_page() -> None:
    """The run in the address, else the form that starts one."""
    run_id = session.run_id()
    if run_id:
        render_review(run_id)
    else:
        render_start()


draw(draw_page)
