"""The sets of labels against which a judge can be measured: data sets, queues, runs."""

from pathlib import PurePath

from workbench.errors import UsageError
from workbench.records.evaluation import LabelFilter
from workbench.services.calibration.agreement import label_sources
from workbench.store.labels.imports import Imports
from workbench.store.store import Store

REVIEWED = "reviewed"
"""The labels on items that were not imported."""


def label_filters(store: Store) -> dict[str, LabelFilter]:
    """Every set of labels by its key: `reviewed`, `data-set:ID`, `queue:ID` or `run:ID`."""
    return {key: labels for key, (_, labels) in _named_filters(store).items()}


def _named_filters(store: Store) -> dict[str, tuple[tuple[str, ...], LabelFilter]]:
    """Every set of labels by its key, with the names it can be asked for by."""
    sources = label_sources(store)
    imported = Imports(store).runs()
    filters: dict[str, tuple[tuple[str, ...], LabelFilter]] = {}
    for record in Imports(store).list():
        if record.imported:
            name = record.name or record.id
            filters[f"data-set:{record.id}"] = (
                (record.id, name, PurePath(name).stem),
                LabelFilter(data_set=record.id, name=f"the data set {name}"),
            )
    if filters:  # without a data set all labels are of such items
        reviewed = LabelFilter(data_set="", name="items that were not imported")
        filters = {REVIEWED: ((), reviewed), **filters}
    for queue in sources.queues:
        filters[f"queue:{queue.id}"] = (
            (queue.id, queue.name),
            LabelFilter(queue=queue.id, name=f"the queue {queue.name}"),
        )
    for run in sources.runs:
        if run.id not in imported:
            name = run.name or run.id
            filters[f"run:{run.id}"] = (
                (run.id, name),
                LabelFilter(run=run.id, name=f"the run {name}"),
            )
    return filters


def find_label_filter(store: Store, name: str) -> LabelFilter:
    """The set of labels by its key, its id, or the name of its data set, queue or run.

    Raises:
        UsageError: There is none, or several have that name.
    """
    filters = _named_filters(store)
    if name in filters:
        return filters[name][1]
    matches = {key: labels for key, (names, labels) in filters.items() if name in names}
    if len(matches) == 1:
        return next(iter(matches.values()))
    if matches:
        raise UsageError(
            f"{len(matches)} sets of labels are called {name!r}; choose one by its key: "
            f"{', '.join(matches)}."
        )
    raise UsageError(
        f"There are no labels for {name!r}; there are labels for {', '.join(filters) or 'nothing'}."
    )
