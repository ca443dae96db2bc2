"""Does the source support the claim? From a claim and its source to passages and a judgment."""
