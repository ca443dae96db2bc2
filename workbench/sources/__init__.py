"""What do the cited sources say? From a citation to bytes to text with page and character spans."""
