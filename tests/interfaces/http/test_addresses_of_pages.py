"""Addresses of pages: each page answers under its own name."""

import pytest


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/review", "/"),
        ("/review/", "/"),
        ("/review?run=r-1&c=c2&who=Ada%20L.", "/?run=r-1&c=c2&who=Ada%20L."),
        ("/review?run=%2F%2Fevil.example&x=1&x=2", "/?run=%2F%2Fevil.example&x=1&x=2"),
    ],
)
def test_review_is_served_under_its_name_and_keeps_the_query(client, server, address, expected):
    answer = client.get(address, follow_redirects=True)
    assert answer.status_code == 200
    assert str(answer.url) == server.url + expected
    assert "text/html" in answer.headers["content-type"]


def test_a_stranger_is_not_led_anywhere(client):
    answer = client.get("/review", headers={"Host": "evil.example"})
    assert answer.status_code == 403
