"""What a SPEC of the form `nli:PATH?labels=…&first=…` says, and which output of a model means support. Pure."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote

from workbench.errors import UnknownJudge

OPTIONS = ("labels", "first", "join", "file", "window", "outputs")
ORDERS = ("source", "claim")
OUTPUTS = ("logits", "probabilities")
SHORTEST_WINDOW = 32
USAGE = "name a folder, for example nli:models/minicheck or nli:PATH?labels=unsupported,supported"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """How a model is read, where its own `config.json` does not say so."""

    labels: tuple[str, ...] = ()
    """Its classes in their order; empty for those of `config.json`."""
    first: str = "source"
    """Which text stands first in a pair: `source` (premise, document) or `claim`."""
    join: str = ""
    """A token between the two, for models that read them as one text; empty for a pair."""
    file: str = ""
    """The model's file inside the folder; empty for the first of the usual names."""
    window: int = 0
    """The longest pair in tokens; 0 for the model's own limit, 512 at most."""
    outputs: str = "logits"
    """Whether the model gives `logits` or `probabilities`."""

    @property
    def text(self) -> str:
        """The options as they stand behind the `?`, in a fixed order; empty for the usual ones."""
        usual = ModelOptions()
        parts = []
        for name in OPTIONS:
            value = getattr(self, name)
            if value != getattr(usual, name):
                shown = (
                    ",".join(map(_quoted, value)) if isinstance(value, tuple) else _quoted(value)
                )
                parts.append(f"{name}={shown}")
        return "&".join(parts)


def parse_options(text: str) -> ModelOptions:
    """The options that stand behind the `?` of a SPEC, percent signs decoded.

    Raises:
        UnknownJudge: One is unknown, or has a value that it cannot have.
    """
    values: dict[str, str] = {}
    for part in filter(None, text.split("&")):
        name, equals, value = part.partition("=")
        if name not in OPTIONS or not equals:
            raise UnknownJudge(
                f"A model of your own has no option {part!r}; known are {', '.join(OPTIONS)}: "
                f"{USAGE}."
            )
        values[name] = value
    labels = values.get("labels", "")
    return ModelOptions(
        labels=tuple(unquote(label).strip() for label in labels.split(",")) if labels else (),
        first=_choice("first", unquote(values.get("first", "source")), ORDERS),
        join=unquote(values.get("join", "")),
        file=unquote(values.get("file", "")),
        window=_window(unquote(values.get("window", "0"))),
        outputs=_choice("outputs", unquote(values.get("outputs", "logits")), OUTPUTS),
    )


def _choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise UnknownJudge(
            f"{name} of a model of your own is {' or '.join(choices)}, not {value!r}."
        )
    return value


def _window(value: str) -> int:
    if value == "0" or (value.isdecimal() and int(value) >= SHORTEST_WINDOW):
        return int(value)
    raise UnknownJudge(
        f"window of a model of your own is a number of tokens from {SHORTEST_WINDOW} on, "
        f"not {value!r}."
    )


def _quoted(value: object) -> str:
    return quote(str(value), safe=" <>[]/_-.|")


Role = Literal["support", "neutral", "contradiction", "unsupported"]

_NAMES: Mapping[Role, str] = {
    "support": "entailment entailed entails entail support supports supported supporting "
    "consistent factually_consistent factual grounded faithful attributable attributed verified "
    "true yes correct",
    "neutral": "neutral not_enough_info not_enough_information not_enough_evidence nei unknown "
    "unverifiable undetermined irrelevant unrelated no_evidence baseless not_mentioned",
    "contradiction": "contradiction contradicts contradicted contradictory contradict refutes "
    "refuted refute conflict conflicting",
    "unsupported": "not_entailment non_entailment not_entailed unsupported not_supported "
    "not_support inconsistent factually_inconsistent hallucinated hallucination unfaithful "
    "ungrounded not_grounded not_attributable non_factual not_factual false no incorrect",
}
ROLES: Mapping[str, Role] = {name: role for role, names in _NAMES.items() for name in names.split()}
"""The meaning of a class by its name: lower case, `_` between words."""
_SILENT = re.compile(r"(?:label_?)?\d+")
"""Names that say nothing: `LABEL_0`, `1`."""
HINT = "name them in their order, for example nli:PATH?labels=entailment,neutral,contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairProbabilities:
    """What a model says of one source text and one claim; each 0 to 1."""

    support: float
    contradiction: float
    """0 for a model that does not tell contradiction from silence."""
    top: Role
    """The meaning of the likeliest class; on a tie that of support last."""


@dataclass(frozen=True, slots=True)
class LabelOrder:
    """The meaning of each output of a model."""

    roles: tuple[Role, ...]

    def read(
        self, outputs: Sequence[float], *, are_probabilities: bool = False
    ) -> PairProbabilities:
        """The probabilities behind a model's outputs.

        One output is P(support) by the logistic function (or the opposite, where its name says so);
        several are by softmax. Without a class of its own for silence a negative class counts as
        `unsupported`, never as a contradiction. Raises `ValueError` for other than finite numbers.
        """
        if not all(math.isfinite(value) for value in outputs):
            raise ValueError("the model gives no finite numbers")
        if len(self.roles) == 1:
            chance = min(1.0, max(0.0, outputs[0])) if are_probabilities else _logistic(outputs[0])
            support = chance if self.roles[0] == "support" else 1.0 - chance
            return PairProbabilities(
                support=support,
                contradiction=0.0,
                top="support" if support > 0.5 else "unsupported",
            )
        chances = list(outputs) if are_probabilities else _softmax(outputs)
        by_role = dict(zip(self.roles, chances, strict=True))
        return PairProbabilities(
            support=by_role["support"],
            contradiction=by_role.get("contradiction", 0.0),
            top=max(self.roles, key=lambda role: (by_role[role], role != "support")),
        )


def read_labels(names: Sequence[str]) -> LabelOrder:
    """The meaning of classes by their names, in their order.

    One class alone is P(support) under any name that does not say the opposite.

    Raises:
        UnknownJudge: A name is not known, or they do not have exactly one for support.
    """
    plain = [re.sub(r"[\s\-_]+", "_", name.strip().casefold()).strip("_") for name in names]
    if len(plain) == 1:
        role = ROLES.get(plain[0], "support")
        return LabelOrder(("support" if role == "support" else "unsupported",))
    listed = ", ".join(repr(name) for name in names)
    unknown = [name for name, key in zip(names, plain, strict=True) if key not in ROLES]
    if unknown:
        silent = all(_SILENT.fullmatch(key) for key in plain)
        problem = (
            f"The model's classes are called {listed}, which does not say what they mean"
            if silent
            else f"The model's class {unknown[0]!r} is not known (its classes: {listed})"
        )
        raise UnknownJudge(f"{problem}: {HINT}.")
    roles = tuple(ROLES[key] for key in plain)
    if "neutral" not in roles:
        # two classes alone: what is not supported may be contradicted or just not there
        roles = tuple(role if role == "support" else "unsupported" for role in roles)
    if roles.count("support") != 1 or len(set(roles)) != len(roles) or len(roles) > 3:
        raise UnknownJudge(
            f"The model's classes {listed} are not one for support and one or two others: {HINT}."
        )
    return LabelOrder(roles)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))


def _softmax(values: Sequence[float]) -> list[float]:
    highest = max(values)
    weights = [math.exp(value - highest) for value in values]
    return [weight / sum(weights) for weight in weights]
