"""The embedded judge's model: from what is seen and read of a pair to its score and label."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.errors import UnknownJudge
from workbench.judging.encoder.reader import PairReading
from workbench.judging.labels import choose_label
from workbench.judging.reading_model import PairScore, ReadingModel, values_of
from workbench.records import VerdictLabel
from workbench.shipped import JUDGE_DATA


@dataclass(frozen=True, slots=True)
class Model:
    """What training produces."""

    version: str
    reading: ReadingModel
    """For what the encoder reads of a pair."""
    words: ReadingModel
    """For what is seen of its words, where there is no encoder."""

    def score(self, features: Mapping[str, float], reading: PairReading | None) -> PairScore:
        """The score of a pair by what the encoder reads, or by its features alone."""
        model = self.words if reading is None else self.reading
        return model.score(values_of(features, reading))

    def label(self, score: PairScore) -> VerdictLabel:
        """The label of a score."""
        model = self.reading if "read" in score.values else self.words
        return choose_label(score.values, score.supported, score.denied, model.limits)


@lru_cache(maxsize=4)
def load_model(folder: Path = JUDGE_DATA) -> Model:
    """The model in a folder.

    Raises:
        UnknownJudge: its files are missing or damaged.
    """
    try:
        stored = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
        return Model(
            version=str(stored["version"]),
            reading=ReadingModel.from_dict(stored["reading"]),
            words=ReadingModel.from_dict(stored["words"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnknownJudge(
            f"The embedded judge's files in {str(folder)!r} cannot be read: restore `data/judge` "
            f"from the repository."
        ) from error
