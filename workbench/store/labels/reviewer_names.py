"""Names of reviewers as people type them, and as they are kept."""
