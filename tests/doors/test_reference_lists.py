"""A list of references is no claim, and no evidence, whichever way a text comes in."""

import json

import pytest

from tests.doors.ways_in import command

ANSWER = """\
# The old bridge

The old stone bridge over the river is 120 metres long [1].

## References

[1] Bridge facts and figures of the whole valley. https://bridge.example/facts
"""
FACTS = {
    "url": "https://bridge.example/facts",
    "content": "The old stone bridge over the river is 120 metres long. It was opened to carts.",
}
CANCER = (
    "Metastatic cancer can be treated with nanotechnology [1].\n\n"
    "References\n[1] Thermometry. https://heat.example/thermometry\n"
)
THERMOMETRY = {
    "url": "https://heat.example/thermometry",
    "content": "Thermometry is the measurement of temperature. Mercury rises in a glass tube.\n\n"
    "References\n1. Kim P. Metastatic cancer can be treated with nanotechnology. Nat Rev Cancer. "
    "2012;12:39-50.\n2. Olsen R. A history of the mercury column. Ann Therm. 1998;4:11-19.\n",
}


def test_a_source_s_own_references_support_nothing(door):
    outcome = door.verify(CANCER, sources=[THERMOMETRY])
    (citation,) = outcome.citations
    assert citation["status"] == "ok", outcome.output
    assert outcome.run["total_supported"] == 0
    quotes = [evidence["quote"] for evidence in citation["judgment"]["evidence"]]
    assert not any("cancer" in quote for quote in quotes)


WITH_POLICY = ("cli", "gateway", "agent")


@pytest.mark.parametrize("policy", ["medical", "financial", "support-bot"])
def test_a_perfect_answer_passes_with_its_bibliography(door, policy):
    """Through doors that take a policy under that policy; each supports all of its citations."""
    more = {"policy": policy} if door.name in WITH_POLICY else {}
    outcome = door.verify(ANSWER, sources=[FACTS], **more)
    assert outcome.run["total_supported"] == outcome.run["total_citations_found"] == 1
    if door.name == "gateway":
        assert outcome.document["action"] == "pass", outcome.output
        assert outcome.document["text"] == ANSWER
    elif door.name in ("cli", "agent"):
        assert outcome.document["policy"]["action"] == "pass", outcome.output
        assert outcome.document["policy"]["text"] == ANSWER
    else:
        assert outcome.code in (0, 200, None), outcome.output
    if more or policy != "medical":
        return
    if door.name.startswith("mcp-"):
        claims = door.tool_call("verify_claims", {"text": ANSWER, "sources": [FACTS]}).document
        assert claims["total_claims"] == claims["supported_count"] == 1


def test_the_command_claims_counts_no_references(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    (tmp_path / "answer.md").write_text(ANSWER, "utf-8")
    (tmp_path / "sources.json").write_text(json.dumps([FACTS]), "utf-8")
    _, report, _ = command(
        ["claims", str(tmp_path / "answer.md"), "--sources", str(tmp_path / "sources.json")]
    )
    assert report["summary"] == "1/1 claims verified (100%)"


def test_an_agent_s_answer_without_citations_is_checked_sentence_by_sentence():
    import workbench

    text = ANSWER.replace(" [1].", ".").replace("[1] ", "- ")
    grounding = workbench.grounded(lambda: text, sources=[FACTS], check="claims")().grounding
    assert grounding.summary == "1/1 claims verified (100%)"
