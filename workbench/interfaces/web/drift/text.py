"""Texts of the drift page."""

from workbench.records.verify_choices import JUDGE_SPECS

HEAD = '<div class="wb-head"><h1>Judge drift</h1></div>'
AGREEMENT_WITH_THE_REFERENCE = (
    "Agreement with the reference labels at each evaluation; the table has the numbers"
)
RUN_AN_EVALUATION = "Run an evaluation"
PROMPT = "Prompt"
CHANGES = "Changes"
SHOW = "Show"
NO_REFERENCE_SET = (
    "No reference set yet. A reference set is a fixed copy of labelled examples; re-evaluating "
    "a judge on it over time shows drift."
)
REFERENCE_SET = "Reference set"
NAME = "Name"
EXAMPLES = "Examples"
EXAMPLES_HELP = (
    "Maximum size, balanced across labels. 200 examples detect a change of about five points."
)
SPLITS = "Splits"
SPLITS_HELP = (
    "The test set is excluded. Use dev only for prompts with few-shot examples, which come "
    "from train."
)
NOTE = "Note"
CREATE_SET = "Create set"
JUDGE = "Judge"
JUDGE_HELP = f"Type another one: {JUDGE_SPECS}."
COST_CAP = "Cost cap, USD"
RUN = "Run"
FIRST = "First"
SECOND = "Second"
NEW_REFERENCE_SET = "New reference set"
EVALUATION = "Evaluation"
WHEN = "When (UTC), judge"
AGREEMENT_WITH_LABELS = "Agreement with labels"
SINCE_THE_BASELINE = "Since the baseline"
SAME_AS_PREVIOUS = "Same as previous"
RESULT = "Result"
NO_VERDICT = "No verdict"
COST = "Cost"
CLAIM = "Claim"
CHANGE = "Change"
LABEL = "Label"
