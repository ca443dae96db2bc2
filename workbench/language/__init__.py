"""The words, numbers and units of a text, and what is calculated from them. Pure."""
