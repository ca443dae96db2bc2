"""The overview of everything stored: totals, verdicts, reviewers, errors, days."""

from workbench.records.dashboard import DashboardSummary
from workbench.services.database import Database
from workbench.store.runs.dashboard import DashboardQueries


def dashboard(database: Database, days: int = 30) -> DashboardSummary:
    """The figures of the whole database, with those of the last days in UTC."""
    return DashboardQueries(database).summary(days=days)
