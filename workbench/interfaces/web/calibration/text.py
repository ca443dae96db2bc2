"""The texts of the Calibration page; pure."""

AIMS = {
    "guarantee": "Guaranteed precision",
    "precision": "Precision on these items",
    "recall": "Recall on these items",
    "cost": "Minimum cost",
    "manual": "A threshold of my own",
}
LABELS_OF, ALL_LABELS = "Labels of", "Everything labelled"
JUDGE, THRESHOLD_FOR, TARGET, CONFIDENCE = "Judge", "Threshold for", "Target", "Confidence"
REPORT, REPORT_HTML, REPORT_MARKDOWN = "Report", "With charts, HTML", "Markdown"

TABS = ("Threshold", "Compared with people", "Support rate", "Data and report")

USED_BY = (
    "A saved threshold changes no verdict. A run that names it (`workbench verify --threshold ID`, "
    "`threshold` in a program) says which citations it accepts, which it rejects and which are left "
    "to a person; Policies shows what it would hold back."
)
THRESHOLD, ABSTAIN_BAND, NOTE = "Threshold", "Abstain band.", "Note"
SAVE_THRESHOLD, SAVE_BAND = "Save this threshold", "Save this band"
UNLABELLED_NEAR = "Unlabelled items near this threshold"

UNLOCK, LOCK, UNLOCK_BUTTON = "Unlock the test set", "Lock the test set", "Unlock test set"

QUEUE_RANDOM, QUEUE_SUGGESTED = "Queue a random sample", "Queue suggested examples"
RUNS, ALL_RUNS = "Runs", "All runs"
CHECKED_FROM, CHECKED_UNTIL = "Checked from", "Checked until"

NOT_JUDGED = "not yet judged by this judge: "
SOME_LEFT_OUT = "the figures leave {} of them out; the others, such as the test set, are not theirs"
NONE_LEFT_OUT = "none of them is among the items of these figures"
COST_CAP, RUN_JUDGE = "Cost cap, USD", "Run the judge"
