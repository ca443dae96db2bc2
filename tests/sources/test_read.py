"""From fetched bytes to text: PDF, JSON, XML, plain text, and the child that reads them."""

import asyncio
import io
import os
import time

import pytest
from fpdf import FPDF

from workbench.errors import NotEvidenceError, SourceError
from workbench.records.source import Fetched
from workbench.sources.read import read_source
from workbench.sources.reading.parsed import Unparsable
from workbench.sources.reading.pool import ContentMetadata, ParseJob, ParserProcessPool


@pytest.fixture(scope="module")
def pool():
    readers = ParserProcessPool(2, seconds=5)
    yield readers
    readers.close()


def fetched(body, content_type, status=200):
    address = "https://site.example/a"
    return Fetched(
        url=address, final_url=address, status=status, content_type=content_type, body=body
    )


def read(pool, body, content_type="text/html", status=200):
    return asyncio.run(read_source(fetched(body, content_type, status), pool=pool))


def failure(pool, body, content_type="application/pdf", status=200):
    with pytest.raises(SourceError) as caught:
        read(pool, body, content_type, status)
    return caught.value


def pdf(*pages, title=None, **options):
    document = FPDF()
    document.set_font("helvetica", size=12)
    if title:
        document.set_title(title)
    for page in pages:
        document.add_page()
        document.multi_cell(0, 8, page)
    for name, value in options.items():
        getattr(document, name)(value) if not isinstance(value, dict) else getattr(document, name)(
            **value
        )
    return bytes(document.output())


# -- what was cut ---------------------------------------------------------------------------------


def test_a_page_that_was_cut_before_its_text_says_so(pool):
    markup = b"<html><body>" + b"<p></p>" * 1000
    cut_page = Fetched(
        url="https://site.example/a", final_url="https://site.example/a", status=200,
        content_type="text/html", body=markup, truncated=True,
    )  # fmt: skip
    with pytest.raises(SourceError) as refused:
        asyncio.run(read_source(cut_page, pool=pool))
    assert refused.value.kind == "too_large"
    assert "truncated at the size limit" in refused.value.message
    complete = failure(pool, markup, "text/html")
    assert isinstance(complete, NotEvidenceError)


def test_markup_that_is_nested_too_deep_says_so(pool):
    body = b"<div>" * 100_000 + b"The bridge is 120 metres long." + b"</div>" * 100_000
    refused = failure(pool, body, "text/html")
    assert refused.kind == "unreadable"
    assert "too deep" in refused.message


# -- PDF ------------------------------------------------------------------------------------------


def test_pages_of_a_pdf_carry_their_spans(pool):
    words = ["The tower is 324 metres tall.", "It was built in 1889.", "It is made of iron."]
    source = read(pool, pdf(*words, title="The tower"), "application/pdf")
    assert source.title == "The tower"
    assert [page.number for page in source.pages] == [1, 2, 3]
    assert [source.text[page.start : page.end] for page in source.pages] == words
    assert source.page_at(source.text.index("1889")) == 2
    assert source.to_dict()["pages"] == 3


def test_an_empty_page_keeps_its_number(pool):
    source = read(pool, pdf("One.", "", "Three."), "application/pdf")
    assert [source.text[page.start : page.end] for page in source.pages] == ["One.", "", "Three."]


def test_a_pdf_is_told_by_its_bytes(pool):
    assert "tall" in read(pool, pdf("It is tall."), "text/html").text


def test_an_encrypted_pdf_is_named(pool):
    body = pdf("Secret.", set_encryption={"owner_password": "o", "user_password": "u"})
    error = failure(pool, body)
    assert error.kind == "unreadable"
    assert "encrypted" in error.message


def test_a_pdf_with_an_empty_password_opens(pool):
    body = pdf("Open.", set_encryption={"owner_password": "o", "user_password": ""})
    assert read(pool, body, "application/pdf").text == "Open."


def test_a_scanned_pdf_is_named(pool):
    from PIL import Image

    picture = io.BytesIO()
    Image.new("L", (60, 60), 200).save(picture, "PNG")
    document = FPDF()
    document.add_page()
    document.image(picture, w=100)
    error = failure(pool, bytes(document.output()))
    assert error.kind == "unreadable"
    assert "scanned" in error.message


SENTENCE = "The harbour wall at Tessel is 340 metres long and was rebuilt in 1987."


def set_words(document, gap, spacing=0.0, y=50, sentence=SENTENCE):
    """Write each word by itself, `gap` of the size of letters behind the one before."""
    document.set_char_spacing(spacing)
    x = 20.0
    for word in sentence.split():
        document.text(x, y, word)
        x += document.get_string_width(word) + gap * document.font_size
    document.set_char_spacing(0)


@pytest.mark.parametrize(
    ("gap", "spacing"), [(0.05, 0), (0.08, 0), (0.12, 0), (0.12, 1.2), (0.1, -0.3), (0.3, 0)]
)
def test_words_that_are_set_close_together_stay_words(pool, gap, spacing):
    document = FPDF()
    document.set_font("helvetica", size=12)
    document.add_page()
    set_words(document, gap, spacing)
    set_words(document, gap, spacing, y=60, sentence="Die Donaudampfschifffahrt ruht z. B. am 3.5.")
    text = read(pool, bytes(document.output())).text
    assert " ".join(text.split()) == f"{SENTENCE} Die Donaudampfschifffahrt ruht z. B. am 3.5."


def test_words_without_any_gap_are_told_as_badly_read(pool):
    error = failure(pool, pdf(SENTENCE.replace(" ", "") * 2))
    assert isinstance(error, NotEvidenceError)
    assert error.reason == "words_run_together"
    assert "run together" in error.message
    for fine in (f"{SENTENCE} Rindfleischetikettierung, https://a.example/{'b' * 30}", SENTENCE):
        assert read(pool, pdf(fine)).text


def scan(*pages):
    """A PDF with pages of `"seen"`, `"layer"` (unseen over a picture) or `"under"` (below one)."""
    from fpdf.enums import TextMode
    from PIL import Image

    document = FPDF()
    document.set_font("helvetica", size=12)
    for kind in pages:
        document.add_page()
        picture = Image.new("L", (60, 80), 200)
        if kind == "layer":
            document.image(picture, x=0, y=0, w=document.w, h=document.h)
        with document.local_context(
            text_mode=TextMode.INVISIBLE if kind == "layer" else TextMode.FILL
        ):
            document.text(20, 50, "The bridge is 12O m long.")
        if kind == "under":
            document.image(picture, x=0, y=0, w=document.w, h=document.h)
        if kind == "seen":
            document.image(picture, x=20, y=100, w=60)
    return bytes(document.output())


def test_a_text_layer_under_a_scanned_page_is_known_as_such(pool):
    source = read(pool, scan("layer", "seen", "under"))
    assert [page.scanned for page in source.pages] == [True, False, True]
    assert source.self_description().scanned
    assert not read(pool, scan("seen")).self_description().scanned


def test_a_pdf_without_text_is_named(pool):
    assert "no text" in failure(pool, pdf("")).message


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7\n",
        b"%PDF-1.7\n" + os.urandom(5000),
        pdf("Cut short.")[:400],
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\ntrailer<</Root 1 0 R>>",
        b"%PDF-1.4\n" + b"[" * 200_000,
    ],
    ids=["a head alone", "noise", "cut short", "a circle of pages", "nested arrays"],
)
def test_a_broken_pdf_is_named(body, pool):
    error = failure(pool, body)
    assert error.kind == "unreadable"
    assert "PDF" in error.message


def test_what_only_calls_itself_pdf(pool):
    assert "is not" in failure(pool, b"<html>").message


def test_an_address_broken_over_lines_is_mended_from_its_link(pool):
    address = "https://example.com/" + "a-rather-long-part/" * 6 + "end"
    document = FPDF()
    document.set_font("helvetica", size=12)
    document.add_page()
    document.multi_cell(0, 8, f"[1] A report. {address}")
    document.link(10, 10, 50, 10, address)
    assert address in read(pool, bytes(document.output()), "application/pdf").text


# -- data and text --------------------------------------------------------------------------------


def test_json_is_one_line_a_value(pool):
    body = b'{"title": "R", "items": [{"city": "K\\u00f6ln", "mm": 42}, "x\\ny"], "none": null}'
    source = read(pool, body, "application/json")
    assert source.title == "R"
    assert "city: Köln" in source.text
    assert "mm: 42" in source.text


@pytest.mark.parametrize("body", [b"{broken", b"[" * 100_000, b'{"a": ' * 5000 + b"1"])
def test_broken_json_is_plain_text(body, pool):
    assert read(pool, body, "application/json").text.startswith(("{", "["))


def test_xml_is_its_text(pool):
    body = (
        "<?xml version='1.0' encoding='utf-8'?><article><front><article-title>Rain</article-title>"
        "</front><body><sec><title>Results</title><p>It was <b>42</b> mm in Köln.</p></sec></body>"
        "</article>"
    ).encode()
    source = read(pool, body, "application/xml")
    assert source.title == "Rain"
    assert "It was 42 mm in Köln." in source.text.split("\n")


@pytest.mark.parametrize(
    "markup",
    [
        b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>42 &x;</r>',
        b'<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><r>42 &b;</r>',
        b'<!DOCTYPE r SYSTEM "http://127.0.0.1/x.dtd"><r>42</r>',
    ],
    ids=["a file", "an expansion", "an external definition"],
)
def test_xml_entities_are_not_read(markup, pool):
    text = read(pool, markup, "application/xml").text
    assert "42" in text
    assert "root:" not in text
    assert "aaaa" not in text


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "gb18030", "big5", "shift_jis"])
def test_plain_text_in_its_charset(charset, pool):
    text = (
        "2023年的人口是5171万。" * 20 if charset != "shift_jis" else "日本の人口は減少した。" * 20
    )
    text = text if charset != "big5" else "根據報告，人口達到五億人。" * 20
    assert read(pool, text.encode(charset), "text/plain").text == text


def test_lines_end_alike(pool):
    assert read(pool, b"a\r\nb\rc\n", "text/plain").text == "a\nb\nc\n"
    assert read(pool, b"a\r\nb", "text/plain", status=None).text == "a\nb"


def test_binary_is_not_text(pool):
    assert failure(pool, b"\x00\x01\x02" * 100, "text/plain").kind == "not_text"


def test_no_words_are_no_evidence(pool):
    with pytest.raises(NotEvidenceError) as caught:
        read(pool, b"<html><body></body></html>")
    assert caught.value.reason == "empty"


# -- the child ------------------------------------------------------------------------------------


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_children_are_used_again(pool):
    read(pool, b"<p>One 1.</p>")
    children_before = set(pool.children)
    for _ in range(5):
        read(pool, b"<p>One 1.</p>")
    assert set(pool.children) == children_before


def test_a_child_that_is_killed_is_replaced(pool):
    read(pool, b"<p>One 1.</p>")
    for pid in pool.children:
        os.kill(pid, 9)
    assert read(pool, b"<p>Two 2.</p>").text == "Two 2."


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("sleep", "longer than"),
        ("spin", "longer than|than allowed"),
        ("eat", "more memory"),
        ("die", "than allowed"),
    ],
)
def test_a_child_beyond_its_limits_is_stopped(recipe, message, monkeypatch, tmp_path):
    """The child runs a parser that misbehaves: a patched start-up module makes it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import workbench.sources.reading.parse as p, time, os\n"
        "def sleep(*a, **k): time.sleep(60)\n"
        "def spin(*a, **k):\n    while True: pass\n"
        "def eat(*a, **k): return b'x' * (8 << 30)\n"
        "def die(*a, **k): os._exit(3)\n"
        f"p.parse_plain = {recipe}\n"
    )
    import workbench.sources.reading.pool as module

    monkeypatch.setattr(module, "_ROOT", f"{tmp_path}{os.pathsep}{module._ROOT}")
    readers = ParserProcessPool(1, seconds=1)
    try:
        started = time.monotonic()
        with pytest.raises(Unparsable, match=message) as caught:
            readers.parse_blocking(b"words", ContentMetadata(content_type="text/plain"))
        assert caught.value.kind == "unreadable"
        assert time.monotonic() - started < 8
        assert readers.children == []
    finally:
        readers.close()


def test_cancelling_kills_the_child_at_work(monkeypatch, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import workbench.sources.reading.parse as p, time\n"
        "p.parse_plain = lambda *a: time.sleep(60)\n"
    )
    import workbench.sources.reading.pool as module

    monkeypatch.setattr(module, "_ROOT", f"{tmp_path}{os.pathsep}{module._ROOT}")
    readers = ParserProcessPool(1, seconds=30)

    async def main():
        task = asyncio.create_task(
            readers.parse(b"words", ContentMetadata(content_type="text/plain"))
        )
        while not readers.children:
            await asyncio.sleep(0.01)
        pid = readers.children[0]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid

    try:
        pid = asyncio.run(main())
        ends = time.monotonic() + 5
        # a child is off the list before the system has ended it
        while (readers.children or not gone(pid)) and time.monotonic() < ends:
            time.sleep(0.01)
        assert readers.children == []
        assert gone(pid)
    finally:
        readers.close()


def test_a_job_cancelled_before_it_began(pool):
    job = ParseJob()
    job.cancel()
    with pytest.raises(Unparsable, match="cancelled"):
        pool.parse_blocking(b"x", ContentMetadata(), job)


def test_a_closed_pool_leaves_no_child():
    readers = ParserProcessPool(2)
    readers.parse_blocking(b"x", ContentMetadata(content_type="text/plain"))
    pids = readers.children
    assert pids
    readers.close()
    assert all(gone(pid) for pid in pids)


def test_a_large_parent_does_not_make_its_children_seem_worn():
    ballast = bytearray(500 * 1024 * 1024)
    ballast[::4096] = b"x" * len(ballast[::4096])
    readers = ParserProcessPool(1)
    try:
        readers.parse_blocking(b"x", ContentMetadata(content_type="text/plain"))
        first = readers.children
        readers.parse_blocking(b"y", ContentMetadata(content_type="text/plain"))
        assert readers.children == first != []
    finally:
        readers.close()
        del ballast


def test_children_end_with_a_parent_that_is_killed(tmp_path):
    import subprocess
    import sys

    script = (
        "import os, signal\n"
        "from workbench.sources.reading.pool import ContentMetadata, shared_pool\n"
        "shared_pool().parse_blocking(b'x', ContentMetadata(content_type='text/plain'))\n"
        "print(*shared_pool().children, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    (pid,) = map(int, process.stdout.split())
    ends = time.monotonic() + 5
    while not gone(pid) and time.monotonic() < ends:
        time.sleep(0.02)
    assert gone(pid)


def test_no_secret_of_the_environment_reaches_a_child(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    readers = ParserProcessPool(1)
    try:
        readers.parse_blocking(b"x", ContentMetadata(content_type="text/plain"))
        with open(f"/proc/{readers.children[0]}/environ", "rb") as file:
            assert b"sk-secret" not in file.read()
    finally:
        readers.close()


def test_ten_documents_at_once(pool):
    async def main():
        pages = [fetched(f"<p>Page {n} of 10.</p>".encode(), "text/html") for n in range(10)]
        return await asyncio.gather(*[read_source(page, pool=pool) for page in pages])

    assert [source.text for source in asyncio.run(main())] == [
        f"Page {n} of 10." for n in range(10)
    ]
    assert len(pool.children) <= 2


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["The environ-", "ment is wet."], "The environment\nis wet."),
        (["A long-term plan, a long-", "term view."], "A long-term plan, a long-term\nview."),
        (["See https://a.example/long-", "name here."], "See https://a.example/long-\nname here."),
        (["Pages 12-", "14 count."], "Pages 12-\n14 count."),
    ],
)
def test_words_that_a_line_divides_are_one(lines, text, pool):
    body = pdf("\n".join(lines))
    assert read(pool, body, "application/pdf").text == text
    parsed = pool.parse_blocking(
        body, ContentMetadata(content_type="application/pdf", keep_lines=True)
    )
    assert parsed.text == "\n".join(lines)


def test_invisible_characters_do_not_stand_between_letters(pool):
    markup = "<p>The en&shy;vi\u200bron\u00adment of\u00a0Köln: 2\u202f495 mm, e\ufb03cient.</p>"
    assert read(pool, markup.encode()).text == "The environment of Köln: 2 495 mm, efficient."
