"""Provider-native JSON: the same records, with the provider's own offsets as code points."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.citations import from_native
from workbench.errors import UnreadableInput
from workbench.records.citation import Extraction


def citation_fields(extraction: Extraction) -> list[tuple[str, str, str | None]]:
    return [(c.kind, c.raw, c.target.value if c.target else None) for c in extraction.citations]


def check_offsets(extraction: Extraction) -> None:
    for record in (*extraction.citations, *extraction.references):
        words = getattr(record, "raw", None)
        assert extraction.text[record.start : record.end] == (
            record.text if words is None else words
        )
    for claim in extraction.claims:
        assert 0 <= claim.start < claim.end <= len(extraction.text)
    assert len({c.id for c in extraction.citations}) == len(extraction.citations)


ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "text", "text": "I'll look that up."},
        {"type": "server_tool_use", "id": "t", "name": "web_search", "input": {"query": "rain"}},
        {"type": "web_search_tool_result", "tool_use_id": "t", "content": []},
        {"type": "text", "text": "In short: "},
        {
            "type": "text",
            "text": "rain fell in the north",
            "citations": [
                {
                    "type": "web_search_result_location",
                    "url": "https://example.com/rain",
                    "title": "Rain",
                    "encrypted_index": "x",
                    "cited_text": "It rained.",
                },
                {
                    "type": "char_location",
                    "document_index": 0,
                    "document_title": "Almanac",
                    "start_char_index": 10,
                    "end_char_index": 20,
                    "cited_text": "It rained.",
                },
            ],
        },
        {"type": "text", "text": ", and "},
        {
            "type": "text",
            "text": "snow fell in the south.",
            "citations": [
                {
                    "type": "page_location",
                    "document_index": 0,
                    "document_title": "Almanac",
                    "start_page_number": 3,
                    "end_page_number": 5,
                    "cited_text": "Snow.",
                },
                {
                    "type": "content_block_location",
                    "document_index": 1,
                    "document_title": None,
                    "start_block_index": 0,
                    "end_block_index": 1,
                    "cited_text": "Snow.",
                },
                {
                    "type": "search_result_location",
                    "source": "https://example.com/snow",
                    "title": "Snow",
                    "search_result_index": 2,
                    "start_block_index": 0,
                    "end_block_index": 1,
                    "cited_text": "Snow.",
                },
            ],
        },
    ],
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


def test_anthropic_blocks_are_covered_by_their_citations() -> None:
    extraction = from_native(ANTHROPIC)
    check_offsets(extraction)
    assert extraction.text == (
        "I'll look that up.\n\nIn short: rain fell in the north, and snow fell in the south."
    )
    assert citation_fields(extraction) == [
        ("native", "rain fell in the north", "https://example.com/rain"),
        ("native", "rain fell in the north", None),
        ("native", "snow fell in the south.", None),
        ("native", "snow fell in the south.", None),
        ("native", "snow fell in the south.", "https://example.com/snow"),
    ]
    assert [c.identifier for c in extraction.citations] == [
        "https://example.com/rain",
        "Almanac, characters 10-19",
        "Almanac, pages 3-4",
        "document 1, block 0",
        "https://example.com/snow, block 0",
    ]
    assert [r.title for r in extraction.references] == ["Rain", "Almanac", None, "Snow"]
    almanac = extraction.citations[1]
    assert almanac.reference == 1
    assert almanac.unlinked == "The source “Almanac” gives no address to look up."
    assert almanac.claim is not None and almanac.claim.text == "rain fell in the north"
    assert [k.citations for k in extraction.claims] == [("c1", "c2", "c3", "c4", "c5")]


def annotation(text: str, words: str, url: str, **fields: object) -> dict[str, object]:
    start = text.index(words)
    return {
        "type": "url_citation",
        "start_index": start,
        "end_index": start + len(words),
        "url": url,
        **fields,
    }


RAIN = "Rain fell in the north 🌧 ([example.com](https://example.com/rain)). Snow fell."


def test_openai_responses_annotations_take_the_place_of_the_link() -> None:
    mark = "([example.com](https://example.com/rain))"
    value = {
        "object": "response",
        "output": [
            {"type": "web_search_call", "id": "ws", "status": "completed"},
            {
                "type": "message",
                "role": "assistant",
                "content": [
                    {
                        "type": "output_text",
                        "text": RAIN,
                        "annotations": [
                            annotation(RAIN, mark, "https://example.com/rain", title="Rain"),
                            {
                                "type": "file_citation",
                                "index": len(RAIN),
                                "file_id": "file-1",
                                "filename": "snow.pdf",
                            },
                        ],
                    }
                ],
            },
        ],
    }
    extraction = from_native(value)
    check_offsets(extraction)
    assert citation_fields(extraction) == [
        ("native", mark, "https://example.com/rain"),
        ("native", "Snow fell.", None),
    ]
    assert extraction.citations[0].claim is not None
    assert extraction.citations[0].claim.text.startswith("Rain fell in the north")
    assert extraction.references[1].title == "snow.pdf"


def test_openai_offsets_in_utf16_units_are_told_from_code_points() -> None:
    mark = "([example.com](https://example.com/rain))"
    cited = annotation(RAIN, mark, "https://example.com/rain")
    cited = {**cited, "start_index": cited["start_index"] + 1, "end_index": cited["end_index"] + 1}
    content = [{"type": "output_text", "text": RAIN, "annotations": [cited]}]
    extraction = from_native({"output": [{"type": "message", "content": content}]})
    assert citation_fields(extraction) == [("native", mark, "https://example.com/rain")]


def test_openai_chat_annotations() -> None:
    mark = "([example.com](https://example.com/rain))"
    cited = annotation(RAIN, mark, "https://example.com/rain", title="Rain")
    nested = {
        "type": "url_citation",
        "url_citation": {k: v for k, v in cited.items() if k != "type"},
    }
    message = {"role": "assistant", "content": RAIN, "annotations": [nested]}
    extraction = from_native({"object": "chat.completion", "choices": [{"message": message}]})
    check_offsets(extraction)
    assert citation_fields(extraction) == [("native", mark, "https://example.com/rain")]
    assert extraction.text == RAIN


def test_assistants_file_citations_stand_at_their_mark() -> None:
    text = "Rain fell【4:0†source】."
    start = text.index("【")
    value = {
        "role": "assistant",
        "content": [
            {
                "type": "text",
                "text": {
                    "value": text,
                    "annotations": [
                        {
                            "type": "file_citation",
                            "text": "【4:0†source】",
                            "start_index": start,
                            "end_index": len(text) - 1,
                            "file_citation": {"file_id": "file-1"},
                        }
                    ],
                },
            }
        ],
    }
    extraction = from_native({"data": [value]})
    check_offsets(extraction)
    assert [(c.kind, c.raw, c.identifier) for c in extraction.citations] == [
        ("native", "【4:0†source】", "file-1")
    ]


@pytest.mark.parametrize(
    "response_fields",
    [
        {"citations": ["https://example.com/rain", "https://example.com/snow"]},
        {
            "citations": ["https://example.com/rain", "https://example.com/snow"],
            "search_results": [
                {"title": "Snow", "url": "https://example.com/snow", "date": "2024-01-02"},
                {"title": "Rain", "url": "https://example.com/rain", "date": None},
            ],
        },
        {
            "search_results": [
                {"title": "Rain", "url": "https://example.com/rain"},
                {"title": "Snow", "url": "https://example.com/snow"},
            ]
        },
    ],
    ids=["citations", "both", "search results"],
)
def test_perplexity_numbers_count_the_list_beside_the_answer(
    response_fields: dict[str, object],
) -> None:
    message = {"role": "assistant", "content": "Rain fell[1]. Snow fell[2][1]."}
    extraction = from_native(
        {"model": "sonar", "choices": [{"message": message}], **response_fields}
    )
    check_offsets(extraction)
    assert citation_fields(extraction) == [
        ("numbered", "[1]", "https://example.com/rain"),
        ("numbered", "[2]", "https://example.com/snow"),
        ("numbered", "[1]", "https://example.com/rain"),
    ]
    assert [r.label for r in extraction.references] == ["1", "2"]


@pytest.mark.parametrize("snake", [False, True])
def test_gemini_offsets_are_utf8_bytes_of_the_part(snake: bool) -> None:
    first, second = "Überall fiel Regen. ", "雪が降った。Sonne schien."
    words = "雪が降った。"
    names = {
        "groundingMetadata": "grounding_metadata",
        "groundingChunks": "grounding_chunks",
        "groundingSupports": "grounding_supports",
        "partIndex": "part_index",
        "startIndex": "start_index",
        "endIndex": "end_index",
        "groundingChunkIndices": "grounding_chunk_indices",
    }

    def renamed(value: object) -> object:
        if isinstance(value, dict):
            return {names.get(k, k) if snake else k: renamed(v) for k, v in value.items()}
        return [renamed(item) for item in value] if isinstance(value, list) else value

    metadata = {
        "groundingChunks": [
            {"web": {"uri": "https://example.com/regen", "title": "Regen"}},
            {"retrievedContext": {"uri": "gs://bucket/schnee.pdf", "title": "Schnee"}},
        ],
        "groundingSupports": [
            {
                "segment": {"endIndex": len("Überall fiel Regen.".encode())},
                "groundingChunkIndices": [0],
            },
            {
                "segment": {
                    "partIndex": 1,
                    "startIndex": 0,
                    "endIndex": len(words.encode()),
                    "text": words,
                },
                "groundingChunkIndices": [0, 1],
            },
        ],
    }
    value = renamed(
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": first}, {"text": second}], "role": "model"},
                    "groundingMetadata": metadata,
                }
            ]
        }
    )
    extraction = from_native(json.loads(json.dumps(value)))
    check_offsets(extraction)
    assert extraction.text == first + second
    assert citation_fields(extraction) == [
        ("native", "Überall fiel Regen.", "https://example.com/regen"),
        ("native", words, "https://example.com/regen"),
        ("native", words, None),
    ]
    assert extraction.citations[2].reference == 1


def cohere(citations: list[dict[str, object]], **more: object) -> dict[str, object]:
    content = [{"type": "text", "text": "Überall fiel 🌧 Regen. Es war kalt."}]
    message = {"role": "assistant", "content": content, "citations": citations}
    return {"id": "x", "finish_reason": "COMPLETE", "message": message, **more}


DOCUMENT = {"id": "d1", "title": "Regen", "url": "https://example.com/regen"}


@pytest.mark.parametrize(
    "value",
    [
        cohere(
            [{"start": 13, "end": 20, "text": "🌧 Regen",
              "sources": [{"type": "document", "id": "d1", "document": DOCUMENT}]}]
        ),
        cohere(
            [{"start": 13, "end": 21, "text": "🌧 Regen", "document_ids": ["d1"]}],
            documents=[DOCUMENT],
        ),
        {
            "text": "Überall fiel 🌧 Regen. Es war kalt.",
            "citations": [{"start": 13, "end": 20, "text": "🌧 Regen", "document_ids": ["d1"]}],
            "documents": [DOCUMENT],
        },
        {
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "content": "Überall fiel 🌧 Regen. Es war kalt.",
                        "citations": [
                            {"start": 13, "end": 20, "text": "🌧 Regen", "document_ids": ["d1"]}
                        ],
                        "documents": [DOCUMENT],
                    }
                }
            ]
        },
    ],
    ids=["version 2", "offsets in UTF-16", "version 1", "through a gateway"],
)  # fmt: skip
def test_cohere_citations_cover_the_words_at_their_offsets(value: dict[str, object]) -> None:
    extraction = from_native(json.loads(json.dumps(value)))
    check_offsets(extraction)
    assert citation_fields(extraction) == [("native", "🌧 Regen", "https://example.com/regen")]
    (citation,) = extraction.citations
    assert citation.claim is not None and citation.claim.text == "🌧 Regen"
    assert extraction.references[0].title == "Regen"


@pytest.mark.parametrize(
    ("part", "covered", "target"),
    [
        ({"type": "reference", "reference_ids": [3], "text": "It rained"}, "It rained", None),
        ({"type": "reference", "reference_ids": [3]}, "It snowed.", None),
        (
            {
                "type": "tool_reference",
                "tool": "web_search",
                "title": "W",
                "url": "https://w.example/a",
            },
            "It snowed.",
            "https://w.example/a",
        ),
    ],
)
def test_mistral_references_cover_their_words_or_the_sentence_before(
    part: dict[str, object], covered: str, target: str | None
) -> None:
    content = [
        {"type": "text", "text": "It was May. It snowed."},
        part,
        {"type": "text", "text": " Yes."},
    ]
    for value in (
        {"choices": [{"message": {"role": "assistant", "content": content}}]},
        {"outputs": [{"type": "message.output", "content": content}]},
    ):
        extraction = from_native(json.loads(json.dumps(value)))
        assert citation_fields(extraction) == [("native", covered, target)]


def test_azure_documents_are_what_doc_numbers_count() -> None:
    documents = [
        {"content": "…", "title": "A", "url": "https://a.example/1", "filepath": "a.md"},
        {"content": "…", "title": None, "url": None, "filepath": "b.md"},
    ]
    message = {
        "role": "assistant",
        "content": "Rain fell [doc1][doc2].",
        "context": {"citations": documents},
    }
    extraction = from_native({"choices": [{"message": message}]})
    assert citation_fields(extraction) == [
        ("numbered", "[doc1]", "https://a.example/1"),
        ("numbered", "[doc2]", None),
    ]
    assert [reference.title for reference in extraction.references] == ["A", "b.md"]


def test_citations_in_a_form_that_is_not_read_are_told() -> None:
    parts = [{"retrieved": {"text": "Rain."}}, {"retrieved": {"text": "Snow."}}]
    extraction = from_native({"output": "Rain fell in May.", "meta": {"citationParts": parts}})
    assert not extraction.citations
    (notice,) = extraction.notices
    assert notice.startswith(
        "The JSON lists 2 citations beside its text in a form that is not read"
    )


def test_offsets_that_do_not_fit_are_mended_or_told() -> None:
    def answer(segment: dict[str, object]) -> Extraction:
        metadata = {
            "groundingChunks": [{"web": {"uri": "https://example.com/a", "title": "A"}}],
            "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
        }
        content = {"parts": [{"text": "Rain fell. Snow fell."}]}
        return from_native({"candidates": [{"content": content, "groundingMetadata": metadata}]})

    mended = answer({"startIndex": 3, "endIndex": 9, "text": "Snow fell."})
    assert citation_fields(mended) == [("native", "Snow fell.", "https://example.com/a")]
    unplaced = answer({"startIndex": 900, "endIndex": 990, "text": "Hail fell."})
    assert unplaced.citations[0].target is None
    assert unplaced.citations[0].unlinked == (
        "The provider's offsets 900 to 990 (utf-8) do not fit its text."
    )
    check_offsets(unplaced)


def test_transcripts_keep_what_the_assistant_said() -> None:
    extraction = from_native(
        [
            {"role": "system", "content": "Cite."},
            {"role": "user", "content": "Did it rain [9]?"},
            {"role": "assistant", "content": "Rain fell [1].\n\n[1] https://example.com/rain"},
            {"role": "user", "content": "And snow?"},
            {"role": "assistant", "content": [{"type": "text", "text": "Snow fell."}]},
        ]
    )
    check_offsets(extraction)
    assert "Cite" not in extraction.text and "[9]" not in extraction.text
    assert citation_fields(extraction) == [("numbered", "[1]", "https://example.com/rain")]
    assert extraction.text.endswith("\n\nSnow fell.")
    assert from_native({"messages": [{"role": "assistant", "content": "Rain."}]}).text == "Rain."


def test_text_with_sources() -> None:
    extraction = from_native(
        {
            "text": "Rain fell [1]. Snow fell [b].",
            "sources": [
                "https://example.com/rain",
                {"url": "https://example.com/snow", "title": "Snow", "label": "b"},
            ],
        }
    )
    check_offsets(extraction)
    assert citation_fields(extraction) == [
        ("numbered", "[1]", "https://example.com/rain"),
        ("key", "[b]", "https://example.com/snow"),
    ]
    assert from_native({"text": "Rain fell [1]."}).citations[0].target is None


def test_claims_with_their_provenance() -> None:
    extraction = from_native(
        {
            "claims": [
                {"claim": "The limit is 50.", "source": "file:src/app.py:42", "evidence": "50"},
                {"claim": "It was raised.", "source": "git:1a2b3c4d", "evidence": "raise"},
                {"claim": "The cache is stale.", "source": "guess", "evidence": ""},
            ],
            "unverified": ["Nobody uses it any more."],
        }
    )
    check_offsets(extraction)
    assert [(c.identifier, c.claim.text if c.claim else "") for c in extraction.citations] == [
        ("file:src/app.py:42", "The limit is 50."),
        ("git:1a2b3c4d", "It was raised."),
        ("guess", "The cache is stale."),
    ]
    assert [k.text for k in extraction.claims][-1] == "Nobody uses it any more."


@pytest.mark.parametrize(
    "value",
    [None, 3, "text", [], {}, {"foo": "bar"}, [1, 2], {"choices": []}, {"candidates": [{}]}],
    ids=str,
)
def test_unknown_shapes_are_told_in_a_sentence(value: object) -> None:
    with pytest.raises(UnreadableInput, match=r"Anthropic message.*Perplexity.*\"text\""):
        from_native(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [{"text": " "}, {"type": "message", "content": []}], ids=str)
def test_json_without_words_is_told_in_a_sentence(value: dict[str, object]) -> None:
    with pytest.raises(UnreadableInput, match="no words"):
        from_native(value)  # type: ignore[arg-type]


scraps = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 60) | st.sampled_from(["text", "https://a.b", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("type", "text", "content", "citations", "annotations", "start_index", "url"),
                    *("end_index", "index", "title", "output", "choices", "message", "candidates"),
                    *("parts", "groundingMetadata", "groundingSupports", "segment", "startIndex"),
                    *("endIndex", "groundingChunkIndices", "groundingChunks", "web", "uri", "role"),
                    *("sources", "search_results", "messages", "claims", "claim", "source"),
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(scraps)
def test_any_json_is_read_or_refused(value: object) -> None:
    try:
        extraction = from_native(value)  # type: ignore[arg-type]
    except UnreadableInput:
        return
    check_offsets(extraction)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.integers(-3, 200), st.integers(-3, 200))
def test_any_offsets_give_sound_records(text: str, start: int, end: int) -> None:
    metadata = {
        "groundingChunks": [{"web": {"uri": "https://example.com/a"}}],
        "groundingSupports": [
            {"segment": {"startIndex": start, "endIndex": end}, "groundingChunkIndices": [0, 7]}
        ],
    }
    content = {"parts": [{"text": text + "."}]}
    check_offsets(
        from_native({"candidates": [{"content": content, "groundingMetadata": metadata}]})
    )
