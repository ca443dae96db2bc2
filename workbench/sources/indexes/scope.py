"""What kind of work an entry describes, as far as an index has to know to say whether it holds it."""

import re

from workbench.records.bibliography import ReferenceEntry, WorkType
from workbench.sources.indexes.identifiers import entry_arxiv, entry_doi, entry_isbn, entry_pmid

_PREPRINT = re.compile(
    r"\b(?:arxiv|corr|biorxiv|medrxiv|chemrxiv|ssrn|preprint|research square)\b", re.I
)
_CONFERENCE = re.compile(
    r"\b(?:proc\b|proceedings|conference|conf\b|workshop|symposium|congress|advances in neural"
    r"|neurips|nips|icml|iclr|aaai|ijcai|acl|emnlp|naacl|eacl|coling|cvpr|iccv|eccv|kdd|sigir|www"
    r"|chi|uist|icra|iros|corl|colt|aistats|uai|interspeech|icassp|miccai|wacv|bmvc|sosp|osdi|nsdi"
    r"|usenix|ndss|ccs|vldb|sigmod|icde|pldi|popl|icse|fse|podc|stoc|focs|soda|lrec|conll|findings of)\b",
    re.I,
)
_JOURNAL = re.compile(
    r"\b(?:journal|j|transactions|trans|letters|lett|annals|ann|review|reviews|rev|bulletin|bull"
    r"|archives|arch|acta|quarterly|magazine|nature|science|cell|lancet|bmj|jama|pnas|plos"
    r"|zeitschrift|revue|revista|rivista|tidsskrift|学报|杂志)\b|学报|杂志|期刊",
    re.I,
)
_PUBLISHER = re.compile(
    r"\b(?:press|verlag|publish\w*|publications|books?|editions?|éditions|wiley|springer|elsevier"
    r"|routledge|penguin|harper\w*|norton|sage|crc|mcgraw|pearson|random house|macmillan|gallimard"
    r"|suhrkamp|o'reilly)\b|出版社",
    re.I,
)
_BIOMEDICAL = re.compile(
    r"\b(?:lancet|bmj|jama|plos|n\.? ?engl|new england|elife|nature|science|cell|cells|pnas|proc\.? natl)\b"
    r"|\b(?:medic|med\b|clin|surg|oncol|cancer|tumou?r|cardi|heart|circul|stroke|neuro|brain|pharm"
    r"|drug|immun|allerg|epidem|health|nurs|psych|pa?ediat|biol|bioch|biom|biop|bioin|genet|genom"
    r"|gene\b|genes\b|viro|virus|microb|infect|bacter|vaccin|nutri|dent|oral|hepat|gastro|ophthal"
    r"|radiol|an[a]?esth|rheum|dermat|urol|nephro|kidney|endocr|diabet|obes|hospital|patient|therap"
    r"|toxic|physiol|anat|pathol|reprod|obstet|gyn[a]?ec|blood|h[a]?emat|respir|thorac|lung|pain|sleep"
    r"|aging|ageing|geront|rehab|sports? med|trauma|orthop|bone|nucleic|protein|molec|embo\b|faseb)",
    re.I,
)
_COMPUTING = re.compile(
    r"\b(?:acm|ieee|comput|software|informati|algorithm|machine learning|artificial intell|neural"
    r"|robot|data\b|database|language proc|linguist|vision|pattern|signal|network|security|privacy"
    r"|crypto|programming|graphics|hci|interaction|knowledge|learning|logic|system|jmlr|tmlr|tacl"
    r"|pami|tpami|lncs|lecture notes|pmlr|corr\b)",
    re.I,
)
_COMPUTING_PREFIXES = ("10.1145/", "10.1109/", "10.18653/", "10.1609/", "10.24963/", "10.1162/")
_WITHOUT_DOIS = re.compile(
    r"\b(?:neurips|nips|neural information processing systems|iclr|learning representations|icml"
    r"|international conference on machine learning|pmlr|jmlr|tmlr|machine learning research"
    r"|aistats|colt|uai|corl|colm|midl|usenix|osdi|nsdi|ndss)\b",
    re.I,
)
"""Venues that register no DOIs, so that Crossref lacks their papers."""
SCHOLARLY: frozenset[WorkType | None] = frozenset(
    {"article-journal", "paper-conference", "chapter", "article"}
)


def work_type(entry: ReferenceEntry) -> WorkType | None:
    """What the entry says it is, else what its venue and numbers make it; None where open."""
    venue = entry.venue or ""
    if entry.type is not None:
        return entry.type
    if entry_arxiv(entry) or _PREPRINT.search(venue):
        return "article"
    if entry_isbn(entry):
        return "book"
    if _CONFERENCE.search(venue):
        return "paper-conference"
    if entry_pmid(entry) or (venue and (entry.volume or entry.issue)) or _JOURNAL.search(venue):
        return "article-journal"
    if _PUBLISHER.search(venue):
        return "book"
    return None


def is_open(entry: ReferenceEntry) -> bool:
    """Whether it may be any scholarly work or book: authors and a title, and no kind or address.

    Every index that might hold such a work has to be asked before it counts as missing. A page on
    the web is none, whatever its title.
    """
    unknown = work_type(entry) is None and not entry.url
    return unknown and bool(entry.title and entry.authors)


def is_preprint(entry: ReferenceEntry) -> bool:
    """Whether it is on arXiv as far as one can tell: by number, venue, or as a bare preprint."""
    venue = entry.venue or ""
    if entry_arxiv(entry) or re.search(r"\barxiv\b|\bcorr\b", venue, re.I):
        return True
    doi = entry_doi(entry)
    return work_type(entry) == "article" and not venue and doi is None


def is_without_doi(entry: ReferenceEntry) -> bool:
    """Whether its venue is one of those that register no DOIs."""
    return entry_doi(entry) is None and bool(_WITHOUT_DOIS.search(entry.venue or ""))


def is_biomedical(entry: ReferenceEntry) -> bool:
    """Whether its journal's name is of the kind that PubMed takes in."""
    kind = work_type(entry)
    return kind == "article-journal" and bool(_BIOMEDICAL.search(entry.venue or ""))


def is_computing(entry: ReferenceEntry) -> bool:
    """Whether it is a paper of the kind that DBLP takes in."""
    kind = work_type(entry)
    doi = (entry_doi(entry) or "").lower()
    if kind in ("paper-conference", "article-journal") and doi.startswith(_COMPUTING_PREFIXES):
        return True
    if kind == "paper-conference":
        return not _BIOMEDICAL.search(entry.venue or "") or bool(
            _COMPUTING.search(entry.venue or "")
        )
    return kind == "article-journal" and bool(_COMPUTING.search(entry.venue or ""))
