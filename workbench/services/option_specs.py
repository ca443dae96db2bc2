"""The options of a check as every interface declares them: name, type, help and choices, once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.records import PANEL_RULES, SCOPE_CHOICES, TOGETHER_WAYS, Json, JsonDict

_NARROWS = (
    "A server for many callers takes it to narrow what its settings allow, never to widen it."
)


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
        help="local, nli:PATH, anthropic:MODEL, openai:MODEL or scripted:FILE; several make a panel",
        form={"type": "array"},
        metavar="SPEC",
    ),
    "panel": OptionSpec(
        help="how several judges decide; cascade asks the next one only where one is unsure",
        form={"enum": list(PANEL_RULES), "default": "majority"},
    ),
    "together": OptionSpec(
        help="auto: several claims of one source share a call of a language model where that is "
        "cheaper (13 to 45 % where sources are cited often); it takes longer",
        form={"enum": list(TOGETHER_WAYS), "default": "never"},
    ),
    "standalone": OptionSpec(
        help="language models also rewrite each claim so that it can be understood without its "
        "context, for some tokens more; other judges give none",
        form={"type": "boolean", "default": False},
    ),
    "scope": OptionSpec(
        help="how much of the text a citation stands for: what is guessed for each (default), or "
        "the same for all that have it; a list or a paragraph is judged part by part",
        form={"enum": list(SCOPE_CHOICES), "default": "guess"},
    ),
    "batch": OptionSpec(
        help="ask at the providers' batch price, half the usual one; it may take a day, and "
        "`resume` collects it after a stop",
        form={"type": "boolean", "default": False},
    ),
    "sources": OptionSpec(
        help="given sources; a citation takes the one with its address, else its label, else its "
        "title",
        form={"type": "array"},
        metavar="DIR|FILE.json",
    ),
    "allow_fetch": OptionSpec(
        help="fetch cited addresses",
        more=_NARROWS,
        form={"type": "boolean", "default": False},
    ),
    "allowed_domains": OptionSpec(
        help="fetch from this domain and those below it only, which holds for doi.org and the "
        "like too; several are allowed together",
        more=_NARROWS,
        form={"type": "array", "items": {"type": "string"}},
        flag="--allow-domain",
        metavar="D",
    ),
    "offline": OptionSpec(
        help="replay stored snapshots only", form={"type": "boolean", "default": False}
    ),
    "check_references": OptionSpec(
        help="also look the entries of the reference list up in the indexes of works: title, first "
        "author, year and identifiers of an entry are sent to them, nothing else; without fetching "
        "stored answers alone count",
        form={"type": "boolean", "default": False},
    ),
    "indexes": OptionSpec(
        help="look the entries of the reference list up in this index, and those named besides, in "
        "their order (default: indexes in settings.toml, else those that need no key)",
        form={"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 20},
        flag="--index",
        metavar="NAME",
    ),
    "registry": OptionSpec(
        help="works that are asked like an index whether they hold the entries of the reference "
        "list, without a network: CSL-JSON items, or a .bib, .ris or CSL-JSON text; imported "
        "registries are asked too",
        form={
            "anyOf": [
                {"type": "string", "maxLength": 8_000_000},
                {"type": "array", "items": {"type": "object"}, "maxItems": 20_000},
            ]
        },
        metavar="FILE",
    ),
    "max_citations": OptionSpec(
        help="check the first so many citations only",
        form={"type": "integer", "minimum": 0},
        metavar="N",
    ),
    "supported_from": OptionSpec(
        help="the confidence from which a claim is supported: of the judge's score, or the cosine",
        form={"type": "number", "minimum": 0, "maximum": 1, "default": 0.6},
        metavar="X",
    ),
    "weak_from": OptionSpec(
        help="the confidence from which a claim is weakly supported; below it is unverifiable",
        form={"type": "number", "minimum": 0, "maximum": 1, "default": 0.3},
        metavar="X",
    ),
    "web_search": OptionSpec(
        help="search the web for claims that stay unverifiable, by the key in SERPER_API_KEY, "
        "TAVILY_API_KEY or BRAVE_API_KEY; the claims are sent there, nothing else",
        more="What is found is fetched where fetching is allowed, else compared by its snippets. A "
        "server for many callers searches where its settings allow fetching.",
        form={"enum": ["serper", "tavily", "brave"]},
    ),
    "max_searches": OptionSpec(
        help="search the web so many times at most",
        form={"type": "integer", "minimum": 0, "default": 20},
        metavar="N",
    ),
    "mark_unverified": OptionSpec(
        help="also give the text with [unverified] behind each claim that stays unverifiable",
        form={"type": "boolean", "default": False},
    ),
    "cite_sources": OptionSpec(
        help="in the marked text also put the title of its source behind each supported claim",
        form={"type": "boolean", "default": False},
    ),
    "max_cost_usd": OptionSpec(
        help="a cap in US dollars for all judgments together, which holds under concurrency",
        more=_NARROWS,
        form={"type": "number", "minimum": 0},
        metavar="X",
    ),
}


def option_schema(name: str, **changes: Json) -> JsonDict:
    """The JSON Schema of an option; `changes` are limits and words that one interface has."""
    return {**OPTION_SPECS[name].schema(), **changes}
