"""Prompts as the page shows them: tables, escaped text, and errors; pure."""

import re
from collections.abc import Mapping, Sequence

from workbench.errors import UsageError
from workbench.presentation.escape import escape_html, truncate
from workbench.presentation.guide_text import Change, changes_html
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.presentation.verdicts import STYLES
from workbench.records.format import count_of, format_timestamp
from workbench.records.optimization import PromptDiff
from workbench.records.prompts import (
    Prompt,
    PromptOrigin,
    PromptVersion,
    checked_prompt,
    missing_context,
    prompt_name,
    template_parts,
    template_variables,
)
from workbench.records.providers import JUDGE_SPECS
from workbench.services.prompts import ExampleSelection, FewShotExample

NAME_IT = "The template is valid. Enter a name above to save it."
CHANGES = '<h2 class="wb-h2">Changes</h2>'
NEVER_UNLOCKED = "It has never been unlocked."
NO_MODEL = (
    "**Trying a prompt needs a language model, and none can be used here.** Set OPENAI_API_KEY or "
    "ANTHROPIC_API_KEY and start again, start a local server such as Ollama, or hand the questions "
    "of a run to any chat window with `workbench handoff`. The judge `local` takes no prompt. "
    "Reading and writing prompts, and comparing stored verdicts, work without one."
)
CHOOSE_A_JUDGE = f"Choose a judge: {JUDGE_SPECS}."
JUDGES_HELP = f"Type another one: {JUDGE_SPECS}."
BUILT_IN_NOTE = "These prompts are built in. To customise one, choose Write; every version is kept."

ORIGIN_TEXT: Mapping[PromptOrigin, str] = {
    "shipped": "Built in, read-only",
    "written": "Written",
    "examples": "With examples",
    "optimised": "Optimised",
}
LONGEST_NOTE = 60
_HASH = 12
_VARIABLE = re.compile(r"(\{\{\w+\}\})")


def versions_table(versions: Sequence[PromptVersion], chosen: str) -> Table:
    """Every version with a link to its text; the chosen one is tinted and marked as such."""
    return Table.of(
        accessible_label="Prompts in their versions",
        columns=(
            "Prompt",
            Column(word="Origin", width="9rem"),
            Column(word="By", width="8rem"),
            Column(word="When", width="9rem", spare=True),
            Column(word="Note"),
            Column(word="Based on", width="8rem", spare=True),
            Column(word="Hash", width="8rem", spare=True),
        ),
        rows=(_row(version, version.id == chosen) for version in versions),
    )


def _row(version: PromptVersion, chosen: bool) -> tuple[Cell, ...]:
    tone = 0.35 if chosen else 0.0
    first = Cell(
        text=version.title,
        link=Link(page="prompts", query={"prompt": version.title}),
        more="shown below" if chosen else "",
        tone=tone,
    )
    texts = (
        ORIGIN_TEXT[version.origin],
        truncate(version.author, 30),
        format_timestamp(version.created_at) if version.created_at else "",
        truncate(version.note, LONGEST_NOTE),
        title_of(version.parent),
        version.prompt.sha256[:_HASH],
    )
    return (first, *(Cell(text=text, tone=tone) for text in texts))


def title_of(prompt_id: str | None) -> str:
    """Name and version from an id; empty for none."""
    return (prompt_id or "").partition(":")[0]


def facts(version: PromptVersion) -> str:
    """Where a version comes from, in one line of plain text."""
    parts = [ORIGIN_TEXT[version.origin]]
    if version.author:
        parts.append(f"by {truncate(version.author, 40)}")
    if version.created_at:
        parts.append(format_timestamp(version.created_at))
    if version.parent:
        parts.append(f"based on {title_of(version.parent)}")
    if version.items:
        parts.append(f"examples from {len(version.items):,} corrections")
    parts.append(f"sha256 {version.prompt.sha256[:_HASH]}")
    return " · ".join(parts)


def version_html(version: PromptVersion) -> str:
    """A version's parts as HTML: its text escaped, the variables highlighted."""
    prompt = version.prompt
    system, message = template_parts(prompt.template)
    names = ", ".join(f"{{{{{name}}}}}" for name in prompt.variables)
    parts = [
        f'<p class="wb-quiet" dir="auto">{escape_html(facts(version))}</p>',
        f'<p dir="auto">“{escape_html(version.note)}”</p>' if version.note else "",
        f'<p class="wb-quiet">Variables: {escape_html(names)}</p>',
    ]
    if version.erased:
        parts.append(
            "<p>Its examples were deleted with the output they came from, so it can no longer be "
            "used.</p>"
        )
    parts += [_part("System part", system), _part("Message part", message)]
    parts += [_part(f"Value of {{{{{name}}}}}", value) for name, value in prompt.values]
    return "".join(parts)


def _part(head: str, text: str) -> str:
    return (
        f'<h2 class="wb-h2">{escape_html(head)}</h2>'
        f'<pre class="wb-prompt" dir="auto" tabindex="0" role="region" '
        f'aria-label="{escape_html(head)}">{_marked(text)}</pre>'
    )


def _marked(text: str) -> str:
    return "".join(
        f'<b class="wb-variable">{escape_html(piece)}</b>' if number % 2 else escape_html(piece)
        for number, piece in enumerate(_VARIABLE.split(text))
    )


def diff_html(diff: PromptDiff) -> str:
    """The changes as HTML, each line with a sign and a tint; a sentence if there are none."""
    if diff.same:
        return "<p>No differences.</p>"
    summary = f"{count_of(diff.added, 'line')} added, {count_of(diff.removed, 'line')} removed."
    parts = [f'<p class="wb-quiet">{summary}</p>']
    if diff.lines:
        parts.append(changes_html([Change(line.kind, line.text) for line in diff.lines]))
    for name, lines in diff.values:
        parts.append(f'<h3 class="wb-h2">{escape_html(f"{{{{{name}}}}}")}</h3>')
        parts.append(changes_html([Change(line.kind, line.text) for line in lines]))
    return "".join(parts)


def draft_values(template: str, parent: Prompt | None, guide: str) -> dict[str, str]:
    """The values of a draft's variables: as in its parent, with the current guide."""
    variables = template_variables(template)
    values = {
        name: value
        for name, value in (parent.values if parent else ())
        if name in variables and name != "guide"
    }
    return {**values, "guide": guide} if guide and "guide" in variables else values


def draft_prompt(template: str, parent: Prompt | None, guide: str = "") -> Prompt:
    """A draft as it would be stored.

    Raises:
        UsageError: It cannot be stored; the message says why in one sentence.
    """
    return checked_prompt("draft", 0, template, draft_values(template, parent, guide))


def draft_fault(template: str, parent: Prompt | None, guide: str = "") -> str:
    """What is wrong with a draft, in one sentence; empty if it can be stored."""
    try:
        draft_prompt(template, parent, guide)
    except UsageError as error:
        return str(error)
    return ""


def name_fault(name: str, shipped: Sequence[str]) -> str:
    """What is wrong with the name of a prompt, in one sentence; empty if it can be used."""
    if not name.strip():
        return "Enter a name, for example mine."
    try:
        stored_name = prompt_name(name)
    except UsageError as error:
        return str(error)
    if stored_name in shipped:
        return f"The prompt {stored_name} is built in and cannot be changed; choose another name."
    return ""


def draft_text(template: str) -> str:
    """The contents of a valid draft, in one sentence."""
    lines = template.strip("\n").count("\n") + 1
    names = ", ".join(f"{{{{{name}}}}}" for name in template_variables(template))
    missing = missing_context(template)
    return f"Ready to save: {count_of(lines, 'line')}, variables {names}. {missing}".rstrip()


def variables_table() -> Table:
    """The variables of a template."""
    rows = (
        ("{{passages}}", "must", "the passages of the source, each delimited, in reading order"),
        ("{{claim}}", "must", "the claim, delimited"),
        ("{{source}}", "should", "title, publisher, author, date and URL of the source, delimited"),
        ("{{context}}", "should", "headings and text before the claim, its table row, question"),
        ("{{examples}}", "may", "few-shot examples from corrections; empty if there are none"),
        ("{{guide}}", "may", "the labelling guide as of saving the version"),
    )
    return Table.of(
        accessible_label="Variables of a template",
        columns=(
            Column(word="Variable", width="9rem"),
            Column(word="Required", width="4rem"),
            Column(word="Contents"),
        ),
        rows=rows,
    )


def selection_text(drawn: ExampleSelection) -> str:
    """Where the examples were drawn from, in sentences."""
    sentences = (
        f"{count_of(len(drawn.shots), 'example')} of {drawn.chars:,} characters together. "
        f"Train contains {count_of(drawn.corrections, 'correction')}: examples on which people "
        "gave another label."
    )
    if drawn.shared:
        sentences += (
            f"{count_of(drawn.shared, 'example')} of train were left out because their question, "
            "page or claim is also in another split; this keeps dev and test unseen by the "
            "prompt."
        )
    return sentences


def shot_html(number: int, shot: FewShotExample) -> str:
    """An example as it will be in the prompt, as HTML; all its text is escaped."""
    style = STYLES[shot.label]
    kind = "a correction" if shot.corrected else "confirmed"
    return (
        f'<h2 class="wb-h2">Example {number}: {style.glyph} {style.word}, {kind}</h2>'
        f'<pre class="wb-prompt" dir="auto" tabindex="0" role="region" '
        f'aria-label="Example {number}">{escape_html(shot.text)}</pre>'
    )
