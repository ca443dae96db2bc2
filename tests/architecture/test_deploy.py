"""The example of a deployment, as far as it can be checked without a container engine."""

import http.client
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

import workbench
from tests.fakes.served import served
from workbench.errors import UsageError
from workbench.interfaces import cli
from workbench.interfaces.http.security import check_address
from workbench.settings import load_settings

PROJECT = Path(workbench.__file__).parents[1]
DEPLOY = PROJECT / "data" / "deploy"


def steps():
    """The instructions of the Containerfile, each with its words; continued lines are joined."""
    text = re.sub(r"^\s*#.*\n", "", (DEPLOY / "Containerfile").read_text(), flags=re.M)
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]


def values(name):
    return [value for instruction, value in steps() if instruction == name]


def command():
    return yaml.safe_load(values("CMD")[-1])


def site():
    return re.search(r"^([\w.-]+) \{", (DEPLOY / "Caddyfile").read_text(), re.M)[1]


def test_what_is_copied_exists_and_is_what_a_wheel_needs():
    copied = {
        source
        for value in values("COPY")
        if not value.startswith("--from")
        for source in shlex.split(value)[:-1]
    }
    assert [source for source in copied if not (PROJECT / source).exists()] == []
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["only-include"], *wheel["force-include"], "pyproject.toml", "LICENSE"}
    assert needed <= copied


def test_its_python_is_one_that_is_declared():
    (version,) = {re.search(r"python:(\d+\.\d+)", image)[1] for image in values("FROM")}
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_its_user_is_not_root_and_the_data_are_that_users():
    (user,) = values("USER")
    assert int(user) > 0, "by number, so that a cluster can see it"
    assert any(f"-o {user}" in value and "/data" in value for value in values("RUN"))
    pod = yaml.safe_load((DEPLOY / "pod.yaml").read_text())
    assert pod["spec"]["securityContext"]["runAsNonRoot"] is True


def test_its_command_serves_on_loopback():
    program, *arguments = command()
    assert program in tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]
    parsed = cli.build_parser().parse_args(arguments)
    check_address(parsed.host)
    with pytest.raises(UsageError):
        check_address("0.0.0.0")
    assert values("EXPOSE") == []
    assert f"http://127.0.0.1:{parsed.port}/" in values("HEALTHCHECK")[0]
    assert f"reverse_proxy 127.0.0.1:{parsed.port}\n" in (DEPLOY / "Caddyfile").read_text()


def test_the_pod_opens_the_proxys_port_alone():
    containers = yaml.safe_load((DEPLOY / "pod.yaml").read_text())["spec"]["containers"]
    ports = {box["name"]: [port["containerPort"] for port in box.get("ports", [])]
             for box in containers}  # fmt: skip
    https = int(re.search(r"https_port (\d+)", (DEPLOY / "Caddyfile").read_text())[1])
    assert ports == {"workbench": [], "proxy": [https]}


def test_the_login_returns_to_the_proxys_name():
    login = tomllib.loads((DEPLOY / "secrets.toml").read_text())["auth"]
    assert login["redirect_uri"] == f"https://{site()}/oauth2callback"


def test_the_readme_names_every_file():
    text = (DEPLOY / "README.md").read_text()
    assert [path.name for path in DEPLOY.iterdir() if path.name not in text] == ["README.md"]


@pytest.fixture(scope="module")
def behind_the_proxy(tmp_path_factory):
    data = tmp_path_factory.mktemp("deploy")
    token = data / "token"
    token.write_text("a-token-of-this-test\n")
    text = (DEPLOY / "settings.toml").read_text().replace("/run/secrets/token", str(token))
    (data / "settings.toml").write_text(text)
    assert load_settings({"WORKBENCH_DATA": str(data)}).server.hosts == (site(),)
    with served(data) as server:
        yield server


def ask(server, path, host, **headers):
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.request("GET", path, headers={"Host": host, **headers})
    status = line.getresponse().status
    line.close()
    return status


def test_the_server_answers_under_the_proxys_name_and_no_other(behind_the_proxy):
    assert ask(behind_the_proxy, "/", site()) == 200
    assert ask(behind_the_proxy, "/", "elsewhere.example.org") == 403
    upgrade = {
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "streamlit",
    }  # fmt: skip
    stream = "/_stcore/stream"
    assert ask(behind_the_proxy, stream, site(), Origin=f"https://{site()}", **upgrade) == 101
    stranger = "https://elsewhere.example.org"
    assert ask(behind_the_proxy, stream, site(), Origin=stranger, **upgrade) == 403


def test_programs_need_the_token_even_within_the_pod(behind_the_proxy):
    assert ask(behind_the_proxy, "/api/v1/runs", site()) == 401
    name = {"X-Forwarded-User": "root", "Remote-User": "root"}
    assert ask(behind_the_proxy, "/api/v1/runs", site(), **name) == 401
