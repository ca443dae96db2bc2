"""The name of a web site at the end of a page's title, known by the page's address."""

import re

_SEPARATOR = re.compile(
    r"[\s|｜_-](?:(?<=\s)(?:[-–—|·•»:]{1,2}\s|[|｜]\s?)|(?<=[|｜])\s?"
    r"|(?<=[^\x00-\x7f]_)_?|(?<=_)_?(?=[^\x00-\x7f])|(?<=-)-)"
)
_LEAD = re.compile(r"(?P<site>[^|｜]{2,40}?)\s[|｜]\s")
_HOST = re.compile(r"https?://([^/:\s?#]{1,253})", re.IGNORECASE)
_SMALL = frozenset(
    "the of and for in a an on at to by de la und der die das com org net news official website site home blog".split()
)
_NAMED = (
    re.compile(r"(?:知乎|维基百科|百度百科|新浪|搜狐|网易|腾讯|人民网|新华网|中国知网|豆瓣|澎湃)"),
    re.compile(
        r"(?:Wikipedia|ScienceDirect|PMC|PubMed|SpringerLink|ResearchGate|arXiv|YouTube"
        r"|Britannica|Medium)\b"
    ),
)


def title_without_site(title: str, address: str) -> tuple[int, int, int, int]:
    """The places of the title and of the site's name in a page's title; the site's is empty if none."""
    host = _HOST.match(address)
    labels = re.sub(r"[^a-z0-9]+", "", host[1].lower()) if host else ""
    end, site_start, site_end = len(title), len(title), len(title)
    for _ in range(3):
        separators = list(_SEPARATOR.finditer(title, max(0, end - 70), end))
        if not separators or separators[-1].start() < 3:
            break
        last = separators[-1]
        site = title[last.end() : end].strip(" .-")
        section = site_start < site_end and "|" in last[0] and len(site.split()) <= 5
        if not site or not (_is_site(site, labels) or section and not re.search(r"\d", site)):
            break
        if site_start == site_end:
            site_end = last.end() + len(title[last.end() : end].rstrip(" .-"))
        end, site_start = last.start(), last.end()
    if site_start == site_end:
        lead = _LEAD.match(title)
        if lead and _is_site(lead["site"], labels):
            return lead.end(), end, *lead.span("site")
    return 0, end, site_start, site_end


def _is_site(words: str, labels: str) -> bool:
    """Whether words name the site that a host's letters spell, or one that all know."""
    if any(pattern.match(words.strip()) for pattern in _NAMED):
        return True
    if not labels:
        return False
    plain = re.findall(r"[a-z0-9]+", words.lower().replace("'", "").replace("’", ""))
    if not plain or len(plain) > 6:
        return False
    whole = "".join(plain)
    initials = "".join(word[0] for word in plain)
    if len(whole) > 2 and whole in labels or len(initials) > 2 and initials in labels:
        return True
    strong = [word for word in plain if word not in _SMALL and len(word) > 2]
    return bool(strong) and len(plain) <= 4 and (strong[0] in labels)
