"""The ways in: each parses what it was given, calls a service and renders the answer."""
