"""The pages: what they share, and one package for each."""
