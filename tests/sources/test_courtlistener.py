"""CourtListener's answers to citations, by a server that answers in its recorded shape."""

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from workbench.records.bibliography import IndexReply, ReferenceEntry
from workbench.records.text import JsonDict
from workbench.sources.indexes.client import AnswerCache, IndexClient, MemoryAnswerCache
from workbench.sources.indexes.courtlistener import CourtListenerIndex
from workbench.sources.services import Services

TOKEN = "a-token-of-this-test"
KNOWN = {
    "564 F.3d 636": [("Tarn v. Orlan Mills, Inc.", "2009-04-29")],
    "12 F.4th 55": [("Adler v. Brask", "2021-08-03"), ("In re Sorrel", "2021-08-03")],
}


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests need not be a second apart: each test has a server of its own."""
    monkeypatch.setattr("workbench.sources.indexes.profiles.MARGIN", 0.01)


Answer = Callable[[dict[str, str]], tuple[int, object]]


def looked_up(form: dict[str, str]) -> tuple[int, object]:
    """What the service answers to the citations of a form."""
    text = form.get("text") or f"{form['volume']} {form['reporter']} {form['page']}"
    return 200, [
        item_of(match[0], match.start()) for match in re.finditer(r"\d+ [^;]+? \d+(?=;|\Z)", text)
    ]


def item_of(citation: str, start: int) -> JsonDict:
    if " Imag. Rep. " in citation:
        status, message = 400, "Unable to find reporter with abbreviation of 'Imag. Rep.'"
    elif citation in KNOWN:
        status, message = (200 if len(KNOWN[citation]) == 1 else 300), ""
    else:
        status, message = 404, f"Citation not found: '{citation}'"
    volume, reporter, page = re.fullmatch(r"(\d+) (.+) (\d+)", citation).groups()  # type: ignore[union-attr]
    return {
        "citation": citation,
        "normalized_citations": [citation],
        "start_index": start,
        "end_index": start + len(citation),
        "status": status,
        "error_message": message,
        "clusters": [
            {
                "id": 100 + number,
                "absolute_url": f"/opinion/{100 + number}/a-case/",
                "case_name": name,
                "case_name_full": name.upper(),
                "date_filed": date,
                "citations": [
                    {"volume": volume, "reporter": reporter, "page": page, "type": 1},
                    {"volume": 99, "reporter": "Parallel Rep.", "page": "7", "type": 2},
                ],
            }
            for number, (name, date) in enumerate(KNOWN.get(citation, []))
        ],
    }


class Service:
    """What the server was sent, and what it answers."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.forms: list[dict[str, str]] = []
        self.tokens: list[str] = []
        self.base = ""


@contextmanager
def served(answer: Answer = looked_up) -> Iterator[Service]:
    service = Service(answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name is the base class's
            size = int(self.headers["Content-Length"])
            fields = parse_qs(self.rfile.read(size).decode())
            form = {name: values[0] for name, values in fields.items()}
            service.forms.append(form)
            service.tokens.append(self.headers.get("Authorization", ""))
            status, said = service.answer(form)
            body = said.encode() if isinstance(said, str) else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if status == 429:
                self.send_header("Retry-After", "60")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    service.base = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        yield service
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def entry(citation: str, **fields: str) -> ReferenceEntry:
    volume, _, rest = citation.partition(" ")
    reporter, _, page = rest.rpartition(" ")
    return ReferenceEntry(
        title="Tarn v. Orlan", volume=volume, venue=reporter, pages=page, type="legal_case", **fields
    )  # fmt: skip


def ask(
    service: Service,
    *entries: ReferenceEntry,
    cache: AnswerCache | None = None,
    allow_fetch: bool = True,
    token: str | None = TOKEN,
) -> list[IndexReply]:
    client = IndexClient(
        Services(courtlistener=service.base),
        allow_fetch=allow_fetch,
        keys={"courtlistener": token} if token else {},
        cache=cache,
    )
    index = CourtListenerIndex(client)

    async def look_up_all() -> list[IndexReply]:
        return await asyncio.gather(*[index.look_up(asked) for asked in entries])

    return asyncio.run(look_up_all())


def test_a_decision_comes_back_as_a_record() -> None:
    with served() as service:
        [reply] = ask(service, entry("564 F.3d 636"))
    assert reply.answer.answer == "match"
    assert reply.answer.question == "564 F.3d 636"
    [record] = reply.records
    assert record["type"] == "legal_case"
    assert record["title"] == "Tarn v. Orlan Mills, Inc."
    assert (record["volume"], record["container-title"], record["page"]) == ("564", "F.3d", "636")
    assert record["issued"] == {"date-parts": [[2009, 4, 29]]}
    assert record["URL"] == "https://www.courtlistener.com/opinion/100/a-case/"
    assert record["custom"]["citations"] == ["564 F.3d 636", "99 Parallel Rep. 7"]  # type: ignore[index,call-overload]
    assert service.tokens == [f"Token {TOKEN}"]


def test_citations_asked_about_together_are_one_request() -> None:
    citations = ["564 F.3d 636", "12 F.4th 55", "1 F.4th 2", "3 Imag. Rep. 4"]
    with served() as service:
        replies = ask(service, *[entry(citation) for citation in citations])
        assert [form.get("text") for form in service.forms] == ["; ".join(citations)]
    assert [reply.answer.answer for reply in replies] == ["match", "match", "none", "none"]
    assert [len(reply.records) for reply in replies] == [1, 2, 0, 0]
    assert "no decision at 1 F.4th 2" in replies[2].answer.why
    assert "knows no reporter Imag. Rep." in replies[3].answer.why


def test_each_answer_is_replayed_without_the_network() -> None:
    cache = MemoryAnswerCache()
    with served() as service:
        ask(service, entry("564 F.3d 636"), entry("1 F.4th 2"), cache=cache)
        asked = len(service.forms)
        [known] = ask(service, entry("564 F.3d 636"), cache=cache, allow_fetch=False)
        [missing] = ask(service, entry("1 F.4th 2"), cache=cache, allow_fetch=False)
        [new] = ask(service, entry("7 F.4th 8"), cache=cache, allow_fetch=False)
        assert len(service.forms) == asked == 1
    answers = [reply.answer.answer for reply in (known, missing, new)]
    assert answers == ["match", "none", "not_asked"]


def test_no_more_citations_are_sent_in_a_minute_than_it_looks_up() -> None:
    cited = [entry(f"{volume} F.2d 11") for volume in range(1, 71)]
    now = [1000.0]

    async def look_up_all(index: CourtListenerIndex) -> None:
        pending = asyncio.gather(*[index.look_up(asked) for asked in cited])
        while not service.forms:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        sent_first = [len(form["text"].split(";")) for form in service.forms]
        assert sent_first == [60]
        pending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await pending

    with served() as service:
        client = IndexClient(
            Services(courtlistener=service.base),
            allow_fetch=True,
            keys={"courtlistener": TOKEN},
        )
        asyncio.run(look_up_all(CourtListenerIndex(client, lambda: now[0])))


@pytest.mark.parametrize(
    ("status", "said", "why"),
    [
        (429, {"detail": "Throttled.", "wait_util": "2026-11-22T10:00:00"}, "2026-11-22T10:00:00"),
        (401, {"detail": "Invalid token."}, "check its key"),
        (200, "<html>Down for maintenance</html>", "web page"),
        (200, '[{"citation": "564 F.3d', "broke off"),
        (200, {"detail": "?"}, "unknown form"),
        (200, [{"status": 429, "start_index": 0}], "too many citations"),
        (200, [{"status": 200, "start_index": 0, "clusters": [{"id": 5}]}], "not a decision"),
        (200, [{"status": 200, "start_index": 0}], "did not say"),
        (200, [{"start_index": 0}], "did not say"),
        (200, [7], "did not say"),
        (200, [{"citation": "1 F.4th 2", "status": 404}], "answered about 1 F.4th 2"),
        (200, [{"status": 404, "start_index": []}, {"status": 404}], "did not say"),
    ],
)
def test_what_is_no_answer_never_counts_as_none(status: int, said: object, why: str) -> None:
    with served(lambda form: (status, said)) as service:
        alone = ask(service, entry("564 F.3d 636"))
        together = ask(service, entry("564 F.3d 636"), entry("12 F.4th 55"))
    assert [reply.answer.answer for reply in (*alone, *together)] == ["error"] * 3
    assert why in alone[0].answer.why
    assert all(not reply.records for reply in (*alone, *together))


@pytest.mark.parametrize(
    ("asked", "covers", "why"),
    [
        (entry("2019 WL 123456"), False, "no volume, reporter and page"),
        (entry("2018 U.S. Dist. LEXIS 74124"), False, "no volume, reporter and page"),
        (ReferenceEntry(title="Tarn v. Orlan", type="legal_case"), False, "no volume"),
        (ReferenceEntry(title="Rain", type="book", volume="1"), False, "only court decisions"),
    ],
)
def test_what_it_does_not_hold_is_not_sent(asked: ReferenceEntry, covers: bool, why: str) -> None:
    with served() as service:
        [reply] = ask(service, asked)
        assert service.forms == []
    assert (reply.answer.answer, reply.answer.covers) == ("not_asked", covers)
    assert why in reply.answer.why


def test_without_a_token_nothing_is_sent() -> None:
    with served() as service:
        [reply] = ask(service, entry("564 F.3d 636"), token=None)
        assert service.forms == []
    assert reply.answer.answer == "not_asked"
    assert "token" in reply.answer.why
