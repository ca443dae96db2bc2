"""Judges with models of the user's own: classifiers of sentence pairs in a folder. Nothing here uses a network."""
