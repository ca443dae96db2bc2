"""The kind of work that an entry describes, by what stands in it."""

import re

from workbench.records.bibliography import WorkType

_CODES: dict[str, WorkType] = {
    "J": "article-journal",
    "C": "paper-conference",
    "M": "book",
    "D": "thesis",
    "R": "report",
    "N": "article-newspaper",
    "S": "standard",
    "P": "patent",
    "G": "book",
    "DB": "dataset",
    "CP": "software",
    "EB": "webpage",
    "A": "chapter",
}
_THESIS = re.compile(
    r"\b(?:Ph\.?\s?D\.?|[Dd]octoral|[Mm]aster['’]?s?|[Bb]achelor['’]?s?"
    r"|M\.?Sc\.?)[ .]*(?:thesis|dissertation|diss\b)|\b(?:Dissertation|Thesis|Diss\."
    r"|Habilitation)\b|学位论文|Дис\.",
    re.I,
)
_CONFERENCE = re.compile(
    r"\b(?:Proceedings|Proc\.|Conference|Conf\.|Workshop|Symposium|Symp\.|Congress|Meeting"
    r"|NeurIPS|NIPS|ICML|ICLR|CVPR|ICCV|ECCV|AAAI|IJCAI|ACL|EMNLP|NAACL|EACL|COLING|KDD"
    r"|SIGIR|WWW|CHI|INTERSPEECH|ICASSP|AISTATS|UAI|COLT)\b|会议|大会|研讨会"
)
_PREPRINT = re.compile(
    r"\b(?:arXiv|bioRxiv|medRxiv|ChemRxiv|SSRN|preprint|CoRR|PsyArXiv|OSF)\b", re.IGNORECASE
)
_JOURNAL = re.compile(
    r"\b(?:Journal|J\.|Trans\.|Transactions|Lett\.|Letters|Annals|Zeitschrift|Review|Rev\."
    r"|Quarterly|Bulletin|Magazine)(?:\b|(?=\s))|学报|杂志|学刊"
)
_PUBLISHER = re.compile(
    r"\b(?:Press|Publish(?:ers|ing)|Verlag|Springer|Wiley|Elsevier|Routledge|Books|Penguin"
    r"|Random House|Macmillan|McGraw|Pearson|SAGE|Sage|Academic Press|Éditions"
    r"|Editorial)\b|出版社|出版"
)
_REPORT = re.compile(
    r"\b(?:Technical [Rr]eport|Tech\. [Rr]ep|Report No|Working [Pp]aper|White [Pp]aper"
    r"|Discussion [Pp]aper|Report)\b|报告|公报|白皮书"
)
_NEWSPAPER = re.compile(
    r"\b(?:New York Times|Washington Post|Guardian|Wall Street Journal|Financial Times"
    r"|Le Monde|Süddeutsche|FAZ|Reuters|Associated Press|Daily|Herald|Tribune|Telegraph)\b"
    r"|日报|晚报|新闻"
)
_DATASET = re.compile(r"\[(?:[Dd]ata ?set)\]|\bdataset\]")
_SOFTWARE = re.compile(
    r"\[(?:[Cc]omputer software|Software|Source code)\]|github\.com/[^/\s]+/[^/\s]+"
)
_BLOG = re.compile(r"\b(?:[Bb]log|Medium|Substack)\b|\[Blog|/blog/|\.substack\.|medium\.com")
_STANDARD = re.compile(r"\b(?:ISO(?:/IEC)?|IEEE Std|DIN|ASTM|RFC|GB/T|ANSI|EN)\s\d{2,6}")
_PATENT = re.compile(r"\b(?:U\.?S\.? )?[Pp]atent\b|专利")
_EDITORS = re.compile(
    r"\bIn:?\s.{2,200}?(?:\((?:Eds?|Hrsg|Hg)\.?\)|,\seditors?\b)|\bedited by\b|,\seds?\.\s"
)


def read_type(
    rest: str,
    venue: str,
    code: str,
    numbers: dict[str, tuple[int, int]],
    has_arxiv: bool,
    has_url: bool,
    has_isbn: bool,
) -> WorkType | None:
    """The kind of work by the words beside its title; None where nothing shows it.

    Args:
        rest: The words of the entry after its title, and its address.
        venue: Its venue; empty without one.
        code: The letters of GB/T 7714 after its title.
        numbers: Volume, issue and pages that were read.
        has_arxiv: Whether it has an arXiv number.
        has_url: Whether it has a web address.
        has_isbn: Whether it has a book number.
    """
    if code:
        return _CODES.get(code.split("/")[0], "webpage" if code.endswith("/OL") else None)
    for pattern, kind in _BY_WORDS:
        if pattern.search(rest):
            return kind
    if _EDITORS.search(rest):
        return "paper-conference" if _CONFERENCE.search(venue) else "chapter"
    if (
        _PREPRINT.search(venue)
        or has_arxiv
        and not (venue and _CONFERENCE.search(venue))
        and "volume" not in numbers
    ):
        return "article"
    if _CONFERENCE.search(venue) or re.search(r"\bIn:?\s(?:Proc|Advances)", rest):
        return "paper-conference"
    if "volume" in numbers or "issue" in numbers or _JOURNAL.search(venue):
        return "article-journal"
    if has_isbn or _PUBLISHER.search(venue) or re.search(r"[A-Z][a-z]+: [A-Z]", rest[:80]):
        return "book"
    if _NEWSPAPER.search(venue):
        return "article-newspaper"
    if _BLOG.search(rest):
        return "post-weblog"
    if _REPORT.search(rest[:200]):
        return "report"
    if has_url:
        return "webpage"
    return "article-journal" if "pages" in numbers and venue else None


_BY_WORDS: tuple[tuple[re.Pattern[str], WorkType], ...] = (
    (_THESIS, "thesis"),
    (_DATASET, "dataset"),
    (_SOFTWARE, "software"),
    (_PATENT, "patent"),
    (_STANDARD, "standard"),
)
