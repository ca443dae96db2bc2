"""Claims rewritten to stand alone: the request to models, and what is kept of the reply."""

import asyncio
import json

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.judging.batch import BatchItem, collect_batch, submit_batch
from workbench.judging.joint_calls import judge_jointly
from workbench.judging.joint_verdicts import joint_judgment
from workbench.judging.judge import judgment_key, worst_cost_of
from workbench.judging.judge_factory import open_judge, open_judges, standalone_claim
from workbench.judging.llm import LlmJudge
from workbench.judging.prompts import (
    PROMPTS,
    STRICT,
    STRICT_1,
    TOGETHER_1,
    ask,
    find_prompt,
    joint_prompt,
)
from workbench.judging.reply import (
    LONGEST_STANDALONE,
    asks_standalone,
    with_standalone,
    without_standalone,
)
from workbench.records.context import JudgeContext
from workbench.records.prompts import checked_prompt
from workbench.records.source import Passage
from workbench.records.text import Span
from workbench.records.verdict import Judgment

BOTH = ["anthropic:claude-haiku-4-5", "openai:gpt-4o-mini"]
CLAIM = "It was opened in 1913."
REWRITTEN = "The Ostrau bridge was opened in 1913."
SOURCE = "The Ostrau bridge was opened in 1913."
CONTEXT = JudgeContext(before="The Ostrau bridge crosses the river.")
PASSAGES = [Passage(span=Span(0, len(SOURCE)), text=SOURCE)]
OWN = checked_prompt("mine", 3, "Judge it.\n=====\n{{passages}}\n{{claim}}")


@pytest.fixture
def server(monkeypatch):
    reply = verdict(quote=SOURCE, standalone=REWRITTEN)
    with FakeProvider(lambda request: Answer(text=reply)) as fake:
        for name in ("ANTHROPIC", "OPENAI"):
            monkeypatch.setenv(f"{name}_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


def opened(spec, prompt=None):
    (judge,) = open_judges([spec], prompt, standalone=True)
    return judge


def schema_of(request):
    """The JSON schema that a request demands."""
    if request.api == "messages":
        return request.body["output_config"]["format"]["schema"]
    return request.body["response_format"]["json_schema"]["schema"]


@pytest.mark.parametrize("prompt", [STRICT, STRICT_1, OWN], ids=lambda p: p.title)
def test_a_derived_prompt_is_another_one_and_shows_the_context(prompt):
    derived = with_standalone(prompt)
    assert derived.id != prompt.id
    assert derived.title == f"{prompt.name}+standalone@{prompt.version}"
    assert derived.sha256 != prompt.sha256
    assert with_standalone(derived) == derived
    assert without_standalone(derived.id) == without_standalone(derived.title) == prompt.title
    assert without_standalone(prompt.id) is None
    system, message = ask(derived, CLAIM, PASSAGES, CONTEXT)
    assert "- standalone: the claim rewritten" in system
    assert message.count("The Ostrau bridge crosses the river.") == 1
    assert message.index("<context>") < message.index("<claim>")


def test_no_shipped_prompt_asks_for_a_rewriting_by_itself():
    assert [prompt.title for prompt in PROMPTS if asks_standalone(prompt)] == []
    assert find_prompt("strict") == STRICT


@pytest.mark.parametrize("spec", BOTH)
def test_the_rewriting_comes_with_the_verdict_in_one_call(server, spec):
    judgment = opened(spec).judge(CLAIM, PASSAGES, CONTEXT)
    (request,) = server.requests
    schema = schema_of(request)
    assert list(schema["properties"])[0] == "standalone"
    assert "standalone" in schema["required"]
    assert (judgment.label, judgment.standalone) == ("supported", REWRITTEN)
    assert judgment.prompt == with_standalone(STRICT).id


@pytest.mark.parametrize("spec", BOTH)
def test_without_the_switch_nothing_of_it_is_asked_or_kept(server, spec):
    judgment = open_judge(spec).judge(CLAIM, PASSAGES, CONTEXT)
    (request,) = server.requests
    assert "standalone" not in request.prompt
    assert "standalone" not in schema_of(request)["properties"]
    assert judgment.standalone is None
    assert "standalone" not in judgment.to_dict()


@pytest.mark.parametrize(
    "rewriting, expected",
    [
        (REWRITTEN, REWRITTEN),
        ("  Two\n lines ", "Two lines"),
        ("", None),
        (" \n", None),
        (None, None),
        (["a list"], None),
        ({"a": 1}, None),
        (7, None),
        ("桥" * LONGEST_STANDALONE, "桥" * LONGEST_STANDALONE),
        ("桥" * (LONGEST_STANDALONE + 1), None),
    ],
)
def test_a_rewriting_that_cannot_be_used_leaves_the_verdict_as_it_is(server, rewriting, expected):
    server.queue(Answer(text=verdict(quote=SOURCE, standalone=rewriting)))
    judgment = opened("openai:gpt-4o-mini").judge(CLAIM, PASSAGES, CONTEXT)
    assert (judgment.label, judgment.standalone) == ("supported", expected)


def test_a_missing_rewriting_leaves_the_verdict_as_it_is(server):
    server.queue(Answer(text=verdict(quote=SOURCE)))
    judgment = opened("openai:gpt-4o-mini").judge(CLAIM, PASSAGES, CONTEXT)
    assert (judgment.label, judgment.standalone) == ("supported", None)


@pytest.mark.parametrize("prompt", [STRICT, STRICT_1], ids=lambda p: p.title)
def test_a_joint_call_rewrites_every_claim(server, prompt):
    claims = [CLAIM, "That year a mill closed."]
    rewritten = [REWRITTEN, None]
    judgment = json.loads(verdict(quote=SOURCE))
    judgments = [
        {"claim": number, **judgment, **({"standalone": text} if text else {})}
        for number, text in enumerate(rewritten, 1)
    ]
    server.queue(Answer(text=json.dumps({"judgments": judgments})))

    async def jointly():
        judge = opened("openai:gpt-4o-mini", prompt)
        contexts = [CONTEXT, JudgeContext(before="1913 was a dry year.")]
        judgments = await judge_jointly(judge, claims, PASSAGES, contexts)
        await judge.aclose()
        return judgments

    batch = asyncio.run(jointly())
    (request,) = server.requests
    assert [judgment.standalone for judgment in batch] == rewritten
    items = schema_of(request)["properties"]["judgments"]["items"]
    assert {"claim", "standalone"} <= set(items["required"])
    assert request.prompt.count("- standalone:") == 1
    assert "1913 was a dry year." in request.prompt.split('<context id="2">')[1]
    assert batch[0].prompt == joint_prompt(with_standalone(prompt)).id


def test_the_joint_prompts_are_derived_in_the_same_way():
    assert joint_prompt(with_standalone(STRICT_1)) == with_standalone(TOGETHER_1)
    assert joint_prompt(with_standalone(OWN)) is None


@pytest.mark.parametrize("spec", BOTH)
def test_a_batch_rewrites_as_single_calls_do(server, spec):
    async def ask_both_ways():
        judge = opened(spec)
        item = BatchItem(id="a", claim=CLAIM, passages=tuple(PASSAGES), context=CONTEXT)
        ticket = await submit_batch(judge, [item])
        judgments = await collect_batch(judge, ticket, [item])
        await judge.aclose()
        return judgments["a"]

    assert asyncio.run(ask_both_ways()).standalone == REWRITTEN


def test_the_longer_prompt_and_reply_are_in_the_worst_cost(server):
    plain = open_judge("openai:gpt-4o-mini")
    asking = opened("openai:gpt-4o-mini")
    question, longer = (judge.question(CLAIM, PASSAGES, CONTEXT) for judge in (plain, asking))
    assert longer.max_tokens - question.max_tokens >= 120
    costs = [worst_cost_of(judge, CLAIM, PASSAGES, CONTEXT) for judge in (plain, asking)]
    assert costs[0] < costs[1]
    wide = "他们在那一年又开放了它。" * 20
    assert asking.question(wide, PASSAGES).max_tokens > longer.max_tokens


def test_a_kept_judgment_without_a_rewriting_is_no_answer_to_the_question(server):
    keys = {
        judgment_key(judge, CLAIM, PASSAGES, CONTEXT)
        for judge in (open_judge("openai:gpt-4o-mini"), opened("openai:gpt-4o-mini"))
    }
    assert len(keys) == 2


def test_an_open_judge_is_asked_for_it_as_well(server):
    judge = LlmJudge("openai:x", open_judge("openai:gpt-4o-mini").provider, None, prompt=OWN)
    assert standalone_claim(judge).prompt == with_standalone(OWN)
    local = open_judge("local")
    assert standalone_claim(local) is local


def test_judges_that_are_no_language_models_are_asked_as_ever():
    (judge,) = open_judges(["local"], standalone=True)
    assert judge.judge(CLAIM, PASSAGES, CONTEXT).standalone is None


def _judgment(**fields):
    facts = {"label": "supported", "confidence": 0.9, "score": 0.9, "rationale": "", "judge": "x"}
    return Judgment(**facts | fields)


def test_a_panel_keeps_the_rewriting_of_the_judge_that_gave_one():
    judgments = [_judgment(judge="local"), _judgment(standalone=REWRITTEN)]
    assert joint_judgment(judgments).standalone == REWRITTEN
    dissent = _judgment(label="not_supported", standalone=REWRITTEN)
    assert joint_judgment([*judgments[:1], _judgment(), dissent]).standalone == REWRITTEN


def test_a_judgment_gives_its_rewriting_back_from_its_json():
    judgment = _judgment(standalone=REWRITTEN)
    assert Judgment.from_dict(judgment.to_dict()) == judgment
    assert Judgment.from_dict(_judgment().to_dict()).standalone is None


def test_a_key_in_a_rewriting_is_masked(server, monkeypatch):
    leaked = "sk-test-0123456789abcdef"
    server.queue(Answer(text=verdict(quote=SOURCE, standalone=f"The key {leaked} was opened.")))
    judgment = opened("openai:gpt-4o-mini").judge(CLAIM, PASSAGES, CONTEXT)
    assert judgment.standalone == "The key [key] was opened."
