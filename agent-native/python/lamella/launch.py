"""Which launch this process belongs to, where something that all processes of it have, and no other launch has, tells: docs/shape-format.md, `run_id`.

Invariant: "" rather than a doubtful answer. Stages of equal runs are merged and those of different runs never are, so an id that two ranks of one launch do
not share keeps their model from ever being whole. So vLLM's instance_id is not asked: each node of a deployment, and each view of its configuration, makes its own.
"""
import hashlib
import os
from typing import Mapping, Optional, Tuple


def run_id(pp_size: int, environment: Optional[Mapping[str, str]] = None) -> str:
    """32 hex digits, "" where no launch can be told or the model is in one piece."""
    told = _told(os.environ if environment is None else environment) if pp_size > 1 else ()
    return hashlib.sha256("\t".join(told).encode("utf-8", "surrogateescape")).hexdigest()[:32] if told else ""


def _told(env: Mapping[str, str]) -> Tuple[str, ...]:
    attempt = env.get("TORCHELASTIC_RESTART_COUNT", "")
    if env.get("LAMELLA_RUN_ID"):
        return "said", env["LAMELLA_RUN_ID"], attempt
    if env.get("SLURM_JOB_ID") and env.get("SLURM_STEP_ID"):
        return "slurm", env["SLURM_JOB_ID"], env["SLURM_STEP_ID"], env.get("SLURM_RESTART_COUNT", ""), attempt
    if env.get("TORCHELASTIC_RUN_ID", "none") != "none":
        return "torchrun", env["TORCHELASTIC_RUN_ID"], attempt
    # On one machine torchrun gives each launch a folder of its own: /tmp/torchelastic_<random>/<run>_<random>/attempt_<n>/<rank>/error.json.
    if env.get("TORCHELASTIC_ERROR_FILE") and env.get("WORLD_SIZE") == env.get("LOCAL_WORLD_SIZE"):
        return "torchrun", os.path.dirname(os.path.dirname(env["TORCHELASTIC_ERROR_FILE"])), attempt
    return ()
