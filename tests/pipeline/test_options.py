"""Options of a run: one record, checked when it is built, declared once for every interface."""

import pickle
from dataclasses import fields
from typing import get_args

import pytest

from workbench.errors import UsageError
from workbench.interfaces.http.models import ClaimsBody, ReferencesBody, VerifyBody
from workbench.judging.claim_comparison import SUPPORTED_FROM, WEAK_FROM
from workbench.pipeline.options import VerifyKeywords, VerifyOptions
from workbench.records.options import WebSearchName, interface_options
from workbench.services.claims import ClaimOptions
from workbench.services.permissions import Permissions
from workbench.sources.search_providers import SEARCH_PROVIDERS

OWN_MODEL = "openai:a-model-of-ones-own"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"allow_fetch": "false"}, "allow_fetch is True or False, not 'false'"),
        ({"offline": 1}, "offline is True or False, not 1"),
        ({"standalone": None}, "standalone is True or False, not None"),
        ({"panel": "loudest"}, "panel is majority, unanimous, cascade, not 'loudest'"),
        ({"together": True}, "together is auto, never, not True"),
        ({"scope": "chapter"}, "scope is guess, sentence, list, paragraph, not 'chapter'"),
        ({"allowed_domains": "a.example"}, "allowed_domains is a list of domains"),
        ({"max_citations": -1}, "max_citations is a whole number of at least 0, not -1"),
        ({"max_cost_usd": float("nan")}, "US dollars of at least 0"),
    ],
)
def test_a_wrong_value_is_told_when_the_options_are_built(options, message):
    with pytest.raises(UsageError, match=message):
        VerifyOptions(**options)


def test_every_field_can_be_given_as_a_keyword():
    assert set(VerifyKeywords.__annotations__) == {field.name for field in fields(VerifyOptions)}


@pytest.mark.parametrize(
    ("keywords", "cap"),
    [
        ({}, 1.0),
        ({"judge": OWN_MODEL}, None),
        ({"judge": ["local", OWN_MODEL]}, None),
        ({"judge": OWN_MODEL, "max_cost_usd": 0.5}, 0.5),
        ({"max_cost_usd": None}, None),
    ],
)
def test_the_cap_of_who_names_none_goes_by_the_judges(keywords, cap):
    assert VerifyOptions.from_keywords(**keywords).max_cost_usd == cap


def test_options_travel_to_workers():
    options = VerifyOptions(judge=["local"], sources="sources.json", allowed_domains=["a.example"])
    assert pickle.loads(pickle.dumps(options)) == options
    assert options.allowed_domains == ("a.example",)


def test_permissions_replace_what_a_call_wished_for():
    may = Permissions(allow_fetch=True, allowed_domains=("a.example",), max_cost_usd=0.5)
    wish = VerifyOptions(allow_fetch=False, allowed_domains=["b.example"], max_cost_usd=9)
    applied = may.applied_to(wish)
    assert (applied.allow_fetch, applied.allowed_domains) == (True, ("a.example",))
    assert applied.max_cost_usd == 0.5
    assert not may.applied_to(VerifyOptions(offline=True)).allow_fetch


def test_every_option_of_an_interface_says_what_it_does():
    for name, (option, _, _) in interface_options().items():
        description = option.field()["description"]
        assert description.startswith(option.help[0].upper()), name
        assert description.endswith("."), name


def test_a_request_has_the_type_and_the_default_of_each_option():
    """In the API, whose fields are written out so that they can be read with their types."""
    others = {"judge", "sources", "registry", "indexes", "allowed_domains", "max_cost_usd"}
    seen = set()
    for body in (VerifyBody, ClaimsBody, ReferencesBody):
        for name, field in body.model_fields.items():
            if name in interface_options() and name not in others:
                _, kind, default = interface_options()[name]
                nullable = kind if field.default is not None else kind | None
                assert field.annotation == nullable or get_args(field.annotation) == get_args(kind)
                assert field.default == default
                seen.add(name)
    assert {"panel", "standalone", "scope", "supported_from", "web_search"} <= seen


def test_the_scores_that_decide_are_those_of_the_judge():
    assert (ClaimOptions().supported_from, ClaimOptions().weak_from) == (SUPPORTED_FROM, WEAK_FROM)
    assert get_args(WebSearchName) == tuple(SEARCH_PROVIDERS)
