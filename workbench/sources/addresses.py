"""When do two addresses name the same source? Pure string work: nothing here opens a connection."""

import re
import unicodedata
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from workbench.records.citation import Target
from workbench.records.text import fold_compatible

_TRACKING = re.compile(
    r"^(?:utm_\w+|gclid|dclid|fbclid|msclkid|yclid|mc_[ce]id|igshid|_hs\w+|ref_src)$", re.I
)
_DOI = re.compile(r"^10\.\d{4,9}/\S+$")
_ARXIV = re.compile(r"^(?:arxiv:)?((?:[a-z-]+(?:\.[a-z]{2})?/\d{7})|\d{4}\.\d{4,5})(v\d+)?$", re.I)
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$", re.I)
_PMC = re.compile(r"^PMC\d+$", re.I)
_DOI_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_ARXIV_HOSTS = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"})
_PUBMED_HOSTS = frozenset({"pubmed.ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov"})
_PMC_HOSTS = frozenset({"pmc.ncbi.nlm.nih.gov", "www.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov"})


def same_source_key(address: str) -> str:
    """The key that every spelling of one address shares: URLs, DOIs, arXiv ids, PMIDs.

    Scheme, host case, default port, fragment, trailing slash, tracking parameters and percent
    spelling do not count; `https://doi.org/10.1/x`, `doi:10.1/x` and `10.1/X` are one.
    """
    text = address.strip()
    if text.startswith("<") and text.endswith(">"):
        text = text[1:-1].strip()
    lowered = text.lower()
    for scheme in ("doi", "arxiv", "pmid", "pmcid"):
        if lowered.startswith(scheme + ":"):
            return _id_key(scheme, text[len(scheme) + 1 :].strip())
    if _DOI.match(text):
        return _id_key("doi", text)
    if _ARXIV.match(text):
        return _id_key("arxiv", text)
    if _PMC.match(text):
        return _id_key("pmid", text)
    if lowered.startswith("www."):
        text = "http://" + text
    return _url_key(text)


def target_key(target: Target) -> str:
    """The key of what a citation points at; see `same_source_key`."""
    if target.form in ("doi", "arxiv", "pmid"):
        return same_source_key(f"{target.form}:{_without_scheme(target.form, target.value)}")
    if target.form == "url":
        return same_source_key(target.value)
    return f"{target.form}:{target.value.strip().casefold()}"


def label_key(label: str) -> str:
    """The key of a reference label: `[3]`, `3.` and `3` are one."""
    return fold_compatible(label).strip().strip("[](){}【】.^@").casefold()


def title_key(title: str) -> str:
    """The key of a title: letter case, spacing, punctuation, compatibility forms do not count."""
    plain = unicodedata.normalize("NFKC", fold_compatible(title))
    return " ".join(re.findall(r"\w+", plain.casefold()))


def _without_scheme(form: str, value: str) -> str:
    text = value.strip()
    if text.lower().startswith(form + ":"):
        return text[len(form) + 1 :]
    if "://" in text:  # a DOI or an id written as its resolver's address
        key = _url_key(text)
        return key.split(":", 1)[1] if key.startswith(form + ":") else text
    return text


def _id_key(form: str, value: str) -> str:
    value = value.strip().rstrip("/")
    if form == "doi":
        value = unquote(value)
        arxiv = _ARXIV_DOI.match(value)
        return _id_key("arxiv", arxiv[1]) if arxiv else "doi:" + value.lower()
    if form == "arxiv":
        match = _ARXIV.match(value.removesuffix(".pdf"))
        return "arxiv:" + (match[1].lower() if match else value.lower())
    digits = value.upper().removeprefix("PMC")
    return f"pmc:{digits}" if _PMC.match(value) or form == "pmcid" else f"pmid:{digits}"


def _url_key(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return url.lower()
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not host:
        return url.lower() if not scheme else f"{scheme}:{url.split(':', 1)[1]}"
    path = _percent(parts.path).rstrip("/")
    host_key = _known_host(host, path)
    if host_key:
        return host_key
    netloc = host if port in (None, 80, 443) else f"{host}:{port}"
    query = urlencode(
        sorted(
            (name, value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
            if not _TRACKING.match(name)
        ),
        errors="replace",
    )
    return f"//{_ascii_host(netloc)}{path}" + (f"?{query}" if query else "")


def _known_host(host: str, path: str) -> str | None:
    """The id behind the address of a service that hands out ids."""
    rest = unquote(path).lstrip("/")
    if host in _DOI_HOSTS and rest.startswith("10."):
        return _id_key("doi", rest)
    if host in _ARXIV_HOSTS:
        for page in ("abs/", "pdf/", "html/"):
            if rest.startswith(page) and _ARXIV.match(rest[len(page) :].removesuffix(".pdf")):
                return _id_key("arxiv", rest[len(page) :])
    if host in _PUBMED_HOSTS:
        number = rest.removeprefix("pubmed/")
        if number.isdigit():
            return f"pmid:{number}"
    if host in _PMC_HOSTS:
        number = rest.removeprefix("pmc/").removeprefix("articles/")
        if _PMC.match(number):
            return f"pmc:{number.upper().removeprefix('PMC')}"
    return None


def _percent(text: str) -> str:
    """One spelling for every percent escape: unreserved characters bare, the rest upper case."""

    def spell(match: re.Match[str]) -> str:
        char = chr(int(match[0][1:], 16))
        return char if char.isascii() and (char.isalnum() or char in "-._~") else match[0].upper()

    return quote(
        re.sub(r"%[0-9a-fA-F]{2}", spell, text), safe="/%:@!$&'()*+,;=~-._", errors="replace"
    )


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return host.lower()
