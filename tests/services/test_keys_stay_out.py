"""A key of any shape that others quote stands nowhere: whole runs, and a search of all they leave.

The provider quotes the key that it was asked with: in refusals, in verdicts, in replies that are no
verdict. Then the database, every export, the backup, the report, and all that was printed and
logged are searched, for the key as it is, percent-encoded, in JSON and in Base64.
"""

import json
import logging
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from itertools import count
from threading import Thread

import httpx
import pytest

from tests.fakes.keys import KEYS, echoes, found_in, keys_in_files
from tests.fakes.providers import Answer, FakeProvider, verdict
from tests.fakes.served import served
from workbench.interfaces.cli import main
from workbench.masking import MASK
from workbench.presentation.run_report import annotated_html
from workbench.records.export_formats import CITATION_FORMATS as EXPORT_FORMATS
from workbench.store.store import Store

WAYS = list(echoes("x"))
REFUSED = len(WAYS)
"""So many citations are answered with a refusal, each with another way of quoting the key."""
LENGTHS = range(100, 100 + REFUSED + 3)
POLICY = """
policy:
  citation-verifier:
    external_resolver: {endpoint: "ADDRESS", api_key: "Bearer ${ASKED_WITH}", timeout_ms: 20000}
"""


def quoting(key):
    """A provider's answers: every refusal, a verdict, a verdict that holds, and no verdict."""
    forms, numbers = list(echoes(key).values()), count()

    def reply(request):
        number = next(numbers)
        quoted = " ".join(forms)
        if number < REFUSED:
            return Answer(status=401, error=f"Incorrect key {forms[number]} (request {number})")
        if number == REFUSED:
            return Answer(text=f"I was asked with {quoted}.")
        answer = {"reasoning": quoted, "rationale": f"{quoted} said so.", "label": "not_supported"}
        return Answer(text=verdict(**answer))

    return reply


@contextmanager
def logging_to(file):
    """Everything that anybody logs, SDKs and HTTP libraries included, in a file."""
    handler = logging.FileHandler(file)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s"))
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
        handler.close()


def write_inputs(folder, town):
    """An answer of a town's bridges, with its sources."""
    claims = {n: f"Bridge {n} of {town} is {n} metres long" for n in LENGTHS}
    addresses = {n: f"http://{town}.example/{n}" for n in LENGTHS}
    text = "\n".join(f"{claim} [{n}]." for n, claim in claims.items())
    text += "\n\n## References\n" + "\n".join(f"[{n}] {addresses[n]}" for n in LENGTHS)
    listed = [{"url": addresses[n], "content": f"{claims[n]}."} for n in LENGTHS]
    (folder / "answer.md").write_text(text)
    (folder / "sources.json").write_text(json.dumps(listed))


def run_command(folder, *arguments):
    """The exit code and output of a command; its output is also stored in the folder."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main([str(argument) for argument in arguments])
    number = len(list(folder.glob("printed-*")))
    (folder / f"printed-{number}").write_text(out.getvalue() + err.getvalue())
    return code, out.getvalue()


def checked_run(folder, environment, service):
    """The run of an answer by a judge whose provider quotes the key of a service."""
    write_inputs(folder, service)
    sdk = "anthropic" if service == "anthropic" else "openai"
    judge = {"anthropic": "anthropic:claude-haiku-4-5", "openai": "openai:gpt-4o-mini"}[sdk]
    environment.setenv(f"{sdk.upper()}_API_KEY", KEYS[service])
    with FakeProvider(quoting(KEYS[service])) as provider:
        base = provider.url if sdk == "anthropic" else f"{provider.url}/v1"
        environment.setenv(f"{sdk.upper()}_BASE_URL", base)
        code, printed = run_command(
            folder, "verify", folder / "answer.md", "--sources", folder / "sources.json",
            "--judge", judge, "--json",
        )  # fmt: skip
        assert code == 1 and len(provider.requests) == len(LENGTHS)
    logging.getLogger("some.library").error("asked with %s", {"x-api-key": KEYS[service]})
    return json.loads(printed)


@pytest.fixture(scope="module")
def left_behind(tmp_path_factory):
    """A folder with all that eight runs leave, one with the key of each service; and the runs."""
    folder = tmp_path_factory.mktemp("keys")
    with pytest.MonkeyPatch.context() as environment, logging_to(folder / "everything.log"):
        environment.setenv("WORKBENCH_DATA", str(folder / "data"))
        runs = {service: checked_run(folder, environment, service) for service in KEYS}
        store = Store(folder / "data" / "workbench.duckdb")
        for service, run in runs.items():
            for citation in run["citations"][REFUSED - 1 :]:  # one of each kind
                store.label(run["id"], citation["id"], "supported", author="Ada")
            run_record = store.get_run(run["id"])
            report = annotated_html(run_record, run_record.text, store.labels(run["id"]))
            (folder / f"{service}.html").write_text(report)
        for name in EXPORT_FORMATS:
            assert run_command(folder, "export", name, "--out", folder / f"export-{name}")[0] == 0
        assert run_command(folder, "backup", folder / "all.zip")[0] == 0
        assert run_command(folder, "search", "bridge", "--json")[0] == 0
        judge = ["--judge", "openai:gpt-4o-mini", "--report", folder / "report.html"]
        assert run_command(folder, "calibrate", *judge)[0] == 0
    return folder, runs


@pytest.mark.parametrize("service", list(KEYS))
def test_a_key_stands_in_nothing_that_a_run_leaves(service, left_behind):
    folder, runs = left_behind
    run = runs[service]
    assert sorted(run["errors"]) == ["llm_judge_error", "malformed_judge_response"]
    messages = {citation["error"]["message"] for citation in run["citations"] if citation["error"]}
    assert sum(MASK in message for message in messages) == REFUSED
    rationales = [
        citation["judgment"]["rationale"] for citation in run["citations"] if citation["judgment"]
    ]
    assert rationales and all(rationale.startswith(MASK) for rationale in rationales)
    for name in ("export-jsonl", f"{service}.html", "everything.log"):
        assert MASK in (folder / name).read_text(), f"{name} holds nothing of what was said"
    assert keys_in_files(folder, [KEYS[service]]) == []


class _Resolver(BaseHTTPRequestHandler):
    """Confirms a citation, and names the credentials of the request as its source."""

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["content-length"])))
        quoted = " ".join(echoes(self.headers["authorization"].partition(" ")[2]).values())
        answers = [
            {"id": citation["id"], "status": "verified", "source": quoted}
            for citation in question["citations"]
        ]
        body = json.dumps({"citations": answers}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("service", ["azure", "resolver", "custom"])
def test_a_policys_resolver_is_not_quoted_with_its_key(service, tmp_path, monkeypatch):
    """The variable's name says nothing of a secret: the policy names it."""
    write_inputs(tmp_path, "bath")
    data = tmp_path / "data"
    data.mkdir()
    (data / "settings.toml").write_text('resolver_hosts = ["127.0.0.1"]\n')
    monkeypatch.setenv("WORKBENCH_DATA", str(data))
    monkeypatch.setenv("ASKED_WITH", KEYS[service])
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Resolver)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY.replace("ADDRESS", f"http://127.0.0.1:{server.server_port}/"))
    try:
        with logging_to(tmp_path / "everything.log"):
            _, printed = run_command(
                tmp_path, "verify", tmp_path / "answer.md", "--policy", policy, "--json"
            )
    finally:
        server.shutdown()
        server.server_close()
    assert f"{MASK} {MASK}" in printed
    assert keys_in_files(tmp_path, [KEYS[service]]) == []


@pytest.mark.parametrize("service", [pytest.param("azure", marks=pytest.mark.slow), "custom"])
def test_the_pass_through_hands_no_key_of_its_own_on(service, tmp_path):
    """Its callers send keys of their own, or none; the server's is not theirs to see."""
    key = KEYS[service]
    quoted = " ".join(echoes(key).values())
    request = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    with FakeProvider() as provider:
        base = {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": key}
        with served(tmp_path, **base) as server:
            for answer, stream in (
                (Answer(status=401, error=quoted, headers={"x-request-id": key}), False),
                (Answer(status=401, error=quoted), True),
                (Answer(text=quoted), False),
                (Answer(text=key.replace(" ", "")), True),
            ):
                provider.queue(answer)
                reply = httpx.post(
                    f"{server.url}/v1/chat/completions", json={**request, "stream": stream},
                    timeout=60, trust_env=False,
                )  # fmt: skip
                assert MASK in reply.text
                assert found_in(reply.text + str(reply.headers), [key]) == []
    assert keys_in_files(tmp_path, [key]) == []
