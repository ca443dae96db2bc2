"""What is known of an answer after it was checked, and the call that it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.records.text import JsonDict
from workbench.records.verdict import Run
from workbench.services.policies import PolicyDecision
from workbench.services.verification import ClaimReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of the agent: what it was given and what it answered."""

    args: Sequence[object] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)
    """By parameter name, those given by place too where the function tells its names."""
    answer: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What the sources say of an answer; nothing of it stands in the answer itself.

    An answer that cites is checked citation by citation (`run`), one that cites nothing claim by
    claim (`report`).
    """

    run: Run | None = None
    report: ClaimReport | None = None
    decision: PolicyDecision | None = None
    """What the policy makes of the answer; the answer itself is handed on as it is."""
    skipped: str = ""
    """Why nothing was checked, in a sentence; empty otherwise."""
    error: str = ""
    """What went wrong with the check, in a sentence; empty otherwise."""
    seconds: float = 0.0

    @property
    def checked(self) -> bool:
        """Whether anything was compared with a source."""
        return self.run is not None or self.report is not None

    @property
    def overall_grounded(self) -> bool:
        """Whether nothing is contradicted, and nothing was left without a verdict.

        False also where the check failed or a judge gave no verdict; true where the answer was
        skipped, since there was nothing to check it by.
        """
        if self.error:
            return False
        run = self.run
        against = run and any(result.verdict == "contradicted" for result in run.counted)
        if against or (run and run.total_unjudged):
            return False
        return self.report is None or self.report.overall_grounded

    @property
    def supported_ratio(self) -> float:
        """Supported over checked citations, or over claims; 1 where there are none.

        Citations that the judge gave no verdict on count as not supported.
        """
        if self.run is not None:
            of = self.run.total_resolved + self.run.total_unjudged
            if of:
                return self.run.total_supported / of
        return self.report.supported_ratio if self.report else 1.0

    @property
    def cost_usd(self) -> float:
        """What the judges cost, and what is reserved for calls that were cut off; known prices."""
        spendings = [checked.spending for checked in (self.run, self.report) if checked is not None]
        return sum(spending.settled_usd + spending.reserved_usd for spending in spendings)

    @property
    def price_unknown(self) -> bool:
        """Whether a model was asked whose price is unknown."""
        spendings = [checked.spending for checked in (self.run, self.report) if checked is not None]
        return any(spending.unpriced_calls for spending in spendings)

    @property
    def summary(self) -> str:
        """One line: `2/3 citations supported (67%)`, or why there is none."""
        if self.error:
            return f"Not checked: {self.error}"
        if self.run is not None and self.run.total_citations_found:
            supported, unjudged = self.run.total_supported, self.run.total_unjudged
            of = self.run.total_resolved + unjudged
            if not of:
                return f"None of {self.run.total_citations_found} citations could be resolved."
            unjudged_words = f", {unjudged} without a verdict" if unjudged else ""
            return f"{supported}/{of} citations supported ({round(100 * supported / of)}%){unjudged_words}"
        if self.report is not None:
            return self.report.summary
        return f"Not checked: {self.skipped}"

    def to_dict(self) -> JsonDict:
        """As a log keeps it: the summary's figures, then the run, the claims and the decision."""
        return {
            "checked": self.checked,
            "summary": self.summary,
            "overall_grounded": self.overall_grounded,
            "supported_ratio": round(self.supported_ratio, 4),
            "cost_usd": None if self.price_unknown else round(self.cost_usd, 6),
            "price_unknown": self.price_unknown,
            "seconds": round(self.seconds, 3),
            "skipped": self.skipped or None,
            "error": self.error or None,
            "run": self.run.to_dict() if self.run else None,
            "claims": self.report.to_dict() if self.report else None,
            "policy": self.decision.to_dict() if self.decision else None,
        }
