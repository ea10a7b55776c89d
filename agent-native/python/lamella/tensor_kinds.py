"""What a tensor logically is when it is not what it looks like: distributed, flattened, emptied, quantised by its own class, not yet sized.

Facts are read from slots and attribute dictionaries, never by calling a method of the tensor or a property written in Python; classes are known by what
they hold, because their modules move from release to release. An ordinary tensor costs a look at its class, at its attributes and at its storage layout.
"""
import sys
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple
from weakref import ref

from .layout import WHOLE, Held
from .raw_object import attributes, is_a, mro, qualified_name
from .torch_slots import tensor_base
from .totals import ELEMENT_BYTES

Dims = Tuple[int, ...]
State = Tuple[str, str, Dims]


class Kind(NamedTuple):
    """`dims` with `dtype` are what is stored, as for every tensor of a shape; `bits` and `numel` are 0 unless several elements share one stored word.
    `whole`: dims and numel are those of all ranks together, nothing is left to lift. `states` describe how the elements are stored: (suffix, dtype, dims)."""

    dtype: str
    dims: Dims
    held: Held = WHOLE
    bits: int = 0
    numel: int = 0
    states: Tuple[State, ...] = ()
    note: str = ""
    whole: bool = False


PLAIN: Optional[Kind] = None

STORED_BITS = {dtype: 8 * size for dtype, size in ELEMENT_BYTES.items()}
# Words that can hold several elements. A float holds one: fewer floats than elements is sparsity.
_WORDS = frozenset(("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float4_e2m1fn_x2"))

# A tensor is ordinary when its class has no reader_of, it has none of these attributes and its layout is torch.strided.
MARKS = frozenset(("ds_shape", "tensor_model_parallel", "bnb_quant_state"))

# What classes that wrap tensors call the one with the elements, in torchao, quanto and Transformer Engine; the largest is taken where none is so called.
_ELEMENTS = frozenset(
    ("qdata", "int_data", "packed_weight", "packed_weights", "quantized_data", "float8_data", "codes", "_data", "_rowwise_data", "_columnwise_data")
)
_NESTING = 4  # wrappers in wrappers: an activation scheme around a quantised tensor around its layout around packed words

_class_dict = type.__dict__["__dict__"].__get__
_ABSENT = object()


def product(dims: Any) -> int:
    result = 1
    for size in dims:
        result *= size
    return result


class _Torch(NamedTuple):
    base: type
    tensor: type
    size: type
    shape: Callable[[Any], Any]
    dtype: Callable[[Any], Any]
    layout: Callable[[Any], Any]
    strided: Any


_torch: Optional[_Torch] = None


def _of_torch() -> _Torch:
    global _torch
    if _torch is None:
        torch = sys.modules["torch"]
        base = tensor_base(torch)
        slots = _class_dict(base)
        _torch = _Torch(base, torch.Tensor, torch.Size, slots["shape"].__get__, slots["dtype"].__get__, slots["layout"].__get__, torch.strided)
    return _torch


def plain_sizes(value: Any) -> Optional[Dims]:
    """A torch.Size, tuple or list as plain ints; None for anything else, symbolic sizes included."""
    found = tuple(value) if type(value) in (_of_torch().size, tuple, list) else None
    return found if found is not None and all(type(size) is int for size in found) else None


def _dtype(tensor: Any) -> str:
    return str(_of_torch().dtype(tensor)).replace("torch.", "", 1)


def stored_as(tensor: Any) -> Optional[Tuple[str, Dims]]:
    """dtype and sizes as the tensor itself has them; None where it has none that can be told."""
    try:
        dims = plain_sizes(_of_torch().shape(tensor))
    except Exception:  # nested tensors refuse, each kind with its own exception
        return None
    return None if dims is None else (_dtype(tensor), dims)


def _read(value: Any, name: str) -> Any:
    """The attribute `name` where reading it runs no Python code: from the instance, a slot, or a property of an extension module; else None."""
    found = (attributes(value) or {}).get(name, _ABSENT)
    if found is not _ABSENT:
        return found
    for cls in mro(type(value)):
        slot = _class_dict(cls).get(name)
        if slot is None:
            continue
        try:
            if type(slot) in (MemberDescriptorType, GetSetDescriptorType):
                return slot.__get__(value)
            if type(slot) is property and slot.fget is not None and type(slot.fget) is not FunctionType:
                return slot.fget(value)  # pybind11, which newer placements are made with
        except Exception:  # a slot that was never set
            return None
        return None
    return None


def _is_tensor(value: Any) -> bool:
    return is_a(value, _of_torch().base)


# Classes


def _uninitialised(tensor: Any, dtype: str, dims: Dims, hints: Dict[str, Any]) -> Optional[Kind]:
    return Kind(dtype, dims, note="not initialised yet: its sizes are known after the first forward")


def _quant_state(state: Any, prefix: str = "") -> Tuple[int, List[State]]:
    """Elements and side tensors of a QuantState of bitsandbytes; nested when the scales are quantised too."""
    fields = attributes(state) or {}
    shape = plain_sizes(fields.get("shape") or ())
    states = []
    for name in ("absmax", "code", "offset"):
        stored = stored_as(fields[name]) if _is_tensor(fields.get(name)) else None
        if stored:
            states.append((prefix + name, stored[0], stored[1]))
    if fields.get("state2") is not None and not prefix.endswith("nested_"):
        states.extend(_quant_state(fields["state2"], prefix + "nested_")[1])
    return (product(shape) if shape else 0), states


def _four_bit(tensor: Any, dtype: str, dims: Dims, hints: Dict[str, Any]) -> Optional[Kind]:
    """Params4bit of bitsandbytes. Its words may be floats (bnb_4bit_quant_storage), so that FSDP can flatten them with the others."""
    state = hints.get("quant_state")
    if state is None:  # not quantised yet
        return PLAIN
    numel, states = _quant_state(state)
    if not numel:
        numel = product(dims) * STORED_BITS.get(dtype, 8) // 4
    return Kind(dtype, dims, bits=4, numel=numel, states=tuple(states))


def _eight_bit(tensor: Any, dtype: str, dims: Dims, hints: Dict[str, Any]) -> Optional[Kind]:
    """Int8Params of bitsandbytes. Its row scales move to the module at the first forward, which is no change of the model: they follow from the rows."""
    return Kind(dtype, dims, states=(("SCB", "float32", dims[:1]),)) if dtype == "int8" and dims else PLAIN


def _placed(tensor: Any, dtype: str, dims: Dims, hints: Dict[str, Any]) -> Optional[Kind]:
    """DTensor: its own sizes are those of the whole; placements name the dimensions it is split along. What one rank holds may be quantised in turn."""
    sharded = set()
    for placement in _sequence(_read(_read(tensor, "_spec"), "placements")):
        dim = _read(placement, "dim")
        if type(dim) is int and dims:
            sharded.add(dim % len(dims))
    held = Held(tuple(sorted(sharded)))
    local = _read(tensor, "_local_tensor")
    stored = stored_as(local) if _is_tensor(local) else None
    inner = logical_of(local, stored[0], stored[1], attributes(local) or {}) if stored else PLAIN
    if inner is PLAIN or inner.whole:
        return Kind(dtype, dims, held, whole=True)

    def whole(part: Dims) -> Dims:
        if len(part) != len(dims):
            return part
        return tuple(size * dims[i] // stored[1][i] if i in sharded and size > 1 and stored[1][i] else size for i, size in enumerate(part))

    if inner.bits and len(inner.dims) != len(dims):  # flat or tiled words: as many more as the whole has elements
        words = (inner.dims[0] * product(dims) // max(1, product(stored[1])),) + inner.dims[1:]
        return Kind(inner.dtype, words, held, inner.bits, product(dims), inner.states, "its scales are listed as one rank holds them", True)
    states = tuple((name, kind, whole(part)) for name, kind, part in inner.states)
    return inner._replace(dims=whole(inner.dims), held=held, numel=product(dims) if inner.bits else 0, states=states, whole=True)


def _sequence(value: Any) -> List[Any]:
    return list(value) if type(value) in (tuple, list) else []


def _leaves(tensor: Any, prefix: str = "", depth: int = 0) -> Iterator[Tuple[str, Any]]:
    """(dotted attribute, tensor) of the ordinary tensors that a wrapping one holds in its attributes and slots."""
    held = dict(attributes(tensor) or {})
    for cls in mro(type(tensor)):
        if cls is _of_torch().tensor:
            break
        held.update((name, _read(tensor, name)) for name, slot in _class_dict(cls).items() if type(slot) is MemberDescriptorType and name not in held)
    for name, value in held.items():
        if type(name) is str and _is_tensor(value):
            inner = list(_leaves(value, prefix + name + ".", depth + 1)) if depth < _NESTING and reader_of(type(value)) is _wrapping else []
            for leaf in inner or [(prefix + name, value)]:
                yield leaf


def _wrapping(tensor: Any, dtype: str, dims: Dims, hints: Dict[str, Any]) -> Optional[Kind]:
    """A class with its own dispatch that holds its elements in other tensors: torchao, quanto, Transformer Engine. Its own sizes are logical; its dtype is what
    it computes in. A tensor inside that looks just like it (functional, fake and logging tensors) says that nothing is hidden."""
    found = [(name, stored) for name, stored in ((name, stored_as(leaf)) for name, leaf in _leaves(tensor)) if stored and stored[0] in STORED_BITS]
    numel = product(dims)
    bits_of = {name: STORED_BITS[stored[0]] * product(stored[1]) for name, stored in found}
    if not found or any(stored == (dtype, dims) for _, stored in found):
        return PLAIN
    named = [name for name, _ in found if name.rsplit(".", 1)[-1] in _ELEMENTS]
    elements = max(named or list(bits_of), key=bits_of.__getitem__)
    # torchao keeps 3, 5, 6 and 7 bits as tensors of 4, 2 and 1 each.
    total = sum(bits for name, bits in bits_of.items() if name == elements or name.endswith("_shard"))
    if total < numel:
        return PLAIN  # less than a bit each: none of them is the data
    kind, stored_dims = next(stored for name, stored in found if name == elements)
    states = tuple((name, stored[0], stored[1]) for name, stored in found if name != elements)
    if product(stored_dims) >= numel and kind != "float4_e2m1fn_x2":
        return Kind(kind, dims, states=states)
    if kind not in _WORDS:
        note = "sparse: %d of %d elements are stored, its bytes are counted as if all were" % (product(stored_dims), numel)
        return Kind(kind, dims, states=states, note=note)
    return Kind(kind, stored_dims, bits=total // max(1, numel), numel=numel, states=states)


_Reader = Callable[[Any, str, Dims, Dict[str, Any]], Optional[Kind]]
_BY_NAME: Dict[str, _Reader] = {
    "UninitializedTensorMixin": _uninitialised,
    "Params4bit": _four_bit,
    "Int8Params": _eight_bit,
}
# By address, because a metaclass may have its own idea of hashing; the weak reference tells a class from another that got its address later.
_readers: Dict[int, Tuple[Any, Optional[_Reader]]] = {}
_MOST_CLASSES = 4096


def reader_of(kind: type) -> Optional[_Reader]:
    known = _readers.get(id(kind))
    if known is not None and known[0]() is kind:
        return known[1]
    found: Optional[_Reader] = None
    for cls in mro(kind):
        slots = _class_dict(cls)
        if cls is _of_torch().tensor:
            break  # torch.Tensor has a __torch_dispatch__ of its own, which does nothing
        found = _BY_NAME.get(qualified_name(cls))
        if found is None and "_spec" in slots and "_local_tensor" in slots:
            found = _placed
        if found is None and "__torch_dispatch__" in slots:
            found = _wrapping
        if found is not None:
            break
    if len(_readers) >= _MOST_CLASSES:
        _readers.clear()
    _readers[id(kind)] = (ref(kind), found)
    return found


# Marks


def _marked(dtype: str, dims: Dims, hints: Dict[str, Any], tp_size: int) -> Optional[Kind]:
    shape = plain_sizes(hints["ds_shape"]) if "ds_shape" in hints else None
    if shape is not None:  # DeepSpeed ZeRO-3: the tensor itself is empty between the layer's turns
        return Kind(dtype, shape, whole=True)
    states = hints.get("bnb_quant_state")  # vLLM: one for each of the projections fused in the tensor
    if type(states) is dict and states:
        parts = [(str(number) + ".", state) for number, state in states.items()]
        known = [_quant_state(state, prefix if len(parts) > 1 else "") for prefix, state in parts]
        numel = sum(count for count, _ in known) if all(count for count, _ in known) else product(dims) * STORED_BITS.get(dtype, 8) // 4
        return Kind(dtype, dims, bits=4, numel=numel, states=tuple(state for _, each in known for state in each))
    # Megatron and Transformer Engine. Experts may be split over other ranks than the rest, and only their module knows.
    dim = hints.get("partition_dim")
    if hints.get("tensor_model_parallel") is True and hints.get("allreduce") is not False and type(dim) is int and 0 <= dim < len(dims):
        lifted = dims[:dim] + (dims[dim] * tp_size,) + dims[dim + 1 :]
        return Kind(dtype, lifted, Held((dim,)) if tp_size > 1 else WHOLE, whole=True)
    return PLAIN


def logical_of(tensor: Any, dtype: str, dims: Dims, hints: Dict[str, Any], tp_size: int = 1) -> Optional[Kind]:
    """PLAIN for an ordinary tensor. `hints` is the attribute dictionary of the tensor, `dtype` and `dims` are its own; `tp_size` is the process's, for tensors
    that say that they are split but not over how many ranks."""
    reader = reader_of(type(tensor))
    found = reader(tensor, dtype, dims, hints) if reader is not None else PLAIN
    if found is PLAIN and hints and not MARKS.isdisjoint(hints):
        found = _marked(dtype, dims, hints, tp_size)
    torch = _of_torch()
    if found is PLAIN and torch.layout(tensor) is not torch.strided:
        layout = str(torch.layout(tensor)).replace("torch.", "", 1)
        if layout.startswith("sparse"):
            return Kind(dtype, dims, note="%s: its bytes are counted as if it were dense" % layout)
    return found


# Meshes and flat parameters


def mesh_of(tensor: Any) -> Dict[str, int]:
    """Ranks along each dimension of the mesh a DTensor lies on, by name ("tp", "dp", …), by number where it has none; empty for other tensors."""
    if reader_of(type(tensor)) is not _placed:
        return {}
    mesh = _read(_read(tensor, "_spec"), "mesh")
    ranks = _mesh_sizes(attributes(mesh) or {})
    names = _sequence(_read(mesh, "_mesh_dim_names") or _read(mesh, "mesh_dim_names"))
    return {(names[i] if i < len(names) and type(names[i]) is str else str(i)): size for i, size in enumerate(ranks)}


def _mesh_sizes(fields: Dict[str, Any]) -> Dims:
    layout = fields.get("_layout")
    if layout is not None:  # since PyTorch 2.10; each dimension may be several folded into one
        axes = _sequence(_read(layout, "axes"))
        shapes = [plain_sizes(_read(axis, "shape")) for axis in axes] if axes else [(size,) for size in plain_sizes(_read(layout, "shape")) or ()]
        if shapes and all(shape is not None for shape in shapes):
            return tuple(product(shape) for shape in shapes)
    ranks = next((fields[name] for name in ("mesh", "_mesh") if _is_tensor(fields.get(name))), None)
    stored = stored_as(ranks) if ranks is not None else None
    return stored[1] if stored else ()


class FlatTensor(NamedTuple):
    """A tensor as it was before FSDP laid it into a flat parameter. Two with one `key` are one tensor under two names."""

    module: Any
    name: str
    dims: Dims
    dtype: str
    key: Tuple[int, int]


def flat_parameters(owner: Dict[str, Any]) -> List[FlatTensor]:
    """What a FullyShardedDataParallel module (its attribute dictionary) has flattened, in the order it was registered; empty for other modules.

    With use_orig_params the modules below hold slices or nothing under these names, without it they hold nothing and the flat parameter stands at the wrapped
    module; either way these are the tensors of the model."""
    handles = [owner.get("_handle")] + _sequence(owner.get("_handles"))  # a list up to PyTorch 2.0
    flats = [(attributes(handle) or {}) for handle in handles if handle is not None]
    return [flat for fields in flats for flat in _unflattened(fields.get("flat_param"), fields.get("_orig_param_dtype"))]


def _unflattened(flat: Any, original_dtype: Any) -> List[FlatTensor]:
    if flat is None or not _is_tensor(flat):
        return []
    fields = attributes(flat) or {}
    dtype = str(original_dtype).replace("torch.", "", 1) if original_dtype is not None else _dtype(flat)
    # (name, module, name of the module), and for shared ones (…, name, module, … of the first)
    infos, shapes = _sequence(fields.get("_param_infos")), _sequence(fields.get("_shapes"))
    found: List[FlatTensor] = []
    places: Dict[Tuple[int, str], FlatTensor] = {}
    for index, (info, shape) in enumerate(zip(infos, shapes)):
        name, module = tuple.__getitem__(info, 0), tuple.__getitem__(info, 1)
        dims = plain_sizes(shape)
        if dims is not None:
            places[(id(module), name)] = FlatTensor(module, name, dims, dtype, (id(flat), index))
            found.append(places[(id(module), name)])
    for info in _sequence(fields.get("_shared_param_infos")):
        name, module, _, first_name, first_module = tuple.__getitem__(info, slice(0, 5))
        first = places.get((id(first_module), first_name))
        if first is not None:
            found.append(first._replace(module=module, name=name))
    return found
