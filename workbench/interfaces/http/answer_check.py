"""One answer of the pass-through before its policy, and what is left of it afterwards."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request

from workbench.errors import UnreadableInput
from workbench.interfaces.http.gateway import Documents, decided, documents_in
from workbench.interfaces.http.operations import AppContext, run_limited
from workbench.interfaces.http.responses import as_refusal
from workbench.records.citation import Extraction
from workbench.records.text import Json, JsonDict
from workbench.services.inputs import extract, read_output
from workbench.services.policies import Policy
from workbench.services.verification import VerifyOptions

_LOG = logging.getLogger(__name__)
Action = Literal["pass", "flag", "redact", "block"]
_WEIGHT: dict[str, int] = {"pass": 0, "flag": 1, "redact": 2, "block": 3}
NO_TEXT = "The answer contains no text."
NOTHING_GIVEN = (
    "There is nothing to verify against: send documents, allow fetching, or name a policy."
)
_LIST_FIELDS = ("results", "documents", "sources", "items", "data")
_TEXT_FIELDS = ("content", "text", "snippet", "page_content")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What the answers of one call are held to."""

    policy: Policy
    options: VerifyOptions
    documents: Documents
    named: bool
    """Whether somebody named a policy: then it decides even where there is nothing to check by."""

    @property
    def may_change(self) -> bool:
        """Whether an answer may have to be held back or changed."""
        return may_change(self.policy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one choice."""

    index: int
    action: Action
    text: str
    """What may be handed on in place of the choice's text."""
    error: str = ""
    """Why it is blocked."""
    report: JsonDict | None
    """None where the policy keeps its report to itself."""
    run_id: str | None = None


def may_change(policy: Policy) -> bool:
    """Whether a policy can redact or block anything."""
    changing = ("redact", "block")
    unverified = policy.unverified_action in changing and (
        policy.require_sources or policy.require_source_match
    )
    thin = policy.min_groundedness is not None and policy.hallucination_action in changing
    thin = thin or (policy.min_coverage is not None and policy.on_uncited in changing)
    references = (
        (policy.require_existing_reference and policy.unverified_action in changing)
        or (policy.require_existing_reference and policy.on_unchecked_reference in changing)
        or policy.on_retracted in changing
    )
    return policy.enabled and (unverified or thin or references)


async def check_choice(
    context: AppContext,
    completion: Mapping[str, Json],
    choice: Mapping[str, Json],
    conditions: Conditions,
    request: Request | None,
) -> Outcome:
    """What the policy makes of one choice; never raises, since the answer was paid for."""
    place, text = choice.get("index"), text_of(choice)
    index = place if isinstance(place, int) else 0
    skipped = "" if text.strip() else NO_TEXT
    if not skipped and not conditions.named:
        options = conditions.options
        has_sources = conditions.documents or options.allow_fetch
        skipped = "" if has_sources else f"{NOTHING_GIVEN} {options.fetch_refused}".strip()
    if skipped:
        return Outcome(
            index=index, action="pass", text=text, report={"action": "pass", "skipped": skipped}
        )
    try:
        extraction = await run_limited(
            context, lambda: _read({**completion, "choices": [choice]}, text)
        )
        decision, run = await decided(
            context,
            extraction,
            conditions.documents,
            conditions.policy,
            conditions.options,
            "Pass-through",
            request,
        )
    except Exception as error:
        return _failed_outcome(index, text, conditions, error)
    error_text = decision.to_dict().get("error", "")
    return Outcome(
        index=index,
        action=decision.action,
        text=decision.text,
        error=str(error_text),
        report={**decision.report(), "run_id": run.id} if decision.with_report else None,
        run_id=run.id,
    )


def _failed_outcome(index: int, text: str, conditions: Conditions, error: Exception) -> Outcome:
    """An answer that could not be checked: held back where the policy could have held it back."""
    refusal = as_refusal(error)
    if refusal is None:
        _LOG.error("An answer could not be checked", exc_info=error)
    why = (
        refusal.message
        if refusal
        else "the workbench stopped because of an internal error; see its log"
    )
    sentence = f"The answer could not be checked: {why}"
    blocked = conditions.may_change
    action: Action = "block" if blocked else "pass"
    return Outcome(
        index=index,
        action=action,
        text="" if blocked else text,
        error=sentence if blocked else "",
        report={"action": action, "error": sentence},
    )


def _read(completion: Mapping[str, Json], text: str) -> Extraction:
    """What the answer cites, native citations included, as long as the text is the same."""
    try:
        output = read_output(completion)
    except UnreadableInput:
        return extract(text)
    return output if isinstance(output, Extraction) and output.text == text else extract(text)


def text_of(choice: Mapping[str, Json]) -> str:
    """The text of a choice's message."""
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return _content_text(content)


def worst(outcomes: Sequence[Outcome]) -> Outcome | None:
    """The outcome that weighs most."""
    return max(outcomes, key=lambda outcome: _WEIGHT[outcome.action], default=None)


def report_of(outcomes: Sequence[Outcome]) -> JsonDict | None:
    """`citation_report`: that of the choice that weighs most, and each one's where there are more.

    None where the policy keeps its reports to itself.
    """
    heaviest = worst(outcomes)
    if heaviest is None or heaviest.report is None:
        return None
    if len(outcomes) == 1:
        return heaviest.report
    reports: list[Json] = [
        {"index": outcome.index, **(outcome.report or {})} for outcome in outcomes
    ]
    return {**heaviest.report, "choices": reports}


def headers_of(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """`x-workbench-action` and `x-workbench-run`."""
    heaviest = worst(outcomes)
    if heaviest is None:
        return {"x-workbench-action": "pass"}
    run_header = {"x-workbench-run": heaviest.run_id} if heaviest.run_id else {}
    return {"x-workbench-action": heaviest.action, **run_header}


def documents_in_messages(messages: Json, roles: Sequence[str]) -> list[JsonDict]:
    """What tools gave back, and what else a call names: the context that an answer is made from.

    A message that is a JSON list of results gives a document for each of them.
    """
    documents: list[JsonDict] = []
    for message in messages if isinstance(messages, list) else []:
        if not isinstance(message, dict) or message.get("role") not in roles:
            continue
        text = _content_text(message.get("content"))
        results = _tool_results(text)
        if results:
            documents += results
        elif text.strip():
            name = message.get("name")
            titled = {"title": name} if isinstance(name, str) and name else {}
            documents.append({"content": text, **titled})
    return documents


def _tool_results(text: str) -> list[JsonDict]:
    if text.lstrip()[:1] not in ("[", "{"):
        return []
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if isinstance(value, dict):
        value = next(
            (value[name] for name in _LIST_FIELDS if isinstance(value.get(name), list)), None
        )
    items = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    documents: list[Json] = []
    for item in items:
        content = next(
            (item[name] for name in _TEXT_FIELDS if isinstance(item.get(name), str)), None
        )
        url = item.get("url") or item.get("link")
        documents.append({"content": content, "url": url, "title": item.get("title")})
    return documents_in(documents)


def _content_text(content: Json) -> str:
    """The text of a message's content: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))
