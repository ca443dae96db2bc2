"""Prompt versions and optimization runs."""
