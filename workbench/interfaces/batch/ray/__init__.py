"""The same batch on a Ray cluster: outputs as tasks, shared things held by one actor each."""

from workbench.interfaces.batch.ray.engine import run_batch_on_ray

__all__ = ["run_batch_on_ray"]
