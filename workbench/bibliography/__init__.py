"""Does the reference exist, and is it described right? Entry and record to a finding; pure."""
