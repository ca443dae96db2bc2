"""The question that a text answers: what only repeats its facts is `given`, at every door."""

TEXT = """\
The stage is 9 metres wide [1]. We own a mill with 12 rooms and a stage. It was built in 1840.

## References
[1] Mills
"""
SOURCES = [{"content": "The stage is 9 metres wide.", "title": "Mills", "label": "1"}]
QUESTION = "We own a mill with 12 rooms and a stage. Can it become a theatre?"


def kinds(outcome):
    return [sentence["kind"] for sentence in outcome.run["sentences"]][:3]


def test_every_door_takes_the_question(door):
    outcome = door.verify(TEXT, sources=SOURCES, judge="local", question=QUESTION)
    assert kinds(outcome) == ["cited", "given", "uncited"], outcome.output[-2000:]
    assert outcome.run["coverage"] == {"needing": 2, "cited": 1, "uncited": 1, "share": 0.5}
    assert outcome.run["config"]["question"] == QUESTION


def test_without_a_question_nothing_is_given(door):
    outcome = door.verify(TEXT, sources=SOURCES, judge="local")
    assert kinds(outcome) == ["cited", "uncited", "uncited"], outcome.output[-2000:]
    assert "question" not in outcome.run["config"]
