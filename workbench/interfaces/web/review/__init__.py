"""The Review page: start a run, read and decide its citations."""
