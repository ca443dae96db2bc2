"""The lists and paragraphs that markers close."""

MOST_PARTS = 12
"""A scope of more parts than this is not offered."""
