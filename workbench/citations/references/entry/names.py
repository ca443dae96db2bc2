"""Split a list of names into people and bodies, family and given names.

A part of the list is described by a letter for each of its words (initials, capitals, names,
particles, suffixes), so that each way of writing a name is one short pattern over these letters.
"""

import re
from typing import NamedTuple

from workbench.citations.lexicon import CJK, SURNAMES
from workbench.citations.references.entry.name_parts import (
    BIG_PARTICLES,
    DOTTED,
    GROUP_WORDS,
    NamePart,
    is_body,
    is_paper,
    read_parts,
    title_words,
)
from workbench.records.bibliography import Author

LONGEST_HEAD = 3000
LONGEST_GROUPED = 1500
"""A list of names that is longer than this is not read."""
_MORE = re.compile(
    r"[,，;；、]?\s{0,2}(?:(?<!\w)(?-i:and|&|und|y|e|et)\s{1,2})?(?:\(?et\.?\s?al\b\.?\)?"
    r"|\bothers\b|\bcolleagues\b"
    r"|\bu\.\s?a\.|\bet\scoll\b\.?|\bm\.\s?fl\.|\by\sotros\b|\be\soutros\b|\bи\sдр\b\.?"
    r"|等人?|ほか|他|외(?:\s?\d{1,3}인)?|…|\.\s?\.\s?\.)"
    r"\s?[.,，:]?\Z",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r",?\s{0,2}(?:…|\.\s?\.\s?\.)\s{0,2}(?:&\s)?,?\s{0,2}")
_ROLE = re.compile(
    r"[,\s]{0,3}\(?\b(?:eds?|hrsg|hg|editors?|edited by|trans(?:lators?)?|comps?"
    r"|dir)\b\.?\)?[.,:]?\Z",
    re.IGNORECASE,
)
_VANCOUVER = re.compile(
    r"(?P<family>[PQ]*[WC]{1,3}|[PQ]{1,3}[WC]{0,2}|W[PQ]{1,2}[WC])(?P<given>[IC]{1,3}P{0,2})S?"
)
_INITIALS_FIRST = re.compile(r"(?P<given>[IC][ICW]{0,2}?)(?P<family>[PQ]*[WC]{1,2})S?")
_FULL = re.compile(r"(?P<given>[WQ][WIC]{0,4}?)(?P<family>(?:[PQ][PQWC]{0,4})?[WCQ])S?")
_FAMILY = re.compile(r"[PQ]{0,3}(?:[WCQ]|W[WPQ]{0,3}W|WW|CC)")
_GIVEN = re.compile(r"[IC]{1,5}[PQ]{0,3}W?[PQ]{0,2}|[WQ][W]{0,3}[IC]{0,4}[PQ]{0,3}")
_CJK_NAME = re.compile(f"[{CJK}·•・]+")
_HAN = re.compile("[\u3400-\u9fff]+")
_DOUBLE_SURNAMES = frozenset(
    "欧阳 歐陽 司马 司馬 上官 诸葛 諸葛 东方 皇甫 尉迟 公孙 令狐 慕容 司徒 夏侯 端木".split()
)
_CJK_BODY = re.compile(
    "(?:[书書报報告法会會局部署院所校司厂廠站网網刊志社组組署库室团團心国國府委办行团协処]|公司|大学|大學|中心)\\Z"
)
_CJK_TITLE = re.compile(
    r"\d{4}\s?年|(?:公报|公報|报告|報告|年鉴|年鑑|白皮书|白皮書|蓝皮书|藍皮書)\Z"
)
"""What a title has and the name of a body never."""
_CJK_SPLIT = re.compile(
    r"\s{0,2}[,，、;；&＆]\s{0,2}(?:and\s|和|与)?|\s(?:and|et|und)\s|和|与|與|及|・(?=[\u4e00-\u9fff]{2,4}(?:・|\Z))"
)


_GROUP = re.compile(GROUP_WORDS, re.IGNORECASE)
_GROUP_ITEM = re.compile(
    r"(?:\A|\s?[;；]\s{0,2}(?:(?:and|for|on behalf of)\s)?(?:the\s)?|,?\s(?:for|on behalf of)\s(?:the\s)?"
    r"|(?:,\s|,?\s(?:and|&|et|und)\s|,\s(?:and|&|et|und)\s|\s(?=[(\[]))(?:the\s(?=[A-Z])|(?=[(\[]?[A-Z]{2,}\b)))"
    rf"[(\[]?(?P<group>(?=[^\W\d_a-z])[^,;:；&()\[\]]{{2,100}}?\b(?i:{GROUP_WORDS}))[)\]]?(?=\s?(?:[,;；.]|\Z))"
)
"""A group for whom people write, among them in a list: `Lee A, Ito B; NORTH Study Group`."""
_BODIES = re.compile(
    r"\s?[;；]\s|,\s(?:&|and)\s|\s&\s|(?:,\s|\sand\s)(?=(?:the\s)?(?:Institute|Ministry|Department|Agency"
    r"|University|Chamber|Centre|Center|Office|Council|Bank)\s(?:of|for)\b)"
)
_JOINED = re.compile(
    r"(?<!\bvon\s)(?<!\bvan\s)(?<!\bauf\s)\bder\s"
    r"|\sdel?\s(?:l[ao]s?\s)?\S+\s(?:\S+\s)?del?\s"
    r"|\A(?:Statisti[kc]s?|Statistisk|Stadt|Landkreis|Kreis|Provincie|Kommune|Région|Regione|Kanton|Canton|City|Town)\s"
)
"""What no person's name has, where a date shows that an author ends: `Bund der Roe`, `Stadt Lind`."""
_TURNED = re.compile(
    r"\A(?P<name>[^\W\d_a-z][^,;]{2,80}),\s(?P<office>[A-Z][^,;]{2,60}\s(?:of|for)(?:\sthe)?)\.?\Z"
)
"""A body that is filed under its subject: `Dunes, Ministry of`."""
_INITIAL_AND_NAME = re.compile(r"[^\W\d_]\.?\s\S+")
_WORK_ROLE = re.compile(
    r"\s\((?:Directors?|Producers?|Executive Producers?|Hosts?|Authors?|Eds?\.|Trans\.|Hg\.|Hrsg\.)\)"
)


class NameList(NamedTuple):
    """The authors that the head of an entry lists."""

    authors: tuple[Author, ...]
    complete: bool
    sure: bool
    """Whether the form shows that these are names: initials, inversion, several, `et al.`"""
    way: str
    """How the first is written: `inverted`, `vancouver`, `initials`, `full`, `body` or `cjk`; an `issuer` is
    a body that nothing but its name shows to be the author."""


def read_names(head: str, anchored: bool = False) -> NameList | None:
    """The names in the head of an entry; None when it is not a list of names.

    Args:
        head: The words before a date, a title or a full stop.
        anchored: Whether a date, a quotation or a code shows that authors end here, so that any
            capitalised words may be a body.
    """
    if len(head) > LONGEST_HEAD:
        return None
    if "．" in head or "，" in head:
        head = head.replace("．", ". " if _CJK_NAME.search(head) is None else ".").replace(
            "，", ", "
        )
    head = head.strip(" ,，:：;；-–—|\n")
    if "\n" in head or not head:
        return None
    if "(" in head:
        head = _WORK_ROLE.sub("", head)
    more = _MORE.search(head, max(0, len(head) - 40))
    if more:
        head = head[: more.start()].rstrip(" ,，;；")
    role = _ROLE.search(head, max(0, len(head) - 40))
    head = (head[: role.start()] if role else head).rstrip(" ,，;；")
    complete = more is None
    short = len(head) < LONGEST_GROUPED and _GROUP.search(head)
    group = _GROUP_ITEM.search(head) if short else None
    if group and (group.start() > 0 or group.end() < len(head.rstrip("."))):
        return _with_groups(head, complete, anchored)
    if "…" in head or "..." in head or ". ." in head:
        shorter = _ELLIPSIS.sub(", ", head)
        complete = complete and shorter == head
        head = shorter
    if not head or head[0] in "([{“\"'‘" and not head[1:2].isalpha():
        return None
    if _HAN.search(head) or _CJK_NAME.search(head):
        return _cjk(head, complete, anchored)
    if head.endswith(".") and not DOTTED.fullmatch(head.split()[-1]):
        head = head[:-1]
    read = _people(head, anchored)
    if read is not None:
        authors, way = read
        sure = way in ("vancouver", "initials", "initialled") or len(authors) > 1 or not complete
        if not (
            way in ("full", "initials")
            and len(authors) == 1
            and complete
            and (
                anchored
                and _JOINED.search(head)
                or is_body(head, False)
                and not _INITIAL_AND_NAME.fullmatch(head)
                or is_paper(head)
            )
        ):
            return NameList(authors, complete, sure or way == "inverted", way)
    head = _TURNED.sub(r"\g<office> \g<name>", head)
    bodies = _BODIES.split(head) if is_body(head, anchored) else []
    if len(bodies) > 1 and not all(is_body(body, anchored=False) for body in bodies):
        bodies = [head]
    authors = tuple(
        Author(family=" ".join((b if b.endswith("e. V.") else b.rstrip(".")).split()))
        for b in bodies
    )
    return NameList(authors, complete, False, "body") if authors else None


def _with_groups(head: str, complete: bool, anchored: bool) -> NameList | None:
    """People and the groups that they write for: `Lee A, Ito B, et al; NORTH Investigators`."""
    groups = [Author(family=" ".join(item["group"].split())) for item in _GROUP_ITEM.finditer(head)]
    people = _GROUP_ITEM.sub("", head).strip(" ,;；")
    people = re.sub(r"\A(?:and|&)\s|[\s,]+(?:and|&|for|with)\Z", "", people)
    listed = read_names(people, anchored)
    if listed is None or listed.way == "body":
        return None
    first = _GROUP_ITEM.match(head) is not None
    authors = (*groups, *listed.authors) if first else (*listed.authors, *groups)
    return NameList(authors, complete and listed.complete, True, listed.way)


def _people(head: str, anchored: bool = False) -> tuple[tuple[Author, ...], str] | None:
    """The people of a list in Latin or a like script and the way the first is written."""
    if "/" in head and "," in head:
        head = re.sub(r"\s/\s|(?<=\.)/(?=[^\W\d_])", "; ", head)
    if ";" in head or "；" in head:
        return _by_semicolon(re.split(r"\s{0,2}[;；]\s{0,2}", head))
    parts = read_parts(head)
    if not parts:
        return None
    first = parts[0]
    if (
        len(parts) > 2
        and parts[-1].joint
        and all(re.fullmatch("[PQ]*[WC]", part.shape) for part in parts)
    ):
        return _straight(parts, anchored)  # surnames alone: `Roe, Lind, and Ito`
    if len(parts) > 1 and all(len(p.words) > 1 and _VANCOUVER.fullmatch(p.shape) for p in parts):
        return _straight(parts, anchored)  # `YANG JQ, FAN KB`
    if len(parts) > 1 and _FAMILY.fullmatch(first.shape) and not parts[1].joint:
        second = parts[1].shape.rstrip("S")
        if re.fullmatch(r"[IC]{1,5}[PQ]{0,3}", second) and not _is_acronym(parts[1].words[0]):
            authors = _inverted(parts, initials=True)
            return (authors, "initialled") if authors else None
        lone = (
            len(second) == 1
            or bool(re.fullmatch(r"[WQ]W{0,2}[IC]{1,4}|[IC]+W|[WQ]W?[PQ]{1,3}", second))
            and (anchored or len(first.shape.strip("PQ")) == 1)
        )
        if second and _GIVEN.fullmatch(second) and (lone or len(first.shape) == 1):
            authors = _inverted(parts, initials=False)
            if authors:
                return authors, "initialled" if "I" in second else "inverted"
    return _straight(parts, anchored)


def _is_acronym(word: str) -> bool:
    """Whether capitals are too many for initials: the `ICLR` of `by Ann Roe, ICLR, 2021`."""
    return len(word) > 3 and word.isalpha()


def _by_semicolon(items: list[str]) -> tuple[tuple[Author, ...], str] | None:
    """`Müller, Karl ; Schmidt, Eva`: each item is one person."""
    authors: list[Author] = []
    for item in items:
        item = re.sub(r"^(?:and|&|und|et)\s", "", item.strip(" ,"))
        if not item:
            continue
        parts = read_parts(item)
        if not parts:
            if not is_body(item, anchored=False):
                return None
            authors.append(Author(family=item))
        elif len(parts) == 1:
            single = _straight(parts)
            authors.append(single[0][0] if single else Author(family=parts[0].text))
        else:
            given = " ".join(part.text for part in parts[1:])
            authors.append(Author(family=parts[0].text, given=given))
    return (tuple(authors), "initialled") if authors else None


def _inverted(parts: list[NamePart], initials: bool) -> tuple[Author, ...]:
    """`Smith, J., Lee, K.` or `Smith, John, and Mary Jones`; empty when a part fits neither."""
    authors: list[Author] = []
    at = 0
    while at < len(parts):
        part = parts[at]
        following = parts[at + 1] if at + 1 < len(parts) else None
        if _FAMILY.fullmatch(part.shape) and following and not following.joint:
            second = following.shape.rstrip("S")
            is_given = re.fullmatch(r"[IC]{1,5}[PQ]{0,3}W?", second) is not None
            if not initials and not is_given:
                is_given = _GIVEN.fullmatch(second) is not None and (
                    at == 0 or len(part.shape) == 1 or "I" not in part.shape and len(second) == 1
                )
            if is_given:
                authors.append(Author(family=part.text, given=following.text))
                at += 2
                continue
        straight = _one(part)
        if straight is None:
            return ()
        authors.append(straight)
        at += 1
    return tuple(authors)


def _straight(
    parts: list[NamePart], anchored: bool = False
) -> tuple[tuple[Author, ...], str] | None:
    """`J. Smith and K. Lee`, `Smith J, Lee K`, `John Smith, Mary Jones`."""
    authors: list[Author] = []
    way = ""
    vancouver = all(_VANCOUVER.fullmatch(part.shape) for part in parts)
    for number, part in enumerate(parts):
        match = _VANCOUVER.fullmatch(part.shape) if vancouver else None
        if match is not None:
            size = len(match["family"])
            author = Author(family=" ".join(part.words[:size]), given=" ".join(part.words[size:]))
            this_way = "vancouver"
        else:
            single = _one(part)
            if single is None:
                return None
            author = single
            this_way = (
                "initials"
                if part.shape[0] in "IC" and author.given
                else "full"
                if author.given
                else "single"
            )
        if number == 0:
            way = this_way
        authors.append(author)
    singles = sum(not author.given for author in authors)
    if 0 < singles < len(parts) and parts[-1].joint and all(map(_is_surname, parts)):
        authors = [Author(family=part.text) for part in parts]
        singles, way = len(parts), "single"
    if singles and not _may_be_single(parts, singles):
        return None
    plain = [part for part in parts if "I" not in part.shape]
    if way != "vancouver" and title_words(" ".join(part.text for part in plain)):
        return None
    if way == "initials" and not anchored and any(part.shape.count("W") > 1 for part in plain):
        return None
    return tuple(authors), way


def _may_be_single(parts: list[NamePart], singles: int) -> bool:
    """Whether names of one word fit in: `Smith and Lee`, `Smith`, `Smith, Lee, and Park`."""
    if singles == len(parts):
        return len(parts) == 1 or parts[-1].joint
    return singles == 1 and parts[-1].joint and len(parts) > 2 or singles == 1 and len(parts) > 3


def _is_surname(part: NamePart) -> bool:
    """Whether a part can be a surname alone, which may have two words: `Le Gall`, `Abd al-Rahman`."""
    words = part.words
    return _FAMILY.fullmatch(part.shape) is not None and (
        len(words) == 1 or words[0] in BIG_PARTICLES or words[-1][0].islower()
    )


def _one(part: NamePart) -> Author | None:
    """A person whose given name comes first, or one of a single name."""
    shape = part.shape
    joint = next((at for at, word in enumerate(part.words) if word in ("y", "e", "i")), 0)
    if joint and shape[joint - 1] in "WQ" and joint + 1 < len(part.words):
        # both surnames of `Inés Ortega y Ruiz`
        family, given = part.words[joint - 1 :], part.words[: joint - 1]
        return Author(family=" ".join(family), given=" ".join(given))
    match = _INITIALS_FIRST.fullmatch(shape) or _FULL.fullmatch(shape)
    if match is not None and not re.fullmatch("Q[PQ]{0,2}[WC]", shape):  # not `Lo Presti` alone
        family = part.words[match.start("family") : match.end("family")]
        given = part.words[match.start("given") : match.end("given")]
        suffix = part.words[max(match.end("family"), match.end("given")) :]
        return Author(family=" ".join(family), given=" ".join(given + suffix))
    if re.fullmatch(r"[PQ]{0,3}[WC]S?", shape):
        return Author(family=part.text)
    return None


def _cjk(head: str, complete: bool, anchored: bool) -> NameList | None:
    """Names in Chinese, Japanese or Korean letters, among them such in Latin ones."""
    head = head.rstrip("。.．")
    names = [name.strip(" .") for name in _CJK_SPLIT.split(head)]
    names = [
        re.sub(
            r"^\[[^\]]{1,6}\]|^[(（][^)）]{1,4}[)）]|[著编編主撰译譯等]{1,2}\Z", "", name
        ).strip()
        if len(name) > 3
        else name
        for name in names
        if name
    ]
    names = [name for name in names if name]
    if not names or len(names) > 60 or any(len(name) > 40 for name in names):
        return None
    authors: list[Author] = []
    people = 0
    for name in names:
        author = cjk_author(name)
        if author is None:
            if not _CJK_BODY.search(name) and not anchored or re.search("[《》“”「」：？！]", name):
                return None
            if _CJK_TITLE.search(name):
                return None
            author = Author(family=name)
        else:
            people += bool(author.given)
        authors.append(author)
    return NameList(tuple(authors), complete, people > 0, "cjk")


def cjk_author(name: str) -> Author | None:
    """A person named in Chinese, Japanese or Korean letters, or in Latin ones; None for a body."""
    if not _CJK_NAME.search(name):
        people = _people(name)
        return people[0][0] if people and len(people[0]) == 1 else None
    words = name.split()
    if len(words) == 2 and all(_CJK_NAME.fullmatch(word) and len(word) <= 4 for word in words):
        return Author(family=words[0], given=words[1])
    if not _CJK_NAME.fullmatch(name):
        return None
    if re.search("[·•・]", name):
        given, _, family = re.sub("[•・]", "·", name).rpartition("·")
        return Author(family=family, given=given)
    if len(name) == 4 and _HAN.fullmatch(name) and not _CJK_BODY.search(name):
        return Author(family=name[:2], given=name[2:])
    if len(name) > 5 or len(name) < 2 or len(name) > 3 and _CJK_BODY.search(name):
        return None
    if name[:2] in _DOUBLE_SURNAMES and len(name) > 2:
        return Author(family=name[:2], given=name[2:])
    if name[0] in SURNAMES or "\uac00" <= name[0] <= "\ud7a3":
        return Author(family=name[0], given=name[1:]) if len(name) <= 4 else None
    if _CJK_BODY.search(name):
        return None
    size = 3 if name[1] == "々" else 2 if len(name) >= 4 else 1
    return Author(family=name[:size], given=name[size:])
