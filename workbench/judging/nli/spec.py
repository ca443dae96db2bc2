"""What a SPEC of the form `nli:PATH?labels=…&first=…` says. Pure."""

from dataclasses import dataclass
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
