"""Find the marks that chat and retrieval products write: one table says how each writes them.

A form is looked for only where its hint stands. The groups of a pattern say what it cites: `ids`
(numbers or keys), `keyed` (`web:3`, kept with its word), `file` with `lines`, `data` (names with
record numbers in brackets), `name` (a file's name); `words` are the claim that a mark encloses. A
form that gives none of these is markup without a source, such as a picture or a highlight.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from workbench.citations.lexicon import YEAR
from workbench.citations.marks import Mark
from workbench.citations.marks.addresses import address_target
from workbench.records.citation import Target

_NUMBERS = r"\d{1,6}(?:\s?[,;]\s?\d{1,6}){0,30}"
_TURN = r"turn\d{1,3}[a-z]{3,12}\d{1,4}(?:L\d{1,6}(?:-L?\d{1,6})?|p\d{1,4})?"
_RECORDS = r"\w[\w ]{0,40}\([^()\[\]\n]{1,200}\)"
_DOCUMENTS = r"pdf|docx?|txt|md|html?|xlsx?|csv|pptx?|json|rtf|odt|epub"
_KEYED = (
    r"(?:web|news|post|x_post|attached_file|uploaded_file|code_file|file|image|generated_image|chart"
    r"|video|conversation_history|calendar|email|tool|finance)"
)


class ProductForm(NamedTuple):
    """How a product writes its marks."""

    product: str
    hint: re.Pattern[str]
    form: re.Pattern[str]


FORMS = tuple(
    ProductForm(product, re.compile(hint), re.compile(form))
    for product, hint, form in (
        (
            "Grok",
            "<grok:render",
            r"<grok:render\b[^<>]{0,400}>(?:\s{0,9}<argument name=\W?citation_id\W?>\W{0,4}(?P<ids>[\w-]{1,40})"
            r"\W{0,4}</argument>|(?:\s{0,9}<argument\b[^<>]{0,80}>[^<>]{0,300}</argument>){0,8})\s{0,9}</grok:render>",
        ),
        ("Grok", "<grok-card", r"<grok-card\b[^<>]{0,400}>\s{0,4}(?:</grok-card>)?"),
        (
            "Grok",
            "render_inline_citation",
            r"[{<\[(]/?\s?render_inline_citation[\s(]{1,2}citation_id\W{1,4}(?P<ids>\d{1,6})[^\w\s{}<>\[\]]{0,3}\s?/?[)}>\]]",
        ),
        (
            "Cohere",
            "</co",
            r"<co(?::[^<>]{0,60})?>(?P<words>[^<>]{1,600})</co(?::\s?(?P<ids>[^<>]{0,60}))?>",
        ),
        (
            "ChatGPT",
            "\ue200",
            r"\ue200(?P<command>[a-z_]{1,20})(?P<parts>(?:\ue202[^\ue200-\ue202]{0,400}){0,40})\ue201",
        ),
        (
            "ChatGPT",
            r"turn\d",
            r"(?:[\[【(][\ue200-\ue206]?)?(?:\\ue20[0-6]|[\ue200-\ue206\ufffd])*(?:(?:file|nav|web)?cite(?:\\ue202|[\ue202\ufffd\s]){0,2})?"
            rf"(?P<ids>\b{_TURN}|(?<=cite){_TURN}|(?<=\\ue20\d){_TURN})"
            rf"(?P<more>(?:(?:\\ue202|[\ue202\ufffd\s,;]){{0,2}}{_TURN}){{0,20}})(?:\\ue20[0-6]|[\ue200-\ue206\ufffd])*(?:(?<=[a-z\d])[\])】])?",
        ),
        ("ChatGPT", "\ue203", r"[\ue203\ue204\ue206]"),
        (
            "ChatGPT",
            "oaicite",
            r"(?::contentReference\[oaicite:(?P<ids>\d{1,3})\](?:\{index=\d{1,3}\})?"
            r"|(?:&#8203;)?`{0,2}[\[【]oaicite:(?P<number>\d{1,3})[\]】]`{0,2}(?:&#8203;)?)",
        ),
        (
            "ChatGPT",
            "oai_citation",
            r"\(?\[oai_citation:\d{1,4}‡[^\[\]\n]{0,200}\]\((?P<address>https?://[^()\s]{1,2000})\)\)?",
        ),
        (
            "ChatGPT and Codex",
            "†",
            r"[\[【［]\s?(?:F:(?P<file>[^†\n\[\]【】]{1,200})|(?P<ids>\d{1,20}(?::\d{1,6})?|[\da-f]{5,40}|(?<=【)[\w:.-]{1,60}))\s?†(?P<lines>[^\n\[\]【】］]{0,120})[\]】］]",
        ),
        ("Snowflake", "【†", r"【†(?P<ids>\d{1,6})†】"),
        ("Gemini", r"\[cite_", r"\[cite_(?:start|end)\]"),
        ("Gemini", r"_span\)", r"\[span_\d{1,4}\]\((?:start|end)_span\)"),
        ("Gemini", r"\[cite:", rf"\[cite:\s?(?P<ids>{_NUMBERS})\]"),
        ("RAGFlow", r"\$\$", r"##(?P<ids>\d{1,6})\$\$"),
        (
            "RAGFlow",
            "ID:",
            rf"[\[【]\s?ID\s?:\s?(?P<ids>{_NUMBERS}(?:\s?,\s?ID\s?:\s?\d{{1,6}}){{0,30}})\s?[\]】]",
        ),
        (
            "GraphRAG and LightRAG",
            r"\[Data:",
            rf"\\?\[Data:\s?(?P<data>{_RECORDS}(?:\s?[;,]\s?{_RECORDS}){{0,8}})\s?\\?\]",
        ),
        (
            "Perplexity",
            ":",
            rf"\[(?P<keyed>{_KEYED}:\d{{1,4}}(?:\s?,\s?(?:{_KEYED}:)?\d{{1,4}}){{0,20}})\](?!\()",
        ),
        ("Bedrock", r"%\[", r"%\[(?P<ids>\d{1,3})\]%"),
        ("Baidu", r"\^\[", r"\^(?P<ids>(?:\[\d{1,3}\]){2,12})\^"),
        (
            "RAG prompts",
            "</",
            rf"<(?P<tag>cite|citation|ref|source|doc|source_id|doc_id)>\s?\[?(?P<ids>{_NUMBERS})\]?\s?</(?P=tag)>",
        ),
        (
            "RAG prompts",
            ":cit",
            r":cit(?:e|ation)?\[(?P<words>[^\[\]\n]{1,600})\]\{(?:ref|id|citation_id|source)=\W?(?P<ids>[\w-]{1,64})\W?\}",
        ),
        (
            "RAG prompts",
            r"\{",
            rf"\{{{{?\s?(?:cite|citation|ref|source)s?\s?[:=]\s?\W?(?P<ids>{_NUMBERS})\W?\s?\}}?\}}",
        ),
        (
            "RAG prompts",
            rf"\.(?:{_DOCUMENTS})\b",
            r"[\[【(](?:(?:[Ss]ource|[Qq]uelle|[Ff]uente|[Ff]onte|[Bb]ron|[Dd]oc(?:ument)?|[Ff]ile|来源)\s?[:：]\s?"
            rf"|(?<![(])(?=[\w.-]{{1,80}}[\],;#】]))(?P<name>[^\[\]()【】<>|\n,;:/]{{1,100}}\.(?:{_DOCUMENTS}))"
            r"(?:\s?[,;#:][^\[\]()【】\n]{0,60})?[\]】)](?![(:])"
            rf"|\((?P<paged>[\w.-]{{1,80}}\.(?:{_DOCUMENTS})),\s(?:pp?|S|page|p[áa]g)\.?\s?\d{{1,5}}[^()\n]{{0,20}}\)",
        ),
    )
)
"""Every form, by product."""
UNKNOWN = tuple(
    re.compile(form)
    for form in (
        r"[\ue200-\ue20f](?:(?<=\ue200)[^\n\ue201]{0,200}\ue201?)?",
        r"【[\w:.,#/@†-]{0,60}[\d†][\w:.,#/@†-]{0,60}】",
        r"<(?:\w{1,20}[:-])?(?:cit(?:e|ation)|inref|fnref|footnote|ref|source|evidence|grok|co)[\w:-]{0,30}"
        r"(?:[\s:]\s?[^<>\n]{0,60}[\d=][^<>\n]{0,200}|:?\d{1,6})/?>",
        r"<<\w{0,12}[:_]?\d{1,6}>>|<\|[^|<>\n]{0,30}\d[^|<>\n]{0,10}\|>",
        r"\[(?:\[?[A-Za-z][A-Za-z_]{0,20}(?:[:#]\s?|_)[\w-]{0,40}\d[\w-]{0,40}\]?"
        rf"|(?<=[\w.,;!?)\]%”\"] \[)[A-Z]{{1,2}}\d{{1,3}}(?:\s?[,;]\s?[A-Z]{{1,2}}\d{{1,3}}){{0,8}}"
        rf"|(?:(?<=[.,;!?)\]%”\"]\[)|(?<=[\w.,;!?)\]%”\"]\s\[))(?!{YEAR}\])\d{{4,20}})\](?![(:\w])",
        r"\{\{?[^{}\n\\]{0,40}\b(?:cit(?:e|ation)|ref|source|doc|DOC|CITE|SOURCE)s?\b[^{}\n\\]{0,40}\d[^{}\n\\]{0,60}\}{1,2}",
        r"##\w{1,20}(?:\$\$|##)",
        r"@@\w{0,12}\d{1,6}@@",
        r"%%\w{0,12}\d{1,6}%%",
        r"[⟦⟨‹〖]\w{0,12}:?\d{1,6}[⟧⟩›〗]",
    )
)
"""What looks like a mark of some product and is none of the table."""
_NOT_MARKS = re.compile(
    r"\W*(?:fig|figure|table|tab|eq|step|page|pp?|line|sec|section|app|version|v|time|day|ch|part|art"
    r"|update|updated|edit|todo|note|img|image|slide|room|col|row|rfc|iso|cve|phase|level|class)s?[\W_]?\d",
    re.IGNORECASE,
)
_ID = re.compile(r"[^\s,;\[\]\ue200-\ue206\ufffd\\]+")
_CALLS = re.compile(r"(\d{1,4}):\[([^\[\]]{0,60})\]")
_LOCATOR = re.compile(r"(?:L\d+(?:-L?\d+)?|p\d+)\Z")
_TURN_ID = re.compile(r"turn\d{1,3}[a-z]{3,12}\d{1,4}")
_ENTITY = re.compile(r"\[\"[^\"]*\",\s?\"(?P<words>[^\"]+)\"")
_CARD_ID = re.compile(r"data-id=\W?([\w-]{1,40})")
_LINES = re.compile(r"L?(\d{1,7})(?:[-\u2013]L?(\d{1,7}))?")


class ProductMarks(NamedTuple):
    """What products wrote into a text."""

    marks: list[Mark]
    markup: list[tuple[int, int]]
    """What they wrote there that cites nothing: pictures, highlights, the start of a stretch."""


def find_product_marks(text: str) -> ProductMarks:
    """The marks of the table and the markup beside them, each in text order."""
    marks: list[Mark] = []
    markup: list[tuple[int, int]] = []
    for form in FORMS:
        if form.hint.search(text):
            for match in form.form.finditer(text):
                found = list(_marks(match))
                marks.extend(found)
                if not found:
                    markup.extend(_around_words(match))
    return ProductMarks(sorted(marks, key=lambda mark: (mark.start, -mark.end)), sorted(markup))


def find_unknown_marks(text: str, known: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches that look like marks, outside those that are known (marks, code, lists, links)."""
    unknown: list[tuple[int, int]] = []
    known, at = sorted(known), 0
    matches = (match for form in UNKNOWN for match in form.finditer(text))
    for match in sorted(matches, key=re.Match.start):
        start, end = match.span()
        if unknown and start < unknown[-1][1]:
            continue
        while at < len(known) and known[at][1] <= start:
            at += 1
        if (at == len(known) or end <= known[at][0]) and not _NOT_MARKS.match(match[0]):
            unknown.append((start, end))
    return unknown


def _marks(match: re.Match[str]) -> Iterator[Mark]:
    """The marks of one match of the table, one for each source that it names."""
    found = match.groupdict()
    covers = match.span("words") if found.get("words") else None
    for identifier in _identifiers(match, found):
        number = identifier.lstrip("0") or "0" if identifier.isdigit() else identifier
        numbered = number.replace(":", "").isdigit()
        yield Mark(*match.span(), "numbered" if numbered else "key", number, covers=covers)
    if found.get("address"):
        target = address_target(str(found["address"]))
        yield Mark(*match.span(), "url", target.value, target)
    if found.get("file"):
        lines = _LINES.match(found["lines"] or "")
        place = "" if lines is None else ":" + "-".join(part for part in lines.groups() if part)
        value = found["file"].strip() + place
        yield Mark(*match.span(), "provenance", f"file:{value}", Target(form="file", value=value))


def _around_words(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The markup of a match that cites nothing: all of it but the words that are shown."""
    group = match.groupdict()
    start, end = match.span("words") if group.get("words") else (match.end(), match.end())
    entity = _ENTITY.search(group.get("parts") or "")
    if entity:
        start, end = (match.start("parts") + place for place in entity.span("words"))
    yield match.start(), start
    if end < match.end():
        yield end, match.end()


def _identifiers(match: re.Match[str], found: dict[str, str | None]) -> list[str]:
    """What a match names, in its order, without what only tells the place in a source."""
    names: list[str] = []
    calls = _CALLS.findall(found.get("ids") or "")
    if calls:  # Cohere: the documents of each call of a tool
        return [f"{call}:{number}" for call, group in calls for number in _ID.findall(group)]
    if found.get("name") or found.get("paged"):
        return [str(found["name"] or found["paged"]).strip()]
    if found.get("data"):
        for name, group in re.findall(r"(\w[\w ]*?)\s?\(([^()]*)\)", str(found["data"])):
            names += [f"{name} {number}" for number in re.findall(r"(?<![\w+])\w+", group)]
        return names
    if found.get("keyed"):
        word = ""
        for part in re.split(r"\s?,\s?", str(found["keyed"])):
            word = part.rpartition(":")[0] or word
            names.append(f"{word}:{part.rpartition(':')[2]}")
        return names
    if found.get("command"):
        parts = [part for part in str(found["parts"]).split("\ue202") if part.strip()]
        if str(found["command"]).endswith("cite"):
            return [part.strip() for part in parts if not _LOCATOR.match(part.strip())]
        return _TURN_ID.findall(str(found["parts"]))
    if "more" in found:
        return _TURN_ID.findall(match[0])
    if match[0].startswith("<grok-card") and "citation" in match[0]:
        return _CARD_ID.findall(match[0])
    return _ID.findall(re.sub(r"ID\s?:", " ", found.get("ids") or found.get("number") or ""))
