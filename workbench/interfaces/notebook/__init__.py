"""What a notebook shows of records, and the verbs that only a notebook needs.

A record in the last line of a cell shows itself: `records.Drawn` calls `draw`. The HTML
is self-contained: it loads no script and no address, escapes all foreign text, and its colours
work on light and dark backgrounds. `review` shows a widget beside it where anywidget is installed.
"""

from workbench.interfaces.notebook.drawing import calibrate, draw
from workbench.interfaces.notebook.html import RichOutput
from workbench.interfaces.notebook.reviewing import review

__all__ = ["RichOutput", "calibrate", "draw", "review"]
