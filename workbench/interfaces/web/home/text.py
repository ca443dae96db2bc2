"""The texts of the Overview page."""

YOUR_QUEUES = "Queues with items left"
UNREVIEWED_RUNS = "Runs with unreviewed citations, newest first"
TEAM_COMMENTS = "Comments, newest first"
WITH_VERDICT = "with a verdict"
REVIEWER = "Reviewer"
LABELS = "Labels"
TIME_PER_ITEM = "Time per item"
JUDGE = "Judge"
DAY = "Day, UTC"

# Proposed corrections
CORRECTIONS = "Proposed corrections"
CORRECTIONS_HELP = (
    "Corrections that judges proposed, and what reviewers decided. Accepted: the share of decided "
    "ones that were taken or edited, with the exact 95 % interval."
)
JUDGE = "Judge"
