"""What the Prompts page says: versions, text that is no markup, drafts, estimates."""

from datetime import UTC, datetime

import pytest

from workbench.experiments.judge_items import JudgingCost
from workbench.interfaces.web.prompts.text import (
    diff_html,
    draft_fault,
    draft_text,
    name_fault,
    version_html,
    versions_table,
)
from workbench.interfaces.web.prompts.trial import attempts_table, judges_text, total_text
from workbench.judging.prompts import PROMPTS, STRICT, diff_prompts
from workbench.records.prompts import PromptVersion, checked_prompt
from workbench.services.labelled_judging import JudgeConfig, TrialEstimate, contenders

GOOD = "Judge it.\n=====\n{{passages}}\n{{claim}}"
HOSTILE = "<img src=x onerror='window.broken=1'> :red[x] $x$ {{passages}}"


def version(template=GOOD, **fields):
    prompt = checked_prompt("mine", fields.pop("number", 1), template, fields.pop("values", None))
    fields = {"origin": "written", "id": prompt.id, **fields}
    return PromptVersion(prompt=prompt, **fields)


def estimate(specs=("local",), missing=3, **guess):
    guess = {"items": missing, "cost_usd": 0.0, "usual_usd": 0.0, "seconds": 2.0, **guess}
    prompt = STRICT if "openai" in specs[0] else None
    return TrialEstimate(
        judge=JudgeConfig(specs=specs, prompt=prompt), missing=missing, guess=JudgingCost(**guess)
    )


def test_each_version_leads_to_its_text_and_the_chosen_one_says_so():
    written = version(
        author="Ada",
        note="shorter",
        parent=STRICT.id,
        created_at=datetime(2026, 3, 1, 9, 5, tzinfo=UTC),
    )
    shipped = PromptVersion(id=STRICT.id, prompt=STRICT, origin="shipped")
    first, second = versions_table([shipped, written], written.id).rows
    assert [cell.text for cell in second] == [
        "mine@1", "Written", "Ada", "2026-03-01 09:05", "shorter", "strict@3",
        written.prompt.sha256[:12],
    ]  # fmt: skip
    assert first[0].link.query == {"prompt": "strict@3"}
    assert (first[0].more, second[0].more) == ("", "shown below")


def test_a_template_is_shown_as_text_with_its_variables_set_off():
    html = version_html(version(f"System.\n=====\n{HOSTILE}\n{{{{claim}}}}", note=HOSTILE))
    assert "<img" not in html
    assert html.count("&lt;img src=x") == 2
    assert '<b class="wb-variable">{{claim}}</b>' in html


def test_a_diff_marks_lines_by_sign_and_says_where_nothing_differs():
    prompt_before, prompt_after = (
        version().prompt,
        version(GOOD.replace("it.", "<it> well."), number=2).prompt,
    )
    html = diff_html(diff_prompts(prompt_before, prompt_after))
    assert "1 line added, 1 line removed." in html
    assert "Judge &lt;it&gt; well." in html
    assert html.count('class="sign" aria-hidden="true">+') == 1
    assert diff_html(diff_prompts(prompt_before, prompt_before)) == "<p>No differences.</p>"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (GOOD, ""),
        (GOOD + "\n{{examples}}{{guide}}", ""),
        (GOOD.replace("{{claim}}", ""), "The template lacks {{claim}} below the line ====="),
        (GOOD.replace("{{passages}}", "{{pasages}}"), "lacks {{passages}}"),
        (GOOD + "{{tone}}", "names {{tone}} without a value"),
        ("{{passages}} {{claim}}", "has 0 lines ====="),
        ("", "has 0 lines ====="),
        (GOOD + "\x00", "control character U+0000"),
        (GOOD + "\ud800", ""),
        ("ا" * 50_000, "50,000 characters"),
    ],
)
def test_a_draft_is_told_in_one_sentence_what_is_wrong_with_it(template, message):
    fault = draft_fault(template, None)
    assert message in fault if message else not fault
    assert "\n" not in fault


def test_a_variable_with_a_value_in_the_version_before_is_known():
    parent = version(GOOD + "{{tone}}", values={"tone": "calm"}).prompt
    assert draft_fault(GOOD + " {{tone}}", parent) == ""
    assert draft_fault(GOOD + " {{tone}}", None) != ""


def test_a_good_draft_says_what_it_holds():
    complete = GOOD.replace("{{claim}}", "{{source}}{{context}}{{claim}}")
    beginning = "Ready to save: 4 lines, variables {{passages}}, "
    assert draft_text(complete) == f"{beginning}{{{{source}}}}, {{{{context}}}}, {{{{claim}}}}."
    assert draft_text(GOOD).startswith(
        f"{beginning}{{{{claim}}}}. Without {{{{source}}}}, it does not"
    )
    assert "Without {{context}}, it does not say" in draft_text(GOOD)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine", ""),
        ("", "Enter a name"),
        ("a b", "is not a valid prompt name"),
        ("Strict", "is built in"),
    ],
)
def test_a_name_is_told_what_is_wrong_with_it(name, message):
    fault = name_fault(name, [prompt.name for prompt in PROMPTS])
    assert message in fault if message else not fault


def test_judges_without_a_prompt_are_asked_once_and_panels_as_one():
    versions = [version(), version(GOOD + ".", number=2)]
    names = [
        contender.name for contender in contenders(versions, ["local", "openai:m", "local", " "])
    ]
    assert [(contender.name, contender.prompt[:6]) for contender in names] == [
        ("local", ""), ("openai:m", "mine@1"), ("openai:m", "mine@2"),
    ]  # fmt: skip
    panel = contenders(versions[:1], ["local", "openai:m"], together=True, rule="unanimous")
    assert [contender.name.name for contender in panel] == ["local + openai:m (unanimous)"]
    assert contenders(versions, []) == ()


def test_what_asking_takes_stands_in_a_table_and_a_sentence():
    paid = estimate(("openai:m",), 12, cost_usd=0.5, usual_usd=0.2, seconds=150.0)
    free = estimate(missing=3)
    sentence = total_text([paid, free], ("dev",))
    assert "15 questions on labelled examples of dev, at most $0.50, about 3 min." in sentence
    rows = attempts_table([paid, free]).rows
    assert [cell.text for cell in rows[0]] == [
        "openai:m",
        "strict@3",
        "12",
        "$0.20",
        "$0.50",
        "2 min",
    ]
    assert [cell.text for cell in rows[1]][1] == "takes no prompt"
    assert judges_text([paid.judge, free.judge]) == "openai:m with strict@3, local"
    assert judges_text([free.judge] * 5) == "local, local, local and 2 more"


@pytest.mark.parametrize(
    ("estimates", "sentence"),
    [
        ([estimate(missing=1)], "1 question on labelled examples of train + dev, at no cost"),
        ([estimate(missing=0)], "local has judged all labelled examples of train + dev; Compare"),
        ([estimate(("openai:new",), cost_usd=None, usual_usd=None)], "at an unknown price"),
        ([TrialEstimate(judge=JudgeConfig(specs=("openai:m",)), missing=3, guess=None,
                        fault="No key.")],
         "openai:m with strict@3 cannot be used here"),
        ([estimate(missing=0), TrialEstimate(judge=JudgeConfig(specs=("openai:m",)), missing=3,
                                             guess=None, fault="No key.")],
         "openai:m with strict@3 cannot be used here"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_cannot_be_known_or_asked(estimates, sentence):
    assert sentence in total_text(estimates, ("train", "dev"))
