"""Which given source each citation means: by every name that people give it, and never by half."""

import pytest

from tests.bench.bench_source_matching import alike
from tests.fakes.pdfs import pdf_of, raw_pdf
from workbench import extract, verify
from workbench.judging.scripted import ScriptedJudge
from workbench.pipeline.source_matching import match_sources

JUDGE = ScriptedJudge([{"label": "not_supported"}])


def answer(*entries, marks=None):
    """An answer with a sentence for each entry of its list."""
    marks = marks or [f"[{number}]" for number in range(1, len(entries) + 1)]
    sentences = " ".join(f"Sentence number {at} says it {mark}." for at, mark in enumerate(marks))
    return f"{sentences}\n\n## References\n\n" + "\n".join(entries) + "\n"


def numbered(*entries):
    return answer(*(f"[{number}] {entry}" for number, entry in enumerate(entries, 1)))


def matched(text, sources):
    """For each source the raw markers that it answers, and by what."""
    extraction = extract(text)
    raws = {citation.id: citation.raw for citation in extraction.citations}
    return [
        (sorted({raws[citation] for citation in match.citations}), match.by)
        for match in match_sources(extraction, sources).matches
    ]


def named(title, content="Some words about the matter.", **more):
    return {"title": title, "content": content, **more}


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        ("Corrow Harbour Board, Dredging Ledger Q2 2023", "Dredging Ledger, Q2 2023 | Corrow Harbour Board"),
        ("Haugen, P. & Ito, S. (2019). Creep of tin at room temperature. Alloys Today.",
         "Haugen & Ito (2019): Creep of tin at room temperature"),
        ("Haugen P, Ito S. Creep of tin at room temperature. Alloys Today 2019;4:1-9.",
         "Creep of tin at room temperature: a study of ten alloys"),
        ("Varga, I. (2021). Études de l'érosion côtière. Éditions du Sable.",
         "Etudes de l'erosion cotiere (I. Varga, 2021)"),
        ("Wasserwerk Tornau: Jährlicher Prüfbericht 2022", "Jaehrlicher Pruefbericht 2022 – Wasserwerk Tornau"),
        ("The Tornau Post, \"Buckets for everyone\"",
         "Buckets for everyone: how a town saved its wells | The Tornau Post"),
        ("Institut Meridian. Minutes, March 2024.", "Minutes of the March 2024 meeting | Institut Meridian"),
        ("安平市水务局：2023年供水公报", "2023年供水公报 | 安平市水务局"),
        ("何安平等：管网漏损的影响因素", "管网漏损的影响因素（何安平等，2022）"),
        ("Registro Civil de Lomas (2020). Nacimientos y defunciones en la provincia.",
         "NACIMIENTOS Y DEFUNCIONES EN LA PROVINCIA - Registro Civil de Lomas"),
        ("Lake Sediment Office", "Core 7: summary of pollen zones | Lake Sediment Office"),
    ],
)  # fmt: skip
def test_a_title_is_known_with_what_stands_beside_it(entry, title):
    decoy = named("Timetables of the northern ferries | Ferry Office")
    assert matched(numbered(entry), [decoy, named(title)]) == [([], None), (["[1]"], "title")]


SERIES = (
    ("Corrow Harbour Board, Dredging Ledger Q3 2023", "Dredging Ledger, Q4 2023 | Corrow Harbour Board"),
    ("Corrow Harbour Board: Dredging ledger 3/2023", "Dredging ledger Q4 2023 – Corrow Harbour Board"),
    ("Corrow Harbour Board (2022). Dredging ledger of the outer port.",
     "Dredging ledger of the outer port 2023 | Corrow Harbour Board"),
    ("Institut Meridian. Minutes, March 2024.", "Minutes of the April 2024 meeting | Institut Meridian"),
    ("Haugen, P. (2019). Creep of tin, part II. Alloys Today.", "Creep of tin, part III"),
    ("Haugen, P. & Ito, S. (2019). Creep of tin at room temperature. Alloys Today.",
     "Okoye & Lund (2019): Creep of tin at room temperature"),
    ("Wasserwerk Tornau (2022). Bericht über das Leitungsnetz.", "Bericht über das Kanalnetz | Wasserwerk Tornau"),
    ("Wasserwerk Tornau (2022). Leaks in the eastern mains.", "New opening hours of the office | Wasserwerk Tornau"),
)  # fmt: skip


@pytest.mark.parametrize(("entry", "title"), SERIES)
def test_another_issue_author_or_report_is_not_taken_for_it(entry, title):
    """Alone, where it would be the nearest source that there is."""
    assert matched(numbered(entry), [named(title)]) == [([], None)]


@pytest.mark.parametrize(
    ("entries", "titles"),
    [
        (["Corrow Harbour Board, Dredging Ledger Q3 2023", "Corrow Harbour Board, Dredging Ledger Q4 2023"],
         ["Dredging Ledger, Q3 2023 | Corrow Harbour Board", "Dredging Ledger, Q4 2023 | Corrow Harbour Board"]),
        (["Haugen, P. (2019a). Creep of tin. Alloys.", "Haugen, P. (2019b). Creep of lead. Alloys."],
         ["Haugen (2019a): Creep of tin", "Haugen (2019b): Creep of lead"]),
        (["Haugen, P. (2019). Wear of gears. Alloys.", "Haugen, P. (2019). Wear of gears in cold water. Alloys."],
         ["Wear of gears", "Wear of gears in cold water"]),
        (["Haugen, P. (2019). Wear of gears under load. Alloys.",
          "Okoye, T. (2019). Wear of gears under load. Metals."],
         ["Wear of gears under load (P. Haugen, 2019)", "Wear of gears under load (T. Okoye, 2019)"]),
        (["Wasserwerk Tornau (2022). Leaks in the eastern mains.",
          "Wasserwerk Tornau (2022). Pressure in the eastern mains."],
         ["Leaks in the eastern mains | Wasserwerk Tornau", "Pressure in the eastern mains | Wasserwerk Tornau"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True])
def test_neighbours_are_told_apart(entries, titles, turned):
    sources = [named(title) for title in titles]
    expected = [(["[1]"], "title"), (["[2]"], "title")]
    if turned:
        sources.reverse()
        expected.reverse()
    assert matched(numbered(*entries), sources) == expected


def test_a_tie_is_no_match_and_is_told():
    text = numbered("Haugen, P. (2019). Wear of gears under load. Alloys.")
    sources = [named("Wear of gears under load", "One."), named("Wear of gears under load", "Two.")]
    matches = match_sources(extract(text), sources).matches
    assert [match.by for match in matches] == [None, None]
    assert all("as other sources do" in match.why for match in matches)
    same = [sources[0], dict(sources[0])]
    assert [by for _, by in matched(text, same)] == ["title", None]


def test_the_order_in_which_names_count():
    """Named, address, identifier, label, title: each source is what only the next ones contradict."""
    text = numbered(
        "Facts of the old bridge. https://bridge.example/facts",
        "The opening of the old bridge. doi:10.5555/opening",
    )
    sources = [
        named("Facts of the old bridge", **{"for": ["2"]}),
        named("x", url="http://www.bridge.example/facts/", label="2"),
    ]
    assert matched(text, sources) == [(["[2]"], "given"), (["[1]"], "url")]
    sources = [
        named("The opening of the old bridge", url="https://bridge.example/facts", label="2"),
        named(
            "Facts of the old bridge",
            "Journal of bridges\ndoi:10.5555/OPENING\n\nWords.",
            label="1",
        ),
    ]
    assert matched(text, sources) == [(["[1]"], "url"), (["[2]"], "identifier")]
    sources = [named("Facts of the old bridge", label="2"), named("y", label="1")]
    assert matched(text, sources) == [(["[2]"], "label"), (["[1]"], "label")]


@pytest.mark.parametrize(
    ("name", "markers"),
    [
        ("1", ["[1]"]), ("[2]", ["[2]"]), ("Haugen 2019", ["[1]"]), ("Okoye & Lund, 2020", ["[2]"]),
        ("Wear of gears", ["[1]"]), ("Okoye and Lund (2020)", ["[2]"]), ("9", []), ("Haugen 2020", []),
    ],
)  # fmt: skip
def test_a_source_names_its_citations(name, markers):
    text = numbered(
        "Haugen, P. (2019). Wear of gears. Alloys.", "Okoye, T. & Lund, A. (2020). Rust. Metals."
    )
    source = {"content": "Nothing that tells.", "for": [name]}
    assert matched(text, [source]) == [(markers, "given" if markers else None)]
    (match,) = match_sources(extract(text), [source]).matches
    assert markers or match.why == f"The text has no citation “{name}”."


def test_a_source_for_no_citation_is_used_for_none():
    text = numbered("Wear of gears. https://gears.example/a")
    assert matched(text, [{"content": "x", "url": "https://gears.example/a", "for": []}]) == [
        ([], None)
    ]


@pytest.mark.parametrize(
    ("source", "by"),
    [
        ({"title": "Haugen & Ito (2019): Creep of tin"}, "authors"),
        ({"title": "Creep of tin (Haugen et al., 2019)"}, "authors"),
        ({"content": "Creep of tin\nP. Haugen and S. Ito\nAlloys Today, 2019\n\nTin creeps."}, "authors"),
        ({"title": "Haugen & Ito (2018): Creep of tin"}, None),
        ({"title": "Okoye (2019): Rust"}, None),
        ({"title": "Rust", "content": "In 2019 there was rust. Haugen and Ito saw it, and wrote a letter "
          "to the editor of the paper about all the things that they had seen there on that day."}, None),
    ],
)  # fmt: skip
def test_a_mark_without_an_entry_is_known_by_authors_and_year(source, by):
    source = {"content": "Tin creeps.", **source}
    text = "Tin creeps slowly at room temperature (Haugen & Ito, 2019)."
    assert [found for _, found in matched(text, [source])] == [by]


def test_two_works_of_one_author_and_year_are_not_guessed():
    text = "Tin creeps (Haugen, 2019a). Lead creeps, too (Haugen, 2019b)."
    assert matched(text, [named("Creep of metals (Haugen, 2019)")]) == [([], None)]
    sources = [named("Lead (Haugen, 2019b)"), named("Tin (Haugen, 2019a)")]
    assert [by for _, by in matched(text, sources)] == ["authors", "authors"]
    assert matched(text, sources)[0][0] != matched(text, sources)[1][0]


HEADS = {
    "second line": "Facts of the bridge\nhttps://www.bridge.example/facts/?utm_source=x\n\nIt is long.",
    "doi": "Vol. 3, no. 1\nhttps://doi.org/10.5555/Facts.7\n\nIt is long.",
    "arXiv": "arXiv:2101.01234v2 [cs.DL] 4 Jan 2021\nA paper\nIt is long.",
    "metadata": '<html><head><meta name="citation_doi" content="10.5555/facts.7"></head>'
    "<body>It is long.</body></html>",
}  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_a_text_is_known_by_the_address_that_it_prints(head):
    text = numbered(
        "Old bridges. https://bridge.example/facts",
        "Bridges of the world. doi:10.5555/facts.7",
        "Bridge learning. arXiv:2101.01234",
    )
    ((markers, by),) = matched(text, [{"content": HEADS[head]}])
    assert (len(markers), by) == (1, "url" if head == "second line" else "identifier")


def test_an_address_in_a_sentence_is_not_the_text_s_own():
    text = numbered("Old bridges. https://bridge.example/facts")
    content = "A short note on what the page https://bridge.example/facts says of the old bridges over the river."
    assert matched(text, [{"content": content}]) == [([], None)]
    listed = "\n".join(["https://bridge.example/facts", "https://bridge.example/b"])
    both = numbered("Old. https://bridge.example/facts", "New. https://bridge.example/b")
    assert matched(both, [{"content": listed}]) == [([], None)]


def test_files_are_known_by_what_is_in_them_and_by_their_names(tmp_path):
    (tmp_path / "download.pdf").write_bytes(
        pdf_of("Alloys Today 4 (2019)\ndoi:10.5555/creep.1\nTin creeps.")
    )
    (tmp_path / "wear-of_gears-under-load.txt").write_text("Gears wear.")
    (tmp_path / "3.html").write_text("<p>Rust.</p>")
    text = numbered(
        "Haugen, P. (2019). Creep of tin. Alloys Today. https://doi.org/10.5555/creep.1",
        "Okoye, T. (2020). Wear of gears under load. Metals.",
        "Lund, A. (2021). Rust never sleeps. Metals.",
    )
    assert matched(text, tmp_path) == [
        (["[3]"], "label"),
        (["[1]"], "identifier"),
        (["[2]"], "file"),
    ]


PIXEL = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray "
    b"/BitsPerComponent 8 /Length 1 >>\nstream\n0\nendstream"
)


def test_a_scan_says_that_it_is_one(tmp_path):
    (tmp_path / "scan.pdf").write_bytes(raw_pdf("q 500 0 0 500 50 50 cm /O6 Do Q", objects=[PIXEL]))
    text = numbered("Haugen, P. (2019). Creep of tin at low temperature. Alloys Today.")
    run = verify(text, judge=JUDGE, sources=tmp_path)
    (match,) = run.source_matches
    assert "pictures without text" in match.why
    (tmp_path / "scan.pdf").rename(tmp_path / "1.pdf")
    (result,) = verify(text, judge=JUDGE, sources=tmp_path).counted
    assert result.error.kind == "unreadable"
    assert "pictures without text" in result.error.message


def test_what_nothing_cites_is_told():
    text = "It is long [1].\n\nReferences\n[1] Bridges.\n[2] The history of tin in Europe.\n"
    (match,) = match_sources(extract(text), [named("The history of tin in Europe")]).matches
    assert (match.by, match.citations) == (None, ())
    assert "which nothing in the text cites" in match.why


def test_a_citation_says_why_it_has_no_source():
    text = numbered("Haugen, P. (2019). Wear of gears under load. Alloys.")
    run = verify(text, judge=JUDGE, sources=[named("The price of rice in autumn")])
    (result,) = run.counted
    assert "None of the provided sources" in result.error.message
    twice = [named("a", "One.", label="1"), named("b", "Two.", label="1")]
    (result,) = verify(text, judge=JUDGE, sources=twice).counted
    assert "2 of the provided sources fit" in result.error.message


def test_two_hundred_sources_of_like_titles_go_to_their_own_works():
    number = 200
    text, sources = alike(number)
    found = matched(text, sources[::-1])
    assert [markers for markers, _ in found] == [[f"[{at + 1}]"] for at in reversed(range(number))]
