"""Is this the same journal or conference? Full names, abbreviations, acronyms."""

import re
import unicodedata
from functools import lru_cache

_FILLERS = frozenset("of the on in for and a an to at de la le der die und et fur".split())
_GENERIC = _FILLERS | frozenset(
    "proceedings proc international int intl annual meeting ieee cvf acm usenix siam pmlr openreview "
    "springer elsevier curran associates inc main track volume vol pp pages series edition ed "
    "published press verlag ltd llc poster oral spotlight".split()
)
"""Words that two names of one venue may differ in. Workshops and findings are venues of their own,
and a journal is not the conference of its field."""
_PREPRINT = re.compile(
    r"\b(?:arxiv|corr|bio-?rxiv|med-?rxiv|chem-?rxiv|ssrn|preprints?(?:\.org)?|psyarxiv|osf|"
    r"research ?square|hal|techrxiv|eprint)\b|预印本",
    re.IGNORECASE,
)
_SERIES = re.compile(
    r"lecture notes|\blncs\b|\blnai\b|communications in computer and information science|"
    r"ifip advances|procedia|advances in intelligent systems|smart innovation|"
    r"proceedings of machine learning research|\bpmlr\b|ceur",
    re.IGNORECASE,
)
_ACRONYM = re.compile(r"\b(?=[A-Z])[A-Z][A-Za-z&]*[A-Z][A-Za-z]*\b")
_ORDINAL = re.compile(
    r"\b\d+(?:st|nd|rd|th)?\b|['’]\d\d\b|\b\d{4}\b|[(（][^()（）]*\d{4}[^()（）]*[)）]"
)
_ORDINAL_WORD = re.compile(
    r"\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]?)?(?:first|second|third|"
    r"fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|\w+tieth)\b",
    re.IGNORECASE,
)
_PROCEEDINGS = re.compile(r"proc(?:eedings)?\b", re.IGNORECASE)
_CONTRACTED = re.compile(
    r"(?=.{3,12}\Z)(?=.*[a-zäöü])[A-ZÄÖÜ]+(?:[a-zäöü]{0,5}[A-ZÄÖÜ]+)+[a-zäöü]{0,5}"
)
_MAIN = re.compile(r"[^:.]+(?=[:.]\s)")
"""A venue's name before its subtitle."""
_LEAD = re.compile(r"\A(?:in|en|dans)[:\s]+(?=\S)", re.IGNORECASE)

_VENUES = {
    "neurips": ("neural information processing systems", "nips", "neurips"),
    "icml": ("conference on machine learning", "icml"),
    "iclr": ("conference on learning representations", "iclr"),
    "cvpr": ("computer vision and pattern recognition", "cvpr"),
    "iccv": ("international conference on computer vision", "iccv"),
    "eccv": ("european conference on computer vision", "eccv"),
    "wacv": ("winter conference on applications of computer vision", "wacv"),
    "bmvc": ("british machine vision conference", "bmvc"),
    "aaai": ("aaai conference on artificial intelligence", "aaai"),
    "ijcai": ("joint conference on artificial intelligence", "ijcai"),
    "uai": ("uncertainty in artificial intelligence", "uai"),
    "aistats": ("artificial intelligence and statistics", "aistats"),
    "colt": ("conference on learning theory", "colt"),
    "colm": ("conference on language modeling", "colm"),
    "corl": ("conference on robot learning", "corl"),
    "naacl": ("north american chapter of the association for computational linguistics", "naacl"),
    "eacl": ("european chapter of the association for computational linguistics", "eacl"),
    "tacl": ("transactions of the association for computational linguistics", "tacl"),
    "acl": (
        "annual meeting of the association for computational linguistics",
        "conference of the association for computational linguistics",
        "acl",
    ),
    "emnlp": ("empirical methods in natural language processing", "emnlp"),
    "coling": ("international conference on computational linguistics", "coling"),
    "conll": ("computational natural language learning", "conll"),
    "icassp": ("acoustics speech and signal processing", "icassp"),
    "interspeech": ("interspeech",),
    "kdd": ("knowledge discovery and data mining", "kdd", "sigkdd"),
    "www": ("world wide web conference", "the web conference", "www", "thewebconf"),
    "sigir": ("research and development in information retrieval", "sigir"),
    "cikm": ("information and knowledge management", "cikm"),
    "wsdm": ("web search and data mining", "wsdm"),
    "recsys": ("conference on recommender systems", "recsys"),
    "icdm": ("international conference on data mining", "icdm"),
    "sigmod": ("conference on management of data", "sigmod"),
    "vldb": ("very large data bases", "vldb endowment", "vldb", "pvldb"),
    "icde": ("international conference on data engineering", "icde"),
    "chi": ("human factors in computing systems", "chi"),
    "uist": ("user interface software and technology", "uist"),
    "icra": ("conference on robotics and automation", "icra"),
    "iros": ("intelligent robots and systems", "iros"),
    "rss": ("robotics science and systems", "rss"),
    "sosp": ("operating systems principles", "sosp"),
    "osdi": ("operating systems design and implementation", "osdi"),
    "nsdi": ("networked systems design and implementation", "nsdi"),
    "ccs": ("computer and communications security", "ccs"),
    "ndss": ("network and distributed system security", "ndss"),
    "stoc": ("symposium on theory of computing", "stoc"),
    "focs": ("foundations of computer science", "focs"),
    "soda": ("symposium on discrete algorithms", "soda"),
    "icse": ("international conference on software engineering", "icse"),
    "fse": ("foundations of software engineering", "fse"),
    "pldi": ("programming language design and implementation", "pldi"),
    "popl": ("principles of programming languages", "popl"),
    "miccai": ("medical image computing and computer assisted intervention", "miccai"),
    "facct": ("fairness accountability and transparency", "facct", "fat*"),
    "pnas": ("proceedings of the national academy of sciences", "pnas"),
    "nejm": ("new england journal of medicine", "nejm"),
    "jama": ("journal of the american medical association", "jama"),
    "bmj": ("british medical journal", "bmj"),
    "jmlr": ("journal of machine learning research", "jmlr"),
    "tmlr": ("transactions on machine learning research", "tmlr"),
    "tpami": ("transactions on pattern analysis and machine intelligence", "tpami", "pami"),
    "ijcv": ("international journal of computer vision", "ijcv"),
    "jair": ("journal of artificial intelligence research", "jair"),
    "jacm": ("journal of the acm", "jacm"),
    "cacm": ("communications of the acm", "cacm"),
}  # fmt: skip
"""Venues that are cited under several names: the words of each, then acronyms."""
_PHRASES = sorted(
    ((words, name) for name, forms in _VENUES.items() for words in forms if " " in words),
    key=lambda pair: -len(pair[0]),
)
_BY_ACRONYM = {form: name for name, forms in _VENUES.items() for form in forms if " " not in form}
_ABBREVIATED_AWAY = _FILLERS | frozenset("proceedings proc advances adv u s usa".split())
_KINDS = frozenset("conference conf symposium symp sigkdd".split())
_SECONDARY = re.compile(r"\b(?:workshops?|findings|companion|adjunct)\b", re.IGNORECASE)


@lru_cache(maxsize=8192)
def same_venue(venue: str, other: str) -> bool | None:
    """Whether two names are those of one journal, conference or publisher.

    None where this cannot be told: one of them is a series in which many appear, or a preprint
    server beside a publication.
    """
    if is_preprint_server(venue) or is_preprint_server(other):
        return True if is_preprint_server(venue) and is_preprint_server(other) else None
    known, other_known = _known_venue(venue), _known_venue(other)
    if known and other_known:
        return known == other_known
    words, other_words = _content(venue), _content(other)
    if not words or not other_words:
        return _squeezed(venue) == _squeezed(other) or None
    if words == other_words or _squeezed(venue) == _squeezed(other):
        return True
    if _abbreviates(words, other_words) or _abbreviates(other_words, words):
        return True
    if _is_acronym_of(venue, other) or _is_acronym_of(other, venue):
        return True
    if _is_contraction(venue, other) or _is_contraction(other, venue):
        return True
    for whole, part in ((venue, other), (other, venue)):
        main = _MAIN.match(whole) if not _SECONDARY.search(whole) else None
        if main and len(main[0]) > 4 and same_venue(main[0], part):
            return True  # `Proceedings of Walls B: Gates and Doors`
    if _SERIES.search(venue) or _SERIES.search(other):
        return None
    return False


def is_preprint_server(venue: str) -> bool:
    """Whether a name is that of a server of preprints: `CoRR`, `arXiv preprint arXiv:…`."""
    return _PREPRINT.search(venue) is not None


@lru_cache(maxsize=4096)
def _known_venue(venue: str) -> str | None:
    """The name under which `_VENUES` holds a venue, workshops and findings apart; None for others."""
    words = _words(venue)
    plain = f" {' '.join(words)} "
    name = next((name for phrase, name in _PHRASES if f" {phrase} " in plain), None)
    if name is None:
        named = {_BY_ACRONYM[acronym] for acronym in _acronyms(venue) if acronym in _BY_ACRONYM}
        name = named.pop() if len(named) == 1 and _stands_alone(venue) else None
    if name is None:
        short = [word for word in words if word not in _ABBREVIATED_AWAY]
        name = next(
            (name for phrase, name in _PHRASES if _abbreviates(short, _meaning(phrase))), None
        )
    return f"{name} (secondary)" if name and _SECONDARY.search(venue) else name


@lru_cache(maxsize=512)
def _meaning(phrase: str) -> list[str]:
    return [word for word in phrase.split() if word not in _ABBREVIATED_AWAY]


def _stands_alone(venue: str) -> bool:
    """Whether an acronym is the venue's whole name: not so in `BMJ Open`."""
    bare = re.sub(r"[(（][^()（）]{0,60}[)）]", " ", venue)
    rest = [word for word in _content(bare) if word not in _BY_ACRONYM and word not in _KINDS]
    return not rest or bare != venue


def _acronyms(venue: str) -> set[str]:
    bare = re.sub(r"['’]?\d{2,4}\b", " ", venue)
    words = {match[0].casefold() for match in _ACRONYM.finditer(bare)}
    alone = bare.strip(" .,:;()")
    return words | ({alone.casefold()} if " " not in alone else set())


def _is_acronym_of(short: str, full: str) -> bool:
    """`PNAS` of `Proceedings of the National Academy of Sciences`: initials, in order."""
    words = re.findall(r"[^\W\d_]+", _plain(full))
    initials = "".join(word[0] for word in words if word not in _FILLERS)
    for acronym in _acronyms(short):
        letters = re.sub("[^a-z]", "", acronym)
        if len(letters) >= 3 and (
            initials == letters
            or (initials.endswith(letters) and len(initials) - len(letters) <= 3)
        ):
            return True
    return False


def _is_contraction(short: str, full: str) -> bool:
    """Whether a venue is named by the beginnings of its words and their parts: `ZVerkR`.

    That of a series of proceedings may be the name of the section: `Proc Biol Sci`.
    """
    proceedings, _, section = full.partition(": ")
    if section and _PROCEEDINGS.match(proceedings) and _PROCEEDINGS.match(short):
        return _abbreviates(_content(short), _content(section))
    written = re.sub(r"\W*\d+\Z", "", short.strip())
    if not _CONTRACTED.fullmatch(written):
        return False
    words = [word for word in re.findall(r"[^\W\d_]+", _plain(full)) if word not in _FILLERS]
    pieces = [_plain(piece) for piece in re.findall(r"[^\W\d_a-zäöü][a-zäöüß]*", written)]
    for word in words:
        if not pieces or not word.startswith(pieces[0]):
            return False
        at = len(pieces.pop(0))
        while pieces and (found := word.find(pieces[0], at)) > 0:
            at = found + len(pieces.pop(0))
    return not pieces


def _abbreviates(short: list[str], full: list[str]) -> bool:
    """Whether each word of one is the beginning or contraction of the other's, in order."""
    if len(short) != len(full):
        return False
    return all(
        long.startswith(word)
        or (
            len(word) > 2
            and word[0] == long[0]
            and word[-1] == long[-1]
            and _subsequence(word, long)
        )
        for word, long in zip(short, full, strict=True)
    )


def _subsequence(word: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in word)


def _words(venue: str) -> list[str]:
    """Its words in lower case, without years and ordinals."""
    return re.findall(
        r"[^\W_]+", _plain(_ORDINAL_WORD.sub(" ", _ORDINAL.sub(" ", _LEAD.sub("", venue))))
    )


@lru_cache(maxsize=4096)
def _content_words(venue: str) -> tuple[str, ...]:
    without_brackets = re.sub(r"[(（][^()（）]{0,60}[)）]", " ", venue)
    words = [word for word in _words(without_brackets) if not word.isdigit()]
    return tuple(word for word in words if word not in _GENERIC) or tuple(words)


def _content(venue: str) -> list[str]:
    return list(_content_words(venue))


@lru_cache(maxsize=4096)
def _squeezed(venue: str) -> str:
    return "".join(char for char in _plain(venue) if char.isalnum())


@lru_cache(maxsize=4096)
def _plain(venue: str) -> str:
    decomposed = unicodedata.normalize("NFKD", venue)
    return "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()
