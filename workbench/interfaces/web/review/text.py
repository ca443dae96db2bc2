"""The texts of the Review and Claims pages."""

from collections.abc import Sequence

from workbench.presentation.escape import escape_markdown, truncate
from workbench.records import Fault, RunSummary
from workbench.records.format import count_of
from workbench.records.verify_choices import JUDGE_SPECS
from workbench.services.verification import GroundVerdict

START_STEPS = "Paste an AI's answer, add its sources, decide each citation with one key."
CLAIMS_INTRO = (
    "Each claim is compared with the sources you provide; the best match decides. Questions, "
    "hedges and code are skipped."
)
IN_THE_TEXT = "In the text"
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
TEXT_KEYS = (("7", "Switch between formatted and raw text"),)
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


def judge_line(chosen: Sequence[str], embedded_accuracy: str) -> str:
    """Who judges, and how good the embedded judge is where it judges alone."""
    line = f"Judge: {' + '.join(chosen)}."
    if list(chosen) != ["local"] or not embedded_accuracy:
        return line
    return f"{line} {embedded_accuracy} Language models, under Options, read better."


def more_demos(total: int) -> str:
    """The name of the place of the other demos.

    >>> more_demos(7)
    'All 7 demos'
    """
    return f"All {count_of(total, 'demo')}"


def run_text(run: RunSummary) -> str:
    """The figures of a run in a line."""
    words = f"{count_of(run.found, 'citation')} · {run.supported:,} supported"
    if run.errors:
        words += f" · {run.errors:,} without a verdict"
    return words + (f" · {run.labelled:,} reviewed" if run.labelled else "")


def earlier_text(older: int) -> str:
    """The text before the previous verdict, with the number of older ones.

    >>> earlier_text(2)
    'Judged with this correction. The previous verdict, with 2 older ones, is kept:'
    """
    more = f", with {count_of(older, 'older one')}," if older else ""
    return f"{JUDGED_CORRECTED} The previous verdict{more} is kept:"


# Start of a check
START_TITLE = "Check citations"
ANSWER = "Answer to check"
ANSWER_PLACEHOLDER = "Paste an AI's answer or report with its citations and its list of references."
UPLOAD = "or upload it"
UPLOAD_HELP = (
    "A text, Markdown, JSON, Word, PDF, BibTeX or RIS file. Used instead of the pasted text."
)
CHECK_CITATIONS = "Check citations"
ESTIMATE = "Estimate"
ESTIMATE_HELP = "Calls, cost and time before the run starts."
CHECK_CLAIMS_LINK = "Check claims without citations"
FINDING = "Finding citations"
SLOW_TEXT = "Reading the text is taking a long time; the run will appear under Runs."
NO_TEXT = "There is no text to check: paste an answer, upload a file or open a demo."
FETCH = "Fetch from the web"
FETCH_HELP = (
    "Off: no network access; only uploaded sources and stored snapshots are used. On: cited "
    "public pages are fetched, nothing on this network."
)
DOMAINS = "Allowed domains"
DOMAINS_PLACEHOLDER = "any public domain"
DOMAINS_HELP = (
    "Separate with spaces. wikipedia.org also allows en.wikipedia.org. A DOI needs doi.org "
    "and its publisher's domain in the list."
)
COST_CAP = "Cost cap, USD"
COST_CAP_HELP = (
    "The run stops before the cap would be exceeded; leave empty for no cap. The local judge "
    "is free."
)
ASKING = "Claims per call"
ASKING_HELP = (
    "One claim per call is the fastest, and what the judge is calibrated on. Several claims "
    "of one source per call cost 13 to 45 % less where sources are cited often, and take "
    "longer. A batch costs half and may take a day; the run can be stopped and continued."
)
STANDALONE = "Rewrite each claim to stand alone"
STANDALONE_HELP = (
    "The model also rewords each claim so that it can be understood without its context; the "
    "card marks the words that it adds. Costs some more tokens, which the estimate includes. "
    "Only language models do this."
)
SCOPE = "A citation covers"
SCOPE_HELP = (
    "A citation at the end of a list or a paragraph may cover more than the sentence before "
    "it. A list or a paragraph is judged part by part, and the verdict names the parts that "
    "the source does not support. You can change it for a single citation on its card."
)
JUDGE = "Judge"
JUDGE_HELP = f"Several judges form a panel. Type another one: {JUDGE_SPECS}."
TRY_MODEL_HELP = (
    "Asks one question whose answer is known, and tells whether the model was right, kept to the "
    "schema, and how long it took. A model may have to be loaded first."
)
TRYING_MODEL = "Waiting for the model"
SOURCES = "Sources"
SOURCE_FILES = "Sources"
DEMO_SOURCES = "Use the demo's sources"
OPTIONS = "Options"
HOW_GOOD = "How good?"
SOURCE_FILES_HELP = (
    "A file is matched with its citations by the address, DOI, title, authors and year in it, or by "
    "its name (1.html for [1]); what is found is shown below and can be changed. Or add a "
    "sources.json that lists content, url, title, label and for."
)
MATCHES = "Files matched with citations"
WITHOUT_A_FILE = "Cited without a file: "
MATCH_OF = "Citations of"
NO_MATCH = "No citation: choose"
MATCH_CHOSEN = "chosen by you"
DEMOS = "Demos"
DEMOS_RECORDED = "Verdicts recorded from a large language model"
DEMOS_RECORDED_HELP = (
    "The model agrees with 76 of our 86 labels. The embedded judge, the default for your own "
    "checks, agrees with 54."
)
NOT_CHECKED = "Not checked yet"
OPEN = "Open"
CHECK = "Check"
LOAD_DEMO = "Load a demo's text into the form"
LATEST_RUNS = "Latest runs"

# Review of a run
VIEW = "View"
VIEW_CITATIONS = "Citations"
CONTINUE_RUN = "Continue the run"
KEYS = "Keys"
NEW_CHECK = "New check"
EXPORT = "Export"
CHARTS = "Charts: verdicts and errors"
VERDICT_CHART_ALT = "Number of citations by verdict"
ERROR_CHART_ALT = "Number of citations without a verdict, by reason"
NO_CITATIONS = "No citations were found in this text, so there is nothing to judge."
REVIEWED = "Reviewed"
TO_REVIEW = "To review"
ASIDES = "Quotes and figures"
SHOW = "Show"
SHOW_HELP = "Shows only these; others are dimmed and skipped by Next/Previous."
REFERENCE = "Reference"
REFERENCE_HELP = (
    "Opens its entry in the reference list: does the work exist, and is it described correctly?"
)
NO_REFERENCE_HELP = "This citation does not point to an entry in a reference list."

# A source given on the card
GIVE_SOURCE = "Add this source"
GIVE_SOURCE_HELP = (
    "This source has no text to judge. Upload it or paste its text; its citations in this run are "
    "re-judged immediately."
)
GIVE_FILE = "Source file"
GIVE_TEXT = "or its text"
GIVE_TEXT_PLACEHOLDER = "Paste the exact text; quotes are matched character by character."
USE_THIS_SOURCE = "Use this source"
READING_SOURCE = "Reading the source"
NEITHER_FILE_NOR_TEXT = "Choose a file or paste the text first."
FILE_AND_TEXT = "You provided both a file and a text. Remove one of them."

# Details of a decision
QUOTE_WRONG = "Wrong quote"
QUOTE_WRONG_HELP = "The quote shown is not about the claim. Press again to undo."
FAULT = "Error source"
FAULT_PLACEHOLDER = "Error source · F"
TAGS = "Tags"
TAGS_PLACEHOLDER = "Tags · T"
OWN_EVIDENCE_HELP = "Your evidence. Press to remove it."
WRONG_QUOTE_HELP = "The judge's quote, marked as wrong. Press to remove the mark."
UNREADABLE = "not readable"

# A claim corrected
CORRECT_CLAIM = "Correct claim"
CORRECT_CLAIM_HELP = "Set where the claim starts and ends in the output."
CORRECT_CLAIM_TITLE = "Correct the claim"
CLAIM_CORRECTED = "Claim corrected"
CLAIM_REWORDED = "Claim reworded"
TAKE_CLAIM = "Use as the claim"
CLAIM_TEXT_NAME = "Text of the output; arrow keys select words and sentences, Enter uses them"
JUDGE_AGAIN = "Judge again"
JUDGE_AGAIN_HELP = "Runs this run's judge again; its cost cap applies, and nothing is fetched."
JUDGING_AGAIN = "Judging again"
JUDGING_CORRECTED = "Judging the corrected claim"
NOT_JUDGED_HIDDEN = "Not judged with this correction yet."
NOT_JUDGED = "The verdict is still about the original claim."
REWORD_CLAIM = "Reword claim"
REWORD_CLAIM_HELP = (
    "Write the claim so that it can be understood without its context. The judge checks your "
    "wording; the text and its offsets do not change."
)
REWORD_CLAIM_TITLE = "Reword the claim"
WORDING = "Standalone claim"
WORDING_HELP = "Name what pronouns, “the …” and “that year” refer to; add nothing else."
SAVE_WORDING = "Save wording"
USE_ORIGINAL = "Use original wording"
USE_ORIGINAL_HELP = "The judge checks the claim as it is written in the text."
SCOPE_BUTTON_HELP = (
    "What the citation covers: its sentence, its whole list or its whole paragraph. A list or"
    " a paragraph is judged part by part, and the verdict names the parts that are not "
    "supported."
)
ONE_SCOPE_HELP = "The citation is in no list and no paragraph with several claims."

# A correction that the judge proposes
TAKE_CORRECTION = "Take correction"
TAKE_CORRECTION_HELP = (
    "The claim should read as the judge proposes. The text and its verdict do not change; the "
    "export “corrected-markdown” has the text with what was taken."
)
EDIT_CORRECTION = "Edit correction"
EDIT_CORRECTION_HELP = "Word the corrected claim yourself, from the judge's proposal."
EDIT_CORRECTION_TITLE = "Edit the correction"
CORRECTED_CLAIM = "Corrected claim"
SAVE_CORRECTION = "Save correction"
REFUSE_CORRECTION = "Refuse correction"
REFUSE_CORRECTION_HELP = "The claim should not be changed this way; you can say why."
REFUSAL_REASON = "Why it is refused (optional)"
UNDO_CORRECTION = "Undo correction"
CORRECTIONS = "Proposed corrections"

# Source of a citation
SOURCE_TITLE = "Source as judged"
USE_AS_EVIDENCE = "Use as evidence"
SOURCE_TEXT_NAME = "Text of the source; arrow keys select sentences and words, Enter uses them"
REFERENCE_LIST_MARK = "reference list: not usable as evidence"
OWN_EVIDENCE = "Your evidence"
JUDGE_QUOTES = "The judge's quotes"
OTHERS_EVIDENCE = "Other reviewers' evidence"
REFERENCE_LISTS = "Reference lists of the source: not used by the judge"
ORIGINAL_PAGE = "Original page"

# Claims without citations
CLAIMS_TEXT = "Text or claims"
CLAIMS_PLACEHOLDER = "Paste a text, or one claim per line."
CLAIM_PER_LINE = "One claim per line"
CLAIM_PER_LINE_HELP = "On: every line is checked as it is. Off: the text is split into sentences."
CLAIM_SOURCES_HELP = (
    "The texts that claims are checked against: pages, PDFs, text, or a sources.json."
)
CLAIM_JUDGE_HELP = f"Type another one: {JUDGE_SPECS}."
CHECK_CLAIMS = "Check claims"
COMPARING = "Comparing claims with sources"
SPLIT_CLAIMS = "Let the model split the text into atomic claims"
SPLIT_CLAIMS_HELP = (
    "Off: the text is split into sentences. On: the judge's model lists every statement that can "
    "be checked on its own, with the words that make it."
)
CLAIM_STANDALONE_HELP = (
    "The model rewords each claim so that it can be understood without the text, for some "
    "more tokens: while it splits the text, or in the call that judges the claim."
)
CLAIM_CAP_HELP = "Claims not judged because of the cap are marked; leave empty for no cap."
WEB_SEARCH = "Search the web for unsupported claims"
WEB_SEARCH_HELP = (
    "Sends these claims to the search function named in settings.toml, and checks them "
    "against its results."
)
DOWNLOAD_JSON = "Download JSON"
NO_CLAIMS = "There is nothing to check: paste a text or some claims."
NO_CLAIM_SOURCE = "There is no source: upload at least one file to compare with."


def try_model(spec: str) -> str:
    """The button that tries a model on this machine."""
    return f"Try {escape_markdown(truncate(spec, 60))}"


READING_JUDGES = (
    "A language model reads the source instead. Without a key: a model on this machine (Ollama, LM "
    "Studio, llama.cpp or vLLM), any chat window (`handoff:chat`), or over MCP the model of your own "
    "agent. With a key: `anthropic:MODEL` or `openai:MODEL`."
)
ASK_CHAT = "Ask a chat"
ASK_CHAT_HELP = "Have any chat window judge this run, without a key. Nothing is sent anywhere."
ASK_CHAT_WAY = (
    "Copy a part into any chat, and paste what it answers below. Nothing is sent anywhere; each quote "
    "is looked up in its source."
)
PART_CHARS = "Characters a part"
PART_CHARS_HELP = "What the chat takes in one message."
PART = "Part"
DOWNLOAD_QUESTIONS = "Download all"
CHAT_NAME = "Name of the chat"
CHAT_ANSWERS = "Answers"
CHAT_ANSWERS_PLACEHOLDER = "The chat's answer, to one part or several, with its JSON"
TAKE_ANSWERS = "Take the answers"
ANSWERS_REFUSED = "Not taken"
QUESTIONS_OPEN = "Still open"


def and_more(number: int) -> str:
    """How many claims are not listed."""
    return f"And {number:,} more; `workbench handoff import` lists all."
