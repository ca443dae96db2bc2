"""The operations of the API."""

from workbench.interfaces.http import chat, gateway, runs_routes, verify_routes

ROUTERS = (verify_routes.ROUTER, runs_routes.ROUTER, gateway.ROUTER, chat.ROUTER)
