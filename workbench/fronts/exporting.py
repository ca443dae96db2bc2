"""Items out of the database as a data set: chosen, put into parts, written with its card."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from workbench.calibration import agreement
from workbench.datasets import (
    ASKED,
    About,
    Dataset,
    Prompting,
    Shape,
    preview_lines,
    write_dataset,
)
from workbench.errors import UsageError
from workbench.fronts.calibrating import parts_now
from workbench.judging import find_prompt, select_passages
from workbench.judging.prompts import ask
from workbench.records import Example, ItemFilter, PartName, Passage
from workbench.store import Examples, Guides, Queues, Reviews, Store

PARTS: tuple[PartName, ...] = ("train", "dev", "test")
HOW_SPLIT = (
    "As calibration splits the labelled items: those that share a {ties} stand in one part, so "
    "that nothing leaks from one part into another. What has no label that stands, or ties several "
    "parts together, is in no part."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which items an export is of, and what goes along."""

    run_id: str | None = None
    queue_id: str | None = None
    within: ItemFilter | None = None
    parts: tuple[PartName, ...] = ()
    """Only of these; empty for all, unlabelled items included."""
    labelled: bool = False
    """Only items that people labelled."""
    source_text: bool = True


def export_dataset(store: Store, format_name: str, path: Path, choice: Choice) -> Dataset:
    """What was written.

    Raises:
        UsageError: The format is unknown, the path cannot be written, or there is no such run,
            queue or part.
    """
    return write_dataset(
        chosen(store, choice),
        format_name,
        path,
        about=about(store, choice),
        shape=shape_of(format_name, choice),
    )


def preview(store: Store, format_name: str, choice: Choice, rows: int = 3) -> list[str]:
    """The first lines of an export, as text.

    Raises:
        UsageError: As `export_dataset`.
    """
    lines = preview_lines(chosen(store, choice), format_name, shape_of(format_name, choice))
    return list(islice(lines, rows))


def chosen(store: Store, choice: Choice) -> Iterator[Example]:
    """The items of a choice with their parts, read some at a time.

    Raises:
        UsageError: There is no such run, queue or part.
    """
    known_parts(choice.parts)
    examples = Examples(store)
    keys = examples.keys(run_id=choice.run_id, queue_id=choice.queue_id, within=choice.within)
    parts, _ = parts_now(store)
    if choice.parts:
        keys = [key for key in keys if key[:2] in parts and parts[key[:2]] in choice.parts]
    for one in examples.read(keys):
        if choice.labelled and not one.row.labels:
            continue
        yield replace(one, part=parts.get((one.row.run_id, one.row.result.citation.id)))


def shape_of(format_name: str, choice: Choice) -> Shape:
    """What goes along, and for fine-tuning how the judge is asked."""
    if format_name not in ASKED:
        return Shape(source_text=choice.source_text)
    prompt = find_prompt("strict")
    return Shape(
        source_text=choice.source_text,
        prompting=Prompting(choose=_passages, ask=partial(ask, prompt), prompt=prompt.id),
    )


def _passages(claim: str, text: str, title: str | None) -> list[Passage]:
    return select_passages(claim, text, title=title)


def about(store: Store, choice: Choice) -> About:
    """What the card says besides the rows.

    Raises:
        StoreError: The database cannot be used, or there is no such run or queue.
    """
    guide = Guides(store).current()
    _, ties = parts_now(store)
    words = []
    title = "Labelled citations"
    if choice.run_id:
        name = store.get_summary(choice.run_id).name or choice.run_id
        title = f"Labelled citations of {name}"
        words.append(f"of the run {name}")
    if choice.queue_id:
        words.append(f"of the queue {Queues(store).get(choice.queue_id).name}")
    if choice.within and choice.within != ItemFilter():
        words.append(f"within the filter {choice.within.to_dict()}")
    if choice.parts:
        words.append(f"of the parts {', '.join(choice.parts)}")
    if choice.labelled:
        words.append("labelled by people")
    return About(
        title=title,
        selection=", ".join(words) or "everything with a verdict",
        agreement=tuple(agreement_words(store, choice)),
        guide_version=guide.version if guide else None,
        guide=guide.body if guide else "",
        how_split=HOW_SPLIT.format(ties=" or a ".join(ties)) if ties else "",
    )


def agreement_words(store: Store, choice: Choice) -> Iterator[str]:
    """Agreement between people in sentences; none where no item has two labels.

    Raises:
        StoreError: The database cannot be used.
    """
    found = agreement(
        Reviews(store).ratings(run_id=choice.run_id, queue_id=choice.queue_id), rounds=400
    )
    if not found.items:
        return
    yield (
        f"{found.ratings} labels of {len(found.raters)} people on {found.items} items, each "
        "person's first"
    )
    yield f"Raw agreement {found.raw.text}"
    yield f"Krippendorff's alpha {found.alpha.text}"
    for one in found.labels:
        yield f"Specific agreement on {one.label} {one.specific.text}"


def known_parts(given: Collection[str]) -> tuple[PartName, ...]:
    """The parts of these names, in their order.

    Raises:
        UsageError: One of them is none.
    """
    unknown = [one for one in given if one not in PARTS]
    if unknown:
        raise UsageError(f"There is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}.")
    return tuple(part for part in PARTS if part in given)
