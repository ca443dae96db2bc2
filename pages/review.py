"""Review: check a text, then go through its citations one by one."""

from workbench.fronts.ui import session
from workbench.fronts.ui.review_panel import draw_review
from workbench.fronts.ui.start_panel import draw_start

run_id = session.run_id()
if run_id:
    draw_review(run_id)
else:
    draw_start()
