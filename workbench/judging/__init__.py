"""Does the source support the claim? Claim and source in; passages, judgment, layers, cost out."""
