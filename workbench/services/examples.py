"""The example workspace of the first start: seeded once, distinguished from real work, removable.

Its labels are our own writing, kept as data; every verdict in it is the recorded one of a language
model, read and checked while it is seeded. Which labels are examples, and that they never count
beside real work, is one rule in the store (`schema/m030_examples.sql`).
"""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from workbench.errors import UsageError
from workbench.judging.handoff import RECORDED
from workbench.judging.prompts import STRICT
from workbench.records.queue import ItemFilter
from workbench.records.review import Label, Role
from workbench.records.text import text_sha256
from workbench.records.transfer import EXAMPLE_SUFFIX, ExampleContents
from workbench.records.verdict import HUMAN_LABELS, HumanLabel
from workbench.services.cached_views import cached_view, clear_cached_views, file_state
from workbench.services.calibration.measurement import ensure_split
from workbench.services.database import Database
from workbench.services.demo import Demo, list_demos, seed_demo
from workbench.services.drift import evaluate_reference_set, freeze_anchors
from workbench.services.imports import import_file
from workbench.services.judges import open_judge
from workbench.services.labelled_judging import judge_missing
from workbench.services.prompts import write_prompt
from workbench.shipped import SHIPPED_DATA
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.admin.erasure import Erasures
from workbench.store.admin.examples import ExampleWorkspace, MarkKind
from workbench.store.evaluation.reference_sets import ReferenceSetRepository
from workbench.store.queues.queues import Queues

EXAMPLE_DATA = SHIPPED_DATA / "example"
REVIEWERS = (f"Ana{EXAMPLE_SUFFIX}", f"Ben{EXAMPLE_SUFFIX}")
"""Ana labelled everything, Ben what a second reviewer read; both without seeing the judge."""
ADJUDICATOR = f"Chidi{EXAMPLE_SUFFIX}"
DATASET = f"Everyday claims{EXAMPLE_SUFFIX}"
LICENCE = "CC0-1.0"
DOUBLE_QUEUE = f"Three reports, read twice{EXAMPLE_SUFFIX}"
HALF_QUEUE = f"Memo and support reply, half done{EXAMPLE_SUFFIX}"
SETTLE_QUEUE = f"Disagreements to settle{EXAMPLE_SUFFIX}"
DOUBLE = ("research_report", "medical_answer", "five_wrong_ways")
HALF = ("legal_memo", "support_answer")
HALF_DONE = 8
ANCHORS = f"Watching a judge{EXAMPLE_SUFFIX}"
ANCHORS_SIZE = 40
PROMPT = "strict-example"
PROMPT_NOTE = "An example of a second version: one more sentence about figures. No model was asked."
_SENTENCE = (
    "Figures differ only where both are about the same thing, time and unit: compare these first."
)
_BEFORE = "Judge by the passages alone"
DECLINED_TEXT = "This data folder was set up without examples; `workbench demo --again` adds them."
REMOVED_TEXT = "The examples were removed; `workbench demo --again` adds them again."
OTHER_WORK_TEXT = "This workspace already contains your own work, so no example workspace is added."


@dataclass(frozen=True, slots=True, kw_only=True)
class SeededExamples:
    """What a call of `seed_examples` added."""

    runs: tuple[str, ...]
    """Ids of new runs: the demo outputs and the labelled set."""
    complete: bool
    """Whether the example workspace is there, whole."""
    why_not: str = ""
    """Why there is none, in a sentence."""

    @property
    def adds_runs(self) -> bool:
        """Whether the demo outputs may be checked all the same: nobody said no to examples."""
        return self.why_not in ("", OTHER_WORK_TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opinion:
    """One label to give: on which citation of which demo, by whom, and why."""

    run_id: str
    citation_id: str
    label: HumanLabel
    note: str


_HUMAN_LABELS: Mapping[str, HumanLabel] = {str(label): label for label in HUMAN_LABELS}
_Place = tuple[str, str, str, int]
"""A demo's id, and a citation's marker, identifier and occurrence."""


@cached_view(state=file_state)
def example_contents(database: Database) -> ExampleContents:
    """What there is of the examples, and whether figures are made of them."""
    return ExampleWorkspace(database).contents()


def example_ids(database: Database, kind: MarkKind) -> Collection[str]:
    """Ids of the queues or runs that belong to the examples: their labels count as examples."""
    return ExampleWorkspace(database).marked(kind)


@cached_view(state=file_state, key=lambda demos=None: demos and tuple(d.text for d in demos))
def refusal_to_seed(database: Database, demos: Sequence[Demo] | None = None) -> str:
    """Why the examples are not seeded; empty if they are, or if seeding continues.

    They belong to the first start only: if there is other work already, nothing is added.
    """
    workspace = ExampleWorkspace(database)
    steps = workspace.marked("step")
    if "removed" in steps:
        return REMOVED_TEXT
    if "declined" in steps:
        return DECLINED_TEXT
    if "begun" in steps:
        return ""
    shipped = {text_sha256(demo.text) for demo in (list_demos() if demos is None else demos)}
    foreign = any(run.output_sha256 not in shipped for run in database.list_runs(limit=100_000))
    return OTHER_WORK_TEXT if foreign or workspace.has_other_work() else ""


def usual_judge(database: Database) -> str:
    """The SPEC that figures are made of where nobody names a judge.

    That of the examples while these count, which would show nothing of another; else `local`.
    """
    return RECORDED if example_contents(database).counted else "local"


def begin_empty(database: Database) -> bool:
    """Whether this data folder stays without examples, now and at later starts.

    Not where they are there already: `remove_examples` takes them out.
    """
    workspace = ExampleWorkspace(database)
    if "begun" in workspace.marked("step"):
        return False
    workspace.mark("step", ["declined"])
    return True


def seed_examples(
    database: Database,
    snapshots: Path | None = None,
    *,
    again: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> SeededExamples:
    """The demo runs and parts of the example workspace that were added; nothing if it is complete.

    Each part is stored as a whole or found again, so that an interrupted seeding continues.

    Args:
        database: Where.
        snapshots: Folder of the sources' bytes.
        again: Also if the examples were removed or declined.
        tell: Called with what is done next, in a few words.
    """
    workspace = ExampleWorkspace(database)
    if again:
        workspace.forget_removal()
    why_not = refusal_to_seed(database)
    if why_not:
        return SeededExamples(runs=(), complete=False, why_not=why_not)
    if "done" in workspace.marked("step"):
        return SeededExamples(runs=(), complete=True)
    workspace.mark("reviewer", [*REVIEWERS, ADJUDICATOR])
    workspace.mark("step", ["begun"])
    tell("adding the demo outputs")
    demos = list_demos()
    new = [run.id for run in seed_demo(database, snapshots, demos)]
    runs = _runs_of(database, demos)
    workspace.mark("run", list(runs.values()))
    new += _import_claims(database, workspace)
    tell("adding the example reviewers' labels")
    _label(database, workspace, demos, runs)
    tell("adding the recorded verdicts on the example claims")
    judge_missing(database, RECORDED)
    ensure_split(database, REVIEWERS[0])
    _prompts(database, workspace)
    _drift(database, workspace)
    workspace.mark("step", ["done"])
    clear_cached_views()
    return SeededExamples(runs=tuple(new), complete=True)


def remove_examples(
    database: Database, snapshots: Path, *, own_work: bool = False
) -> tuple[str, ...]:
    """Ids of the example runs that were deleted for good, with all that belongs to the examples.

    They stay away at later starts, and the file is rewritten, so that no bytes of them are left.

    Example runs with other work stay, together with that work. What goes of people's own
    (`ExampleContents.own_work`) goes only where `own_work` says that they know.

    Raises:
        UsageError: People's own work would go, and `own_work` is false; nothing was removed.
        StoreError: The database cannot be used; or all was deleted and the file not rewritten.
    """
    lost = example_contents(database).own_work()
    if lost and not own_work:
        raise UsageError(
            f"This would also delete {'; '.join(lost)}. Nothing was removed: add --yes to delete "
            "them with the examples."
        )
    run_ids, bodies = ExampleWorkspace(database).remove()
    SnapshotFolder(snapshots).remove(set(bodies) - Erasures(database).bodies_in_use())
    Erasures(database).rewrite()
    clear_cached_views()
    return run_ids


def _runs_of(database: Database, demos: Sequence[Demo]) -> dict[str, str]:
    """The first run of each demo, by the demo's id."""
    by_output = {run.output_sha256: run.id for run in database.list_runs(limit=100_000)}
    return {demo.id: by_output[text_sha256(demo.text)] for demo in demos}


def _import_claims(database: Database, workspace: ExampleWorkspace) -> list[str]:
    """The runs of the labelled set; importing it a second time adds nothing."""
    before = workspace.imported_runs(DATASET)
    if not before:
        path = EXAMPLE_DATA / "everyday_claims.jsonl"
        import_file(
            database, "pairs", path, name=DATASET, origin=DATASET, licence=LICENCE,
            reviewer=REVIEWERS[0],
        )  # fmt: skip
    runs = workspace.imported_runs(DATASET)
    workspace.mark("run", runs)
    return [] if before else runs


def _label(
    database: Database, workspace: ExampleWorkspace, demos: Sequence[Demo], runs: Mapping[str, str]
) -> None:
    """The labels on the demo's citations and the queues that they were given in."""
    if "labelled" in workspace.marked("step"):
        return
    places = _places(database, demos, runs)
    opinions = _opinions(demos, places)
    double = _items(opinions["ana"], [runs[demo] for demo in DOUBLE])
    half = _items(opinions["ana"], [runs[demo] for demo in HALF])
    ben = {(opinion.run_id, opinion.citation_id): opinion.label for opinion in opinions["ben"]}
    settled = {(opinion.run_id, opinion.citation_id) for opinion in opinions["chidi"]}
    open_disputes = [
        (opinion.run_id, opinion.citation_id)
        for opinion in opinions["ana"]
        if ben.get((opinion.run_id, opinion.citation_id), opinion.label) != opinion.label
        and (opinion.run_id, opinion.citation_id) not in settled
    ]
    double_id = _queue(
        database, workspace, DOUBLE_QUEUE, double, reviews=2, reviewers=REVIEWERS,
        chosen=ItemFilter(runs=tuple(runs[demo] for demo in DOUBLE)),
    )  # fmt: skip
    half_id = _queue(
        database, workspace, HALF_QUEUE, half,
        chosen=ItemFilter(runs=tuple(runs[demo] for demo in HALF)),
    )  # fmt: skip
    _queue(
        database, workspace, SETTLE_QUEUE, open_disputes, role="adjudication", blind=False,
        chosen=ItemFilter(reviewers_differ=True),
    )  # fmt: skip
    seats = {item: (double_id, position) for position, item in enumerate(double)}
    seats |= {item: (half_id, position) for position, item in enumerate(half)}
    undone = set(half[HALF_DONE:])
    now = datetime.now(UTC)
    labels = [
        _label_record(opinion, reviewer, now, seats.get((opinion.run_id, opinion.citation_id)))
        for name, reviewer in zip(("ana", "ben"), REVIEWERS, strict=True)
        for opinion in opinions[name]
        if (opinion.run_id, opinion.citation_id) not in undone
    ]
    labels += [
        _label_record(opinion, ADJUDICATOR, datetime.now(UTC), None, role="adjudication")
        for opinion in opinions["chidi"]
    ]
    workspace.add_labels("labelled", labels)


def _places(
    database: Database, demos: Sequence[Demo], runs: Mapping[str, str]
) -> dict[_Place, tuple[str, str]]:
    """Run and citation id of every marker of the demos."""
    places: dict[_Place, tuple[str, str]] = {}
    for demo in demos:
        occurrences: Counter[tuple[str, str]] = Counter()
        for result in database.get_run(runs[demo.id]).citations:
            marker = (result.citation.raw, result.citation.identifier)
            place = (demo.id, *marker, occurrences[marker])
            places[place] = (runs[demo.id], result.citation.id)
            occurrences[marker] += 1
    return places


def _opinions(
    demos: Sequence[Demo], places: Mapping[_Place, tuple[str, str]]
) -> dict[str, list[_Opinion]]:
    """What each example reviewer says of the demos' citations, in text order.

    Ben read the English ones; where the file holds no opinion of his own he agrees.
    """
    path = EXAMPLE_DATA / "second_opinions.json"
    stored: Mapping[str, Mapping[str, Sequence[Mapping[str, str | int]]]]
    stored = json.loads(path.read_text("utf-8"))
    own: dict[str, dict[_Place, tuple[HumanLabel, str]]] = {
        name: {
            (demo, str(row["raw"]), str(row["identifier"]), int(row["occurrence"])): (
                _HUMAN_LABELS[str(row["label"])],
                str(row["note"]),
            )
            for demo, rows in by_demo.items()
            for row in rows
        }
        for name, by_demo in stored.items()
    }
    opinions: dict[str, list[_Opinion]] = {"ana": [], "ben": [], "chidi": []}
    for demo in demos:
        for item in demo.expected:
            place = (demo.id, item.raw, item.identifier, item.occurrence)
            run_id, citation_id = places[place]
            opinions["ana"].append(
                _Opinion(run_id=run_id, citation_id=citation_id, label=item.label, note=item.why)
            )
            if demo.id in (*DOUBLE, "literature_review"):
                agreed: tuple[HumanLabel, str] = (item.label, "")
                label, note = own["ben"].get(place, agreed)
                opinions["ben"].append(
                    _Opinion(run_id=run_id, citation_id=citation_id, label=label, note=note)
                )
            if place in own["chidi"]:
                label, note = own["chidi"][place]
                opinions["chidi"].append(
                    _Opinion(run_id=run_id, citation_id=citation_id, label=label, note=note)
                )
    return opinions


def _items(opinions: Iterable[_Opinion], run_ids: Sequence[str]) -> list[tuple[str, str]]:
    return [
        (opinion.run_id, opinion.citation_id) for opinion in opinions if opinion.run_id in run_ids
    ]


def _queue(
    database: Database,
    workspace: ExampleWorkspace,
    name: str,
    items: Sequence[tuple[str, str]],
    *,
    chosen: ItemFilter,
    reviews: int = 1,
    reviewers: Sequence[str] = (),
    role: Role = "review",
    blind: bool = True,
) -> str:
    """The id of an example queue, which is created if there is none of its name."""
    queues = Queues(database)
    existing = {line.queue.name: line.queue.id for line in queues.list_queues(closed=True)}
    queue_id = existing.get(name) or queues.build(
        name, chosen, created_by=ADJUDICATOR, reviews=reviews, reviewers=reviewers, role=role,
        blind=blind, items=items,
    ).id  # fmt: skip
    workspace.mark("queue", [queue_id])
    return queue_id


def _label_record(
    opinion: _Opinion,
    reviewer: str,
    now: datetime,
    seat: tuple[str, int] | None,
    *,
    role: Role = "review",
) -> tuple[Label, int | None]:
    """A label as a blind reviewer gives it, with its position in a queue.

    No time is kept: nobody measured how long our own labelling took.
    """
    label = Label(
        id=str(uuid.uuid4()),
        run_id=opinion.run_id,
        citation_id=opinion.citation_id,
        label=opinion.label,
        reviewer=reviewer,
        created_at=now,
        note=opinion.note,
        role=role,
        saw_judge=False,
        verdict_version=1,
    )
    if seat is None:
        return label, None
    return replace(label, queue_id=seat[0]), seat[1]


def _prompts(database: Database, workspace: ExampleWorkspace) -> None:
    """Two versions of a prompt, of which the second holds one sentence more."""
    first = write_prompt(
        database, PROMPT, STRICT.template, author=REVIEWERS[0], parent=STRICT.id,
        note="An example: the shipped prompt as it is.",
    )  # fmt: skip
    second = write_prompt(
        database, PROMPT, STRICT.template.replace(_BEFORE, f"{_SENTENCE}\n{_BEFORE}", 1),
        author=REVIEWERS[0], parent=first.id, note=PROMPT_NOTE,
    )  # fmt: skip
    workspace.mark("prompt", [first.id, second.id])


def _drift(database: Database, workspace: ExampleWorkspace) -> None:
    """A reference set and two judges evaluated on it: what changes if one takes the other's place."""
    repository = ReferenceSetRepository(database)
    existing = [anchors for anchors in repository.all() if anchors.name == ANCHORS]
    anchors = existing[0] if existing else freeze_anchors(
        database, ANCHORS, by=REVIEWERS[0], many=ANCHORS_SIZE,
        note=(
            "Evaluated at the first start: a recorded language model, then the embedded judge. Changes "
            "shows what would change if one took the other's place."
        ),
    )  # fmt: skip
    workspace.mark("reference_set", [anchors.id])
    answered = {
        evaluation.judge
        for evaluation in repository.evaluations(anchors.id)
        if evaluation.answers == anchors.size
    }
    for spec in (RECORDED, "local"):
        if spec not in answered:
            evaluate_reference_set(database, anchors, open_judge(spec), by=REVIEWERS[0])
