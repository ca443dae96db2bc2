"""What do we remember? One DuckDB file of outputs, runs, sources, verdicts and labels."""
