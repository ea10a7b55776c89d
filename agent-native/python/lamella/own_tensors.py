"""What the tensors of each module of a tree come to: their logical sizes and roles, and how this process holds them.

Invariant: no tensor is touched and nothing of the model runs: sizes come through the C descriptors of TensorBase, the rest from attribute dictionaries.
What modules of equal keys have in common is worked out once.
"""
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from .canonical import BUFFER, QUANT_STATE, Tensor
from .layout import WHOLE, Held, Sizes
from .lift import Lifted, expert_ranks, has_experts, lift
from .module_key import ModuleKeys
from .module_tree import Holder, ModuleTree
from .plain_name import is_plain, plain_name
from .quantisation import describe
from .raw_object import Types
from .sharing import Sharing
from .tensor_kinds import FlatTensor, Kind, logical_of, mesh_of
from .torch_slots import tensor_base

# Weights of other dtypes may be packed: what their modules say of that is no part of their key, so they are worked out each by itself.
_NEVER_PACKED = frozenset(("float32", "bfloat16", "float16", "float64"))
# Which rank has which expert: a buffer that is there under expert parallelism only, and no part of the model.
_OF_THE_DEPLOYMENT = frozenset(("_expert_map", "expert_map", "expert_mask"))

NOTHING, BUFFERS, WEIGHTS = 0, 1, 2  # what a module holds, or it and those below it


class _Raw(NamedTuple):
    """A tensor as the process holds it."""

    name: str
    is_parameter: bool
    dtype: str
    dims: Tuple[int, ...]
    hints: Dict[str, Any]  # attributes of the tensor itself
    kind: Optional[Kind] = None  # what it logically is, when that is not what it looks like


class OwnTensors(NamedTuple):
    """What the tensors of a module come to; modules that hold equal ones share it."""

    number: int
    tensors: Tuple[Tensor, ...]
    held: Tuple[Held, ...]
    notes: Tuple[Tuple[str, str], ...]  # (tensor name, sentence)
    holds: int


_NONE = OwnTensors(0, (), (), (), NOTHING)


class TensorReader:
    def __init__(self, torch: Any, tree: ModuleTree, types: Types, config_bits: int, sizes: Sizes) -> None:
        base = tensor_base(torch)
        self._shape_of, self._dtype_of = base.shape.__get__, base.dtype.__get__
        self._tree, self._types, self._config_bits, self._sizes = tree, types, config_bits, sizes
        self._numbers: Dict[Tuple[Tensor, ...], int] = {(): 0}
        self._dtypes: Dict[int, str] = {}
        self._split = False  # a tensor is held in part, padded or more than once
        self._keys = ModuleKeys(torch, tree.class_names, tree.holders, sizes.tp_size)
        self.expert_ranks = 1
        self.mesh: Dict[str, int] = {}  # ranks along the dimensions of the mesh that DTensors lie on
        self.sharing = Sharing(torch, self._keys.storages)
        self.owns = [_NONE] * len(tree.class_names)  # by number of a module
        self._read()

    def held(self) -> List[Tuple[str, Held]]:
        """How each tensor is held, by its path; nothing when all are held whole."""
        modules = enumerate(self.owns) if self._split else ()
        return [(self._tree.path(module, tensor.name), how) for module, own in modules for tensor, how in zip(own.tensors, own.held)]

    def _read(self) -> None:
        owns, keys, quiet = self.owns, self._keys, not self.sharing.is_any
        known: Dict[Optional[int], OwnTensors] = {}  # by place of the first holder with the same key
        at_hand: Dict[Optional[int], OwnTensors] = {}  # those of them with nothing more to do
        for place, (number, first) in enumerate(zip(keys.numbers, keys.firsts)):
            own = at_hand.get(first)
            if own is None:
                own = self._read_one(place, first, known)
                if quiet and not own.notes and first in known:
                    at_hand[first] = own
            owns[number] = own

    def _read_one(self, place: int, first: Optional[int], known: Dict[Optional[int], OwnTensors]) -> OwnTensors:
        holder, own, tree, values = Holder._make(self._tree.holders[place]), known.get(first), self._tree, None
        if own is None:
            try:
                raws = self._raws(holder)
                own, values = self._work_out([raw for raw, _ in raws], holder.attributes), [value for _, value in raws]
            except Exception as error:  # of code that the keys of its own dictionaries run
                tree.note(holder.number, "", "%s cannot be read: %s" % (tree.class_names[holder.number], type(error).__name__))
                return _NONE
            if first is not None and self._keys.is_ordinary(place) and _is_told_by_key(own, holder):
                known[first] = own
        for name, sentence in own.notes:
            tree.note(holder.number, name, sentence)
        if self.sharing.is_any:
            self.sharing.add(tree.path(holder.number), own.tensors, self._keys.tensors(place) if values is None else values)
        return own

    def _dtype(self, dtype: Any) -> str:
        text = self._dtypes.get(id(dtype))
        if text is None:
            text = self._dtypes[id(dtype)] = str(dtype).replace("torch.", "", 1)
        return text

    def _raws(self, holder: Holder) -> List[Tuple[_Raw, Any]]:
        module, owner, parameters, buffers = holder
        raws: List[Tuple[_Raw, Any]] = []
        taken: Set[str] = set()
        experts = has_experts(owner)
        for entries, is_parameter in ((parameters, True), (buffers, False)):
            for key, value in entries.items():
                if value is None:
                    continue
                name, sentence = plain_name(key, taken)
                if sentence:
                    self._tree.note(module, name, sentence)
                raw = self._raw(module, name, value, is_parameter)
                if raw is not None and not (experts and not is_parameter and name in _OF_THE_DEPLOYMENT):
                    raws.append((raw, value))
        return raws

    def _raw(self, module: int, name: str, tensor: Any, is_parameter: bool) -> Optional[_Raw]:
        if type(tensor) is FlatTensor:
            return _Raw(name, is_parameter, tensor.dtype, tensor.dims, {}, Kind(tensor.dtype, tensor.dims, whole=True))
        facts = self._types.of(tensor)
        if not facts.is_tensor:
            self._tree.note(module, name, "%s is not a tensor" % facts.name)
            return None
        try:
            dtype, dims = self._dtype_of(tensor), tuple(self._shape_of(tensor))
        except Exception as error:  # subclasses that answer for their size in Python, each with its own exception
            self._tree.note(module, name, "the size of %s cannot be read: %s" % (facts.name, type(error).__name__))
            return None
        if not all(type(size) is int for size in dims):
            self._tree.note(module, name, "a size of %s is symbolic" % facts.name)
            return None
        found = facts.dictionary(tensor) if facts.dictionary else None
        hints = found if type(found) is dict else {}
        try:
            kind = logical_of(tensor, self._dtype(dtype), dims, hints, self._sizes.tp_size)
            self.mesh.update(mesh_of(tensor) if kind is not None else ())
        except Exception as error:  # a class of a release that is not known yet
            kind = None
            self._tree.note(module, name, "what %s holds cannot be read: %s" % (facts.name, type(error).__name__))
        return _Raw(name, is_parameter, self._dtype(dtype), dims, hints, kind)

    def _work_out(self, raws: List[_Raw], owner: Dict[str, Any]) -> OwnTensors:
        tensors, states, helds, notes = [], [], [], []
        for raw in raws:
            kind = raw.kind or Kind(raw.dtype, raw.dims)
            packing = describe(raw.name, raw.is_parameter, kind.dtype, kind.dims, owner, raw.hints, self._config_bits)
            bits, numel = (kind.bits, kind.numel) if kind.bits else (packing.bits, packing.numel)
            lifted = Lifted(kind.dims, kind.held) if kind.whole else lift(owner, raw.name, kind.dims, raw.hints, self._sizes.tp_size)
            for held, whole in zip(kind.dims, lifted.dims) if numel else ():
                if held != whole:
                    numel = numel * whole // held
            tensors.append(Tensor(raw.name, packing.role, kind.dtype, lifted.dims, bits, numel))
            helds.append(lifted.held)
            states.extend(Tensor("%s:%s" % (raw.name, suffix), QUANT_STATE, dtype, dims) for suffix, dtype, dims in kind.states)
            told = (kind.note, "" if kind.bits else packing.note, lifted.note)
            notes.extend((raw.name, sentence) for sentence in told if sentence)
        # What a tensor carries with it comes last: the tensors of the process stay in the order of what was read.
        tensors += states
        helds += [WHOLE] * len(states)
        self.expert_ranks = max(self.expert_ranks, expert_ranks(owner))
        self._split = self._split or any(held != WHOLE for held in helds)
        told = tuple(tensors)
        holds = WEIGHTS if any(tensor.role != BUFFER for tensor in told) else BUFFERS if told else NOTHING
        return OwnTensors(self._numbers.setdefault(told, len(self._numbers)), told, tuple(helds), tuple(notes), holds)


def _is_told_by_key(own: OwnTensors, holder: Holder) -> bool:
    """Nothing was read to work it out that is not in the key of the module: its tensors are all there under their own names, none is packed, none an expert's."""
    names = [name for entries in (holder.parameters, holder.buffers) for name, value in entries.items() if value is not None]
    return (
        [tensor.name for tensor in own.tensors] == names
        and all(tensor.dtype in _NEVER_PACKED for tensor in own.tensors)
        and all(map(is_plain, names))
        and not any(name.startswith("w13_") for name in names)
    )
