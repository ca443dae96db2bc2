"""The runtime of the encoder keeps and sends no usage statistics."""

import os
import subprocess
import sys

JUDGE = """
from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
claim = "The bridge is 120 m long."
print(open_judge("local").judge(claim, select_passages(claim, claim)).rationale)
"""


def test_judging_leaves_no_statistics_in_the_home_folder(tmp_path):
    judged = subprocess.run(
        [sys.executable, "-c", JUDGE], env=_home(tmp_path / "home"), capture_output=True, text=True
    )
    assert "stands in the source" in judged.stdout, judged.stderr
    assert not [path for path in (tmp_path / "home").rglob("*") if path.is_file()]


def _home(folder):
    folder.mkdir()
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    return {**kept, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
