"""Backup, deletion, spending and queries over the whole database."""
