"""The API as a FastAPI application: its routes, its refusals in our form, and its document."""

import json
from collections.abc import Callable, Coroutine, Sequence
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

import workbench
from workbench.interfaces.http import schemas
from workbench.interfaces.http.operations import AppContext
from workbench.interfaces.http.responses import ApiError, answer, refuse
from workbench.records.text import Json, JsonDict

DEEPEST = 100
"""Levels of a JSON body."""


class JsonRequest(Request):
    """A request whose body is plain JSON of a reasonable depth."""

    async def json(self) -> Json:
        """The body.

        Raises:
            ApiError: It is not sent as plain JSON, is no JSON, or is too deep.
        """
        if not hasattr(self, "_read"):
            kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json" or self.headers.get("content-encoding"):
                raise ApiError(
                    "wrong_content_type",
                    "Send the body as plain JSON, as Content-Type: application/json.",
                    415,
                )
            self._read = read_json(await self.body())
        return self._read


def read_json(raw: bytes) -> Json:
    """The JSON value of bytes.

    Raises:
        Refusal: They are no JSON, hold numbers that JSON does not know, or are too deep.
    """
    try:
        value: Json = json.loads(
            raw.decode("utf-8"), parse_constant=_reject_constant, parse_float=_finite_float
        )
    except RecursionError:
        value = None
        too_deep = True
    except ValueError as error:
        problem = str(error).partition(":")[0][:200]
        raise ApiError("bad_json", f"The body is not JSON: {problem}.", 400) from None
    else:
        too_deep = _is_deeper(value, DEEPEST)
    if too_deep:
        raise ApiError("bad_json", f"The body is nested deeper than {DEEPEST} levels.", 400)
    return value


def _finite_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


def _reject_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not a JSON number")


def _is_deeper(value: Json, most: int) -> bool:
    level: list[Json] = [value]
    for _ in range(most):
        below: list[Json] = []
        for inner in level:
            if isinstance(inner, dict):
                below += inner.values()
            elif isinstance(inner, list):
                below += inner
        if not below:
            return False
        level = below
    return True


DOCUMENT = "/openapi.json"
REPEATED = ("part",)
"""Parameters of a query that may be given several times."""
_COMMON_ERRORS = {401: "The token is missing or wrong.", 403: "`Host` or `Origin` is not allowed.",
           413: "The request is too large.", 429: "Too many calls in this minute.",
           503: "The database cannot be used."}  # fmt: skip
_BODY_ERRORS = {400: "The body is not JSON.", 408: "The body did not come in time.",
         415: "The body is not sent as application/json.",
         422: "The body or a parameter does not have the expected form."}  # fmt: skip
_ROUTE_ERRORS = {404: "Not found.", 409: "It is not in the state for that.",
         422: "A parameter does not have the expected form.",
         502: "The server behind gave no answer.",
         504: "The server behind took too long.",
         508: "The call would come back here."}  # fmt: skip
_DESCRIPTION = (
    "Checks whether an AI's citations hold. The server listens only on its own machine and rejects "
    "requests from other sites' pages. Offsets are half-open and count Unicode code points of the "
    "text as "
    'given. Errors are `{"error": {"kind", "message", "type", "code"}}`.'
)


async def _context(request: Request) -> AppContext:
    context: AppContext = request.app.state.context
    return context


Context = Annotated[AppContext, Depends(_context)]
RunId = Annotated[str, Path(description="The run's id.", min_length=1)]


class ApiRoute(APIRoute):
    """A route that reads JSON strictly and answers in our form, whatever goes wrong."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of the route."""
        handler = super().get_route_handler()

        async def called(request: Request) -> Response:
            try:
                json_request = JsonRequest(request.scope, request.receive)
                if self.body_field is not None:
                    await (
                        json_request.json()
                    )  # FastAPI would tell what is wrong in words of its own
                names = [name for name, _ in request.query_params.multi_items()]
                twice = [n for n in names if names.count(n) > 1 and n not in REPEATED]
                if twice:
                    raise ApiError("invalid", f"The parameter {twice[0][:60]} occurs twice.", 422)
                return await handler(json_request)
            except RequestValidationError as error:
                return refuse(_validation_error(error))
            except Exception as error:
                return refuse(error)

        return called


def _validation_error(error: RequestValidationError) -> ApiError:
    """What does not have the expected form, in a sentence."""
    wrong = error.errors()[0]
    kind, *place = wrong["loc"]
    where = ".".join(map(str, place))[:200] or f"the {kind}"
    if wrong["type"] == "extra_forbidden":
        return ApiError("invalid", f"{where}: there is no such field or parameter.", 422)
    message = str(wrong["msg"]).removeprefix("Value error, ")[:300]
    return ApiError("invalid", f"{where}: {message}.", 422)


def refusals(*refusals: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of an operation besides those that every one has."""
    return {status: {"description": _ROUTE_ERRORS[status]} for status in refusals}


def reply(says: str, schema: JsonDict | None = None, kind: str = "application/json") -> JsonDict:
    """One kind of answer as the document describes it."""
    return {"description": says, "content": {kind: {"schema": schema or {}}}}


def router() -> APIRouter:
    """A router for operations that answer in our form."""
    return APIRouter(
        route_class=ApiRoute,
        default_response_class=Response,
        generate_unique_id_function=lambda route: _camel_case(route.name),
    )


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def build_api(routers: Sequence[APIRouter], context: AppContext | None = None) -> FastAPI:
    """The API with its document; without a context it can be described and not called."""
    api = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    api.state.context = context
    for router in routers:
        api.include_router(router)
    api_document = cache(lambda: document(api))
    router_routes = [route for router in routers for route in router.routes]

    async def written(request: Request) -> Response:
        return answer(api_document())

    async def nothing(request: Request, error: Exception) -> Response:
        path = request.url.path[:200]
        if isinstance(error, HTTPException) and error.status_code == 405:
            methods = [
                method
                for route in [*api.routes, *router_routes]
                if isinstance(route, APIRoute) and route.path_regex.match(request.url.path)
                for method in sorted(route.methods or ())
            ]
            allowed = ", ".join(methods)
            message = f"{path} takes {allowed}, not {request.method[:20]}."
            return refuse(ApiError("wrong_method", message, 405, {"allow": allowed}))
        return refuse(
            ApiError("not_found", f"There is nothing at {path}; {DOCUMENT} lists what is.", 404)
        )

    api.add_api_route(DOCUMENT, written, methods=["GET"], include_in_schema=False)
    api.add_exception_handler(HTTPException, nothing)
    return api


def document(api: FastAPI) -> JsonDict:
    """The OpenAPI document of an API."""
    schema: dict[str, Any] = get_openapi(
        title="Citation workbench",
        version=workbench.__version__,
        openapi_version="3.1.0",
        description=_DESCRIPTION,
        routes=api.routes,
        servers=[{"url": "/"}],
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    error_content: Json = {"application/json": {"schema": schemas.ref("Error")}}
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            description = operation.pop("description", "")
            operation["summary"] = " ".join(description.split()).rstrip(".")
            answers = operation["responses"]
            if answers.get("422", {}).get("description") == "Validation Error":
                del answers["422"]  # of FastAPI, for names in the path, which are all strings
            more = {**_COMMON_ERRORS, **(_BODY_ERRORS if "requestBody" in operation else {})}
            if any(parameter["in"] == "query" for parameter in operation.get("parameters", ())):
                more = {422: _ROUTE_ERRORS[422], **more}
            for status, says in more.items():
                answers[str(status)] = {"description": says}
            answers["default"] = {"description": "An error of the workbench's own."}
            for status, response in answers.items():
                if status == "default" or status >= "400":
                    response["content"] = error_content
            operation["responses"] = dict(sorted(answers.items()))
            part = path.split("/")[3] if path.startswith("/api/") else "pass-through"
            operation["tags"] = [part]
    schema["security"] = [{}, {"token": []}, {"header": []}]
    parts = schema["components"]
    parts["schemas"] = {
        name: schema
        for name, schema in parts["schemas"].items()
        if name not in ("HTTPValidationError", "ValidationError")
    } | schemas.components()
    parts["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer",
                  "description": "If the server was started with a token."},
        "header": {"type": "apiKey", "in": "header", "name": "X-Workbench-Token",
                   "description": "The same, if Authorization is used for another server."},
    }  # fmt: skip
    return schema
