"""The operations of the API."""

from workbench.interfaces.http import (
    chat,
    claims_routes,
    gateway,
    references_routes,
    runs_routes,
    verify_routes,
)

ROUTERS = (
    verify_routes.ROUTER,
    claims_routes.ROUTER,
    references_routes.ROUTER,
    runs_routes.ROUTER,
    gateway.ROUTER,
    chat.ROUTER,
)
