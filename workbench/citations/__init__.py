"""What does this text cite? Text in, citations, references and claims out; pure."""
