"""The gateway: an answer and its context before a policy, and out comes what may be handed on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from workbench.citations import extract
from workbench.interfaces.http.operations import AppContext, in_thread, run_limited
from workbench.interfaces.http.policies import named_policy, sent_policy
from workbench.interfaces.http.request import ApiRequest
from workbench.interfaces.http.responses import answer
from workbench.interfaces.http.verify_routes import asked_permissions, checked
from workbench.judging import open_judge
from workbench.pipeline import VerifyOptions, check_choice
from workbench.policy import Policy, PolicyDecision
from workbench.records import SCOPE_CHOICES, Extraction, Json, Run
from workbench.services.policies import apply_policy_to_run

Documents = Sequence[dict[str, str]]
_NAMES = ("content", "title", "url", "label")


async def decide_text(desk: AppContext, asked: ApiRequest) -> Response:
    """The action, the text that may be handed on, and the report."""
    sent = asked.word("policy_yaml")
    policy = await in_thread(
        lambda: sent_policy(sent) if sent else named_policy(desk.settings, asked.word("policy"))
    )
    options = await in_thread(lambda: read_options(desk, asked.body))
    given = documents_in(asked.body.get("documents"))
    given += documents_in(asked.body.get("context"))
    text = str(asked.body["response"])
    found = await run_limited(desk, lambda: extract(text))
    decision, run = await decided(desk, found, given, policy, options, "Gateway", asked.request)
    return answer({**decision.to_dict(), "run_id": run.id})


def read_options(desk: AppContext, body: Mapping[str, Json]) -> VerifyOptions:
    """How a call wants an answer to be checked, within what the settings allow.

    Raises:
        UsageError: The judge cannot be opened.
    """
    settings, named = desk.settings, body.get("judge")
    judge = named if isinstance(named, str) else settings.server.judge
    open_judge(judge)
    options = VerifyOptions(
        judge=[judge],
        standalone=body.get("standalone") is True,
        scope=check_choice("scope", body.get("scope", "guess"), SCOPE_CHOICES),
        snapshots=settings.snapshots,
        reach=settings.reach,
    )
    return asked_permissions(settings, body).applied_to(options)


async def decided(
    desk: AppContext,
    found: Extraction,
    given: Documents,
    policy: Policy,
    options: VerifyOptions,
    name: str,
    request: Request | None = None,
) -> tuple[PolicyDecision, Run]:
    """What the policy makes of an answer, and the run that checked it.

    Raises:
        UsageError: The judge cannot be used.
        UnreadableInput: A document cannot be read.
    """
    documents = numbered(given, found)
    run = await checked(desk, found, name, replace(options, sources=documents), request)
    decision = await run_limited(
        desk,
        lambda: apply_policy_to_run(
            policy, run, found.text, sources=documents or None, judge=options.specs,
            settings=desk.settings, max_cost_usd=options.max_cost_usd,
        ),
    )  # fmt: skip
    return decision, run


def documents_in(value: Json) -> list[dict[str, str]]:
    """Documents in any of the forms that travel with requests: a text, texts, or objects."""
    listed = value if isinstance(value, list) else [value]
    found: list[dict[str, str]] = []
    for one in listed:
        if isinstance(one, str) and one.strip():
            found.append({"content": one})
        elif isinstance(one, dict):
            named = {"content": one.get("text"), **one}
            kept = {name: str(named[name]) for name in _NAMES if isinstance(named.get(name), str)}
            if kept.get("content", "").strip():
                found.append(kept)
    return found


def numbered(documents: Documents, found: Extraction) -> list[dict[str, str]]:
    """The documents with the numbers that the answer calls them by.

    An answer with a reference list says itself what its numbers mean.
    """
    if found.references:
        return list(documents)
    return [{"label": str(number), **one} for number, one in enumerate(documents, 1)]
