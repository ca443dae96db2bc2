"""What a call may ask for is never more than what the settings allow."""

from dataclasses import replace

import pytest
from anyio import CapacityLimiter

from workbench import extract
from workbench.interfaces.http.answer_check import may_change
from workbench.interfaces.http.chat import conditions_of
from workbench.interfaces.http.gateway import documents_in, numbered
from workbench.interfaces.http.models import Asked, ChatBody
from workbench.interfaces.http.operations import AppContext
from workbench.interfaces.http.policies import named_policy, sent_policy
from workbench.interfaces.http.responses import ApiError
from workbench.interfaces.http.upstream import Upstream
from workbench.interfaces.http.verify_routes import requested_permissions
from workbench.policy import Policy
from workbench.settings import Serving, load_settings
from workbench.store.store import Store


@pytest.fixture
def settings(tmp_path):
    return load_settings({"WORKBENCH_DATA": str(tmp_path)})


@pytest.mark.parametrize(
    ("allowed", "own_domains", "requested", "domains", "expected"),
    [
        (False, (), True, [], (False, ())),
        (True, (), False, [], (False, ())),
        (True, (), True, [], (True, ())),
        (True, (), True, ["who.int"], (True, ("who.int",))),
        (True, ("who.int",), True, [], (True, ("who.int",))),
        (True, ("who.int",), True, ["apps.who.int"], (True, ("apps.who.int",))),
        (True, ("who.int",), True, ["evil.example", "who.int"], (True, ("who.int",))),
        # a request that leaves no domain must not allow every domain
        (True, ("who.int",), True, ["evil.example"], (False, ())),
        (True, ("who.int",), True, ["notwho.int"], (False, ())),
        # what both lists allow
        (True, ("who.int",), True, ["int"], (True, ("who.int",))),
    ],
)
def test_fetching_is_what_both_allow(settings, allowed, own_domains, requested, domains, expected):
    server_settings = replace(settings, allow_fetch=allowed, allowed_domains=own_domains)
    permissions = requested_permissions(
        server_settings, Asked(allow_fetch=requested, allowed_domains=domains)
    )
    assert permissions.allow_fetch == expected[0]
    if permissions.allow_fetch:
        assert permissions.allowed_domains == expected[1]
    assert bool(permissions.fetch_refused) == (requested and not permissions.allow_fetch)


@pytest.mark.parametrize(("requested", "cap"), [(None, 0.5), (0.1, 0.1), (0, 0), (7, 0.5)])
def test_the_cap_is_the_lower_one(settings, requested, cap):
    server_settings = replace(settings, server=Serving(max_cost_usd=0.5))
    assert requested_permissions(server_settings, Asked(max_cost_usd=requested)).max_cost_usd == cap


@pytest.mark.parametrize("name", ["../settings", "/etc/passwd", "a/b", "Legal", "x" * 100])
def test_a_name_is_never_a_path(settings, name):
    (settings.data_dir / "settings.yaml").write_text("policy: {citation-verifier: {}}")
    with pytest.raises(ApiError, match="There is no policy"):
        named_policy(settings, name)


def test_the_settings_name_the_usual_policy(settings):
    assert named_policy(settings, None) == Policy()
    strict = replace(settings, server=Serving(policy="legal"))
    assert named_policy(strict, None).name == named_policy(settings, "legal").name
    (settings.data_dir / "policies").mkdir()
    policy_file = settings.data_dir / "policies" / "ours.yaml"
    policy_file.write_text("policy: {citation-verifier: {min_confidence: 0.25}}")
    for policy_name in ("ours", str(policy_file)):
        server_settings = replace(settings, server=Serving(policy=policy_name))
        assert named_policy(server_settings, None).min_confidence == 0.25


def test_a_call_that_passes_through_cannot_choose_another_policy(settings):
    desk = AppContext(
        settings=replace(settings, server=Serving(policy="legal")),
        store=Store(settings.database),
        line=CapacityLimiter(1),
        upstream=Upstream(base="http://127.0.0.1:1/v1"),
    )
    call = ChatBody.model_validate({"messages": [], "workbench": {"policy": "support-bot"}})
    with pytest.raises(ApiError, match="cannot be changed by a call") as raised:
        conditions_of(desk, call)
    assert raised.value.status == 403
    assert conditions_of(desk, ChatBody(messages=[])).named


def test_a_policy_sent_along_is_read_without_variables(monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    assert sent_policy("policy: {citation-verifier: {min_confidence: 0.5}}").min_confidence == 0.5


@pytest.mark.parametrize(
    ("policy", "changes"),
    [
        (Policy(), False),
        (Policy(unverified_action="redact"), True),
        (Policy(unverified_action="block", require_sources=False), False),
        (Policy(unverified_action="block", require_sources=False, require_source_match=True), True),
        (Policy(min_groundedness=0.5), True),
        (Policy(min_groundedness=0.5, hallucination_action="flag"), False),
        (Policy(unverified_action="block", enabled=False), False),
    ],
)
def test_what_may_have_to_be_held_back(policy, changes):
    assert may_change(policy) is changes


def test_documents_are_numbered_where_the_answer_does_not_say_what_its_numbers_mean():
    documents = documents_in(["One.", {"text": "Two.", "label": "b"}, 3, None, {"content": " "}])
    assert documents == [{"content": "One."}, {"content": "Two.", "label": "b"}]
    labels = [document["label"] for document in numbered(documents, extract("As shown [1]."))]
    assert labels == ["1", "b"]
    listed = extract("As shown [1].\n\nReferences\n[1] https://a.example")
    assert [document.get("label") for document in numbered(documents, listed)] == [None, "b"]
