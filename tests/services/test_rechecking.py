"""The references of a stored run are looked up later, and again."""

import threading
from dataclasses import replace

import pytest

from tests.fakes.looked_up import add_looked_up, library_options
from workbench.errors import NotFoundError
from workbench.records.bibliography import REFERENCE_STATUSES
from workbench.services.references.checking import ReferenceOptions, check_run_references
from workbench.store.bibliography.checks import ReferenceCheckRepository
from workbench.store.store import Store

LOOKED_UP = ["matches", "differs", "other_work", "not_found", "matches"]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "workbench.duckdb")


def stored(store, run_id):
    return [check.status for check in store.get_run(run_id).reference_checks]


def test_a_run_made_before_gets_its_checks(store):
    add_looked_up(store, "old", checked=False)
    assert store.get_run("old").reference_checks == ()
    told = {}
    report = check_run_references(store, "old", library_options(), told.__setitem__)
    assert stored(store, "old") == LOOKED_UP
    assert [check.status for check in report.checks] == LOOKED_UP
    assert [told[position].status for position in range(5)] == LOOKED_UP


def test_what_nobody_answers_this_time_keeps_its_earlier_finding(store):
    add_looked_up(store, "run")
    report = check_run_references(store, "run", ReferenceOptions())
    assert [check.status for check in report.checks] == LOOKED_UP
    assert stored(store, "run") == LOOKED_UP
    assert set(LOOKED_UP) < set(REFERENCE_STATUSES)


def test_a_cancelled_check_leaves_the_rest_as_it_was(store):
    add_looked_up(store, "run", checked=False)
    cancel = threading.Event()
    cancel.set()
    report = check_run_references(store, "run", library_options(), cancel=cancel)
    assert {check.status for check in report.checks} == {"not_checked"}
    assert ReferenceCheckRepository(store).of_run("run") == {}


def test_a_later_check_counts(store):
    run = add_looked_up(store, "run")
    wrong = replace(run.reference_checks[0], status="not_found")
    ReferenceCheckRepository(store).add("run", [(0, wrong)])
    check_run_references(store, "run", library_options())
    assert stored(store, "run") == LOOKED_UP


def test_an_unknown_run_is_told(store):
    with pytest.raises(NotFoundError):
        check_run_references(store, "nobody", library_options())


class BrokenIndex:
    """An index with a mistake of its own."""

    name = "broken"
    description = "Everything."

    def covers(self, entry):
        return True

    async def look_up(self, entry):
        raise RecursionError


def test_an_index_that_breaks_costs_its_own_answer_only(store):
    add_looked_up(store, "run", checked=False)
    options = replace(library_options(), indexes=[BrokenIndex()])
    checks = check_run_references(store, "run", options).checks
    assert [check.status for check in checks] == [*LOOKED_UP[:3], "not_checked", LOOKED_UP[4]]
    broken = checks[3].indexes[-1]
    assert (broken.name, broken.answer) == ("broken", "error") and "cannot be read" in broken.why
