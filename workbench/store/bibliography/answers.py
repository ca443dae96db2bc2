"""What indexes of works answered, kept so that nobody asks twice and a check can be replayed."""

from datetime import datetime

from workbench.records.bibliography import CachedAnswer
from workbench.records.text import text_sha256
from workbench.store.store import Repository


class IndexAnswerRepository(Repository):
    """Answers by service and question; a newer one takes the place of an older one."""

    def find(self, service: str, question: str) -> CachedAnswer | None:
        """The answer to a question, of any age; None where there is none."""
        answers = self._records(
            CachedAnswer,
            "select service, question, status, body, asked_at from index_answers "
            "where service = ? and question_sha256 = ? and question = ?",
            [service, text_sha256(question), question],
            body=bytes,
            asked_at=datetime.isoformat,
        )
        return answers[0] if answers else None

    def keep(self, answer: CachedAnswer) -> None:
        """Keep an answer, unless a newer one to its question is there."""
        self._rows(
            "insert into index_answers values (?, ?, ?, ?, ?, ?) "
            "on conflict (service, question_sha256) do update set status = excluded.status, "
            "body = excluded.body, asked_at = excluded.asked_at, question = excluded.question "
            "where index_answers.asked_at <= excluded.asked_at",
            [
                answer.service,
                text_sha256(answer.question),
                answer.question,
                answer.status,
                answer.body,
                datetime.fromisoformat(answer.asked_at),
            ],
        )

    def forget(self) -> int:
        """How many answers there were; none is kept any longer."""
        return len(self._rows("delete from index_answers returning 1"))
