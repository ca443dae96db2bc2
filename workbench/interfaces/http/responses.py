"""Answers and refusals of the API: always JSON that any reader takes, never a traceback."""

import json
import logging
from collections.abc import Mapping

from starlette.responses import Response

from workbench.errors import (
    InvalidPolicy,
    MissingKey,
    NotFoundError,
    ResolutionError,
    StoreError,
    UnknownJudge,
    UnreadableInput,
    UsageError,
    storage_error,
)
from workbench.interfaces.http.security import error_response
from workbench.records.text import Json, replace_surrogates

_LOG = logging.getLogger(__name__)
LONGEST_SENTENCE = 2000
_KINDS: tuple[tuple[type[UsageError], str, int], ...] = (
    (NotFoundError, "not_found", 404),
    (StoreError, "store_unavailable", 503),
    (InvalidPolicy, "invalid_policy", 422),
    (UnknownJudge, "unknown_judge", 422),
    (MissingKey, "missing_key", 409),
    (UnreadableInput, "unreadable_input", 422),
    (UsageError, "invalid", 422),
)
_INTERNAL_ERROR = (
    "The workbench could not finish because of an internal error; see its log for details. "
    "Finished verdicts are stored."
)


class ApiError(Exception):
    """What cannot be done as it was asked: a kind, a sentence and an HTTP status."""

    def __init__(
        self, kind: str, message: str, status: int, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.kind, self.message, self.status = kind, message, status
        self.headers = headers


def answer(document: Json, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON answer; ASCII, so that lone surrogates pass."""
    all_headers = {"cache-control": "no-store", **(headers or {})}
    return Response(json.dumps(document), status, all_headers, media_type="application/json")


def refuse(error: Exception) -> Response:
    """The answer to what went wrong; anything unforeseen is logged and reported plainly."""
    refusal = as_refusal(error)
    if refusal is None:
        _LOG.error("A request broke off", exc_info=error)
        refusal = ApiError("internal", _INTERNAL_ERROR, 500)
    sentence = replace_surrogates(refusal.message)[:LONGEST_SENTENCE]
    status, headers, body = error_response(refusal.kind, sentence, refusal.status, refusal.headers)
    return Response(body, status, {k.decode(): v.decode("latin-1") for k, v in headers})


def as_refusal(error: Exception) -> ApiError | None:
    """The caller's mistakes and states of a source or a judge; None for a fault of ours."""
    if isinstance(error, ApiError):
        return error
    error = storage_error(error) or error
    if isinstance(error, ResolutionError):
        return ApiError(error.kind, error.message, 422)
    for kind, name, status in _KINDS:
        if isinstance(error, kind):
            return ApiError(name, str(error), status)
    return None
