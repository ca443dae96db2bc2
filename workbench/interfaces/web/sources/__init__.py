"""The Sources page."""
