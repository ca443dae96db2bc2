"""One module for each use case, with the rules that every interface shares.

Every function that is passed a database raises StoreError when it cannot be used; what else is
raised stands in the function's docstring.
"""
