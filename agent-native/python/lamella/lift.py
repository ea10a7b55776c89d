"""What one rank holds of a tensor → what the whole model has, and the dimension it is split along.

Parallel layers say the size they were asked for beside the size they hold (`output_size` and `output_size_per_partition`), in vLLM, SGLang and Megatron by
the same names. They are read by attribute, never by class: classes move and are subclassed. What says nothing is taken to be whole.
"""
from types import FunctionType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .layout import WHOLE, Held
from .raw_object import attributes

# What lift() reads of a module without fused experts. Modules alike in these and in their tensors lift alike.
MODULE_HINTS = (
    ("output_size", "output_size_per_partition", "input_size", "input_size_per_partition")
    + ("total_num_kv_heads", "total_num_heads", "head_size", "v_head_size", "num_kv_head_replicas")
    + ("num_embeddings_per_partition", "org_vocab_size", "num_embeddings", "num_embeddings_padded")
)

# Tensors of these layouts are stored input first: GPTQ, AWQ and what is repacked from them.
INPUT_FIRST = frozenset(("qweight", "qzeros", "scales"))
# vLLM's Mamba splits these by functions of its constructor.
FIRST_DIMENSION_LOADERS = ("MambaMixer.__init__.<locals>.weight_loader", "MambaMixer.__init__.<locals>.A_weight_loader")
# One value for each attention head a rank has; neither the tensor nor its module says of how many.
PER_HEAD = frozenset(("sinks", "attention_sinks", "attn_sink", "attention_sink_bias"))
# Vectors with a value for each input.
INPUTS_ONLY = frozenset(("g_idx", "g_idx_sort_indices", "weight_g_idx", "perm", "input_perm", "pre_quant_scale"))

Dims = Tuple[int, ...]


class Lifted(NamedTuple):
    dims: Dims  # of the whole model
    held: Held
    note: str = ""  # what could not be told


class _Axis(NamedTuple):
    """One side of a layer. `held` and `whole` are in logical elements, `stored` is the size over all ranks with its padding; `side` is where weights have it."""

    held: int
    whole: int
    stored: int
    side: str  # "output", "input", "experts"


def _size(owner: Dict[str, Any], name: str) -> int:
    value = owner.get(name)
    return value if type(value) is int and value > 0 else 0  # a bool or a proxy is no size


def _output_size(owner: Dict[str, Any]) -> int:
    """`output_size` of a fused q, k, v projection counts the heads that several ranks hold once for each: 12,288 for Qwen3-32B under TP 16. Its own heads
    are the truth: 64 · 128 + 8 · (128 + 128) = 10,240."""
    heads, kv_heads, size = _size(owner, "total_num_heads"), _size(owner, "total_num_kv_heads"), _size(owner, "head_size")
    if heads and kv_heads and size:
        return heads * size + kv_heads * (size + (_size(owner, "v_head_size") or size))
    return _size(owner, "output_size")


def _linear_axes(owner: Dict[str, Any]) -> List[_Axis]:
    axes = []
    vocabulary = _size(owner, "org_vocab_size")
    held, whole = _size(owner, "output_size_per_partition"), _output_size(owner)
    if vocabulary and _size(owner, "num_embeddings_per_partition"):
        axes.append(_Axis(_size(owner, "num_embeddings_per_partition"), vocabulary, _size(owner, "num_embeddings_padded") or vocabulary, "output"))
    elif _size(owner, "num_embeddings_per_partition") and _size(owner, "num_embeddings"):
        whole = _size(owner, "num_embeddings")  # Megatron: padded before the layer knows
        axes.append(_Axis(_size(owner, "num_embeddings_per_partition"), whole, whole, "output"))
    elif held and whole:
        axes.append(_Axis(held, whole, whole, "output"))
    held, whole = _size(owner, "input_size_per_partition"), _size(owner, "input_size")
    if held and whole:
        axes.append(_Axis(held, whole, whole, "input"))
    return axes


def _expert_axes(owner: Dict[str, Any], name: str) -> List[_Axis]:
    config = attributes(owner.get("moe_config")) or {}
    parallel = attributes(config.get("moe_parallel_config")) or {}
    held = _size(owner, "local_num_experts") or _size(owner, "num_local_experts") or _size(config, "num_local_experts")
    # Copies of busy experts are a matter of the deployment; experts that stand in for shared ones are the model's.
    whole = _size(config, "num_logical_experts") or _size(owner, "global_num_experts") - _size(owner, "num_redundant_experts")
    if whole <= 0:
        whole = _size(owner, "num_experts")
    axes = [_Axis(held, whole, whole, "experts")] if held and whole else []
    width = _size(owner, "intermediate_size_per_partition")
    if width:
        ranks = _size(parallel, "tp_size") or _size(owner, "moe_tp_size") or _size(owner, "tp_size") or 1
        whole = _size(config, "intermediate_size")
        if not width <= whole <= width * ranks:
            whole = width * ranks
        fused = 2 if name.startswith("w13") else 1  # gate and up in one
        axes.append(_Axis(fused * width, fused * whole, fused * width * ranks, "output" if name.startswith("w13") else "input"))
        hidden = _size(owner, "hidden_size")
        if hidden:
            axes.append(_Axis(hidden, hidden, hidden, "input" if name.startswith("w13") else "output"))
    return axes


def has_experts(owner: Dict[str, Any]) -> bool:
    """Fused experts: `w13_weight`, `w13_qweight`, `w13_weight_packed` and their like, [experts, …]."""
    parameters = owner.get("_parameters")
    return type(parameters) is dict and any(type(name) is str and name.startswith("w13_") for name in parameters)


def expert_ranks(owner: Dict[str, Any]) -> int:
    """Ranks that the experts of this module are spread over; 1 when every rank has all of them, or it has none."""
    if not has_experts(owner):
        return 1
    return next((max(1, axis.whole // axis.held) for axis in _expert_axes(owner, "") if axis.side == "experts"), 1)


def _differs(axes: List[_Axis]) -> bool:
    return any(axis.held != axis.whole or axis.stored != axis.whole for axis in axes)


def holds_all(owner: Dict[str, Any]) -> bool:
    """A module without fused experts says of no side of its that there is more of it elsewhere."""
    return not _differs(_linear_axes(owner))


def _hinted(hints: Dict[str, Any], side: str) -> Optional[int]:
    """The dimension a fresh parameter of vLLM names itself; gone once weights are repacked."""
    for key in ("_%s_dim" % side, "%s_dim" % side):
        value = hints.get(key)
        if type(value) is int:
            return value
    return None


def _fit(size: int, held: int) -> int:
    """How well a dimension can be a side of a layer: one for each element; one for a word, a group, a block or a tile of them; only one at all; not."""
    if size == held:
        return 3
    if size == 1:
        return 1
    return 2 if held % size == 0 or size % held == 0 else 0


def _places(axes: List[_Axis], name: str, dims: Dims, hints: Dict[str, Any]) -> Dict[str, int]:
    """Side of the layer → dimension of the tensor that is this side; a side without its dimension is absent."""
    places: Dict[str, int] = {}
    held = {axis.side: axis.held for axis in axes}
    indices = list(range(len(dims)))
    if "experts" in held:  # they come first, whatever follows
        if dims and dims[0] == held["experts"]:
            places["experts"] = 0
        name, indices = name.partition("_")[2], indices[1:]  # w13_qweight is packed as a qweight is
    else:
        hinted = {side: _hinted(hints, side) for side in ("output", "input")}
        if any(at is not None for at in hinted.values()):  # a group of inputs may be all that a rank has: then its dimension is 1
            return {side: at for side, at in hinted.items() if at is not None and 0 <= at < len(dims)}
    order = ("input", "output") if name in INPUT_FIRST else ("output", "input")
    if len(indices) == 2 and all(side in held for side in order):
        first, last = indices
        straight, turned = (_fit(dims[first], held[order[0]]), _fit(dims[last], held[order[1]])), (_fit(dims[first], held[order[1]]), _fit(dims[last], held[order[0]]))
        if min(turned) > 0 and (min(straight) == 0 or sum(turned) > sum(straight)):
            order, straight = order[::-1], turned
        places.update((side, at) for side, at, fit in zip(order, indices, straight) if fit > 1)
    elif len(indices) == 1:  # anything but one value for each element of a side is one for each fused part
        for side in ("input", "output") if name in INPUTS_ONLY else ("output", "input"):
            if dims[indices[0]] == held.get(side):
                places[side] = indices[0]
                break
    else:
        for side in order:
            exact = [at for at in indices if dims[at] == held.get(side) and at not in places.values()]
            if exact:
                places[side] = exact[0]
    return places


def shard_axis(loader: Any, rank: int) -> Optional[int]:
    """The dimension along which a loader of vLLM splits a tensor of so many dimensions; None for one that does not say. It keeps it as the variable
    `shard_axis` of its closure, or is one of few that split the first."""
    if type(loader) is not FunctionType:
        return None
    if loader.__closure__ is not None and "shard_axis" in loader.__code__.co_freevars:
        cell = loader.__closure__[loader.__code__.co_freevars.index("shard_axis")]
        try:
            value = cell.cell_contents
        except ValueError:  # an empty cell
            return None
        return value if type(value) is int and 0 <= value < rank else None
    if loader.__name__ == "row_parallel_weight_loader":
        return 0 if rank > 1 else None
    return 0 if rank and loader.__qualname__.endswith(FIRST_DIMENSION_LOADERS) else None


def lift(owner: Dict[str, Any], name: str, dims: Dims, hints: Dict[str, Any], tp_size: int = 1) -> Lifted:
    """`owner` and `hints` are the attribute dictionaries of the module and of the tensor; `tp_size` is the process's, for tensors whose module does not say."""
    axes = _expert_axes(owner, name) if has_experts(owner) else _linear_axes(owner)
    if dims == (0,) and name == "weight" and [axis.side for axis in axes] == ["output", "input"]:
        # Repacked by the kernel that uses it, and freed: vLLM does so on the CPU. The layer still says its sizes.
        split = tuple(at for at, axis in enumerate(axes) if axis.held != axis.stored)
        padded = tuple((at, axis.stored) for at, axis in enumerate(axes) if axis.stored != axis.whole)
        return Lifted(tuple(axis.whole for axis in axes), Held(split, padded, max(1, _size(owner, "num_kv_head_replicas")) if split else 1))
    if not _differs(axes):
        along = None
        if tp_size > 1 and not axes:
            along = 0 if name in PER_HEAD and len(dims) == 1 else shard_axis(hints.get("weight_loader"), len(dims))
        if along is not None:
            return Lifted(dims[:along] + (dims[along] * tp_size,) + dims[along + 1 :], Held((along,)))
        return Lifted(dims, WHOLE)
    lifted, sharded, padded = list(dims), [], []
    places = _places(axes, name, dims, hints)
    for axis in axes:
        at = places.get(axis.side)
        if at is None or axis.held == axis.whole == axis.stored:
            continue
        if dims[at] * axis.whole % axis.held == 0:
            lifted[at] = dims[at] * axis.whole // axis.held
        elif axis.side == "output" and axis.stored != axis.whole:  # blocks over a padded vocabulary
            lifted[at] = -(-dims[at] * axis.whole // axis.held)
        else:
            return Lifted(dims, WHOLE, "split over ranks in a way that its sizes do not tell: %d of %d %ss held" % (axis.held, axis.whole, axis.side))
        if axis.held != axis.stored:
            sharded.append(at)
        if axis.stored != axis.whole:
            padded.append((at, dims[at] * axis.stored // axis.held))
    replicas = _size(owner, "num_kv_head_replicas") if sharded else 0
    return Lifted(tuple(lifted), Held(tuple(sorted(sharded)), tuple(padded), max(1, replicas)))
