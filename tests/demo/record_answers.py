"""Have a language model answer what is asked about the examples, and keep its answers as data.

`python -m tests.demo.record_answers ask FOLDER` sets the examples up in a new folder and writes each
question without a recorded answer into `FOLDER/questions_N.txt`, to be carried to a model.
`python -m tests.demo.record_answers keep FOLDER ANSWERS…` reads what it answered and rewrites the
files of recorded answers; answers to what is no longer asked go.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.errors import JudgeError
from workbench.judging.handoff import (
    FILES,
    PART_CHARS,
    RECORDED,
    HandoffJudge,
    answer_key,
    read_answers,
    recorded_answers,
    write_parts,
)
from workbench.records.text import text_sha256
from workbench.services.database import Database, open_database
from workbench.services.demo import list_demos
from workbench.services.examples import seed_examples
from workbench.services.handoff import AskedQuestion, run_questions

FIELDS = ("label", "confidence", "quotes", "missing", "rationale", "corrected_claim")


def asked_questions(database: Database) -> Iterator[tuple[Path, AskedQuestion]]:
    """Every question on the examples with the file that its answer is kept in, in text order."""
    demos = {text_sha256(demo.text) for demo in list_demos()}
    of_demo, of_claims = FILES
    for summary in reversed(database.list_runs(limit=100)):
        run = database.get_run(summary.id)
        for asked in run_questions(database, run):
            yield of_demo if run.output_sha256 in demos else of_claims, asked


def ask(folder: Path) -> None:
    """Write the questions without a recorded answer."""
    folder.mkdir(parents=True)
    database = open_database(folder / "workbench.duckdb")
    seed_examples(database, folder / "snapshots")
    unanswered = [
        asked.question
        for _, asked in asked_questions(database)
        if answer_key(asked.claim, asked.context) not in recorded_answers()
    ]
    for number, part in enumerate(write_parts(unanswered, PART_CHARS), 1):
        (folder / f"questions_{number}.txt").write_text(part.text, "utf-8")
    print(f"{len(unanswered)} of the questions have no recorded answer.")


def keep(folder: Path, files: Sequence[Path]) -> int:
    """Rewrite the recorded answers with those of some files; how many could not be taken."""
    asked = list(asked_questions(open_database(folder / "workbench.duckdb")))
    by_key = {question.question.key: question for _, question in asked}
    answers = dict(recorded_answers())
    problems = []
    for file in files:
        read = read_answers(file.read_text("utf-8"), by_key, "")
        problems += [f"{file.name}: {answer.key}: {answer.reason}" for answer in read.refused]
        for key, answer in read.by_key.items():
            question = by_key[key]
            judge = HandoffJudge(RECORDED, lambda *_, answer=answer: answer)
            try:
                judge.judge(question.claim, question.passages, question.context)
            except JudgeError as error:
                problems.append(f"{file.name}: {key}: {error.message}")
                continue
            answers[answer_key(question.claim, question.context)] = {
                name: answer[name] for name in FIELDS if answer.get(name) not in (None, "", [])
            }
    for path in FILES:
        keys = [answer_key(one.claim, one.context) for of, one in asked if of == path]
        lines = [
            json.dumps({"claim": key[0], "source": key[1], **answers[key]}, ensure_ascii=False)
            for key in dict.fromkeys(keys)
            if key in answers
        ]
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        print(f"{path}: {len(lines)} answers to {len(set(keys))} questions")
    print(*problems, sep="\n")
    return len(problems)


if __name__ == "__main__":
    verb, place, *answer_files = sys.argv[1:]
    if verb == "ask":
        ask(Path(place))
    else:
        sys.exit(min(keep(Path(place), list(map(Path, answer_files))), 1))
