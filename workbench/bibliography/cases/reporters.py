"""What is known of reporters without looking anything up: their years, volumes and courts.

The years of volumes are general knowledge of American law reports: each pair is a volume and the
year of its decisions, placed by well-known cases (5 U.S. 137 is of 1803, 410 U.S. 113 of 1973) or
by the first and last volumes of a series. Only the order of volumes is relied on: a volume lies
between the years of its neighbors in the table, with `EARLIER` and `LATER` years of room. Where the
table has nothing, the first year of an edition in Free Law Project's `reporters-db` counts, with
`UNSURE` years of room; its last years are not used, as several are wrong.
"""

import re
from bisect import bisect_left, bisect_right
from functools import cache
from typing import Literal, NamedTuple

CourtKind = Literal["supreme", "appeals", "district", "bankruptcy", "state", "other"]
EARLIER = 3
"""Years by which a decision may be older than its volume: some are published late."""
LATER = 2
"""Years by which a decision may be younger than the table's year of its volume."""
UNSURE = 6
"""The same for reporters of which only the first year is known."""


class ReporterSeries(NamedTuple):
    """What is known of one series of a reporter."""

    volumes: tuple[tuple[int, int], ...]
    """Volumes with the year of their decisions, in order."""
    yearly: int | None
    """No fewer volumes than appear in a year; None for a series that ended with the last one."""
    courts: frozenset[CourtKind] = frozenset()
    """Kinds of courts whose decisions it prints; empty where this is not sure."""
    states: frozenset[str] = frozenset()
    """States whose courts it prints, by name; empty where it is not a regional reporter."""
    room: int = 0
    """More years of room, where the table is coarse."""
    prints: str = ""
    """Whose decisions it prints, in words."""


_SUPREME: frozenset[CourtKind] = frozenset({"supreme"})
_APPEALS: frozenset[CourtKind] = frozenset({"appeals", "supreme", "bankruptcy", "other"})
_FEDERAL: frozenset[CourtKind] = frozenset(
    {"appeals", "supreme", "district", "bankruptcy", "other"}
)
_STATE: frozenset[CourtKind] = frozenset({"state", "other"})
_OF_THE_SUPREME_COURT = "of the Supreme Court of the United States"
_OF_APPEALS = "of the federal courts of appeals"
_OF_FEDERAL = "of federal courts"
_ATLANTIC = frozenset(
    ["Connecticut", "Delaware", "Maine", "Maryland", "New Hampshire", "New Jersey"]
    + ["Pennsylvania", "Rhode Island", "Vermont", "Washington D.C."]
)
_PACIFIC = frozenset(
    ["Alaska", "Arizona", "California", "Colorado", "Hawaii", "Idaho", "Kansas", "Montana"]
    + ["Nevada", "New Mexico", "Oklahoma", "Oregon", "Utah", "Washington", "Wyoming"]
)
_NORTH_EAST = frozenset(["Illinois", "Indiana", "Massachusetts", "New York", "Ohio"])
_NORTH_WEST = frozenset(
    ["Iowa", "Michigan", "Minnesota", "Nebraska", "North Dakota", "South Dakota", "Wisconsin"]
)
_SOUTH_EAST = frozenset(["Georgia", "North Carolina", "South Carolina", "Virginia"]) | {
    "West Virginia"
}
_SOUTH_WEST = frozenset(["Arkansas", "Kentucky", "Missouri", "Tennessee", "Texas"])
_SOUTHERN = frozenset(["Alabama", "Florida", "Louisiana", "Mississippi"])


def _regional(
    states: frozenset[str], *volumes: tuple[int, int], yearly: int | None = None
) -> ReporterSeries:
    """A reporter of state courts; its years are coarse."""
    names = ", ".join(sorted(states))
    return ReporterSeries(volumes, yearly, _STATE, states, 3, f"of state courts ({names})")


SERIES: dict[str, ReporterSeries] = {
    "U.S.": ReporterSeries(
        (
            *((1, 1754), (2, 1791), (5, 1801), (14, 1816), (26, 1828), (42, 1843), (66, 1861)),
            *((91, 1875), (100, 1879), (120, 1887), (163, 1896), (198, 1905), (208, 1908)),
            *((249, 1919), (274, 1927), (300, 1937), (323, 1944), (347, 1954), (367, 1961)),
            *((384, 1966), (392, 1968), (403, 1971), (410, 1973), (418, 1974), (424, 1976)),
            *((438, 1978), (444, 1980), (456, 1982), (467, 1984), (477, 1986), (491, 1989)),
            *((505, 1992), (509, 1993), (518, 1996), (531, 2000), (539, 2003), (545, 2005)),
            *((550, 2007), (556, 2009), (561, 2010), (567, 2012), (573, 2014), (576, 2015)),
            *((585, 2018), (590, 2020), (594, 2021), (597, 2022), (600, 2023), (603, 2024)),
        ),
        4,
        _SUPREME,
        prints=_OF_THE_SUPREME_COURT,
    ),
    # A volume holds the decisions of a term: volume 93 those of October 1972 to June 1973.
    "S. Ct.": ReporterSeries(
        ((1, 1882), *((volume, volume + 1880) for volume in range(2, 146))),
        1,
        _SUPREME,
        prints=_OF_THE_SUPREME_COURT,
    ),
    "L. Ed. 2d": ReporterSeries(
        (
            *((1, 1956), (18, 1967), (35, 1973), (53, 1977), (113, 1991), (126, 1993)),
            *((137, 1997), (150, 2001), (173, 2009), (207, 2020)),
        ),
        5,
        _SUPREME,
        prints=_OF_THE_SUPREME_COURT,
    ),
    "F.": ReporterSeries(
        ((1, 1880), (100, 1900), (200, 1912), (300, 1924)), None, _FEDERAL, prints=_OF_FEDERAL
    ),
    "F.2d": ReporterSeries(
        (
            *((1, 1924), (148, 1945), (159, 1947), (200, 1952), (300, 1962), (350, 1965)),
            *((400, 1968), (450, 1971), (500, 1974), (550, 1977), (600, 1979), (630, 1980)),
            *((700, 1983), (735, 1984), (800, 1986), (850, 1988), (900, 1990), (950, 1991)),
            (999, 1993),
        ),
        None,
        _FEDERAL,
        prints=_OF_FEDERAL,
    ),
    "F.3d": ReporterSeries(
        (
            *((1, 1993), (50, 1995), (100, 1996), (150, 1998), (200, 1999), (239, 2001)),
            *((253, 2001), (300, 2002), (350, 2003), (400, 2005), (450, 2006), (500, 2007)),
            *((550, 2008), (600, 2010), (650, 2011), (700, 2012), (750, 2014), (785, 2015)),
            *((804, 2015), (850, 2017), (900, 2018), (938, 2019), (999, 2021)),
        ),
        None,
        _APPEALS,
        prints=_OF_APPEALS,
    ),
    "F.4th": ReporterSeries(
        ((1, 2021), (31, 2022), (87, 2023), (100, 2024)), 45, _APPEALS, prints=_OF_APPEALS
    ),
    "F. App'x": ReporterSeries(
        (
            *((1, 2001), (100, 2004), (200, 2006), (300, 2008), (400, 2010), (506, 2012)),
            *((600, 2015), (700, 2017), (800, 2020), (861, 2021)),
        ),
        None,
        _APPEALS,
        prints=_OF_APPEALS,
    ),
    "F. Supp.": ReporterSeries(
        (
            *((1, 1932), (50, 1943), (100, 1951), (200, 1962), (300, 1969), (343, 1972)),
            *((400, 1975), (500, 1980), (600, 1985), (700, 1988), (800, 1992), (900, 1995)),
            (999, 1998),
        ),
        None,
        _FEDERAL,
        prints=_OF_FEDERAL,
    ),
    "F. Supp. 2d": ReporterSeries(
        (
            *((1, 1998), (100, 2000), (200, 2002), (300, 2004), (400, 2005), (500, 2007)),
            *((600, 2009), (700, 2010), (800, 2011), (900, 2012), (999, 2014)),
        ),
        None,
        _FEDERAL,
        prints=_OF_FEDERAL,
    ),
    "F. Supp. 3d": ReporterSeries(
        (
            *((1, 2014), (100, 2015), (200, 2016), (300, 2018), (400, 2019), (500, 2020)),
            *((600, 2022), (700, 2024)),
        ),
        55,
        _FEDERAL,
        prints=_OF_FEDERAL,
    ),
    "F.R.D.": ReporterSeries(
        ((1, 1940), (100, 1984), (200, 2001), (300, 2014)),
        12,
        _FEDERAL,
        room=3,
        prints=_OF_FEDERAL,
    ),
    "B.R.": ReporterSeries(
        ((1, 1979), (100, 1989), (200, 1996), (300, 2003), (400, 2009), (500, 2013)),
        25,
        _FEDERAL,
        room=3,
        prints=_OF_FEDERAL,
    ),
    "A.2d": _regional(
        _ATLANTIC,
        *((1, 1938), (100, 1954), (200, 1964), (300, 1973), (400, 1979), (500, 1985)),
        *((600, 1991), (700, 1997), (800, 2002), (900, 2006), (999, 2010)),
    ),
    "A.3d": _regional(_ATLANTIC, (1, 2010), (100, 2014), (200, 2019), yearly=35),
    "P.2d": _regional(_PACIFIC, (1, 1931), (100, 1940), (600, 1979), (999, 2000)),
    "P.3d": _regional(_PACIFIC, (1, 2000), (200, 2009), (400, 2017), yearly=40),
    "N.E.2d": _regional(_NORTH_EAST, (1, 1936), (100, 1951), (500, 1986), (700, 1998), (999, 2013)),
    "N.E.3d": _regional(_NORTH_EAST, (1, 2013), (100, 2018), yearly=35),
    "N.W.2d": _regional(_NORTH_WEST, (1, 1941), (300, 1981), (600, 1999), (999, 2024)),
    "N.W.3d": _regional(_NORTH_WEST, (1, 2023), yearly=40),
    "S.E.2d": _regional(_SOUTH_EAST, (1, 1939), (300, 1983), (600, 2004), yearly=35),
    "S.W.2d": _regional(_SOUTH_WEST, (1, 1928), (300, 1957), (600, 1980), (999, 1999)),
    "S.W.3d": _regional(_SOUTH_WEST, (1, 1999), (200, 2006), (400, 2013), yearly=50),
    "So. 2d": _regional(_SOUTHERN, (1, 1941), (300, 1975), (600, 1992), (999, 2009)),
    "So. 3d": _regional(_SOUTHERN, (1, 2009), (100, 2012), (200, 2016), yearly=45),
    "N.Y.S.2d": _regional(
        frozenset(["New York"]), (1, 1938), (200, 1960), (600, 1993), (999, 2014)
    ),
    "N.Y.S.3d": _regional(frozenset(["New York"]), (1, 2014), (100, 2019), yearly=45),
    "Cal. Rptr.": _regional(frozenset(["California"]), (1, 1959), (286, 1991)),
    "Cal. Rptr. 2d": _regional(frozenset(["California"]), (1, 1992), (135, 2003)),
    "Cal. Rptr. 3d": _regional(frozenset(["California"]), (1, 2003), yearly=30),
}
"""Series by their names in `reporters-db`."""
_LONGEST_PAGE = {"S. Ct.": 4500}
_CIRCUIT = re.compile(r"(1[01]?|[2-9])(?:st|n?d|r?d|th)cir(?:cuit)?")
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
_ORDINALS += ["tenth", "eleventh"]
_CIRCUIT_IN_WORDS = re.compile(
    rf"\bAppeals\b.{{0,20}}\b({'|'.join(_ORDINALS)})\sCircuit", re.IGNORECASE
)
_DISTRICT = re.compile(r"[NSEWMC]\.\s?D\.\s?[A-Z][A-Za-z.]")
_COURT_SINCE = {
    "ca10": (1929, "The Tenth Circuit"),
    "ca11": (1981, "The Eleventh Circuit"),
    "cafc": (1982, "The Federal Circuit"),
}


def years_of_volume(series: ReporterSeries, volume: int) -> tuple[int, int | None]:
    """The first and last year that a decision in a volume can have; None where it is still open."""
    numbers = [number for number, _ in series.volumes]
    before = max(bisect_right(numbers, volume) - 1, 0)
    first = series.volumes[before][1]
    if before == len(numbers) - 1 and series.yearly and volume > numbers[-1]:
        first += (volume - numbers[-1]) // series.yearly
    after = bisect_left(numbers, volume)
    last = series.volumes[after][1] + LATER + series.room if after < len(numbers) else None
    return first - EARLIER - series.room, last


def volume_problem(name: str, volume: int, year: int | None, year_now: int) -> str | None:
    """Why a volume cannot exist, or not in that year; None where nothing is known against it."""
    series = SERIES.get(name)
    if series is None:
        return None
    last_volume, last_year = series.volumes[-1]
    if series.yearly is None and volume > last_volume:
        return (
            f"{name} ended with volume {last_volume}, in {last_year}: there is no volume {volume}."
        )
    first, last = years_of_volume(series, volume)
    begun = series.volumes[0][1]
    if volume < 1:
        return f"{name} has no volume {volume}."
    if first > year_now:
        return f"{name} has not come to volume {volume} yet."
    if year is None:
        return None
    if year < begun - EARLIER - series.room:
        return f"{name} began in about {begun}: it holds no decision of {year}."
    if series.yearly is None and year > last_year + LATER + series.room:
        return f"{name} ended in about {last_year}: it holds no decision of {year}."
    if year < first or (last is not None and year > last):
        first = max(first, begun)
        between = f"about {first} to {last}" if last is not None else f"{first} or later"
        return f"Volume {volume} of {name} holds decisions of {between}, not of {year}."
    return None


def page_problem(name: str, page: int) -> str | None:
    """Why a first page cannot exist; None where nothing is known against it."""
    longest = _LONGEST_PAGE.get(name, 3000)
    if name not in SERIES or 0 < page <= longest:
        return None
    return f"No volume of {name} has a page {page}."


def court_problem(name: str, court: "CourtFacts", volume: int, year: int | None) -> str | None:
    """Why a reporter cannot hold a decision of a court; None where nothing is known against it."""
    series = SERIES.get(name)
    if series is None or court.kind is None or not series.courts:
        return None
    # The first volumes of U.S. hold decisions of courts of Pennsylvania and of circuit courts.
    if name == "U.S." and volume < 91:
        return None
    # Until the Federal Supplement began, the Federal Reporter printed district courts too.
    prints_it = court.kind in series.courts and not (
        name == "F.2d" and court.kind == "district" and year is not None and year > 1940
    )
    if prints_it and series.states and court.kind == "state":
        prints_it = court.state is None or court.state in series.states
    if prints_it:
        return None
    prints = series.prints if name != "F.2d" or court.kind == "state" else _OF_APPEALS
    return f"{name} prints decisions {prints}, not those of {court.words}."


class CourtFacts(NamedTuple):
    """A court as written in a citation, and what is known of it."""

    written: str
    identifier: str | None
    """Its name in `courts-db`; None where the words name none, or several of different kinds."""
    kind: CourtKind | None
    state: str | None

    @property
    def words(self) -> str:
        """As written, without the last period: a sentence may end here."""
        return self.written.rstrip(".")


def court_began(court: CourtFacts, year: int) -> str | None:
    """Why a court cannot have decided in a year: it did not exist; None where it may have."""
    since = _COURT_SINCE.get(court.identifier or "")
    if since is None or year >= since[0]:
        return None
    return f"{since[1]} exists since {since[0]}: it decided nothing in {year}."


def court_named(words: str) -> CourtFacts:
    """The court that the words in a citation's parentheses name, by `courts-db`."""
    written = " ".join(words.split()).strip(" ,")
    letters = squashed(written)
    if not letters:
        return CourtFacts(written, None, None, None)
    if letters in ("us", "ussct", "sct", "scotus"):
        return CourtFacts(written, "scotus", "supreme", None)
    circuit = _CIRCUIT.fullmatch(letters)
    if circuit:
        return CourtFacts(written, f"ca{int(circuit[1])}", "appeals", None)
    in_words = _CIRCUIT_IN_WORDS.search(written)
    if in_words:
        number = _ORDINALS.index(in_words[1].lower()) + 1
        return CourtFacts(written, f"ca{number}", "appeals", None)
    known = _courts()
    exact = known.get(letters)
    if exact is None and _DISTRICT.match(written):
        return CourtFacts(written, None, "district", None)
    if exact is None:
        longer = [facts for name, facts in known.items() if name.startswith(letters)]
        alike = {(facts[1], facts[2]) for facts in longer}
        exact = (longer[0][0], *alike.pop()) if len(alike) == 1 and len(letters) > 3 else None
    identifier, kind, state = exact or (None, None, None)
    return CourtFacts(written, identifier, kind, state)


def squashed(words: str) -> str:
    """Letters and digits alone, in lower case: reporters and courts are written with any spaces."""
    return "".join(character for character in words.lower() if character.isalnum())


@cache
def _courts() -> dict[str, tuple[str, CourtKind | None, str | None]]:
    """Courts by their squashed abbreviation and name, with kind and state."""
    from courts_db import courts

    known: dict[str, tuple[str, CourtKind | None, str | None]] = {}
    for court in courts:
        identifier = str(court["id"])
        facts = (identifier, _kind_of(court), str(court.get("location") or "") or None)
        for name in ("citation_string", "name"):
            letters = squashed(str(court.get(name) or ""))
            earlier = known.setdefault(letters, facts) if letters else facts
            if earlier[1:] != facts[1:]:
                # A name of courts of different kinds names none of them for sure.
                kind = earlier[1] if earlier[1] == facts[1] else None
                known[letters] = (earlier[0], kind, earlier[2] if earlier[2] == facts[2] else None)
    return known


def _kind_of(court: dict[str, object]) -> CourtKind | None:
    identifier = str(court["id"])
    if identifier == "scotus":
        return "supreme"
    if identifier in ("cadc", "cafc") or (identifier[:2] == "ca" and identifier[2:].isdigit()):
        return "appeals"
    if court.get("parent") == "usdistct":
        return "district"
    if court.get("type") == "bankruptcy":
        return "bankruptcy"
    if court.get("system") == "state":
        return "state"
    return "other" if court.get("system") == "federal" else None


@cache
def edition_began(name: str) -> int | None:
    """The first year of an edition by `reporters-db`, the earliest of its namesakes."""
    if name in SERIES:
        return None
    from reporters_db import REPORTERS

    years = [
        edition["start"].year
        for reporters in REPORTERS.values()
        for reporter in reporters
        for edition_name, edition in reporter["editions"].items()
        if edition_name == name and edition["start"] is not None
    ]
    return min(years) if years else None
