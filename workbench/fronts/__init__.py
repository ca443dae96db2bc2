"""The doors: command line, pages, notebook, servers. They parse, call and show."""
