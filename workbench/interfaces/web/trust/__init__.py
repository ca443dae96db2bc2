"""The Trust page."""
