"""Every command in one list, grouped by purpose; help is printed from it without imports."""

from collections.abc import Mapping

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Check citations": {
        "extract": "list every citation of a text with its offsets",
        "verify": "fetch and judge every cited source",
        "references": "check whether each reference exists and is described correctly",
        "claims": "check claims without citations against sources that you provide",
        "batch": "check folders and JSONL files of outputs; can be stopped and resumed",
        "resume": "resume a run that was stopped or interrupted",
    },
    "Review": {
        "serve": "serve the pages, the HTTP API, the pass-through and /mcp on this machine",
        "search": "search outputs, claims, rationales, notes and sources",
        "runs": "list the stored runs, rename one",
        "handoff": "have any chat window judge a run: write its questions, take the answers back",
        "demo": "add the shipped demo outputs and an example workspace once, offline",
    },
    "Evaluate judges": {
        "evaluate": "evaluate a judge on labelled pairs, with intervals",
        "calibrate": "evaluate a judge against human labels, and choose a threshold",
        "compare": "compare two judges, prompts or panels on the same labelled examples, with the "
        "differences",
        "drift": "monitor a judge over time on a fixed set of labelled examples",
        "prompts": "prompts of language models: versions, few-shot examples, optimisation",
        "models": (
            "list the models on this machine that can judge, and how to get known ones; downloads "
            "nothing"
        ),
    },
    "Manage data": {
        "import": "import labelled examples or a batch, each once; reports skipped lines",
        "export": "write verdicts and labels as a data set, with its data card",
        "snapshots": "stored sources: list, verify, export, import",
        "registry": "import libraries and retraction tables to look up references offline",
        "backup": "write the database and the stored sources to one file",
        "restore": "restore a backup",
        "erase": "delete an output and everything derived from it",
    },
    "Connect and learn": {
        "mcp": "serve the workbench's tools to agents (MCP)",
        "docs": "show the documentation of each interface",
        "completion": "print the script that completes commands and options in a shell",
    },
}
"""The commands of each group, each with a sentence, in the order of the help."""

DESCRIPTIONS: Mapping[str, str] = {
    name: sentence for commands in GROUPS.values() for name, sentence in commands.items()
}

MODULES: Mapping[str, tuple[str, ...]] = {
    "commands": ("extract", "verify", "claims", "resume", "evaluate"),
    "demo": ("demo",),
    "handoff": ("handoff",),
    "snapshots": ("snapshots",),
    "calibrate": ("calibrate",),
    "compare": ("compare",),
    "drift": ("drift",),
    "prompts": ("prompts",),
    "data": ("erase", "backup", "restore", "search"),
    "references": ("references",),
    "runs": ("runs",),
    "serve": ("serve", "mcp"),
    "batch": ("batch",),
    "datasets": ("import", "export"),
    "registry": ("registry",),
    "models": ("models",),
    "docs": ("docs",),
    "completion": ("completion",),
}
"""The module that adds each command, so that a command imports only what it needs."""


def overview(width: int = 80) -> str:
    """What the workbench is for and its commands in groups, within a width in characters."""
    from textwrap import wrap

    column = max(map(len, DESCRIPTIONS)) + 4
    lines = ["usage: workbench COMMAND …", "", "Check whether an AI's citations hold."]
    for title, commands in GROUPS.items():
        lines += ["", f"{title}:"]
        for name, sentence in commands.items():
            first, *more = wrap(sentence, max(width - column, 24))
            lines.append(f"  {name:<{column - 2}}{first}")
            lines += [" " * column + line for line in more]
    lines += [
        "",
        "Start with `workbench verify FILE --sources DIR`, or with `workbench demo` and then",
        "`workbench serve`. `workbench COMMAND --help` shows a command's options, `workbench docs`",
        "the documentation.",
    ]
    return "\n".join(lines) + "\n"


def unknown_command(name: str) -> str:
    """The error for an unknown command, with the most similar one, if any."""
    from difflib import get_close_matches

    like = get_close_matches(name, DESCRIPTIONS, n=1)
    return f"there is no command {name[:80]!r}" + (f"; did you mean {like[0]}?" if like else "")
