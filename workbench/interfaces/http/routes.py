"""The operations of the API, and the document that describes them."""

from workbench.interfaces.http import chat, gateway, runs_routes, verify_routes
from workbench.interfaces.http.api import build_api, document
from workbench.records import JsonDict

ROUTERS = (verify_routes.ROUTER, runs_routes.ROUTER, gateway.ROUTER, chat.ROUTER)


def describe_api() -> JsonDict:
    """The OpenAPI document of all operations."""
    return document(build_api(ROUTERS))
