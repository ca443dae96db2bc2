"""The options that every interface may offer: type, default, limits and help of each, once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import NoneType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from workbench.errors import UsageError
from workbench.records.citation import ScopeKind
from workbench.records.providers import JUDGE_SPECS
from workbench.records.spending import checked_cost_cap

PanelRule = Literal["majority", "unanimous", "cascade"]
PANEL_RULES: tuple[PanelRule, ...] = get_args(PanelRule)

Together = Literal["auto", "never"]
"""Whether several claims of one source may share a call: where that is cheaper, or never."""

ScopeChoice = Literal["guess", ScopeKind]
"""How much of the text citations stand for: one kind for all, or what is known of each."""
SCOPE_CHOICES: tuple[ScopeChoice, ...] = get_args(ScopeChoice)

CAP_USD = 1.0
"""What a run may cost where nobody says."""
NoCap = Literal["none"]
NO_CAP: NoCap = "none"
"""What callers say who want no cap at all."""

WebSearchName = Literal["serper", "tavily", "brave"]

Choice = TypeVar("Choice")


def check_choice(name: str, value: object, choices: Sequence[Choice]) -> Choice:
    """Return the choice that a caller wrote, as the option's type has it.

    Raises:
        UsageError: There is no such choice.
    """
    for choice in choices:
        if value == choice:
            return choice
    raise UsageError(f"{name} is {', '.join(map(str, choices))}, not {value!r}.")


_NARROWS = "On a shared server it can only narrow what the settings allow, never widen it."


@dataclass(frozen=True, slots=True)
class Option:
    """What is said of a field in its `Annotated` type, beside the type and the default."""

    help: str
    """What it does: a phrase without a capital letter and without a full stop."""
    more: str = ""
    """A sentence that only callers of a server need."""
    minimum: float | None = None
    maximum: float | None = None
    at_most: int | None = None
    """How many items a caller of a server may send."""
    flag: str = ""
    """On the command line, where it is not the field's name."""
    metavar: str | None = None

    def field(self) -> dict[str, Any]:
        """Return the description and the limits as the arguments of a pydantic `Field`."""
        return {
            "description": f"{self.help[0].upper()}{self.help[1:]}. {self.more}".strip(),
            "ge": self.minimum,
            "le": self.maximum,
            "max_length": self.at_most,
        }


class Declared(NamedTuple):
    """An option with the type and the default of its field."""

    option: Option
    kind: Any
    """`bool`, `int`, `float`, `Literal[…]`, `Sequence[…]`; None is left out of it."""
    default: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """How the citations of a text are checked, in plain data; each field is checked when it is built.

    Raises:
        UsageError: A field has a value that its type does not have.
    """

    panel: Annotated[
        PanelRule,
        Option(
            "how several judges decide; cascade asks the next judge only if the previous one is "
            "unsure"
        ),
    ] = "majority"
    together: Annotated[
        Together,
        Option(
            "auto: several claims about one source share a call of a language model if that is "
            "cheaper (13 to 45 % if sources are cited often); it takes longer"
        ),
    ] = "never"
    """Not `auto`, since a judge is calibrated by the prompt that asks one claim alone
    (`tests/bench/bench_together.py` measures both)."""
    standalone: Annotated[
        bool,
        Option(
            "language models also rewrite each claim so that it can be understood without its "
            "context, for a few more tokens; other judges do not"
        ),
    ] = False
    scope: Annotated[
        ScopeChoice,
        Option(
            "how much of the text a citation covers: a guess for each citation (default), or the "
            "same scope for all citations that have it; a list or a paragraph is judged part by "
            "part"
        ),
    ] = "guess"
    question: Annotated[
        str,
        Option(
            "the question or prompt that the text answers: sentences that only repeat its facts need "
            "no citation",
            metavar="TEXT",
        ),
    ] = ""
    batch: Annotated[
        bool,
        Option(
            "use the providers' batch price, half the usual one; it may take a day, and `resume` "
            "collects the results after an interruption"
        ),
    ] = False
    allow_fetch: Annotated[bool, Option("fetch cited addresses", _NARROWS)] = False
    allowed_domains: Annotated[
        Sequence[str],
        Option(
            "fetch only from this domain and its subdomains, which applies to doi.org and the like "
            "too; repeatable",
            _NARROWS,
            at_most=200,
            flag="--allow-domain",
            metavar="D",
        ),
    ] = ()
    offline: Annotated[bool, Option("replay stored snapshots only")] = False
    max_citations: Annotated[
        int | None,
        Option("check only the first N citations", minimum=0, maximum=100_000, metavar="N"),
    ] = None
    max_cost_usd: Annotated[
        float | None,
        Option(
            "cost cap in US dollars for all judgments together, also with concurrent calls",
            _NARROWS,
            minimum=0,
            metavar="X",
        ),
    ] = CAP_USD

    def __post_init__(self) -> None:
        check_values(self)
        checked_cost_cap(self.max_cost_usd)


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUpOptions:
    """Where the entries of a text's reference list are looked up.

    Raises:
        UsageError: A field has a value that its type does not have.
    """

    check_references: Annotated[
        bool,
        Option(
            "also look the entries of the reference list up in the indexes of works, which receive "
            "only the title, first author, year and identifiers of an entry; without fetching, "
            "only stored answers are used"
        ),
    ] = False
    indexes: Annotated[
        Sequence[str],
        Option(
            "look the entries of the reference list up in this index; repeatable, in this order "
            "(default: indexes in settings.toml, else those that need no key)",
            at_most=20,
            flag="--index",
            metavar="NAME",
        ),
    ] = ()
    registry: Annotated[
        str | Path | Sequence[Any] | None,
        Option(
            "records in which the entries of the reference list are looked up offline: CSL-JSON "
            "items, or a .bib, .ris or CSL-JSON text; imported registries are searched too",
            metavar="FILE",
        ),
    ] = None

    def __post_init__(self) -> None:
        check_values(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCheckOptions:
    """How claims without citations are checked."""

    supported_from: Annotated[
        float,
        Option(
            "the lowest score (or cosine similarity) at which a claim is supported",
            minimum=0,
            maximum=1,
            metavar="X",
        ),
    ] = 0.6
    weak_from: Annotated[
        float,
        Option(
            "the lowest score at which a claim is weakly supported; below it, the claim is "
            "unverifiable",
            minimum=0,
            maximum=1,
            metavar="X",
        ),
    ] = 0.3
    web_search: Annotated[
        WebSearchName | None,
        Option(
            "search the web for claims that remain unverifiable, with the key in SERPER_API_KEY, "
            "TAVILY_API_KEY or BRAVE_API_KEY; only the claims are sent",
            "Results are fetched if fetching is allowed; otherwise their snippets are compared. A "
            "shared server searches only if its settings allow fetching.",
        ),
    ] = None
    max_searches: Annotated[
        int, Option("run at most N web searches", minimum=0, maximum=100, metavar="N")
    ] = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedTextOptions:
    """What is written into the text that a check of claims returns."""

    mark_unverified: Annotated[
        bool,
        Option("also return the text with [unverified] after each claim that remains unverifiable"),
    ] = False
    cite_sources: Annotated[
        bool,
        Option("in the marked text, also put the title of the source after each supported claim"),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenOptions:
    """Who judges, and what is checked against, as plain data names them."""

    judge: Annotated[
        Sequence[str], Option(f"{JUDGE_SPECS}; several make a panel", metavar="SPEC")
    ] = ()
    sources: Annotated[
        str | Path | Sequence[Any] | None,
        Option(
            "sources to check against; each names its citations by `for` or is matched by address, "
            "identifier, label, title, authors and year, or file name",
            at_most=500,
            metavar="DIR|FILE.json",
        ),
    ] = None


@cache
def interface_options() -> Mapping[str, Declared]:
    """Return every option that an interface may offer, by name."""
    found = {}
    for options in (
        GivenOptions, CheckOptions, LookUpOptions, ClaimCheckOptions, MarkedTextOptions,
    ):  # fmt: skip
        hints = get_type_hints(options, include_extras=True)
        for field in fields(options):
            kind, option = get_args(hints[field.name])
            kinds = [part for part in get_args(kind) if part is not NoneType]
            if NoneType in get_args(kind) and len(kinds) == 1:
                kind = kinds[0]
            found[field.name] = Declared(option, kind, field.default)
    return found


def chosen(options: type, values: object) -> dict[str, Any]:
    """Return the attributes of `values` that are fields of the dataclass `options`, by name.

    That is how the arguments of a command and the body of a request become options. What may be
    fetched and spent is left out: the caller's permissions decide it.
    """
    names = {field.name for field in fields(options)} - _PERMITTED
    return {name: value for name, value in vars(values).items() if name in names}


_PERMITTED = {"allow_fetch", "allowed_domains", "max_cost_usd"}


def check_values(options: "CheckOptions | LookUpOptions") -> None:
    """Check switches, choices, lists of texts and whole numbers of a dataclass by their types.

    Lists become tuples.

    Raises:
        UsageError: A value is none of its type; it says which.
    """
    for name in (field.name for field in fields(options) if field.name in interface_options()):
        kind, value = interface_options()[name].kind, getattr(options, name)
        if kind is bool and not isinstance(value, bool):
            raise UsageError(f"{name} is True or False, not {value!r}.")
        if get_origin(kind) is Literal and value is not None:
            check_choice(name, value, get_args(kind))
        if name in _ITEMS:
            if isinstance(value, str) or not all(isinstance(item, str) for item in value):
                raise UsageError(f"{name} is a list of {_ITEMS[name]}, not {value!r}.")
            object.__setattr__(options, name, tuple(value))
        if kind is str and not isinstance(value, str):
            raise UsageError(f"{name} is a text, not {value!r}.")
        if kind is int and value is not None and (type(value) is not int or value < 0):
            raise UsageError(f"{name} is a whole number of at least 0, not {value!r}.")


_ITEMS = {"allowed_domains": "domains", "indexes": "names"}
