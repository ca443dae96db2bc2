"""Whether a proposed prompt repeats words of the items that its proposer was shown."""

import re
from collections.abc import Iterable

LONGEST = 40
"""So many letters in a row, or a whole text from `SHORTEST` letters on, are no coincidence."""
SHORTEST = 20
DENSE = 14
"""The same for scripts that write a word with a letter or two."""
_GAP = re.compile(r"[\W_]+")


def leaks_training_text(proposed: str, before: str, texts: Iterable[str]) -> bool:
    """Whether what is proposed repeats a run of letters of any text that was not in `before`.

    Case, spaces and punctuation count for nothing.
    """
    new, old = _plain(proposed), _plain(before)
    for text in texts:
        plain_text = _plain(text)
        longest = (
            DENSE if sum(char > "\u2e80" for char in plain_text) * 2 > len(plain_text) else LONGEST
        )
        if len(plain_text) < longest:
            if (
                len(plain_text) >= min(SHORTEST, longest)
                and plain_text in new
                and plain_text not in old
            ):
                return True
            continue
        runs = {plain_text[at : at + longest] for at in range(len(plain_text) - longest + 1)}
        if any(
            new[at : at + longest] in runs and new[at : at + longest] not in old
            for at in range(len(new) - longest + 1)
        ):
            return True
    return False


def _plain(text: str) -> str:
    return _GAP.sub(" ", text.casefold()).strip()
