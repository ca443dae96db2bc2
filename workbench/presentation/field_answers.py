"""What reviewers answered to the fields of queues, side by side; pure."""

from collections.abc import Mapping, Sequence

from workbench.presentation.escape import truncate
from workbench.records import JsonDict, Label


def answers_table(
    labels: Sequence[Label], questions: Mapping[tuple[str, str], str]
) -> JsonDict | None:
    """Questions down, reviewers across, and which questions they differ on; None without answers.

    `questions` has the question of each field by queue and name; without one the name is shown.
    """
    answering = [label for label in labels if label.answers]
    fields = dict.fromkeys(
        (answer.queue_id, answer.name) for label in answering for answer in label.answers
    )
    if not fields:
        return None
    answers_of = [
        {(answer.queue_id, answer.name): answer.text for answer in label.answers}
        for label in answering
    ]
    return {
        "people": [truncate(label.author, 40) for label in answering],
        "rows": [
            {
                "question": questions.get(field, field[1]),
                "answers": [answers.get(field, "") for answers in answers_of],
                "differ": len({answers[field] for answers in answers_of if field in answers}) > 1,
            }
            for field in fields
        ],
    }
