"""The labelling guide, as a page and beside an item."""
