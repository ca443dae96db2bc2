"""The nouns of the workbench: frozen records that every room may use.

Offsets are half-open and count Unicode code points of the text *as given*; for every record with a
span, `text[start:end]` is exactly what was matched. `to_dict()` gives the published JSON.
This room knows no other room but `errors`, and imports nothing heavy.
"""
