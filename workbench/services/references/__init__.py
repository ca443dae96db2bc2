"""References of a list: looked up, decided by people, corrected and written out again."""
