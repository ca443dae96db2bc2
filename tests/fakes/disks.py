"""Disks that are full or read-only, for commands in a mount namespace of their own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


class Disk:
    """Where commands see the mount, as no other process does."""

    def __init__(self, holder: int, path: Path) -> None:
        self._enter = ["nsenter", "-t", str(holder), "-U", "-m", "--preserve-credentials"]
        self.path = path

    def command(self, *argv: str) -> list[str]:
        """A command line that runs in the namespace."""
        return [*self._enter, f"--wd={PROJECT}", *argv]

    def run(self, *argv: str, stdin: str = "") -> subprocess.CompletedProcess:
        """What a command does and says there; its data folder is on the disk."""
        return subprocess.run(
            self.command(*argv), input=stdin, capture_output=True, text=True, timeout=180,
            env={**os.environ, "WORKBENCH_DATA": str(self.path)},
        )  # fmt: skip

    def workbench(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess:
        """The same for a command of the workbench."""
        return self.run(sys.executable, "-m", "workbench", *arguments, stdin=stdin)

    def fill(self) -> None:
        """Leave no byte free."""
        self.run("dd", "if=/dev/zero", f"of={self.path}/filler", "bs=4k")

    def empty(self) -> None:
        """Free what `fill` took."""
        self.run("rm", f"{self.path}/filler")


@contextmanager
def full_disk(data: Path, mount: Path, size: str = "32m") -> Iterator[Disk]:
    """A small disk with a copy of a data folder, and no byte free."""
    with _mounted(
        f'mount -t tmpfs -o size={size} tmpfs "$2" && cp -r "$1"/. "$2"', data, mount
    ) as disk:
        disk.fill()
        yield disk


@contextmanager
def read_only_disk(data: Path, mount: Path) -> Iterator[Disk]:
    """A data folder that not even root may write to."""
    with _mounted(
        'mount --bind "$1" "$2" && mount -o remount,bind,ro "$2"', data, mount
    ) as disk:  # fmt: skip
        yield disk


@contextmanager
def _mounted(script: str, data: Path, mount: Path) -> Iterator[Disk]:
    if not (shutil.which("unshare") and shutil.which("nsenter")):
        pytest.skip("this system has no unshare and nsenter")
    mount.mkdir(parents=True, exist_ok=True)
    holder = subprocess.Popen(
        ["unshare", "--map-root-user", "--mount", "sh", "-c",
         f"{script} && echo mounted && read line", "sh", str(data), str(mount)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        if holder.stdout.readline() != "mounted\n":
            pytest.skip(f"no disk can be mounted here: {holder.stderr.read().strip()[:200]}")
        yield Disk(holder.pid, mount)
    finally:
        holder.communicate("\n", timeout=20)
