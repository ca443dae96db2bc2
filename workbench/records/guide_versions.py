"""Versions of the label guide in words, and the warning where figures mix several; pure."""

from collections.abc import Mapping

from workbench.errors import UsageError
from workbench.records.evaluation import UNKNOWN_GUIDE, LabelFilter
from workbench.records.format import count_of


def parse_guide(text: str) -> int:
    """A version of the guide as somebody types it: a number, or `unknown`.

    Raises:
        UsageError: It is neither.
    """
    if text.strip().lower() == "unknown":
        return UNKNOWN_GUIDE
    if text.strip().isdecimal():
        return int(text)
    raise UsageError(
        f"{text!r} is not a version of the labelling guide; use a number, 0 for the built-in "
        f"guide, or unknown."
    )


def guide_name(version: int) -> str:
    """A version as reports key it: `2`, or `unknown`."""
    return "unknown" if version == UNKNOWN_GUIDE else f"{version}"


def guide_text(version: int) -> str:
    """A version as people read it."""
    if version == UNKNOWN_GUIDE:
        return "unknown version"
    return "version 0 (as shipped)" if version == 0 else f"version {version}"


def chosen_labels_text(labels: LabelFilter) -> str:
    """Which labels were chosen; empty where all count."""
    texts = []
    if labels.name:
        texts.append(f"labels of {labels.name}")
    if labels.guides:
        versions = " or ".join(guide_text(version) for version in labels.guides)
        texts.append(f"labels given with the labelling guide of {versions}")
    return ", ".join(texts)


def mixed_guides(counts: Mapping[int, int]) -> str:
    """The warning that labels of several versions are mixed; empty where they are of one."""
    if len(counts) < 2:
        return ""
    parts = ", ".join(
        f"{guide_text(version)}: {count_of(number, 'label')}"
        for version, number in sorted(counts.items(), key=lambda pair: (pair[0] < 0, pair[0]))
    )
    known_versions = [version for version in counts if version != UNKNOWN_GUIDE]
    verb = "mix" if len(known_versions) > 1 else "may mix"
    return (
        f"These figures {verb} labels given with different versions of the labelling guide "
        f"({parts}); look at each version separately."
    )
