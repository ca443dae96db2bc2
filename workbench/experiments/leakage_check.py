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
    """Whether what is proposed repeats a run of letters of any text that did not stand `before`.

    Case, spaces and punctuation count for nothing.
    """
    new, old = _plain(proposed), _plain(before)
    for text in texts:
        found = _plain(text)
        longest = DENSE if sum(one > "\u2e80" for one in found) * 2 > len(found) else LONGEST
        if len(found) < longest:
            if len(found) >= min(SHORTEST, longest) and found in new and found not in old:
                return True
            continue
        runs = {found[at : at + longest] for at in range(len(found) - longest + 1)}
        if any(
            new[at : at + longest] in runs and new[at : at + longest] not in old
            for at in range(len(new) - longest + 1)
        ):
            return True
    return False


def _plain(text: str) -> str:
    return _GAP.sub(" ", text.casefold()).strip()
