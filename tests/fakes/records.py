"""Small records whose every value can be read at a glance."""

from datetime import UTC, datetime

from workbench.records.citation import Citation, Reference, Target
from workbench.records.review import Label
from workbench.records.source import Page, Source
from workbench.records.text import Excerpt, Span, text_sha256
from workbench.records.verdict import CitationResult, ErrorInfo, Evidence, Judgment, Layers, Run

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TEXT = "The bridge is 120 m long [1]. It opened in 1931 [2]."
SOURCE_TEXT = "Opening year: 1931. The bridge measures 120 metres."


def source(text=SOURCE_TEXT, **fields):
    defaults = {
        "url": "https://bridge.example/a",
        "final_url": "https://bridge.example/a",
        "status": 200,
        "content_type": "text/html",
        "bytes": len(text),
        "sha256": text_sha256("body of " + text),
        "title": "The bridge",
        "fetched_at": MOMENT,
        "truncated": False,
        "text": text,
        "pages": (Page(number=1, span=Span(0, 19)), Page(number=2, span=Span(19, len(text)))),
    }
    return Source(**(defaults | fields))


def citation(number=1, text=TEXT, **fields):
    raw = f"[{number}]"
    start = text.index(raw)
    defaults = {
        "id": f"c{number}",
        "kind": "numbered",
        "raw": raw,
        "span": Span(start, start + len(raw)),
        "identifier": str(number),
        "context": Span(0, len(text)),
        "claim": Excerpt(span=Span(0, start), text=text[:start]),
        "target": Target(form="url", value=f"https://bridge.example/{number}", reference=0),
    }
    return Citation(**(defaults | fields))


def judgment(label="supported", **fields):
    defaults = {
        "label": label,
        "confidence": 0.9,
        "score": 0.9 if label == "supported" else 0.1,
        "rationale": "The length stands in the second sentence.",
        "evidence": (Evidence(quote="120 metres", span=Span(40, 50), page=2),),
        "judge": "local",
        "uncovered": (Span(4, 10),),
    }
    return Judgment(**(defaults | fields))


def result(number=1, label="supported", **fields):
    judged = judgment(label)
    defaults = {
        "citation": citation(number),
        "status": "ok",
        "verdict": label,
        "source": source(),
        "judgment": judged,
        "judgments": (judged,),
        "layers": Layers(exists=True, resolves=True, derivable=True),
    }
    return CitationResult(**(defaults | fields))


def failure(number=2, kind="timeout", status="error"):
    return CitationResult(
        citation=citation(number),
        status=status,
        verdict="unverifiable",
        error=ErrorInfo(kind=kind, message="The host did not answer within 10 seconds."),
    )


def run(run_id="r1", results=(), text=TEXT, **fields):
    defaults = {
        "id": run_id,
        "output_sha256": text_sha256(text),
        "created_at": MOMENT,
        "judge": ("local",),
        "config": {"allow_fetch": False, "allowed_domains": []},
        "citations": tuple(results),
        "timings": {"found": 0.1},
        "references": (
            Reference(label="1", span=Span(0, 3), text="The", title="A bridge", year=1931),
        ),
    }
    return Run(**(defaults | fields))


def label(label_id="l1", value="contradicted", **fields):
    defaults = {
        "id": label_id,
        "run_id": "r1",
        "citation_id": "c1",
        "label": value,
        "reviewer": "Ada",
        "created_at": MOMENT,
        "note": "see page 2",
        "judge_label": "supported",
    }
    return Label(**(defaults | fields))
