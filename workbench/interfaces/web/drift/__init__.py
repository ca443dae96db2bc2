"""The Drift page."""
