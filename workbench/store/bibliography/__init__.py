"""Registries of works, answers of indexes, and what was found and decided about references."""
