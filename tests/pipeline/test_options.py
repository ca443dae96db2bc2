"""Options of a run: one record, checked when it is built, declared once for every interface."""

import pickle
from dataclasses import fields

import pytest

from workbench.errors import UsageError
from workbench.pipeline.options import VerifyKeywords, VerifyOptions
from workbench.services.claims import ClaimOptions
from workbench.services.option_specs import OPTION_SPECS, option_schema
from workbench.services.permissions import Permissions

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


def test_interfaces_describe_options_that_there_are():
    defaults = (VerifyOptions(), ClaimOptions())
    of_references = {"check_references", "indexes", "registry"}  # together `references`
    of_reports = {"mark_unverified", "cite_sources"}  # how a report shows its claims
    for name, spec in OPTION_SPECS.items():
        assert option_schema(name)["description"].startswith(spec.help[0].upper())
        if name in of_references | of_reports:
            continue
        value = next(getattr(options, name) for options in defaults if hasattr(options, name))
        assert spec.form.get("default", value) == value
