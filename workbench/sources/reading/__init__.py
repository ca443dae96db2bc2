"""From the bytes of a source to its text: parsers, and the killable child they run in."""
