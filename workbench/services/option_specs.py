"""The options of a check as every interface declares them: name, type, help and choices, once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.records.text import Json, JsonDict
from workbench.records.verify_choices import JUDGE_SPECS, PANEL_RULES, SCOPE_CHOICES, TOGETHER_WAYS

_NARROWS = "On a shared server it can only narrow what the settings allow, never widen it."


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionSpec:
    """One option of `VerifyOptions`."""

    help: str
    """What it does: a phrase without a capital letter and without a full stop."""
    more: str = ""
    """A sentence that only callers of a server need."""
    form: Mapping[str, Json] = field(default_factory=dict)
    """Its type, choices, limits and default as JSON Schema."""
    flag: str = ""
    """On the command line, where it is not the option's name."""
    metavar: str | None = None

    def schema(self) -> JsonDict:
        """The option as JSON Schema with its description."""
        description = f"{self.help[0].upper()}{self.help[1:]}. {self.more}".strip()
        return {**self.form, "description": description}


OPTION_SPECS: Mapping[str, OptionSpec] = {
    "judge": OptionSpec(
        help=f"{JUDGE_SPECS}; several make a panel",
        form={"type": "array"},
        metavar="SPEC",
    ),
    "panel": OptionSpec(
        help=(
            "how several judges decide; cascade asks the next judge only if the previous one is "
            "unsure"
        ),
        form={"enum": list(PANEL_RULES), "default": "majority"},
    ),
    "together": OptionSpec(
        help=(
            "auto: several claims about one source share a call of a language model if that is "
            "cheaper (13 to 45 % if sources are cited often); it takes longer"
        ),
        form={"enum": list(TOGETHER_WAYS), "default": "never"},
    ),
    "standalone": OptionSpec(
        help=(
            "language models also rewrite each claim so that it can be understood without its "
            "context, for a few more tokens; other judges do not"
        ),
        form={"type": "boolean", "default": False},
    ),
    "scope": OptionSpec(
        help=(
            "how much of the text a citation covers: a guess for each citation (default), or the "
            "same scope for all citations that have it; a list or a paragraph is judged part by "
            "part"
        ),
        form={"enum": list(SCOPE_CHOICES), "default": "guess"},
    ),
    "batch": OptionSpec(
        help=(
            "use the providers' batch price, half the usual one; it may take a day, and `resume` "
            "collects the results after an interruption"
        ),
        form={"type": "boolean", "default": False},
    ),
    "sources": OptionSpec(
        help=(
            "sources to check against; each names its citations by `for` or is matched by address, "
            "identifier, label, title, authors and year, or file name"
        ),
        form={"type": "array"},
        metavar="DIR|FILE.json",
    ),
    "allow_fetch": OptionSpec(
        help="fetch cited addresses",
        more=_NARROWS,
        form={"type": "boolean", "default": False},
    ),
    "allowed_domains": OptionSpec(
        help=(
            "fetch only from this domain and its subdomains, which applies to doi.org and the like "
            "too; repeatable"
        ),
        more=_NARROWS,
        form={"type": "array", "items": {"type": "string"}},
        flag="--allow-domain",
        metavar="D",
    ),
    "offline": OptionSpec(
        help="replay stored snapshots only", form={"type": "boolean", "default": False}
    ),
    "check_references": OptionSpec(
        help=(
            "also look the entries of the reference list up in the indexes of works, which receive "
            "only the title, first author, year and identifiers of an entry; without fetching, "
            "only stored answers are used"
        ),
        form={"type": "boolean", "default": False},
    ),
    "indexes": OptionSpec(
        help=(
            "look the entries of the reference list up in this index; repeatable, in this order "
            "(default: indexes in settings.toml, else those that need no key)"
        ),
        form={"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 20},
        flag="--index",
        metavar="NAME",
    ),
    "registry": OptionSpec(
        help=(
            "records in which the entries of the reference list are looked up offline: CSL-JSON "
            "items, or a .bib, .ris or CSL-JSON text; imported registries are searched too"
        ),
        form={
            "anyOf": [
                {"type": "string", "maxLength": 8_000_000},
                {"type": "array", "items": {"type": "object"}, "maxItems": 20_000},
            ]
        },
        metavar="FILE",
    ),
    "max_citations": OptionSpec(
        help="check only the first N citations",
        form={"type": "integer", "minimum": 0},
        metavar="N",
    ),
    "supported_from": OptionSpec(
        help="the lowest score (or cosine similarity) at which a claim is supported",
        form={"type": "number", "minimum": 0, "maximum": 1, "default": 0.6},
        metavar="X",
    ),
    "weak_from": OptionSpec(
        help=(
            "the lowest score at which a claim is weakly supported; below it, the claim is "
            "unverifiable"
        ),
        form={"type": "number", "minimum": 0, "maximum": 1, "default": 0.3},
        metavar="X",
    ),
    "web_search": OptionSpec(
        help=(
            "search the web for claims that remain unverifiable, with the key in SERPER_API_KEY, "
            "TAVILY_API_KEY or BRAVE_API_KEY; only the claims are sent"
        ),
        more=(
            "Results are fetched if fetching is allowed; otherwise their snippets are compared. A "
            "shared server searches only if its settings allow fetching."
        ),
        form={"enum": ["serper", "tavily", "brave"]},
    ),
    "max_searches": OptionSpec(
        help="run at most N web searches",
        form={"type": "integer", "minimum": 0, "default": 20},
        metavar="N",
    ),
    "mark_unverified": OptionSpec(
        help="also return the text with [unverified] after each claim that remains unverifiable",
        form={"type": "boolean", "default": False},
    ),
    "cite_sources": OptionSpec(
        help="in the marked text, also put the title of the source after each supported claim",
        form={"type": "boolean", "default": False},
    ),
    "max_cost_usd": OptionSpec(
        help="cost cap in US dollars for all judgments together, also with concurrent calls",
        more=_NARROWS,
        form={"type": "number", "minimum": 0},
        metavar="X",
    ),
}


def option_schema(name: str, **changes: Json) -> JsonDict:
    """The JSON Schema of an option; `changes` are limits and words that one interface has."""
    return {**OPTION_SPECS[name].schema(), **changes}
