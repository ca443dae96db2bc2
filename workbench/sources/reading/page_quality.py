"""Is this page the source it stands for? Walls, shells and soft 404s, recognized by what they look like.

Rules, not guesses: each names what it saw and how sure that makes it. They are made for short
pages; nothing here doubts a long article because of a word in it.
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from workbench.sources.reading.parsed import PageIssue

_SHORT, _BRIEF, _TINY = 250, 120, 40
_HEAD = 300_000
"""Characters of markup that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A fetched page as the rules see it."""

    text: str
    markup: str
    title: str
    asked: str
    """The address that was cited."""
    url: str
    """The address that answered in the end."""

    @property
    def words(self) -> int:
        """Words of the text; two Chinese or Japanese characters count as one."""
        unspaced = len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", self.text))
        return (
            len(re.findall(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", self.text))
            + unspaced // 2
        )


def detect_soft_error(page: FetchedPage) -> PageIssue | None:
    """Why the page is not the source it stands for; None when nothing speaks against it."""
    page = FetchedPage(
        text=page.text,
        markup=page.markup[:_HEAD],
        title=page.title,
        asked=page.asked,
        url=page.url,
    )
    for rule in (_bot_challenge, _parked, _missing, _login, _cookies, _abstract, _shell):
        issue = rule(page)
        if issue is not None:
            return issue
    return None


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.I)


_CHALLENGE_TITLE = _any(
    r"just a moment",
    r"attention required",
    r"pardon our interruption",
    r"verif(?:y|ying) (?:that )?you are (?:a )?human",
    r"are you a robot|robot check|bot (?:check|protection)",
    r"human verification|security check",
    r"ddos[- ]guard|checking your browser|one more step",
    r"安全验证|人机验证",
)
_CHALLENGE_MARK = _any(
    r"cf[-_]chl|challenge-platform|cf-browser-verification",
    r"px-captcha|captcha-delivery\.com|geo\.captcha|distil_r_captcha",
    r"_incapsula_resource|incapsula incident|ddos-guard|awswaf",
    r"class=[\x22\x27]?(?:g-recaptcha|h-captcha|cf-turnstile)",
)
_CHALLENGE_WORDS = _any(
    r"enable javascript and cookies to continue",
    r"checking your browser before|unusual traffic from",
    r"verify (?:that )?you are (?:a )?human",
    r"(?:confirm|prove) (?:that )?you(?:'|’| a)re (?:not a robot|human)",
    r"i(?:'|’)m not a robot|complete the captcha",
    r"access (?:to this page )?(?:has been )?(?:denied|blocked)",
    r"automated (?:access|requests)",
    r"请完成(?:安全)?验证",
)


def _bot_challenge(page: FetchedPage) -> PageIssue | None:
    words = _CHALLENGE_WORDS.search(page.text)
    marked = _CHALLENGE_MARK.search(page.markup)
    if page.words < _SHORT and (_CHALLENGE_TITLE.search(page.title) or (marked and words)):
        return _doubt("bot_challenge", 0.95)
    if page.words < _BRIEF and words:
        return _doubt("bot_challenge", 0.85)
    if page.words < _TINY and marked:
        return _doubt("bot_challenge", 0.8)
    return None


_PARKED = _any(
    r"domain (?:name )?(?:is|may be) (?:for sale|parked|available for purchase)",
    r"buy this domain|inquire about this domain",
    r"domain (?:has|is) expired",
    r"parked (?:free|domain)|this web ?page is parked",
    r"域名(?:出售|已过期|转让)",
)
_PARKED_MARK = re.compile(
    r"sedoparking|parkingcrew|bodis\.com|hugedomains\.com|afternic\.com|dan\.com/buy|above\.com/",
    re.I,
)


def _parked(page: FetchedPage) -> PageIssue | None:
    if page.words >= _SHORT:
        return None
    words = _PARKED.search(f"{page.title}\n{page.text}")
    marked = _PARKED_MARK.search(page.markup)
    if words and (marked or page.words < _BRIEF):
        return _doubt("parked_domain", 0.9)
    return _doubt("parked_domain", 0.7) if marked and page.words < _TINY else None


_MISSING_TITLE = re.compile(
    r"^\W*(?:error\W*)?404\b|\b404 (?:error|not found|page)|\bnot found\W*(?:$|[|–—-])", re.I | re.M
)
_MISSING = _any(
    r"(?:error|status|code)\W{0,3}404\b|\b404\W{0,3}(?:error|page|not found)",
    # Two strings are one phrase here: no comma between them.
    r"(?:page|article|document|file|url|address)(?: (?:that )?you(?:['’]re| are)? \w+(?: for)?)? "
    r"(?:was |is |could |can |has )?(?:not|n['’]t|no longer)(?: been| be)? "
    r"(?:found|exist|available)",
    r"(?:page|article|url) (?:does not|doesn['’]t|no longer) exists?\b|\bpage not found\b",
    r"(?:page|article|document|file) (?:has|was|may have)(?: been)? (?:removed|deleted|moved)",
    r"(?:can['’]t|cannot|couldn['’]t|could not) find (?:the|that|this|your) page",
    r"page missing|nothing (?:was )?found here|seite (?:wurde )?nicht gefunden",
    r"page (?:introuvable|non trouvée)|página no encontrada|pagina non trovata",
    r"страница не найдена|ページが見つかりません",
    r"页面(?:不存在|未找到|找不到)|找不到(?:该|您)?.{0,8}页面",
)


def _missing(page: FetchedPage) -> PageIssue | None:
    title_match = _MISSING_TITLE.search(page.title) or _MISSING.search(page.title)
    if title_match and page.words < _SHORT:
        return _doubt("soft_404", 0.95)
    text_match = _MISSING.search(page.text[:400])
    if text_match and page.words < 60:
        return _doubt("soft_404", 0.85)
    if text_match and text_match.start() < 160 and page.words < _BRIEF:
        return _doubt("soft_404", 0.7)
    cited, answered = urlsplit(page.asked), urlsplit(page.url)
    same = (cited.hostname or "").removeprefix("www.") == (answered.hostname or "").removeprefix(
        "www."
    )
    if (
        same
        and len(cited.path.strip("/")) > 3
        and answered.path.strip("/") in ("", "index.html", "en")
    ):
        return PageIssue(
            reason="soft_404",
            confidence=0.75,
            message=(
                f"{cited.hostname} redirects from the cited page to its front page: the page is "
                f"probably gone. Accept it if it is the article, or provide the source yourself."
            ),
        )
    return None


_PASSWORD = re.compile(r"type\s*=\s*[\"']?password", re.I)
_LOGIN = _any(
    r"\b(?:log ?in|sign ?in|sign on)\b",
    r"create (?:an|your) account|register to (?:read|continue)|institutional access",
    r"\banmelden\b|se connecter|iniciar sesión|登录|登入|ログイン",
)
_PAYWALL = _any(
    r"subscribe (?:now )?to (?:continue|read|keep|unlock)",
    r"(?:for|to) subscribers(?: only)?\b|already a (?:subscriber|member)",
    r"to (?:read|continue reading|access|unlock) (?:the|this) (?:full|rest|entire|whole|complete)",
    r"continue reading (?:with|by)|members[- ]only|become a member to",
    r"purchase (?:access|(?:this )?(?:article|pdf))",
    r"you have (?:reached|read) (?:your|all)|free articles? (?:left|remaining)",
    r"start your (?:free )?trial",
    r"(?:订阅|登录)后(?:可)?(?:阅读|查看)|请(?:先)?登录",
)


def _login(page: FetchedPage) -> PageIssue | None:
    match = _PAYWALL.search(page.text)
    if match and page.words < _BRIEF:
        return _doubt("login_wall", 0.9)
    if match and page.words < 400 and match.start() > len(page.text) * 0.4:
        return _doubt("login_wall", 0.7)
    if not _LOGIN.search(f"{page.title}\n{page.text}"):
        return None
    if _PASSWORD.search(page.markup) and page.words < _BRIEF:
        return _doubt("login_wall", 0.9)
    titled = _LOGIN.search(page.title) and page.words < _BRIEF
    return _doubt("login_wall", 0.8) if titled or (page.words < 25) else None


_COOKIES = _any(
    r"accept (?:all )?(?:cookies)?|we (?:use|value)|your privacy",
    r"manage (?:my )?(?:preferences|choices|options)",
    r"consent|our (?:\d+ )?partners|同意",
)


def _cookies(page: FetchedPage) -> PageIssue | None:
    mentions = len(re.findall(r"\bcookies?\b|\bconsent\b|personal data|privacy", page.text, re.I))
    phrases = len({phrase.lower() for phrase in _COOKIES.findall(page.text)})
    if page.words < _SHORT and mentions >= 3 and phrases >= 2 and mentions * 30 > page.words:
        return _doubt("cookie_wall", 0.85)
    return None


_RECORD = re.compile(
    r"name\s*=\s*[\"']?(?:citation_(?:title|doi|pmid|journal)|dc\.identifier)", re.I
)
_BODY = re.compile(
    r"^\W*(?:\d+\.?\s*)?(?:introduction|background|(?:materials and )?methods?|results?(?: and "
    r"discussion)?|discussion|conclusions?|引言|方法|结果|讨论)\W*$",
    re.I | re.M,
)
_ACCESS = _any(
    r"(?:get|full|rent or buy|buy|purchase|institutional|check) access",
    r"access options|access through",
    r"(?:buy|purchase) (?:this )?(?:article|pdf|chapter)",
    r"view full[- ]text|full text links|preview of subscription",
)
_ABSTRACT_PAGES = re.compile(
    r"^https?://(?:pubmed\.ncbi\.nlm\.nih\.gov/\d+|(?:www\.|export\.)?arxiv\.org/abs/|"
    r"papers\.ssrn\.com/|(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/\d+)",
    re.I,
)


def _abstract(page: FetchedPage) -> PageIssue | None:
    if page.words > 900:
        return None
    sections = len(_BODY.findall(page.text))
    if _ABSTRACT_PAGES.match(page.url):
        return _doubt("abstract_only", 0.9)
    if not _RECORD.search(page.markup) or page.words > 600:
        return None
    headed = re.search(r"^\W*abstract\b|^\W*摘要", page.text, re.I | re.M)
    # A structured abstract has such headings as well, but then says how to get at the rest.
    if _ACCESS.search(page.text) and (headed or sections < 2):
        return _doubt("abstract_only", 0.85)
    return _doubt("abstract_only", 0.65) if headed and sections < 2 else None


_MOUNT = re.compile(
    r"<(?:div|main|app-root)[^>]{0,200}\bid\s*=\s*[\"']?(?:root|app|__next|__nuxt|svelte|app-root|react)\b|"
    r"<app-root|ng-app|data-reactroot",
    re.I,
)
_NEEDS_SCRIPT = _any(
    r"(?:enable|requires?|need|turn on|activate) (?:to enable )?java ?script",
    r"javascript (?:is )?(?:required|disabled|must be)|without javascript",
    r"请启用 ?javascript",
)


def _shell(page: FetchedPage) -> PageIssue | None:
    if page.words >= _TINY:
        return None
    scripts = page.markup.lower().count("<script")
    if _NEEDS_SCRIPT.search(page.markup) and scripts:
        return _doubt("script_shell", 0.9)
    if scripts and _MOUNT.search(page.markup) and page.words < 20:
        return _doubt("script_shell", 0.9)
    return _doubt("script_shell", 0.65) if scripts >= 3 and page.words < 4 else None


_SAYS = {
    "bot_challenge": "The site showed a bot check instead of the article.",
    "parked_domain": "The domain is parked or for sale: there is no article on it.",
    "soft_404": "The site says that the page does not exist, although the status is 200.",
    "login_wall": "The site shows a log-in or a subscription offer instead of the article.",
    "cookie_wall": "The site shows its cookie consent instead of the article.",
    "abstract_only": "The page contains only the abstract, not the work itself.",
    "script_shell": "The page is an empty shell that needs JavaScript.",
}


def _doubt(reason: str, confidence: float) -> PageIssue:
    return PageIssue(
        reason=reason,
        confidence=confidence,
        message=f"{_SAYS[reason]} Accept it if it is the article, or provide the source yourself.",
    )
