"""The operation over claims without citations: checked against given sources and the web."""

from fastapi import Response

from workbench.errors import UsageError
from workbench.interfaces.http.api import Context, reply, router
from workbench.interfaces.http.models import ClaimsBody
from workbench.interfaces.http.operations import AppContext, run_limited
from workbench.interfaces.http.responses import answer
from workbench.interfaces.http.schemas import ref
from workbench.interfaces.http.verify_routes import requested_permissions
from workbench.records.options import chosen
from workbench.records.text import JsonDict
from workbench.services.claims import SEARCH_IS_OFF, ClaimOptions
from workbench.services.verification import VerifyOptions, verify_documents

ROUTER = router()


@ROUTER.post(
    "/api/v1/claims",
    operation_id="checkClaims",
    responses={200: reply("Each claim with its verdict.", ref("ClaimReport"))},
)
async def check_claims(context: Context, body: ClaimsBody) -> Response:
    """Check claims that carry no citation against given sources; nothing is kept of it."""
    return answer(await run_limited(context, lambda: _checked(context, body)))


def _checked(context: AppContext, body: ClaimsBody) -> JsonDict:
    permissions = requested_permissions(context.settings, body)
    if body.web_search and not permissions.allow_search:
        raise UsageError(SEARCH_IS_OFF)
    options = VerifyOptions(
        judge=body.judge or context.settings.server.judge, standalone=body.standalone
    )
    report = verify_documents(
        body.text or body.claims,
        [
            {"content": s.content, "title": s.title or None, "url": s.url or None}
            for s in body.sources
        ],
        permissions.applied_to(options),
        settings=context.settings,
        checks=ClaimOptions(**chosen(ClaimOptions, body)),
        store=context.store,
    )
    document = report.to_dict()
    if body.mark_unverified or body.cite_sources:
        document["marked_text"] = report.mark(cite_sources=body.cite_sources)
    return document
