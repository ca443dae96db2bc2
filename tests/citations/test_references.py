"""Reference lists in the styles that agents write: what entries say, which marks they match."""

import pytest

from workbench.citations import extract, parse_entry
from workbench.records.citation import Reference

BODY = "Rain fell in the north [1]. Snow fell in the south [2]. Both were heavy [1, 2].\n\n"
RAIN, SNOW = "https://example.com/rain", "https://example.org/snow_(ice)"

LISTS = {
    "bare": f"[1] {RAIN}\n[2] {SNOW}",
    "bare with blank lines": f"[1] {RAIN}\n\n[2] {SNOW}",
    "after a line": f"---\n[1] {RAIN}\n[2] {SNOW}",
    "url - title": f"References:\n[1] {RAIN} - Rain in the north\n[2] {SNOW} - Snow",
    "title, then url": f"## References\n\n[1] Rain in the north. {RAIN}\n[2] Snow. {SNOW}.",
    "numbered": f"## Sources\n1. Rain. {RAIN}\n2. Snow. {SNOW}",
    "numbered without a heading": f"1. Rain. {RAIN}\n2. Snow. {SNOW}",
    "numbered with brackets": f"**Sources**\n1) Rain ({RAIN})\n2) Snow ({SNOW})",
    "links": f"## Works Cited\n1. [Rain]({RAIN})\n2. [Snow]({SNOW})",
    "bullets with labels": f"## Sources:\n- [1] [Rain]({RAIN})\n- [2] [Snow]({SNOW})",
    "bullets": f"## Sources\n- [Rain]({RAIN})\n- [Snow]({SNOW})",
    "bold labels": f"**References:**\n**[1]** Rain — <{RAIN}>\n**[2]** Snow — <{SNOW}>",
    "definitions": f'[1]: {RAIN} "Rain"\n[2]: {SNOW} "Snow"',
    "linked labels": f"Sources\n\n[1]({RAIN}) Rain\n[2]({SNOW}) Snow",
    "doubled labels": f"Sources\n\n[[1]]({RAIN}) Rain\n[[2]]({SNOW}) Snow",
    "two lines": f"## Bibliography\n[1] Rain in the north\n    {RAIN}\n[2] Snow\n    {SNOW}",
    "two flush lines": f"## Bibliography\n[1] Rain in the north\n{RAIN}\n[2] Snow\n{SNOW}",
    "one line": f"Sources: [1] {RAIN} [2] {SNOW}",
    "one bare line": f"[1] {RAIN} [2] {SNOW}",
    "table": (
        "## References\n| no | title | url |\n|---|---|---|\n"
        f"| 1 | Rain | {RAIN} |\n| 2 | Snow | {SNOW} |"
    ),
    "table of labels": (
        f"## References\n| [1] | [Rain]({RAIN}) |\n|---|---|\n| [2] | [Snow]({SNOW}) |"
    ),
    "words": f"References\nSource 1: Rain {RAIN}\nSource 2: Snow {SNOW}",
    "Chinese": f"参考文献：\n[1] 北方的雨[EB/OL]. {RAIN}.\n[2] 南方的雪[EB/OL]. {SNOW}.",
    "lenticular": f"## 参考资料\n【1】雨 {RAIN}\n【2】雪 {SNOW}",
    "full width": f"来源\n［１］雨 {RAIN}\n［２］雪 {SNOW}",
    "numbered heading": f"## 8. References\n[1] {RAIN}\n[2] {SNOW}",
    "Chinese numbered heading": f"## 八、参考文献\n[1] {RAIN}\n[2] {SNOW}",
    "emoji heading": f"### 📚 Sources\n[1] {RAIN}\n[2] {SNOW}",
    "underlined heading": f"References\n----------\n[1] {RAIN}\n[2] {SNOW}",
    "HTML heading": f"<h2>References</h2>\n1. Rain {RAIN}\n2. Snow {SNOW}",
    "heading twice": f"## References\n\n[see report]\n\n参考文献：\n[1] {RAIN}\n[2] {SNOW}",
    "a list without addresses before it": (
        f"## References\n1. Lee, K. (2020). Fog.\n2. Ito, M. (2019). Hail.\n\n"
        f"参考文献：\n[1] {RAIN}\n[2] {SNOW}"
    ),
    "words after it": f"## References\n[1] {RAIN}\n[2] {SNOW}\n\nI hope this helps!",
    "a part after it": f"## References\n[1] {RAIN}\n[2] {SNOW}\n\n## Appendix\nHail fell, too.",
    "in the wrong order": f"## References\n[2] {SNOW}\n[1] {RAIN}",
    "open fence before it": f"```\ncode\n\n## References\n[1] {RAIN}\n[2] {SNOW}",
}


@pytest.mark.parametrize("style", LISTS)
def test_every_mark_finds_its_entry(style: str) -> None:
    extraction = extract(BODY + LISTS[style])
    linked = [
        (c.identifier, c.target and c.target.value)
        for c in extraction.citations
        if c.kind == "numbered"
    ]
    assert linked == [("1", RAIN), ("2", SNOW), ("1", RAIN), ("2", SNOW)]
    assert {c.kind for c in extraction.citations} == {"numbered"}
    by_index = [c.target.reference for c in extraction.citations if c.target]
    assert all(i is not None and extraction.references[i].target is not None for i in by_index)
    assert not any("example" in claim.text for claim in extraction.claims)


@pytest.mark.parametrize(
    ("mark", "entries"),
    [
        ("[^1]", "[^1]: Rain. {url}"),
        ("[^rain]", "[^rain]: Rain. {url}"),
        ("¹", "## Notes\n¹ Rain. {url}"),
        ("<sup>1</sup>", "## Notes\n<sup>1</sup> Rain. {url}"),
        ("【1】", "来源：\n【1】雨 {url}"),
        ("[@rain2019]", "## References\n[@rain2019]: Rain. {url}"),
        ("[Rain2019]", "## References\n[Rain2019] Rain, A. (2019). Weather. {url}"),
        ("[Rain2019]", "## References\nRain, A. (2019). Weather. {url}"),
        ("[WMO]", "## References\n[WMO] World weather. {url}"),
        ("(Rain, 2019)", "## References\nRain, A. (2019). Weather. {url}"),
        ("(Rain & Lee, 2019)", "## References\nRain, A., & Lee, B. (2019). Weather. {url}"),
        ("(Rain et al., 2019b)", "## References\nRain, A., Lee, B., & Ito, C. (2019b). W. {url}"),
        ("(WMO, 2019)", "## References\nWorld Meteorological Organization. (2019). W. {url}"),
        (
            "(World Meteorological Organization, 2019)",
            "## References\nWMO (World Meteorological Organization), 2019. Weather. {url}",
        ),
        ("(van der Regen, 2019)", "## Literatur\nvan der Regen, A. (2019). Wetter. {url}"),
        ("(Müller, 2019)", "## Quellen\nMuller, A. (2019). Wetter. {url}"),
        ("（王小明，2019）", "## 参考文献\n[1] 王小明. 天气研究[J]. 气象, 2019. {url}"),
        ("（王小明等，2019）", "## 参考文献\n王小明, 李强. 天气研究[J]. 气象, 2019. {url}"),
        ("（田中, 2019）", "## 参考文献\n田中太郎（2019）『天気』 {url}"),
        ("[1]", "## Références\n[1] Pluie. {url}"),
        ("[1]", "## Referencias\n[1] Lluvia. {url}"),
        ("[1]", "## Источники\n[1] Дождь. {url}"),
        ("[1]", "## 出典\n[1] 雨 {url}"),
        ("[1]", "## 참고문헌\n[1] 비 {url}"),
    ],
)
def test_marks_of_every_kind_find_their_entry(mark: str, entries: str) -> None:
    extraction = extract(f"Rain fell {mark}.\n\n{entries.format(url=RAIN)}\n")
    assert [c.target and c.target.value for c in extraction.citations] == [RAIN]
    assert len(extraction.references) == 1


@pytest.mark.parametrize("colon", [":", "：", ": ", "： "])
@pytest.mark.parametrize(
    "label",
    ["[{}]", "［{}］", "【{}】", "（{}）", "{}", "文献{}", "文献 {}", "文献［{}］", "**文献{}**",
     "参考文献{}", "參考文獻{}", "资料{}", "来源[{}]", "出处{}", "引文{}", "注{}", "注释{}", "脚注（{}）", "第{}条",
     "Source {}", "Source ({})"],
)  # fmt: skip
def test_a_label_ends_in_a_colon_of_either_width(label: str, colon: str) -> None:
    entries = [
        "王明. 降雨学[M]. 北京: 雨水出版社, 2019.",
        "李伟：《屋顶研究》，《雨学刊》2020年第3期。",
    ]
    lines = [f"{label.format(n)}{colon}{line}" for n, line in enumerate(entries, 1)]
    extraction = extract("Rain fell [1]. Roofs [2].\n\n参考文献\n" + "\n".join(lines) + "\n")
    assert [(r.label, r.title, r.authors) for r in extraction.references] == [
        ("1", "降雨学", ("王明",)),
        ("2", "屋顶研究", ("李伟",)),
    ]


def entry(line: str) -> Reference:
    extraction = extract(f"Rain fell [1].\n\n## References\n[1] {line}\n")
    assert len(extraction.references) == 1
    return extraction.references[0]


@pytest.mark.parametrize(
    ("line", "title", "authors", "year", "target"),
    [
        (
            "Smith, J., & Jones, K. L. (2019). Ice ages. Nature, 5(2), 1-20. https://doi.org/10.1/a",
            "Ice ages",
            ("Smith, J.", "Jones, K. L."),
            2019,
            "https://doi.org/10.1/a",
        ),
        (
            'Smith, John, and Mary Jones. "The Big Title." Journal, vol. 12, 2019. https://e.org/x',
            "The Big Title",
            ("Smith, John", "Mary Jones"),
            2019,
            "https://e.org/x",
        ),
        (
            "Smith J, Jones KL, et al. Title here. Lancet. 2019;1:4-6. doi: 10.1016/S0140(19)3-2",
            "Title here",
            ("Smith J", "Jones KL"),
            2019,
            "10.1016/S0140(19)3-2",
        ),
        (
            'J. Smith, K. Jones, and M. Lee, "A fast method," IEEE Trans., vol. 1, 2019.',
            "A fast method",
            ("J. Smith", "K. Jones", "M. Lee"),
            2019,
            None,
        ),
        ("王小明, 李强. 人口研究[J]. 学刊, 2019.", "人口研究", ("王小明", "李强"), 2019, None),
        ("国家统计局：《统计公报》，https://e.cn/x", "统计公报", ("国家统计局",), None, "https://e.cn/x"),
        ("WHO. (2020). World malaria report.", "World malaria report", ("WHO",), 2020, None),
        ("https://e.org/p - A Title - Site", "A Title - Site", (), None, "https://e.org/p"),
        ("https://e.org/p", None, (), None, "https://e.org/p"),
        ("[A Linked Title](https://e.org/p), 2021", "A Linked Title", (), 2021, "https://e.org/p"),
        ("A Title Alone. https://e.org/q", "A Title Alone", (), None, "https://e.org/q"),
        ("Doe, Jane. *The Book*. Oxford, 2010.", "The Book", ("Doe, Jane",), 2010, None),
        ("arXiv:2301.12345", None, (), None, "2301.12345"),
        ("PMID: 12345678", None, (), None, "12345678"),
        ("Roe v. Wade, 1 U.S. 1 (1973)", "Roe v. Wade", (), 1973, "1 U.S. 1"),
        ("file:src/app.py:12", None, (), None, "src/app.py:12"),
        ("https://e.org/zh-hans/中產 - 中产", "中产", (), None, "https://e.org/zh-hans/中產"),
        ("https://e.org/a_(b), accessed 2024", None, (), None, "https://e.org/a_(b)"),
    ],
)  # fmt: skip
def test_an_entry_says_title_authors_year_and_address(
    line: str, title: str | None, authors: tuple[str, ...], year: int | None, target: str | None
) -> None:
    reference = entry(line)
    assert reference.text == f"[1] {line}"
    assert reference.label == "1"
    assert (reference.title, reference.authors, reference.year) == (title, authors, year)
    assert (reference.target.value if reference.target else None) == target


def test_a_doi_is_kept_beside_the_address() -> None:
    reference = entry("Smith, J. (2019). Ice. https://doi.org/10.1000/ABC")
    assert reference.doi == "10.1000/ABC"
    assert reference.target is not None and reference.target.form == "url"
    assert entry("Smith, J. (2019). Ice. doi:10.1000/abc").target == reference.target.__class__(
        form="doi", value="10.1000/abc"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Rain fell [1].", "The text has no reference list that explains [1]."),
        (
            f"Rain fell [7].\n\n## References\n[1] {RAIN}\n[2] {SNOW}",
            "The reference list has no entry [7]; its numbers run from 1 to 2.",
        ),
        (
            f"Rain fell [1].\n\n## References\n[1] {RAIN}\n[1] {SNOW}",
            "The reference list has 2 different entries [1].",
        ),
        (
            "Rain fell [1].\n\n## References\n[1] Lee, K. (2020). Rain. Oslo.\n[2] Ito. Snow.",
            "Entry 1 gives no address to look up.",
        ),
        (
            f"Rain fell (Lee, 2018).\n\n## References\nLee, K. (2020). Rain. {RAIN}",
            "The reference list has Lee of 2020, not of 2018.",
        ),
        (
            f"Rain fell (Ito, 2018).\n\n## References\nLee, K. (2020). Rain. {RAIN}",
            "The reference list has no entry for Ito 2018.",
        ),
        (
            f"Rain fell (Lee, 2020).\n\n## References\nLee, A. (2020). Rain. {RAIN}\n"
            f"Lee, B. (2020). Snow. {SNOW}",
            "2 entries fit Lee 2020.",
        ),
        ("Rain fell (ibid.).", "“ibid.” has no citation before it."),
    ],
)
def test_what_cannot_be_linked_says_why(text: str, reason: str) -> None:
    (citation,) = extract(text).citations
    assert citation.target is None
    assert citation.unlinked == reason


def test_the_same_entry_twice_is_no_conflict() -> None:
    extraction = extract(f"Rain fell [1].\n\n## References\n[1] {RAIN}\n[1] {RAIN}")
    assert extraction.citations[0].target is not None
    assert len(extraction.references) == 2


def test_of_several_lists_the_next_one_is_meant() -> None:
    part = "Rain fell [1].\n\n## References\n[1] https://example.com/{}\n\n"
    extraction = extract("# A\n" + part.format("a") + "# B\n" + part.format("b") + "Hail fell [1].")
    assert [c.target and c.target.value for c in extraction.citations] == [
        "https://example.com/a",
        "https://example.com/b",
        "https://example.com/b",
    ]


def test_an_entry_without_an_address_is_still_named() -> None:
    extraction = extract(
        "Rain fell (Lee, 2020).\n\n## References\nLee, K. (2020). Rain. Oslo Press."
    )
    assert extraction.citations[0].reference == 0
    assert extraction.references[0].title == "Rain"


def test_ibid_in_a_note_is_the_entry_before() -> None:
    extraction = extract(
        f"Rain[^1] and snow[^2] fell.\n\n[^1]: Weather. {RAIN}\n[^2]: Ibid., p. 5."
    )
    assert [c.target and c.target.value for c in extraction.citations] == [RAIN, RAIN]


@pytest.mark.parametrize(
    "text",
    [
        "## Sources\nSolar power grew by 20% in 2020 [1]. Wind power fell [2].",
        "## Energy sources\n- Solar power grew in 2020 [1]\n- Wind power fell in 2021 [2]",
        "## Sources\n- Solar power grew by 20% in 2020 [1]\n- Wind power fell in 2021 [2]",
        "The main sources of energy are:\n1. Solar power, since 2020\n2. Wind power, since 2021",
        "[1] Rain fell in the north.\n[2] Snow fell in the south.",
        "Sources: https://example.com/a, https://example.com/b",
    ],
)
def test_statements_are_no_entries(text: str) -> None:
    extraction = extract(text)
    assert extraction.references == ()
    assert len(extraction.citations) >= 1 or "main sources" in text


def test_an_address_in_the_text_is_tied_to_its_entry() -> None:
    extraction = extract(f"See {RAIN} for rain.\n\n## Sources\n- Snow {SNOW}\n- Rain {RAIN}/")
    assert extraction.citations[0].target is not None
    assert extraction.citations[0].target.reference == 1


WALLED = "Walls [1].\n\nReferences\n"
ENTRIES = [
    f"A. Roe and B. Lind. Study number {word} of walls in the eastern valley. Journal of Walls, "
    f"{number}(2):1-9, {2000 + number}."
    for number, word in enumerate(("one", "two", "three", "four", "five"), 1)
]
DATED = [
    f"Roe, A., & Lind, B. ({2000 + number}). Study number {word} of walls in the eastern valley. "
    f"Journal of Walls, {number}(2), 1–9."
    for number, word in enumerate(("one", "two", "three", "four", "five"), 1)
]


@pytest.mark.parametrize(
    "turn", ["\n14\n\n", "\n\n", "\n\nPage 3 of 9\n", "\n\nWalls and gates 14\n"]
)
@pytest.mark.parametrize("words", ["valley. ", "of walls "])
@pytest.mark.parametrize("labelled", [True, False])
def test_an_entry_goes_on_over_the_turn_of_a_page(turn: str, words: str, labelled: bool) -> None:
    lines = [f"[{number}] {line}" for number, line in enumerate(ENTRIES, 1)] if labelled else DATED
    broken = lines[2].replace(words, words.rstrip(" ") + turn)
    feet = "\n\nWalls and gates 15\n" if "gates" in turn else "\n"
    text = WALLED + "\n".join([*lines[:2], broken, *lines[3:]]) + feet
    references = extract(text).references
    assert [reference.year for reference in references] == [2001, 2002, 2003, 2004, 2005]
    assert [text[r.span.start : r.span.end] for r in references] == [r.text for r in references]
    if "gates" not in turn or words == "valley. ":
        title = "Study number three of walls in the eastern valley"
        assert references[2].title == title
        assert references[2].text.endswith(lines[2][-20:])


def test_entries_without_a_number_in_a_numbered_list_are_entries() -> None:
    text = WALLED + "\n".join(
        [
            f"[1] {ENTRIES[0]}",
            f"[2] {ENTRIES[1]} {RAIN}",
            DATED[2],
            "Statistics Nordholm. (2023). Walls of the year. Nordholm Press.",
            "[3] C. Ito. Gates of the north and of the",
            "south. Journal of Gates, 3(1):2–4, 2009.",
        ]
    )
    references = extract(text).references
    assert [(r.label, r.year) for r in references] == [
        ("1", 2001), ("2", 2002), (None, 2003), (None, 2023), ("3", 2009),
    ]  # fmt: skip
    assert references[3].authors == ("Statistics Nordholm",)
    assert references[4].title == "Gates of the north and of the south"


def test_a_number_that_begins_a_broken_line_is_no_label() -> None:
    text = (
        WALLED
        + "[1] C. Ito. Gates. Journal of Gates,\n12 (3), 45–67, 2009.\n[2] B. Roe. Doors. 2010."
    )
    assert [reference.label for reference in extract(text).references] == ["1", "2"]


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("https://doi.org/10.1000/\ngate.12345", "10.1000/gate.12345"),
        ("https://doi.org/\n10.1000/gate.12345", "10.1000/gate.12345"),
        ("doi:10.1000/gate-\n2021-77", "10.1000/gate-2021-77"),
        ("doi:10.1000/gate.\n2020.88", "10.1000/gate.2020.88"),
        ("doi:10.1000/gate\n.2020.88.", "10.1000/gate.2020.88"),
        ("https://doi.org/10.1000/gate_\n2019_\n55", "10.1000/gate_2019_55"),
        ("doi:10.1000/gate.12. See\nalso walls.", "10.1000/gate.12"),
        ("https://doi.org/10.1000/gate/\nAccessed 3 May 2021.", "10.1000/gate/"),
    ],
)
def test_an_identifier_is_read_on_in_the_next_line(written: str, doi: str) -> None:
    text = (
        WALLED + f"[1] C. Ito. Gates. Journal of Gates, 2009. {written}\n[2] B. Roe. Doors. 2010."
    )
    first, second = extract(text).references
    assert (first.doi, first.title, second.label) == (doi, "Gates", "2")
    assert first.target is not None and first.target.value.endswith(doi)
    spans = {name: first.text[s.start : s.end] for name, s in parse_entry(first.text).spans}
    assert "".join(spans["doi"].split()) == doi


@pytest.mark.parametrize("dash", ["———", "---", "_____", "—", "⸻"])
def test_a_dash_stands_for_the_authors_of_the_entry_before(dash: str) -> None:
    text = (
        "References\nRoe, Anna. 2018. Walls of the north. Oslo: Gate Press.\n"
        f"{dash}. 2019. Gates of the north. Oslo: Gate Press.\n"
        f"{dash}, and Bo Lind. 2020. “Doors.” Journal of Doors 3 (2): 1–9.\n"
    )
    assert [(r.authors, r.title, r.year) for r in extract(text).references] == [
        (("Roe, Anna",), "Walls of the north", 2018),
        (("Roe, Anna",), "Gates of the north", 2019),
        (("Roe, Anna", "Bo Lind"), "Doors", 2020),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [
            "Roe, A. (2019). Walls. Gate Press.",
            "Wall Trust (no date) About us.",
            "Lind, B. (2020). Doors. Gate Press.",
        ],
        [
            "Roe 2019, Walls, Gate Press",
            "12 lessons on walls, Wall Trust, 2018",
            "Lind and Ito 2020, Doors, Gate Press",
        ],
        ["12 lessons on walls (Roe, 2018)", "Walls – Gates (2019)", "Doors (Lind and Ito, 2020)"],
        [
            "- `roe19` **Walls.** Roe et al., Gates 2019.",
            "- **Doors** — Lind, Gates 2020",
            "- `ito20` **Bars.** Ito, Gates 2020.",
        ],
    ],
)
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_no_line_of_a_list_is_lost(lines: list[str], between: str) -> None:
    references = extract("## Reading list\n\n" + between.join(lines)).references
    assert [reference.text for reference in references] == lines


@pytest.mark.parametrize("heading", ["## Papers", "**Publications**", "# Further reading"])
def test_items_that_go_on_below_are_entries_of_a_list_of_papers(heading: str) -> None:
    text = f"""{heading}

* **Slow rivers and fast towns: flood memory in three ports of the northern coast of Lorve**
  Anna Roe and Bo Lind. *Weather*, 2021.
* **Rain on roofs: what a hundred winters on the same street say about gutters and about us**
  Hana Ito, et al. *Weather*, 2022.
"""
    references = extract(text).references
    assert [ref.year for ref in references] == [2021, 2022]
    assert [ref.authors[0] for ref in references] == ["Anna Roe", "Hana Ito"]


def test_what_is_told_of_papers_is_no_list() -> None:
    told = "- [Rain](https://y.example/1) had 12 readers in 2019.\n- [Snow](https://y.example/2) had 3 in 2020."
    assert not extract(f"Winters vary.\n\n## Papers\n\n{told}\n").references


def test_a_line_without_a_year_among_entries_is_one() -> None:
    entries = [
        "Roe, A. (2019). Walls. Gate Press.",
        "About walls. Wall Trust.",
        "Ito, B. (2020). Bars.",
    ]
    references = extract("## References\n\n" + "\n\n".join(entries)).references
    assert [reference.text for reference in references] == entries


@pytest.mark.parametrize(
    ("sentence", "mark", "entry"),
    [
        ("Le glacier recule (Observatoire du climat de Valmorin, 2019).",
         "(Observatoire du climat de Valmorin, 2019)", 0),
        ("Selon l'Observatoire du climat de Valmorin (2019), il recule.",
         "Observatoire du climat de Valmorin (2019)", 0),
        ("Selon Achard et Belin (2018), il avance.", "Achard et Belin (2018)", 1),
        ("Laut Bundesstelle für Wasser Nordau (2021) sinkt der Spiegel.",
         "Bundesstelle für Wasser Nordau (2021)", 2),
        ("Der Spiegel sinkt (vgl. Bundesstelle für Wasser Nordau, 2021).",
         "(vgl. Bundesstelle für Wasser Nordau, 2021)", 2),
        ("Según el Instituto para la Pesca (2020), sobra merluza.", "Instituto para la Pesca (2020)", 3),
        ("Nach Achard und Belin (2018) wächst er.", "Achard und Belin (2018)", 1),
    ],
)  # fmt: skip
def test_a_body_is_cited_by_its_whole_name(sentence: str, mark: str, entry: int) -> None:
    entries = [
        "Observatoire du climat de Valmorin (2019). Trente ans de relevés.",
        "Achard, P. et Belin, C. (2018). Neiges et pluies. Revue des glaces, 3(2), 4-9.",
        "Bundesstelle für Wasser Nordau (2021): Pegelstände.",
        "Instituto para la Pesca (2020). Informe anual.",
    ]
    text = sentence + "\n\nReferences\n\n" + "\n\n".join(entries) + "\n"
    [citation] = [c for c in extract(text).citations if c.kind == "author_year"]
    assert text[citation.span.start : citation.span.end] == mark
    assert citation.reference == entry
