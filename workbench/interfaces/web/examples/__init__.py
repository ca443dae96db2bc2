"""The example workspace on the pages: what is an example, and its removal."""
