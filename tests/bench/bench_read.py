"""Reading: which way of extraction keeps the facts of a page, and what hostile documents cost.

    python tests/bench/bench_read.py

Kept: facts of our own test pages that are in the text (tables, lists, captions among them), and
sentences and numbers of the pages in data/demo. Leaked: words that stand around the article.
"""

import asyncio
import html
import re
import sys
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.fakes.html_pages import PAGES  # noqa: E402
from workbench.errors import SourceError  # noqa: E402
from workbench.records.source import Fetched  # noqa: E402
from workbench.sources.read import read_source  # noqa: E402
from workbench.sources.reading.html import parse_html  # noqa: E402
from workbench.sources.reading.pool import ParserProcessPool  # noqa: E402


def trafilatura_text(**options):
    import trafilatura

    def extract(markup):
        return trafilatura.extract(markup, include_comments=False, **options) or ""

    return extract


def everything(markup):
    import trafilatura

    return trafilatura.html2txt(markup)


def workbench_text(markup):
    return parse_html(markup.encode(), "text/html; charset=utf-8", "https://site.example/a").text


MODES = {
    "default": trafilatura_text(),
    "precision": trafilatura_text(favor_precision=True),
    "recall": trafilatura_text(favor_recall=True),
    "fast": trafilatura_text(fast=True),
    "markdown": trafilatura_text(output_format="markdown"),
    "all text": everything,
    "ours": workbench_text,
}


def squeezed(text):
    return re.sub(r"[\W_]+", "", text)


def demo_facts(markup):
    """Cells, items and sentences of a demo page, as its markup has them."""
    markup = re.sub(r"<(nav|footer|aside)\b.*?</\1>", "", markup, flags=re.S)
    facts = re.findall(r"<(td|th|li|figcaption|caption|p)\b[^>]*>(.*?)</\1>", markup, re.S)
    texts = [html.unescape(re.sub(r"<[^>]+>", " ", inner)).strip() for _, inner in facts]
    return [text for text in texts if re.search(r"\d", text)]


def extraction():
    demo = [path.read_text("utf-8") for path in sorted((ROOT / "data/demo").glob("*/*.html"))]
    facts = [(page, fact) for page in demo for fact in demo_facts(page)]
    print(
        f"{len(PAGES)} own pages, {len(demo)} demo pages with {len(facts)} facts that have a number"
    )
    print(f"{'mode':<12}{'own kept':>12}{'leaked':>10}{'demo kept':>14}{'ms a page':>12}")
    for name, extract in MODES.items():
        kept_facts = [fact in extract(page.markup) for page in PAGES for fact in page.keep]
        leaked = [noise in extract(page.markup) for page in PAGES for noise in page.drop]
        began = time.perf_counter()
        texts = {page: squeezed(extract(page)) for page in demo}
        took = (time.perf_counter() - began) / max(1, len(demo)) * 1000
        visible_facts = [squeezed(fact) in texts[page] for page, fact in facts]
        print(
            f"{name:<12}{sum(kept_facts):>7}/{len(kept_facts):<4}{sum(leaked):>6}/{len(leaked):<3}"
            f"{sum(visible_facts):>9}/{len(visible_facts):<4}{took:>11.1f}"
        )


def pdf_of(stream, filters="/FlateDecode"):
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1"
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        f"<</Length {len(stream)}/Filter[{filters}]>>stream\n".encode() + stream + b"\nendstream",
    ]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj".encode() + content + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"xref\n0 5\n0000000000 65535 f \n{table}trailer<</Root 1 0 R/Size 5>>\nstartxref\n"
    return body + f"{end}{len(body)}\n%%EOF".encode()


def hostile_documents():
    zeros = zlib.compressobj(9)
    gib = b"".join(zeros.compress(bytes(1 << 20)) for _ in range(1024)) + zeros.flush()
    return {
        "PDF: 1 MB inflates to 1 GiB": pdf_of(gib),
        "PDF: flate in flate": pdf_of(zlib.compress(gib, 9), "/FlateDecode/FlateDecode"),
        "PDF: 3 million operators": pdf_of(zlib.compress(b"BT /F1 9 Tf (a) Tj ET " * 1_000_000, 9)),
        "HTML: 300,000 paragraphs": b"<p>x" * 300_000,
        "HTML: 150,000 table rows": b"<table>" + b"<tr><td>x" * 150_000,
        "HTML: 80,000 links": b'<a href="/x">y</a> ' * 80_000,
        "HTML: 250,000 nested divs": b"<div>" * 250_000,
        "HTML: 130,000 open scripts": b"<script>" * 130_000,
        "HTML: one node of 5 MB": b"<p>" + b"word " * 1_000_000,
        "JSON: 1 million brackets": b"[" * 1_000_000,
    }


def types(name):
    return {"PDF": "application/pdf", "HTML": "text/html", "JSON": "application/json"}[
        name[:4].strip(":")
    ]


def limits():
    print(f"\n{'document':<30}{'bytes':>10}{'seconds':>9}{'child, peak':>13}  result")
    for name, body in hostile_documents().items():
        pool = ParserProcessPool(1)
        kind = types(name)
        fetched = Fetched(url="u", final_url="u", status=None, content_type=kind, body=body)
        asyncio.run(read_source(Fetched(url="u", final_url="u", status=None,
                                        content_type=kind.replace("pdf", "json"), body=b"<p>1</p>"),
                                pool=pool))  # fmt: skip
        pid = pool.children[0]
        began = time.perf_counter()
        try:
            source = asyncio.run(read_source(fetched, pool=pool))
            outcome = f"{len(source.text)} characters" + (", cut" if source.truncated else "")
        except SourceError as error:
            outcome = f"{error.kind}: {error.message[:48]}"
        took = time.perf_counter() - began
        print(f"{name:<30}{len(body):>10}{took:>9.2f}{peak(pid):>13}  {outcome}")
        pool.close()


def peak(pid):
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return "stopped"
    return f"{int(next(x for x in lines if x.startswith('VmHWM')).split()[1]) // 1024} MiB"


if __name__ == "__main__":
    extraction()
    limits()
