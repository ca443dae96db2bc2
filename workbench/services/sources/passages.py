"""Parts of a source's text: its sentences, the passages that bear on a claim, and its own reference list."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.judging.bibliography import bibliography_spans
    from workbench.judging.passages import select_passages
    from workbench.language.tokenization import segment

__all__ = ["bibliography_spans", "segment", "select_passages"]

__getattr__ = lazy_exports(__name__, __file__)
