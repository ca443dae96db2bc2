"""The page that lists citations over all runs."""
