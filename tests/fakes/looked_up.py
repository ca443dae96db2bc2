"""A short answer whose references were looked up in a library of one's own, as a stored run.

Of its five references the first is described right, the second has another year, the third the DOI
of another work, the fourth is nowhere, and the work of the fifth was retracted.
"""

import json
from dataclasses import replace

from tests.fakes import records as make
from workbench.citations import extract
from workbench.records.verdict import CitationResult
from workbench.services.references.checking import ReferenceOptions, check_list
from workbench.services.references.registries import FileRegistries
from workbench.store.bibliography.checks import ReferenceCheckRepository

TEXT = """Tides follow the moon [1]. Lamps draw moths [2], and salt keeps [3]. Wells sink [4][5].

## References

[1] Marlow, P. (2011). Tides of the small moon. Journal of Quiet Waters, 4(2), 11–29. https://doi.org/10.5555/jqw.2011.0011
[2] Osei, K., & Brandt, L. (2014). Moths at the harbor lamps. Night Ecology, 9(1), 70–84. https://doi.org/10.5555/ne.2012.0070
[3] Tanaka, R. (2016). How salt keeps fish through winter. Pantry Science, 3(4), 201–219. https://doi.org/10.5555/ps.2015.0099
[4] Villard, J. (2019). Sinking wells in the northern chalk. Journal of Quiet Waters, 12(3), 301–320. https://doi.org/10.5555/jqw.2019.0301
[5] Amsel, T. (2013). Groundwater under three villages. Journal of Quiet Waters, 6(1), 5–22. https://doi.org/10.5555/jqw.2013.0005
"""


def work(title, author, year, venue, volume, issue, pages, doi, **more):
    given, family = author.split()
    return {
        "id": doi, "type": "article-journal", "title": title,
        "author": [{"family": family, "given": given}], "issued": {"date-parts": [[year]]},
        "container-title": venue, "volume": volume, "issue": issue, "page": pages, "DOI": doi,
        **more,
    }  # fmt: skip


_MOTHS = work(
    "Moths at the harbor lamps", "Kofi Osei", 2012, "Night Ecology", "9", "1", "70-84",
    "10.5555/ne.2012.0070",
)  # fmt: skip
_MOTHS["author"].append({"family": "Brandt", "given": "Lena"})
LIBRARY = [
    work("Tides of the small moon", "Petra Marlow", 2011, "Journal of Quiet Waters", "4", "2",
         "11-29", "10.5555/jqw.2011.0011"),
    _MOTHS,
    work("How salt keeps fish through winter", "Rin Tanaka", 2016, "Pantry Science", "3", "4",
         "201-219", "10.5555/ps.2016.0201"),
    work("Copper pans and their cleaning", "Ilse Roth", 2015, "Pantry Science", "2", "1", "99-110",
         "10.5555/ps.2015.0099"),
    work("Groundwater under three villages", "Tove Amsel", 2013, "Journal of Quiet Waters", "6",
         "1", "5-22", "10.5555/jqw.2013.0005",
         custom={"retraction": {"kind": "retracted", "date": "2020-06-01",
                                "notice": "10.5555/jqw.2020.0001", "from": "retraction_watch"}}),
]  # fmt: skip
LIBRARY_FILE = ("mine.json", json.dumps(LIBRARY).encode())


def library_options(**fields):
    """Options that ask the library alone."""
    return ReferenceOptions(registries=FileRegistries([LIBRARY_FILE]).indexes(), **fields)


def unchecked_run(run_id="looked", text=TEXT):
    """The run before anybody was asked."""
    extraction = extract(text)
    results = [
        CitationResult(citation=citation, status="skipped", verdict="unverifiable")
        for citation in extraction.citations
    ]
    return replace(make.run(run_id, results, text), references=extraction.references)


def looked_up_run(run_id="looked", text=TEXT):
    """The run with what the library says of its references."""
    checks = check_list(extract(text), library_options()).checks
    return replace(unchecked_run(run_id, text), reference_checks=checks)


def add_looked_up(store, run_id="looked", text=TEXT, checked=True):
    """The run in a store, with its checks unless nobody was asked."""
    run = looked_up_run(run_id, text) if checked else unchecked_run(run_id, text)
    store.add_run(run, text, "Moon and moths")
    if checked:
        ReferenceCheckRepository(store).add(run_id, list(enumerate(run.reference_checks)))
    store.finish_run(run)
    return run
