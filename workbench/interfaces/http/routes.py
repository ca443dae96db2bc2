"""The operations of the API."""

from workbench.interfaces.http import (
    chat,
    claims_routes,
    gateway,
    references_routes,
    runs_routes,
    verify_routes,
)

_PARTS = (verify_routes, claims_routes, references_routes, runs_routes, gateway, chat)
ROUTERS = tuple(part.ROUTER for part in _PARTS)
