"""Judges over labelled items: how well one does on pairs, and what one says of kept items."""
