"""What a marker stands for: the guess, what can be chosen instead, and the parts to judge."""

from dataclasses import replace

import pytest

from tests.citations.scopes import guess_of, marker, parts_of
from workbench.citations import MOST_PARTS, Scopes, extract, from_native, with_scope
from workbench.citations.context import stretches as module
from workbench.records.citation import Citation, ClaimScope, Extraction, ScopeKind
from workbench.records.text import Excerpt, Span

BULLETS = "The new line has five benefits:\n- less noise\n- more trains\n- cheap seats [1]"
PARAGRAPH = "The bridge opened in 1913. It carried trams until 1958. [1]"
SHUT_IN = "The bridge opened in 1913. It carried trams until 1958 [1]."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (BULLETS, "list"),
        (BULLETS.replace(" [1]", "[1][2]"), "list"),
        (BULLETS.replace("- ", "* "), "list"),
        ("The line has benefits:\n\n1. less noise\n2. more trains\n3. cheap seats [1].", "list"),
        ("新线路有以下好处：\n- 噪音小\n- 班次多\n- 票价低 [1]", "list"),
        ("新线路有以下好处：\n1、噪音小\n2、班次多\n3、票价低[1]。", "list"),
        ("**Benefits:**\n- trains run through the night\n- seats cost less [1]", "list"),
        # too short to need its own source, without an introduction
        ("- quieter trains\n- more trains\n- cheap seats [1]", "list"),
        ("- Trains run until two at night.\n- Seats cost less than on buses. [1]", "sentence"),
        # long items: the marker stands behind the last full stop, or before it
        (
            "The operator gives two reasons:\n- The old line was shut for repairs for most of the "
            "year.\n- The new one was opened before all of its stations had been built. [1]",
            "list",
        ),
        (
            "The operator gives two reasons:\n- The old line was shut for repairs for most of the "
            "year.\n- The new one was opened before all of its stations had been built [1].",
            "sentence",
        ),
        # another item has its own source
        ("The line has benefits:\n- less noise [2]\n- more trains\n- cheap seats [1]", "sentence"),
        ("The line has benefits:\n- less noise\n- more trains [1]\n- cheap seats", "sentence"),
        ("The line has a benefit:\n- cheap seats [1]", "sentence"),
        # words of the sentence, and no marker beside them
        ("The line has benefits:\n- less noise\n- more trains, see [1]", "sentence"),
        ("The line has benefits:\n- less noise\n- a [new map](https://example.org/1)", "sentence"),
        ("| a | b |\n|---|---|\n| less noise | 3 [1] |", "sentence"),
        ("## Benefits of the line [1]\nTrains run. They run often.", "sentence"),
    ],
)
def test_a_marker_that_closes_a_list_stands_for_it(text: str, kind: str) -> None:
    identifier = "1" if "[1]" in text else "https://example.org/1"
    assert guess_of(text, identifier) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The new line has two benefits [1]:\n- less noise\n- more trains", "list"),
        ("The new line has two benefits: [1]\n- less noise\n- more trains", "list"),
        ("新线路有两个好处[1]：\n- 噪音小\n- 班次多", "list"),
        ("The new line has two benefits [1]:\n- less noise [2]\n- more trains", "sentence"),
        ("The [1] new line has two benefits:\n- less noise\n- more trains", "sentence"),
        ("The new line has benefits [1].\n\n- less noise\n- more trains", "sentence"),
        ("- Benefits are several [1]:\n  - less noise\n  - more trains\n- Costs", "list"),
    ],
)
def test_a_marker_in_the_line_that_leads_to_a_list_stands_for_the_list(
    text: str, kind: str
) -> None:
    assert guess_of(text) == kind


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        (PARAGRAPH, ["sentence", "paragraph"]),
        (PARAGRAPH.replace(". [1]", ".[1][2]"), ["sentence", "paragraph"]),
        ("这座桥于1913年通车。它在1958年之前通行有轨电车。[1]", ["sentence", "paragraph"]),
        (SHUT_IN, ["sentence", "paragraph"]),
        ("The bridge opened in 1913. [1]", ["sentence"]),
        # a line end ends a paragraph, unless a sentence goes over one
        ("The bridge opened in 1913.\nIt carried trams until 1958. [1]", ["sentence"]),
        (
            "The bridge was opened for all kinds of traffic in\nthe year 1913. It carried trams "
            "until 1958. [1]",
            ["sentence", "paragraph"],
        ),
        (
            "- The bridge opened in 1913. It carried trams. [1]\n- It is long.",
            ["sentence", "list", "paragraph"],
        ),
    ],
)  # fmt: skip
def test_a_marker_behind_the_last_full_stop_keeps_its_sentence_and_may_get_its_paragraph(
    text: str, chosen: list[str]
) -> None:
    extraction = extract(text)
    assert guess_of(text) == "sentence"
    assert [scope.kind for scope in Scopes(extraction).choices(marker(extraction))] == chosen


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("It has benefits.\n\n- Less noise was measured.\n- More trains run.\n\n[1]", "list"),
        ("It has benefits.\n\n- Noise fell by half.\n- More trains run.\n\nSource: [1]", "list"),
        ("- Costs are high:\n  - rent\n  - food\n- Gains are low\n\nSources: [1]", "list"),
        ("The bridge opened in 1913. It carried trams.\n\nSource: [1]", "paragraph"),
        ("The bridge opened in 1913. It carried trams [2].\n\nSource: [1]", "sentence"),
        ("这座桥于1913年通车。它在1958年之前通行有轨电车。\n来源：[1]", "paragraph"),
    ],
)  # fmt: skip
def test_a_line_of_markers_alone_stands_for_what_is_above_it(text: str, kind: str) -> None:
    assert guess_of(text) == kind


def test_a_list_comes_with_the_sentence_that_leads_to_it_and_its_items_as_parts() -> None:
    text = f"It opened late. {BULLETS}\n\nIt is long."
    extraction = extract(text)
    citation = marker(extraction)
    assert citation.claim is not None
    assert citation.claim.text == "cheap seats"
    assert citation.scope is not None
    assert (citation.scope.kind, citation.scope.guess) == ("list", True)
    assert citation.scope.span.of(text) == BULLETS
    parts = [part.of(text) for part in Scopes(extraction).parts(citation)]
    assert parts == ["less noise", "more trains", "cheap seats [1]"]


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        (
            PARAGRAPH,
            "paragraph",
            ["The bridge opened in 1913.", "It carried trams until 1958."],
        ),
        (
            # questions and headings of items make no claim; the line that introduces them may
            "Why so? The line was shut for two years [1]:\n1. **Repairs.** The deck was replaced."
            "\n2. Trams",
            "list",
            ["The line was shut for two years [1]:", "The deck was replaced.", "Trams"],
        ),
        (
            "新线路有以下好处：\n- 噪音小\n- 班次多，票价也低 [1]",
            "list",
            ["噪音小", "班次多，票价也低 [1]"],
        ),
        (
            # the list of a sub-item is that of its neighbors
            "It has effects:\n- Costs:\n  - rent\n  - food [1]\n- Gains",
            "list",
            ["rent", "food [1]"],
        ),
        (
            # an item includes what is below it, but no label that only introduces it
            "It has effects:\n- Costs:\n  - rent\n  - food\n- Gains [1]",
            "list",
            ["rent", "food", "Gains [1]"],
        ),
        (
            # words behind the list are no item
            "It has effects:\n- rent falls\n- food is cheap [1]\nSo it is a success in the city.",
            "list",
            ["rent falls", "food is cheap [1]"],
        ),
        (
            # bullets below are another list than the numbers above
            "1. The rent falls\n2. The food is cheap\n- a bullet\n- and one more [1]",
            "list",
            ["a bullet", "and one more [1]"],
        ),
        (SHUT_IN.replace("It ", "Is it old? It "), "paragraph", [
            "The bridge opened in 1913.", "It carried trams until 1958 [1].",
        ]),
        ("Rain fell [1].", "paragraph", None),
        ("Rain fell. Snow fell [1].", "list", None),
    ],
)  # fmt: skip
def test_the_parts_of_a_scope(text: str, kind: ScopeKind, parts: list[str] | None) -> None:
    assert parts_of(text, kind) == parts


def test_the_sentence_can_be_chosen_first_then_what_is_wider() -> None:
    text = "It has benefits:\n- It is quiet. It is on time [1]\n- It is cheap"
    extraction = extract(text)
    choices = Scopes(extraction).choices(marker(extraction))
    assert [(scope.kind, scope.guess, scope.span.of(text)) for scope in choices] == [
        ("sentence", True, "It is on time [1]"),
        ("list", False, text),
        ("paragraph", False, "It is quiet. It is on time [1]"),
    ]


@pytest.mark.parametrize("kind", ["quote", "statistic"])
def test_quotations_and_figures_keep_their_sentence(kind: str) -> None:
    extraction = extract(
        'Sales rose in May. He said "we will never go there again" as 45% left.\n\nSource: [1]'
    )
    citation = next(candidate for candidate in extraction.citations if candidate.kind == kind)
    assert marker(extraction).scope is not None
    assert citation.scope is None
    assert [candidate.kind for candidate in Scopes(extraction).choices(citation)] == ["sentence"]


def test_words_that_a_provider_ties_to_a_source_keep_their_scope() -> None:
    text = "The bridge opened in 1913. It carried trams."
    extraction = from_native(
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {
                    "type": "text",
                    "text": text,
                    "citations": [{"type": "web_search_result_location",
                                   "url": "https://example.org/a", "cited_text": "a"}],
                }
            ]
        }
    )  # fmt: skip
    (citation,) = extraction.citations
    assert citation.claim is not None
    assert citation.claim.span == citation.span
    assert [scope.kind for scope in Scopes(extraction).choices(citation)] == ["sentence"]


def test_a_citation_without_a_claim_has_no_scope() -> None:
    extraction = with_scope(extract("[1]"), "paragraph")
    (citation,) = extraction.citations
    assert citation.scope is None
    scopes = Scopes(extraction)
    assert scopes.choices(citation) == ()
    assert scopes.parts(citation) == ()
    assert scopes.part_citations(citation) == (citation,)


def test_each_part_is_a_claim_in_its_own_context() -> None:
    extraction = extract(f"# The new line\n\n{BULLETS}")
    citation = replace(marker(extraction), wording="Seats are cheap on the new line.")
    parts = Scopes(extraction).part_citations(citation)
    assert [part.claim and part.claim.text for part in parts] == [
        "less noise", "more trains", "cheap seats",
    ]  # fmt: skip
    assert {(part.id, part.target, part.wording, part.scope) for part in parts} == {
        (citation.id, citation.target, None, None)
    }
    before_spans = [part.claim_context and part.claim_context.before for part in parts]
    assert [span and span.of(extraction.text) for span in before_spans] == [
        "The new line has five benefits:",
        "The new line has five benefits:\n- less noise",
        "The new line has five benefits:\n- less noise\n- more trains",
    ]
    context = parts[0].claim_context
    assert context is not None
    assert [heading.text for heading in context.headings] == ["The new line"]


def test_the_parts_keep_the_question_that_the_text_answers() -> None:
    extraction = from_native(
        [{"role": "user", "content": "When?"}, {"role": "assistant", "content": PARAGRAPH}]
    )
    scopes = Scopes(extraction)
    parts = scopes.part_citations(scopes.with_kind(marker(extraction), "paragraph"))
    assert [part.claim_context and part.claim_context.question for part in parts] == ["When?"] * 2


def test_a_sentence_is_one_part_and_stays_as_it_is() -> None:
    extraction = extract(SHUT_IN)
    citation = replace(marker(extraction), wording="The bridge carried trams until 1958.")
    assert Scopes(extraction).part_citations(citation) == (citation,)


def test_a_scope_is_chosen_for_all_or_some_and_guessed_again() -> None:
    extraction = extract(f"{BULLETS}\n\n{SHUT_IN.replace('[1]', '[2]')}")
    chosen = with_scope(extraction, "sentence")
    assert [
        citation.scope and (citation.scope.kind, citation.scope.guess)
        for citation in chosen.citations
    ] == [
        ("sentence", False),
        ("sentence", False),
    ]
    assert [citation.claim for citation in chosen.citations] == [
        citation.claim for citation in extraction.citations
    ]
    # what someone chose stays, unless it is named
    assert with_scope(chosen, "guess") == chosen
    assert with_scope(chosen, "guess", ["c1", "c2"]) == extraction
    some = with_scope(extraction, "paragraph", ["c2"])
    assert [citation.scope and citation.scope.kind for citation in some.citations] == [
        "list",
        "paragraph",
    ]
    # where there is none of the kind, the sentence is chosen
    none = with_scope(extraction, "list", ["c2"])
    assert none.citations[1].scope == chosen.citations[1].scope


def test_a_corrected_claim_is_within_a_wider_scope_or_has_none() -> None:
    extraction = extract(f"It opened in 1913. {BULLETS}")
    citation = marker(extraction)
    text = extraction.text

    def corrected(start: int, end: int) -> list[str]:
        claim = Excerpt(span=Span(start, end), text=text[start:end])
        return [scope.kind for scope in Scopes(extraction).choices(replace(citation, claim=claim))]

    seats = text.index("cheap seats")
    assert corrected(seats, seats + 5) == ["sentence", "list"]
    assert corrected(0, len(text)) == ["sentence"]
    assert corrected(0, 0) == ["sentence"]
    assert corrected(len(text), len(text)) == ["sentence"]


def test_a_scope_goes_through_json_and_is_left_out_where_there_is_none() -> None:
    extraction = extract(f"{BULLETS}\n\n{SHUT_IN.replace('[1]', '[2]')}")
    listed, alone = extraction.citations
    assert listed.to_dict()["scope"] == {
        "kind": "list", "start": 0, "end": len(BULLETS), "text": BULLETS, "guess": True,
    }  # fmt: skip
    assert "scope" not in alone.to_dict()
    for citation in (*extraction.citations, *with_scope(extraction, "sentence").citations):
        assert Citation.from_dict(citation.to_dict()) == citation
    with pytest.raises(ValueError, match="page"):
        Citation.from_dict(
            listed.to_dict()
            | {"scope": {"kind": "page", "start": 0, "end": 1, "text": "T", "guess": True}}
        )


def test_a_scope_of_too_many_parts_is_not_offered() -> None:
    def items(count: int) -> str:
        return "It has benefits:\n" + "- less noise\n" * (count - 1) + "- cheap seats [1]"

    assert guess_of(items(MOST_PARTS)) == "list"
    assert parts_of(items(MOST_PARTS + 1), "list") is None
    assert guess_of(items(MOST_PARTS + 1)) == "sentence"
    assert parts_of("Rain fell in May. " * 20_000 + "Snow fell in May. [1]", "paragraph") is None


@pytest.mark.parametrize(
    "text",
    ["", "word", "[1]", "- [1]", "الجسر [1]", ":\n- [1]\n- [1]", "\ud800 [1]\n- a\n- b [1]"],
)
def test_texts_that_hold_next_to_nothing_raise_nothing(text: str) -> None:
    extraction = extract(text)
    scopes = Scopes(extraction)
    for citation in extraction.citations:
        assert len(scopes.part_citations(citation)) >= 1


def test_a_text_that_is_written_from_right_to_left() -> None:
    text = "فتح الجسر في عام ألف. حمل الجسر القطارات لسنوات طويلة. [1]"
    assert parts_of(text, "paragraph") == [
        "فتح الجسر في عام ألف.",
        "حمل الجسر القطارات لسنوات طويلة.",
    ]
    assert guess_of(text) == "sentence"
    assert guess_of(text.replace(" [1]", "\n\n[1]")) == "paragraph"


@pytest.mark.parametrize(
    "piece",
    [
        "- it is cheap and quick [1]\n", "- a\n", "- is it? [1]\n", "Is it so? [1] ",
        "It is so [1]. ", "It has two of these:\n- rain falls\n- snow falls [1]\n\n",
        "  - it is quick [1]\n", "It is so here. [1]\n", "- a:\n  - it is quick [1]\n",
    ],
)  # fmt: skip
def test_sixteen_times_the_text_is_read_less_than_twenty_times_as_often(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    asserts, has_content = module.asserts, module.has_content
    monkeypatch.setattr(module, "asserts", lambda *words: calls.append(1) or asserts(*words))
    monkeypatch.setattr(
        module, "has_content", lambda *words: calls.append(1) or has_content(*words)
    )

    def count(times: int) -> int:
        calls.clear()
        extraction = extract("It has these:\n" + piece * times + "- an end [1]")
        scopes = Scopes(extraction)
        for citation in extraction.citations:
            scopes.choices(citation)
        return len(calls)

    assert 0 < count(16 * 50) < 20 * count(50)


def test_the_scope_of_an_older_run_is_guessed_when_asked() -> None:
    extraction = extract(BULLETS)
    older = Extraction(
        text=BULLETS,
        citations=tuple(replace(citation, scope=None) for citation in extraction.citations),
    )
    assert with_scope(older, "guess").citations == extraction.citations
    assert marker(extraction).scope == ClaimScope(
        kind="list", span=Span(0, len(BULLETS)), text=BULLETS, guess=True
    )
