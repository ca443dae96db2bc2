"""Sources with their versions and what reviewers said of them."""
