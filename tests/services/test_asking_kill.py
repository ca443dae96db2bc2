"""A killed comparison or drift evaluation pays for no answer twice and loses no spending."""

from dataclasses import dataclass

import pytest

from tests.fakes.counting import CountingServer, kill_when, report_of
from tests.fakes.labelled import add_run, mixed
from tests.fakes.launched import launched
from workbench.services.drift import freeze_anchors
from workbench.store.evaluation.splits import Splits
from workbench.store.prompts import Prompts
from workbench.store.store import Store

JUDGE = "openai:gpt-4o-mini"
COLD = "Weigh the claim coldly.\n=====\n{{passages}}\n\n{{claim}}"
RUNS, EACH = 8, 10


@pytest.fixture
def server():
    with CountingServer() as running:
        yield running


@pytest.fixture
def store(tmp_path):
    """Eight outputs of ten labelled items."""
    store = Store(tmp_path / "data" / "workbench.duckdb")
    for number in range(RUNS):
        add_run(store, f"r{number}", mixed(f"r{number}", EACH))
    return store


@dataclass(frozen=True)
class Money:
    """The totals of all spending accounts of a database."""

    settled_usd: float
    reserved_usd: float


def money_of(store):
    with store.transaction() as connection:
        ((settled, reserved),) = connection.execute(
            "select coalesce(sum(settled_usd), 0), coalesce(sum(reserved_usd), 0) "
            "from spending_accounts"
        ).fetchall()
    return Money(settled, reserved)


def settled_calls(store, server):
    return round(money_of(store).settled_usd / server.call_usd)


def kept_answers(store):
    with store.transaction() as connection:
        ((number,),) = connection.execute("select count(*) from judgments").fetchall()
    return number


def kill_in_the_middle(command, server, store, answers):
    """Kill a command once so many answers are paid for and others are pending.

    Returns how many answers are stored, and how many calls have a recorded cost.
    """
    assert kill_when(
        command,
        server.environment(store.path.parent),
        lambda: server.calls > answers and settled_calls(store, server) >= answers,
    )
    server.wait_for_late_calls()
    money, stored_answers, settled = (
        money_of(store),
        kept_answers(store),
        settled_calls(store, server),
    )
    assert stored_answers >= settled, "an answer whose cost is known is lost"
    assert money.settled_usd + money.reserved_usd >= server.billed_usd - 1e-9
    return stored_answers, settled


def test_a_comparison_goes_on_after_a_kill(server, store):
    Prompts(store).add("cold", COLD, author="Ada")
    compare = [
        *launched(), "compare", "--judge", JUDGE, "--against-prompt", "cold", "--json",
        "--max-cost-usd", "0.5",
    ]  # fmt: skip
    stored_answers, settled = kill_in_the_middle(compare, server, store, 10)
    # none where the kill came between two calls
    cut_off = server.calls - stored_answers
    comparison = report_of(compare, server.environment(store.path.parent))
    sizes = {part.part: part.items for part in Splits(store).sizes(Splits(store).all()[0].id)}
    assert comparison["n"] == sizes["train"] + sizes["dev"]
    # each question was answered once; only the interrupted ones were asked again
    assert server.calls == 2 * comparison["n"] + cut_off
    money = money_of(store)
    with_known_cost = 2 * comparison["n"] - (stored_answers - settled)
    assert money.settled_usd == pytest.approx(with_known_cost * server.call_usd)
    assert money.settled_usd + money.reserved_usd >= server.billed_usd - 1e-9


@pytest.mark.slow
def test_a_drift_asking_goes_on_after_a_kill(server, store):
    anchors = freeze_anchors(store, "Summer", by="Ada", many=40)
    run = [*launched(), "drift", "run", "Summer", "--judge", JUDGE, "--json"]
    stored_answers, settled = kill_in_the_middle(run, server, store, 5)
    # none where the kill came between two calls
    cut_off = server.calls - stored_answers
    report = report_of(run, server.environment(store.path.parent))
    assert (report["id"], report["continued"], report["left"]) == ("a1.1", True, 0)
    assert report["asked"] == anchors.size
    assert server.calls == anchors.size + cut_off
    assert report["earlier_usd"] == pytest.approx(settled * server.call_usd, abs=1e-6)
    assert report["cost_usd"] == pytest.approx(
        (anchors.size - stored_answers) * server.call_usd, abs=1e-6
    )
    total = report["earlier_usd"] + report["cost_usd"] + report["reserved_usd"]
    assert total >= server.billed_usd - 1e-6


@pytest.mark.slow
def test_kills_of_a_comparison_never_spend_more_than_its_cap(server, store):
    Prompts(store).add("cold", COLD, author="Ada")
    cap = 0.012
    compare = [
        *launched(), "compare", "--judge", JUDGE, "--against-prompt", "cold",
        "--max-cost-usd", str(cap),
    ]  # fmt: skip
    environment = server.environment(store.path.parent)
    killed = 0
    for _ in range(4):
        goal = server.calls + 2
        killed += kill_when(compare, environment, lambda goal=goal: server.calls >= goal)
    assert killed >= 1
    report_of([*compare, "--json"], environment)
    assert server.billed_usd <= cap
    money = money_of(store)
    assert money.settled_usd + money.reserved_usd >= server.billed_usd - 1e-9
