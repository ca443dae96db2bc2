"""What does this text cite? Text in; citations, references and claims out; pure."""

from workbench.citations.extract import extract
from workbench.citations.native import from_native

__all__ = ["extract", "from_native"]
