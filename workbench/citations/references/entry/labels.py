"""What an entry begins with before its words: a bullet, a number, a footnote label, a key."""

import re

BULLET = r"(?:[-*+•·▪◦‣–—●○■▶►➤][ \t]{1,4})"
INDENT = r"[ \t\u3000>]{0,12}"
LABEL = re.compile(
    rf"{INDENT}{BULLET}?(?:\*\*|__)?"
    r"(?:\\?\[\^(?P<foot>[^\]\s]{1,40})\]:?"
    r"|\\?[\[【［〔](?P<square>\d{1,3}|[０-９]{1,3})(?:†[^\]】\n]{0,40})?\\?[\]】］〕](?!\(\s?(?:<"
    r"|https?:|www\.|[#/.]))"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})|<sup>\s?\[?(?P<sup>\d{1,3})\]?\s?</sup>"
    r"|\[(?:\[|\\\[)?(?P<linked>\d{1,3})(?:\]|\\\])?\](?=\()"
    r"|\[(?P<key>@?[A-Za-z][\w:+./-]{0,40})\](?![(\[])|`(?P<code>[^\W\d][\w:+-]{1,40}\d{2}[a-z]?)`(?=\s))"
    r"(?:\*\*|__)?\s{0,3}[:：.]?\s{0,4}"
)
"""A label in brackets, raised, or a key; it ends where the entry's words begin."""
ORDINAL = re.compile(
    rf"{INDENT}{BULLET}?(?:\*\*)?[(（]?(?P<ordinal>\d{{1,3}})"
    r"(?:[.)、．）:：](?!\d)|(?=\s{1,3}\S))(?:\*\*)?[ \t]{0,4}"
)
"""The number of an entry in a list; it may stand without punctuation."""
LINK_ORDINAL = re.compile(rf"{INDENT}{BULLET}?\[(?P<ordinal>\d{{1,3}})[.)、:]\s")
WORD_LABEL = re.compile(
    rf"{INDENT}{BULLET}?(?:\*\*)?(?:source|ref(?:erence)?|citation|第|文档|引用|引文|出处"
    r"|(?:參考)?(?:文獻|資料|來源)|(?:参考|引用)?(?:文献|资料|来源)|参考|注释?|脚注|尾注)\.?\s?#?"
    r"[\[【［〔（(]?(?P<ordinal>\d{1,3})[\]】］〕）)]?[条條篇]?(?:\*\*)?\s?[:：.)](?:\*\*)?\s{0,3}",
    re.IGNORECASE,
)
_LEAD = re.compile(rf"[\s\u3000>|]{{0,40}}{BULLET}?")


def words_start(text: str) -> int:
    """The offset at which an entry's words begin, after white space, bullet and label."""
    label = LABEL.match(text)
    if label is not None:
        return label.start("linked") - 1 if label["linked"] else label.end()
    for pattern in (ORDINAL, WORD_LABEL):
        label = pattern.match(text)
        if label is not None and not text[label.end("ordinal") : label.end()].isspace():
            inner = LABEL.match(text, label.end())
            return inner.end() if inner and inner["square"] else label.end()
    lead = _LEAD.match(text)
    return lead.end() if lead else 0
