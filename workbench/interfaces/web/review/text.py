"""The texts of the Review and Claims pages."""

from collections.abc import Sequence

from workbench.records.format import count_of
from workbench.records.providers import JUDGE_SPECS
from workbench.records.review import Fault
from workbench.records.run_listing import RunSummary
from workbench.services.verification import GroundVerdict

START_STEPS = "Paste an AI's answer, add its sources, decide each citation with one key."
CLAIMS_INTRO = (
    "Each claim is compared with the sources you provide; the best match decides. Questions, "
    "hedges and code are skipped."
)
JUDGED_CORRECTED = "Judged with this correction."
CLAIM_VERDICTS: dict[GroundVerdict, str] = {
    "supported": "Supported",
    "weak": "Weak",
    "unverifiable": "Not found",
    "contradicted": "Contradicted",
}
FAULT_CHOICES: dict[Fault, str] = {
    "extraction": "Extraction: not a citation",
    "linking": "Linking: wrong source",
    "fetch": "Fetch: wrong page retrieved",
    "text_extraction": "Text extraction: failed",
    "claim_split": "Claim boundaries: wrong",
    "passage_choice": "Passage choice: passage missing",
    "judge": "Judge: wrong decision",
}
"""The stages that can fail, first stage first."""
DETAIL_KEYS = (
    ("W", "Mark the quote shown as wrong"),
    ("F", "Choose the error source (Esc to leave)"),
    ("T", "Add tags (Esc to leave)"),
)
TEXT_KEYS = (
    ("7", "Switch between formatted and raw text"),
    ("9", "Next sentence without a citation (Enter: say what it is there for)"),
)
REFERENCE_KEYS = (("V", "Open the citation's reference"),)
CLAIM_KEYS = (
    ("M", "Correct the claim"),
    ("P", "Reword the claim so that it stands alone"),
    ("X", "Next scope of the citation: sentence, list, paragraph"),
    ("Y", "Judge again with the corrected claim"),
)
CORRECTION_KEYS = (
    ("D", "Take the correction that the judge proposes"),
    ("I", "Edit it, and take the edited version"),
    ("Q", "Refuse it"),
    ("Z", "Undo your decision on it"),
)


def all_judges(ready: int, missing: int) -> str:
    """How many kinds of judge can be used here, and how many cannot yet."""
    return f"All judges: {ready} ready, {missing} to set up"


def judge_line(chosen: Sequence[str], embedded_accuracy: str, *, fetch: bool) -> str:
    """Who judges, how good the embedded judge is where it judges alone, and what is fetched."""
    accuracy = f"{embedded_accuracy} " if list(chosen) == ["local"] and embedded_accuracy else ""
    fetching = "Cited pages are fetched." if fetch else "Nothing is fetched from the web."
    return f"Judge: {' + '.join(chosen)}. {accuracy}{fetching}"


def run_text(run: RunSummary) -> str:
    """The figures of a run in a line."""
    return f"{count_of(run.found, 'citation')} · {run.supported:,} supported"


def earlier_text(older: int) -> str:
    """The text before the previous verdict, with the number of older ones.

    >>> earlier_text(2)
    'Judged with this correction. The previous verdict, with 2 older ones, is kept:'
    """
    more = f", with {count_of(older, 'older one')}," if older else ""
    return f"{JUDGED_CORRECTED} The previous verdict{more} is kept:"


START_TITLE = "Check citations"
ESTIMATE_HELP = "Calls, cost and time before the run starts."
CARD_MORE = "More: claim, reference, guide, error source, tags"
CHECK_CLAIMS_LINK = "Check claims without citations"
SLOW_TEXT = "Reading the text is taking a long time; the run will appear under Runs."
NO_TEXT = "There is no text to check: paste an answer, upload a file or open a demo."
STANDALONE = "Rewrite each claim to stand alone"
JUDGE_HELP = f"Several judges form a panel. Type another one: {JUDGE_SPECS}."
TRY_MODEL_HELP = (
    "Asks one question whose answer is known, and tells whether the model was right, kept to the "
    "schema, and how long it took. A model may have to be loaded first."
)
DEMO_SOURCES = "Use the demo's sources"
WITHOUT_A_FILE = "Cited without a file: "
DEMOS_RECORDED = (
    "Verdicts recorded from a large language model, which agrees with 76 of our 86 labels; the "
    "local judge agrees with 55."
)
UPLOAD_FIRST = "The uploaded file is checked, not the pasted text."
GIVE_SOURCE_HELP = (
    "This source has no text to judge. Upload it or paste its text; its citations in this run are "
    "re-judged immediately."
)
GIVE_TEXT_PLACEHOLDER = "Paste the exact text; quotes are matched character by character."
NOT_JUDGED_HIDDEN = "Not judged with this correction yet."
NOT_JUDGED = "The verdict is still about the original claim."
SCOPE_BUTTON_HELP = (
    "What the citation covers: its sentence, its whole list or its whole paragraph. A list or"
    " a paragraph is judged part by part, and the verdict names the parts that are not "
    "supported."
)
ONE_SCOPE_HELP = "The citation is in no list and no paragraph with several claims."
TAKE_HELP = (
    "The claim should read as the judge proposes. The text and its verdict do not change; the export "
    "“corrected-markdown” has the text with what was taken."
)
EDIT_HELP = "Word the corrected claim yourself, from the judge's proposal."
REFUSE_HELP = "The claim should not be changed this way; you can say why."
REFUSAL_REASON = "Why it is refused (optional)"
CLAIM_JUDGE_HELP = f"Type another one: {JUDGE_SPECS}."
ASK_CHAT_HELP = "Have any chat window judge this run, without a key. Nothing is sent anywhere."
