"""The claim as the source bears it out: what judges propose, and what is dropped."""

import asyncio
import json

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.judging.joint_calls import judge_jointly
from workbench.judging.joint_verdicts import joint_judgment
from workbench.judging.judge_factory import open_judge
from workbench.judging.prompts import STRICT_2, find_prompt
from workbench.judging.proposals import accept_proposal, formatted_like
from workbench.language.quantities import find_quantities
from workbench.records.corrections import apply_edits
from workbench.records.source import Passage
from workbench.records.text import Span

BOTH = ["anthropic:claude-haiku-4-5", "openai:gpt-4o-mini"]
SOURCE = "The Ostrau bridge was opened in 1912 by Mayor Alma Reuter."
CLAIM = "The Ostrau bridge was opened in 1913 by Mayor Alma Reuter [1]."
CORRECTED = "The Ostrau bridge was opened in 1912 by Mayor Alma Reuter."


def passages(text=SOURCE):
    return [Passage(span=Span(0, len(text)), text=text)]


def local(claim, source):
    return open_judge("local").judge(claim, passages(source)).proposed_correction


# -- the embedded judge: one number, date or name ------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "source", "corrected"),
    [
        ("The bridge opened in 1913 [1].", "The bridge opened in 1912 to great crowds.",
         "The bridge opened in 1912 [1]."),
        ("The bridge opened in 1913 [1].", "The bridge opened in 1912 after two years of work.",
         "The bridge opened in 1912 [1]."),
        # in the claim's own format
        ("The tunnel cost 3.5 million euros to build.", "The tunnel cost 4,200,000 euros to build.",
         "The tunnel cost 4.2 million euros to build."),
        ("The company employed 12,500 workers in Leeds.",
         "The company employed 13750 workers in Leeds.",
         "The company employed 13,750 workers in Leeds."),
        ("Unemployment fell by 13 percent in the region.",
         "Unemployment fell by 12% in the region.",
         "Unemployment fell by 12 percent in the region."),
        ("Twelve people were hurt in the fire at the mill.",
         "15 people were hurt in the fire at the mill.",
         "Fifteen people were hurt in the fire at the mill."),
        ("大桥于1913年建成通车。", "大桥于1912年建成通车。", "大桥于1912年建成通车。"),
        # a name between the same words
        ("Radium was discovered by Rutherford in Paris.",
         "Radium was discovered by Marie Curie in Paris.",
         "Radium was discovered by Marie Curie in Paris."),
    ],
)  # fmt: skip
def test_where_one_number_or_name_differs_the_sources_own_is_proposed(claim, source, corrected):
    proposal = local(claim, source)
    assert proposal.text == corrected
    assert proposal.judge == "local"
    assert apply_edits(claim, proposal.edits) == corrected
    (edit,) = proposal.edits
    assert f"where the claim gives {edit.span.of(claim)}." in proposal.why


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The bridge opened in 1912.", "The bridge opened in 1912."),
        # an estimate, a range, a decade, an ordinal
        ("About 500 people were hurt in the fire.", "About 700 people were hurt in the fire."),
        ("The bridge opened in 1913.", "The bridge opened in 1911–1912."),
        ("The style was born in the 1950s in Oslo.", "The style was born in the 1960s in Oslo."),
        # two things differ
        ("The bridge opened in 1913 in Leeds.", "The bridge opened in 1912 in Oslo."),
        ("The red bridge opened in 1913.", "The bridge opened in 1912."),
        # another unit, another place in the sentence
        ("The arch spans 503 metres of water.", "The arch spans 134 tons of water."),
        # the same measure in other units
        ("The tunnel is 4 km long.", "The tunnel is 4300 m long."),
        # part of a longer name
        ("She lives in News Corporation.", "She lives in New Zealand."),
        # not the same words
        ("The bridge opened in 1913.", "A census was taken in 1912."),
    ],
)
def test_in_doubt_nothing_is_proposed(claim, source):
    assert local(claim, source) is None


@pytest.mark.parametrize(
    ("claim", "value", "written"),
    [
        ("in 1913", 1912.0, "1912"),
        ("some 12,500 people", 1_250_000.0, "1,250,000"),
        ("it cost 3 million", 2_500_000.0, "2.5 million"),
        ("Seven men", 9.0, "Nine"),
        ("Seven men", 45.0, "45"),
        ("the 3rd man", 4.0, None),
        ("9 men", 123_456.0, None),
    ],
)
def test_a_value_is_written_as_the_claim_writes_its_number(claim, value, written):
    assert formatted_like(claim, find_quantities(claim)[0], value) == written


# -- language models -----------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch):
    reply = verdict("contradicted", quote="opened in 1912", corrected_claim=CORRECTED)
    with FakeProvider(lambda request: Answer(text=reply)) as fake:
        for name in ("ANTHROPIC", "OPENAI"):
            monkeypatch.setenv(f"{name}_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


def schema_of(request):
    if request.api == "messages":
        return request.body["output_config"]["format"]["schema"]
    return request.body["response_format"]["json_schema"]["schema"]


@pytest.mark.parametrize("spec", BOTH)
def test_a_model_proposes_in_the_call_that_judges(server, spec):
    judgment = open_judge(spec).judge(CLAIM, passages())
    (request,) = server.requests
    assert list(schema_of(request)["properties"])[-1] == "corrected_claim"
    assert "corrected_claim" in schema_of(request)["required"]
    proposal = judgment.proposed_correction
    # the marker that the model left out stays in the claim
    assert proposal.text == "The Ostrau bridge was opened in 1912 by Mayor Alma Reuter [1]."
    assert [(edit.span.of(CLAIM), edit.text) for edit in proposal.edits] == [("1913", "1912")]
    assert (proposal.judge, proposal.why) == (spec, "Because it says so.")
    assert judgment.prompt.startswith("strict@3:")


def test_an_earlier_prompt_asks_for_no_correction_and_takes_none(server):
    judge = open_judge(BOTH[0])
    judge.prompt = STRICT_2
    judgment = judge.judge(CLAIM, passages())
    (request,) = server.requests
    assert "corrected_claim" not in schema_of(request)["properties"]
    assert "corrected_claim" not in request.prompt
    assert judgment.proposed_correction is None
    assert "proposed_correction" not in judgment.to_dict()
    assert find_prompt("strict").version == 3


def test_claims_asked_about_together_have_their_own_corrections(server):
    fields = json.loads(verdict("contradicted", quote="opened in 1912"))
    server.queue(
        Answer(
            text=json.dumps(
                {
                    "judgments": [
                        {"claim": 1, **fields, "corrected_claim": CORRECTED},
                        {"claim": 2, **fields, "corrected_claim": ""},
                    ]
                }
            )
        )
    )
    judge = open_judge(BOTH[1])

    async def asked():
        try:
            return await judge_jointly(judge, [CLAIM, "It opened in 1920."], passages())
        finally:
            await judge.aclose()

    first, second = asyncio.run(asked())
    assert first.proposed_correction.text.endswith("in 1912 by Mayor Alma Reuter [1].")
    assert second.proposed_correction is None


@pytest.mark.parametrize(
    "proposed",
    [
        None,
        7,
        "",
        " \n ",
        CLAIM,
        CLAIM.upper(),
        CORRECTED + " It is very long." * 40,
        # other sentences than the claim
        "Bananas are yellow and grow in bunches under the sun.",
        CORRECTED + " Many came. All sang. Rain fell.",
        # what nobody says
        "The Ostrau bridge was opened in 1912 by Mayor Alma Reuter at a cost of 9 million euros.",
        "The Ostrau bridge was opened in 1912 by Mayor Boris Keller.",
        # markup, and characters that hide what is read
        "The **Ostrau** bridge was opened in 1912 by Mayor Alma Reuter.",
        'The Ostrau bridge was opened in 1912 <img src="x"> by Mayor Alma Reuter.',
        "The [Ostrau](https://evil.example) bridge was opened in 1912.",
        "The Ostrau bridge was opened in 1912\u202e by Mayor Alma Reuter.",
        "The Ostrau bridge was opened in 1912\x1b[31m by Mayor Alma Reuter.",
    ],
)
def test_what_cannot_be_shown_is_dropped(proposed):
    accepted = accept_proposal(
        CLAIM, proposed, passages(), "contradicted", why="", judge="openai:m"
    )
    assert accepted is None


@pytest.mark.parametrize("label", ["supported", "not_supported", "unverifiable"])
def test_other_labels_have_no_correction(label):
    proposal = accept_proposal(CLAIM, CORRECTED, passages(), label, why="", judge="openai:m")
    assert proposal is None


def test_leaving_a_part_out_is_a_correction():
    claim = "The bridge was opened in 1912 and cost 3 million euros [2]."
    source = "The bridge was opened in 1912."
    proposal = accept_proposal(
        claim, source, passages(source), "partially_supported", why="", judge="openai:m"
    )
    assert proposal.text == "The bridge was opened in 1912 [2]."


def test_a_panel_shows_the_proposal_of_those_who_gave_its_label(server):
    by_model = open_judge(BOTH[1]).judge(CLAIM, passages())
    by_words = open_judge("local").judge(CLAIM, passages())
    joint = joint_judgment([by_words, by_model])
    assert joint.label == "contradicted"
    assert joint.proposed_correction.judge == "local"
    supported = open_judge("local").judge(SOURCE, passages())
    assert joint_judgment([supported, by_model], "unanimous").proposed_correction is None
    assert joint_judgment([supported, supported]).proposed_correction is None
