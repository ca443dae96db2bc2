"""What the store keeps, topic by topic, where no rule of a service stands between.

Each is opened on a database and names what it raises.
"""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.store.admin.erasure import Erasures
    from workbench.store.bibliography.labelled import LabelledReferenceQueries
    from workbench.store.bibliography.labels import EntryLabelRepository
    from workbench.store.bibliography.registries import RegistryRepository
    from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
    from workbench.store.evaluation.reference_sets import ReferenceSetRepository
    from workbench.store.evaluation.splits import Splits
    from workbench.store.labels.guides import Guides
    from workbench.store.labels.imports import Imports
    from workbench.store.labels.repository import CommentRepository, LabelRepository
    from workbench.store.prompts.optimizations import OptimizationRepository
    from workbench.store.queues.queues import Queues
    from workbench.store.queues.review_tasks import ReviewTaskService
    from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
    from workbench.store.runs.dashboard import DashboardQueries
    from workbench.store.runs.items import CitationQuery
    from workbench.store.runs.run_names import RunNames
    from workbench.store.runs.traces import Traces
    from workbench.store.sources.repository import SourceRepository

__all__ = [
    "CitationQuery", "CommentRepository", "CorrectionDecisionRepository", "DashboardQueries",
    "EntryLabelRepository", "Erasures", "Guides", "Imports",
    "LabelRepository", "LabelledReferenceQueries", "OfflineJudgmentRepository", "OptimizationRepository",
    "Queues", "ReferenceSetRepository", "RegistryRepository", "ReviewTaskService",
    "RunNames", "SourceRepository", "Splits", "Traces",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)
