"""The texts of the Queues page: queues, their progress, the time left."""

from workbench.presentation.escape import escape_markdown, truncate
from workbench.records.fields import FieldKind
from workbench.records.format import count_of, duration, word_for
from workbench.records.queue import (
    Queue,
    QueueItemKind,
    QueueOrder,
    QueueProgress,
    QueueSummary,
    ReviewTask,
)
from workbench.records.review import Role
from workbench.services.calibration import remaining

ORDER_TEXT: dict[QueueOrder, str] = {
    "uncertain_first": "Uncertain first",
    "random": "Random",
    "document": "By document",
}
ROLE_TEXT: dict[Role, str] = {"review": "Review", "adjudication": "Adjudication"}
SKIP_REASONS = (
    "Needs an expert",
    "Cannot read the language",
    "The source cannot be used",
    "Conflict of interest",
    "Later",
)
"""Suggested when an item is skipped; any other words are accepted as well."""
REFERENCE_SKIP_REASONS = (*SKIP_REASONS[:2], *SKIP_REASONS[3:])
"""No source is read for these."""
REVIEWED_CHOICES = {None: "All", False: "Not reviewed", True: "Reviewed"}
DISAGREEMENTS = {
    "judges_differ": "Judges of a panel disagree",
    "judge_differs": "Judge and reviewers disagree",
    "reviewers_differ": "Reviewers disagree",
}
"""The conditions of a filter by their field."""
WORDS = "Words in claim or rationale"
FIELD_KIND_TEXT: dict[FieldKind, str] = {
    "choice": "One option",
    "choices": "Several options",
    "score": "Score",
    "text": "Text",
}
NEAR_HELP = (
    "Citations whose probability of being supported is close to this number, such as a threshold."
)
BLIND_HELP = (
    "The judge's verdict and other reviewers' labels are hidden until the reviewer has labelled "
    "the item."
)
WHO_SETTLES = (
    "Who labelled an item does not settle it, unless they are named under Who. A team of two names "
    "the one who decides."
)
REQUIRED_HELP = "A label counts only if this question is answered."
ITEM_KINDS: dict[QueueItemKind, str] = {
    "citations": "Citations",
    "references": "References",
    "sentences": "Sentences without a citation",
}
LEAVE_HELP = "Releases the current item and returns to the queue list."
FINISHED = "Finished queues ({})"
"""The heading of the open queues that have all their reviews."""
FIRST_ITEM = "This is the first item you can open."
LABEL_FIRST = "Label the item first; the judge's verdict is shown afterwards."


def remaining_text(progress: QueueProgress) -> str:
    """The remaining time at this reviewer's pace; empty without a pace or remaining items."""
    remaining_time = remaining(progress.available, progress.recent_s)
    if remaining_time is None or not progress.available:
        return ""
    whose = "your" if progress.own_reviews else "the average"
    return f"about {duration(remaining_time.seconds)} at {whose} pace"


def time_left_text(line: QueueSummary) -> str:
    """The remaining time of all reviewers with its interval; empty without a pace or reviews left."""
    left = remaining(line.reviews_needed - line.reviews_given, line.recent_s)
    if left is None or not left.seconds:
        return ""
    interval = f"{duration(left.low)}–{duration(left.high)}, n = {left.n}"
    return f"about {duration(left.seconds)} left ({interval})"


def progress_text(queue: Queue, progress: QueueProgress) -> list[str]:
    """A reviewer's progress, as parts of a line."""
    if queue.reviews > 1 or queue.reviewers:
        own_total = min(
            progress.items, progress.own_reviews + progress.available + progress.skipped
        )
        parts = [f"{progress.own_reviews} of {own_total} by you"]
        if queue.reviews > 1:
            parts.append(f"{progress.reviews_given} of {progress.reviews_needed} reviews in total")
        elif progress.done != progress.own_reviews:
            parts.append(f"{progress.done} of {progress.items} in total")
    else:
        parts = [f"{progress.done} of {progress.items}"]
        if 0 < progress.own_reviews < progress.done:
            parts.append(f"{progress.own_reviews} by you")
    if progress.skipped:
        parts.append(f"{progress.skipped} skipped")
    time_text = remaining_text(progress)
    if time_text:
        parts.append(time_text)
    return parts


def summary_text(line: QueueSummary) -> list[str]:
    """The settings of a queue: order, reviews per item, reviewers, blind, role."""
    queue = line.queue
    parts = [ORDER_TEXT[queue.order]]
    if queue.role == "adjudication":
        parts.insert(0, ROLE_TEXT[queue.role])
    if queue.blind:
        parts.append("blind")
    if queue.reviews > 1:
        parts.append(f"{queue.reviews} reviews per item")
    if queue.fields:
        parts.append(count_of(len(queue.fields), "question"))
    people = ", ".join(truncate(name, 40) for name in queue.reviewers)
    parts.append(f"for {people}" if people else "open to everyone")
    return parts


def fields_text(number: int) -> str:
    """The heading of the form's questions."""
    return f"Additional questions ({number})" if number else "Additional questions"


def next_queue_text(name: str) -> str:
    """The label of the button that goes from a finished queue to another."""
    return f"Next queue: {escape_markdown(name, 40)}"


def rest_text(task: ReviewTask) -> str:
    """Why a reviewer has no items left in a queue that is not done, and what can be done."""
    progress = task.progress
    rest = progress.items - progress.done
    skipped = min(progress.skipped, rest)
    sentences = [
        f"Nothing is left for you here; {count_of(rest, 'item')} of the queue {_is(rest)} not done."
    ]
    if skipped:
        sentences.append(f"You skipped {skipped:,}.")
    if progress.barred:
        them = word_for(progress.barred, "it", "them")
        sentences.append(
            f"You labelled {progress.barred:,} yourself, and somebody who has not labelled {them} should "
            f"settle the disagreement. If there is nobody else, settle {them} yourself."
        )
    if progress.assigned:
        sentences.append(
            f"{count_of(progress.assigned, 'item')} {_is(progress.assigned)} open with other reviewers; what "
            "they release is offered to you."
        )
    others = rest - skipped - progress.barred - progress.assigned
    if others > 0:
        names = [truncate(name, 40) for name in task.queue.reviewers if name != task.reviewer]
        whom = " or ".join(names) or "another reviewer"
        sentences.append(
            f"{count_of(others, 'item')} {word_for(others, 'needs', 'need')} a review by {whom}."
        )
    return " ".join(sentences)


def _is(number: int) -> str:
    return word_for(number, "is", "are")


def decided_text(word: str, position: int, stay: bool) -> str:
    """The message after a decision; the position counts from 0."""
    return f"{word}, item {position + 1}." + (" Press J to continue." if stay else "")


def undone_text(position: int) -> str:
    """The message after an undo; the position counts from 0."""
    return f"Undone on item {position + 1}."
