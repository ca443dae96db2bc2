"""Batches on disk: what is done of them, their parts, and how they come into the store."""
