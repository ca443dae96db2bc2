"""Where on a page each keyed element stands, and which ones a rerun has moved.

The browser draws an element at its new place before it clears the old one: what moved up is in the
page twice until then, which takes as long as the script. So whatever comes and goes has a container
of its own, and what stands below it keeps its place.
"""

import re

Place = tuple[int, ...]


def places(at):
    """The place of each keyed element, as indices from the root of the page down."""
    by_key = {}

    def walk(node, place):
        key = getattr(node, "key", None) or _key_of(getattr(node, "proto", None))
        if key:
            by_key.setdefault(key, place)
        for index, child in (getattr(node, "children", None) or {}).items():
            walk(child, (*place, index))

    walk(at._tree, ())
    return by_key


def moved(before, after):
    """Keys that stand elsewhere now, with both places."""
    return {
        key: (place, after[key])
        for key, place in before.items()
        if key in after and after[key] != place
    }


def _key_of(proto):
    """The key in the id of a component or a container: `$$ID-hash-key`."""
    match = re.fullmatch(r"\$\$ID-[0-9a-f]+-(.+)", str(getattr(proto, "id", "")))
    return match[1] if match and match[1] != "None" else None
