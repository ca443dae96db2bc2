"""The keys of the settings file and the variables of the environment."""

from dataclasses import MISSING

from workbench.interfaces.docs.fields_reference import field_notes
from workbench.interfaces.docs.tables import code, table
from workbench.records.source import RetrievalOptions
from workbench.settings import KEYS, SERVER_KEYS, VARIABLES, Serving, Settings


def describe_settings() -> str:
    """A table of the variables, and one of the keys with their types, defaults and meanings."""
    notes = {**field_notes(Settings), **field_notes(RetrievalOptions)}
    usual = {
        name: getattr(RetrievalOptions(), name) for name in RetrievalOptions.__dataclass_fields__
    }
    usual |= {
        name: field.default
        for name, field in Settings.__dataclass_fields__.items()
        if field.default is not MISSING
    }
    rows = [
        [code(key), kind, code(_toml(usual.get(key))), notes.get(key, "")]
        for key, kind in sorted(KEYS.items())
    ]
    served = [
        [code(key), kind, code(_toml(getattr(Serving(), key))), field_notes(Serving).get(key, "")]
        for key, kind in sorted(SERVER_KEYS.items())
    ]
    variables = [[code(name), description] for name, description in VARIABLES.items()]
    return "\n\n".join(
        [
            "Environment variables; they take precedence over the file:",
            table(["variable", "what it does"], variables),
            "Keys of `settings.toml`:",
            table(["key", "holds", "default", "what it does"], rows),
            "Keys under `[server]`:",
            table(["key", "holds", "default", "what it does"], served),
        ]
    )


def _toml(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[]" if not value else str(list(value))
    if isinstance(value, dict):
        return "{}"
    return str(value)
