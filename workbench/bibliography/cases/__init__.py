"""Does the court decision exist, and is it cited right? Citation and record to a finding; pure.

Nothing is looked up here. What a citation says alone may be impossible (`check_case`); a record of
an index or a library is compared with it (`compare_case`), and both make a finding
(`conclude_case`).
"""
