"""Few-shot examples for a prompt: chosen evenly over the labels, shown as quoted material."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workbench.judging.passages import select_passages
from workbench.judging.prompts import passage_parts, wrap_untrusted
from workbench.judging.reply import REPLY_LABELS, ReplyLabel
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.prompts import DIVIDER, template_parts
from workbench.records.text import JsonDict

MANY = 6
MOST_CHARS = 6_000
"""Of all examples together; a model reads them with every question."""
PASSAGE_CHARS = 700
REASON_CHARS = 400
CONTEXT_CHARS = 300
"""Of the text before the claim of an example."""
HEADING = """\
Examples follow, each with the label that people gave it. What stands between <example> and \
</example> is quoted material as well: it shows how the labels are used and is no part of the case \
you judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleCandidate:
    """An item that an example may be made of."""

    item: str
    group: str
    """At most one item of a group becomes an example."""
    label: ReplyLabel
    corrected: bool
    """Whether people's label is another one than the judge's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FewShotExample:
    """One example."""

    item: str
    label: ReplyLabel
    corrected: bool
    text: str
    """As it stands in the prompt, but for its number."""

    def to_dict(self) -> JsonDict:
        """The example as shown before it is used."""
        return {
            "item": self.item,
            "label": self.label,
            "corrected": self.corrected,
            "text": self.text,
        }


def build_example(
    candidate: ExampleCandidate,
    claim: str,
    source: str,
    *,
    context: JudgeContext = NO_CONTEXT,
    reason: str = "",
) -> FewShotExample:
    """The example of an item: the passages that matter for its claim, cut short, and its label.

    What the source is and what the claim's words refer to stand in it as in a question, fenced and
    cut, where they are known.
    """
    passages = select_passages(
        claim, source, budget_chars=PASSAGE_CHARS, title=context.source.title, context=context
    )
    shortened = replace(context, before=context.before.strip()[-CONTEXT_CHARS:])
    parts = [wrap_untrusted("source", shortened.of_source)] if shortened.of_source else []
    parts += passage_parts(passages, headed=bool(shortened.of_source))
    if shortened.of_claim:
        parts.append(wrap_untrusted("context", shortened.of_claim))
    parts += [wrap_untrusted("claim", claim), f"Label: {candidate.label}"]
    if reason.strip():
        parts.append(wrap_untrusted("reason", reason.strip()[:REASON_CHARS]))
    return FewShotExample(
        item=candidate.item,
        label=candidate.label,
        corrected=candidate.corrected,
        text="\n".join(parts),
    )


def select_examples(
    candidates: Sequence[ExampleCandidate],
    load: Callable[[ExampleCandidate], FewShotExample | None],
    *,
    many: int = MANY,
    max_chars: int = MOST_CHARS,
    seed: int = 0,
) -> tuple[FewShotExample, ...]:
    """The examples, labels in turn; the same candidates and seed give the same ones.

    Within a label corrections come first, then a random order by the seed. An item whose group
    gave one already, or whose text would not fit into what is left, is passed over.

    Args:
        candidates: What may be chosen.
        load: Makes an example of an item; None where its text is gone.
        many: The most examples.
        max_chars: Of all of them together, as `examples_text` gives them.
        seed: Of the order.
    """
    rows = {
        label: sorted(
            (candidate for candidate in candidates if candidate.label == label),
            key=lambda candidate: (not candidate.corrected, _seeded_hash(seed, candidate.item)),
        )
        for label in REPLY_LABELS
    }
    chosen: list[FewShotExample] = []
    groups: set[str] = set()
    while any(rows.values()) and len(chosen) < many:
        for label in REPLY_LABELS:
            example = None
            while rows[label] and example is None and len(chosen) < many:
                candidate = rows[label].pop(0)
                if candidate.group in groups:
                    continue
                example = load(candidate)
                if example is None or len(examples_text([*chosen, example])) > max_chars:
                    example = None
                    continue
                groups.add(candidate.group)
                chosen.append(example)
    return tuple(chosen)


def examples_text(shots: Sequence[FewShotExample]) -> str:
    """What stands for `{{examples}}`."""
    return "\n\n".join(
        f'<example id="{number}">\n{shot.text}\n</example>' for number, shot in enumerate(shots, 1)
    )


def with_examples(template: str) -> str:
    """The template with a place for examples: its own, or one after its instructions."""
    if "{{examples}}" in template:
        return template
    system, message = template_parts(template)
    return f"{system.rstrip()}\n\n{HEADING}\n{{{{examples}}}}{DIVIDER}{message}"


def _seeded_hash(seed: int, item: str) -> str:
    return hashlib.sha256(f"{seed}\0{item}".encode("utf-8", "surrogatepass")).hexdigest()
