"""What a notebook shows of records, and the verbs that only a notebook needs.

A record that is the last line of a cell shows itself: `records.Drawn` asks `draw` for it. The HTML
stands alone: no script, no address is loaded, all that others wrote is escaped, and its colours
hold on light and dark ground.
"""

from workbench.interfaces.notebook.calibration import calibrate
from workbench.interfaces.notebook.drawing import draw
from workbench.interfaces.notebook.html import RichOutput

__all__ = ["RichOutput", "calibrate", "draw"]
