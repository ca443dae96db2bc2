"""The judge behind `handoff:NAME`: a chat window that a person carries questions to and answers from.

Nothing is sent anywhere. The questions are written with the shipped prompt into parts that fit a
chat window; what comes back is read like any model's reply, and every quote is looked up.

`handoff:recorded-llm` answers with a language model's verdicts that are shipped with the examples.
They were given once, to the questions that a hand-off asks, and go the way of every answer: their
quotes are looked up in the passages that are shown today.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from time import perf_counter

from workbench.errors import JudgeError, UnknownJudge, UsageError
from workbench.judging.judge import FreeJudge, run_sync
from workbench.judging.llm import LlmJudge, Spent
from workbench.judging.prices import Price, Usage
from workbench.judging.prompts import STRICT, ask, render, source_values
from workbench.judging.provider import Completion, CompletionRequest, ProviderFailure
from workbench.judging.reply import MalformedReply, validated
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.prompts import DIVIDER, template_parts
from workbench.records.source import Passage
from workbench.records.text import Json, JsonDict, replace_surrogates
from workbench.records.verdict import Judgment
from workbench.shipped import SHIPPED_DATA

HANDOFF = "handoff"
PART_CHARS = 24_000
"""Characters of a part where nobody says: most chat windows take as many in one message."""
LEAST_PART_CHARS = 8_000
"""A part holds the instructions and at least one question."""
MOST_CHARS = 2_000_000
"""Characters of answers that are read at once."""
_NAME = re.compile(r"[A-Za-z0-9][\w.\-]{0,39}", re.ASCII)
_KEY = re.compile(r"[0-9a-f]{4}-[0-9a-f]{8}")
_SAMPLE_KEY = "KEY"
_FREE = Price(input=0.0, output=0.0)
_MOST_FAILURES = 400
"""Braces that open no JSON; each costs a look at what follows."""
_SYSTEM, _MESSAGE = template_parts(STRICT.template)
_BEFORE_CLAIM, _ASKED = re.split(r"(?=\{\{context\}\})", _MESSAGE, maxsplit=1)
_ABOUT_CLAIM, _, _QUESTION = _ASKED.rpartition("\n\n")
_HEAD = _SYSTEM.replace(
    "You are given passages of one source, in reading order, and one claim, with what is known of "
    "both.",
    "You are given passages of sources, in reading order. Behind the passages of each source stand "
    "one or more claims about it, each between <question> and </question> with a key, with what is "
    "known of both.",
).replace(
    "Answer with one JSON object:",
    "Judge every claim by itself, by the passages before it, and answer all of them. Answer with "
    "one JSON object whose `judgments` hold, for each claim in order:\n"
    "- key: the key of its question, as it stands there.",
)
_TAIL = (
    "Does the source support each claim? Answer with the JSON object alone, in one code block: "
    f'{{"judgments": [{{"key": "{_SAMPLE_KEY}", "reasoning": "…", "quotes": ["…"], '
    '"missing": [], "label": "…", "confidence": 0.9, "rationale": "…", "corrected_claim": ""}]}'
)


def handoff_spec(name: str) -> str:
    """The SPEC of a chat by its name.

    Raises:
        UnknownJudge: The name is empty, too long, or has other characters.
    """
    name = name.strip().removeprefix(f"{HANDOFF}:")
    if not _NAME.fullmatch(name):
        raise UnknownJudge(
            f"{name[:80]!r} is no name for a chat: use up to 40 letters, digits, '.', '_' and '-', "
            "for example handoff:chat."
        )
    return f"{HANDOFF}:{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffQuestion:
    """One question as a chat is asked it."""

    key: str
    """Names the run and the question; another one when the claim or its passages change."""
    claim: str
    source: str
    """The source and its passages, as the prompt has them."""
    asked: str
    """The claim behind its context, as the prompt has them."""


def handoff_question(
    run_id: str, claim: str, passages: Sequence[Passage], context: JudgeContext
) -> HandoffQuestion:
    """The question on a claim and its passages, made from the shipped prompt."""
    values = source_values(STRICT, passages, context)
    _, message = ask(STRICT, claim, passages, context)
    source = render(replace(STRICT, template=f"{DIVIDER}{_BEFORE_CLAIM}"), values)[1].strip()
    asked = message[len(source) :].strip().removesuffix(_QUESTION).strip()
    return HandoffQuestion(
        key=f"{key_prefix(run_id)}-{_digest(run_id + message)[:8]}",
        claim=claim,
        source=replace_surrogates(source),
        asked=replace_surrogates(asked),
    )


def key_prefix(run_id: str) -> str:
    """The start of the keys of a run's questions."""
    return _digest(run_id)[:4]


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffPart:
    """Questions that fit into one message, with all that it takes to answer them."""

    text: str
    questions: int


def write_parts(
    questions: Sequence[HandoffQuestion], part_chars: int = PART_CHARS
) -> list[HandoffPart]:
    """The questions in parts of at most so many characters; claims of one source share its passages.

    A question that is longer than that by itself has a part of its own.

    Raises:
        UsageError: The limit leaves no room for a question.
    """
    if part_chars < LEAST_PART_CHARS:
        raise UsageError(
            f"A part of {part_chars:,} characters is too short for the instructions and one "
            f"question; allow at least {LEAST_PART_CHARS:,}."
        )
    room = part_chars - len(_part([], 9999, 9999))
    by_source: dict[str, list[HandoffQuestion]] = {}
    for question in questions:
        by_source.setdefault(question.source, []).append(question)
    filled: list[tuple[list[str], int]] = []
    blocks: list[str] = []
    asked, left = 0, room
    for source, same in by_source.items():
        begun = False
        for question in same:
            block = f'<question key="{question.key}">\n{question.asked}\n</question>'
            needed = len(block) + 2 + (0 if begun else len(source) + 2)
            if needed > left and blocks:
                filled.append((blocks, asked))
                blocks, asked, left, begun = [], 0, room, False
                needed = len(block) + 2 + len(source) + 2
            blocks += [block] if begun else [source, block]
            asked, left, begun = asked + 1, left - needed, True
    if blocks:
        filled.append((blocks, asked))
    return [
        HandoffPart(text=_part(blocks, number, len(filled)), questions=asked)
        for number, (blocks, asked) in enumerate(filled, 1)
    ]


def _part(blocks: Iterable[str], number: int, of: int) -> str:
    return "\n\n".join([f"Part {number} of {of}.", _HEAD, *blocks, _TAIL]) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedAnswer:
    """An answer that cannot be taken, and why."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffAnswers:
    """What a text answers: one verdict a key, and what in it cannot be taken."""

    by_key: Mapping[str, JsonDict]
    refused: tuple[RefusedAnswer, ...]


def read_answers(text: str, keys: Iterable[str], mark: str) -> HandoffAnswers:
    """The verdicts in what a chat answered; prose, code blocks and HTML around them are ignored.

    Args:
        text: One answer or several in a row.
        keys: The keys of the run's questions.
        mark: The start of the run's keys, as `key_prefix` gives it.

    Raises:
        UsageError: It is empty, too long, or holds no verdict.
    """
    if not text.strip():
        raise UsageError("The answers are empty: paste what the chat answered, with its JSON.")
    if len(text) > MOST_CHARS:
        raise UsageError(
            f"The answers have more than {MOST_CHARS // 1_000_000} million characters: import the "
            "parts one by one."
        )
    entries = _entries(text)
    if not entries and "<" in text:
        entries = _entries(html.unescape(re.sub(r"<[^<>]*>", "", text)))
    if not entries:
        cut = " It seems to be cut off before the first verdict ends." if '"key"' in text else ""
        raise UsageError(
            f"The answers hold no JSON object with a key and a label.{cut} Ask the chat for the "
            "JSON object alone, and import that."
        )
    return _sorted_out(entries, frozenset(keys), mark)


def _sorted_out(entries: Sequence[JsonDict], known: frozenset[str], mark: str) -> HandoffAnswers:
    by_key: dict[str, JsonDict] = {}
    refused: dict[str, str] = {}
    for entry in entries:
        key = _key_of(entry)
        if key not in known:
            refused[key[:60]] = _why_unknown(key, mark)
        elif key in by_key and by_key[key].get("label") != entry.get("label"):
            refused[key] = "It has two verdicts with different labels: keep the one that counts."
        else:
            by_key[key] = entry
    return HandoffAnswers(
        by_key={key: entry for key, entry in by_key.items() if key not in refused},
        refused=tuple(RefusedAnswer(key=key, reason=reason) for key, reason in refused.items()),
    )


def _why_unknown(key: str, mark: str) -> str:
    if not key:
        return "A verdict has no key, so it is not known which claim it is about."
    if _KEY.fullmatch(key) and not key.startswith(f"{mark}-"):
        return "The key belongs to another run: import it there."
    return (
        "No question of this run has this key: it was copied wrongly, or the claim or its source "
        "has changed since. Export the questions again."
    )


def _key_of(entry: JsonDict) -> str:
    key = entry.get("key", entry.get("claim"))
    return key.strip(" \t\n`'\"").lower() if isinstance(key, str) else ""


def _entries(text: str) -> list[JsonDict]:
    """Every verdict in a text, in order, also those before the place where it was cut off."""
    decoder = json.JSONDecoder()
    entries: list[JsonDict] = []
    failures, at = 0, text.find("{")
    while at >= 0 and failures < _MOST_FAILURES:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            failures, end = failures + 1, at + 1
        else:
            entries += _verdicts_in(value)
        at = text.find("{", end)
    return entries


def _verdicts_in(value: Json) -> list[JsonDict]:
    if not isinstance(value, dict):
        return []
    listed = value.get("judgments")
    if isinstance(listed, list):
        return [entry for item in listed for entry in _verdicts_in(item)]
    if "label" not in value or value.get("key") == _SAMPLE_KEY:
        return []
    return [{name: _clean(field) for name, field in value.items()}]


def _clean(value: Json) -> Json:
    """A field without lone surrogates, which cannot be stored."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


FindAnswer = Callable[[str, Sequence[Passage], JudgeContext], JsonDict | None]
"""Gives the answer on a claim, its passages and its context, where there is one."""


class HandoffJudge(FreeJudge):
    """Gives the verdicts that a chat answered with; without an answer the question stays open."""

    def __init__(self, spec: str, find_answer: FindAnswer = lambda *_: None) -> None:
        """`find_answer` gives the answer to a question, None where there is none."""
        self.spec = handoff_spec(spec)
        self._find_answer = find_answer
        self._model = LlmJudge(self.spec, _Nobody(), _FREE)

    def context_shown(self, context: JudgeContext) -> JudgeContext:
        """The part of a context that the prompt has a place for."""
        return self._model.context_shown(context)

    async def ajudge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """The answer with its quotes found in the source.

        Raises:
            JudgeError: `cancelled` without an answer; `malformed_judge_response` where it is no
                verdict; `unverified_quote` where no quote stands in the source.
        """
        begun = perf_counter()
        answer = self._find_answer(claim, passages, context)
        if answer is None:
            raise JudgeError("cancelled", f"Open: waits for an answer of {self.spec}.")
        text, spent = json.dumps(answer), Spent(Usage(), begun)
        try:
            reply = validated(answer)
        except MalformedReply as problem:
            message = f"The answer of {self.spec} is not a verdict: {problem}."
            raise self._model.failed("malformed_judge_response", message, spent, text) from problem
        judgment = self._model.checked(claim, passages, reply, spent, text, STRICT.id)
        return replace(judgment, latency_ms=0)

    def judge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """What `ajudge` gives."""
        return run_sync(self.ajudge(claim, passages, context))


class _Nobody:
    """Stands where a provider would: nothing is sent."""

    async def complete(self, question: CompletionRequest) -> Completion:
        """Refuses."""
        raise ProviderFailure("a chat window is asked by a person")

    async def aclose(self) -> None:
        """Nothing is open."""


RECORDED = "handoff:recorded-llm"
FILES = tuple(SHIPPED_DATA / folder / "recorded_answers.jsonl" for folder in ("demo", "example"))
"""One JSON object a line: `claim` and `source` say what was asked, the rest is the answer."""


def open_recorded() -> HandoffJudge:
    """The judge that answers what the shipped files hold; other questions stay open."""
    return HandoffJudge(RECORDED, find_recorded)


def find_recorded(
    claim: str, passages: Sequence[Passage], context: JudgeContext
) -> JsonDict | None:
    """The recorded answer on a claim and the source that the context names."""
    return recorded_answers().get(answer_key(claim, context))


def answer_key(claim: str, context: JudgeContext) -> tuple[str, str]:
    """The claim and the source's address, or its title: the same in every run, whatever is shown."""
    return " ".join(claim.split()), context.source.url or context.source.title or ""


@cache
def recorded_answers() -> Mapping[tuple[str, str], JsonDict]:
    """The answers of the shipped files by `answer_key`; empty where none are shipped."""
    answers: dict[tuple[str, str], JsonDict] = {}
    for path in FILES:
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        for answer in map(json.loads, lines):
            answers[answer.pop("claim"), answer.pop("source")] = answer
    return answers
