"""Where models of the user's own lie: a folder for them, and what was opened by its path before.

A run names such a judge `nli:NAME@HASH`, without the path. To open it again by that name, its path
is kept in `locations.json` of the models' folder, on this machine only. Without such a folder (the
library, which reads no settings) it is kept for as long as the process lives.
"""

import json
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UnknownJudge
from workbench.judging.nli.files import ModelFiles, find_files, holds_model, model_hash
from workbench.judging.nli.spec import USAGE, ModelOptions, parse_options

LOCATIONS = "locations.json"
NAME = re.compile(r"[^/\\?@]+@[0-9a-f]{8}")
"""The name of a judge in runs, without `nli:`."""
_LOCK = threading.Lock()


@dataclass(slots=True)
class _Places:
    """What this process knows."""

    folder: Path | None = None
    opened: dict[str, str] | None = None


_PLACES = _Places()


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedModel:
    """A model that was found by its SPEC."""

    name: str
    """`NAME@HASH`: its folder's name, and a hash over its bytes and options."""
    files: ModelFiles
    options: ModelOptions

    @property
    def spec(self) -> str:
        """The SPEC by which runs name it: `nli:NAME@HASH`."""
        return f"nli:{self.name}"


def use_models_folder(folder: Path | None) -> None:
    """Look models up in this folder from now on, and keep there where others lie."""
    _PLACES.folder = folder


def models_folder() -> Path | None:
    """The folder that models are looked up in."""
    return _PLACES.folder


def list_model_folders(folder: Path) -> list[Path]:
    """The folders below one that look like a model's, by name; nothing is opened."""
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir() and holds_model(path))
    except OSError:
        return []


def locate(text: str) -> LocatedModel:
    """The model that stands behind `nli:`: a path, a folder in the models' folder, or `NAME@HASH`.

    Raises:
        UnknownJudge: There is none, its files are incomplete, or they are no longer those of the
            hash.
    """
    text = text.strip()
    if not text:
        raise UnknownJudge(f"nli: names no model: {USAGE}.")
    if NAME.fullmatch(text) and not Path(text).expanduser().is_dir():
        return _by_name(text)
    folder, options = _split(text)
    model = _located(folder, options)
    _remember(model)
    return model


def run_name(text: str) -> str:
    """The name under which runs keep the model behind `nli:`; one that is such a name stays it.

    Raises:
        UnknownJudge: As `locate`.
    """
    is_name = NAME.fullmatch(text.strip()) and not Path(text.strip()).expanduser().is_dir()
    return text.strip() if is_name else locate(text).name


def _split(text: str) -> tuple[Path, ModelOptions]:
    """Folder and options; a path to a model's file is its folder and `file`."""
    path_text, _, options_text = text.partition("?")
    options = parse_options(options_text)
    if not path_text:
        raise UnknownJudge(f"nli:{text} names no folder: {USAGE}.")
    path = Path(path_text).expanduser()
    is_name = not {"/", "\\"} & set(path_text) and path_text not in (".", "..")
    if is_name and _PLACES.folder and (_PLACES.folder / path_text).is_dir():
        path = _PLACES.folder / path_text
    if not path.exists():
        # as it was written: the rest of the path is nobody's business who asks over a network
        raise UnknownJudge(
            f"There is no folder {path_text!r} with a model: name an existing one, or see "
            "`workbench models` for available models and how to get one."
        )
    if path.is_file() and not options.file:
        folder = path.parent.parent if path.parent.name == "onnx" else path.parent
        chosen = parse_options(f"file={path.relative_to(folder).as_posix()}").file
        values = {name: getattr(options, name) for name in ModelOptions.__dataclass_fields__}
        return folder.resolve(), ModelOptions(**{**values, "file": chosen})
    return path.resolve(), options


def _located(folder: Path, options: ModelOptions) -> LocatedModel:
    files = find_files(folder, options)
    plain = re.sub(r"[^\w.\-]+", "-", folder.name).strip("-") or "model"
    try:
        return LocatedModel(
            name=f"{plain}@{model_hash(files, options)}", files=files, options=options
        )
    except OSError as error:
        raise UnknownJudge(
            f"A file of the model in {folder.name!r} cannot be read "
            f"({error.strerror or 'unknown reason'})."
        ) from error


def _by_name(name: str) -> LocatedModel:
    """The model of a run's name, out of what was opened before or out of the models' folder."""
    plain = name.partition("@")[0]
    changed = False
    for text in _candidates(name):
        try:
            model = _located(*_split(text))
        except UnknownJudge:
            continue
        if model.name == name:
            return model
        changed = True
    if changed:
        raise UnknownJudge(
            f"The model {plain} is no longer the one of {name}: its files have changed. Restore "
            f"them, or use its path (nli:PATH) to use the current files."
        )
    raise UnknownJudge(
        f"No model {name} is known here: name it once by its path (nli:PATH), or put its folder "
        f"{plain} where `workbench models` looks for models."
    )


def _candidates(name: str) -> Iterator[str]:
    opened = _read_locations()
    if name in opened:
        yield opened[name]
    if _PLACES.folder is not None:
        for folder in list_model_folders(_PLACES.folder):
            if re.sub(r"[^\w.\-]+", "-", folder.name).strip("-") == name.partition("@")[0]:
                yield str(folder)


def _remember(model: LocatedModel) -> None:
    """Keep where a model lies, unless that is known already."""
    options = model.options.text
    place = str(model.files.folder) + (f"?{options}" if options else "")
    with _LOCK:
        known = _read_locations()
        if known.get(model.name) == place:
            return
        known[model.name] = place
        _PLACES.opened = known
        if _PLACES.folder is not None:
            _write_locations(_PLACES.folder, known)


def _read_locations() -> dict[str, str]:
    """The places by name; a damaged file counts as empty."""
    known = dict(_PLACES.opened or {})
    if _PLACES.folder is None:
        return known
    try:
        stored = json.loads((_PLACES.folder / LOCATIONS).read_text("utf-8"))
    except (OSError, ValueError):
        return known
    kept = stored if isinstance(stored, dict) else {}
    return {**known, **{str(name): str(place) for name, place in kept.items()}}


def _write_locations(folder: Path, known: dict[str, str]) -> None:
    """Write them in one go; where that is not possible, they last as long as the process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, prefix=".locations-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1, sort_keys=True)
        Path(draft).replace(folder / LOCATIONS)
    except OSError:
        return
