"""How a Chinese claim refers, and what its clauses are about, by their first words. Pure."""

import re
from collections.abc import Iterator
from typing import Literal

LONGEST = 16
"""A longer run before the first verb-like word names nothing."""
NAMELESS = frozenset(
    "结果 背景 概述 简介 结论 总结 讨论 方法 历史 其他 附录 引言 调查结果 主要发现 近年来 "
    "全球 全国 据统计 研究 调查 数据 报告 专家 分析 统计".split()
)
_VERBS = (
    "位于|建于|始建|开始|成为|来自|每年|可以|能够|发挥|播出|出版|讲述|决定|推荐|纳入|参加|毕业|成名|监测|报道|离开"
    "|修建|建成|获批|上市|先后|共有|包括|生活|采用|增加|删去|介绍|提高|下降|上升|达到|超过|发布|公布|指出|认为|表示"
    "|成立|创办|主编|设立|拥有|影响|如何|怎样|怎么|什么|哪些|为何|为什么|多大|多少|一生|晚年|早年|先生|女士|今年"
    "|去年|目前|主要|全长|全部|总共|大约|以及|以后|之后|以来|之前|以前|同样|都会|仍然|依然"
)
_CUT = re.compile(
    rf"{_VERBS}|[\s“”《》（）()是于在有为将被由对已曾也都与和及从向把给让使着了过的不只最更很]"
)
_CLAUSE = re.compile(r"[，,。：:；;！!？?、\n]+")
_TITLED = re.compile(r"《([^》]{1,40})》|“([^”]{2,20})”|「([^」]{2,20})」")
_FILLER = re.compile(
    r"^(?:其实|说到|关于|对于?|针对|按照?|根据|例如|比如|此外|同时|目前|主要|以下|今年|去年|本次|许多|人们|我们|如何|因为|虽然|如果|但是?"
    r"|而|并且?|不仅|不但|各|几[家艘个种条座部]|一[家艘个种条座部])+"
)
_TRADE = re.compile(
    r"^.{0,6}?(?:(?:作|画|科学|音乐|艺术|翻译|作曲|企业|历史|政治|评论|书法|摄影|发明|探险|收藏|专)家"
    r"|教师|医师|律师|工程师|导演|演员|教授|院士|医生|指挥|记者|歌手)(?=.{2,3}$)"
)
_DATE = re.compile(r"上?世纪|[一二三四五六七八九十\d]+(?:年代?|月|日|世纪)|.*年代$")
_NEW_STUDY = re.compile(
    r"(?![该这那此本其上])[^，。《》“”]{0,12}(?:一项|对[^，。]{2,30}的)[^，。]{0,12}?"
    r"(?:研究|调查|实测|试验|实验|综述|问卷|普查)(?:结果)?(?:还|也|都|均)?(?:发现|表明|显示|证明|指出|认为)"
)
"""A study that the claim brings along: 对四个城市412辆公交车的跟踪研究发现."""
_DATED = re.compile(r"(?<=..)(?:19|20)\d\d年(?:\d{1,2}月)?$")
"""A date behind a name: 云屏市公交集团2024年."""
_POINTS = re.compile(
    r"[它他她]们?|其|该|这|那|此|本|上述|前者|后者|二者|两者|双方|当地|全[村县市镇校园厂省区馆]|新版|旧版|同[年期]"
)
_TIME = re.compile(
    r"(?:在|到|自|直到)?(?:这|那|该|此|其)(?:一|个|段|些|几|十)*"
    r"(?:时期|期间|年代|阶段|时代|年|时间|间|后|前|时)"
    r"|当时|彼时|同期|同年|期间|此间|此后|此前|战时|次年|翌年"
)
_OPENING = re.compile(
    r"(?:[在于从自到随至]|截至|由于|为了|此外|同时|后来|目前|如今|最终|\d)[^，。]{0,24}，"
    r"|[^，。]{2,12}(?:时期|年间|期间|年代|以来|以后|之后|后|前|时|年|月)，"
)
_OMITTED = re.compile(
    r"[于由被曾已总共每从自可能是有获并还也则约不只仅以用将与和第首最超近逾免罚\d-]|为了|位于|建于|始|成立|创办|出生"
    r"|生于|毕业|担任|主演|拥有|采用|设有|占地|全长|晚年|早年|其中"
)
_SAYS = re.compile(
    r"(?:该|这[家份个]|此)[^，。]{1,6}?(?:指出|认为|表示|称|报道|估计|预计|预测|宣布|建议|警告|强调)"
)


def manner_of(
    text: str,
) -> tuple[Literal["party", "period", "pronoun", "omitted", "named", "new"], str]:
    """How the subject of a Chinese claim refers, and the words it does that with."""
    if _SAYS.match(text):
        return "party", ""
    if _TIME.match(text):
        return "period", ""
    if _NEW_STUDY.match(text):
        return "new", ""
    opening = None if refers_back(text) else _OPENING.match(text)
    rest = text[opening.end() :] if opening else text
    if refers_back(rest):
        return "pronoun", ""
    titled = _TITLED.search(_CLAUSE.split(rest)[0])
    if titled:
        return "named", titled.group()
    first = "" if _OMITTED.match(rest) else next(topics(rest), "")
    return ("named", first) if first else ("omitted", "")


def refers_back(text: str) -> bool:
    """Whether a clause begins by pointing at something named before: 其, 该, 它, 当地."""
    return _POINTS.match(text) is not None or _TIME.match(text) is not None


def topics(text: str) -> Iterator[str]:
    """Titles in brackets, and what stands in each clause before its first verb-like word."""
    for match in _TITLED.finditer(text):
        yield next(filter(None, match.groups()))
    for clause in _CLAUSE.split(text):
        parts = (part for part in _CUT.split(_FILLER.sub("", clause.strip())) if part)
        first = _DATED.sub("", _TRADE.sub("", _FILLER.sub("", next(parts, ""))))
        if 2 <= len(first) <= LONGEST and not refers_back(first) and not _empty(first):
            yield first


def _empty(run: str) -> bool:
    return run in NAMELESS or _DATE.match(run) is not None
