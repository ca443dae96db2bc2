"""The shipped documentation: a Markdown file for each interface and topic."""

from dataclasses import dataclass
from pathlib import Path

from workbench.shipped import SHIPPED_DATA

DOCS = SHIPPED_DATA / "docs"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentationPage:
    """One document as it is on disk."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """What it is asked for by: the file without its ending."""
        return self.path.stem

    @property
    def title(self) -> str:
        """Its first heading."""
        first = self.text.partition("\n")[0]
        return first.removeprefix("# ")


def documents(folder: Path = DOCS) -> list[DocumentationPage]:
    """The documents of a folder, by name."""
    return [
        DocumentationPage(path=path, text=path.read_text("utf-8"))
        for path in sorted(folder.glob("*.md"))
    ]
