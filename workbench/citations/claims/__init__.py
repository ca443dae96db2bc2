"""What does each citation stand for? Sentences, claims, quotations and statistics."""
