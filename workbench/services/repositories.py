"""What the store keeps, topic by topic, where no rule of a service stands between.

Each is opened on a database and names what it raises.
"""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.store.admin.erasure import Erasures
    from workbench.store.bibliography.labels import EntryLabelRepository, LabelledReferenceQueries
    from workbench.store.bibliography.registries import RegistryRepository
    from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
    from workbench.store.evaluation.reference_sets import ReferenceSetRepository
    from workbench.store.evaluation.splits import Splits
    from workbench.store.labels.imports import Imports
    from workbench.store.labels.repository import CommentRepository, Guides, LabelRepository
    from workbench.store.prompts import OptimizationRepository
    from workbench.store.queues.queues import Queues
    from workbench.store.queues.review_tasks import ReviewTaskService
    from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
    from workbench.store.runs.dashboard import DashboardQueries
    from workbench.store.runs.items import CitationQuery
    from workbench.store.runs.runs import RunNames, Traces
    from workbench.store.runs.sentences import SentenceKinds
    from workbench.store.sources import SourceRepository

__all__ = [
    "CitationQuery", "CommentRepository", "CorrectionDecisionRepository", "DashboardQueries",
    "EntryLabelRepository", "Erasures", "Guides", "Imports",
    "LabelRepository", "LabelledReferenceQueries", "OfflineJudgmentRepository", "OptimizationRepository",
    "Queues", "ReferenceSetRepository", "RegistryRepository", "ReviewTaskService",
    "RunNames", "SentenceKinds", "SourceRepository", "Splits", "Traces",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)
