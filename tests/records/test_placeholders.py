"""What stands where an address should is told from addresses."""

import pytest

from workbench.records.bibliography import placeholder_reason


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/paper",
        "http://www.example.org",
        "https://doi.org/10.xxxx/abc",
        "10.1000/xxxxx",
        "https://doi.org/10.1038/s41586-0xx-xxxxx-x",
        "https://arxiv.org/abs/2301.xxxxx",
        "https://yourwebsite.com/page",
        "https://site.org/[insert link]",
        "https://localhost/x",
    ],
)
def test_a_placeholder_is_told(address):
    reason = placeholder_reason(address)
    assert reason is not None
    assert "placeholder" in reason


@pytest.mark.parametrize(
    "address",
    [
        "https://arxiv.org/abs/2301.12345",
        "https://doi.org/10.1000/abc",
        "10.1234/example-2020",
        "https://www.nature.com/articles/s41586-020-2649-2",
        "https://myexample.com/a",
        "https://example.community/x",
        "https://harbor.example/figures",
        "https://www.exxonmobil.com/x",
        "https://xxxx.org/page",
        "https://site.org/your-guide-to-tides",
    ],
)
def test_an_address_is_none(address):
    assert placeholder_reason(address) is None
