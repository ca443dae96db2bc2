"""The Claims page: claims against uploaded sources, hostile text staying text."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import workbench

APP = Path(workbench.__file__).parents[1] / "app.py"


@pytest.fixture
def page():
    app = AppTest.from_file(str(APP), default_timeout=30)
    return app.switch_page("pages/claims.py").run()


def test_claims_are_checked_against_an_uploaded_source(page):
    page.text_area(key="claims-text").set_value("The bridge measures 120 m in length.").run()
    page.file_uploader(key="claims-files").upload(
        "bridge.txt", b"The bridge measures 120 m in length and is painted blue."
    ).run()
    page.button(key="claims-run").click().run()
    assert not page.exception
    assert not page.error
    html = "".join(element.proto.body for element in page.get("html"))
    assert "1/1 claims verified (100%)" in html
    assert "Supported" in html


def test_a_missing_source_is_a_sentence(page):
    page.text_area(key="claims-text").set_value("The bridge is long.").run()
    page.button(key="claims-run").click().run()
    assert "no source" in page.error[0].value


def test_hostile_claims_and_sources_stay_text(page):
    hostile = "<img src=x onerror=alert(1)> The bridge measures 120 m in length."
    page.text_area(key="claims-text").set_value(hostile).run()
    page.toggle(key="claims-lines").set_value(True).run()
    page.file_uploader(key="claims-files").upload(
        "../../<b>x</b>.txt", f"Source: {hostile}".encode()
    ).run()
    page.button(key="claims-run").click().run()
    assert not page.exception
    html = "".join(element.proto.body for element in page.get("html"))
    assert "<img" not in html
    assert "&lt;img" in html
