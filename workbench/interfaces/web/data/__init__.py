"""The page for backup and deletion."""
