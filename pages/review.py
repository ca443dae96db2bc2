"""Review: check a text, then go through its citations one by one."""

from workbench.fronts.ui import session
from workbench.fronts.ui.page import draw
from workbench.fronts.ui.review_panel import draw_review
from workbench.fronts.ui.start_panel import draw_start


def draw_page() -> None:
    """The run in the address, else the form that starts one."""
    run_id = session.run_id()
    if run_id:
        draw_review(run_id)
    else:
        draw_start()


draw(draw_page)
