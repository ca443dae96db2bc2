"""What is known of a judge, the sentences that say it, and the one next step; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from workbench.presentation.calibration.text import good_for, hopeless, whole_percent
from workbench.records.evaluation import Threshold
from workbench.records.format import count_of
from workbench.services.calibration import Calibration, IntervalEstimate
from workbench.services.calibration.agreement import AgreementReport
from workbench.services.drift import JudgeHistory

ASKED_FOR = timedelta(days=30)
"""After so long a judge is worth asking again."""
BATCH = 100
"""So many labels at most are asked for at once."""
DRIFT_TEXT = {
    "drift": "it has drifted",
    "none seen": "no drift",
    "too few": "too few to tell drift",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the page knows of a judge; its sentences and its next step come from nothing else."""

    calibration: Calibration | None
    """None where no labelled citation has a verdict."""
    missing: int
    """Labelled items that the judge can still be asked about."""
    examples: bool
    """Whether all labels are those of the examples."""
    unlabelled: int
    """One's own citations without a label."""
    people: AgreementReport
    first: bool
    """Whether people are compared by their first labels."""
    history: JudgeHistory | None
    """The judge on the reference set; None where it was never asked again."""
    threshold: Threshold | None
    """The newest one saved for the judge."""
    uses: Sequence[str]
    """What uses it, in words."""
    now: datetime

    @property
    def n(self) -> int:
        """Labels that the figures rest on."""
        return self.calibration.table.n if self.calibration else 0

    @property
    def lacking(self) -> int:
        """Of the labelled items that the figures could rest on, those the judge has not judged."""
        return min(self.missing, self.calibration.judged.unjudged) if self.calibration else 0

    @property
    def to_settle(self) -> int:
        """Items whose labels differ, which nobody has settled."""
        return self.people.disagreements.differ - self.people.disagreements.settled

    @property
    def reviewers(self) -> int:
        """People who have labelled."""
        return len({rating.rater for rating in self.people.ratings})

    @property
    def drifted(self) -> bool:
        """Whether the judge answered otherwise when it was asked again."""
        return self.history is not None and self.history.last.verdict == "drift"


class Step(NamedTuple):
    """What to do next."""

    kind: Literal[
        "judge", "label", "settle", "save", "compare", "check", "second", "drift", "calibration"
    ]
    """The last two open the section of that name."""
    label: str
    """On its button."""
    why: str
    many: int = 0
    """Labels that are asked for."""


def worth(facts: Facts) -> str:
    """What the judge is good for; empty where nothing is known."""
    if not facts.calibration or not facts.n:
        return ""
    if facts.drifted:
        return (
            "But it answered otherwise when asked again (drift): these figures may no longer hold."
        )
    return good_for(facts.calibration)


def threshold_line(facts: Facts) -> str:
    """Which threshold was saved, and what uses it."""
    saved, uses, calibration = facts.threshold, facts.uses, facts.calibration
    if saved is None:
        return "No threshold is saved for this judge."
    edges = [f"accept from {saved.accept:.3f}"] if saved.accept is not None else []
    edges += [f"reject below {saved.reject:.3f}"] if saved.reject is not None else []
    edges += [f"own limits for {' and '.join(saved.kinds)}"] if saved.kinds else []
    same_aim = calibration is not None and saved.aim.startswith(calibration.aim.description)
    lost = same_aim and saved.holds and calibration and not calibration.guarantee.holds
    return (
        f"Threshold {saved.id}, saved {_ago(saved.created_at, facts.now)} on "
        f"{count_of(saved.n, 'label')}: {', '.join(edges)}. "
        + (f"In force for {', '.join(uses)}." if uses else "No run, queue or policy uses it yet.")
        + (" Today's labels no longer guarantee it." if lost else "")
    )


def agreement_line(facts: Facts) -> str:
    """How far people agree, and what is left to settle."""
    found, settle = facts.people.verdicts, f"; {facts.to_settle:,} to settle"
    verb = "agreed at first" if facts.first else "agree"
    if not found.items or found.raw.value is None:
        who = ("Nobody has labelled", "Only one person has labelled")
        some = f"{facts.reviewers:,} people have labelled, none of them the same citation"
        said = f"{(*who, some)[min(facts.reviewers, 2)]}: agreement cannot be said"
    elif len(found.raters) == 2:
        same = round(found.raw.value * found.items)
        said = f"{' and '.join(found.raters)} {verb} on {same:,} of {found.items:,}"
        said += _coefficient("κ", found.pairs[0].kappa)
    else:
        said = (
            f"{len(found.raters):,} people {verb} in {whole_percent(found.raw.value)} of pairs on "
        )
        said += f"{count_of(found.items, 'citation')}{_coefficient('α', found.alpha)}"
    return said + (settle if facts.to_settle else "")


def drift_line(facts: Facts) -> str:
    """Whether the judge still says what it said."""
    history = facts.history
    if history is None:
        return "Never asked again: whether it still says the same is not known"
    ago, since = _ago(history.evaluations[-1].created_at, facts.now), history.last.since_last
    if since is None:
        return f"Asked once, {ago}: asking again shows whether it says the same"
    changed = since.same.n - since.same.hits
    said = f"Asked again {ago}: {changed:,} of {since.same.n:,} verdicts changed"
    return f"{said}; {DRIFT_TEXT[history.last.verdict]}"


def next_step(facts: Facts) -> Step:
    """The one thing to do next: what the figures lack first, then what would decide, then upkeep."""
    if facts.examples:
        return Step(
            "check", "Check an answer of your own", "Your first own label replaces the examples."
        )
    if facts.lacking:
        items = count_of(facts.missing, "labelled item")
        return Step("judge", f"Run the judge on {items}", "The figures lack them.")
    if facts.drifted:
        return Step(
            "drift", "See what changed", "Then label new answers: they show it as it is now."
        )
    if facts.to_settle:
        count = count_of(facts.to_settle, "disagreement")
        return Step("settle", f"Settle {count}", "The judge is measured by an adjudicator's label.")
    if not facts.calibration or not facts.n:
        return _label_more(facts, 50)
    test, guaranteed = facts.calibration.guarantee, facts.calibration.guaranteed
    if hopeless(test):
        return Step("compare", "Compare judges and prompts", "More labels would not help this one.")
    if not test.holds:
        return _label_more(facts, test.labels_needed or 50)
    if guaranteed is None:
        return Step("calibration", "Choose a higher target", "Only then does its score decide.")
    saved = facts.threshold.accept if facts.threshold else None
    if facts.calibration.aim.kind == "guarantee" and (saved is None or saved < guaranteed):
        why = "Runs that name it accept citations from there on."
        return Step("save", f"Save the threshold {guaranteed:.2f}", why)
    history = facts.history
    if history is None or facts.now - history.evaluations[-1].created_at > ASKED_FOR:
        return Step("drift", "Ask the judge again", "Judges change; the same examples show it.")
    if facts.reviewers < 2:
        why = "How far people agree bounds how right a judge can be."
        return Step("second", "Have a second person label", why)
    return Step("check", "Check an answer", "Nothing is due here.")


def _label_more(facts: Facts, needed: int) -> Step:
    many = min(needed, BATCH, facts.unlabelled)
    if not many:
        none_left = "Every checked citation has a label." if facts.reviewers else ""
        return Step("check", "Check an answer", none_left or "Labels are given on its citations.")
    return Step("label", f"Label {many:,} more", "A blind queue, drawn at random.", many)


def _coefficient(name: str, figure: IntervalEstimate) -> str:
    if figure.value is None:
        return ""
    interval = "" if figure.low is None else f", {figure.low:z.2f}–{figure.high:z.2f}"
    return f" ({name} {figure.value:z.2f}{interval})"


def _ago(moment: datetime, now: datetime) -> str:
    days = (now - moment).days
    return "today" if days < 1 else f"{count_of(days, 'day')} ago"
