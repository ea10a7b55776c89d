"""What the weight loaders of vLLM say: along which dimension they take a rank's part of a tensor, and how large that dimension is where they know it.

A loader is a function that a tensor carries. It is never called: its closure, what it is bound to and the names its code uses are read.
"""
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any, Dict, NamedTuple, Optional, Tuple

# Functions that split one dimension always, and say so in their code alone. By the ending of their qualified names.
_KNOWN = (
    ("MambaMixer.__init__.<locals>.weight_loader", 0),
    ("MambaMixer.__init__.<locals>.A_weight_loader", 0),
    ("BailingGroupRMSNormGate._weight_loader", 0),
    ("MiniMaxText01RMSNormTP.weight_loader", 0),
    ("_load_a_log", 2),  # [1, 1, heads, 1]
    ("_a_log_weight_loader", 2),
)
_HANDS_ON = ("loader", "weight_loader", "original_loader")  # variables in which a loader keeps another one that it asks
_ASKS_FOR_RANK = frozenset(("get_tensor_model_parallel_rank", "tp_rank"))
_DEEPEST = 4
# By address of code: what functions without variables of their own say, for tensors of so many dimensions. Nearly all loaders are methods of few layers, and
# each is asked about once for every tensor. The code is kept, so that no other one gets its address.
_known_code: Dict[int, Tuple[CodeType, Dict[int, "Optional[Division]"]]] = {}
_MOST_CODES = 1024

UNTOLD = -1


class Division(NamedTuple):
    """`axis` is UNTOLD for a loader that takes a rank's part and does not say along which dimension. `ranks` share the tensor; 0 stands for all tensor-parallel
    ones. `held` and `whole` are the sizes of the dimension, 0 where the loader does not know them; each element is on `replicas` ranks at most. `may_repeat`: a
    rank's part may be that of another one, where there are more ranks than heads."""

    axis: int
    ranks: int = 0
    held: int = 0
    whole: int = 0
    replicas: int = 1
    may_repeat: bool = False


def loader_of(hints: Dict[str, Any]) -> Any:
    """Of a tensor with these attributes: vLLM's own parameters keep it behind a property."""
    loader = hints.get("weight_loader")
    return hints.get("_weight_loader") if loader is None else loader


def division(loader: Any, rank: int) -> Optional[Division]:
    """How a loader divides a tensor of so many dimensions; None for one that takes it whole."""
    ranks = 0
    for _ in range(_DEEPEST):
        if type(loader) is partial:  # MiniMax: as many ranks as there are key heads
            asked = loader.keywords.get("shard_world_size")
            ranks = asked if type(asked) is int and asked > 0 else ranks
            loader = loader.func
        if type(loader) is MethodType:
            loader = loader.__func__
        if type(loader) is not FunctionType:
            return None
        if loader.__closure__ is None:
            told = _told_by_code(loader, rank)
            return told._replace(ranks=ranks) if told is not None and ranks else told
        closure = _closure(loader)
        told = _told(loader, closure, rank)
        if told is not None:
            return told._replace(ranks=ranks) if ranks else told
        loader = next((closure[name] for name in _HANDS_ON if name in closure), None)
    return None


def _told_by_code(function: FunctionType, rank: int) -> Optional[Division]:
    known = _known_code.get(id(function.__code__))
    if known is None:
        if len(_known_code) >= _MOST_CODES:
            _known_code.clear()
        known = _known_code[id(function.__code__)] = (function.__code__, {})
    if rank not in known[1]:
        known[1][rank] = _told(function, {}, rank)
    return known[1][rank]


def _closure(function: FunctionType) -> Dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # an empty cell
            continue
    return found


def _told(function: FunctionType, closure: Dict[str, Any], rank: int) -> Optional[Division]:
    axis = closure.get("shard_axis")
    if type(axis) is int:
        return Division(axis) if 0 <= axis < rank else None
    if "shard_spec" in closure:
        return _grouped(closure["shard_spec"], closure.get("tp_size")) if rank else None
    if function.__name__ == "row_parallel_weight_loader":
        return Division(0, may_repeat=True) if rank > 1 else None
    for name, axis in _KNOWN:
        if function.__qualname__.endswith(name):
            return Division(axis) if axis < rank else None
    asks = not _ASKS_FOR_RANK.isdisjoint(function.__code__.co_names + function.__code__.co_freevars)
    return Division(UNTOLD) if asks and rank else None


def _grouped(spec: Any, ranks: Any) -> Optional[Division]:
    """`mamba_v2_sharded_weight_loader`: a list of (size, extra, …) of the parts laid one after another. A group of heads that every rank needs is counted once
    for each rank, and `extra` is what that adds: one group of 128 under TP 4 is (512, 384, True)."""
    sizes = [part[:2] for part in spec if type(part) is tuple and all(type(size) is int for size in part[:2])] if type(spec) is list else []
    if not sizes or len(sizes) != len(spec) or type(ranks) is not int or ranks < 1 or any(size <= extra for size, extra in sizes):
        return Division(UNTOLD)
    held, whole = sum(size // ranks for size, _ in sizes), sum(size - extra for size, extra in sizes)
    return Division(0, ranks, held, whole, max(size // (size - extra) for size, extra in sizes))
