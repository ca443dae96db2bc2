"""Results that say the same stand together, and nothing is lost or moved that does not."""

import pytest

from workbench.presentation.grouping import counted_names, grouped


def test_58_with_one_reason_are_one_group_where_the_first_stands():
    reasons = ["bad"] + ["off"] * 57 + ["late", "off"]
    groups = grouped(reasons, lambda reason: reason)
    assert [(group[0], len(group)) for group in groups] == [("bad", 1), ("off", 58), ("late", 1)]


def test_each_stays_alone_when_all_are_wanted():
    assert grouped(["off", "off"], lambda reason: reason, each=True) == [["off"], ["off"]]


def test_what_has_no_key_stays_alone():
    assert grouped(["", ""], lambda reason: reason or None) == [[""], [""]]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["[1]"], "[1]"),
        (["[1]", "[2]"], "2 × [1], [2]"),
        (["[1]", "[1]", "5 %"], "3 × [1], 5 %"),
        ([f"[{n}]" for n in range(1, 6)], "5 × [1], [2], [3] …"),
    ],
)
def test_names_are_counted_and_each_named_once(names, text):
    assert counted_names(names, most=3) == text
