"""How counts, amounts, sizes, durations, moments and hosts are written, in every layer alike."""

from datetime import datetime
from math import floor, log10
from urllib.parse import urlsplit


def word_for(number: int, singular: str, plural: str = "") -> str:
    """The form of a word that goes with a number.

    >>> word_for(1, "item"), word_for(2, "item"), word_for(0, "is", "are")
    ('item', 'items', 'are')
    """
    return singular if number == 1 else plural or singular + "s"


def count_of(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count_of(1, "item"), count_of(1200, "copy", "copies")
    ('1 item', '1,200 copies')
    """
    return f"{number:,} {word_for(number, singular, plural)}"


def usd(amount: float) -> str:
    """An amount in US dollars: whole cents, below one dollar three digits that count.

    >>> usd(0), usd(1234.5), usd(0.5), usd(0.01234), usd(0.000042)
    ('$0', '$1,234.50', '$0.50', '$0.0123', '$0.000042')
    """
    if not amount:
        return "$0"
    digits = 2 if abs(amount) >= 1 else 2 - floor(log10(abs(amount)))
    dollars, _, cents = f"{amount:,.{digits}f}".partition(".")
    return f"${dollars}.{cents.rstrip('0'):0<2}"


def file_size(size: float) -> str:
    """A number of bytes.

    >>> file_size(812), file_size(14_400), file_size(32 * 2**20), file_size(1.4 * 2**30)
    ('812 B', '14 KiB', '32 MiB', '1.4 GiB')
    """
    if size < 1024:
        return f"{size:.0f} B"
    if size < 1024**2:
        return f"{size / 1024:.0f} KiB"
    scale, unit = (1024**2, "MiB") if size < 1024**3 else (1024**3, "GiB")
    return f"{size / scale:,.1f}".removesuffix(".0") + f" {unit}"


def duration(seconds: float) -> str:
    """A length of time, to two units at most.

    >>> duration(0.0004), duration(0.812), duration(1.25), duration(40)
    ('under 1 ms', '812 ms', '1.2 s', '40 s')
    >>> duration(720), duration(7800), duration(3 * 86400 + 4 * 3600)
    ('12 min', '2 h 10 min', '3 d 4 h')
    """
    if 0 < seconds < 0.001:
        return "under 1 ms"
    if 0 < round(seconds, 3) < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    if round(seconds) < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(round(seconds / 3600), 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def format_timestamp(when: datetime) -> str:
    """A moment to the minute, in UTC."""
    return f"{when:%Y-%m-%d %H:%M}"


def host_of(address: str) -> str:
    """The host of a web address without `www.`, else an empty string."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")
