"""Figures of so few documents that most have no interval: tables stay within the page, and say why."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Site
from tests.fakes import records as make
from tests.fakes.labelled import Given, add_run
from tests.fakes.served import served
from workbench.records.evaluation import OfflineJudgment
from workbench.services.calibration.measurement import ensure_split
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.store import Store

LABELS = ("supported", "not_supported", "contradicted", "supported")
MODEL = "openai:gpt-4o-mini-2024-07-18"
PROMPT = "strict-and-brief@12:0123456789ab"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Two labelled answers with verdicts of two judges; nothing else."""
    data = tmp_path_factory.mktemp("few-documents")
    store = Store(data / "workbench.duckdb")
    opinions = []
    for run in ("few0", "few1"):
        add_run(store, run, [Given(people=(("Ada", label),), score=0.4) for label in LABELS])
        opinions += [
            OfflineJudgment(
                run_id=run, citation_id=f"c{number}", judge=MODEL, prompt=PROMPT, error=None,
                judgment=make.judgment(label, score=0.3 + number / 10, evidence=()),
            )
            for number, label in enumerate(reversed(LABELS))
        ]  # fmt: skip
    OfflineJudgmentRepository(store).add(opinions, ())
    ensure_split(store, "Ada")
    with served(data) as server:
        yield Site(server.url, store, None)


TABLES = {
    f"prompts?view=compare&a=local&b={MODEL} · {PROMPT}&part=train&part=dev": "prompts-figures",
    "trust?part=train&part=dev&calibration=true": "calibrate-figures",
}


def test_a_table_without_intervals_stays_on_the_page(desk):
    # a joiner without width may stand after a colon
    below = re.compile("No interval:\u2060? too few independent documents:\u2060? 2 of at least 3")
    for address, table in TABLES.items():
        desk.open(address)
        if table == "calibrate-figures":
            desk.click(desk.page.get_by_role("tab", name="Compared with people"))
        table_body = desk.page.locator(f".st-key-{table} .wrap")
        for width in (1440, 900):
            desk.page.set_viewport_size({"width": width, "height": 900})
            desk.settle()
            expect(table_body.get_by_text("no interval").first).to_be_visible()
            assert table_body.get_by_text("too few").count() == 0
            expect(desk.page.get_by_text(below).first).to_be_visible()
            assert table_body.evaluate("wrap => wrap.scrollWidth - wrap.clientWidth") <= 0
