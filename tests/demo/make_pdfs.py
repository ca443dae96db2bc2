"""Set the manuscripts of the demo's PDF sources as pages: `python -m tests.demo.make_pdfs`.

A manuscript is `key: value` lines, a blank line, and a body of paragraphs, `## headings`,
`- list items`, `| table | rows |` and `---page---`. The dates in the files are the manuscripts'
own, so that a second run writes the same bytes.
"""

import re
import string
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from fpdf import FPDF, FontFace

from tests.demo.chinese_face import FONTS, write_face

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
LATIN = string.printable.strip() + " ·"
UNIT = re.compile("(?:[A-Za-z0-9][A-Za-z0-9.,%]*|.)[，。；：！？、）》”]*")
"""What no line end may cut: a number, and a character with the closing marks after it."""
MARGIN_MM = 24
SERIF = ("legal_memo", "medical_answer", "research_report/courtyard-noise")
"""Journals and courts are set in a serif face, reports in a sans."""


class Document(FPDF):
    """A4 pages with a running head and page numbers."""

    def __init__(self, head: dict[str, str], body: str) -> None:
        """Set up fonts and facts from a manuscript."""
        super().__init__(format="A4", unit="mm")
        self.running = head["running"]
        self.chinese = head.get("lang") == "zh"
        self.core_fonts_encoding = "windows-1252"
        self.face = "Times" if head["out"].startswith(SERIF) else "Helvetica"
        if self.chinese:
            self.face = "noto"
            with tempfile.TemporaryDirectory() as folder:
                for style in FONTS:
                    face = write_face("".join(head.values()) + body + LATIN, style, Path(folder))
                    self.add_font("noto", style, face)
        self.set_title(head["title"])
        self.set_author(head["author"])
        self.set_lang("zh-CN" if self.chinese else "en")
        self.set_creation_date(datetime.fromisoformat(head["date"]).replace(hour=9, tzinfo=UTC))
        self.set_margins(MARGIN_MM, MARGIN_MM)
        self.set_auto_page_break(True, margin=MARGIN_MM)
        self.add_page()

    def type(self, size: float, style: str = "") -> None:
        """Choose a size and style; the Chinese face has no italics."""
        self.set_font(self.face, style.replace("I", "") if self.chinese else style, size)

    def header(self) -> None:
        """The running head, from the second page on."""
        if self.page_no() == 1:
            return
        self.type(8, "I")
        self.set_text_color(90)
        self.cell(0, 5, self.running, new_x="LMARGIN", new_y="NEXT")
        self.set_text_color(0)
        self.ln(5)

    def footer(self) -> None:
        """The page number."""
        self.set_y(-15)
        self.type(8)
        self.set_text_color(90)
        self.cell(0, 5, f"{self.page_no()}", align="C")
        self.set_text_color(0)

    def paragraph(
        self, text: str, size: float = 10.5, style: str = "", space_after: float = 2.5
    ) -> None:
        """A paragraph over the whole width, ragged right so that words stay whole."""
        self.type(size, style)
        text = self.broken(text) if self.chinese else text
        self.multi_cell(0, size * 0.5, text, align="L", new_x="LMARGIN", new_y="NEXT")
        self.ln(space_after)

    def broken(self, text: str) -> str:
        """Chinese text with line ends put in, between units that stay whole."""
        width = self.epw - 2 * self.c_margin
        lines = [""]
        for unit in UNIT.findall(text):
            if self.get_string_width(lines[-1] + unit) > width:
                lines.append("")
            lines[-1] += unit
        return "\n".join(lines)

    def rows(self, rows: list[list[str]]) -> None:
        """A table with a heading row; the first column is the widest."""
        self.type(9.5)
        widths = (2.2, *[1.0] * (len(rows[0]) - 1)) if len(rows[0]) > 2 else (1, 1)
        bold = FontFace(emphasis="BOLD")
        with self.table(
            rows,
            col_widths=widths,
            headings_style=bold,
            line_height=5.2,
            padding=1,
            text_align="LEFT",
        ):
            pass
        self.ln(2)


def read_manuscript(path: Path) -> tuple[dict[str, str], str]:
    """The head and the body of a manuscript."""
    head, body = path.read_text("utf-8").split("\n\n", 1)
    return dict(line.split(": ", 1) for line in head.splitlines()), body


def blocks(body: str) -> Iterator[list[str]]:
    """The body's blocks: runs of lines of one sort between blank lines."""
    for block in body.strip().split("\n\n"):
        yield block.splitlines()


def set_pages(path: Path) -> tuple[str, bytes]:
    """Where the PDF of a manuscript belongs, below the demo's folder, and its bytes."""
    head, body = read_manuscript(path)
    document = Document(head, body)
    document.paragraph(head["title"], 17, "B", space_after=1.5)
    document.paragraph(head["subtitle"], 11, "I", space_after=3)
    document.paragraph(head["author"], 10.5, space_after=0.5)
    document.paragraph(head["organisation"], 9.5, "I", space_after=6)
    for lines in blocks(body):
        if lines == ["---page---"]:
            document.add_page()
        elif lines[0].startswith("## "):
            document.paragraph(lines[0][3:], 13, "B", space_after=1.5)
        elif lines[0].startswith("### "):
            document.paragraph(lines[0][4:], 11, "B", space_after=1)
        elif lines[0].startswith("| "):
            document.rows([[cell.strip() for cell in line.strip("|").split("|")] for line in lines])
        elif lines[0].startswith("- "):
            mark = "\u00b7" if document.chinese else "\u2022"
            for line in lines:
                document.paragraph(f"{mark} {line[2:]}", space_after=1)
            document.ln(1.5)
        else:
            document.paragraph(" ".join(lines))
    return head["out"], bytes(document.output())


def main() -> None:
    """Write every PDF of the demo."""
    for path in sorted((DEMO / "manuscripts").glob("*.md")):
        name, pdf = set_pages(path)
        target = DEMO / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(pdf)
        sys.stdout.write(f"{name}: {len(pdf):,} bytes\n")


if __name__ == "__main__":
    main()
