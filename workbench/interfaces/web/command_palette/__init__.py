"""The command palette: everything by name, opened by one key."""
