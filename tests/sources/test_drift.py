"""What changed between two readings of one address."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from workbench.records.source import Source
from workbench.sources.snapshots import diff_snapshots


def source(text):
    return Source(
        url="u", final_url="u", status=200, content_type="text/html", bytes=len(text),
        sha256=hashlib.sha256(text.encode()).hexdigest(), title=None, fetched_at=None,
        truncated=False, text=text,
    )  # fmt: skip


def test_a_changed_line_is_shown_on_both_sides():
    change = diff_snapshots(source("Rain\nIt was 42 mm.\nEnd"), source("Rain\nIt was 24 mm.\nEnd"))
    assert change.removed == ("It was 42 mm.",)
    assert change.new == ("It was 24 mm.",)
    assert not change.same_text
    assert not change.same_bytes
    # 2 of 3 lines are shared on each side: 2 * 2 / 6
    assert change.likeness == 0.6667


def test_other_bytes_may_say_the_same():
    change = diff_snapshots(source("Rain\n\nEnd"), source("Rain \nEnd\n"))
    assert change.same_text
    assert not change.same_bytes
    assert change.likeness == 1.0


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_likeness_is_one_only_for_the_same_text(before, after):
    change = diff_snapshots(source("\n".join(before)), source("\n".join(after)))
    assert 0 <= change.likeness <= 1
    assert (change.likeness == 1) == (before == after)
    assert change.same_text == (before == after)
