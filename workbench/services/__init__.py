"""One module for each use case, with the rules that every interface shares."""
