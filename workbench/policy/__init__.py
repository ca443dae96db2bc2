"""What follows from a run? Flag, redact or block, with a report; pure."""
