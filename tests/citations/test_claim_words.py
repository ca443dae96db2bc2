"""The words of claims: clean sentences in place of what their marks leave behind."""

from dataclasses import replace

import pytest

from workbench.citations import document_of, extract, with_clean_claims
from workbench.citations.claims.words import ClaimWords
from workbench.records.citation import Citation
from workbench.records.text import Excerpt, Span


def cited(text: str) -> list[str]:
    marks = [c for c in extract(text).citations if c.kind not in ("quote", "statistic")]
    return [c.claim.text if c.claim else "" for c in marks]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Rain fell [1] in May.", "Rain fell in May."),
        ("Rain fell in May ([1]; see also [2]).", "Rain fell in May."),
        ("Rain fell in May (Source: [1]).", "Rain fell in May."),
        ("Rain fell in May – [source](https://a.example/x).", "Rain fell in May."),
        ("Rain fell in May — https://a.example/a/long/address/of/a/page?x=1", "Rain fell in May"),
        ("Rain fell in May, [1], and it was wet.", "Rain fell in May, and it was wet."),
        ("Rain fell **[1]** in May.", "Rain fell in May."),
        ("**Rain** fell\nin   May [1].", "Rain fell in May."),
        ("Rain fell (12 mm, [1]) in May.", "Rain fell (12 mm) in May."),
        ("Rain fell ([a.example](https://a.example/x)).", "Rain fell."),
        ("Rain fell, says [the WMO](https://wmo.example).", "Rain fell, says the WMO."),
        ("According to [4], rain fell in May.", "rain fell in May."),
        ("Rain fell in May, as reported in [4].", "Rain fell in May."),
        ("The data of [4] show rain in May.", "The data of [4] show rain in May."),
        ("[4] shows that rain fell in May.", "[4] shows that rain fell in May."),
        ("Rain fell (Lee, 2019; Ito, 2020) in May.", "Rain fell in May."),
        ("La pluie est tombée [1] : elle dure.", "La pluie est tombée : elle dure."),
        ("五月下雨了 [1]，后来下雪了。", "五月下雨了，后来下雪了。"),
        ("Rain fell in 1.5 of 3.1 cases [1].", "Rain fell in 1.5 of 3.1 cases."),
        ("Rain fell 🌧 [1].", "Rain fell 🌧."),
        (
            "There are 2) small [1] and a) big ones (in part) too.",
            "There are 2) small and a) big ones (in part) too.",
        ),
    ],
)
def test_a_claim_is_a_clean_sentence(text: str, claim: str) -> None:
    assert set(cited(text)) == {claim}


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (
            "According to Eurostat [5], prices rose; the OECD puts it at 3 percent [6].",
            ["According to Eurostat, prices rose", "the OECD puts it at 3 percent"],
        ),
        (
            "**Views:** according to [a poll](https://a.example), 7 in 10 agree, but 4 would host it [6].",
            ["Views: according to a poll, 7 in 10 agree", "4 would host it"],
        ),
        (
            "居民态度：据[一项调查](https://a.example)，七成居民支持，不过只有四成愿意[6]。",
            ["居民态度：据一项调查，七成居民支持", "不过只有四成愿意"],
        ),
        ("桥梁：根据[5]，桥长120米；另一份报告说是130米[6]。", ["桥梁：桥长120米", "另一份报告说是130米"]),
        (
            "Laut Eurostat [5], stiegen die Preise; die OECD nennt 3 Prozent [6].",
            ["Laut Eurostat, stiegen die Preise", "die OECD nennt 3 Prozent"],
        ),
        (
            "The DOI https://doi.org/10.1000/ab1 describes the method, and [the ministry's page]"
            "(https://m.example/p) lists subsidies.",
            ["The DOI https://doi.org/10.1000/ab1 describes the method", "the ministry's page lists subsidies."],
        ),
        (
            "Keane [3] blames the tax, but Voss [4] finds that rents had been rising.",
            ["Keane blames the tax", "Voss finds that rents had been rising."],
        ),
        (
            "Der [Bericht](https://b.example/x) nennt 71 Hektar; geplant waren 120 ([Antrag]"
            "(https://b.example/y)).",
            ["Der Bericht nennt 71 Hektar", "geplant waren 120"],
        ),
        (
            "It was rare in patients (Lee et al., 2021), and Osei and Marrow (2023) recorded none.",
            ["It was rare in patients", "Osei and Marrow (2023) recorded none."],
        ),
        (
            "It lasts [five years](https://a.example/x), and [no mould](https://b.example/y) was found.",
            ["It lasts five years", "no mould was found."],
        ),
        (
            "Choose a format (WAV, AIFF, MP3 [5]) or, if you save it, a name [6].",
            ["Choose a format WAV, AIFF, MP3", "if you save it, a name"],
        ),
        ("Rain fell in May [1], and snow fell in June [2].", ["Rain fell in May", "snow fell in June"]),
        (
            "| Item | Value | Source |\n|---|---|---|\n| Share of cobalt in that cost | half | [1] |",
            ["Share of cobalt in that cost | half"],
        ),
    ],
)  # fmt: skip
def test_each_citation_stands_for_its_own_clause(text: str, claims: list[str]) -> None:
    assert cited(text) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "Die Kosten liegen bei 9,8 Mio. € im Jahr",
        "Das sind, z. B. in Kiel, ca. 40 Mrd. Euro",
        "Er kam am 3. Mai und ging im 2. Halbjahr",
        "Nach Abs. 2 Nr. 3 gilt das i. d. R. Kindern",
        "Seit dem 19. Jahrhundert steht dort ein Turm",
        "Hier treffen sich M. Dupont et Mme. Roux",
        "Le site date d'env. 450 av. J.-C. selon eux",
        "Según la Dra. Llorente, cuesta p. ej. 4 euros",
        "El art. 5 y el núm. 4 rigen en EE. UU. ahora",
        "Il sig. Rossi cita l'art. 12 e pag. 4 del libro",
        "O Dr. Silva vive na av. Brasil com a Sra. Lima",
        "In nr. 6 staat dat dit o.a. huurders treft, d.w.z. 38 huizen",
        "It left the U.S. market in Jan. 2021 with Acme Inc. and others",
    ],
)
def test_abbreviations_and_ordinals_do_not_end_a_sentence(sentence: str) -> None:
    assert cited(f"{sentence} [1]. Danach kam der Regen [2].")[0] == f"{sentence}."


@pytest.mark.parametrize(
    "text",
    [
        "It rose to 12. The rest fell",
        "Es kostete 5 Mio. Die Stadt zahlte",
        "He chose plan b. It was cheap",
        "They sailed in May. Ships sank",
        "Es waren am Ende 40. Danach sank es",
        "She came in Jan. The rest came later",
    ],
)
def test_a_stop_that_ends_a_sentence_still_does(text: str) -> None:
    first, second = text.split(". ", 1)
    whole = f"{text}."
    sentences = [whole[s.start : s.end] for s in document_of(extract(whole)).sentences]
    assert sentences == [f"{first}.", f"{second}."]


def test_the_span_stays_and_each_character_has_its_place() -> None:
    text = "🙂 Rain [1] fell (see [2]) in May — [source](https://a.example/x)."
    (claim,) = extract(text).claims
    words = document_of(extract(text)).claim_words
    assert claim.text == "🙂 Rain fell in May."
    assert claim.span.of(text) == text
    places = words.places(claim.start, claim.end)
    assert "".join(text[place] for place in places) == claim.text


def test_a_text_of_many_marks_takes_linear_time() -> None:
    text = "Rain fell " + "[1] " * 20_000 + "in May."
    marks = document_of(extract(text)).marks
    assert ClaimWords(text, marks).clean(0, len(text)) == "Rain fell in May."


def test_claims_of_an_older_run_are_cleaned_once() -> None:
    extraction = extract("Rain fell [1] in May.")
    (citation,) = extraction.citations
    span = Span(0, len(extraction.text))

    def with_claim(text: str) -> Citation:
        older = replace(
            extraction, citations=(replace(citation, claim=Excerpt(span=span, text=text)),)
        )
        return with_clean_claims(older).citations[0]

    assert with_claim(extraction.text).claim == citation.claim
    worded = with_claim("Rain fell once.").claim
    assert worded is not None and worded.text == "Rain fell once."
