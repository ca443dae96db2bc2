"""Find author-year marks: `(Smith et al., 2019; Lee, 2020a)`, `Smith and Lee (2019)`, `王等（2019）`."""

import re
import unicodedata

from workbench.citations.marks import Mark
from workbench.citations.patterns import CJK, YEAR

_OPEN = re.compile(
    rf"[(（\[](?=[^()（）\[\]\n]{{0,300}}?(?:{YEAR}|n\.d\.|in press))([^()（）\[\]\n]{{4,300}})[)）\]]"
)
_YEAR_ONE = rf"(?:{YEAR}[a-z]?(?:/{YEAR})?|n\.d\.|in press)"
_YEARS = rf"{_YEAR_ONE}(?:\s?[,，、&]\s?(?:{_YEAR_ONE}|[a-z]\b)){{0,8}}"
_LOCATOR = (
    r"(?:\s?[,，:：]\s?(?:pp?\.?|pages?|chap(?:ter|\.)?|ch\.?|sec(?:tion|\.)?|§+|fig(?:ure|\.)?|table"
    r"|para\.?|vol\.?|no\.?|ss?\.|S\.|第)?\s?[\w\u2013.-]{1,12}(?:\s?[,，\u2013-]\s?\d{1,5})?\s?[页頁章節节]?)?"
)
_ITEM = re.compile(rf"(?P<who>[^\d]{{1,160}}?)[,，:\s]\s{{0,2}}(?P<years>{_YEARS}){_LOCATOR}\s?\Z")
_CJK_ITEM = re.compile(rf"(?P<who>[^\d]{{1,60}}?)(?P<years>{_YEARS})年?{_LOCATOR}\s?\Z")
_ONLY_YEARS = re.compile(rf"\s?(?P<years>{_YEARS})年?{_LOCATOR}\s?\Z")
_LEAD = re.compile(
    r"\s{0,3}(?:(?:but |and |also )?(?:see(?:,? also|,? for (?:example|instance|a review))?|e\.g\.|i\.e\.|cf\.|for (?:example|instance)"
    r"|as (?:cited|quoted|reported|reviewed|shown|described) (?:in|by)|(?:cited|quoted|reviewed|discussed) (?:in|by)"
    r"|(?:adapted|taken) from|from|following|per|source|sources|data(?: from)?|compare|contra|according to"
    r"|参见|参考|参看|详见|见|转引自|引自|来源|如|vgl\.|siehe|voir)(?:[,:：]\s{0,2}|\s{1,2}|(?=[\u4e00-\u9fff])))",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"[;；]")
_ONE_YEAR = re.compile(rf"{_YEAR_ONE}|(?<![a-z])[a-z]\b")
_CJK_NAME = re.compile(f"[{CJK}·•]+")
_CJK_AND = re.compile("和|与|與|及|、|・|＆|&|,|，")
_ET_AL = re.compile(r"(?:等人?|ら|他|외)\Z")
_PARTICLES = frozenset(
    "van von de der den del della di da dos du la le les el al bin ibn ten ter zu zur af av y st".split()
)
_JOINTS = frozenset("and & und et y e och en og i".split())
_WITHIN = frozenset("of the for on in to der des de la du del".split())
_TAILS = frozenset("al al. colleagues coworkers co-workers others associates team".split())
_NEVER = frozenset(
    """january february march april may june july august september october november december jan feb
    mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter figure fig table
    section chapter version part since circa c ca q1 q2 q3 q4 fy h1 h2 early late mid updated
    published accessed retrieved founded established released born died aged est day week month
    year years season episode volume issue page pages copyright model no number phase""".split()
)
_STARTERS = frozenset(
    """in as while although though since because when whereas if according the a an by see both
    however moreover furthermore similarly likewise also thus hence therefore following unlike like
    after before from for with to on at of this that these those but and or yet recently later
    earlier finally first second third here there work works study studies research researchers
    author authors scholar scholars paper papers report reports model theory framework method""".split()
)
_VERB = re.compile(
    r"(?:['’]s?)?\s{0,2}(?:\w{2,12}ly\s)?(?:also |first |further |later |then |have |has |had )?"
    r"(?:found|finds?|show(?:s|ed|n)?|argu(?:e|es|ed|ing)|report(?:s|ed)?|suggest(?:s|ed)?|not(?:e|es|ed)"
    r"|propos(?:e|es|ed)|demonstrat(?:e|es|ed)|conclud(?:e|es|ed)|observ(?:e|es|ed)|claim(?:s|ed)?"
    r"|describ(?:e|es|ed)|introduc(?:e|es|ed)|present(?:s|ed)?|develop(?:s|ed)?|examin(?:e|es|ed)"
    r"|investigat(?:e|es|ed)|stud(?:y|ies|ied)|review(?:s|ed)?|stat(?:e|es|ed)|writ(?:e|es)|wrote"
    r"|identif(?:y|ies|ied)|estimat(?:e|es|ed)|analy[sz](?:e|es|ed)|compar(?:e|es|ed)|discuss(?:es|ed)?"
    r"|explain(?:s|ed)?|emphasi[sz](?:e|es|ed)|highlight(?:s|ed)?|indicat(?:e|es|ed)|reveal(?:s|ed)?"
    r"|us(?:e|es|ed)|defin(?:e|es|ed)|assert(?:s|ed)?|contend(?:s|ed)?|maintain(?:s|ed)?|point(?:s|ed)?"
    r"|recommend(?:s|ed)?|measur(?:e|es|ed)|test(?:s|ed)?|warn(?:s|ed)?|believ(?:e|es|ed)|offer(?:s|ed)?"
    r"|provid(?:e|es|ed)|survey(?:s|ed)?|conduct(?:s|ed)?|confirm(?:s|ed)?|document(?:s|ed)?|put|coined"
    r"|指出|认为|認為|发现|發現|提出|研究|表明|显示|的研究|报告|报道|强调|主张|证明|证实|は|によれば|によると)"
)
_CUE = re.compile(
    r"(?:according to|see|see also|cf\.|e\.g\.,?|following|by|per|unlike|contra|building on|based on"
    r"|consistent with|line with|agree with|similar to|contrary to|critique of|work of|study by|and)\s{1,2}\Z",
    re.IGNORECASE,
)
_CJK_CUE = re.compile(
    "(?:根据|據|根據|依据|如|由|按照|参见|见|与|和|及|在|，|。|；|\\s|^|「|（|\\()\\Z"
)
_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇"
    "卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鍾汪田任姜范范方石姚谭譚廖邹鄒熊金陆陸郝孔崔康毛邱秦江史顾顧侯邵孟龙龍万萬段"
    "章钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文庞龐樊兰蘭殷施陶洪翟安颜顏倪严嚴牛温溫季俞葛韦韋"
)
_NOT_NAMES = re.compile("[书書报報告法会會局部署院所校司厂廠站网網刊志史论論案年月日]\\Z")


def find_author_year(text: str, known: frozenset[str]) -> list[Mark]:
    """Author-year marks in brackets and in the running sentence.

    Args:
        text: The text.
        known: Lower-case names that the text's reference entries begin with: a name alone before
            `(2019)` is taken for an author when an entry has it, or when the sentence treats it so.
    """
    marks: list[Mark] = []
    for found in _OPEN.finditer(text):
        inside, at = found[1], found.start(1)
        only = _ONLY_YEARS.match(inside)
        if only:
            marks.extend(_narrative(text, found.start(), found.end(), only["years"], known))
            continue
        marks.extend(_parenthetical(found.start(), found.end(), inside, at, known))
    return marks


def _parenthetical(start: int, end: int, inside: str, at: int, known: frozenset[str]) -> list[Mark]:
    """The works that one bracket names."""
    items = []
    offset = 0
    for piece in _SPLIT.split(inside):
        item = _item(piece, at + offset, known)
        offset += len(piece) + 1
        if item:
            items.append(item)
    total = sum(len(years) for *_, years in items)
    marks = []
    for first, last, names, years in items:
        for year, year_start, year_end in years:
            if total == 1:
                place = (start, end)
            elif len(years) == 1 or year_start == years[0][1]:
                place = (first, last if len(years) == 1 else year_end)
            else:
                place = (year_start, year_end)
            marks.append(author_mark(*place, names, year))
    return marks


def author_mark(start: int, end: int, names: tuple[str, ...], year: str, style: str = "") -> Mark:
    """A mark that names authors and a year: `smith 2019`, `smith & lee 2019`."""
    who = " & ".join(name.lower() for name in names[:2])
    return Mark(start, end, "author_year", f"{who} {year}", None, names, year, style)


def _item(
    piece: str, at: int, known: frozenset[str]
) -> tuple[int, int, tuple[str, ...], list[tuple[str, int, int]]] | None:
    """One `Smith & Lee, 2019a, p. 3` of a bracket: its span, names and years; None if it is not."""
    lead = 0
    while found_lead := _LEAD.match(piece, lead):
        lead = found_lead.end()
    while lead < len(piece) and piece[lead].isspace():
        lead += 1
    found = _ITEM.match(piece, lead) or _CJK_ITEM.match(piece, lead)
    if found is None:
        return None
    who = found["who"]
    comma = piece[found.end("who") : found.start("years")].strip() in (
        ",",
        "，",
    ) or who.rstrip().endswith((",", "，"))
    names = author_names(who.strip(' ,，:*_"“”'), comma, known)
    if not names:
        return None
    years = _years(found["years"], at + found.start("years"))
    return at + lead, at + len(piece.rstrip()), names, years


def _years(group: str, at: int) -> list[tuple[str, int, int]]:
    """The years of `2019a, b, 2020` with their offsets."""
    years: list[tuple[str, int, int]] = []
    base = ""
    for found in _ONE_YEAR.finditer(group):
        value = found[0]
        if value[0].isdigit():
            base = value[:4]
        elif len(value) == 1:
            if not base:
                continue
            value = base + value
        years.append((value, at + found.start(), at + found.end()))
    return years


def author_names(who: str, comma: bool, known: frozenset[str]) -> tuple[str, ...]:
    """The surnames (or the organisation) that `who` names; empty when it names no author."""
    if not who:
        return ()
    if _CJK_NAME.search(who):
        return _cjk_names(who, comma)
    words = who.replace("&", " & ").split()
    if len(words) > 16:
        return ()
    first = words[0].strip(".,").lower()
    if first in _NEVER and first not in known:
        return ()
    if not _is_name(words[0]) and words[0].lower() not in _PARTICLES:
        return ()
    joined = several = False
    for word in words:
        bare = word.strip(".,'’\"*_").lower()
        if word in "&" or bare in _JOINTS or bare in _TAILS:
            joined = joined or bare in _TAILS or word == "&" or bare in ("and", "und", "et")
            continue
        if bare in _PARTICLES or bare in _WITHIN:
            continue
        if not _is_name(word) or (bare in _NEVER and bare not in known):
            return ()
        several = True
    if not several:
        return ()
    if not comma and not joined and len(words) > 1 and first not in known:
        if not (len(words) == 2 and words[0].lower() in _PARTICLES):
            return ()
    return _surnames(words)


def _is_name(word: str) -> bool:
    """Whether a word can be (part of) a name: it begins with a capital letter."""
    bare = word.lstrip("*_\"“‘'’(").rstrip(".,'’\"”*_")
    if not bare or any(c.isdigit() or c in "=<>%/@#" for c in bare):
        return False
    if bare[0].isupper():
        return True
    return len(bare) > 2 and bare[1] in "'’" and bare[2].isupper()


def _surnames(words: list[str]) -> tuple[str, ...]:
    """First the one who is named first; particles stay with their name, initials go."""
    names: list[str] = []
    current: list[str] = []

    def close() -> None:
        kept = [
            w for w in current if not re.fullmatch(r"(?:[A-Z]\.?-?){1,3}", w) or len(current) == 1
        ]
        if kept:
            names.append(" ".join(kept))
        current.clear()

    for word in words:
        bare = word.strip(',.*_"“”').removesuffix("'s").removesuffix("’s")
        lower = bare.lower()
        if lower in _TAILS:
            break
        if word == "&" or lower in _JOINTS:
            if lower == "and" and _organisation(current):
                current.append(bare)
                continue
            close()
            continue
        if bare:
            current.append(word.strip(',*_"“”').removesuffix("'s").removesuffix("’s"))
        if word.endswith(","):
            close()
    close()
    return tuple(names)


def _organisation(words: list[str]) -> bool:
    """Whether words before an `and` read as a body (`Centers for Disease Control and …`)."""
    return any(w.lower() in _WITHIN for w in words) or len(words) > 3


def _cjk_names(who: str, comma: bool) -> tuple[str, ...]:
    """Names in Chinese, Japanese or Korean: `王小明和李强`, `张三等`, `田中・山本`."""
    who = who.strip(" ，,、")
    et_al = _ET_AL.search(who)
    if et_al:
        who = who[: et_al.start()]
    names = [name.strip() for name in _CJK_AND.split(who) if name.strip()]
    if not names or any(len(name) > 20 for name in names):
        return ()
    if any(not _CJK_NAME.fullmatch(name.replace(" ", "")) for name in names):
        return ()
    if not (comma or et_al or len(names) > 1) and not (2 <= len(names[0]) <= 4):
        return ()
    if _NOT_NAMES.search(names[0]) and not comma:
        return ()
    return tuple(names)


def _narrative(text: str, opens: int, end: int, years: str, known: frozenset[str]) -> list[Mark]:
    """The author who stands before `(2019)`; nothing when what stands there is no author."""
    floor = max(0, opens - 110)
    before = text[floor:opens]
    line = before.rfind("\n") + 1
    before, floor = before[line:], floor + line
    stripped = before.rstrip()
    if not stripped:
        return []
    if unicodedata.category(stripped[-1]) == "Lo":
        found = _cjk_author(text, stripped, floor, end, known)
    else:
        found = _latin_author(text, stripped, floor, end, known)
    if found is None:
        return []
    start, names = found
    marks = []
    for number, (year, year_start, year_end) in enumerate(
        _years(years, text.index(years, opens, end))
    ):
        several = years != year
        first = number == 0
        marks.append(
            author_mark(
                start if first else year_start,
                year_end if several else end,
                names,
                year,
                "narrative",
            )
        )
    return marks


def _latin_author(
    text: str, before: str, floor: int, end: int, known: frozenset[str]
) -> tuple[int, tuple[str, ...]] | None:
    words = list(re.finditer(r"\S+", before))
    if before[-1] in '"”»*_)]}':
        return None
    first = len(words)
    joined = tail = False
    while first > 0:
        raw = words[first - 1][0]
        bare = raw.strip(".,'’").lower()
        if first < len(words) and raw[-1] in ".!?;:" and bare not in _TAILS:
            if not re.fullmatch(r"(?:[A-Z]\.-?){1,3}|(?:Jr|Sr|St)\.", raw):
                break
        if bare in _TAILS and first >= len(words) - 1:
            tail = True
        elif raw == "&" or bare in _JOINTS or bare in ("et",):
            if first == len(words):
                return None
            joined = True
        elif bare in _PARTICLES or (bare in _WITHIN and bare not in _STARTERS):
            pass
        elif bare == "of" and first < len(words):
            pass
        elif not _is_name(raw) or raw[0] in '*_"“(' or bare in _STARTERS or bare in _NEVER:
            if not (bare in known and bare not in _STARTERS):
                break
        first -= 1
    while first < len(words) and (
        words[first][0].lower() in _JOINTS | _WITHIN | _TAILS or words[first][0] == "&"
    ):
        first += 1
    chosen = [word[0] for word in words[first:]]
    if not chosen or not any(_is_name(word) for word in chosen):
        return None
    names = _surnames([w for c in chosen for w in c.replace("&", " & ").split()])
    if not names or (len(chosen) > 9 and not tail):
        return None
    if tail or (joined and len(names) > 1):
        return floor + words[first].start(), names
    lone = names[0].split()[-1].strip(".").lower()
    start = floor + words[first].start()
    if names[0].lower() in known or lone in known:
        return start, names
    person = len(names) == 1 and len(chosen) <= 3
    if not person and not _VERB.match(text, end):
        return None
    lead = before[: words[first].start()]
    if _VERB.match(text, end) or (len(chosen) == 1 and _CUE.search(lead)):
        return start, names
    return None


def _cjk_author(
    text: str, before: str, floor: int, end: int, known: frozenset[str]
) -> tuple[int, tuple[str, ...]] | None:
    """The name that Chinese, Japanese or Korean words end with."""
    tail = re.search(f"[{CJK}·、&＆和与]{{1,30}}\\Z", before)
    if tail is None:
        return None
    run, at = tail[0], tail.start()
    et_al = _ET_AL.search(run)
    body = run[: et_al.start()] if et_al else run
    for length in range(min(len(body), 12), 1, -1):
        if body[-length:].lower() in known:
            return floor + at + len(body) - length, (body[-length:],)
    for length in (3, 2):
        name = body[-length:]
        if len(body) < length or name[0] not in _SURNAMES or _NOT_NAMES.search(name):
            continue
        lead = before[: at + len(body) - length]
        pair = re.search(rf"([{CJK}]{{2,3}})(?:和|与|、|&)\Z", lead)
        clear = _CJK_CUE.search(lead) or lead == ""
        if clear or (et_al and length == 3) or (pair and pair[1][0] in _SURNAMES):
            if not (et_al or pair or _VERB.match(text, end) or lead):
                continue
            names: tuple[str, ...] = (name,)
            start = at + len(body) - length
            if pair and pair[1][-3:][0] in _SURNAMES and lead.endswith(("和", "与", "、", "&")):
                names = (pair[1], name)
                start = pair.start()
            return floor + start, names
    return None
