"""What can be done with a source: its versions, reading it again, judging by it."""
