"""Builds models from vLLM's own layer classes, each as one rank of a deployment of any size, and prints what the reader makes of it.

`python vllm_deployments.py PACKAGE MODELS` prints one JSON line for each deployment of each model; MODELS is JSON: [[served name, folder of config.json,
[[TP, PP, PP rank, expert parallelism (0 or 1, optional)], …]], …]. The groups stand in for processes that are not there: vLLM's layers ask them for sizes
and ranks only.
"""
import base64
import json
import os
import sys

package, models = sys.argv[1:]
os.environ.update(HF_HUB_OFFLINE="1", VLLM_LOGGING_LEVEL="ERROR")
sys.path.insert(0, package)

import torch
from vllm.config import DeviceConfig, ModelConfig, ParallelConfig, VllmConfig, set_current_vllm_config
from vllm.distributed import parallel_state
from vllm.model_executor.model_loader.utils import initialize_model

from lamella import wire
from lamella.layout import layout_id
from lamella.totals import totals
from lamella.walk import walk


class ProcessGroup:
    def __init__(self, size, rank):
        self.size, self.rank = (lambda: size), (lambda: rank)


class Group:
    def __init__(self, size, rank=0):
        self.world_size, self.rank_in_group, self.rank, self.local_rank, self.ranks = size, rank, rank, rank, list(range(size))
        self.is_first_rank, self.is_last_rank = rank == 0, rank == size - 1
        self.device_group = self.cpu_group = ProcessGroup(size, rank)


def build(name, folder, tp, pp, pp_rank, expert_parallel=0):
    parallel_state._TP, parallel_state._PP, parallel_state._EP = Group(tp), Group(pp, pp_rank), Group(tp)
    parallel_state._DP = parallel_state._DCP = parallel_state._PCP = Group(1)
    parallel_state._WORLD = Group(tp * pp)
    model = ModelConfig(model=folder, skip_tokenizer_init=True, dtype="bfloat16", served_model_name=name, enforce_eager=True)
    parallel = ParallelConfig()
    parallel.tensor_parallel_size, parallel.pipeline_parallel_size, parallel.world_size = tp, pp, tp * pp
    parallel.enable_expert_parallel = bool(expert_parallel)
    config = VllmConfig(model_config=model, parallel_config=parallel, device_config=DeviceConfig(device="cpu"))
    torch.set_default_dtype(torch.bfloat16)
    # The map of experts is computed with, which the meta device cannot do.
    with set_current_vllm_config(config), torch.device("cpu" if expert_parallel else "meta"):
        return initialize_model(vllm_config=config, model_config=model)


for name, folder, deployment in [(name, folder, deployment) for name, folder, deployments in json.loads(models) for deployment in deployments]:
    walked = walk(build(name, folder, *deployment))
    counts = totals(walked.shape)
    upload = wire.shape_upload(walked.shape, walked.layout, walked.identity.model_key, walked.identity.architecture, walked.shape_id)
    answer = {
        "name": walked.identity.name,
        "architecture": walked.identity.architecture,
        "modelKey": walked.identity.model_key,
        "shapeId": walked.shape_id,
        "layoutId": layout_id(walked.layout),
        "parameters": counts.parameters,
        "modules": counts.modules,
        "sizes": walked.layout.sizes._asdict(),
        "tensors": {"%s.%s" % (m.class_name, t.name): list(t.dims) for m in walked.shape.modules for t in m.tensors},
        "sharded": dict(walked.layout.sharded),
        "replicated": dict(walked.layout.replicated),
        "aliases": len(walked.layout.aliases),
        "notes": list(walked.notes),
        "upload": base64.b64encode(wire.encode(wire.SHAPE_UPLOAD, upload)).decode(),
    }
    print(json.dumps(answer))
