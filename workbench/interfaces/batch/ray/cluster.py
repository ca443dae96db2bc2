"""A Ray cluster of this machine alone for as long as a batch takes, or one that is there already.

A cluster of our own listens on the loopback address only, asks for a token that nobody else has,
shows no dashboard, sends no usage statistics, and leaves neither processes nor files behind.
"""

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from importlib.util import find_spec
from pathlib import Path

from workbench.errors import UsageError

_RAY_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # its name tells of other systems; what it does is to keep every port on the loopback address
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_enable_metrics_collection": "0",
    "RAY_DEDUP_LOGS": "0",
}
OBJECT_STORE_BYTES = 128 * 1024 * 1024
"""Outputs and their results travel through it; a few are under way at once."""
_FOLDER = "workbench-ray-"


def check_ray() -> None:
    """Nothing, where Ray is installed.

    Raises:
        UsageError: It is not.
    """
    if find_spec("ray") is None:
        raise UsageError(
            "--engine ray needs Ray: pip install 'ray==2.60.0', or use --engine local, which uses "
            "all of this machine."
        )


@contextmanager
def cluster(address: str | None, workers: int | None) -> Iterator[int]:
    """The CPUs of a connected cluster; disconnected, and our own one stopped, at the end.

    Args:
        address: Of a cluster that is there; None starts one on this machine.
        workers: Processes of a cluster of our own; None for one a CPU.

    Raises:
        UsageError: Ray is not installed, or the cluster cannot be reached or started.
    """
    check_ray()
    own_cluster = _start_cluster(workers or os.cpu_count() or 1)
    # Ray tells of dead workers on standard output, which belongs to the result
    with (
        redirect_stdout(sys.stderr),
        own_cluster if address is None else _join_cluster(address) as cpus,
    ):
        yield cpus


@contextmanager
def _join_cluster(address: str) -> Iterator[int]:
    import ray

    if address.startswith("ray://"):
        raise UsageError(
            "Start the batch on a machine of the cluster, with --ray-address auto or HOST:PORT; "
            "a ray:// address uses a proxy that cannot store its results."
        )
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UsageError(f"The Ray cluster {address} cannot be joined: {reason}") from None
    try:
        yield max(1, int(ray.cluster_resources().get("CPU", 1)))
    finally:
        ray.shutdown()


@contextmanager
def _start_cluster(workers: int) -> Iterator[int]:
    _sweep()
    folder = tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-")
    package_root = str(Path(__file__).resolve().parents[4])
    path = os.pathsep.join([package_root, *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = {**_RAY_ENVIRONMENT, "RAY_AUTH_TOKEN": secrets.token_hex(32), "PYTHONPATH": path}
    previous = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        import ray

        try:
            ray.init(
                address="local",
                num_cpus=workers,
                num_gpus=0,
                include_dashboard=False,
                _temp_dir=folder,
                log_to_driver=False,
                configure_logging=False,
                logging_level="ERROR",
                object_store_memory=OBJECT_STORE_BYTES,
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            reason = " ".join(str(error).split())[:200]
            raise UsageError(f"Ray could not be started on this machine: {reason}") from None
        yield workers
    finally:
        import ray

        ray.shutdown()
        for name, value in previous.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Take away the folders of clusters whose process was killed and is gone."""
    for path in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        number = path.name.removeprefix(_FOLDER).partition("-")[0]
        if not number.isdecimal() or path.is_symlink():
            continue
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            with suppress(OSError):
                shutil.rmtree(path)
        except OSError:
            continue
