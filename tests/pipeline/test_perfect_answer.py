"""A list of references is no claim: a flawless answer passes with its bibliography."""

from pathlib import Path

import pytest

from workbench.citations import claim_text, extract
from workbench.judging.scripted import ScriptedJudge
from workbench.pipeline.claim import extract_claims, ground_claims
from workbench.pipeline.policy_gate import gate
from workbench.pipeline.verification import verify
from workbench.policy import read_policy

POLICIES = Path(__file__).parents[2] / "data" / "policies"
JUDGE = [{"label": "supported", "quote": "*", "confidence": 0.99, "score": 0.99}]

ANSWER = """\
# The old bridge over the river

## Table of contents

1. [Length of the old bridge](#length)
2. Opening of the old bridge ........ 2

---

The old bridge is 120 metres long [1]. It was opened to carts in 1874 [2].[^note]

```python
print("The bridge was built by robots in 1999.")
```

[^note]: Opening of the old bridge, town archive. https://bridge.example/opening

## Further reading

- [Bridges of the whole valley](https://bridge.example/valley)
- Plans of the old bridge: https://bridge.example/plans

## References

[1] Bridge facts and figures. https://bridge.example/facts
[2] Opening of the old bridge. https://bridge.example/opening
"""
SENTENCES = ["The old bridge is 120 metres long [1].", "It was opened to carts in 1874 [2].[^note]"]
SOURCES = [
    {"url": "https://bridge.example/facts", "content": "The old bridge is 120 metres long."},
    {"url": "https://bridge.example/opening", "content": "It was opened to carts in 1874."},
]


def test_the_claims_of_an_answer_are_its_sentences():
    assert extract_claims(ANSWER) == SENTENCES
    assert [(claim.span.of(ANSWER), claim.text) for claim in extract(ANSWER).claims] == [
        ("The old bridge is 120 metres long [1].", "The old bridge is 120 metres long."),
        ("It was opened to carts in 1874 [2].", "It was opened to carts in 1874."),
    ]


def test_offsets_hold_beside_what_is_left_out():
    blanked = claim_text(ANSWER)
    assert len(blanked) == len(ANSWER)
    report = ground_claims(ANSWER, SOURCES, ScriptedJudge(JUDGE))
    assert [ANSWER[claim.span.start : claim.span.end] for claim in report.claims] == SENTENCES
    assert report.supported_ratio == 1


@pytest.mark.parametrize("name", [path.stem for path in sorted(POLICIES.glob("*.yaml"))])
def test_a_perfect_answer_passes_every_ready_policy(name):
    policy = read_policy((POLICIES / f"{name}.yaml").read_text("utf-8"))
    text = ANSWER
    if name == "legal":
        text = text.replace("[1].", "[1], Smith v. Jones, 500 U.S. 1 (1991).")
    judge = ScriptedJudge(JUDGE)
    documents = [
        *SOURCES,
        {"title": "500 U.S. 1", "content": "The old bridge is long."},
    ]
    run = verify(text, judge=judge, sources=documents)
    decision = gate(policy, run, text, documents=documents, judge=judge)
    assert (decision.action, decision.text) == ("pass", text), decision.reasons


@pytest.mark.parametrize(
    ("sentence", "heading", "entries"),
    [
        ("Die alte Brücke ist 120 Meter lang [1].", "Literaturverzeichnis",
         "[1] Becker, H. (2005): Brücken der Alpen. Springer Verlag, Berlin."),
        ("Die alte Brücke ist 120 Meter lang [1].", "## Quellen",
         "1. Zahlen und Fakten zur Brücke. https://bruecke.example/fakten"),
        ("Le vieux pont mesure 120 mètres [1].", "Références",
         "[1] Dupont, J. (1980). Les ponts du Rhône. Éditions du Fleuve."),
        ("El puente viejo mide 120 metros [1].", "**Bibliografía**",
         "[1] García, J. (1980). Los puentes del río. Madrid: Editorial Agua."),
        ("这座古老的桥梁全长一百二十米，于一八七四年通车[1]。", "参考文献",
         "[1] 张伟. 桥梁的历史与测量方法研究[J]. 交通学报, 2012, 12(3): 39-50."),
        ("The old bridge is 120 metres long [1].", "", "[1] Bridge facts. https://bridge.example/f"),
    ],
)  # fmt: skip
def test_a_bibliography_is_no_claim_in_any_language(sentence, heading, entries):
    assert extract_claims(f"{sentence}\n\n{heading}\n{entries}\n") == [sentence]


@pytest.mark.parametrize(
    ("heading", "entries"),
    [
        ("Inhaltsverzeichnis", ["Die Länge der Brücke", "Der Verkehr auf der Brücke"]),
        ("Table des matières", ["La longueur du pont", "Le trafic sur le pont"]),
        ("Índice", ["La longitud del puente", "El tráfico en el puente"]),
        ("目录", ["第一章 桥梁的长度与宽度以及通车的经过", "第二章 桥上的交通"]),
    ],
)
def test_a_table_of_contents_is_no_claim(heading, entries):
    listed = "\n".join(f"{number}. {entry}" for number, entry in enumerate(entries, 1))
    sentence = "The old bridge is 120 metres long."
    assert extract_claims(f"{heading}\n{listed}\n\n{sentence}\n") == [sentence]


@pytest.mark.parametrize(
    "text",
    [
        "The bridge opened in 1874",
        "The bridge opened in 1874\nIt carries four lanes of traffic",
        "- The bridge opened in 1874\n- It carries four lanes of traffic",
        "The bridge is 120 m long: https://bridge.example/facts\nIt opened in 1874.",
        "| The bridge opened in 1874 and carries carts | yes |",
        "Sources say that the bridge opened in 1874.",
        "The contents of the vault were moved in 1874.",
    ],
)
def test_what_states_something_stays(text):
    assert claim_text(text) == text


def test_blanking_takes_time_in_proportion_to_the_text():
    """Nothing is searched twice: a long text of headings and links gives as many blank lines."""
    text = "## Contents\n- [A](#a)\n[x](https://a.example)\n" * 3000
    assert claim_text(text).split() == []
