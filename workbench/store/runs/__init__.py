"""Runs, their citations and what is found in them."""
