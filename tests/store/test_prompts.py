"""Prompts in versions: written, found, told apart, refused in a sentence."""

import json
import threading

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import records as make
from tests.fakes.labelled import Given, add_run
from workbench.errors import StoreError, UsageError
from workbench.judging.prompts import PROMPTS, STRICT, ask, render
from workbench.records.evaluation import JudgeKey
from workbench.records.prompts import checked_prompt, template_parts
from workbench.store.admin.erasure import Erasures
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.prompts import Prompts
from workbench.store.store import Store, read_migrations

PLAIN = "Judge the claim.\n=====\n{{passages}}\n\n{{claim}}"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


@pytest.fixture
def prompts(store):
    return Prompts(store, PROMPTS)


def test_shipped_prompts_stand_beside_stored_ones(prompts):
    version = prompts.add("mine", PLAIN, author="Ada", note="shorter", parent="strict")
    assert [version.title for version in prompts.all()] == [
        "strict@1",
        "strict@2",
        "strict@3",
        "parts@1",
        "together@1",
        "together@2",
        "together@3",
        "parts-together@1",
        "mine@1",
    ]
    assert [version.origin for version in prompts.all()] == [*["shipped"] * 8, "written"]
    assert (version.parent, version.author, version.note) == (STRICT.id, "Ada", "shorter")
    assert version.id == version.prompt.id
    assert prompts.names() == ["strict", "parts", "together", "parts-together", "mine"]


def test_versions_count_up_and_are_found_by_every_name(prompts):
    first = prompts.add("mine", PLAIN, author="Ada")
    second = prompts.add("mine", PLAIN.replace("Judge", "Weigh"), author="Ada", parent="mine@1")
    assert [version.title for version in prompts.history("mine")] == ["mine@2", "mine@1"]
    for ref, expected in (
        ("mine", second),
        ("mine@1", first),
        ("mine@2", second),
        (first.id, first),
        (" mine ", second),
    ):
        assert prompts.get(ref) == expected
    assert second.parent == first.id


def test_the_same_template_again_gives_the_version_there_is(prompts):
    first = prompts.add("mine", PLAIN, author="Ada")
    prompts.add("mine", PLAIN.replace("Judge", "Weigh"), author="Ada")
    again = prompts.add("mine", PLAIN.replace("\n", "\r\n") + "\n", author="Bob", note="mine too")
    assert again == first
    assert len(prompts.history("mine")) == 2


def test_values_make_another_version_with_another_hash(prompts):
    template = PLAIN.replace("Judge the claim.", "Judge the claim.\n{{examples}}")
    bare = prompts.add("shots", template, author="Ada")
    with_examples = prompts.add(
        "shots", template, author="Ada", values={"examples": "One {{claim}}."}
    )
    assert (bare.title, with_examples.title) == ("shots@1", "shots@2")
    assert bare.prompt.sha256 != with_examples.prompt.sha256
    assert prompts.get("shots").prompt.values == (("examples", "One {{claim}}."),)
    system, message = ask(with_examples.prompt, "A claim", [])
    assert system == "Judge the claim.\nOne {{claim}}."
    assert "A claim" in message
    assert ask(bare.prompt, "A claim", [])[0] == "Judge the claim.\n"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("", "0 lines ====="),
        ("Judge.\n\n{{passages}} {{claim}}", "0 lines ====="),
        (PLAIN + "\n=====\nmore", "2 lines ====="),
        ("\n=====\n{{passages}}{{claim}}", "needs exactly one"),
        ("  \n=====\n{{passages}}{{claim}}", "There is nothing above"),
        ("Judge.\n=====\n{{claim}}", "lacks {{passages}} below"),
        ("Judge.\n=====\n{{passages}} { {claim} }", "lacks {{claim}} below"),
        ("Judge {{claim}}.\n=====\n{{passages}}", "lacks {{claim}} below"),
        ("Judge {{claim}}.\n=====\n{{passages}}{{claim}}", "{{claim}} is above"),
        (PLAIN + "{{clam}} {{tone}}", "names {{clam}}, {{tone}} without a value"),
        (PLAIN + "x" * 40_000, "40,0"),
        (PLAIN + "\x00", "U+0000"),
        ("\x7fELF\x02" + PLAIN, "control character"),
    ],
)
def test_a_template_that_cannot_ask_gets_a_sentence(prompts, template, message):
    with pytest.raises(UsageError, match=r".") as refused:
        prompts.add("mine", template, author="Ada")
    assert message in str(refused.value)
    assert len(prompts.all()) == len(PROMPTS)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tone": "calm"}, "{{tone}}, which does not stand in the template"),
        ({"claim": "x"}, "{{claim}}, which is filled in by each question"),
    ],
)
def test_a_value_without_a_place_gets_a_sentence(prompts, values, message):
    with pytest.raises(UsageError) as refused:
        prompts.add("mine", PLAIN, author="Ada", values=values)
    assert message in str(refused.value)


@pytest.mark.parametrize("name", ["", "strict", "Together", "a b", "a@1", "../x", "x" * 61, "é"])
def test_a_name_that_is_taken_or_odd_gets_a_sentence(prompts, name):
    with pytest.raises(UsageError):
        prompts.add(name, PLAIN, author="Ada")


def test_what_is_not_there_names_what_is(prompts):
    for ref in ("nobody", "strict@9", "", "strict@1:000000000000"):
        with pytest.raises(
            StoreError,
            match="known are parts-together@1, parts@1, strict@1, strict@2, strict@3, together@1",
        ):
            prompts.get(ref)
    with pytest.raises(StoreError):
        prompts.add("mine", PLAIN, author="Ada", parent="nobody")
    with pytest.raises(UsageError, match="name"):
        prompts.add("mine", PLAIN, author=" ")


@given(st.text(max_size=200), st.text(max_size=80))
def test_any_text_is_taken_whole_or_refused_in_a_sentence(above, value):
    template = f"Judge. {above}\n=====\n{{{{passages}}}} {{{{claim}}}} {{{{tone}}}}"
    try:
        prompt = checked_prompt("mine", 1, template, {"tone": value})
    except UsageError as refused:
        assert str(refused).endswith(".")
        return
    assert prompt.id == prompt.id.encode().decode()
    assert len(template_parts(prompt.template)) == 2
    system, message = render(prompt, {"passages": "P", "claim": "{{passages}}"})
    assert "{{passages}}" in message
    assert system.startswith("Judge.")


def test_ten_writers_at_once_get_ten_versions(store):
    def write(number):
        Prompts(store).add("mine", PLAIN.replace("Judge", f"Judge {number}"), author="Ada")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [version.prompt.version for version in Prompts(store).history("mine")] == list(
        range(10, 0, -1)
    )


def test_erasing_an_output_takes_the_examples_that_were_drawn_from_it(store):
    add_run(store, "r1", [Given()])
    add_run(store, "r2", [Given()])
    template = PLAIN.replace("claim.", "claim. {{examples}}")
    prompts = Prompts(store)
    erased = prompts.add(
        "shots", template, author="Ada", values={"examples": "Quellwasser"}, items=[("r1", "c0")]
    )
    unrelated = prompts.add(
        "shots", template, author="Ada", values={"examples": "Brunnen"}, items=[("r2", "c0")]
    )
    erasures = Erasures(store)
    erasures.erase(erasures.output_of("r1"), "Ada", "personal_data")
    erasures.rewrite()
    assert prompts.get(erased.id).erased
    assert prompts.get(erased.id).prompt.values == ()
    assert prompts.get(unrelated.id) == unrelated
    assert b"Quellwasser" not in store.path.read_bytes()


def test_runs_of_one_judge_are_told_apart_by_their_prompt(store):
    spec = "openai:gpt-4o-mini"
    add_run(store, "r1", [Given()], judge=(spec,), config={"prompt": STRICT.id})
    add_run(store, "r2", [Given(), Given()], judge=(spec,), config={"prompt": "mine@1:abc"})
    panel = ("local", spec)
    add_run(
        store, "r3", [Given()], judge=panel, config={"prompt": "mine@1:abc", "panel": "cascade"}
    )
    add_run(
        store, "r4", [Given()], judge=panel, config={"prompt": "mine@1:abc", "panel": "majority"}
    )
    judges = dict(EvaluationRepository(store).judges())
    assert judges == {
        JudgeKey(specs=(spec,), prompt=STRICT.id): 1,
        JudgeKey(specs=(spec,), prompt="mine@1:abc"): 2,
        JudgeKey(specs=panel, prompt="mine@1:abc", rule="cascade"): 1,
        JudgeKey(specs=panel, prompt="mine@1:abc"): 1,
    }
    assert sorted(judge.description for judge in judges) == [
        "local + openai:gpt-4o-mini (cascade) with mine@1",
        "local + openai:gpt-4o-mini with mine@1",
        "openai:gpt-4o-mini",
        "openai:gpt-4o-mini with mine@1",
    ]
    assert all(JudgeKey.of(judge.name, judge.prompt) == judge for judge in judges)


@pytest.mark.reopens
def test_earlier_runs_get_the_prompt_that_their_judgments_name(tmp_path):
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table migrations (name varchar primary key, applied_at timestamptz)"
        )
        for name, statements in read_migrations():
            if name < "m009":
                connection.execute(statements)
                connection.execute("insert into migrations values (?, now())", [name])
        for run_id, config in (("a", "{}"), ("b", '{"threshold": {"id": "t1"}}'), ("c", "{}")):
            connection.execute(
                "insert into runs values (?, 'o', '', now(), '[]', ?, '[]', '[]', '[]', 1)",
                [run_id, config],
            )
            prompt = None if run_id == "c" else STRICT.id
            judgment = make.judgment(prompt=prompt, rationale='"prompt": "no@1" \ud800')
            record = json.dumps(make.result(1, judgments=(judgment,)).to_dict())
            connection.execute(
                "insert into verdicts (run_id, citation_id, position, kind, status, verdict, "
                "record, created_at, version, judges_differ) "
                "values (?, 'c1', 0, 'url', 'ok', 'supported', ?, now(), 1, false)",
                [run_id, record],
            )
    Store(path).row_counts()
    with duckdb.connect(str(path)) as connection:
        rows = connection.execute("select id, config from runs order by id").fetchall()
    assert {run_id: json.loads(config) for run_id, config in rows} == {
        "a": {"prompt": STRICT.id},
        "b": {"threshold": {"id": "t1"}, "prompt": STRICT.id},
        "c": {},
    }
