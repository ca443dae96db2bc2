"""Every way in tells a language model where a claim stands and what its source is."""

from tests.doors.harness import keys_of
from tests.fakes.providers import Answer, verdict

TEXT = """\
# Bridges of the valley

## The Ostrau bridge

The Ostrau bridge crosses the river in two arches. It was opened in 1913 by the mayor [1].

## 老磨坊桥

| 桥梁 | 开放年份 |
| --- | --- |
| 老磨坊桥 | 1931年向公众开放 [2] |

## References
[1] https://bridge.example/a
[2] https://bridge.example/b
"""
SOURCES = [
    {
        "url": "https://bridge.example/a",
        "title": "History of the library",
        "content": "The house was opened in 1913 by the mayor.",
    },
    {
        "url": "https://bridge.example/b",
        "title": "老磨坊桥志",
        "content": "该桥于1931年向公众开放。",
    },
]


def part(prompt, tag):
    """What stands in such a tag of a request."""
    return prompt.rsplit(f"<{tag}", 1)[1].split(">", 1)[1].split(f"</{tag}>")[0].strip()


def test_each_question_says_where_the_claim_stands_and_what_the_source_is(door, provider):
    provider.reply = lambda request: Answer(text=verdict("not_supported"))
    door.verify(TEXT, sources=SOURCES, judge="openai:gpt-4o-mini", environment=keys_of(provider))
    contexts = {
        (part(request.prompt, "claim"), part(request.prompt, "source")): part(
            request.prompt, "context"
        )
        for request in provider.requests
    }
    library, mill = SOURCES
    english = answer_of(contexts, "opened in 1913", library)
    assert "Under the headings: Bridges of the valley ⟩ The Ostrau bridge" in english
    assert "The Ostrau bridge crosses the river in two arches." in english
    assert "opened in 1913" not in english, "the claim is no context of its own"
    chinese = answer_of(contexts, "1931年向公众开放", mill)
    assert "Under the headings: Bridges of the valley ⟩ 老磨坊桥" in chinese
    assert "Table header: 桥梁 | 开放年份" in chinese
    assert "Table row: 老磨坊桥" in chinese


def answer_of(contexts, words, source):
    """The context in the request about the claim with such words and a source."""
    facts = f"Title: {source['title']}\nAddress: {source['url']}"
    (context,) = {
        text for (claim, about), text in contexts.items() if words in claim and about == facts
    }
    return context
