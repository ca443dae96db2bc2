"""The parts of a list of names: each word by its kind, and names of bodies."""

import re
from functools import lru_cache
from typing import NamedTuple

from workbench.citations.lexicon import PARTICLES, WITHIN

_SEPARATOR = re.compile(
    r"[,，、]\s{0,3}(?P<listed>(?:and|&|und|et(?!\s?al\b)|en|og|och|y|e|и)\s{1,3})?"
    r"|\s{1,3}(?P<joint>and|&|und|et(?!\s?al\b)|og|och|и|/)\s{1,3}|(?<=\w)&(?=\w)"
)
_SMALL_JOINT = re.compile(r"\s(?:y|e|en|i)\s")
DOTTED = re.compile(r"(?:[^\W\d_]\.[-‐]?){1,5}[^\W\d_]?\.?|[^\W\d_](?:[-‐][^\W\d_])?\.?")
_SHORT_DOTTED = re.compile(r"(?:[A-ZА-Я][a-zа-я]{1,2}\.[-‐]?){1,2}(?:[A-ZА-Я]\.)?")
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|2nd|3rd|Jnr)\.?", re.IGNORECASE)
_DEGREE = re.compile(r"(?:(?:Jr|Sr|II|III|IV|2nd|3rd|Ph\.?D|M\.?D|Esq)\.?\s?){1,2}", re.IGNORECASE)
_HYPHENED = re.compile(r"[^\W\d_]{1,3}[-‐][^\W\d_]{1,3}")
BIG_PARTICLES = frozenset(
    "Van Von De Der Den Del Della Di Da Dos Du La El Al Ter Ten Bin Ibn Abu Vande Ní Nic"
    " Ó Lo St. St Ben Le Freifrau Freiherr".split()
)
_NEVER_GIVEN = frozenset("Ní Nic Ó Lo St. Freifrau Freiherr".split())
_PLAIN_NAME = re.compile(r"[A-Z][a-zà-ÿ]{2,19}|[A-Z][a-z]{1,9}-[A-Z][a-z]{1,9}")
_INNER_CAPITAL = re.compile(r"(?:[a-z]{1,3}['’‘`ʼ-])[^\W\d_]")
_MORE_PARTICLES = frozenset("do e y i den vom zum del san abu binti t s d".split())
_DIGIT = re.compile(r"\d")
_NEVER_IN_NAMES = frozenset(":?!/@=<>%#+&()[]|")


class NamePart(NamedTuple):
    """The words between two separators."""

    words: tuple[str, ...]
    shape: str
    """A letter for each word; `X` alone where they are no name."""
    joint: bool
    """Whether a word like `and` stands before them."""

    @property
    def text(self) -> str:
        """The words as written, single blanks between them."""
        return " ".join(self.words)


def read_parts(head: str) -> list[NamePart]:
    """The parts of a list of names; none when one of them is no name."""
    if " and " not in head and " & " not in head and _SMALL_JOINT.search(head):
        head = _spanish(head)
    parts: list[NamePart] = []
    at, joint = 0, False
    for match in _SEPARATOR.finditer(head):
        if not _add(parts, head[at : match.start()], joint):
            return []
        joint = bool(match["listed"] or match["joint"])
        at = match.end()
    return parts if _add(parts, head[at:], joint) else []


def _spanish(head: str) -> str:
    """A head in which `y`, `e`, `en` and `i` between two people read `&`; in a surname they stay."""
    pieces = _SMALL_JOINT.split(head)
    if "," not in pieces[0] and " " not in pieces[0] and "," in head:
        return head
    inverted = pieces[0].endswith(".")
    if (
        len(pieces) == 2
        and len(pieces[1].split()) > 1
        and (inverted or not pieces[1].split()[0].endswith(","))
    ):
        return " & ".join(pieces)
    return head


def _add(parts: list[NamePart], words: str, joint: bool) -> bool:
    """Whether words between separators are a name; they are then added to the parts."""
    split = tuple(words.split())
    if not split:
        return True
    if len(split) > 9 or len(split) > 1 and split[0] == "A":
        return False
    shape = ""
    for word in split:
        inside = word == "Y" and shape == "W" and len(split) > 3 and split[0].isupper()
        letter = "P" if inside else _letter(word)  # `ORTEGA Y RUIZ I`
        if letter == "X" or shape and _ends(split[len(shape) - 1], shape[-1]):
            return False
        if not shape and letter in "SQ":
            letter = "W" if letter == "Q" and word not in _NEVER_GIVEN else letter
        shape += letter
    if len(shape) > 1 and shape[-1] == "Q":
        shape = shape[:-1] + "W"
    if parts and (shape == "S" or shape[0] in "SCIW" and _DEGREE.fullmatch(words.strip())):
        last = parts[-1]
        parts[-1] = last._replace(words=last.words + split, shape=last.shape + "S")
        return True
    parts.append(NamePart(split, "W" + shape[1:] if shape[0] == "S" else shape, joint))
    return True


def _ends(word: str, letter: str) -> bool:
    """Whether a word ends a sentence, so that no name goes on after it."""
    return letter == "W" and len(word) > 4 and word[-1] == "."


@lru_cache(maxsize=4096)
def _letter(word: str) -> str:
    """I initials, C few capitals, W a name, P a particle, Q a capital one, S a suffix, X no name."""
    if _PLAIN_NAME.fullmatch(word) and word not in BIG_PARTICLES:
        return "W"
    bare = word.strip("*_'’‘\"“”()") if word not in ("St.",) else word
    if bare in ("T", "t") and word[0] in "'’‘":
        return "P"
    if _SUFFIX.fullmatch(bare) and bare.isascii() and bare not in ("JR", "SR"):
        return "S"
    if not bare or not _NEVER_IN_NAMES.isdisjoint(bare) or _DIGIT.search(bare):
        return "X"
    if bare[0].islower():
        lower = bare.rstrip(".")
        if lower in PARTICLES or lower in _MORE_PARTICLES:
            return "P"
        inner = _INNER_CAPITAL.match(bare)
        return "W" if inner and bare[inner.end() - 1].isupper() else "X"
    if not bare[0].isalpha() and bare[0] not in "ʻʿ‘":
        return "X"
    if bare in BIG_PARTICLES:
        return "Q"
    if DOTTED.fullmatch(bare) and bare[0].isupper() and (bare.isupper() or "-" in bare):
        return "I"
    if _SHORT_DOTTED.fullmatch(bare) and bare != "St.":
        return "I"
    if bare.isupper() and (len(bare) <= 4 and bare.isalpha() or _HYPHENED.fullmatch(bare)):
        return "C"
    return "Q" if bare in BIG_PARTICLES else "W"


_BODY_WORDS = frozenset(
    (
        "academy administration agency alliance association associates authority bank board bureau"
        " center centers centre centres college collaboration commission commissioner committee community"
        " company confederation conference consortium cooperation corporation corp council court department"
        " directorate division federation forum foundation fund government group hospital inc"
        " initiative institute institutes institution international laboratory laboratories ltd llc llp"
        " ministry museum nations network office organisation organization parliament party"
        " partnership press programme project secretariat senate service services society"
        " statistics team trust union unit university treasury reserve gmbh ag clinic observatory"
        " investigators publishing publishers verlag collective cooperative coalition chamber collab"
    ).split()
)
GROUP_WORDS = (
    r"(?:group|investigators|trialists|collab(?:orat(?:ion|ors))?|consorti(?:um|a)|committee|team|developers|contributors"
    r"|initiative|task force|working party)"
)
"""What the name of a group ends with whose members wrote a work, as a pattern."""
_FOREIGN = (
    r"\A(?:Institut[oe]?|Istituto|Ministère|Ministerio|Ministero|Agence|Agencia|Agenzia|Banque|Banco|Banca"
    r"|Conseil|Consejo|Consiglio|Comité|Comisión|Observatoire|Observatorio|Direction|Fédération|Fundación"
    r"|Fondation|Fondazione|Universit[éàä]t?|Universidade?|Société|Sociedad|Asociación|Association"
    r"|Syndicat|Sindicato|Réseau|Collectif|Chambre|Cámara|Câmara|Federación|Federação|Confederación|Consorcio"
    r"|Consorzio|Gobierno|Gouvernement|Diputación|Secretaría|Prefeitura|Cooperativa|Coopérative|Gemeente)\s"
)
"""What begins the name of a body in languages that write its other words small."""
_OFFICES = re.compile(
    r"\b(?:(?:city|county|town|state|port|ville|mairie|commune|comune|stadt|ayuntamiento|câmara"
    r"|generalitat|région|province|ministry|department|government|bureau|office|agency|authority"
    r"|directorate|observatoire|observatorio|institut[oe]?|istituto|agence|agencia|agenzia|conseil"
    r"|consejo|consiglio|comité|comisión|commission|fundación|fondation|fondazione|ministère"
    r"|ministerio|ministero|minist[eé]rio|universit[àé]|université|universidade?|universität"
    r"|hochschule|landeshauptstadt|cent(?:er|re)|chamber|service|servici?o|comunidad|communauté|junta|rete|caisse"
    r"|provincia|regione|verein|verband|amt|kreis|bund|organi[sz]ation) (?=(?:of|de|di|des|du|für|for|der|d)\b)"
    r"|(?:agency|authority|ministry|department|commission|council|bureau|directorate|administration|institute"
    r"|organi[sz]ation|association|federation|observatory|foundation)\s?\Z"
    r"|department of |\AStatistics (?!(?:and|of|for|in|on|with)\b)\w+\s?\Z"
    r"|\w{3,}(?:amt|ministerium|behörde|verband|anstalt|werke|betriebe|verein|stiftung|gesellschaft|kammer"
    r"|institut|vesenet|verket|styrelsen|direktoratet|myndigheten|dienst)\b|statistisches |\se\.\s?V\.?\Z"
    rf"|\AThe\s.{{2,60}}\b{GROUP_WORDS}\s?\Z|{_FOREIGN})",
    re.IGNORECASE,
)
_PAPER = re.compile(
    r"(?:(?:Le|La|Les|El|Los|Las|Il|The|Die|Der|Das)\s|L['’]).*\b(?:Courrier|Monde|Figaro|Journal|Gazette"
    r"|Times|Post|Tribune|Guardian|Herald|Zeitung|Presse|Voix|País|Voz|Repubblica|Corriere|Giornale"
    r"|Standard|Courant|Observer|Telegraph|Chronicle|Independent)\b"
)
_ACRONYMS = frozenset(
    "OECD WHO IPCC UNICEF UNESCO UNEP UNDP UNHCR IEA IMF NASA FAO ILO WTO ECB EPA CDC NIST INSEE NICE FDA EMA"
    " ECDC NOAA USGS NHS BBC ISO IRENA OCDE OMS EUROSTAT Eurostat Destatis".split()
)
"""Authorities that are cited by their initials."""
_TITLE_WORDS = frozenset(
    (
        "learning network networks neural deep model models modeling analysis study studies review report"
        " data systems language image images vision theory introduction handbook guide history"
        " effect effects method methods using towards toward survey science survival impact"
        " statistics statistical algorithm algorithms approach approaches optimization detection"
        " recognition generation classification estimation prediction inference training policy"
        " attention transformer transformers diffusion adversarial reinforcement graph graphs"
        " representation representations knowledge robust efficient unified random sampling linear"
        " principles foundations understanding evaluation design development management change climate"
        " economics economic psychology health energy market markets growth trends outlook global"
        " annual world via is are not can does do how why what when who where which your our my its"
        " on in for with without from under over between against through beyond the a an to as"
        " overview journal proceedings transactions letters about volume edition manual dictionary"
        " times post news magazine daily guardian today wikipedia blog media"
        " notes signals papers languages economies books archive archives quarterly bulletin record"
        " essentials basics fundamentals applications perspectives challenges practice education"
    ).split()
)
VENUE_LIKE = re.compile(
    r"(?:in|In|IN)[:：]?\s(?=[A-Z\d*_“]|the\s[A-Z])|(?:Proc\b|Proceedings|Trans\b"
    r"|Transactions|Journal|J\.\s|Advances in|Adv\.|Conference"
    r"|International (?:Conference|Journal)|Annals|Ann\.|Int\.\sJ|arXiv|bioRxiv|medRxiv"
    r"|CoRR|ArXiv|Retrieved|Available|Accessed|Ph\.?D|Doctoral|Master"
    r"|https?:|doi:|DOI|IEEE|ACM|Springer|Elsevier|Nature\b|Science\b|Cambridge|Oxford|MIT Press)"
)
"""What begins the name of a journal, a meeting, a publisher or a note on where to find a work."""
_ACRONYM = re.compile(r"[A-Z][A-Z&]{1,9}|[A-Z][a-z]+[A-Z]\w{0,12}")
_SMALL = WITHIN | {
    "and",
    "&",
    "at",
    "by",
    "von",
    "et",
    "y",
    "e",
    "do",
    "da",
    "dos",
    "das",
    "di",
    "d",
    "für",
    "und",
}


_KINDS_OF_REPLY = frozenset(
    "comment comments reply response rejoinder review erratum correction corrigendum editorial".split()
)


def is_authority(words: str) -> bool:
    """Whether words name an office or authority, which no title is likely to be."""
    words = words.strip(" .,")
    if words in _ACRONYMS or is_paper(words):
        return True
    return _OFFICES.search(words) is not None and is_body(words, anchored=True) and " " in words


def ends_as_body(words: str) -> bool:
    """Whether the last word names a body, whatever stands before it."""
    last = words.split()[-1].strip(".,").lower() if words.split() else ""
    return last in _BODY_WORDS and last not in _TITLE_WORDS


def is_paper(words: str) -> bool:
    """Whether words that could be a person's name are that of a newspaper: `Le Courrier de Nord`."""
    return len(words.split()) > 2 and _PAPER.match(words) is not None


def title_words(words: str) -> bool:
    """Whether words that could be a name hold one that names never hold."""
    return any(
        word.strip(".,:;").lower() in _TITLE_WORDS
        for word in words.split()
        if len(word) > 2 or word[0].islower()
    )


def is_body(words: str, anchored: bool) -> bool:
    """Whether words name a body.

    Args:
        words: The head of an entry.
        anchored: Whether something shows that an author ends here; any capitalised words will do.
    """
    split = words.replace(",", " ").split()
    if not 0 < len(split) <= 16 or any(sign in words for sign in '?!:“”"=|'):
        return False
    cased = [word.strip("().'’") for word in split]
    cased = [word for word in cased if word]
    if (
        not cased
        or cased[0][:1].islower()
        and not any(c.isupper() for c in cased[0])
        and not (anchored and len(cased) == 1)
    ):
        return False
    if any(word.isdigit() for word in cased) or cased[0].lower() in _KINDS_OF_REPLY:
        return False
    if re.match(_FOREIGN, words) or re.fullmatch(
        rf"The\s.{{2,60}}\b(?i:{GROUP_WORDS})", words.strip(" .")
    ):
        return True
    for word in cased[1:]:
        if word[0].islower() and word.lower() not in _SMALL and not any(c.isupper() for c in word):
            return False
    names_body = (
        any(word.lower() in _BODY_WORDS for word in cased)
        or _OFFICES.search(words) is not None
        or is_paper(words)
    )
    if anchored:
        return names_body or len(cased) <= 8
    return names_body or len(cased) == 1 and _ACRONYM.fullmatch(cased[0]) is not None
