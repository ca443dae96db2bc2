"""The question that a claim answers and its date, read out of transcripts and uploads."""

from dataclasses import replace

import pytest

from tests.citations.contexts import context_of
from workbench.citations import extract, from_native, with_claim_context
from workbench.records.context import ClaimContext
from workbench.records.text import JsonDict

BRIDGE = "The Ostrau bridge crosses the river. It was opened in 1913 by the mayor [1]."
QUESTION = "How much rain fell in Oslo?"


def contexts(value: object) -> list[ClaimContext | None]:
    return [citation.claim_context for citation in from_native(value).citations]  # type: ignore[arg-type]


def anthropic_answer(text: str) -> JsonDict:
    return {
        "role": "assistant",
        "content": [
            {
                "type": "text",
                "text": text,
                "citations": [
                    {
                        "type": "web_search_result_location",
                        "url": "https://example.com/rain",
                        "title": "Rain",
                        "cited_text": "3 mm",
                    }
                ],
            }
        ],
    }


def test_the_question_of_an_anthropic_transcript_goes_with_its_claims() -> None:
    transcript: JsonDict = {
        "role": "user",
        "content": [
            {"type": "document", "source": {"type": "text", "data": "3 mm fell."}},
            {"type": "text", "text": QUESTION},
        ],
    }
    tool: JsonDict = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": "3 mm"}],
    }
    (context,) = contexts([transcript, tool, anthropic_answer("3 mm fell there.")])
    assert context is not None
    assert (context.question, context.date) == (QUESTION, None)


def test_the_question_and_date_of_openai_messages_go_with_their_claims() -> None:
    value = {
        "messages": [
            {"role": "system", "content": "Answer with sources."},
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": "It was 3 mm [1].", "created_at": 1_714_521_600},
            {"role": "user", "content": "And in Bergen?"},
            {"role": "assistant", "content": "# Bergen\n\nIt was 9 mm [2]."},
            {"role": "assistant", "content": "It was wet [3]."},
        ],
        "created": "2024-05-02",
    }
    extraction = from_native(value)  # type: ignore[arg-type]
    first, second, third = (context_of(extraction, name) for name in "123")
    assert (first.question, first.date) == (QUESTION, "2024-05-01T00:00:00+00:00")
    assert (second.question, second.date) == ("And in Bergen?", "2024-05-02")
    assert third.question == "And in Bergen?"
    assert second.before is None
    assert [heading.text for heading in third.headings] == ["Bergen"]


def test_no_heading_reaches_into_the_next_answer() -> None:
    extraction = from_native(
        [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": "# Oslo\n\nIt was 3 mm [1]."},
            {"role": "user", "content": "And in Bergen?"},
            {"role": "assistant", "content": "It was 9 mm [2]."},
        ]
    )
    assert context_of(extraction, "2") == ClaimContext(question="And in Bergen?")


@pytest.mark.parametrize(
    ("value", "question", "date"),
    [
        pytest.param(
            {
                "object": "chat.completion",
                "created": 1_714_521_600,
                "choices": [{"message": {"role": "assistant", "content": "It was 3 mm [1]."}}],
            },
            None,
            "2024-05-01T00:00:00+00:00",
            id="completion",
        ),
        pytest.param(
            {
                "request": {"messages": [{"role": "user", "content": QUESTION}]},
                "response": {
                    "object": "response",
                    "created_at": 1_714_521_600_000,
                    "output": [
                        {
                            "type": "message",
                            "content": [{"type": "output_text", "text": "It was 3 mm [1]."}],
                        }
                    ],
                },
            },
            QUESTION,
            "2024-05-01T00:00:00+00:00",
            id="request-and-response",
        ),
        pytest.param(
            {"question": QUESTION, "answer": "It was 3 mm [1].", "date": "2024-05-01T10:00:00Z"},
            QUESTION,
            "2024-05-01T10:00:00+00:00",
            id="question-and-answer",
        ),
        pytest.param({"text": "It was 3 mm [1].", "date": "last May"}, None, None, id="no-date"),
        pytest.param({"text": "It was 3 mm [1].", "date": 1e300}, None, None, id="huge-date"),
        pytest.param({"text": "It was 3 mm [1].", "date": True}, None, None, id="no-number"),
        pytest.param({"text": "It was 3 mm [1].", "question": 7}, None, None, id="no-question"),
        pytest.param(
            {"text": "It was 3 mm [1].", "question": "rain? " * 1000},
            ("rain? " * 1000)[:2000].strip(),
            None,
            id="long-question",
        ),
        pytest.param(
            [{"role": "assistant", "content": "It was 3 mm [1]."}], None, None, id="no-user"
        ),
    ],
)
def test_the_question_and_the_date_are_read_where_they_are(
    value: object, question: str | None, date: str | None
) -> None:
    (context,) = [
        citation.claim_context
        for citation in from_native(value).citations  # type: ignore[arg-type]
        if citation.kind == "numbered"
    ]
    assert context is not None
    assert (context.question, context.date) == (question, date)


def test_a_plain_text_has_no_question_and_a_citation_without_claim_no_context() -> None:
    assert context_of(extract(BRIDGE), "1").question is None
    (alone,) = extract("```\n[1]\n```\n[2]").citations
    assert alone.claim is None
    assert alone.claim_context is None


def test_a_corrected_claim_gets_its_own_context_and_keeps_its_question() -> None:
    extraction = from_native({"question": QUESTION, "text": BRIDGE})
    (citation, *_) = [
        candidate for candidate in extraction.citations if candidate.kind == "numbered"
    ]
    assert citation.claim is not None
    corrected = replace(
        citation,
        claim=replace(citation.claim, span=replace(citation.claim.span, start=0), text=BRIDGE),
    )
    completed = with_claim_context(replace(extraction, citations=(corrected,)), [citation.id])
    assert completed.citations[0].claim_context == ClaimContext(question=QUESTION)
