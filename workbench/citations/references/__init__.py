"""Which sources does a text list? Its reference lists, their entries, and the marks tied to them."""
