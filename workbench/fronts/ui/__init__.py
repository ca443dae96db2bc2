"""What the pages draw with: the verdicts' visual language, components, charts, background runs."""
