"""The patterns that several finders share. Every repetition is bounded or runs over one class.

A pattern here begins with a literal or a class, so that the scan of a text that does not contain it
is fast, and none can take more than a bounded look from one place: the whole stays linear.
"""

import re

CJK = (
    "\u1100-\u11ff\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3040-\u318f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
"""Letters of Chinese, Japanese and Korean, as the inside of a character class."""
CJK_PUNCTUATION = "\u3000-\u3004\u3008-\u3020\u302a-\u303f\ufe30-\ufe4f\uff00-\uff65\uffe0-\uffef"
"""Their punctuation and full-width forms, as the inside of a character class."""

YEAR = r"(?:1[89]|20)\d\d"
"""Years 1800 to 2099."""
DASH = "-\u2010\u2011\u2012\u2013\u2014\u2212~\uff5e\uff0d"
"""What stands between the ends of a range, as the inside of a character class (dash first)."""

_URL_STOP = (
    r"\s<>\"`|\\^{}\[\]\u00ab\u00bb\u2018-\u201f\u2026\u200b\u2060\ufeff\ud800-\udfff\ue000-\uf8ff"
    + CJK
    + CJK_PUNCTUATION
)
_URL_CHARS = rf"[^{_URL_STOP},;]"
URL = re.compile(
    rf"[hH][tT][tT][pP][sS]?://(?:\[[0-9a-fA-F:.]{{2,45}}\])?{_URL_CHARS}*"
    rf"(?:[,;](?!https?:){_URL_CHARS}*)*"
)
"""A URL up to the first character that cannot belong to one; it stops before CJK letters."""
WWW = re.compile(rf"www\.[a-zA-Z0-9-]{{1,63}}\.{_URL_CHARS}+(?:[,;](?!https?:){_URL_CHARS}*)*")
URL_TAIL = re.compile(rf"(?:[{CJK}]|{_URL_CHARS})+")
"""How a URL goes on through CJK letters, where they are known to belong to it."""
HOST_TAIL = re.compile(rf"(?:[{CJK}]|[\w.-])+(?:[:/?#]{_URL_CHARS}*)?")

DOI_BODY = (
    r"10\.\d{4,9}(?:\.\d{1,9}){0,3}/(?:[-\w.;()/:+%@$=~&#*!']|<(?=\d{1,6}:)|(?<=[A-Z]\d)>"
    r"|\[\d{1,6}:[^\s\[\]]{1,20}\])+"
)
DOI = re.compile(DOI_BODY, re.ASCII)
"""A DOI with SICI forms; trailing punctuation is trimmed by the finder."""
DOI_LEAD = re.compile(
    r"(?:\bdoi\s{0,2}[:：]?\s{0,2}(?:https?://(?:dx\.|www\.)?doi\.org/)?|(?:dx\.|www\.)?doi\.org/)\Z",
    re.IGNORECASE,
)
RESOLVER = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/(?:doi:)?(?=10\.\d{4,9}(?:\.|/))", re.I)

ARXIV = re.compile(
    r"[aA][rR][xX][iI][vV](?:\.org/(?:abs|pdf)/|\s{0,2}[:：]\s{0,2}|\s{1,2}(?:e-?print\s|preprint\s)?\s?)(?:ar[xX]iv:\s?)?"
    r"(\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}(?:v\d{1,2})?)(?!\w)",
)
PMID = re.compile(
    r"P(?:MID|mid|ubMed(?:\s(?:ID|PMID))?)(?:\s?[:：]\s?|\s|#)(\d{4,9})(?!\d)"
    r"|P(?:MCID\s?[:：]?\s?PMC|MC\s?)(\d{4,9})(?!\d)"
)
SMALL_PMID = re.compile(r"pmid\s?[:：]?\s?(\d{4,9})(?!\d)")

SAYS = re.compile(
    r"(?:['’]s?)?\s{0,2}(?:\w{2,12}ly\s)?(?:also |first |further |later |then |have |has |had )?"
    r"(?:found|finds?|show(?:s|ed|n)?|argu(?:e|es|ed|ing)|report(?:s|ed)?|suggest(?:s|ed)?"
    r"|not(?:e|es|ed)\b|propos(?:e|es|ed)|demonstrat(?:e|es|ed)|conclud(?:e|es|ed)|claim(?:s|ed)?"
    r"|observ(?:e|es|ed)|describ(?:e|es|ed)|introduc(?:e|es|ed)|present(?:s|ed)?|develop(?:s|ed)?"
    r"|examin(?:e|es|ed)|investigat(?:e|es|ed)|stud(?:y|ies|ied)|review(?:s|ed)?|stat(?:e|es|ed)\b"
    r"|writ(?:e|es)\b|wrote|identif(?:y|ies|ied)|estimat(?:e|es|ed)|analy[sz](?:e|es|ed)"
    r"|compar(?:e|es|ed)|discuss(?:es|ed)?|explain(?:s|ed)?|emphasi[sz](?:e|es|ed)"
    r"|highlight(?:s|ed)?|indicat(?:e|es|ed)|reveal(?:s|ed)?|us(?:e|es|ed)\b|defin(?:e|es|ed)"
    r"|assert(?:s|ed)?|contend(?:s|ed)?|maintain(?:s|ed)?|point(?:s|ed)?|recommend(?:s|ed)?"
    r"|measur(?:e|es|ed)|test(?:s|ed)?|warn(?:s|ed)?|believ(?:e|es|ed)|offer(?:s|ed)?"
    r"|provid(?:e|es|ed)|survey(?:s|ed)?|conduct(?:s|ed)?|confirm(?:s|ed)?|document(?:s|ed)?"
    r"|put\b|coined|sa(?:id|ys|w)\b|sees\b|h(?:eld|olds)\b|add(?:s|ed)\b|call(?:s|ed)\b|warns?"
    r"|指出|认为|認為|发现|發現|提出|研究|表明|显示|的研究|报告|报道|强调|主张|证明|证实"
    r"|は|によれば|によると)"
)
"""A verb of saying or showing, right after the name or mark of who says it."""
PROVENANCE = re.compile(
    r"\b(?:file:(?P<path>(?!//)[^\s:\"'`<>()\[\]{}|,;]{1,300}):(?P<line>\d{1,7}(?:[-\u2013]\d{1,7})?)"
    r"|memory:(?P<id>[A-Za-z0-9](?:[\w./#-]{0,100}[A-Za-z0-9_])?)"
    r"|git:(?P<sha>[0-9a-fA-F]{7,40}))(?![0-9a-zA-Z])"
)
"""`file:path:line`, `memory:id` and `git:sha`."""

TRIM = ".,;:!?)\"'>*]"
"""What is never the last character of a URL or DOI, but for a parenthesis balanced inside it."""


def trim(found: str) -> int:
    """The length of a URL or DOI without its trailing punctuation; balanced brackets stay."""
    end = len(found)
    surplus = found.count(")") - found.count("(")
    square = found.count("]") - found.count("[")
    angle = found.count(">") - found.count("<")
    while end and found[end - 1] in TRIM:
        last = found[end - 1]
        if last == ")":
            if surplus <= 0:
                break
            surplus -= 1
        elif last == "]":
            if square <= 0:
                break
            square -= 1
        elif last == ">":
            if angle <= 0:
                break
            angle -= 1
        end -= 1
    return end


def pubmed_id(found: re.Match[str]) -> str:
    """The identifier in a match of `PMID` or `SMALL_PMID`: `12345678` or `PMC123456`."""
    return str(found[1]) if found[1] else "PMC" + found[2]
