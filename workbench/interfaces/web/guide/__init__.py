"""The labelling guide, as a page and next to an item."""
