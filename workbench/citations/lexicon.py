"""The word lists, letter classes and verbs that several stages look for; words in lower case."""

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


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


PARTICLES = _words(
    "van von de der den del della di da dos du la le les el al bin ibn ten ter zu zur af av st"
)
"""Small words that belong to a surname."""
JOINTS = _words("and & und et y e och en og")
"""Words between two authors."""
WITHIN = _words(
    "of the for on in to der des de la du del für pour sur les los las para por per delle dei degli voor"
)
"""Small words inside the name of a body."""
ARTICLES = _words(
    "the a an its their his her our this these der die das ein eine er le la les l' un une el los las una",
    "il lo gli i o os as um uma de het een",
)
"""Articles and what stands in their place before a noun."""
TAILS = _words("al al. colleagues coworkers co-workers others associates team")
"""What ends a shortened list of authors."""
NO_AUTHOR = _words(
    "january february march april may june july august september october november december jan feb",
    "mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter figure fig table",
    "section chapter version part since circa c ca q1 q2 q3 q4 fy h1 h2 early late mid updated",
    "published accessed retrieved founded established released born died aged est day week month",
    "year years season episode volume issue page pages copyright model no number phase",
)
"""Capitalised words before a year that name no author."""
OPENERS = _words(
    "in as while although though since because when whereas if according the a an by see both",
    "however moreover furthermore similarly likewise also thus hence therefore following unlike",
    "like after before from for with to on at of this that these those but and or yet recently",
    "later earlier finally first second third here there work works study studies research",
    "researchers author authors scholar scholars paper papers report reports model theory",
    "framework method",
    "nach laut gemäß bei wie auch während dass ob selon d'après d’après comme chez dans pour suivant",
    "según como para secondo come volgens segundo conforme enligt ifølge",
)
"""Words that open a sentence or lead to a name and are not part of it."""
UNITS = _words(
    "m km cm mm dm nm μm µm um ft in yd mi s ms h kg g mg l ml hz kpa pa j k n w v a t x y z r q",
    "sq px au pc kw mw gw ev mev mol sec min hr",
)
"""Units, whose raised digit is a power."""
NEVER_ENDS = _words(
    "dr mr mrs ms prof rev hon gov sen rep gen col capt lt sgt st mt fr messrs vs v e.g i.e cf fig",
    "figs eq eqs no nos vol vols pp p ch sec art arts ed eds approx ca dept univ viz para paras",
    "tab ref refs ex resp incl excl esp dist cir",
    # German
    "bzw vgl evtl ggf inkl exkl zzgl abzgl rd nr nrn abs ziff rdnr rn anm hrsg bde dipl insb bspw sog",
    "geb gest verh ehem kath staatl allg versch kap aufl frl lit z.b d.h u.a s.o s.u z.t i.d.r",
    # French
    "mm mme mmes mlle mlles mgr ste sté env éd coll trad av ap chap réf réfs nᵒ n° n.º nº",
    # Spanish and Portuguese
    "sr sra srta sres sras dra dres profa ud uds vd vds ej pág págs núm núms aprox avda dpto depto gral",
    "lic exmo exma séc ee",
    # Italian
    "sig sigg dott avv geom artt pag pagg sgg sig.ra dott.ssa prof.ssa",
    # Dutch
    "bijv nrs blz dhr mevr mw drs ir jhr evt afb hfst m.a.w o.a d.w.z i.p.v t.o.v",
)
"""Abbreviations that more words of the sentence always follow."""
ENDS_BEFORE_NUMBER = _words("no art sec p ex lit")
"""Of those, the ones that are also words: an abbreviation only where a number follows."""
MAY_END = _words(
    "etc inc ltd co corp al jr sr ph.d m.d b.sc m.sc b.a m.a u.s u.k u.n e.u u.s.a d.c a.m p.m est",
    "jan feb mar apr jun jul aug sep sept oct nov dec bros llc plc mass cal app supp ct op cit",
    "ibid id ave blvd rd min max avg int assn intl natl govt fed civ crim evid const stat reg pub",
)
"""Abbreviations that can end a sentence: they do where a word follows that opens sentences."""
BEFORE_NUMBER = _words(
    "cap co n al bd str par kap jan feb mar apr jun jul aug sep sept oct nov dec jän mär okt dez janv févr",
    "avr juil déc ene abr ago dic gen mag giu lug set ott fev out febr mrt",
)
"""Words that are abbreviations where a number follows: `cap. 3`, `4 Feb. 2024`."""
SCALES = _words("mio mrd tsd mill mln mld mds md bn mn")
"""Abbreviated scales: a unit, a currency or a noun follows, as in `9,8 Mio. €`."""
ORDINAL_LEADS = _words(
    "am im vom zum zur bis der die das den dem des ab seit jeder jede jedes beim ein eine einem einer ihr",
    "sein und dieser diesem den dne d.",
)
"""Words before an ordinal with its full stop: `im 19. Jahrhundert`."""
AFTER_ORDINAL = _words(
    "januar jänner februar märz april mai juni juli august september oktober november dezember jahrhundert",
    "jahrhunderts halbjahr quartal weltkrieg platz auflage klasse stock lebensjahr kalenderwoche",
)
SENTENCE_OPENERS = _words(
    "der die das den dem ein eine er sie wir dies diese dieser dieses bei nach mit für von auch aber doch",
    "und oder wenn als während seit nur damit daher dabei laut insgesamt hier dort zudem außerdem allerdings",
    "jedoch dennoch weil dort dann zwar beide viele alle",
    "le la les un une il elle ils elles nous ce cette ces cet au aux dans pour par avec selon mais et ou si",
    "el los las una ella ellos este esta estos estas con por para según pero cuando como sin",
    "lo gli questo questa questi secondo però quando anche nel nella con",
    "os as uma ele ela esse essa este esta segundo mas quando também no na",
    "het een hij zij dit deze met voor volgens maar ook toen",
    "the a an this that these those it its he she they we you i in on at by for from with as to of",
    "and but or so if when while although though however moreover furthermore additionally also",
    "another other some many most all each every both there here such since after before during",
    "according overall finally first second third next then thus therefore hence similarly",
    "meanwhile his her their our my your what which who how why is are was were do does did can",
    "could may might will would should must not no yes one two three",
)
LEADS_TO_MARK = _words(
    "according to as in see by and or but while whereas per from the a an both also with of for on",
    "at however that e.g i.e cf study studies paper papers report reports ref refs reference work",
    "works authors author article source sources survey review analysis following based",
)
"""Words that lead to a mark and are not a claim by themselves: `According to [1]`."""
REPORTED = _words(
    "reported shown described noted found discussed cited stated seen explained documented outlined",
    "listed summarized summarised detailed published quoted given presented estimated mentioned data",
    "based available details info information further more full read click here source sources",
)
"""Words of phrases that only lead to a mark: `as reported in [3]`, `more details at [4]`."""
SIGNALS = _words(
    "see also e.g accord cf but compare with contra citing quoting generally e g cited and or"
)
"""Words that introduce a citation which stands alone, as in law."""
CJK_LEADS_TO_MARK = _words(
    "根据 據 据 如 见 参见 和 与 以及 而 但 按照 由 来源 资料来源 数据来源 出处 文献"
)
SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇"
    "卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔崔康毛邱秦江史顾顧侯邵孟龙龍万萬段章"
    "钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文庞龐樊兰蘭殷施陶洪翟安颜顏倪严嚴牛温溫季俞葛韦韋"
)
"""The commonest Chinese surnames of one character."""
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
