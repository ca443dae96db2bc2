"""What the tools share of a call: who judges, the progress that is sent, the result."""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
from anyio import from_thread
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent

from workbench.errors import UsageError
from workbench.records.providers import WITH_KEY, provider_of_model
from workbench.records.text import Json
from workbench.services import judges

if TYPE_CHECKING:
    from workbench.services.verification import Progress


def judge_spec(model: str, provider: str | None) -> str:
    """The SPEC of a model's judge; the provider is inferred from the model where none is named.

    Raises:
        UsageError: The model is empty or of no known provider.
    """
    name = model.strip()
    if judges.names_judge(name):
        return name
    if provider and provider not in WITH_KEY:
        raise UsageError(f"There is no provider {provider[:100]!r}: use {' or '.join(WITH_KEY)}.")
    if provider := provider or provider_of_model(name):
        return f"{provider}:{name}"
    raise UsageError(
        f"Unknown model {name!r}: name a claude-… or gpt-… model, give `provider`, or use `local`, "
        "the embedded judge that needs no key."
    )


def progress_sender(context: Context, cancel: threading.Event) -> Callable[["Progress"], None]:
    """Sends the client how far the run is, from the thread of the run."""

    def send(progress: "Progress") -> None:
        if cancel.is_set():
            return
        # a client that is gone needs no report
        with suppress(RuntimeError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            from_thread.run(
                context.report_progress, progress.judged, progress.found, progress.current[:200]
            )

    return send


def tool_result(document: Mapping[str, Json]) -> CallToolResult:
    """A document as a tool returns it: as text, and structured."""
    return CallToolResult(
        content=[TextContent(type="text", text=json.dumps(document))],
        structured_content=dict(document),
    )
