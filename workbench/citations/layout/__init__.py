"""How is a text laid out? Its lines, headings, paragraphs, lists and tables."""
