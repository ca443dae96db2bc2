"""The texts of the Calibration page; pure."""

TITLE = "How far can the judge be trusted?"
NO_LABELS = (
    "Labels come from the Review page and queues, or from a file: "
    "`workbench import FORMAT FILE`, then `workbench calibrate`."
)
GO_TO_REVIEW = "Go to Review"
AIMS = {
    "guarantee": "Guaranteed precision",
    "precision": "Precision on these items",
    "recall": "Recall on these items",
    "cost": "Minimum cost",
    "manual": "A threshold of my own",
}
OWN_THRESHOLD = "Threshold"
OWN_THRESHOLD_HELP = "Accept from this score on. Saved as chosen by hand, without a guarantee."
NO_GUARANTEE = "Chosen by hand: nothing guarantees its precision on other citations."
USE_THRESHOLD = "Use this threshold"
LABELS_OF, ALL_LABELS = "Labels of", "Everything labelled"
JUDGE, THRESHOLD_FOR, TARGET, CONFIDENCE = "Judge", "Threshold for", "Target", "Confidence"
TARGET_HELP = "Required precision among accepted examples."
REFERENCE_TARGET_HELP = "Required share of fabricated works among those flagged as fabricated."
FALSE_POSITIVE_COST = "Cost of a false positive"
FALSE_NEGATIVE_COST = "Cost of a false negative"
TEST_SET_SHOWN = "These figures are from the test set. This access is logged below."
REPORT, REPORT_HTML, REPORT_MARKDOWN = "Report", "With charts, HTML", "Markdown"

TABS = ("Threshold", "Compared with people", "Support rate", "Data and report")
COMPARED = "Compared with human labels"
COMPARED_WITH_EACH = "Compared with each reviewer and their majority"
CONFUSION = "Confusion table"
RELIABILITY_ALT = (
    "Share of examples that people labelled supported, by the judge's score; the table has the "
    "numbers"
)
SWEEP_ALT = "Precision and recall at each threshold with intervals; the table has the numbers"
AS_TABLE = "As a table"
BY_SLICE = "By slice"

USED_BY = (
    "A saved threshold changes no verdict. A run that names it (`workbench verify --threshold ID`, "
    "`threshold` in a program) says which citations it accepts, which it rejects and which are left "
    "to a person; Policies shows what it would hold back."
)
THRESHOLD, ABSTAIN_BAND, NOTE = "Threshold", "Abstain band.", "Note"
RATE_TARGET = "Target of a fitted limit"
RATE_TARGET_HELP = (
    "What the 90 % lower bounds of sensitivity and specificity must hold on the labels kept apart."
)
SAVE_LIMITS = "Save the fitted limit"
SAVE_THRESHOLD, SAVE_BAND = "Save this threshold", "Save this band"
UNLABELLED_NEAR = "Unlabelled items near this threshold"

DATA_SPLIT = "Data split"
UNLOCK, LOCK, UNLOCK_BUTTON = "Unlock the test set", "Lock the test set", "Unlock test set"
UNLOCK_NOTE = "Every access is logged. Choose the threshold before unlocking, not after."
REASON = "Reason"

SUPPORT_RATE = "Support rate of the runs of this judge"
NO_VERDICTS = "These runs contain no verdicts by this judge."
CITATIONS = "Citations"
QUEUE_RANDOM, QUEUE_SUGGESTED = "Queue a random sample", "Queue suggested examples"
RUNS, ALL_RUNS = "Runs", "All runs"
CHECKED_FROM, CHECKED_UNTIL = "Checked from", "Checked until"

NOT_JUDGED = "not yet judged by this judge: "
LEFT_OUT = "the figures leave them out"
SOME_LEFT_OUT = "the figures leave {} of them out; the others, such as the test set, are not theirs"
NONE_LEFT_OUT = "none of them is among the items of these figures"
NOT_JUDGED_BY_BASELINE = "not yet judged by the embedded judge (baseline)"
COST_CAP, RUN_JUDGE = "Cost cap, USD", "Run the judge"
