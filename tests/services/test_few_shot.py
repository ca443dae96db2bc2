"""Few-shot examples from the train part alone, and the version that they become."""

import json
import shutil

import pytest

from tests.fakes.labelled import Given, add_run
from workbench.errors import UsageError
from workbench.interfaces.cli import main
from workbench.services.calibration.measurement import ensure_split
from workbench.services.prompts import add_examples, sample_examples
from workbench.store.admin.erasure import Erasures
from workbench.store.evaluation.predictions import PredictionRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.prompts import Prompts
from workbench.store.store import Store

LABELS = ("supported", "partially_supported", "not_supported", "contradicted")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Twenty-four outputs of two items each; of every output the judge gets one item wrong."""
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for number in range(24):
        truth = LABELS[number % 4]
        wrong = "not_supported" if truth == "supported" else "supported"
        citations = [
            Given(verdict=wrong, people=(("Ada", truth),)),
            Given(verdict=truth, people=(("Ada", truth),)),
        ]
        add_run(store, f"r{number}", citations, claim=f"Claim {number}")
    return store.path


@pytest.fixture
def store(built, tmp_path):
    shutil.copy(built, tmp_path / "w.duckdb")
    return Store(tmp_path / "w.duckdb")


def test_examples_are_corrections_of_the_train_part_evenly_over_labels(store):
    split = ensure_split(store, "Ada")
    train = PredictionRepository(store).labels(split.id, ["train"])
    examples = sample_examples(store, split.id, many=8)
    assert len(examples.shots) == 8
    assert {example.item for example in examples.shots} <= set(train)
    assert all(example.corrected for example in examples.shots)
    assert sorted(example.label for example in examples.shots) == sorted(LABELS * 2)
    assert len({example.item.partition("/")[0] for example in examples.shots}) == 8
    assert examples.corrections == len(train) / 2
    assert sample_examples(store, split.id, many=8) == examples
    assert sample_examples(store, split.id, many=8, seed=1) != examples
    for shot in examples.shots:
        run_id, _, citation_id = shot.item.partition("/")
        result = next(
            result
            for result in store.get_run(run_id).citations
            if result.citation.id == citation_id
        )
        assert result.citation.claim.text.strip() in shot.text
        assert f"Label: {shot.label}" in shot.text


def test_examples_stay_within_their_characters(store):
    split = ensure_split(store, "Ada")
    short = sample_examples(store, split.id, many=50, max_chars=600)
    assert 0 < short.chars <= 600
    assert sample_examples(store, split.id, many=50, max_chars=20_000).chars > 600


def test_nothing_that_stands_in_another_part_becomes_an_example(store):
    split = ensure_split(store, "Ada")
    train = PredictionRepository(store).labels(split.id, ["train"])
    every = sample_examples(store, split.id, many=50, max_chars=100_000)
    # the claim of one train item is now in dev as well, the source of another in test
    items = [example.item.partition("/") for example in every.shots[:2]]
    with store.transaction() as connection:
        for (run_id, _, citation_id), part, column in zip(
            items, ("dev", "test"), ("claim", "source_sha256"), strict=True
        ):
            connection.execute(
                f"update verdicts set {column} = (select {column} from verdicts where run_id = ? "
                "and citation_id = ?) where (run_id, citation_id) in (select (run_id, citation_id) "
                "from split_items where part = ? limit 1)",
                [run_id, citation_id, part],
            )
    examples = sample_examples(store, split.id, many=50, max_chars=100_000)
    assert examples.shared == 2
    shared_items = {"/".join((run_id, citation_id)) for run_id, _, citation_id in items}
    assert not shared_items & {example.item for example in examples.shots}
    assert Splits(store).shared(split.id, "train") == shared_items <= set(train)


def test_they_become_a_version_that_knows_where_they_came_from(store):
    split = ensure_split(store, "Ada")
    examples = sample_examples(store, split.id)
    version = add_examples(store, "strict", examples.shots, name="shots", author="Ada")
    assert (version.origin, version.title, version.note) == (
        "examples", "shots@1", "6 examples, 6 of them corrections.",
    )  # fmt: skip
    assert version.items == tuple(example.item for example in examples.shots)
    assert add_examples(store, "strict", examples.shots, name="shots", author="Bob") == version
    other = sample_examples(store, split.id, seed=3)
    second = add_examples(store, "shots@1", other.shots, name="shots", author="Ada")
    assert (second.title, second.prompt.template) == ("shots@2", version.prompt.template)
    erasures = Erasures(store)
    erasures.erase(erasures.output_of(version.items[0].partition("/")[0]), "Ada", "mistake")
    assert Prompts(store).get("shots@1").erased
    with pytest.raises(UsageError, match="examples of the prompt shots@1 were deleted"):
        add_examples(store, "shots@1", other.shots, name="more", author="Ada")


def test_from_the_command_line_they_are_shown_or_kept(store, capsys):
    ask = ["prompts", "examples", "strict", "--json", "--db", str(store.path), "--many", "4"]
    assert main(ask) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["prompt"] is None
    assert len(printed["examples"]) == 4
    assert main([*ask, "--name", "shots", "--by", "Ada"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["prompt"]["title"] == "shots@1"
    assert printed["prompt"]["values"]["examples"].count("<example id=") == 4
    assert main([*ask, "--many", "0"]) == 2
    assert "1 to 50" in capsys.readouterr().err


def test_without_labels_or_corrections_it_says_so(tmp_path, capsys):
    store = Store(tmp_path / "w.duckdb")
    ask = ["prompts", "examples", "strict", "--db", str(store.path)]
    assert main(ask) == 2
    assert "import labels" in capsys.readouterr().err
    for number in range(3):
        add_run(store, f"r{number}", [Given()])
    assert main([*ask, "--only-corrections"]) == 2
    assert "no corrected verdict" in capsys.readouterr().err
