"""Which characters do these bytes stand for?"""

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What the web means by a label, where it differs from what the label says (WHATWG Encoding).
_ACTUAL_CODECS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "x-sjis": "cp932",
    "big5": "big5hkscs",
}
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I)
_META = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,400}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.I
)
_WESTERN = frozenset(
    "àâäáãåæçéèêëíìîïñóòôöõøœúùûüýÿßÀÂÄÁÃÅÆÇÉÈÊËÍÌÎÏÑÓÒÔÖÕØŒÚÙÛÜÝ“”‘’‚„–—…•°§±×·«»€£¥©®™²µ½¼¿¡ªº†‡\xa0"
)
_SAMPLE = 200_000
_CONTROL_BYTES = bytes(byte for byte in range(32) if byte not in b"\t\n\x0b\x0c\r\x1b")
"""Control characters that no text has; escape and the white space ones do occur."""
_HIGH_BYTES = bytes(range(128, 256))
_FEWEST_HIGH_BYTES = 4
"""With fewer there is nothing to tell a charset by."""


def decode(body: bytes, content_type: str = "") -> str:
    """The text of the bytes: byte order mark, UTF-8, the declared charset, else the likeliest one.

    Never fails: what no charset explains comes back with U+FFFD in place of the bad bytes. Line
    ends are line feeds; NUL characters are dropped.
    """
    text = _decoded(body, content_type)
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def looks_binary(body: bytes) -> bool:
    """True when the first 4 KB hold control characters that no text has."""
    head = body[:4096]
    if any(head.startswith(bom) for bom, _ in _BOMS) or _wide(head):
        return False
    control_count = len(head) - len(head.translate(None, _CONTROL_BYTES))
    return b"\0" in head or control_count > len(head) // 20


def _decoded(body: bytes, content_type: str) -> str:
    for bom, codec in _BOMS:
        if body.startswith(bom):
            return body.decode(codec, "replace")
    declared = _declared(body, content_type)
    if declared.startswith(("iso-2022", "hz")):  # seven-bit: valid UTF-8, but not intended as UTF-8
        try:
            return body.decode(declared)
        except (LookupError, UnicodeDecodeError):
            pass
    if (text := _utf8(body, other=declared)) is not None:
        return text
    if (text := _accepted(body, _wide(body[:4096]))) is not None:
        return text
    if (text := _accepted(body, declared)) is not None:
        return text
    text = _accepted(body, _likeliest(body)) or _accepted(body, "cp1252")
    return text if text is not None else body.decode("utf-8", "replace")


def _utf8(body: bytes, other: str) -> str | None:
    """The text where the bytes are UTF-8, but for some that are damaged; None where they are not.

    Text of another charset hardly ever holds a sequence of UTF-8 (`other` is the declared one): a
    few bad bytes beside many sequences are damage, and damage does not change the charset.
    """
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as bad:
        is_cut = bad.reason == "unexpected end of data"
        text = body.decode("utf-8", "replace")
        damaged = text.count("\ufffd") - body.count(b"\xef\xbf\xbd")
        sequences = len(text) - damaged - len(body.translate(None, _HIGH_BYTES))
        if sequences < damaged * (4 if other else 1):
            return None
        # a body that ends in the middle of a character loses that character only
        return text[:-1] if is_cut else text


def _accepted(body: bytes, codec: str) -> str | None:
    """The text in a charset that few bytes contradict: one in twenty of those that are no ASCII."""
    if not codec or codec in ("utf-7", "utf7"):
        return None
    try:
        return body.decode(codec)
    except LookupError:
        return None
    except UnicodeDecodeError:
        try:
            text = body.decode(codec, "replace")
        except LookupError:
            return None
        high = len(body) - len(body.translate(None, _HIGH_BYTES))
        return text if text.count("\ufffd") <= 1 + max(len(text) // 2000, high // 20) else None


def _declared(body: bytes, content_type: str) -> str:
    match = _CHARSET.search(content_type)
    label = match[1] if match else ""
    if not label:
        meta = _META.search(body[:4096])
        label = meta[1].decode("ascii", "ignore") if meta else ""
    label = label.lower()
    label = _ACTUAL_CODECS.get(label, label)
    if label.startswith(("utf-8", "utf8")):
        return ""
    try:
        # `codecs` also names transforms of bytes (`base64`, `zip`, `bz2`), which are not charsets.
        return label if codecs.lookup(label)._is_text_encoding else ""
    except LookupError:
        return ""


def _wide(head: bytes) -> str:
    """UTF-16 without a byte order mark: every other byte of Western text is NUL."""
    if len(head) < 4:
        return ""
    half = len(head) // 2
    if head[1::2].count(0) > half * 0.4 and head[0::2].count(0) < half * 0.05:
        return "utf-16-le"
    if head[0::2].count(0) > half * 0.4 and head[1::2].count(0) < half * 0.05:
        return "utf-16-be"
    return ""


def _likeliest(body: bytes) -> str:
    import charset_normalizer

    sample = body[:_SAMPLE]
    if len(sample) - len(sample.translate(None, _HIGH_BYTES)) < _FEWEST_HIGH_BYTES:
        return "cp1252"
    best = charset_normalizer.from_bytes(sample).best()
    codec = best.encoding if best else ""
    if codec.startswith(("cp125", "iso8859", "latin", "mac", "cp4", "cp8", "hp_")):
        western = sample.decode("cp1252", "replace")
        marks = [char for char in western if not char.isascii()]
        letters = sum(char.isascii() and char.isalpha() for char in western)
        # Western languages sprinkle their accents; Cyrillic or Greek read this way is all accents.
        sprinkled = len(marks) < 0.4 * letters
        if sprinkled and sum(char in _WESTERN for char in marks) >= 0.95 * len(marks):
            return "cp1252"
    if not codec:  # Chinese is the likeliest of those that it cannot tell
        text = sample.decode("gb18030", "replace")
        return "gb18030" if text.count("\ufffd") <= 1 + len(text) // 1000 else ""
    return _ACTUAL_CODECS.get(codec.replace("_", "-"), codec)
