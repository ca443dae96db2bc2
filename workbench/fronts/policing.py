"""A run before a policy: what the command line, the pages and the gateway share."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.errors import SourceError, UnreadableInput
from workbench.judging import run_sync
from workbench.pipeline import Sources, gate, read_documents
from workbench.policy import Decision, Policy, read_policy
from workbench.records import Run
from workbench.settings import SHIPPED_DATA, Settings

READY = SHIPPED_DATA / "policies"


def ready_policies() -> list[str]:
    """The names of the policies that come with the workbench."""
    return sorted(path.stem for path in READY.glob("*.yaml"))


def open_policy(named: str | Path, environ: Mapping[str, str] | None = None) -> Policy:
    """The policy in a file, or the ready-made one of that name.

    Variables that it names are read from the environment.

    Raises:
        UnreadableInput: There is no such file, or it is no text.
        InvalidPolicy: It holds mistakes; the message tells them by line.
    """
    path = Path(named)
    if not path.exists() and str(named) in ready_policies():
        path = READY / f"{named}.yaml"
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInput(
            f"The policy {str(named)!r} cannot be read ({type(error).__name__}): name a YAML file "
            f"in UTF-8, or one of {', '.join(ready_policies())}."
        ) from None
    return read_policy(text, os.environ if environ is None else environ)


def policed(
    policy: Policy,
    run: Run,
    text: str,
    *,
    sources: Sources = None,
    judge: Sequence[str] = ("local",),
    settings: Settings,
) -> Decision:
    """What the policy makes of a run's answer, its given sources being the context documents.

    Raises:
        UsageError: The sources or the judge cannot be used.
        UnreadableInput: A source cannot be read; the message says which.
    """
    try:
        documents = run_sync(read_documents(sources)) if sources is not None else []
    except SourceError as error:
        raise UnreadableInput(f"A source cannot be read: {error.message}") from None
    return gate(
        policy,
        run,
        text,
        documents=documents,
        judge=judge[0],
        internal_hosts=settings.resolver_hosts,
    )
