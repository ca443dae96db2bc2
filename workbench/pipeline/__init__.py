"""The order of the stages: find, link, fetch, read, judge.

`averify` composes the rooms and knows no store: each finished verdict goes to a callback, so a run
survives a crash and works in a notebook with no database. One source is fetched and read once,
whatever the number of citations to it, and fetching overlaps with judging. What goes wrong with a
citation ends up on that citation; only the caller's mistakes are raised.
"""
