"""Know the heading of a reference list, in the languages that agents write."""

import re
from typing import NamedTuple

from workbench.citations.lines import Line

_ENGLISH = (
    r"(?:list of |key |selected |main |primary |cited |full |web |online |data |information )?"
    r"(?:references?|sources?|bibliography|works cited|literature|citations?)"
    r"(?: list| cited| used| consulted|s and notes"
    r"| and (?:notes|references|sources|citations|links|further reading))?"
    r"|endnotes|footnotes|notes(?: and references)?|reference list|links"
)
_CHINESE = (
    r"参考(?:文献|资料|来源|链接|书目|网站|文獻|資料|來源)(?:列表|与来源|及来源|和来源)?|参考"
    r"|引用(?:文献|来源|资料|列表|文獻)?|參考(?:文獻|資料|來源)|文献(?:列表)?|注释|脚注|尾注"
    r"|(?:资料|数据|信息|主要|文献|資料|數據|引文)?(?:来源|來源)(?:列表)?"
)
_OTHERS = (
    r"出典|参照(?:文献)?|引用文献|참고\s?문헌|출처|참고\s?자료"
    r"|quellen(?:verzeichnis|angaben)?|literatur(?:verzeichnis)?|einzelnachweise"
    r"|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliografía"
    r"|fuentes|riferimenti(?: bibliografici)?|bibliografia|fonti|referências(?: bibliográficas)?"
    r"|fontes|bronnen|källor|kilder|lähteet|źródła|literatura|kaynakça|kaynaklar"
    r"|список литературы|источники|литература|джерела|tài liệu tham khảo|المراجع|المصادر|संदर्भ"
)
_HEADING = re.compile(
    r"[\s#>*_~\W]{0,12}"
    r"(?:(?:\d{1,2}|[IVXivx]{1,5}|[一二三四五六七八九十]{1,3}|[A-H])[.、)．:：]?\s{0,3}(?:\d\s)?)?"
    rf"[*_]{{0,3}}(?:{_ENGLISH}|{_CHINESE}|{_OTHERS})(?:\s?[(（][^()（）\n]{{1,30}}[)）])?"
    r"\s{0,2}[*_~]{0,3}\s{0,2}(?:[:：]\s{0,2}[*_]{0,3}|[#*_]{0,3})(?P<rest>\s{0,4}\S[^\n]*)?\Z",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?h\d[^<>]{0,80}>", re.IGNORECASE)
_LONGEST = 90
_EARLY = 60
_REACH = 4000


class Heading(NamedTuple):
    """A line that heads a reference list; entries may begin in it, at `rest`."""

    rest: int | None


def read_heading(text: str, line: Line) -> Heading | None:
    """The heading that a line is, if it names a reference list."""
    if line.kind in ("code", "table", "rule"):
        return None
    if line.end - line.start > _LONGEST:
        early = text[line.start : line.start + _EARLY]
        if ":" not in early and "：" not in early:
            return None
    words = text[line.start : min(line.end, line.start + _REACH)]
    if "<h" in words[:20]:
        words = _TAG.sub(lambda tag: " " * len(tag[0]), words).rstrip()
    found = _HEADING.match(words)
    if found is None:
        return None
    rest = found["rest"]
    if rest is None or not rest.strip(" *_:："):
        return Heading(None)
    return Heading(line.start + found.start("rest"))
