"""Small word lists that the embedded judge reads: negation, hedges, opposites."""

_NEGATIONS_LIST = """
no not never none nobody nothing neither nor cannot without fail failed fails lack lacks lacked
unable refuse refused refuses deny denied denies denying unlikely absent absence barely hardly n't
dont doesnt didnt isnt arent wasnt werent wont cant couldnt hasnt havent hadnt wouldnt shouldnt
aint false incorrect wrong 不 没有 并非 未能 无法 并未 不是 从未
"""
NEGATIONS = frozenset(_NEGATIONS_LIST.split())
_HEDGES_LIST = """
may might could can possibly perhaps probably suggest suggests suggested likely potential
potentially appear appears seem seems associated estimated expected reportedly allegedly about
approximately roughly
"""
HEDGES = frozenset(_HEDGES_LIST.split())

_OPPOSITES = """
increase decrease; increased decreased; increases decreases; increasing decreasing; rise fall;
rose fell; rising falling; higher lower; high low; highest lowest; more less; more fewer; most
least; largest smallest; larger smaller; greater lesser; greater lower; greater less; best
worst; better worse; positive negative; before after; above below; over under; first last; early
late; earlier later; win lose; won lost; winner loser; gain loss; gained lost; accept reject;
accepted rejected; allow prohibit; allowed prohibited; allowed banned; legal illegal; success
failure; succeeded failed; successful unsuccessful; improve worsen; improved worsened; improves
worsens; strong weak; stronger weaker; young old; younger older; youngest oldest; male female;
man woman; men women; mother father; brother sister; son daughter; husband wife; north south;
east west; northern southern; eastern western; left right; support oppose; supported opposed;
agree disagree; agreed disagreed; include exclude; included excluded; open closed; opened
closed; start end; started ended; begin end; began ended; beginning end; safe dangerous; common
rare; same different; similar different; public private; inside outside; internal external;
maximum minimum; major minor; majority minority; join leave; joined left; arrive depart; arrived
departed; buy sell; bought sold; true false; effective ineffective; able unable; possible
impossible; likely unlikely; alive dead; born died; long short; longer shorter; fast slow;
faster slower; hot cold; wet dry; rich poor; easy difficult; easier harder; reduce increase;
reduced increased; reduces increases; expand shrink; benefit harm; beneficial harmful; upper
lower; full empty; dependent independent; enable prevent; cause prevent; causes prevents;
confirm deny; confirmed denied; innocent guilty; acquitted convicted; war peace; day night;
summer winter; morning evening; presence absence; present absent; never always; all none; all
some; some none; many few; both neither; every no; significant insignificant;
增加 减少; 上升 下降; 提高 降低; 增长 下降; 最高 最低; 最大 最小; 支持 反对; 成功 失败; 高于
低于
"""


def _pairs() -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for pair in _OPPOSITES.split(";"):
        word, opposite = pair.split()
        opposites.setdefault(word, set()).add(opposite)
        opposites.setdefault(opposite, set()).add(word)
    return {word: frozenset(others) for word, others in opposites.items()}


OPPOSITES: dict[str, frozenset[str]] = _pairs()
"""For a word, the words that say the opposite."""
