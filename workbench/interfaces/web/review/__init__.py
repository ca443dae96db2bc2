"""The Review page: start a run, read and label its citations."""
