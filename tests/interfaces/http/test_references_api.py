"""Reference lists over HTTP: looked up, listed with their run, and decided by people."""

import json

import pytest

from tests.interfaces.http.test_api import assert_described, assert_refused, documented  # noqa: F401

LIST = """\
[1] Novak, J. (2019). Oak beams under load. Journal of Timber, 12(3), 100-110.
[2] Mokri, A. (2020). Rising tides in shallow basins of the north. Journal of Seas, 1(1), 1-2.
"""
RECORDS = [
    {
        "id": "novak", "type": "article-journal", "title": "Oak beams under load",
        "author": [{"family": "Novak", "given": "Jana"}], "issued": {"date-parts": [[2019]]},
        "container-title": "Journal of Timber", "volume": "12", "issue": "3", "page": "100-110",
    }
]  # fmt: skip
ANSWER = f"Oak beams hold [1]. Tides rise [2].\n\n## References\n{LIST}"


def looked_up(client, **body):
    answer = client.post("/api/v1/references", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_list_is_compared_with_a_registry(client, documented):  # noqa: F811
    report = looked_up(client, text=LIST, registry=RECORDS)
    assert [check["status"] for check in report["references"]] == ["matches", "not_found"]
    assert report["counts"] == {"matches": 1, "not_found": 1}
    assert report["indexes"] == [
        {"name": "registry:registry", "asked": 2, "answered": 2, "failed": 0}
    ]
    first = report["references"][0]
    assert LIST[first["start"] : first["end"]] == first["text"]
    for check in report["references"]:
        assert_described(documented, "ReferenceCheck", check)
        assert_described(documented, "ReferenceEntry", check["entry"])
        for field in check["fields"]:
            assert_described(documented, "FieldComparison", field)
        for index in check["indexes"]:
            assert_described(documented, "IndexAnswer", index)
    assert_described(documented, "ReferenceReport", report)


def test_a_list_comes_in_any_form(client):
    forms = [
        {"text": LIST.splitlines()[0]},
        {"entries": LIST.splitlines()[:1]},
        {"entries": RECORDS},
        {"text": json.dumps(RECORDS)},
    ]
    for form in forms:
        assert looked_up(client, **form, registry=RECORDS)["counts"] == {"matches": 1}
        assert looked_up(client, **form, registry=json.dumps(RECORDS))["counts"] == {"matches": 1}


def test_without_anybody_to_ask_nothing_is_called_missing(client):
    report = looked_up(client, text=LIST)
    assert report["counts"] == {"not_checked": 2}


def test_a_call_cannot_switch_look_ups_on(client):
    report = looked_up(client, text=LIST, look_up=True, indexes=["crossref"])
    assert report["counts"] == {"not_checked": 2}
    (answer,) = report["references"][0]["indexes"]
    assert answer["answer"] == "not_asked"
    assert "operator" in answer["why"]
    assert answer["question"] == ""


@pytest.mark.parametrize(
    "body",
    [
        {}, {"text": ""}, {"text": "x", "entries": ["x"]}, {"entries": []}, {"entries": ["x", {}]},
        {"text": LIST, "indexes": ["crossref", 3]}, {"text": LIST, "look_up": "yes"},
        {"text": LIST, "registry": 7}, {"text": LIST, "registry": ["x"]},
        {"text": LIST, "path": "/etc/passwd"},
    ],
    ids=str,
)  # fmt: skip
def test_a_list_of_another_form_is_refused(client, body):
    assert_refused(client.post("/api/v1/references", json=body), 422, "invalid")


def test_an_unknown_index_and_a_registry_without_records_are_told(client):
    body = {"text": LIST, "indexes": ["scholar"], "look_up": True}
    assert_refused(client.post("/api/v1/references", json=body), 422, "invalid", "scholar")
    body = {"text": LIST, "registry": "no records at all"}
    assert_refused(
        client.post("/api/v1/references", json=body), 422, "unreadable_input", "registry"
    )


def test_a_path_is_no_registry(client, tmp_path):
    """What a caller of the server writes is never opened as a file."""
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(RECORDS))
    answer = client.post("/api/v1/references", json={"text": LIST, "registry": str(file)})
    assert_refused(answer, 422, "unreadable_input")


def test_a_run_carries_its_references_and_the_labels_on_them(client, documented):  # noqa: F811
    run = client.post("/api/v1/verify", json={"text": ANSWER, "registry": RECORDS}).json()
    assert [check["status"] for check in run["references"]] == ["matches", "not_found"]
    url = f"/api/v1/runs/{run['id']}/references"
    assert client.get(url).json()["references"] == run["references"]
    label = {"decision": "exists", "reviewer": "Ada", "reason": "outside_indexes"}
    added = client.post(f"{url}/1/labels", json=label)
    assert added.status_code == 201, added.text
    assert_described(documented, "EntryLabel", added.json())
    assert added.json()["status_shown"] == "not_found"
    same = client.post(f"{url}/1/labels", json=label)
    assert (same.status_code, same.json()) == (200, added.json())
    assert client.get(f"{url}/1/labels").json() == {"labels": [added.json()]}
    assert client.get(f"{url}/0/labels").json() == {"labels": []}
    assert_refused(client.get(f"{url}/2/labels"), 404, "not_found")
    assert_refused(client.post(f"{url}/2/labels", json=label), 404, "not_found")
    assert_refused(client.get("/api/v1/runs/none/references"), 404, "not_found")
    assert_refused(
        client.post(f"{url}/1/labels", json={**label, "decision": "real"}), 422, "invalid"
    )
