"""The policies that come with the workbench can be used as they are."""

from pathlib import Path

import pytest

from workbench.policy import read_policy

READY = Path(__file__).parents[2] / "data" / "policies"


@pytest.mark.parametrize("name", ["legal", "medical", "financial", "support-bot", "research"])
def test_a_ready_policy_is_valid_and_says_what_it_is_for(name):
    text = (READY / f"{name}.yaml").read_text("utf-8")
    policy = read_policy(text)
    assert policy.name == name
    assert policy.enabled
    assert text.startswith("# For ")
    # what is commented out in it works too
    read_policy(text.replace("    # external", "    external").replace("    #   ", "      "),
                {"RESOLVER_KEY": "x"})  # fmt: skip
