"""Makes the embedded judge's files; never imported at run time."""
