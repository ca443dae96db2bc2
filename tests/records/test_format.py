"""Numbers, amounts and times in words."""

import pytest

from workbench.records.format import count_of, duration, file_size, host_of, usd, word_for


def test_a_noun_agrees_with_its_number():
    counts = [count_of(number, "copy", "copies") for number in (0, 1, 1200)]
    assert counts == ["0 copies", "1 copy", "1,200 copies"]
    assert word_for(1, "is", "are") == "is"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"), (0.0004, "under 1 ms"), (0.812, "812 ms"), (0.9999, "1 s"), (1.25, "1.2 s"),
        (40.4, "40 s"), (89.4, "89 s"), (90, "2 min"), (720, "12 min"), (3599, "1 h"),
        (7800, "2 h 10 min"), (86_400, "1 d"), (100_000, "1 d 4 h"),
    ],
)  # fmt: skip
def test_a_duration_has_two_units_at_most(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (0, "$0"), (1234.5, "$1,234.50"), (0.999999, "$1.00"), (0.1, "$0.10"), (0.123456, "$0.123"),
        (0.00005, "$0.00005"), (0.00372, "$0.00372"),
    ],
)  # fmt: skip
def test_small_amounts_keep_three_digits(amount, words):
    assert usd(amount) == words


def test_sizes_and_hosts():
    sizes = [file_size(size) for size in (812, 1024, 1_500_000, 32 * 2**20, 5000 * 2**30)]
    assert sizes == ["812 B", "1 KiB", "1.4 MiB", "32 MiB", "5,000 GiB"]
    assert host_of("https://www.a.org/x") == "a.org"
    assert host_of("http://[") == ""
