"""Read one bibliography entry: its authors, title, year, venue, numbers and identifiers."""
