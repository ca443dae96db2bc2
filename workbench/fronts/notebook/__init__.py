"""What a notebook shows of records, and the verbs that only a notebook needs.

A record that is the last line of a cell shows itself: `records.Drawn` asks `draw` for it. The HTML
stands alone: no script, no address is loaded, all that others wrote is escaped, and its colours
hold on light and dark ground.
"""

from workbench.fronts.notebook.drawing import draw
from workbench.fronts.notebook.measuring import calibrate
from workbench.fronts.notebook.picture import Picture

__all__ = ["Picture", "calibrate", "draw"]
