"""Files that somebody uploads as an agent's output."""

import os

import pytest
from fpdf import FPDF

from workbench.errors import UnreadableInput
from workbench.sources.upload import read_document_json, read_uploaded_text

REPORT = (
    "Rain fell in Bergen [1].\nThe sun shone in Oslo [2].\nReferences\n[1] Rain. 2020.\n[2] Sun."
)
CHINESE = "卑尔根下了雨[1]。\n奥斯陆出了太阳[2]。\n" * 5


def pdf(text, **options):
    document = FPDF()
    document.set_font("helvetica", size=12)
    document.add_page()
    for line in text.split("\n"):
        document.cell(0, 8, line, new_x="LMARGIN", new_y="NEXT")
    if options:
        document.set_encryption(**options)
    return bytes(document.output())


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        (REPORT.encode(), "a.txt", REPORT),
        (REPORT.replace("\n", "\r\n").encode(), "a.md", REPORT),
        (b"\xef\xbb\xbf" + REPORT.encode(), "a.txt", REPORT),
        (REPORT.encode("utf-16"), "a.txt", REPORT),
        (REPORT.encode("utf-16-le"), "a.txt", REPORT),
        (CHINESE.encode(), "a.md", CHINESE),
        (CHINESE.encode("utf-16"), "a.txt", CHINESE),
        (CHINESE.encode("gb18030"), "a.txt", CHINESE),
        ("Müller schätzt 5 % – déjà vu".encode("cp1252"), "a.txt", "Müller schätzt 5 % – déjà vu"),
        (pdf(REPORT), "a.pdf", REPORT),
        (pdf(REPORT), "no-ending", REPORT),
        (b"\xff\xfe\x00\xd8a\x00", "a.txt", "\ufffda"),
    ],
    ids=[
        "utf-8", "windows lines", "byte order mark", "utf-16", "utf-16 without mark", "chinese",
        "chinese utf-16", "gb18030", "western", "pdf", "pdf by its bytes", "a lone surrogate",
    ],
)  # fmt: skip
def test_the_text_comes_back_line_for_line(data, name, text):
    assert read_uploaded_text(data, name) == text


def test_json_comes_as_what_it_holds():
    assert read_document_json(b'\xef\xbb\xbf{"a": [1]}', "a.json") == {"a": [1]}


@pytest.mark.parametrize(
    ("data", "why"), [(b"{broken", "Expecting"), (b"[" * 100_000, "too deeply nested to be read")]
)
def test_broken_json_gets_a_sentence(data, why):
    with pytest.raises(UnreadableInput, match=rf"a.json is not valid JSON \({why}"):
        read_document_json(data, "a.json")


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "a.txt", "a.txt is empty"),
        (b" \n\t", "a.md", "a.md is empty"),
        (os.urandom(4000), "a.txt", "a.txt is not text"),
        (b"PK\x03\x04" + bytes(200), "report.docx", "report.docx: This Word document is damaged"),
        (b"words", "a.pdf", "a.pdf is not a PDF"),
        (b"%PDF-1.7 broken", "a.pdf", "a.pdf: The PDF is broken"),
        (pdf("x", owner_password="o", user_password="u"), "a.pdf", "a.pdf: The PDF is encrypted"),
        (pdf(""), "a.pdf", "a.pdf: The PDF has no text"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(data, name, message):
    with pytest.raises(UnreadableInput, match=message) as caught:
        read_uploaded_text(data, name)
    assert "Traceback" not in str(caught.value)


def test_five_megabytes_of_text():
    text = "Rain fell in Bergen [1]. " * 210_000
    assert read_uploaded_text(text.encode(), "a.txt") == text
