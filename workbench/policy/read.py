"""From the YAML of a policy to a checked `Policy`; every mistake is reported with its line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from workbench.errors import InvalidPolicy
from workbench.policy.fields import (
    ACTIONS,
    FIELDS,
    HANDLINGS,
    PATTERNS,
    STANDINGS,
    Field,
    Policy,
    Resolver,
)
from workbench.records.text import replace_surrogates

if TYPE_CHECKING:
    from yaml import Node

NAME = "citation-verifier"
LONGEST = 200_000
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOP_FIELDS = {"pack": {"name", "version", "enabled"}, "policies": {"chain"}, "policy": {NAME}}


@dataclass(frozen=True, slots=True)
class _FieldValue:
    line: int
    value: object


class _PolicyReader:
    """One policy file while it is read: mistakes are gathered, so that all are reported at once."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.problems: list[tuple[int, str]] = []

    def wrong(self, line: int, message: str) -> None:
        self.problems.append((line, message))

    def pairs(self, node: "Node | None", owner: str) -> "dict[str, tuple[int, Node]]":
        """The entries of a mapping, each with the line of its name."""
        from yaml import MappingNode, ScalarNode

        if node is None or _empty(node):
            return {}
        if not isinstance(node, MappingNode):
            self.wrong(_line(node), f"{owner} has fields of its own (name: value), not a value")
            return {}
        entries: dict[str, tuple[int, Node]] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                self.wrong(_line(key), f"{owner} has a field whose name is not a word")
                continue
            name = str(key.value)
            if name in entries:
                self.wrong(_line(key), f"{_quoted(name)} occurs twice in {owner}; keep one")
            entries[name] = (_line(key), value)
        return entries

    def fields(self, node: "Node | None", prefix: str = "") -> dict[str, _FieldValue]:
        """The values under `policy: citation-verifier:` by their dotted path."""
        known_fields = {field.path: field for field in FIELDS}
        objects = {path.rpartition(".")[0] for path in known_fields if "." in path}
        fields: dict[str, _FieldValue] = {}
        for name, (line, value) in self.pairs(node, prefix.rstrip(".") or NAME).items():
            path = prefix + name
            if path in objects:
                inner = self.fields(value, path + ".")
                fields |= inner
                needs = path == "external_resolver" and not _empty(value)
                if needs and f"{path}.endpoint" not in inner:
                    self.wrong(line, "external_resolver needs an endpoint")
            elif path in known_fields:
                checked = self.value(known_fields[path], line, value)
                if checked is not None:
                    fields[path] = _FieldValue(line, checked)
            else:
                close = _closest(path, [*known_fields, *objects])
                self.wrong(line, f"{_quoted(path)} is not a field of a policy{close}")
        return fields

    def value(self, field: Field, line: int, node: "Node") -> object | None:
        """A field's value in its own type; None where it is unset or wrong (then with a problem)."""
        if _empty(node):
            return None
        if field.kind == "patterns":
            return self._patterns(field, node)
        scalar = _scalar(node)
        if scalar is None:
            self.wrong(line, f"{field.path} is one value, not a list or fields of its own")
            return None
        kind, text = scalar
        check = {
            "switch": self._switch, "share": self._share, "action": self._action,
            "handling": self._handling, "standing": self._standing,
            "milliseconds": self._milliseconds, "address": self._address, "secret": self._secret,
        }[field.kind]  # fmt: skip
        return check(field, line, kind, text)

    def _switch(self, field: Field, line: int, kind: str, text: str) -> bool | None:
        if kind == "bool":
            return text.lower() in ("true", "yes", "on")
        self.wrong(line, f"{field.path} is true or false, not {_quoted(text)}")
        return None

    def _share(self, field: Field, line: int, kind: str, text: str) -> float | None:
        try:
            number = float(text) if kind in ("int", "float") else -1.0
        except ValueError:
            number = -1.0
        if 0 <= number <= 1:
            return number
        self.wrong(line, f"{field.path} is a number from 0 to 1, not {_quoted(text)}")
        return None

    def _milliseconds(self, field: Field, line: int, kind: str, text: str) -> int | None:
        if kind == "int" and text.isdecimal() and 1 <= int(text) <= 60_000:
            return int(text)
        self.wrong(line, f"{field.path} is a whole number from 1 to 60000, not {_quoted(text)}")
        return None

    def _action(self, field: Field, line: int, kind: str, text: str) -> str | None:
        if text in ACTIONS:
            return text
        self.wrong(line, f"{field.path} is flag, redact or block, not {_quoted(text)}")
        return None

    def _handling(self, field: Field, line: int, kind: str, text: str) -> str | None:
        if text in HANDLINGS:
            return text
        self.wrong(line, f"{field.path} is flag, redact, block or ignore, not {_quoted(text)}")
        return None

    def _standing(self, field: Field, line: int, kind: str, text: str) -> str | None:
        if text in STANDINGS:
            return text
        self.wrong(line, f"{field.path} is unverified or verified, not {_quoted(text)}")
        return None

    def _address(self, field: Field, line: int, kind: str, text: str) -> str | None:
        try:
            parts = urlsplit(text)
            is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            is_web = False
        if is_web and parts.username is None and parts.password is None:
            return text
        self.wrong(line, f"{field.path} is an http or https address without a user name in it")
        return None

    def _secret(self, field: Field, line: int, kind: str, text: str) -> str | None:
        """The text with its variables filled in; a message never holds the value."""

        def filled(match: re.Match[str]) -> str:
            name = match.group(1)
            if not _VARIABLE_NAME.fullmatch(name):
                self.wrong(
                    line, f"{field.path} names a variable with an invalid name: {_quoted(name)}"
                )
            elif name not in self.environment:
                self.wrong(line, f"{field.path} needs the environment variable {name}; set it")
            return self.environment.get(name, "")

        value = _VARIABLE.sub(filled, text)
        if any(ord(letter) < 32 or ord(letter) > 126 for letter in value):
            self.wrong(line, f"{field.path} contains characters that are not allowed in a header")
            return None
        return value or None

    def _patterns(self, field: Field, node: "Node") -> tuple[str, ...] | None:
        from yaml import SequenceNode

        if not isinstance(node, SequenceNode):
            self.wrong(_line(node), f"{field.path} is a list out of {', '.join(PATTERNS)}")
            return None
        patterns = []
        for item in node.value:
            scalar = _scalar(item)
            if scalar is None or scalar[1] not in PATTERNS:
                word = _quoted(scalar[1]) if scalar else "a list or fields"
                self.wrong(_line(item), f"{field.path} knows {', '.join(PATTERNS)}; not {word}")
            elif scalar[1] not in patterns:
                patterns.append(scalar[1])
        return tuple(pattern for pattern in PATTERNS if pattern in patterns)


def read_policy(text: str, environment: Mapping[str, str] | None = None) -> Policy:
    """The policy of a YAML document; `environment` fills in the variables that it names.

    Raises:
        InvalidPolicy: The document is no YAML or no policy; `problems` holds all of them, by line.
    """
    reader = _PolicyReader(environment or {})
    top = reader.pairs(compose_document(text), "the document")
    for name, (line, value) in top.items():
        if name not in _TOP_FIELDS:
            close = _closest(name, [*_TOP_FIELDS, *(f.path for f in FIELDS)])
            reader.wrong(line, f"{_quoted(name)} is not part of a policy document{close}")
        elif name == "pack":
            _unknown(reader, value, "pack", _TOP_FIELDS["pack"])
    policies = reader.pairs(top["policy"][1] if "policy" in top else None, "policy")
    if NAME not in policies:
        reader.wrong(top["policy"][0] if "policy" in top else 1, f"there is no policy: {NAME}:")
    fields = reader.fields(policies[NAME][1] if NAME in policies else None)
    pack = reader.pairs(top["pack"][1] if "pack" in top else None, "pack")
    enabled = _enabled(reader, pack, top)
    if reader.problems:
        raise InvalidPolicy(sorted(reader.problems))
    return _policy(fields, enabled, _word(pack, "name") or NAME, _word(pack, "version") or "")


def _policy(fields: Mapping[str, _FieldValue], enabled: bool, name: str, version: str) -> Policy:
    defaults = Policy()

    def of(path: str, default: object) -> object:
        return fields[path].value if path in fields else default

    resolver = None
    if "external_resolver.endpoint" in fields:
        resolver = Resolver(
            endpoint=str(fields["external_resolver.endpoint"].value),
            api_key=of("external_resolver.api_key", None),  # type: ignore[arg-type]
            timeout_ms=of("external_resolver.timeout_ms", 2000),  # type: ignore[arg-type]
        )
    # every value was checked against its field's kind
    return Policy(
        name=name,
        version=version,
        enabled=enabled,
        resolver=resolver,
        **{  # type: ignore[arg-type]
            path.rpartition(".")[2]: of(path, getattr(defaults, path.rpartition(".")[2]))
            for path in (f.path for f in FIELDS)
            if not path.startswith("external_resolver")
        },
    )


def _enabled(
    reader: _PolicyReader,
    pack: "Mapping[str, tuple[int, Node]]",
    top: "Mapping[str, tuple[int, Node]]",
) -> bool:
    """Whether the pack is on and its chain names this policy; both are so when left out."""
    enabled = True
    if "enabled" in pack:
        line, node = pack["enabled"]
        field = Field(path="pack.enabled", kind="switch", default="true", says="")
        enabled = bool(reader.value(field, line, node))
    if "policies" not in top:
        return enabled
    chain = reader.pairs(top["policies"][1], "policies").get("chain")
    if chain is None:
        return enabled
    from yaml import SequenceNode

    if not isinstance(chain[1], SequenceNode):
        reader.wrong(chain[0], "policies.chain is a list of policy names")
        return enabled
    names = [scalar[1] for item in chain[1].value if (scalar := _scalar(item))]
    return enabled and NAME in names


def compose_document(text: str) -> "Node":
    """The document as nodes, which know their lines; nothing is built or run from its tags."""
    import yaml

    if len(text) > LONGEST:
        raise InvalidPolicy([(1, f"the document has over {LONGEST:,} characters; shorten it")])
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "it cannot be read"
        line = mark.line + 1 if mark else 1
        raise InvalidPolicy([(line, f"this is not YAML: {replace_surrogates(problem)}")]) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise InvalidPolicy(
            [
                (
                    1,
                    "this is not YAML text: it contains characters or a nesting depth that YAML does not allow",
                )
            ]
        ) from None
    if node is None:
        raise InvalidPolicy([(1, f"the document is empty; it needs policy: {NAME}:")])
    return node


def _unknown(reader: _PolicyReader, node: "Node", owner: str, names: set[str]) -> None:
    for name, (line, _) in reader.pairs(node, owner).items():
        if name not in names:
            close = _closest(name, sorted(names))
            reader.wrong(line, f"{_quoted(f'{owner}.{name}')} is not a field of a pack{close}")


def _word(pairs: "Mapping[str, tuple[int, Node]]", name: str) -> str | None:
    scalar = _scalar(pairs[name][1]) if name in pairs else None
    return replace_surrogates(scalar[1])[:200] if scalar else None


def _scalar(node: "Node") -> tuple[str, str] | None:
    """A scalar's type (`bool`, `int`, `str` …) and its text; None for anything else."""
    from yaml import ScalarNode

    if not isinstance(node, ScalarNode):
        return None
    return node.tag.rpartition(":")[2], str(node.value)


def _empty(node: "Node") -> bool:
    scalar = _scalar(node)
    return scalar is not None and scalar[0] == "null"


def _line(node: "Node") -> int:
    return int(node.start_mark.line) + 1


def _quoted(word: str) -> str:
    word = replace_surrogates(word)
    return repr(word if len(word) <= 60 else word[:59] + "…")


def _closest(word: str, names: list[str]) -> str:
    """`; did you mean …?` where a known name is near."""
    from difflib import get_close_matches

    matches = get_close_matches(word, names, n=1, cutoff=0.75)
    matches = matches or [name for name in names if name.rpartition(".")[2] == word][:1]
    return f"; did you mean {matches[0]}?" if matches else ""
