"""The encoder of the embedded judge: it reads claim and passage together."""
