"""Nothing leaves the machine unless somebody allowed it, whichever way a text comes in."""

from tests.fakes.web_server import page

CITED = (
    "The old bridge is 120 metres long [1].\n\n## References\n[1] http://bridge.example/length\n"
)
ARTICLE = "<html><body><article><p>The old bridge is 120 metres long.</p></article></body></html>"


def test_nothing_is_fetched_unless_it_is_allowed(door, web):
    web.replies["bridge.example/length"] = page(ARTICLE)
    outcome = door.verify(CITED)
    assert web.contacts() == []
    if outcome.run is None:  # an agent's answer without sources is not checked at all
        assert "no sources" in outcome.output
    else:
        # the gateway checks against documents, and says which one is missing
        assert outcome.errors[0] in ("fetch_disabled", "no_source"), outcome.output
        assert outcome.run["complete"] is False


def test_what_is_allowed_is_fetched_and_judged(door, web):
    web.replies["bridge.example/length"] = page(ARTICLE)
    outcome = door.verify(CITED, **door.allowing())
    assert web.targets() == ["bridge.example/length"], outcome.output
    assert outcome.run["total_supported"] == 1, outcome.output
