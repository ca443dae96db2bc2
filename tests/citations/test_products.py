"""The marks of chat and retrieval products, and what looks like a mark and is of no known kind."""

import pytest

from workbench.citations import document_of, extract

GROK = (
    '<grok:render card_id="{0}a" card_type="citation_card" type="render_inline_citation">\n'
    '<argument name="citation_id">{0}</argument>\n</grok:render>'
)


@pytest.mark.parametrize(
    ("mark", "identifiers"),
    [
        (GROK.format(7), ["7"]),
        (GROK.format(7) + " " + GROK.format(12), ["7", "12"]),
        ('<grok-card data-id="90a1" data-type="citation_card"></grok-card>', ["90a1"]),
        ('{render_inline_citation citation_id="21"}', ["21"]),
        ("##5$$", ["5"]),
        ("##0$$ ##11$$", ["0", "11"]),
        ("[ID:0]", ["0"]),
        ("[ID:4, ID:6]", ["4", "6"]),
        ("[web:5][attached_file:2]", ["web:5", "attached_file:2"]),
        ("[web:1, news:2, 3]", ["web:1", "news:2", "news:3"]),
        ("\ue200cite\ue202turn2search4\ue202turn0news1\ue201", ["turn2search4", "turn0news1"]),
        ("\ue200cite\ue202turn3view1\ue202L4-L9\ue201", ["turn3view1"]),
        ("\ue200filecite\ue202turn0file2\ue202L8-L8\ue201", ["turn0file2"]),
        ("citeturn4search1turn4search2", ["turn4search1", "turn4search2"]),
        ("fileciteturn0file1L3-L4", ["turn0file1"]),
        ("【turn0search6】", ["turn0search6"]),
        ("\\ue202turn0search2", ["turn0search2"]),
        ("【oaicite:3】", ["3"]),
        (":contentReference[oaicite:4]{index=4}", ["4"]),
        ("【9†source】", ["9"]),
        ("【4:2†plan.pdf】", ["4:2"]),
        ("【712345678901234†L2-L5】", ["712345678901234"]),
        ("【a03f9c†L1-L6】", ["a03f9c"]),
        ("【F:lib/main.rs†L5-L9】", ["file:lib/main.rs:5-9"]),
        ("[cite: 3, 15]", ["3", "15"]),
        ("[Data: Reports (2, 31, +more); Entities (5)]", ["Reports 2", "Reports 31", "Entities 5"]),
        ("%[2]%", ["2"]),
        ("^[2][4]^", ["2", "4"]),
        ("<source>6</source>", ["6"]),
        ("{{cite:8}}", ["8"]),
        ("[Source: annual-report.pdf, p. 4]", ["annual-report.pdf"]),
        ("(handbook.pdf, p. 12)", ["handbook.pdf"]),
        ("[notes_2.md]", ["notes_2.md"]),
        ("[doc_0]", ["0"]),
        ("[chunk 3]", ["3"]),
        ("([oai_citation:2‡example.org](https://example.org/a))", ["https://example.org/a"]),
    ],
)
def test_each_product_mark_is_a_citation_and_no_part_of_its_claim(
    mark: str, identifiers: list[str]
) -> None:
    text = f"Sales rose by a third {mark}. Costs fell in May."
    extraction = extract(text)
    marks = [c for c in extraction.citations if c.kind != "statistic"]
    assert [c.identifier for c in marks] == identifiers
    assert {c.claim and c.claim.text for c in marks} == {"Sales rose by a third."}
    assert [k.text for k in extraction.claims] == ["Sales rose by a third.", "Costs fell in May."]
    assert extraction.notices == ()


@pytest.mark.parametrize(
    ("text", "covered", "identifiers"),
    [
        ("It stands in <co>Lisbon</co: 0:[1,2]> today.", "Lisbon", ["0:1", "0:2"]),
        ("It <co: 3,4>turns every hour</co: 3,4>.", "turns every hour", ["3", "4"]),
        ("So :cit[taxes fell in May]{ref=ab12}.", "taxes fell in May", ["ab12"]),
    ],
)
def test_a_tag_around_words_has_them_for_its_claim(
    text: str, covered: str, identifiers: list[str]
) -> None:
    extraction = extract(text)
    assert [c.identifier for c in extraction.citations] == identifiers
    assert all(c.claim and c.claim.text == covered for c in extraction.citations)
    again = document_of(extraction)
    assert {mark.covers for mark in again.marks} == {
        (c.claim.start, c.claim.end) for c in extraction.citations if c.claim
    }


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "[cite_start]Rain fell in May [cite: 1]. [span_0](start_span)Snow fell again[span_0](end_span).",
            ["Rain fell in May.", "Snow fell again."],
        ),
        ("Rain \ue203fell\ue204 in May in \ue200entity\ue202[\"city\",\"Oslo\",\"x\"]\ue201 too.",
         ["Rain fell in May in Oslo too."]),
        (
            'It has a dome.<grok:render card_id="4c" type="render_searched_image">\n'
            '<argument name="image_id">8</argument>\n</grok:render> It is old.',
            ["It has a dome.", "It is old."],
        ),
    ],
)  # fmt: skip
def test_markup_that_cites_nothing_goes_from_claims(text: str, claims: list[str]) -> None:
    extraction = extract(text)
    assert [k.text for k in extraction.claims] == claims
    assert extraction.notices == ()


@pytest.mark.parametrize(
    ("text", "count", "shown"),
    [
        ("Rain fell [S1]. Snow fell [S2, S3].", 2, "“[S1]”, “[S2, S3]”"),
        ("Rain fell [kb#12] and 〖3〗.", 2, "“[kb#12]”, “〖3〗”"),
        ("Rain fell <<ref_3>>.", 1, "“<<ref_3>>”"),
        ("Rain fell.[4711]", 1, "“[4711]”"),
        ("Rain fell {{DOC:::12:::plan}}.", 1, "“{{DOC:::12:::plan}}”"),
        ("Rain fell <evidence id=3>.", 1, "“<evidence id=3>”"),
    ],
)
def test_what_looks_like_a_mark_of_no_known_kind_is_told(text: str, count: int, shown: str) -> None:
    extraction = extract(text)
    assert not extraction.citations
    marks = "1 mark" if count == 1 else f"{count} marks"
    (notice,) = extraction.notices
    assert notice.startswith(f"{marks} of an unknown kind ")
    assert notice.endswith(f"{shown}.")
    assert extraction.to_dict()["notices"] == [notice]
    assert "notices" not in extract("Rain fell [1].").to_dict()


@pytest.mark.parametrize(
    "text",
    [
        "She said it [sic] in [1999]. See [Fig_3] and `[S1]` and x = a[4711].",
        "The file is data.csv (see data.csv). I return the turn0 of it.",
        "| [a:1](https://example.org) |\n\n```\n[S1] <<ref_3>>\n```",
        "它于【重要】年建成。It rose [+2] to [−3] or [0, 1].",
    ],
)
def test_brackets_of_other_kinds_are_not_told(text: str) -> None:
    assert extract(text).notices == ()


def test_a_list_that_no_mark_cites_is_told() -> None:
    text = "Rain fell.\n\n## References\n1. Lee, A. (2019). Rain. J. 3.\n2. Ito, B. (2018). Snow. J. 2."
    (notice,) = extract(text).notices
    assert notice.startswith("The text has a reference list of 2 numbered entries and no mark")


LIST = "\n\nReferences\n" + "\n".join(
    f"{n}. Lee {c}. Rain. J W. 201{n};3:1-9." for n, c in enumerate("ABCD", 1)
)


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("Rain doubled.1 Snow fell.2,3 It is long.4", ["1", "2,3", "2,3", "4"]),
        ("Rain doubled. 1 Snow fell. 2–4\nIt is long.", ["1", "2–4", "2–4", "2–4"]),
        ("Rain in the north,1 and snow,2 fell in valleys3 too.", ["1", "2", "3"]),
        ("Rain doubled (1). Snow fell (2, 3).", ["(1)", "(2, 3)", "(2, 3)"]),
        ("There are aims: (1) speed, (2) size and (3) cost.", []),
        ("Windows 3 and mp3 grew. See Fig. 1. It has 2 parts.", []),
        ("Rain doubled.1 It is long.", []),
    ],
)
def test_a_list_explains_numbers_that_lost_their_raised_form(text: str, marks: list[str]) -> None:
    extraction = extract(text + LIST)
    found = [c for c in extraction.citations if c.kind == "numbered"]
    assert [c.raw for c in found] == marks
    assert all(c.reference is not None for c in found)
