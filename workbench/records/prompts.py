"""Prompts as records: templates in versions, what must stand in one, and where they come from.

A template has a system part and a message part, divided by a line `=====`. Variables are written as
`{{name}}`; they are put in once, so text that itself holds `{{…}}` stays as it is.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workbench.errors import UsageError
from workbench.records.text import JsonDict, format_iso8601, replace_surrogates

PromptOrigin = Literal["shipped", "written", "examples", "optimised"]

DIVIDER = "\n=====\n"
"""Between the system part and the message part."""
ASKED = ("passages", "claim")
"""Variables that every judgment fills in; a template must have both, in its message part."""
CONTEXT_VARIABLES = ("source", "context")
"""Variables that every question fills in where a template has them: what the source is, and what
the claim's words refer to."""
OPTIONAL = ("examples", "guide")
"""Variables that a template may have; without a value nothing stands in their place."""
LONGEST_TEMPLATE = 40_000
LONGEST_VALUE = 100_000
LONGEST_NAME = 60

VARIABLE = re.compile(r"\{\{(\w+)\}\}")
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_DIVIDING = re.compile(r"^=====[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A named, versioned template that asks a model for a judgment."""

    name: str
    version: int
    template: str
    variables: tuple[str, ...]
    values: tuple[tuple[str, str], ...] = ()
    """What stands for variables that are the same in every question, by name: few-shot examples,
    the label guide."""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the template, in hexadecimal; with values, of the JSON of both.

        Canonical form with values: ASCII-escaped JSON of `[template, [[name, value], …]]`.
        """
        text = self.template
        if self.values:
            text = json.dumps([self.template, [list(pair) for pair in self.values]])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def title(self) -> str:
        """Name and version: `strict@1`."""
        return f"{self.name}@{self.version}"

    @property
    def id(self) -> str:
        """Name, version and the first 12 digits of the hash: `strict@1:0123456789ab`."""
        return f"{self.title}:{self.sha256[:12]}"

    def to_dict(self) -> JsonDict:
        """The prompt as exported."""
        return {
            "name": self.name,
            "version": self.version,
            "template": self.template,
            "variables": list(self.variables),
            "sha256": self.sha256,
            **({"values": dict(self.values)} if self.values else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptVersion:
    """One version of a prompt with where it comes from."""

    id: str
    """As judgments carry it."""
    prompt: Prompt
    origin: PromptOrigin
    note: str = ""
    author: str = ""
    """Empty for what is shipped."""
    parent: str | None = None
    """Id of the version that it was made from."""
    created_at: datetime | None = None
    """None for what is shipped."""
    items: tuple[str, ...] = ()
    """Items (`run/citation`) that its examples were drawn from."""

    @property
    def title(self) -> str:
        """Name and version: `mine@3`."""
        return self.prompt.title

    @property
    def erased(self) -> bool:
        """Whether examples are gone because the output that they came from was erased."""
        return self.id != self.prompt.id

    @property
    def single(self) -> bool:
        """Whether it asks about one claim, as a judge's prompt must."""
        return set(ASKED) <= set(self.prompt.variables)

    def to_dict(self) -> JsonDict:
        """The version as lists and exports show it."""
        return {
            "id": self.id,
            "title": self.title,
            **self.prompt.to_dict(),
            "origin": self.origin,
            "missing": missing_context(self.prompt.template),
            "note": self.note,
            "author": self.author,
            "parent": self.parent,
            "created_at": format_iso8601(self.created_at),
            "items": list(self.items),
            "erased": self.erased,
        }


def template_parts(template: str) -> tuple[str, str]:
    """The system part and the message part; without a divider everything is message."""
    system, divider, message = template.partition(DIVIDER)
    return (system, message) if divider else ("", template)


def template_variables(template: str) -> tuple[str, ...]:
    """The variables of a template, each once, in the order in which they first occur."""
    return tuple(dict.fromkeys(VARIABLE.findall(template)))


def missing_context(template: str) -> str:
    """What judges asked by a template are not told, in sentences; empty where nothing is missing.

    Only for templates that ask about one claim.
    """
    variables = template_variables(template)
    if not set(ASKED) <= set(variables):
        return ""
    lacks = {
        "source": "Without {{source}}, it does not say where the passages are from.",
        "context": (
            "Without {{context}}, it does not say what the claim's words refer to: “it was opened "
            "in 1913” may seem supported by a page about another building."
        ),
    }
    return " ".join(lacks[name] for name in CONTEXT_VARIABLES if name not in variables)


def prompt_name(typed: str) -> str:
    """A prompt's name as it is kept.

    Raises:
        UsageError: It is not made of lower-case letters, digits and `. _ -`, or is too long.
    """
    name = replace_surrogates(typed).strip().lower()
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise UsageError(
            f"{name[:80]!r} is not a valid prompt name: use up to {LONGEST_NAME} letters from a to "
            f"z, "
            "digits and . _ -, beginning with a letter or digit."
        )
    return name


def checked_prompt(
    name: str, version: int, template: str, values: Mapping[str, str] | None = None
) -> Prompt:
    """The prompt of a template, its line ends and divider in the usual form, its values sorted.

    Raises:
        UsageError: The template lacks a part or a variable, names one without a value, or a text is
            too long or holds control characters.
    """
    texts = {key: _text(value) for key, value in (values or {}).items()}
    body = _DIVIDING.sub("=====", _text(template)).strip("\n")
    _check_sizes(body, texts)
    if body.count(DIVIDER) != 1:
        raise UsageError(
            f"The template has {body.count(DIVIDER)} lines =====; it needs exactly one, with the "
            f"instructions above it and the question below it."
        )
    system, message = template_parts(body)
    if not system.strip():
        raise UsageError("There is nothing above the line =====; put the instructions there.")
    for variable in ASKED:
        if f"{{{{{variable}}}}}" not in message:
            raise UsageError(
                f"The template lacks {{{{{variable}}}}} below the line =====; put it where the "
                f"{variable} {'is' if variable == 'claim' else 'are'} to stand."
            )
        if f"{{{{{variable}}}}}" in system:
            raise UsageError(
                f"{{{{{variable}}}}} is above the line =====, among the instructions; quoted "
                f"material belongs below it."
            )
    for variable in CONTEXT_VARIABLES:
        if f"{{{{{variable}}}}}" in system:
            raise UsageError(
                f"{{{{{variable}}}}} is above the line =====, among the instructions; quoted "
                f"material belongs below it."
            )
    variables = template_variables(body)
    filled = (*ASKED, *CONTEXT_VARIABLES)
    unknown = [variable for variable in variables if variable not in (*filled, *OPTIONAL, *texts)]
    if unknown:
        raise UsageError(
            f"The template names {_listed(unknown)} without a value; known are "
            f"{_listed([*filled, *OPTIONAL])}. Give it a value, or correct its name."
        )
    unused = sorted(set(texts) - set(variables))
    if unused or set(texts) & set(filled):
        wrong = unused or [variable for variable in filled if variable in texts]
        why = "does not stand in the template" if unused else "is filled in by each question"
        raise UsageError(f"A value is given for {_listed(wrong)}, which {why}; leave it out.")
    filled_values = tuple(
        (key, value) for key, value in sorted(texts.items()) if value.strip() or key not in OPTIONAL
    )
    return Prompt(
        name=name, version=version, template=body, variables=variables, values=filled_values
    )


def _text(text: str) -> str:
    return replace_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")


def _check_sizes(template: str, values: Mapping[str, str]) -> None:
    texts = [("The template", template, LONGEST_TEMPLATE)]
    texts += [(f"The value of {name}", value, LONGEST_VALUE) for name, value in values.items()]
    for what, text, longest in texts:
        if len(text) > longest:
            raise UsageError(f"{what} has {len(text):,} characters; the limit is {longest:,}.")
        odd = {c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\t"}
        if odd:
            raise UsageError(
                f"{what} holds the control character U+{ord(min(odd)):04X}; it looks like a binary "
                f"file: use plain text."
            )


def _listed(names: list[str]) -> str:
    return ", ".join(f"{{{{{name}}}}}" for name in names)
