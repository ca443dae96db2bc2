"""What holds a claim's words and is no evidence for it: denied, taken back, of another subject."""

import pytest

from workbench.judging.evidence_choice import replacement_of
from workbench.judging.features import sentences_of
from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
from workbench.records.source import Passage
from workbench.records.text import Span

TABLE = (
    "| | 2023 | 2024 |\n| --- | --- | --- |\n| Rye | 3.1 t | 4.6 t |\n| Oats | 4.6 t | 3.9 t |\n"
)
ENTRIES = """\
HARBORS

Ostby
Berths: 310   Depth: 9 m
Crane: yes

Vestby
Berths: 130   Depth: 6 m
Crane: no
"""


def replaced(claim, text, sentence):
    passage = Passage(span=Span(70, 70 + len(text)), text=text)
    sentences = sentences_of([passage])
    start = 70 + text.index(sentence)
    found = replacement_of(claim, Span(start, start + len(sentence)), sentences, passage)
    if found is None:
        return None
    return found.reason, [text[span.start - 70 : span.end - 70].strip() for span in found.spans]


@pytest.mark.parametrize(
    ("claim", "text", "sentence", "expected"),
    [
        (
            "The ferry sank.",
            "A radio station said: “The ferry sank. Nobody was saved.” That is untrue. It lies in port.",
            "The ferry sank.",
            ("denied", ["That is untrue."]),
        ),
        (
            "Die Fähre ist gesunken.",
            "Im Netz heißt es, die Fähre sei gesunken. Das stimmt nicht. Sie liegt im Hafen.",
            "Im Netz heißt es, die Fähre sei gesunken.",
            ("denied", ["Das stimmt nicht."]),
        ),
        (
            "Le bac a coulé.",
            "Selon un blog, le bac a coulé. C’est faux. Il est au port.",
            "Selon un blog, le bac a coulé.",
            ("denied", ["C’est faux."]),
        ),
        (
            "El barco se hundió.",
            "Según un blog, el barco se hundió. Eso no es cierto. Está en el puerto.",
            "Según un blog, el barco se hundió.",
            ("denied", ["Eso no es cierto."]),
        ),
        (
            "渡轮已经沉没。",
            "网上有人说渡轮已经沉没。该说法不实。渡轮停在港内。",
            "网上有人说渡轮已经沉没。",
            ("denied", ["该说法不实。"]),
        ),
        (
            "Der Zoo schließt.",
            "Ein Blog schrieb: „Der Zoo schließt.“ Diese Meldung ist falsch. Er bleibt offen.",
            "Ein Blog schrieb: „Der Zoo schließt.“",
            ("denied", ["Diese Meldung ist falsch."]),
        ),
        (
            "北馆有座位9000个。",
            "北馆\n座位：4000\n\n南馆\n座位：9000\n",
            "座位：9000",
            ("another subject", ["座位：4000"]),
        ),
        (
            "Lead was 40 mg/L.",
            "Lead was 40 mg/L, a figure that was later withdrawn. It is 4 µg/L.",
            "Lead was 40 mg/L, a figure that was later withdrawn.",
            ("taken back", []),
        ),
        (
            "Blei lag bei 40 mg/l.",
            "Blei lag wegen eines Messfehlers bei 40 mg/l. Es sind 4 µg/l.",
            "Blei lag wegen eines Messfehlers bei 40 mg/l.",
            ("taken back", []),
        ),
        (
            "Rye gave 3.9 t in 2024.",
            TABLE,
            "| Oats | 4.6 t | 3.9 t |",
            ("another subject", ["| Rye | 3.1 t | 4.6 t |"]),
        ),
        (
            "Vestby has 310 berths.",
            ENTRIES,
            "Berths: 310   Depth: 9 m",
            ("another subject", ["Berths: 130   Depth: 6 m"]),
        ),
        (
            "No boat will leave before May.",
            "Intro of the page.\n\n“No boat will leave before May”\n\n"
            "The captain feared that no boat would leave before May. He was wrong.",
            "“No boat will leave before May”",
            ("pull quote", ["The captain feared that no boat would leave before May."]),
        ),
        # evidence itself
        (
            "A radio station said that the ferry sank.",
            "A radio station said: “The ferry sank.” That is untrue.",
            "A radio station said: “The ferry sank.”",
            None,
        ),
        ("The ferry sank.", "The ferry sank. This is a loss.", "The ferry sank.", None),
        ("Rye gave 4.6 t in 2024.", TABLE, "| Rye | 3.1 t | 4.6 t |", None),
        ("Rye gave more than oats.", TABLE, "| Oats | 4.6 t | 3.9 t |", None),
        ("The harvest was 4.6 t.", TABLE, "| Oats | 4.6 t | 3.9 t |", None),
        ("The harbor has 310 berths.", ENTRIES, "Berths: 310   Depth: 9 m", None),
        (
            "No boat will leave before May.",
            "Intro of the page.\n\n“No boat will leave before May”\n\nThe sea was calm.",
            "“No boat will leave before May”",
            None,
        ),
        (
            "The product was withdrawn in May.",
            "The product was sold from April and withdrawn in May.",
            "The product was sold from April and withdrawn in May.",
            None,
        ),
    ],
)
def test_what_stands_in_place_of_a_sentence(claim, text, sentence, expected):
    assert replaced(claim, text, sentence) == expected


@pytest.mark.parametrize(
    ("claim", "source", "shown", "hidden"),
    [
        (
            "The ferry Alma sank off Vestby.",
            "A radio station said: “The ferry Alma sank off Vestby.” That is untrue. It lies in port.",
            "That is untrue.",
            "sank off",
        ),
        ("Rye gave 3.9 t in 2024.", TABLE + "\nThe harvest was late.", "| Rye |", "Oats"),
        ("Vestby has 310 berths.", ENTRIES, "Berths: 130", "Berths: 310"),
    ],
)
def test_no_claim_holds_by_what_is_denied_or_said_of_another(claim, source, shown, hidden):
    judgment = open_judge("local").judge(claim, select_passages(claim, source))
    quotes = " ".join(piece.quote for piece in judgment.evidence)
    assert judgment.label in ("contradicted", "not_supported")
    assert shown in quotes and hidden not in quotes
