"""Open a judge by its SPEC, and say which judges can be opened here and why others cannot."""

from dataclasses import dataclass

from workbench.errors import UnknownJudge, UsageError
from workbench.judging.judge import Judge
from workbench.judging.scripted import ScriptedJudge


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Whether a kind of judge can be used here."""

    spec: str
    """`local`, `anthropic:MODEL`, `openai:MODEL`, `scripted:FILE`."""
    available: bool
    reason: str
    """Why it cannot be used and what to do, or what it is."""


def open_judge(spec: str) -> Judge:
    """The judge a SPEC names: `local`, `anthropic:MODEL`, `openai:MODEL` or `scripted:FILE`.

    Raises:
        UnknownJudge: the SPEC names no judge, or its files or library are missing.
        MissingKey: the judge needs an API key and the environment holds none.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind == "local" and not rest:
        from workbench.judging.embedded import LocalJudge

        return LocalJudge()
    if kind == "scripted" and rest:
        return ScriptedJudge.from_file(rest)
    raise UnknownJudge(
        f"There is no judge {spec!r}: use local, anthropic:MODEL, openai:MODEL or scripted:FILE."
    )


def judge_availability() -> list[Availability]:
    """Which kinds of judge can be opened here, and why one cannot."""
    try:
        open_judge("local")
        local = Availability(
            spec="local", available=True, reason="Runs on this machine, without a key or a network."
        )
    except UsageError as error:
        local = Availability(spec="local", available=False, reason=str(error))
    return [local]
