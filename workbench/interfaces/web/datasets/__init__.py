"""The page for import and export."""
