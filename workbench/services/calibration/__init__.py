"""How far the judge can be trusted, measured on the labels in the store."""
