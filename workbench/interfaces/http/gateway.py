"""The gateway: an answer and its context before a policy, and out comes what may be handed on."""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import Request, Response

from workbench.interfaces.http.api import Context, refusals, reply, router
from workbench.interfaces.http.models import AnswerChecks, GatewayBody
from workbench.interfaces.http.operations import AppContext, in_thread, run_limited
from workbench.interfaces.http.policies import named_policy, sent_policy
from workbench.interfaces.http.responses import answer
from workbench.interfaces.http.schemas import ref
from workbench.interfaces.http.verify_routes import checked, with_references
from workbench.records.citation import Extraction
from workbench.records.options import CheckOptions, chosen
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import Run
from workbench.services.inputs import extract, given_sources
from workbench.services.judges import open_judge
from workbench.services.policies import Policy, PolicyDecision, apply_policy_to_run
from workbench.services.verification import VerifyOptions

Documents = Sequence[JsonDict]
ROUTER = router()


@ROUTER.post(
    "/api/v1/gateway",
    operation_id="gateway",
    responses={200: reply("Action, text and report.", ref("Decision")), **refusals(404, 409)},
)
async def decide_text(context: Context, request: Request, body: GatewayBody) -> Response:
    """What a citation policy makes of an answer and the documents it was made from."""
    policy = await in_thread(
        lambda: (
            sent_policy(body.policy_yaml)
            if body.policy_yaml
            else named_policy(context.settings, body.policy)
        )
    )
    options = await in_thread(lambda: read_options(context, body))
    sent = body.model_dump(exclude_unset=True, by_alias=True)
    documents = documents_in(sent.get("documents")) + documents_in(sent.get("context"))
    extraction = await run_limited(context, lambda: extract(body.response))
    decision, run = await decided(
        context, extraction, documents, policy, options, "Gateway", request
    )
    return answer({**decision.to_dict(), "run_id": run.id})


def read_options(context: AppContext, body: AnswerChecks) -> VerifyOptions:
    """How a call wants an answer to be checked, within what the settings allow.

    Raises:
        UsageError: The judge cannot be opened, or there is no such index.
        UnreadableInput: The registry holds no records.
    """
    settings = context.settings
    judge = body.judge or settings.server.judge
    open_judge(judge)
    options = VerifyOptions(
        judge=[judge],
        **chosen(CheckOptions, body),
        snapshots=settings.snapshots,
        reach=settings.reach,
    )
    return with_references(context, body, options)


async def decided(
    context: AppContext,
    extraction: Extraction,
    sent_documents: Documents,
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
    documents = numbered(sent_documents, extraction)
    run = await checked(context, extraction, name, replace(options, sources=documents), request)
    decision = await run_limited(
        context,
        lambda: apply_policy_to_run(
            policy, run, extraction.text, sources=documents or None, judge=options.specs,
            settings=context.settings, max_cost_usd=options.max_cost_usd,
        ),
    )  # fmt: skip
    return decision, run


def documents_in(value: Json) -> list[JsonDict]:
    """Documents in any of the forms that travel with requests: a text, texts, or objects."""
    items = value if isinstance(value, list) else [value]
    objects: list[Json] = [
        {"content": item}
        if isinstance(item, str)
        else {"content": item.get("text"), **item}
        if isinstance(item, dict)
        else {}
        for item in items
    ]
    return [document for document in given_sources(objects) if str(document["content"]).strip()]


def numbered(documents: Documents, extraction: Extraction) -> list[JsonDict]:
    """The documents with the numbers that the answer calls them by.

    An answer with a reference list says itself what its numbers mean.
    """
    if extraction.references:
        return list(documents)
    return [{"label": str(number), **document} for number, document in enumerate(documents, 1)]
