"""Pages that are not the cited source, and pages that only resemble such pages."""

# Markup reads better unbroken.
import asyncio

import pytest

from tests.fakes.html_pages import LOREM, PAGES
from workbench.errors import NotEvidenceError
from workbench.records.source import Fetched
from workbench.sources.read import read_source
from workbench.sources.reading.html import parse_html

LONG = LOREM * 12


def html(body, title="A page", head=""):
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    ).encode()


def doubt(body, *, url="https://site.example/a/story", requested=None):
    parsed = parse_html(body, "text/html; charset=utf-8", url, asked=requested or url, fetched=True)
    return parsed.doubt.reason if parsed.doubt else None


WALLS = [
    pytest.param(
        html(
            "<h1>site.example</h1><p>Checking if the site connection is secure</p><p>Enable JavaScript "
            "and cookies to continue</p><script>window._cf_chl_opt={}</script>",
            "Just a moment...",
        ),
        "bot_challenge",
        id="a challenge page",
    ),
    pytest.param(
        html(
            "<h1>Access denied</h1><p>Access to this page has been denied because we believe you are "
            "using automation tools.</p><div id='px-captcha'></div>"
        ),
        "bot_challenge",
        id="access denied",
    ),
    pytest.param(
        html("<p>Our systems have detected unusual traffic from your computer network.</p>"),
        "bot_challenge",
        id="unusual traffic",
    ),
    pytest.param(
        html("<p>请完成安全验证后继续访问</p>", "安全验证"), "bot_challenge", id="in Chinese"
    ),
    pytest.param(
        html("<h1>Oops</h1><p>The page you are looking for could not be found.</p>", "Oops"),
        "soft_404",
        id="could not be found",
    ),
    pytest.param(
        html(
            "<h1>404</h1><p>Try the search.</p><ul><li>News</li><li>Sport</li></ul>", "404 | Site"
        ),
        "soft_404",
        id="404 in the title",
    ),
    pytest.param(
        html("<p>该页面不存在或已被删除。</p>", "页面不存在"), "soft_404", id="404 in Chinese"
    ),
    pytest.param(html("<p>Diese Seite wurde nicht gefunden.</p>"), "soft_404", id="404 in German"),
    pytest.param(
        html("<h1>This article is no longer available</h1><p>It may have been moved.</p>"),
        "soft_404",
        id="no longer available",
    ),
    pytest.param(
        html(
            "<h1>Sign in</h1><form><label>Email</label><input name=e><input type=password></form>"
            "<a href=/new>Create an account</a>",
            "Sign in - Site",
        ),
        "login_wall",
        id="a log-in form",
    ),
    pytest.param(
        html(
            f"<article><h1>Storm</h1><p>{LOREM}</p></article><div><p>To continue reading this article, "
            "subscribe now.</p><p>Already a subscriber? Log in.</p></div>"
        ),
        "login_wall",
        id="a teaser and an offer",
    ),
    pytest.param(html("<p>本文需登录后阅读全文。请登录</p>"), "login_wall", id="a wall in Chinese"),
    pytest.param(
        html(
            "<div><h2>We value your privacy</h2><p>We and our 842 partners use cookies to process "
            "personal data. With your consent we may use cookies to measure content.</p><p>Accept all "
            "cookies</p><p>Manage preferences</p></div>"
        ),
        "cookie_wall",
        id="cookie consent",
    ),
    pytest.param(
        html("<h1>site.example</h1><p>This domain is for sale! Buy this domain today.</p>"),
        "parked_domain",
        id="a domain for sale",
    ),
    pytest.param(
        html("<p>Related searches</p><script src='//img.sedoparking.com/x.js'></script>"),
        "parked_domain",
        id="a parking service",
    ),
    pytest.param(
        html(
            "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>"
            "<script src=/main.js></script>"
        ),
        "script_shell",
        id="a shell with a notice",
    ),
    pytest.param(
        html('<div id="__next"></div><script src=/a.js></script><script src=/b.js></script>'),
        "script_shell",
        id="a bare shell",
    ),
    pytest.param(
        html(
            f"<h1>A trial of tea</h1><h2>Abstract</h2><p>{LOREM}</p><p>Access options</p><p>Buy article "
            "PDF</p>",
            "A trial of tea",
            '<meta name="citation_title" content="A trial of tea">',
        ),
        "abstract_only",
        id="an abstract and a price",
    ),
]

SOUND = [
    *[pytest.param(page.markup.encode(), id=page.name) for page in PAGES],
    pytest.param(
        html(f"<article><h1>How CAPTCHAs work</h1><p>Sites ask you to verify you are human. {LONG}</p>"),
        id="an article about challenges",
    ),
    pytest.param(
        html(f"<article><h1>404: a history</h1><p>{LONG}</p></article>", "404: a history of not found"),
        id="an article about 404",
    ),
    pytest.param(
        html(
            f"<form><input type=password> Log in</form><article><h1>Harvest</h1><p>{LONG}</p></article>"
        ),
        id="a log-in form above an article",
    ),
    pytest.param(
        html(
            f"<article><h1>Harvest</h1><p>{LONG}</p></article><div class=cookie-banner>We value your "
            "privacy. Accept all cookies. Manage preferences. Cookies, consent, cookies.</div>"
        ),
        id="a cookie banner under an article",
    ),
    pytest.param(
        html("<h1>Study 404</h1><p>In all, 404 patients were enrolled and 12 % had been removed.</p>"),
        id="404 patients",
    ),
    pytest.param(
        html(
            "<h1>Opening hours</h1><p>Open 10:30 to 18:00.</p><script>a</script><script>b</script>"
            "<script>c</script>"
        ),
        id="a short page with scripts",
    ),
    pytest.param(
        html(
            f"<h1>A trial of tea</h1><h2>Abstract</h2><p>{LOREM}</p><h2>Introduction</h2><p>{LONG}</p>"
            f"<h2>Methods</h2><p>{LONG}</p><h2>Results</h2><p>{LONG}</p>",
            head='<meta name="citation_title" content="A trial of tea">',
        ),
        id="a whole paper",
    ),
    pytest.param(
        html("<h1>Life not found on Mars</h1><p>Probes saw no sign of it in 2021.</p>",
             "Life not found on Mars"),
        id="not found, in a title",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("page", "reason"), WALLS)
def test_walls_are_named(page, reason):
    assert doubt(page) == reason


@pytest.mark.parametrize("page", SOUND)
def test_articles_are_left_alone(page):
    assert doubt(page) is None


@pytest.mark.parametrize(
    ("requested", "final", "reason"),
    [
        ("https://site.example/2019/story", "https://www.site.example/", "soft_404"),
        ("https://site.example/2019/story", "https://site.example/2019/story/", None),
        ("https://short.example/x1y2z3", "https://site.example/", None),
        ("https://site.example/", "https://site.example/", None),
    ],
)
def test_a_deep_link_that_ends_at_the_front_page(requested, final, reason):
    assert doubt(html(f"<p>{LOREM}</p>"), url=final, requested=requested) == reason


@pytest.mark.parametrize(
    "url", ["https://pubmed.ncbi.nlm.nih.gov/31452104/", "https://arxiv.org/abs/1706.03762"]
)
def test_pages_of_abstract_services(url):
    assert doubt(html(f"<h1>A work</h1><p>{LOREM}</p>"), url=url) == "abstract_only"


def _fetched(status):
    return Fetched(
        url="https://site.example/a",
        final_url="https://site.example/a",
        status=status,
        content_type="text/html",
        body=html("<h1>Page not found</h1><p>Sorry.</p>", "Page not found"),
    )


def test_a_wall_is_an_error_with_reason_and_confidence():
    with pytest.raises(NotEvidenceError) as caught:
        asyncio.run(read_source(_fetched(200)))
    assert caught.value.kind == "not_evidence"
    assert caught.value.reason == "soft_404"
    assert 0.5 < caught.value.confidence <= 1
    assert "Accept it if it is the article" in caught.value.message


def test_a_reviewer_may_know_better():
    assert "Sorry." in asyncio.run(read_source(_fetched(200), accept=True)).text


def test_what_somebody_handed_over_is_not_doubted():
    assert "Sorry." in asyncio.run(read_source(_fetched(None))).text
