"""What does this text cite? Text in; citations, references and claims out. Pure."""

from workbench.citations.extract import extract

__all__ = ["extract"]
