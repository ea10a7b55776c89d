"""What one rank holds of a tensor → what the whole model has, and the dimension it is split along.

Parallel layers say the size they were asked for beside the size they hold (`output_size` and `output_size_per_partition`), in vLLM, SGLang and Megatron by
the same names. They are read by attribute, never by class: classes move and are subclassed. What says nothing is taken to be whole.
"""
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .layout import WHOLE, Held
from .loaders import UNTOLD, Division, division, loader_of
from .raw_object import attributes

# What lift() reads of a module without fused experts. Modules alike in these and in their tensors lift alike.
MODULE_HINTS = (
    ("output_size", "output_size_per_partition", "input_size", "input_size_per_partition")
    + ("total_num_kv_heads", "total_num_heads", "head_size", "v_head_size", "num_kv_head_replicas")
    + ("num_embeddings_per_partition", "org_vocab_size", "num_embeddings", "num_embeddings_padded")
    + ("replicated_shard_id", "num_heads_per_partition", "num_heads", "num_kv_heads", "conv_dim", "n_groups", "ssm_state_size")
    + ("num_total_experts", "intermediate_size", "hidden_size")
)

# Tensors of these layouts are stored input first: GPTQ, AWQ and what is repacked from them.
INPUT_FIRST = frozenset(("qweight", "qzeros", "scales"))
# Of layers whose inputs share scales in groups: endings of what has one value for each group.
GROUPED = ("scale", "scales", "zeros", "zero_point")
# One value for each attention head a rank has; neither the tensor nor its module says of how many.
PER_HEAD = frozenset(("sinks", "attention_sinks", "attn_sink", "attention_sink_bias"))
# What inputs are multiplied with, block by block: every rank has all of it.
NO_SIDE = frozenset(("forward_hadamard_matrix", "backward_hadamard_matrix"))
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
    """`output_size` counts what several ranks hold once for each of them. Of a fused q, k, v projection it is 12,288 for Qwen3-32B under TP 16, and its own
    heads are the truth: 64 · 128 + 8 · (128 + 128) = 10,240. Kimi's fused projections name the one part of theirs that every rank has."""
    heads, kv_heads, size = _size(owner, "total_num_heads"), _size(owner, "total_num_kv_heads"), _size(owner, "head_size")
    if heads and kv_heads and size:
        return heads * size + kv_heads * (size + (_size(owner, "v_head_size") or size))
    whole, held = _size(owner, "output_size"), _size(owner, "output_size_per_partition")
    parts, repeated = owner.get("output_sizes"), owner.get("replicated_shard_id")
    if type(parts) is list and type(repeated) is int and 0 <= repeated < len(parts) and type(parts[repeated]) is int and held:
        return whole - parts[repeated] + parts[repeated] * held // whole
    return whole


def _replicas(owner: Dict[str, Any]) -> int:
    """Ranks that hold the same of a layer: key and value heads, or a part that every one has."""
    held = _size(owner, "output_size_per_partition")
    if held and type(owner.get("replicated_shard_id")) is int:
        return max(1, _size(owner, "output_size") // held)
    return max(1, _size(owner, "num_kv_head_replicas"))


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


def _fit(size: int, held: int, groups: int) -> int:
    """How well a dimension can be a side of a layer: one for each element; one for a word, a group, a block or a tile of them; only one at all; not."""
    if size == held:
        return 3
    if size == groups:
        return 2
    if size <= 1:
        return size
    return 2 if held % size == 0 or size % held == 0 else 0


def _places(axes: List[_Axis], owner: Dict[str, Any], name: str, dims: Dims, hints: Dict[str, Any]) -> Dict[str, int]:
    """Side of the layer → dimension of the tensor that is this side; a side without its dimension is absent."""
    places: Dict[str, int] = {}
    held = {axis.side: axis.held for axis in axes}
    groups = {axis.side: axis.held // _group_size(owner) for axis in axes if _is_grouped(owner, name, axis)}
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
        first, last = ({side: _fit(dims[at], held[side], groups.get(side, -1)) for side in order} for at in indices)
        straight, turned = (first[order[0]], last[order[1]]), (first[order[1]], last[order[0]])
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


def _group_size(owner: Dict[str, Any]) -> int:
    """Inputs that share one scale: of the layer itself where it had to halve them, of its scheme, its quantisation method or the configuration of that."""
    method = attributes(owner.get("quant_method")) or {}
    holders = owner, attributes(owner.get("scheme")) or {}, method, attributes(method.get("quant_config")) or {}
    return next((size for size in (_size(holder, "group_size") for holder in holders) if size), 0)


def _is_grouped(owner: Dict[str, Any], name: str, axis: _Axis) -> bool:
    return axis.side == "input" and name.endswith(GROUPED) and _group_size(owner) > 0


def _groups(owner: Dict[str, Any], name: str, size: int, axis: _Axis) -> int:
    """How many groups the inputs of the whole layer are, for a tensor with one value for each group of those held; 0 for any other. Groups that do not end
    where ranks do are no multiple: of 384 inputs in groups of 128, two ranks have 1 of 3 each. What every rank has all of stays what it is."""
    if not _is_grouped(owner, name, axis):
        return 0
    group = _group_size(owner)
    own = group * (_size(owner, "group_size_div_factor") or 1)  # vLLM halves groups that are no divisor of what a rank has, and repeats the model's values
    if size in (axis.held // group, axis.whole // own):
        return axis.whole // own
    return -(-axis.whole // own) if size == -(-axis.held // group) else 0


def _width_of_experts(owner: Dict[str, Any], dims: Dims) -> Optional[int]:
    """Of experts that are kept as MiniCPM's and Nomic's are, [experts, …, …], in a module that keeps the width of a rank: the dimension that is this, or twice
    this with gate and up in one."""
    width, hidden = _size(owner, "intermediate_size"), _size(owner, "hidden_size")
    if len(dims) != 3 or not width or dims[0] != _size(owner, "num_total_experts") or hidden not in dims[1:]:
        return None
    wide = [at for at in (1, 2) if dims[at] in (width, 2 * width) and dims[3 - at] == hidden]
    return wide[0] if len(wide) == 1 else None


def _rows_of_mixer(owner: Dict[str, Any], size: int, tp_size: int) -> int:
    """Of what Mamba2's mixer, or a module around it, has for each row that a rank holds of its projection or its convolution; 0 for anything else. The mixer
    counts its one group of heads once for each rank; how many there are, its norm knows."""
    for mixer in [owner] + _below(owner):
        conv, groups, states = (_size(mixer, name) for name in ("conv_dim", "n_groups", "ssm_state_size"))
        if conv and size * tp_size in (conv, conv + _size(mixer, "intermediate_size") + _size(mixer, "num_heads")):
            true = next((count for count in (_size(module, "n_groups") for module in _below(mixer)) if count), groups)
            return size * tp_size - 2 * (groups - true) * states
    return 0


def _below(owner: Dict[str, Any]) -> List[Dict[str, Any]]:
    modules = owner.get("_modules")
    return [attributes(module) or {} for module in modules.values()] if type(modules) is dict else []


def _unsaid(owner: Dict[str, Any], name: str, dims: Dims, hints: Dict[str, Any], told: Optional[Division], tp_size: int) -> Lifted:
    """Of a module that says nothing of its sides; `told` is what the loader of the tensor says."""
    along, whole, replicas, note = 0, 0, 1, ""
    if name in PER_HEAD and len(dims) == 1:
        whole = dims[0] * tp_size
    elif told is not None and told.axis != UNTOLD:
        along, ranks = told.axis, told.ranks or tp_size
        whole, replicas = dims[along] * ranks, max(1, tp_size // ranks)
        if told.may_repeat and dims[along] == 1:
            note = "one of dimension %d on each of %d ranks: counted once for each, though nothing says that no two hold the same" % (along, tp_size)
    elif told is not None:
        at = _hinted(hints, "output")
        at = _width_of_experts(owner, dims) if at is None else at
        if at is None or not 0 <= at < len(dims):
            return Lifted(dims, WHOLE, "its loader takes the part of a rank and does not say which: shown as one rank holds it")
        along, whole = at, dims[at] * tp_size
        heads = _size(owner, "total_num_kv_heads")
        if heads and dims[along] == _size(owner, "num_kv_heads"):
            whole, replicas = heads, max(1, whole // heads)
    elif dims and dims[0] == _size(owner, "num_heads_per_partition"):
        whole = _size(owner, "total_num_heads") or _size(owner, "num_heads")
    else:
        rows = [_rows_of_mixer(owner, size, tp_size) for size in dims]
        along = next((at for at, row in enumerate(rows) if row), 0)
        whole = rows[along] if rows else 0
        replicas = tp_size if whole and whole < dims[along] * tp_size else 1
    if not whole:
        return Lifted(dims, WHOLE)
    return Lifted(dims[:along] + (whole,) + dims[along + 1 :], Held((along,), (), replicas), note)


def lift(owner: Dict[str, Any], name: str, dims: Dims, hints: Dict[str, Any], tp_size: int = 1) -> Lifted:
    """`owner` and `hints` are the attribute dictionaries of the module and of the tensor; `tp_size` is the process's, for tensors whose module does not say."""
    axes = _expert_axes(owner, name) if has_experts(owner) else _linear_axes(owner)
    if dims == (0,) and name == "weight" and [axis.side for axis in axes] == ["output", "input"]:
        # Repacked by the kernel that uses it, and freed: vLLM does so on the CPU. The layer still says its sizes.
        split = tuple(at for at, axis in enumerate(axes) if axis.held != axis.stored)
        padded = tuple((at, axis.stored) for at, axis in enumerate(axes) if axis.stored != axis.whole)
        return Lifted(tuple(axis.whole for axis in axes), Held(split, padded, _replicas(owner) if split else 1))
    told = division(loader_of(hints), len(dims)) if tp_size > 1 else None
    if tp_size > 1 and not axes:
        return _unsaid(owner, name, dims, hints, told, tp_size)
    replicas = _replicas(owner)
    if told is not None and told.whole:  # it knows more than the layer, which was asked for what all ranks hold together
        axes = [axis._replace(whole=told.whole, stored=told.whole) if (axis.side, axis.held) == ("output", told.held) else axis for axis in axes]
        replicas = max(replicas, told.replicas)
    if name in NO_SIDE or not _differs(axes):
        return Lifted(dims, WHOLE)
    lifted, sharded, padded = list(dims), [], []
    places = _places(axes, owner, name, dims, hints)
    for axis in axes:
        at = places.get(axis.side)
        groups = _groups(owner, name, dims[at], axis) if at is not None else 0
        if at is None or groups == dims[at] or (axis.held == axis.whole == axis.stored and not groups):
            continue
        stored = dims[at] * axis.stored // axis.held
        if groups:
            lifted[at] = groups
        elif dims[at] * axis.whole % axis.held == 0:
            lifted[at] = dims[at] * axis.whole // axis.held
        elif axis.side == "output" and axis.stored != axis.whole:  # blocks over a padded vocabulary
            lifted[at] = -(-dims[at] * axis.whole // axis.held)
        else:
            return Lifted(dims, WHOLE, "split over ranks in a way that its sizes do not tell: %d of %d %ss held" % (axis.held, axis.whole, axis.side))
        if axis.held != axis.stored:
            sharded.append(at)
        if axis.stored != axis.whole or 0 < groups < stored:
            padded.append((at, stored))
    return Lifted(tuple(lifted), Held(tuple(sorted(sharded)), tuple(padded), replicas if sharded else 1))
