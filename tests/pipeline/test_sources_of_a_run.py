"""Which sources a run had, what they are called, and what that says about each citation."""

import pytest

from workbench import extract, verify
from workbench.judging.scripted import ScriptedJudge
from workbench.pipeline.options import Progress
from workbench.pipeline.source_matching import match_sources

TEXT = """The bridge is 120 m long [1]. It opened in 1931 [2]. Smith v. Jones, 5 F. Supp. 7 (1931).

References
[1] Facts about the bridge. https://bridge.example/a
[2] The opening of the bridge. https://bridge.example/b
"""
PAGE = (
    '<!DOCTYPE html><html><head><link rel="canonical" href="https://bridge.example/a">'
    "<title>about:blank</title></head><body><p>The bridge is 120 m long, from one bank of the "
    "river to the other one.</p></body></html>"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "saved.html").write_text(PAGE)
    (tmp_path / "other.txt").write_text("Nothing about bridges stands here.")
    return tmp_path


def test_files_are_told_with_what_they_answer(folder):
    matches = match_sources(extract(TEXT), folder).matches
    assert [(match.source, match.citations, match.by) for match in matches] == [
        ("other.txt", (), None),
        ("saved.html", ("c1",), "url"),
    ]


def test_a_source_that_could_not_be_fetched_is_not_counted_as_fetched(folder):
    progress: list[Progress] = []
    verify(TEXT, sources=folder, on_progress=progress.append)
    assert (progress[-1].fetched, progress[-1].missing, progress[-1].sources) == (1, 2, 3)


def test_a_file_is_called_what_the_reference_calls_it(folder):
    run = verify(TEXT, sources=folder)
    assert run.citations[-1].source is None
    (source,) = [
        result.source for result in run.citations if result.source and result.citation.raw == "[1]"
    ]
    assert source.title == "Facts about the bridge"


def test_the_answer_s_words_are_not_told_to_a_judge_as_the_source_s_title(folder):
    class Titles(ScriptedJudge):
        async def ajudge(self, claim, passages):
            assert not any("Facts about" in passage.text for passage in passages)
            return await super().ajudge(claim, passages)

    run = verify(TEXT, sources=folder, judge=Titles([{"label": "not_supported"}]))
    assert run.total_resolved == 1


def test_a_layer_is_null_where_nothing_was_looked_up(folder):
    """A case in a reporter without a website names a source; its existence is not checked."""
    for sources in (None, folder):
        layers = {
            result.citation.raw: result.layers for result in verify(TEXT, sources=sources).citations
        }
        case = next(result_layers for raw, result_layers in layers.items() if "F. Supp." in raw)
        assert case.exists is None
    assert layers["[1]"].exists is True
    assert layers["[2]"].exists is None  # not among the given sources, and not looked up elsewhere
    assert layers["[2]"].resolves is False


def test_a_short_form_without_its_full_citation_was_not_looked_up():
    (result,) = verify("The rule is old. See Tarn, 12 F.4th at 60.").counted
    assert (result.error.kind, result.layers.exists) == ("unlinked", None)


def test_a_citation_that_names_nothing_names_no_source():
    (result,) = verify("It is long [7].", sources=[]).counted
    assert result.layers.exists is False
