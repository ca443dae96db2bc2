"""Pages as the web has them: the facts that must be read out of them, and the noise around.

Written for these tests. `keep` are the words a reviewer may be asked about; `drop` is what a page
says around its article.
"""

# Markup reads better unbroken.
from dataclasses import dataclass

LOREM = (
    "The survey covers every station that reported in the period, and it was repeated after the "
    "instruments had been changed. Its authors describe how gaps were filled and which years were "
    "left out. "
)


@dataclass(frozen=True)
class HtmlPage:
    name: str
    markup: str
    keep: tuple[str, ...]
    drop: tuple[str, ...] = ()
    title: str | None = None


def _shell(body: str, title: str = "Rain in the north", head: str = "") -> str:
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}
<script>var tracking = "script words";</script><style>.x{{color:red}}</style></head><body>
<header class="site-header"><nav><ul><li><a href="/">Home page</a></li><li><a href="/s">Subscribe
today</a></li></ul></nav></header>{body}
<footer><p>Copyright 2024 Example Press. <a href="/p">Privacy notice</a></p></footer></body></html>"""


_NOISE = ("Subscribe today", "Privacy notice", "script words")

PAGES = [
    HtmlPage(
        "an article with a table in the middle",
        _shell(
            f"""<main><article><h1>Rain in the north</h1><p>{LOREM}</p>
<table><caption>Table 1. Rain by month</caption><thead><tr><th>Month</th><th>Rain (mm)</th></tr></thead>
<tbody><tr><td>January</td><td>255</td></tr><tr><td>February</td><td>203</td></tr></tbody></table>
<p>{LOREM}</p></article></main>"""
        ),
        ("Table 1. Rain by month", "January", "255", "February", "203", "gaps were filled"),
        _NOISE,
        "Rain in the north",
    ),
    HtmlPage(
        "lists of findings",
        _shell(
            f"""<div id="content"><h1>Findings</h1><p>{LOREM}</p>
<ul><li>Unemployment fell to 4.1 %</li><li>Wages rose by 2.7 %</li></ul>
<ol><li>Exports grew 12 %</li><li>Imports shrank</li></ol>
<dl><dt>Median age</dt><dd>42.8 years</dd></dl></div>"""
        ),
        ("4.1 %", "2.7 %", "Exports grew 12 %", "Imports shrank", "Median age", "42.8 years"),
        _NOISE,
    ),
    HtmlPage(
        "captions of figures",
        _shell(
            f"""<article><h1>Glaciers</h1><p>{LOREM}</p><figure><img src="a.png" alt="">
<figcaption>Figure 2. The tongue retreated 1,350 metres between 1900 and 2020.</figcaption></figure>
<p>{LOREM}</p></article>"""
        ),
        ("1,350 metres", "gaps were filled"),
        _NOISE,
    ),
    HtmlPage(
        "a data page that is nearly all table",
        _shell(
            """<main><h1>Population by county</h1><table>"""
            + "".join(f"<tr><td>County {n}</td><td>{n * 1117}</td></tr>" for n in range(1, 41))
            + "</table></main>"
        ),
        ("County 1", "1117", "County 40", "44680"),
        _NOISE,
    ),
    HtmlPage(
        "a short page",
        _shell(
            "<main><h1>Opening hours</h1><p>The museum opens at 10:30 and closes at 18:00.</p></main>"
        ),
        ("10:30", "18:00"),
        _NOISE,
    ),
    HtmlPage(
        "divs instead of paragraphs",
        _shell(
            f"""<div class="article-body"><div class="t">The bridge</div><div>{LOREM}</div>
<div>It carries 64,000 vehicles a day.</div><div class="row"><div>Length</div><div>2,737 m</div></div>
</div>"""
        ),
        ("64,000 vehicles", "2,737 m", "gaps were filled"),
        _NOISE,
    ),
    HtmlPage(
        "a table inside a figure, and a nested list",
        _shell(
            f"""<article><h1>Trial</h1><p>{LOREM}</p><figure class="table"><table><tr><th>Arm</th><th>n</th>
<th>Event rate</th></tr><tr><td>Drug</td><td>412</td><td>3.9%</td></tr><tr><td>Placebo</td><td>409</td>
<td>7.2%</td></tr></table><figcaption>Primary endpoint at 52 weeks</figcaption></figure>
<ul><li>Adverse events<ul><li>Headache in 11 patients</li><li>Nausea in 8 patients</li></ul></li></ul>
<p>{LOREM}</p></article>"""
        ),
        (
            "412",
            "3.9%",
            "Placebo",
            "7.2%",
            "Primary endpoint at 52 weeks",
            "11 patients",
            "8 patients",
        ),
        _NOISE,
    ),
    HtmlPage(
        "a box of facts beside the text",
        _shell(
            f"""<main><h1>Lake</h1><table class="infobox"><tr><th>Surface</th><td>580 km²</td></tr>
<tr><th>Depth</th><td>310 m</td></tr></table><p>{LOREM}</p><p>{LOREM}</p></main>"""
        ),
        ("580 km²", "310 m", "gaps were filled"),
        _NOISE,
    ),
    HtmlPage(
        "equal sentences at two places",
        _shell(f"<article><h1>Log</h1><p>Value: 17.</p><p>{LOREM}</p><p>Value: 17.</p></article>"),
        ("Value: 17.", "gaps were filled"),
        _NOISE,
    ),
    HtmlPage(
        "related stories and comments around an article",
        _shell(
            f"""<article><h1>Harvest</h1><p>{LOREM}</p><p>The harvest reached 9.3 million tonnes.</p>
<div class="related-links"><h3>More stories</h3><ul><li><a href="/1">Ten recipes you will love
</a></li><li><a href="/2">What the stars say</a></li></ul></div></article>
<div class="cookie-banner"><p>We use 17 cookies to make this site better.</p></div>"""
        ),
        ("9.3 million tonnes",),
        ("Ten recipes", "17 cookies", *_NOISE),
    ),
    HtmlPage(
        "words that are not shown",
        _shell(
            f"""<article><h1>Dam</h1><p>{LOREM}</p><p style="display:none">The dam is 999 metres high.</p>
<table hidden><tr><td>Hidden cell 888</td></tr></table><p>The dam is 221 metres high.</p>
</article>"""
        ),
        ("221 metres",),
        ("999 metres", "Hidden cell 888", *_NOISE),
    ),
    HtmlPage(
        "Chinese",
        _shell(
            """<article><h1>北方的雨</h1><p>调查涵盖了报告期内的所有站点,并在更换仪器后重复进行。作者说明了如何填补空白
以及哪些年份被排除在外。</p><table><tr><td>一月</td><td>255毫米</td></tr></table>
<ul><li>失业率降至4.1%</li></ul></article>""",
            "北方的雨",
        ),
        ("所有站点", "255毫米", "失业率降至4.1%"),
        _NOISE,
    ),
    HtmlPage(
        "a press release in blockquote and pre",
        _shell(
            f"""<article><h1>Release</h1><p>{LOREM}</p><blockquote>“We sold 1.2 million units,” said the
chair.</blockquote><pre>Q1  4,310
Q2  5,122</pre></article>"""
        ),
        ("1.2 million units", "4,310", "5,122"),
        _NOISE,
    ),
    HtmlPage(
        "footnotes at the end",
        _shell(
            f"""<article><h1>Treaty</h1><p>{LOREM}</p><section class="footnotes"><ol><li id="fn1">Signed on
14 March 1957 by six states.</li></ol></section></article>"""
        ),
        ("14 March 1957",),
        _NOISE,
    ),
]

HOSTILE = {
    "unclosed everything": b"<html><body><div><p>Rain fell 42 mm<table><tr><td>7 mm",
    "deep nesting": b"<div>" * 5000 + b"deep 42" + b"</div>" * 5000,
    "a comment that never ends": b"<html><body><p>Rain 42 mm.</p><!-- " + b"x" * 10_000,
    "a script that never ends": b"<html><body><p>Rain 42 mm.</p><script>" + b"x" * 10_000,
    "billion laughs": (
        b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "aaaaaaaaaa">'
        + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
        + b"]><html><body><p>&j; Rain 42 mm.</p></body></html>"
    ),
    "an entity that reads a file": (
        b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b"<html><body><p>&x; Rain 42 mm fell.</p></body></html>"
    ),
    "a giant attribute": b'<p title="' + b"y" * 200_000 + b'">Rain 42 mm.</p>',
    "ten thousand attributes": b"<p "
    + b" ".join(b"a%d=1" % n for n in range(10_000))
    + b">Rain 42 mm.",
    "control characters": b"<p>Rain\x01 42\x02 mm.\x1b[31m</p>",
    "lone surrogate references": b"<p>Rain &#xD800; 42 mm.</p>",
    "a meta refresh": b'<meta http-equiv="refresh" content="0;url=http://127.0.0.1/"><p>Rain 42 mm.</p>',
    "an external frame": b'<iframe src="http://127.0.0.1/"></iframe><p>Rain 42 mm.</p>',
    "nothing but markup": b"<html><head></head><body></body></html>",
}
