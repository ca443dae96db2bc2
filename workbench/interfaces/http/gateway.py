"""The gateway: an answer and its context before a policy, and out comes what may be handed on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from workbench.citations import extract
from workbench.interfaces.http.operations import AppContext, in_thread, run_limited
from workbench.interfaces.http.policies import named_policy, sent_policy
from workbench.interfaces.http.request import ApiRequest
from workbench.interfaces.http.responses import answer
from workbench.interfaces.http.verify_routes import asked_permissions, checked
from workbench.judging import open_judge
from workbench.pipeline import ScopeChoice, scope_choice
from workbench.policy import Policy, PolicyDecision
from workbench.records import Extraction, Json, Run
from workbench.services.jobs import VerifyRequest
from workbench.services.permissions import Permissions
from workbench.services.policies import apply_policy_to_run

Documents = Sequence[dict[str, str]]
_NAMES = ("content", "title", "url", "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayOptions:
    """How an answer is checked and decided about."""

    policy: Policy
    judge: str
    permissions: Permissions
    standalone: bool = False
    """Whether language models also rewrite each claim to stand alone."""
    scope: ScopeChoice = "guess"


async def decide_text(desk: AppContext, asked: ApiRequest) -> Response:
    """The action, the text that may be handed on, and the report."""
    sent = asked.word("policy_yaml")
    policy = await in_thread(
        lambda: sent_policy(sent) if sent else named_policy(desk.settings, asked.word("policy"))
    )
    terms = terms_of(desk, asked.body, policy)
    given = documents_in(asked.body.get("documents"))
    given += documents_in(asked.body.get("context"))
    text = str(asked.body["response"])
    found = await run_limited(desk, lambda: extract(text))
    decision, run = await decided(desk, found, given, terms, "Gateway", asked.request)
    return answer({**decision.to_dict(), "run_id": run.id})


def terms_of(desk: AppContext, body: Mapping[str, Json], policy: Policy) -> GatewayOptions:
    """What a call asks for, within what the settings allow.

    Raises:
        UsageError: The judge cannot be opened.
    """
    settings, named = desk.settings, body.get("judge")
    judge = named if isinstance(named, str) else settings.server.judge
    open_judge(judge)
    return GatewayOptions(
        policy=policy,
        judge=judge,
        permissions=asked_permissions(settings, body),
        standalone=body.get("standalone") is True,
        scope=scope_choice(body.get("scope")),
    )


async def decided(
    desk: AppContext,
    found: Extraction,
    given: Documents,
    terms: GatewayOptions,
    name: str,
    request: Request | None = None,
) -> tuple[PolicyDecision, Run]:
    """What the policy makes of an answer, and the run that checked it.

    Raises:
        UsageError: The judge cannot be used.
        UnreadableInput: A document cannot be read.
    """
    documents, may = numbered(given, found), terms.permissions
    order = VerifyRequest(
        text=found,
        name=name,
        judge=(terms.judge,),
        given=documents,
        allow_fetch=may.allow_fetch,
        fetch_refused=may.fetch_refused,
        allowed_domains=may.allowed_domains,
        max_cost_usd=may.max_cost_usd,
        standalone=terms.standalone,
        scope=terms.scope,
        reach=desk.settings.reach,
    )
    run = await checked(desk, order, request)
    decision = await run_limited(
        desk,
        lambda: apply_policy_to_run(
            terms.policy, run, found.text, sources=documents or None, judge=order.judge,
            settings=desk.settings, max_cost_usd=may.max_cost_usd,
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
