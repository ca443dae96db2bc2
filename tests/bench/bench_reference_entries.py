"""How many entries are read right, style by style: real works, rendered in many styles.

    python tests/bench/bench_reference_entries.py [FOLDER] [--show STYLE] [--seed N] [--most N]

The folder holds `hallmark_dev.jsonl` (default `../shared/data/references`); its valid works are
rendered here with varied punctuation, with and without addresses, with volumes and pages made up.
Printed is the share of entries whose field is read right. A work without a venue is written as an
arXiv preprint. `--show` prints what a style's entries were read as where title or authors are wrong.
"""

import argparse
import json
import random
import re
import sys
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from workbench.citations import parse_entry  # noqa: E402
from workbench.records.bibliography import ReferenceEntry  # noqa: E402

FOLDER = ROOT.parent / "shared" / "data" / "references"
FIELDS = ("title", "first author", "all authors", "year", "venue", "doi", "spans")


@dataclass
class Work:
    """A work with made-up numbers and the choices of one rendering."""

    title: str
    people: list[tuple[str, str]]
    year: int
    venue: str
    conference: bool
    doi: str
    pick: random.Random
    volume: int = 0
    issue: int = 0
    first: int = 0
    last: int = 0
    shown: list[tuple[str, str]] = field(default_factory=list)
    cut: bool = False

    def pages(self, dash: str) -> str:
        return f"{self.first}{dash}{self.last}"

    def link(self, forms: str = "https://doi.org/") -> str:
        return f" {forms}{self.doi}" if self.doi and self.pick.random() < 0.6 else ""

    def names(self, most: int, kept: int) -> list[tuple[str, str]]:
        """The people shown: all, or the first few of many."""
        self.cut = len(self.people) > most
        self.shown = self.people[:kept] if self.cut else self.people
        return self.shown


def initials(given: str, dots: str = ". ", join: str = "") -> str:
    """`John Adam` as `J. A.`; hyphens stay."""
    parts = []
    for word in given.split():
        letters = [piece[0] for piece in word.split("-") if piece]
        parts.append((dots.strip() + "-").join(letters) + dots.strip())
    return (join or (" " if dots == ". " else "")).join(parts)


def listed(names: list[str], last: str = ", and ", two: str = " and ") -> str:
    if len(names) < 2:
        return "".join(names)
    if len(names) == 2:
        return two.join(names)
    return ", ".join(names[:-1]) + last + names[-1]


def inverted(person: tuple[str, str], short: bool = True) -> str:
    family, given = person
    if not given:
        return family
    return f"{family}, {initials(given) if short else given}"


def straight(person: tuple[str, str], short: bool = False) -> str:
    family, given = person
    return f"{initials(given) if short else given} {family}".strip()


def compact(person: tuple[str, str]) -> str:
    family, given = person
    return f"{family} {initials(given, '')}".strip()


def stop(words: str) -> str:
    return words if words[-1] in ".?!" else words + "."


def apa(w: Work) -> str:
    shown = w.names(20, 19)
    names = [inverted(person) for person in shown]
    if w.cut:
        head = (
            ", ".join(names) + w.pick.choice([", . . . ", ", … ", " ... "]) + inverted(w.people[-1])
        )
        w.shown = [*shown, w.people[-1]]
    else:
        head = listed(names, ", & ", ", & ")
    date = f"({w.year})" if w.pick.random() < 0.8 else f"({w.year}, July)"
    title = stop(w.title)
    if w.conference:
        place = w.pick.choice(
            [
                f"In *{w.venue}* (pp. {w.pages('–')}).",
                f"In {w.venue}.",
                f"*{w.venue}*, {w.pages('–')}.",
            ]
        )
    else:
        place = w.pick.choice(
            [
                f"*{w.venue}*, *{w.volume}*({w.issue}), {w.pages('–')}.",
                f"{w.venue}, {w.volume}({w.issue}), {w.pages('-')}.",
                f"*{w.venue}, {w.volume}*, {w.pages('–')}.",
            ]
        )
    return f"{head} {date}. {title} {place}{w.link()}"


def mla(w: Work) -> str:
    shown = w.names(2, 1)
    names = [inverted(shown[0], short=False), *(straight(person) for person in shown[1:])]
    head = names[0] + ", et al." if w.cut else stop(", and ".join(names))
    left, right = w.pick.choice(["“”", '""'])
    end = "" if w.title[-1] in "?!" else "."
    numbers = "" if w.conference else f"vol. {w.volume}, no. {w.issue}, "
    venue = f"*{w.venue}*" if w.pick.random() < 0.7 else w.venue
    link = w.link(w.pick.choice(["https://doi.org/", "doi:"]))
    place = f"{venue}, {numbers}{w.year}, pp. {w.pages('–')}{',' + link if link else ''}."
    return f"{head} {left}{w.title}{end}{right} {place}"


def chicago_notes(w: Work) -> str:
    shown = w.names(10, 7)
    if w.pick.random() < 0.5:
        names = [inverted(shown[0], short=False), *(straight(person) for person in shown[1:])]
        head = ", ".join(names) + ", et al." if w.cut else stop(listed(names, ", and ", ", and "))
        inside, after = "." if w.title[-1] not in "?!" else "", ""
    else:
        names = [straight(person) for person in shown]
        head = ", ".join(names) + " et al.," if w.cut else listed(names) + ","
        inside, after = "," if w.title[-1] not in "?!" else ",", ""
    if w.conference:
        place = (
            f"in *{w.venue}* ({w.year}), {w.pages('–')}."
            if inside == ","
            else f"In *{w.venue}*, {w.pages('–')}. {w.year}."
        )
    else:
        place = f"*{w.venue}* {w.volume}, no. {w.issue} ({w.year}): {w.pages('–')}."
    return f"{head} “{w.title}{inside}{after}” {place}{w.link()}"


def chicago_date(w: Work) -> str:
    shown = w.names(10, 7)
    names = [inverted(shown[0], short=False), *(straight(person) for person in shown[1:])]
    head = ", ".join(names) + ", et al." if w.cut else stop(listed(names, ", and ", ", and "))
    inside = "" if w.title[-1] in "?!" else "."
    place = (
        f"In *{w.venue}*, {w.pages('–')}."
        if w.conference
        else f"*{w.venue}* {w.volume} ({w.issue}): {w.pages('–')}."
    )
    return f"{head} {w.year}. “{w.title}{inside}” {place}{w.link()}"


def harvard(w: Work) -> str:
    shown = w.names(3, 1)
    names = [
        inverted(person).replace(". ", ".") if w.pick.random() < 0.5 else inverted(person)
        for person in shown
    ]
    head = names[0] + " et al." if w.cut else listed(names, " and ", " and ")
    date = w.pick.choice([f"({w.year})", f"({w.year})", f"{w.year},"])
    left, right = w.pick.choice(["‘’", "''", "“”"])
    place = f"in *{w.venue}*" if w.conference else f"*{w.venue}*, {w.volume}({w.issue})"
    end = w.pick.choice([f", pp. {w.pages('–')}.", f", pp.{w.pages('-')}."])
    link = w.link(w.pick.choice(["doi: ", "Available at: https://doi.org/"]))
    return f"{head} {date} {left}{w.title}{right}, {place}{end}{link}"


def harvard_plain(w: Work) -> str:
    shown = w.names(3, 1)
    names = [inverted(person).replace(". ", ".") for person in shown]
    head = names[0] + w.pick.choice([" et al.", ", et al."]) if w.cut else listed(names, " and ")
    date = w.pick.choice([f"({w.year})", f"({w.year}).", f"{w.year}.", f"{w.year},"])
    end = "" if w.title[-1] in "?!" else w.pick.choice([",", "."])
    if w.conference:
        place = w.pick.choice(["in", "In", "In:"]) + f" {w.venue}. ACM, pp. {w.pages('–')}."
    else:
        place = f"{w.venue}, {w.volume}({w.issue}), pp. {w.pages('–')}."
    link = w.link(w.pick.choice(["doi:", "Available at: https://doi.org/"]))
    return f"{head} {date} {w.title}{end} {place}{link}"


def elsevier_editors(w: Work) -> str:
    head = ", ".join(straight(person, short=True) for person in w.names(99, 99))
    return f"{head}, {w.title}, in: A. Roe, B. Lind (Eds.), {w.venue}, Elsevier, {w.year}, pp. {w.pages('–')}."


def dashed(w: Work) -> str:
    shown = w.names(3, 1)
    names = listed([straight(person) for person in shown], " and ") + (" et al." if w.cut else "")
    return f"{names} - {w.title} - {w.venue} {w.year}"


def ieee(w: Work) -> str:
    shown = w.names(6, 1)
    names = [straight(person, short=True) for person in shown]
    head = names[0] + " et al." if w.cut else listed(names)
    left, right = w.pick.choice(["“”", '""'])
    end = "" if w.title[-1] in "?!" else ","
    if w.conference:
        place = w.pick.choice(
            [
                f"in *{w.venue}*, {w.year}, pp. {w.pages('–')}.",
                f"in *Proc. {w.venue}*, {w.year}, pp. {w.pages('-')}.",
            ]
        )
    else:
        place = f"*{w.venue}*, vol. {w.volume}, no. {w.issue}, pp. {w.pages('–')}, {w.year}."
    if w.pick.random() < 0.3:
        place = place.replace("*", "")
    link = w.link("doi: ")
    return f"{head}, {left}{w.title}{end}{right} {place[:-1] + ',' + link + '.' if link else place}"


def vancouver(w: Work) -> str:
    shown = w.names(6, 6)
    head = ", ".join(compact(person) for person in shown) + (", et al." if w.cut else ".")
    link = w.link(w.pick.choice(["doi: ", "doi:"]))
    if w.conference:
        place = w.pick.choice(
            [f"In: {w.venue}; {w.year}. p. {w.pages('-')}.", f"{w.venue}. {w.year}:{w.pages('-')}."]
        )
    else:
        place = f"{stop(w.venue)} {w.year};{w.volume}({w.issue}):{w.pages('-')}."
    return f"{head} {stop(w.title)} {place}{link}"


def vancouver_short(w: Work) -> str:
    w.names(1, 1)
    head = compact(w.shown[0]) + (" et al." if w.cut else ".")
    place = w.pick.choice(
        [f"{stop(w.venue)} {w.year}.", f"{stop(w.venue)} {w.year};{w.volume}:{w.pages('-')}."]
    )
    return f"{head} {stop(w.title)} {place}{w.link('doi:')}"


def acl(w: Work) -> str:
    head = stop(listed([straight(person) for person in w.names(99, 99)]))
    pages = f", pages {w.pages('–')}" if w.pick.random() < 0.6 else ""
    venue = f"*{w.venue}*" if w.pick.random() < 0.5 else w.venue
    place = (
        f"In {venue}{pages}." if w.conference else f"{venue}, {w.volume}({w.issue}):{w.pages('–')}."
    )
    return f"{head} {w.year}. {stop(w.title)} {place}"


def neurips(w: Work) -> str:
    shown = w.names(99, 99) if w.pick.random() < 0.8 else w.names(5, 5)
    names = [straight(person) for person in shown]
    head = (
        ", ".join(names) + w.pick.choice([", et al.", ", and others."])
        if w.cut
        else stop(listed(names))
    )
    venue = f"*{w.venue}*" if w.pick.random() < 0.6 else w.venue
    place = (
        f"In {venue}, {w.year}."
        if w.conference
        else f"{venue}, {w.volume}({w.issue}):{w.pages('–')}, {w.year}."
    )
    return f"{head} {stop(w.title)} {place}{w.link('doi: ')}"


def acm(w: Work) -> str:
    head = stop(listed([straight(person) for person in w.names(99, 99)]))
    place = (
        f"In *{w.venue}*. ACM, New York, NY, USA, {w.pages('–')}."
        if w.conference
        else f"*{w.venue}* {w.volume}, {w.issue} ({w.year}), {w.pages('–')}."
    )
    return f"{head} {w.year}. {stop(w.title)} {place}{w.link()}"


def nature(w: Work) -> str:
    shown = w.names(5, 1)
    names = [inverted(person) for person in shown]
    head = names[0] + " et al." if w.cut else listed(names, " & ", " & ")
    place = (
        f"In *{w.venue}* {w.pages('–')} ({w.year})."
        if w.conference
        else f"*{w.venue}* **{w.volume}**, {w.pages('–')} ({w.year})."
    )
    if w.pick.random() < 0.3:
        place = place.replace("*", "")
    return f"{head} {stop(w.title)} {place}"


def gbt(w: Work) -> str:
    shown = w.names(3, 3)
    upper = w.pick.random() < 0.5
    names = [
        f"{person[0].upper() if upper else person[0]} {initials(person[1], '', ' ')}".strip()
        for person in shown
    ]
    head = ", ".join(names) + (w.pick.choice([", et al", ", 等"]) if w.cut else "")
    if w.conference:
        place = f"[C]//{w.venue}. {w.year}: {w.pages('-')}."
    else:
        place = f"[J]. {w.venue}, {w.year}, {w.volume}({w.issue}): {w.pages('-')}."
    return f"{head}. {w.title}{place}"


def din(w: Work) -> str:
    shown = w.names(3, 1)
    names = [f"{person[0]}, {person[1]}" if person[1] else person[0] for person in shown]
    head = names[0] + " u. a." if w.cut else " ; ".join(names)
    place = (
        f"In: *{w.venue}* {w.year}, S. {w.pages('–')}"
        if w.conference
        else f"In: {w.venue} {w.volume} ({w.year}), Nr. {w.issue}, S. {w.pages('–')}"
    )
    return f"{head}: {stop(w.title)} {place}"


def ama(w: Work) -> str:
    shown = w.names(6, 3)
    head = ", ".join(compact(person) for person in shown) + (", et al." if w.cut else ".")
    place = (
        f"In: *{w.venue}*; {w.year}:{w.pages('-')}."
        if w.conference
        else f"*{w.venue}*. {w.year};{w.volume}({w.issue}):{w.pages('-')}."
    )
    return f"{head} {stop(w.title)} {place}{w.link('doi:')}"


def elsevier(w: Work) -> str:
    head = ", ".join(straight(person, short=True) for person in w.names(99, 99))
    place = (
        f"in: {w.venue}, {w.year}, pp. {w.pages('–')}."
        if w.conference
        else f"{w.venue} {w.volume} ({w.year}) {w.pages('–')}."
    )
    return f"{head}, {w.title}, {place}{w.link()}"


def markdown(w: Work) -> str:
    w.names(1, 1)
    surname = w.shown[0][0] if w.pick.random() < 0.6 else straight(w.shown[0])
    w.shown = [(w.shown[0][0], "")]
    who = surname + (" et al." if w.cut else "")
    forms = [
        f"**{w.title}** - {who}, {w.venue} {w.year}",
        f"*{w.title}* — {who} ({w.venue}, {w.year})",
        f"**{w.title}** ({who}, {w.year}), {w.venue}",
    ]
    if w.doi:
        forms.append(f"[{w.title}](https://doi.org/{w.doi}) - {who}, {w.venue} {w.year}")
    return w.pick.choice(["", "- "]) + w.pick.choice(forms)


def markdown_full(w: Work) -> str:
    shown = w.names(4, 3)
    names = ", ".join(straight(person) for person in shown) + (" et al." if w.cut else "")
    forms = [
        f"**{w.title}** — {names}. *{w.venue}*, {w.year}.",
        f"**{w.title}**. {names}. {w.venue} {w.year}.",
        f'"{w.title}" by {names} ({w.venue}, {w.year})',
    ]
    return w.pick.choice(forms)


def bare(w: Work) -> str:
    shown = w.names(4, 3)
    names = ", ".join(straight(person) for person in shown) + (" et al." if w.cut else "")
    return f"{w.title}, {names}, {w.venue} {w.year}"


def authors_title(w: Work) -> str:
    shown = w.names(4, 1)
    names = (
        straight(shown[0]) + " et al."
        if w.cut
        else stop(listed([straight(person) for person in shown]))
    )
    return f"{names} {stop(w.title)}"


def author_quote(w: Work) -> str:
    shown = w.names(2, 1)
    names = (
        shown[0][0] + " et al." if w.cut else listed([straight(person) for person in shown]) + ","
    )
    if w.cut:
        w.shown = [(shown[0][0], "")]
    return f'{names} "{w.title}" {w.venue}, {w.year}.'


STYLES: dict[str, Callable[[Work], str]] = {
    "APA": apa,
    "MLA": mla,
    "Chicago, notes": chicago_notes,
    "Chicago, author-date": chicago_date,
    "Harvard": harvard,
    "Harvard, unquoted": harvard_plain,
    "Elsevier, editors": elsevier_editors,
    "Authors - Title": dashed,
    "IEEE": ieee,
    "Vancouver": vancouver,
    "Vancouver, et al.": vancouver_short,
    "ACL": acl,
    "NeurIPS": neurips,
    "ACM": acm,
    "Nature": nature,
    "GB/T 7714": gbt,
    "DIN 1505": din,
    "AMA": ama,
    "Elsevier": elsevier,
    "Markdown, et al.": markdown,
    "Markdown, authors": markdown_full,
    "bare line": bare,
    "Authors. Title.": authors_title,
    'Author, "Title"': author_quote,
}


def plain(words: str | None) -> str:
    """Words for comparison: folded, letters and digits alone."""
    folded = unicodedata.normalize("NFKD", words or "").casefold()
    return re.sub(r"[\W_]+", "", folded)


def works(folder: Path, seed: int, most: int) -> list[Work]:
    made = []
    for line in (folder / "hallmark_dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["label"] != "valid" or row["torn"] or not row["authors"] or row["et_al"]:
            continue
        pick = random.Random(f"{seed} {row['id']}")
        first = pick.randint(1, 9000)
        people = [(person["family"], person["given"] or "") for person in row["authors"]]
        made.append(
            Work(
                title=row["title"].rstrip("."),
                people=people,
                year=row["year"],
                venue=row["venue"] or "arXiv preprint",
                conference=row["kind"] == "inproceedings",
                doi=row["doi"] or "",
                pick=pick,
                volume=pick.randint(1, 140),
                issue=pick.randint(1, 12),
                first=first,
                last=first + pick.randint(3, 40),
            )
        )
    return made[:most]


def right(work: Work, text: str, entry: ReferenceEntry) -> dict[str, bool]:
    """Which fields of a rendered work were read right."""
    expected = [(plain(family), plain(given)[:1]) for family, given in work.shown]
    read = [(plain(author.family), plain(author.given)[:1]) for author in entry.authors]
    first_initial = not expected[0][1] or not read or read[0][1] == expected[0][1]
    venue = plain(entry.venue)
    fields = {
        "title": plain(entry.title) == plain(work.title),
        "first author": bool(read) and read[0][0] == expected[0][0] and first_initial,
        "all authors": [f for f, _ in read] == [f for f, _ in expected]
        and entry.authors_complete is not work.cut,
        "spans": all(text[span.start : span.end].strip() for _, span in entry.spans),
    }
    if str(work.year) in text.replace(work.title, "").replace(work.doi or "\n", ""):
        fields["year"] = entry.year == work.year
    if work.venue in text.replace(work.title, ""):
        fields["venue"] = venue in (plain(work.venue), plain("Proc. " + work.venue)) or (
            plain(work.venue) == "arxivpreprint" and venue == "arxiv"
        )
    if work.doi and work.doi in text:
        fields["doi"] = entry.doi == work.doi
    return fields


def main() -> None:
    """Print the share right of each field in each style."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--show", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=600)
    options = parser.parse_args()
    print(f"{'style':22}" + "".join(f"{name:>14}" for name in FIELDS))
    begun = time.process_time()
    count = 0
    for style, render in STYLES.items():
        shares: dict[str, list[bool]] = {name: [] for name in FIELDS}
        for number, work in enumerate(works(options.folder, options.seed, options.most), 1):
            text = work.pick.choice(["", f"[{number}] ", f"{number % 99 + 1}. "]) + render(work)
            entry = parse_entry(text)
            count += 1
            fields = right(work, text, entry)
            for name, is_right in fields.items():
                shares[name].append(is_right)
            wrong = [name for name, is_right in fields.items() if not is_right]
            if style == options.show and wrong:
                people = [author.name for author in entry.authors]
                print(f"{wrong}\n  {text}\n  {entry.title!r} {people} {entry.authors_complete}")
                print(f"  {entry.year} {entry.venue!r} {entry.unreadable}")
        row = (
            f"{sum(shares[name]) / len(shares[name]):.3f}" if shares[name] else "-"
            for name in FIELDS
        )
        print(f"{style:22}" + "".join(f"{share:>14}" for share in row))
    print(
        f"{count} entries, {(time.process_time() - begun) / count * 1e6:.0f} µs each with rendering"
    )


if __name__ == "__main__":
    main()
