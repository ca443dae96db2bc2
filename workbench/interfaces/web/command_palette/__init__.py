"""Everything by its name: the window that one key opens."""
