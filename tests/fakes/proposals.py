"""A run in which a judge proposes a correction, to be decided on."""

from tests.fakes import records as make
from workbench.records.corrections import ProposedCorrection, word_edits
from workbench.records.text import Excerpt, Span
from workbench.store.store import Store

TEXT = "The bridge opened in 1913 [1]. It spans 120 metres [2]."
CLAIM = "The bridge opened in 1913 [1]."
CORRECTED = "The bridge opened in 1912 [1]."
WHY = "The source gives 1912 where the claim gives 1913."


def proposal(claim=CLAIM, text=CORRECTED, judge="local"):
    return ProposedCorrection(text=text, edits=word_edits(claim, text), why=WHY, judge=judge)


def proposing_run(run_id="r1", text=TEXT):
    """Citation c1 is contradicted, with a proposal; c2 is supported."""
    claim = Excerpt(span=Span(0, len(CLAIM)), text=CLAIM)
    judged = make.judgment("contradicted", uncovered=(), proposed_correction=proposal())
    second = Excerpt(span=Span(31, 55), text=text[31:55])
    results = [
        make.result(
            1, "contradicted", citation=make.citation(1, text=text, claim=claim),
            judgment=judged, judgments=(judged,),
        ),
        make.result(2, citation=make.citation(2, text=text, claim=second)),
    ]  # fmt: skip
    return make.run(run_id, results, text=text)


def add_proposing_run(store: Store, run_id="r1", name="bridge"):
    run = proposing_run(run_id)
    store.add_run(run, TEXT, name)
    store.add_verdicts(run_id, run.citations)
    store.finish_run(run)
    return run
