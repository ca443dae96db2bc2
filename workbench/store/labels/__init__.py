"""Human labels, the guide they were given by, and who gave them."""
