"""The prompts of a database with those that are shipped: found, written, and made ready to ask."""

from collections.abc import Mapping
from pathlib import Path

from workbench.errors import UsageError
from workbench.judging.prompts import PROMPTS, STRICT, diff_prompts
from workbench.judging.reply import with_standalone, without_standalone
from workbench.records.optimization import PromptDiff
from workbench.records.prompts import Prompt, PromptVersion, template_variables
from workbench.records.text import Json
from workbench.store.labels.guides import Guides
from workbench.store.prompts.repository import Prompts
from workbench.store.store import Store

__all__ = ["PROMPTS", "diff_prompts"]

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
