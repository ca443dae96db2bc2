"""What a call may fetch and spend: anything in its own process, else what is allowed."""

from dataclasses import replace

import pytest

from workbench.__main__ import main
from workbench.errors import UsageError
from workbench.services.permissions import (
    NO_CAP,
    caller_permissions,
    own_permissions,
    page_permissions,
    serves_many_callers,
)
from workbench.settings import Serving, load_settings


@pytest.fixture
def settings(tmp_path):
    return load_settings({"WORKBENCH_DATA": str(tmp_path)})


@pytest.mark.parametrize(
    ("named_cap", "judges", "cap"),
    [
        (None, ["local"], 1.0),
        (None, ["local", "openai:gpt-4o-mini"], 1.0),
        (None, ["openai:a-model-of-ones-own"], None),
        (0.25, ["openai:a-model-of-ones-own"], 0.25),
        (0.0, ["local"], 0.0),
        (NO_CAP, ["openai:gpt-4o-mini"], None),
    ],
)
def test_the_cap_of_ones_own_process(settings, named_cap, judges, cap):
    assert own_permissions(settings, max_cost_usd=named_cap, judges=judges).max_cost_usd == cap


@pytest.mark.parametrize("cap", [float("nan"), float("inf"), -1.0])
def test_a_cap_that_is_no_amount_is_refused(settings, cap):
    for decide in (own_permissions, caller_permissions):
        with pytest.raises(UsageError, match="US dollars of at least 0"):
            decide(settings, max_cost_usd=cap)


def test_ones_own_domains_and_the_settings_are_allowed_together(settings):
    configured = replace(
        settings, allowed_domains=("who.int",), allowed_services=("doi", "crossref")
    )
    combined = own_permissions(configured, allow_fetch=True, domains=["b.example"])
    assert (combined.allow_fetch, combined.allowed_domains) == (True, ("who.int", "b.example"))
    alone = own_permissions(configured)
    assert alone.allowed_domains == ("who.int", "doi.org", "api.crossref.org")
    # without a list of domains every public host is allowed already
    assert own_permissions(replace(configured, allowed_domains=())).allowed_domains == ()


def test_an_unknown_service_is_named(settings):
    configured = replace(settings, allowed_domains=("who.int",), allowed_services=("scholar",))
    with pytest.raises(UsageError, match="names scholar; known are doi"):
        own_permissions(configured)


def test_a_caller_of_a_server_only_narrows(settings):
    refused = caller_permissions(settings, allow_fetch=True)
    assert not refused.allow_fetch and "allow_fetch = true" in refused.fetch_refused
    configured = replace(settings, allow_fetch=True, allowed_domains=("*.who.int",))
    assert caller_permissions(configured).allow_fetch
    assert not caller_permissions(configured, allow_fetch=False).allow_fetch
    narrowed = caller_permissions(
        configured, allow_fetch=True, domains=["Apps.WHO.int.", "b.example"]
    )
    assert narrowed.allowed_domains == ("apps.who.int",)
    other = caller_permissions(configured, allow_fetch=True, domains=["b.example"])
    assert not other.allow_fetch and "(b.example)" in other.fetch_refused


def test_a_form_decides_on_ones_own_machine_and_narrows_where_it_serves_many(settings):
    wish = {"allow_fetch": True, "domains": ["b.example"], "max_cost_usd": None}
    permissions = page_permissions(settings, shared=serves_many_callers(settings), **wish)
    assert (permissions.allow_fetch, permissions.allowed_domains, permissions.max_cost_usd) == (
        True,
        ("b.example",),
        None,
    )
    behind_a_proxy = replace(settings, server=Serving(hosts=("citations.example.org",)))
    assert serves_many_callers(behind_a_proxy) and serves_many_callers(
        settings, {"is_logged_in": False}
    )
    shared = page_permissions(behind_a_proxy, shared=True, **wish)
    assert not shared.allow_fetch and shared.fetch_refused and shared.max_cost_usd == 1.0


@pytest.mark.parametrize("cap", ["nan", "inf", "-1", "much"])
def test_the_command_line_refuses_what_is_no_cap(tmp_path, capsys, cap):
    file = tmp_path / "a.txt"
    file.write_text("Rain fell [1].")
    for command in (["verify", str(file)], ["batch", str(file), "--out", str(tmp_path / "out")]):
        with pytest.raises(SystemExit) as exit_info:
            main([*command, f"--max-cost-usd={cap}"])
        assert exit_info.value.code == 2
        assert "--max-cost-usd" in capsys.readouterr().err


def test_the_command_line_knows_no_cap(tmp_path, capsys):
    import json

    file = tmp_path / "a.txt"
    file.write_text("Rain fell [1].")
    for options, cap in (([], 1.0), (["--max-cost-usd", "none"], None)):
        main(["verify", str(file), "--no-store", "--json", *options])
        assert json.loads(capsys.readouterr().out)["config"]["max_cost_usd"] == cap
