"""What does the JSON say that a provider returned? Its text with the provider's own offsets."""

from workbench.citations.native.shapes import from_native

__all__ = ["from_native"]
