"""A list of domains is exact, whichever way it comes in: no resolver beside it is asked."""

import pytest

from tests.fakes.web_server import page, redirect

IDENTIFIERS = {
    "doi.org": "Rain fell [1].\n\n## References\n[1] Rain. doi:10.1000/rain.2\n",
    "arxiv.org": "Rain fell [1].\n\n## References\n[1] Rain. arXiv:2101.00001\n",
    "pubmed.ncbi.nlm.nih.gov": "Rain fell [1].\n\n## References\n[1] Rain. PMID: 31452104\n",
    "pmc.ncbi.nlm.nih.gov": "Rain fell [1].\n\n## References\n[1] Rain. PMC7029759\n",
}
ALL = "\n\n".join(
    [
        "Rain fell [1]. Snow fell [2]. Hail fell [3]. Sleet fell [4]. Fog came [5].",
        "## References",
        "[1] Rain. doi:10.1000/rain.2",
        "[2] Snow. arXiv:2101.00001",
        "[3] Hail. PMID: 31452104",
        "[4] Sleet. PMC7029759",
        "[5] Fog. http://b.example/fog",
    ]
)
FOG = "<html><body><article><p>Fog came over the hills in the morning.</p></article></body></html>"


def test_with_a_list_no_resolver_is_asked(door, web):
    web.replies["b.example/fog"] = page(FOG)
    outcome = door.verify(ALL, **door.allowing("b.example"))
    assert outcome.errors[:4] == ["not_allowed_domain"] * 4, outcome.output
    for host, message in zip(IDENTIFIERS, outcome.messages, strict=False):
        assert f"allow {host}" in message
    assert web.targets() == ["b.example/fog"]
    assert set(web.names()) == {"b.example"}


@pytest.mark.parametrize("door", ["python"], indirect=True)
@pytest.mark.parametrize("host", IDENTIFIERS)
def test_without_a_list_the_resolver_is_asked(door, web, host):
    """The control: the silence above means something."""
    outcome = door.verify(IDENTIFIERS[host], **door.allowing())
    assert host in web.names(), outcome.output


@pytest.mark.parametrize("door", ["python", "http", "pages"], indirect=True)
def test_where_a_listed_host_leads_has_to_be_listed_too(door, web):
    web.replies["b.example/fog"] = redirect("http://elsewhere.example/fog")
    text = "Fog came [1].\n\n## References\n[1] Fog. http://b.example/fog\n"
    outcome = door.verify(text, **door.allowing("b.example"))
    assert outcome.errors == ["not_allowed_domain"], outcome.output
    assert "allow elsewhere.example" in outcome.messages[0]
    assert set(web.names()) == {"b.example"}


DOI = "Fog came [1].\n\n## References\n[1] Fog. doi:10.1000/fog\n"


FROM_SETTINGS = {
    "allow_fetch": True, "allowed_domains": ["b.example"],
    "services": {"doi": "http://doi.example/", "crossref": ""},
}  # fmt: skip
# those that read services from the settings; a form shows the whole list and holds what it shows
READING_SETTINGS = ["cli", "http", "gateway", "mcp-stdio", "mcp-http"]


@pytest.fixture
def web_without_fog(web):
    web.replies["doi.example/10.1000/fog"] = redirect("http://b.example/fog")
    web.replies["b.example/fog"] = page(FOG)


@pytest.mark.parametrize("door", READING_SETTINGS, indirect=True)
def test_the_settings_list_is_exact_too(door, web, web_without_fog):
    outcome = door.verify(DOI, allow_fetch=True, settings=FROM_SETTINGS)
    assert outcome.errors == ["not_allowed_domain"]
    assert "allow doi.example" in outcome.messages[0]
    assert web.contacts() == []


@pytest.mark.parametrize("door", READING_SETTINGS, indirect=True)
def test_the_settings_may_allow_services_and_a_calls_own_list_stays_exact(
    door, web, web_without_fog
):
    settings = {**FROM_SETTINGS, "allowed_services": ["doi"]}
    own_list = door.verify(DOI, allow_fetch=True, allowed_domains=["b.example"], settings=settings)
    assert own_list.errors == ["not_allowed_domain"], own_list.output
    assert web.contacts() == []
    outcome = door.verify(DOI, allow_fetch=True, settings=settings)
    assert outcome.run["total_resolved"] == 1, outcome.output
