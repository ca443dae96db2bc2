"""The prompts of a database with those that are shipped: found, written, and made ready to ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError
from workbench.judging.prompts import (
    MANY,
    MOST_CHARS,
    PROMPTS,
    STRICT,
    ExampleCandidate,
    FewShotExample,
    build_example,
    diff_prompts,
    examples_text,
    select_examples,
    with_examples,
)
from workbench.judging.reply import REPLY_LABELS, with_standalone, without_standalone
from workbench.records.evaluation import JudgeKey
from workbench.records.optimization import PromptDiff
from workbench.records.prompts import Prompt, PromptVersion, template_variables
from workbench.records.queue import ItemFilter
from workbench.records.reference_sets import Prediction
from workbench.records.text import Json, JsonDict
from workbench.store.evaluation.predictions import PredictionRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.labels.examples import Examples
from workbench.store.labels.repository import Guides
from workbench.store.prompts import Prompts
from workbench.store.store import Store

__all__ = ["FewShotExample", "MANY", "MOST_CHARS", "PROMPTS", "diff_prompts"]


DEFAULT = STRICT
"""What language models are asked by where nothing else is said."""


def prompt_repository(store: Store) -> Prompts:
    """The prompts of a database beside the shipped ones."""
    return Prompts(store, PROMPTS)


def list_prompts(store: Store) -> list[PromptVersion]:
    """Every version, the shipped ones first."""
    return prompt_repository(store).all()


def list_usable_prompts(store: Store) -> list[PromptVersion]:
    """The versions that a judge can be asked with: about one claim, nothing of them erased."""
    return [version for version in list_prompts(store) if version.single and not version.erased]


def get_prompt(store: Store, ref: str) -> PromptVersion:
    """A version by its id, `name@version` or name, of which the newest comes.

    Raises:
        StoreError: There is no such prompt.
    """
    return prompt_repository(store).get(ref)


def has_examples(store: Store, prompt_id: str) -> bool:
    """Whether a prompt holds examples, which come from the train part."""
    return any(
        dict(version.prompt.values).get("examples")
        for version in list_prompts(store)
        if version.id == prompt_id
    )


def prompt_for_judge(database: Path, ref: str | None) -> Prompt | None:
    """The prompt that a judge is to ask by: id, `name@version`, or the newest of a name.

    None for no reference. A shipped prompt is found without a database. `strict+standalone@2`, as
    judgments name it, is `strict@2` that also asks for the claim as it stands alone.

    Raises:
        UsageError: There is no such prompt, or it can ask nothing.
    """
    if not ref or not ref.strip():
        return None
    reference = ref.strip()
    derived_from = without_standalone(reference)
    if derived_from is not None:
        base = prompt_for_judge(database, derived_from)
        return base and with_standalone(base)
    for shipped in PROMPTS:
        if reference in (shipped.id, shipped.title, shipped.name):
            return usable_prompt(PromptVersion(id=shipped.id, prompt=shipped, origin="shipped"))
    return usable_prompt(prompt_repository(Store(database)).get(reference))


def usable_prompt(version: PromptVersion) -> Prompt:
    """The prompt of a version, as a judge takes it.

    Raises:
        UsageError: Its examples were erased, or it does not ask about one claim.
    """
    if version.erased:
        raise UsageError(
            f"The examples of the prompt {version.title} were deleted with the output they came "
            f"from; select new ones for a new version."
        )
    if not version.single:
        raise UsageError(
            f"The prompt {version.title} asks about several claims at once; a judge needs one "
            "with {{passages}} and {{claim}}."
        )
    return version.prompt


def prompt_of_config(store: Store, config: Mapping[str, Json]) -> Prompt | None:
    """The prompt that a run was started with; None for the shipped default or none at all.

    Raises:
        UsageError: It is no longer there.
    """
    prompt_id = config.get("prompt")
    if not isinstance(prompt_id, str) or prompt_id == DEFAULT.id:
        return None
    return prompt_for_judge(store.path, prompt_id)


def write_prompt(
    store: Store,
    name: str,
    template: str,
    *,
    author: str,
    note: str = "",
    parent: str | None = None,
    values: Mapping[str, str] | None = None,
) -> PromptVersion:
    """The new version, or the one that says the same already.

    A template with `{{guide}}` gets the label guide as it stands now, one with `{{examples}}` those
    of the version that it was made from, unless `values` say otherwise.

    Raises:
        UsageError: The name, the template or a value cannot be used.
        StoreError: There is no such parent.
    """
    prompts = prompt_repository(store)
    variables = template_variables(template)
    variable_values = dict(values or {})
    above = prompts.get(parent) if parent else None
    items: tuple[tuple[str, str], ...] = ()
    if above is not None:
        for variable, value in above.prompt.values:
            if variable in variables and variable != "guide":
                variable_values.setdefault(variable, value)
        if "examples" in variables and variable_values.get("examples") == dict(
            above.prompt.values
        ).get("examples"):
            items = tuple(item_key(item) for item in above.items)
    if "guide" in variables and "guide" not in variable_values:
        guide = Guides(store).current()
        if guide is not None:
            variable_values["guide"] = guide.body
    return prompts.add(
        name, template, author=author, note=note, parent=parent, values=variable_values, items=items
    )


def changes(store: Store, first: str, second: str) -> PromptDiff:
    """What changed from one version to another.

    Raises:
        StoreError: There is no such prompt.
    """
    prompts = prompt_repository(store)
    return diff_prompts(prompts.get(first).prompt, prompts.get(second).prompt)


def item_key(item: str) -> tuple[str, str]:
    """Run and citation of an item's name."""
    run_id, _, citation_id = item.partition("/")
    return run_id, citation_id


PART = "train"
"""The only part that examples may come from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleSelection:
    """Examples, and what they were chosen from."""

    shots: tuple[FewShotExample, ...]
    corrections: int
    """Items of the train part on which people gave another label than the judge."""
    shared: int
    """Items of the train part that were left out: a question, page or claim of theirs stands in
    another part too."""

    @property
    def chars(self) -> int:
        """Of all examples together."""
        return len(examples_text(self.shots))

    def to_dict(self) -> JsonDict:
        """As shown before they are used."""
        return {
            "examples": [shot.to_dict() for shot in self.shots],
            "chars": self.chars,
            "corrections": self.corrections,
            "shared": self.shared,
        }


def sample_examples(
    store: Store,
    split_id: str,
    *,
    judge: JudgeKey | None = None,
    many: int = MANY,
    max_chars: int = MOST_CHARS,
    seed: int = 0,
    only_corrections: bool = False,
) -> ExampleSelection:
    """Examples from the train part, nothing kept yet; the same labels and seed give the same ones.

    Corrections come first, evenly over the labels; where a label has none, items on which people
    and the judge agree fill in. What shares its question, page or claim with another part is left
    out, so that dev and test stay new to the prompt.

    Args:
        store: Where.
        split_id: Whose train part.
        judge: Whose mistakes count; the verdicts of the runs where None.
        many: At most so many examples.
        max_chars: Of all examples together.
        seed: Of the choice.
        only_corrections: No others.

    Raises:
        UsageError: A bound makes no sense, or the train part holds nothing to choose.
    """
    if not 0 < many <= 50 or max_chars < 200:
        raise UsageError("Select 1 to 50 examples, with at least 200 characters in total.")
    repository = PredictionRepository(store)
    predictions = (
        repository.of_judge(judge, split_id, (PART,))
        if judge
        else repository.in_runs(split_id, (PART,))
    )
    shared = Splits(store).shared(split_id, PART)
    candidates = [
        candidate
        for candidate in (_candidate(prediction) for prediction in predictions)
        if candidate
    ]
    open_to = [candidate for candidate in candidates if candidate.item not in shared]
    offered = [candidate for candidate in open_to if candidate.corrected or not only_corrections]
    if not offered:
        what = "corrected verdict" if only_corrections else "labelled item with a verdict"
        raise UsageError(
            f"The train split contains no {what} to select an example from; label more, or run the "
            f"judge first."
        )
    loader = _Loader(store, split_id)
    return ExampleSelection(
        shots=select_examples(offered, loader.load, many=many, max_chars=max_chars, seed=seed),
        corrections=sum(candidate.corrected for candidate in candidates),
        shared=len(candidates) - len(open_to),
    )


def add_examples(
    store: Store,
    base: str,
    shots: Sequence[FewShotExample],
    *,
    name: str,
    author: str,
    note: str = "",
) -> PromptVersion:
    """The version of a prompt with these examples; the same ones again make no new version.

    Raises:
        UsageError: There are no examples, or the name or the prompt cannot be used.
        StoreError: There is no such prompt.
    """
    if not shots:
        raise UsageError("No example fits; allow more characters, or label more citations.")
    prompts = prompt_repository(store)
    above = prompts.get(base)
    prompt = usable_prompt(above)
    corrected = sum(shot.corrected for shot in shots)
    return prompts.add(
        name,
        with_examples(prompt.template),
        author=author,
        note=note or f"{len(shots)} examples, {corrected} of them corrections.",
        parent=above.id,
        values={**dict(prompt.values), "examples": examples_text(shots)},
        origin="examples",
        items=[item_key(shot.item) for shot in shots],
    )


def _candidate(prediction: Prediction) -> ExampleCandidate | None:
    for label in REPLY_LABELS:
        if prediction.human == label and not prediction.error:
            return ExampleCandidate(
                item=prediction.item,
                group=prediction.group,
                label=label,
                corrected=prediction.label != prediction.human,
            )
    return None


class _Loader:
    """Reads an item's texts when it is its turn."""

    def __init__(self, store: Store, split_id: str) -> None:
        self._examples = Examples(store)
        within = ItemFilter(split=split_id, parts=(PART,))
        self._keys: Mapping[str, tuple[str, str, int, int]] = {
            f"{key[0]}/{key[1]}": key for key in self._examples.keys(within=within)
        }

    def load(self, candidate: ExampleCandidate) -> FewShotExample | None:
        """The example; None where the claim or the source's text is gone."""
        key = self._keys.get(candidate.item)
        example = next(self._examples.read([key]), None) if key else None
        if example is None or not example.source_text or example.row.result.citation.claim is None:
            return None
        gold = example.row.gold
        notes = [label.note for label in example.row.labels if gold and label.label == gold.label]
        return build_example(
            candidate,
            example.row.result.citation.claim.text.strip(),
            example.source_text,
            context=example.context,
            reason=next((note for note in reversed(notes) if note.strip()), ""),
        )
