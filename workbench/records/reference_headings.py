"""The headings of reference lists, in the languages that agents and sources write; one place."""

_ENGLISH = (
    r"(?:list of |key |selected |main |primary |cited |full |web |online |data |information )?"
    r"(?:references?|sources?|bibliography|works cited|literature|citations?)"
    r"(?: list| cited| used| consulted|s and notes"
    r"| and (?:notes|references|sources|citations|links|further reading))?"
    r"|(?:list of )?(?:papers|publications)(?: cited)?"
    r"|endnotes|footnotes|notes(?: and references)?|reference list|links"
)
_CHINESE = (
    r"参考(?:文献|资料|来源|链接|书目|网站|文獻|資料|來源)(?:列表|与来源|及来源|和来源)?|参考"
    r"|引用(?:文献|来源|资料|列表|文獻)?|參考(?:文獻|資料|來源)|文献(?:列表)?|注释|脚注|尾注"
    r"|(?:资料|数据|信息|主要|文献|資料|數據|引文)?(?:来源|來源)(?:列表)?"
)
_OTHERS = (
    r"出典|参照(?:文献)?|引用文献|참고\s?문헌|출처|참고\s?자료"
    r"|quellen(?:verzeichnis|angaben|nachweise)?|literatur(?:verzeichnis|angaben|hinweise)?"
    r"|(?:quellen und literatur|literatur und quellen|einzelnachweise|belege|fu(?:ß|ss)noten)"
    r"|références(?: bibliographiques| citées)?|bibliographie|notes et références"
    r"|referencias(?: bibliográficas)?|bibliografía(?: consultada)?|obras citadas"
    r"|notas y referencias|referencias y notas|fuentes(?: consultadas)?"
    r"|riferimenti(?: bibliografici)?|bibliografia|fonti|referências(?: bibliográficas)?"
    r"|fontes|bronnen|källor|kilder|lähteet|źródła|literatura|kaynakça|kaynaklar"
    r"|список литературы|источники|литература|джерела|tài liệu tham khảo|المراجع|المصادر|संदर्भ"
)
_READING = (
    r"(?:further|additional|recommended) (?:reading|resources)|reading list|external links|web ?links"
    r"|weiterführende (?:literatur|links)|pour aller plus loin|liens externes"
    r"|lecturas (?:adicionales|recomendadas)|enlaces externos|扩展阅读|延伸阅读|外部链接|相关链接"
)
REFERENCE_HEADINGS = rf"{_READING}|{_ENGLISH}|{_CHINESE}|{_OTHERS}"
"""A regular expression, to be matched without regard to case, for the words of such a heading."""
