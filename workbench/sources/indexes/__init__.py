"""Which indexes know a work? Each through one guarded client."""
