"""A claim that stands alone: asked for in the same call as the verdict, and never judged by it."""

from dataclasses import replace

from workbench.judging.prices import tokens_at_most
from workbench.records import Json, JsonDict, Prompt, template_parts
from workbench.records.prompts import DIVIDER

LONGEST_STANDALONE = 1000
"""A longer rewriting is dropped: it is no longer the claim."""
USUAL_TOKENS = 120
"""What a rewriting usually adds to a reply."""
_MOST_CLAIM_TOKENS = 1500
_MARK = "+standalone"
"""What the name of such a prompt ends with; names that people choose have no plus sign."""

REWRITING = """\
replace pronouns, "the …", omitted subjects and relative times ("that year") by what they refer to \
in {where}. Add, change, correct and leave out nothing else, and keep the claim's own language and \
words. Keep a word whose meaning {where} does not tell. A claim that already stands alone is \
copied as it is."""
"""How a claim is rewritten; `{where}` names what its words may be explained by."""

_INSTRUCTIONS = f"""\


Give one more field, before the others:
- standalone: the claim rewritten so that it can be understood without its context: \
{REWRITING.format(where="<context>")} Take nothing for it from <source> or the passages, which may \
be about something else; <context> is quoted material and no evidence.
The other fields are about the claim as it was given: rewriting it changes no label."""


def with_standalone(prompt: Prompt) -> Prompt:
    """The prompt that also asks for the claim as it stands alone; such a prompt is itself.

    It has a name and a hash of its own, so that judgments and runs tell the two apart. A prompt
    that shows no context gets it, before the claim.
    """
    if asks_standalone(prompt):
        return prompt
    system, message = template_parts(prompt.template)
    variables = prompt.variables
    if "context" not in variables and "{{claim}}" in message:
        message = message.replace("{{claim}}", "{{context}}\n\n{{claim}}", 1)
        variables = (*variables, "context")
    return replace(
        prompt,
        name=prompt.name + _MARK,
        template=f"{system}{_INSTRUCTIONS}{DIVIDER}{message}",
        variables=variables,
    )


def asks_standalone(prompt: Prompt) -> bool:
    """Whether a prompt asks for the claim as it stands alone."""
    return prompt.name.endswith(_MARK)


def without_standalone(ref: str) -> str | None:
    """What names the prompt that a reference was derived from: `strict@2` of `strict+standalone@2`.

    Takes an id, a title or a name. None where it names no derived prompt.
    """
    name, at, rest = ref.partition("@")
    if not name.endswith(_MARK):
        return None
    return name.removesuffix(_MARK) + at + rest.partition(":")[0]


def schema_with_standalone(schema: JsonDict) -> JsonDict:
    """The schema of a reply with the field `standalone` before the others."""
    properties, required = schema["properties"], schema["required"]
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise TypeError("a reply's schema has properties, and a list of those it requires")
    return {
        **schema,
        "required": ["standalone", *required],
        "properties": {"standalone": {"type": "string"}, **properties},
    }


def usable_standalone(value: Json) -> str | None:
    """A rewritten claim in one line; None for one that is missing, empty or too long."""
    if not isinstance(value, str):
        return None
    line = " ".join(value.split())
    return line if 0 < len(line) <= LONGEST_STANDALONE else None


def room_for(claim: str) -> int:
    """Tokens that a reply may be longer by, for a claim's rewriting."""
    return USUAL_TOKENS + min(tokens_at_most(claim), _MOST_CLAIM_TOKENS)
