"""Reads the module tree of a live PyTorch model into a Shape and a Layout.

Invariant: nothing of the model runs and no tensor is touched. Objects are read through slots (raw_object.py), sizes through the C descriptors of
TensorBase with torch-function dispatch off; so no property, no __getattr__, no proxy and no metaclass of the user gets a word in.

Cost matters, for the interpreter lock is held meanwhile: what equal modules have in common is worked out once and found again by a key of what was read.
"""
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from .canonical import BUFFER, QUANT_STATE, Module, Shape, Tensor
from .layout import WHOLE, Held, Layout, Sizes, make_layout
from .lift import MODULE_HINTS, Lifted, expert_ranks, has_experts, lift, shard_axis
from .parallel import process_sizes
from .quantisation import describe
from .raw_object import TypeFacts, Types, clean, items
from .tensor_kinds import MARKS, FlatTensor, Kind, flat_parameters, logical_of, mesh_of, reader_of
from .torch_slots import loaded_torch, no_dispatch, tensor_base

# Weights of other dtypes may be packed: what their modules say of that is no part of the key, so they are worked out each by itself.
_NEVER_PACKED = ("float32", "bfloat16", "float16", "float64")
_ORDINARY = frozenset(("Tensor", "Parameter", "Buffer"))
# Which rank has which expert: a buffer that is there under expert parallelism only, and no part of the model.
_OF_THE_DEPLOYMENT = frozenset(("_expert_map", "expert_map", "expert_mask"))
_PLAIN = frozenset((int, str, bool))
_FUNCTION = type(clean)
_MESH_NAMES = {"tp": "tp", "tensor": "tp", "tensor_parallel": "tp", "model": "tp", "pp": "pp", "pipeline": "pp", "ep": "ep", "expert": "ep"}


class Snapshot(NamedTuple):
    """`notes` are (path, sentence): everything that could not be read, said instead of guessed."""

    shape: Shape
    class_name: str
    notes: Tuple[Tuple[str, str], ...]
    layout: Layout


def children_of(module: Any, types: Optional[Types] = None) -> List[Tuple[str, Any]]:
    """(name, child) of the modules a module holds, as registered; empty where they cannot be read."""
    types = types or Types(loaded_torch())
    dictionary = types.of(module).dictionary
    found = items((dictionary(module) if dictionary else {}).get("_modules")) or []
    return [(clean(name), child) for name, child in found if child is not None and types.of(child).is_module]


class _Raw(NamedTuple):
    """A tensor as the process holds it."""

    name: str
    is_parameter: bool
    dtype: str
    dims: Tuple[int, ...]
    hints: Dict[str, Any]  # attributes of the tensor itself
    kind: Optional[Kind] = None  # what it logically is, when that is not what it looks like


class _Own(NamedTuple):
    """What the tensors of a module come to; modules that hold equal ones share it."""

    number: int
    tensors: Tuple[Tensor, ...]
    held: Tuple[Held, ...]
    notes: Tuple[Tuple[str, str], ...]  # (tensor name, sentence)
    weighty: bool  # one of them is no buffer
    whole: bool  # all are held whole
    filled: bool  # none is empty


# A tensor, the path of its module, its name, whether it is a buffer.
_View = Tuple[Any, str, str, bool]

# A module that has been read: its row, the path it was met at first, whether a tensor is at or below it, whether one of those is no buffer.
_Done = Tuple[int, str, bool, bool]


class _Open:
    """A module whose children are being read."""

    __slots__ = ("path", "prefix", "module", "class_name", "own", "entries", "next", "rows", "tensors_below", "weighty")

    def __init__(self, path: str, module: Any, class_name: str, own: _Own, entries: List[Tuple[Any, Any]]) -> None:
        self.path, self.prefix, self.module, self.class_name, self.own = path, path + "." if path else "", module, class_name, own
        self.entries, self.next = entries, 0
        self.rows: List[Tuple[str, int]] = []
        self.tensors_below, self.weighty = bool(own.tensors), own.weighty


_NOTHING = _Own(0, (), (), (), False, True, True)


class _Reader:
    def __init__(self, torch: Any, config_bits: int, sizes: Sizes) -> None:
        self.base = tensor_base(torch)
        self.shape_of = self.base.shape.__get__
        self.dtype_of = self.base.dtype.__get__
        self.storage_of = getattr(self.base, "untyped_storage", None)  # absent before PyTorch 2.0
        self.types = Types(torch)
        self.config_bits, self.sizes = config_bits, sizes
        self.rows: Dict[Tuple[str, int, Tuple[Tuple[str, int], ...]], int] = {}
        self.modules: List[Module] = []
        self.done: Dict[int, _Done] = {}
        self.owns: Dict[Any, _Own] = {}  # by key of what was read
        self.numbers: Dict[Tuple[Tensor, ...], int] = {(): 0}
        self.dtypes: Dict[int, str] = {}
        self.never_packed = frozenset(id(getattr(torch, name)) for name in _NEVER_PACKED)
        self.storages: Dict[int, _View] = {}  # address → the first view of it that was met
        self.more_views: Dict[int, List[_View]] = {}  # and those that followed
        self.objects: Dict[int, str] = {}  # address of a tensor without storage or element → path
        self.weight_aliases: List[Tuple[str, str]] = []
        self.buffer_aliases: List[Tuple[str, str]] = []
        self.held: List[Tuple[str, _Own]] = []
        self.split = False  # a tensor is held in part, padded or more than once
        self.expert_ranks = 1
        self.mesh: Dict[str, int] = {}  # ranks along the dimensions of the mesh that DTensors lie on
        self.has_fsdp = "torch.distributed.fsdp" in sys.modules
        self.staged = sizes.pp_size > 1
        self.flat_keys: Dict[Tuple[int, int], FlatTensor] = {}
        self.flats: Dict[int, List[FlatTensor]] = {}  # by address of a module: what FSDP took from it
        self.notes: List[Tuple[str, str]] = []

    def read(self, root: Any) -> Shape:
        """Pre-order over paths, children finished before their parent gets its row; a module met again is one alias and is not entered."""
        done, types, types_of = self.done, self.types.known, self.types.of
        open_ = [self._enter("", root, types_of(root))]
        on_the_way = {id(root)}
        while True:
            top = open_[-1]
            entries, rows, prefix, at = top.entries, top.rows, top.prefix, top.next
            entered = None
            while at < len(entries) and entered is None:
                name, child = entries[at]
                at += 1
                if child is None:
                    continue
                known = done.get(id(child))
                if known is None:
                    facts = types.get(id(type(child))) or types_of(child)
                    if id(child) in on_the_way:
                        holder = next(one.path for one in open_ if one.module is child)
                        self.notes.append((prefix + name, "is %s itself: a module tree has no cycles, so it is left out here" % (holder or "the root")))
                        continue
                    if not facts.is_module:
                        self.notes.append((prefix + name, "%s is not a module" % facts.name))
                        continue
                    try:
                        known = self._enter(prefix + name, child, facts)
                    except Exception as error:  # of code that the keys of its own dictionaries run
                        self.notes.append((prefix + name, "%s cannot be read: %s" % (facts.name, type(error).__name__)))
                        continue
                    if type(known) is _Open:
                        entered = known
                        break
                elif known[2]:
                    (self.weight_aliases if known[3] else self.buffer_aliases).append((prefix + name, known[1]))
                rows.append((name, known[0]))
                if known[2]:
                    top.tensors_below, top.weighty = True, top.weighty or known[3]
            top.next = at
            if entered is not None:
                on_the_way.add(id(entered.module))
                open_.append(entered)
                continue
            open_.pop()
            on_the_way.discard(id(top.module))
            known = self._finish(top.path, top.module, top.class_name, top.own, tuple(rows), top.tensors_below, top.weighty)
            if not open_:
                return Shape(tuple(self.modules), known[0], tuple(self.weight_aliases))
            parent = open_[-1]
            parent.rows.append((parent.entries[parent.next - 1][0], known[0]))
            if known[2]:
                parent.tensors_below, parent.weighty = True, parent.weighty or known[3]

    def _finish(self, path: str, module: Any, class_name: str, own: _Own, children: Tuple[Tuple[str, int], ...], tensors_below: bool, weighty: bool) -> _Done:
        key = (class_name, own.number, children)
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = len(self.modules)
            self.modules.append(Module(class_name, own.tensors, children))
        done = self.done[id(module)] = (row, path, tensors_below, weighty)
        return done

    def _enter(self, path: str, module: Any, facts: TypeFacts) -> Any:
        """A module with children comes back _Open, one without is _Done at once: most are leaves. The root is always _Open."""
        owner = facts.dictionary(module) if facts.dictionary else {}
        parameters, buffers, modules = owner.get("_parameters"), owner.get("_buffers"), owner.get("_modules")
        if not type(parameters) is type(buffers) is type(modules) is dict:
            parameters, buffers, modules = (self._entries(path, facts.name, kind, owner.get(kind)) for kind in ("_parameters", "_buffers", "_modules"))
        if self.has_fsdp and ("_handle" in owner or "_handles" in owner):
            for flat in flat_parameters(owner):
                self.flats.setdefault(id(flat.module), []).append(flat)
        if self.flats:
            parameters = self._unflattened(parameters, self.flats.get(id(module), []))
        if self.staged:
            modules = self._renumbered(modules)
        own = self._own(path, owner, parameters, buffers) if parameters or buffers else _NOTHING
        if own is _NOTHING and "_packed_params" in owner and "_packed_params" not in modules:  # torch.ao
            self.notes.append((path, "the weights of %s are kept in C++ and cannot be read" % facts.name))
        if modules or not path:
            return _Open(path, module, facts.name, own, self._named(path, modules))
        return self._finish(path, module, facts.name, own, (), bool(own.tensors), own.weighty)

    def _named(self, path: str, modules: Dict[Any, Any]) -> List[Tuple[str, Any]]:
        for name in modules:
            if type(name) is not str or not name.isascii() or not name or "." in name:
                taken: Set[str] = set()
                return [(self._name(path, key, taken), child) for key, child in modules.items()]
        return list(modules.items())

    def _entries(self, path: str, class_name: str, kind: str, entries: Any) -> Dict[Any, Any]:
        found = items(entries)  # an OrderedDict up to PyTorch 2.4
        if found is None:  # ScriptModules keep theirs in C++
            self.notes.append((path, "%s of %s cannot be read" % (kind, class_name)))
        return dict(found or ())

    def _unflattened(self, parameters: Dict[Any, Any], flats: List[FlatTensor]) -> Dict[Any, Any]:
        """A module's parameters as they were before FSDP made one flat parameter of them and of those below."""
        if not parameters and not flats:
            return parameters
        kept = {}
        for name, value in parameters.items():
            dictionary = self.types.of(value).dictionary  # FSDP knows its flat parameters by a mark: their class is Parameter
            if value is None or dictionary is None or "_is_flat_param" not in (dictionary(value) or ()):
                kept[name] = value
        kept.update((flat.name, flat) for flat in flats)
        return kept

    def _renumbered(self, modules: Dict[Any, Any]) -> Dict[Any, Any]:
        """Megatron numbers the layers of each pipeline stage from 0; `layer_number` is their place in the whole model, from 1."""
        numbers = []
        for name, child in modules.items():
            facts = self.types.of(child)
            number = facts.dictionary(child).get("layer_number") if facts.is_module and facts.dictionary else None
            if type(number) is not int or number < 1 or type(name) is not str or not name.isdigit():
                return modules
            numbers.append(str(number - 1))
        return dict(zip(numbers, modules.values())) if len(set(numbers)) == len(numbers) else modules

    def _note(self, path: str, name: str, sentence: str) -> None:
        self.notes.append((path + "." + name if path else name, sentence))

    def _own(self, path: str, owner: Dict[str, Any], parameters: Dict[Any, Any], buffers: Dict[Any, Any]) -> _Own:
        values: List[Any] = []
        key = self._key(owner, parameters, buffers, values)
        try:
            own = self.owns.get(key)
        except TypeError:  # a symbolic size
            own = key = None
        if own is None:
            raws = self._raws(path, owner, parameters, buffers)
            own = self._work_out(raws, owner)
            if key is not None:
                self.owns[key] = own
            values = [value for _, value in raws]
        self.held.append((path, own))
        if not own.whole:
            self.split = True
        storages, storage_of = self.storages, self.storage_of
        for tensor, value in zip(own.tensors, values):
            try:
                storage = storage_of(value)._cdata
            except Exception:  # sparse, wrapper and functional tensors have no storage to show, each with its own exception
                storage = 0
            if storage and own.filled and storage not in storages:
                storages[storage] = (value, path, tensor.name, tensor.role == BUFFER)
            else:
                self._share(path, tensor, value, storage)
        for name, sentence in own.notes:
            self._note(path, name, sentence)
        return own

    def _key(self, owner: Dict[str, Any], parameters: Dict[Any, Any], buffers: Dict[Any, Any], values: List[Any]) -> Any:
        """Equal keys, equal tensors, which are added to `values`. None where more would have to be read than is saved, or where something is out of the
        ordinary."""
        # By these scales are told from weights.
        method, scheme = owner.get("quant_method"), owner.get("quantization_scheme")
        parts: List[Any] = [None if method is None else self.types.of(method).name, scheme is None]
        for names in MODULE_HINTS:
            if names[0] in owner:
                for name in names:
                    value = owner.get(name)
                    parts.append(value if type(value) in _PLAIN else None)
        # What a tensor says of its dimensions matters where its module holds a part.
        whole = (
            self.sizes.tp_size == 1
            and owner.get("output_size") == owner.get("output_size_per_partition")
            and owner.get("input_size") == owner.get("input_size_per_partition")
            and "num_embeddings" not in owner
        )
        types, types_of, dtype_of, shape_of, never_packed = self.types.known, self.types.of, self.dtype_of, self.shape_of, self.never_packed
        for entries in (parameters, buffers):
            parts.append(None)
            for name, value in entries.items():
                if value is None:
                    continue
                facts = types.get(id(type(value))) or types_of(value)
                if type(name) is not str or not name.isascii() or not name or "." in name or name.startswith("w13_") or name in parameters and entries is buffers:
                    return None
                if not facts.is_tensor or (facts.name not in _ORDINARY and reader_of(type(value)) is not None):
                    return None
                try:
                    dtype = id(dtype_of(value))
                    parts += (name, dtype, *shape_of(value))
                except Exception:  # _raw says it
                    return None
                if dtype not in never_packed:
                    return None
                values.append(value)
                hints = facts.dictionary(value)
                if hints:
                    if not MARKS.isdisjoint(hints):
                        return None
                    if not whole:
                        parts += [item for item in hints.items() if type(item[1]) in _PLAIN]
                        parts.append(shard_axis(hints.get("weight_loader"), len(shape_of(value))))
        return tuple(parts)

    def _dtype(self, dtype: Any) -> str:
        text = self.dtypes.get(id(dtype))
        if text is None:
            text = self.dtypes[id(dtype)] = str(dtype).replace("torch.", "", 1)
        return text

    def _raws(self, path: str, owner: Dict[str, Any], parameters: Dict[Any, Any], buffers: Dict[Any, Any]) -> List[Tuple[_Raw, Any]]:
        raws: List[Tuple[_Raw, Any]] = []
        taken: Set[str] = set()
        experts = has_experts(owner)
        for entries, is_parameter in ((parameters, True), (buffers, False)):
            for key, value in entries.items():
                if value is None:
                    continue
                name = self._name(path, key, taken)
                raw = self._raw(path, name, value, is_parameter)
                if raw is not None and not (experts and not is_parameter and name in _OF_THE_DEPLOYMENT):
                    raws.append((raw, value))
        return raws

    def _name(self, path: str, key: Any, taken: Set[str]) -> str:
        """A name as the contract takes it: not empty, without a dot, no two alike. What had to be changed is said."""
        name = shown = clean(key)
        if not name or "." in name:
            shown = name.replace(".", "_") or "_"
        number = 2
        first = shown
        while shown in taken:
            shown, number = "%s_%d" % (first, number), number + 1
        taken.add(shown)
        if shown != name:
            self._note(path, shown, "its name is %s" % (repr(name) if name else "empty"))
        return shown

    def _raw(self, path: str, name: str, tensor: Any, is_parameter: bool) -> Optional[_Raw]:
        if type(tensor) is FlatTensor:
            return _Raw(name, is_parameter, tensor.dtype, tensor.dims, {}, Kind(tensor.dtype, tensor.dims, whole=True))
        facts = self.types.of(tensor)
        if not facts.is_tensor:
            self._note(path, name, "%s is not a tensor" % facts.name)
            return None
        try:
            dtype, dims = self.dtype_of(tensor), tuple(self.shape_of(tensor))
        except Exception as error:  # subclasses that answer for their size in Python, each with its own exception
            self._note(path, name, "the size of %s cannot be read: %s" % (facts.name, type(error).__name__))
            return None
        if not all(type(size) is int for size in dims):
            self._note(path, name, "a size of %s is symbolic" % facts.name)
            return None
        found = facts.dictionary(tensor) if facts.dictionary else None
        hints = found if type(found) is dict else {}
        try:
            kind = logical_of(tensor, self._dtype(dtype), dims, hints, self.sizes.tp_size)
            self.mesh.update(mesh_of(tensor) if kind is not None else ())
        except Exception as error:  # a class of a release that is not known yet
            kind = None
            self._note(path, name, "what %s holds cannot be read: %s" % (facts.name, type(error).__name__))
        return _Raw(name, is_parameter, self._dtype(dtype), dims, hints, kind)

    def _work_out(self, raws: List[Tuple[_Raw, Any]], owner: Dict[str, Any]) -> _Own:
        tensors, states, helds, notes = [], [], [], []
        for raw, _ in raws:
            kind = raw.kind or Kind(raw.dtype, raw.dims)
            packing = describe(raw.name, raw.is_parameter, kind.dtype, kind.dims, owner, raw.hints, self.config_bits)
            bits, numel = (kind.bits, kind.numel) if kind.bits else (packing.bits, packing.numel)
            lifted = Lifted(kind.dims, kind.held) if kind.whole else lift(owner, raw.name, kind.dims, raw.hints, self.sizes.tp_size)
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
        told = tuple(tensors)
        return _Own(
            number=self.numbers.setdefault(told, len(self.numbers)),
            tensors=told,
            held=tuple(helds),
            notes=tuple(notes),
            weighty=any(tensor.role != BUFFER for tensor in told),
            whole=all(held == WHOLE for held in helds),
            filled=not any(0 in tensor.dims for tensor in told),
        )

    def _share(self, path: str, tensor: Tensor, value: Any, storage: int) -> None:
        """Finds what shares the memory of what was met before: the same view of it is an alias; another view that overlaps is said."""
        here = path + "." + tensor.name if path else tensor.name
        if type(value) is FlatTensor:
            value = self.flat_keys.setdefault(value.key, value)
        if storage and 0 not in tensor.dims:
            met = ([self.storages[storage]] if storage in self.storages else []) + self.more_views.get(storage, [])
            first = self._first_view(value, here, met, tensor.role == BUFFER)
            if first == here:
                view = (value, path, tensor.name, tensor.role == BUFFER)
                if met:
                    self.more_views.setdefault(storage, []).append(view)
                else:
                    self.storages[storage] = view
        else:
            first = self.objects.setdefault(id(value), here)  # without a byte there is nothing to share but the object
        if first != here:
            (self.weight_aliases if tensor.role != BUFFER else self.buffer_aliases).append((here, first))

    def _look(self, value: Any) -> Tuple[int, Tuple[int, ...], Tuple[int, ...], Any]:
        return (self.base.storage_offset(value), tuple(self.shape_of(value)), tuple(self.base.stride(value)), self.dtype_of(value))

    def _first_view(self, value: Any, here: str, met: List[_View], is_buffer: bool) -> str:
        view = self._look(value)
        low, high = _extent(view)
        for other, path, name, other_is_buffer in met:
            if other_is_buffer and not is_buffer:
                continue  # a weight that shares a buffer's memory counts all the same
            seen = self._look(other)
            there = path + "." + name if path else name
            if seen == view:
                return there
            start, end = _extent(seen)
            if start < high and low < end and seen[3] is view[3]:
                self.notes.append((here, "shares storage with %s: elements %d to %d of it" % (there, max(low, start) - start, min(high, end) - 1 - start)))
        return here


def _extent(view: Tuple[Any, ...]) -> Tuple[int, int]:
    """The first element of the storage that a view may touch, and the one behind the last."""
    offset, dims, strides, _ = view
    return offset, offset + 1 + sum((size - 1) * stride for size, stride in zip(dims, strides))


def _with_mesh(sizes: Sizes, mesh: Dict[str, int]) -> Sizes:
    """Sizes by what the dimensions of a device mesh are called; those that say neither tensor, pipeline nor experts hold the same weights or slices of them."""
    if not mesh:
        return sizes
    found = {"tp": 1, "pp": 1, "ep": 1, "dp": 1}
    for name, ranks in mesh.items():
        found[_MESH_NAMES.get(name, "dp")] *= ranks
    tp, pp = max(sizes.tp_size, found["tp"]), max(sizes.pp_size, found["pp"])
    # Without a framework that says more, all processes were taken for data-parallel ranks.
    dp = max(found["dp"], sizes.dp_size // (found["tp"] * found["pp"]))
    return sizes._replace(tp_size=tp, pp_size=pp, ep_size=max(sizes.ep_size, found["ep"]), dp_size=dp)


def _by_tensor(held: List[Tuple[str, _Own]]) -> List[Tuple[str, Held]]:
    return [(path + "." + tensor.name if path else tensor.name, how) for path, own in held for tensor, how in zip(own.tensors, own.held)]


def snapshot(model: Any, config_bits: int = 0, sizes: Optional[Sizes] = None) -> Snapshot:
    """The structure of `model` (an nn.Module) and how this process holds it. Equal structures are one row; 64 equal layers cost one. `sizes` are the process's
    parallel sizes where the caller knows them already."""
    torch = loaded_torch()
    sizes = process_sizes() if sizes is None else sizes
    reader = _Reader(torch, config_bits, sizes)
    facts = reader.types.of(model)
    if not facts.is_module:
        raise TypeError("snapshot() takes a torch.nn.Module, not %s" % facts.name)
    with no_dispatch(torch):
        shape = reader.read(model)
    sizes = _with_mesh(sizes._replace(ep_size=max(sizes.ep_size, reader.expert_ranks)), reader.mesh)
    layout = make_layout(sizes, _by_tensor(reader.held) if reader.split else [], reader.buffer_aliases)
    return Snapshot(shape, facts.name, tuple(reader.notes), layout)
