"""Reads the module tree of a live PyTorch model into a Shape.

Invariant: nothing of the model runs and no tensor is touched. Objects are read through slots (raw_object.py), sizes through the C descriptors of
TensorBase with torch-function dispatch off; so no property, no __getattr__, no proxy and no metaclass of the user gets a word in.
"""
import gc
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from .canonical import Module, Shape, Tensor
from .quantisation import describe
from .raw_object import attributes, class_name, clean, is_a, items, mro
from .totals import totals


class Snapshot(NamedTuple):
    """`notes` are (path, sentence): everything that could not be read, said instead of guessed."""

    shape: Shape
    class_name: str
    notes: Tuple[Tuple[str, str], ...]


def is_module(value: Any) -> bool:
    import torch

    return is_a(value, torch.nn.Module)


def children_of(module: Any) -> List[Tuple[str, Any]]:
    """(name, child) of the modules a module holds, as registered; empty where they cannot be read."""
    found = items((attributes(module) or {}).get("_modules")) or []
    return [(clean(name), child) for name, child in found if child is not None and is_module(child)]


@contextmanager
def _no_dispatch() -> Iterator[None]:
    import torch

    guard = getattr(torch._C, "DisableTorchFunctionSubclass", None) or torch._C.DisableTorchFunction  # the second name up to PyTorch 1.13
    with guard():
        yield


class _Reader:
    def __init__(self, config_bits: int) -> None:
        import torch

        self.base = getattr(torch._C, "TensorBase", None) or torch._C._TensorBase
        self.config_bits = config_bits
        self.rows: Dict[Module, int] = {}
        self.first_module: Dict[int, str] = {}
        self.first_tensor: Dict[Any, str] = {}
        self.aliases: List[Tuple[str, str]] = []
        self.notes: List[Tuple[str, str]] = []
        self.done: Dict[int, Tuple[int, bool]] = {}  # id of a module → (row, has a tensor below)

    def _slot(self, name: str, tensor: Any) -> Any:
        return getattr(self.base, name).__get__(tensor)

    def _alias_key(self, tensor: Any, dtype: str, dims: Tuple[int, ...]) -> Any:
        """What two tensors that share have in common. Empty tensors and those without a storage share only when they are one object."""
        if 0 not in dims:
            try:
                storage = self.base.untyped_storage(tensor)._cdata
                return (storage, self.base.storage_offset(tensor), dims, self.base.stride(tensor), dtype)
            except Exception:  # sparse, wrapper and functional tensors have no storage to show, each with its own exception
                pass
        return id(tensor)

    def _tensor(self, path: str, name: str, tensor: Any, is_parameter: bool, owner: Dict[str, Any]) -> Tensor:
        dtype = str(self._slot("dtype", tensor)).replace("torch.", "", 1)
        dims = tuple(int(size) for size in self._slot("shape", tensor))
        packing = describe(name, is_parameter, dtype, dims, owner, self.config_bits)
        if packing.note:
            self.notes.append((path, packing.note))
        first = self.first_tensor.setdefault(self._alias_key(tensor, dtype, dims), path)
        if first != path:
            self.aliases.append((path, first))
        return Tensor(name, packing.role, dtype, dims, packing.bits, packing.numel)

    def _own(self, path: str, module: Any) -> Tuple[List[Tensor], List[Tuple[str, Any]]]:
        """Own tensors and children of one module, in registration order."""
        owner = attributes(module) or {}
        tensors, children = [], []
        for kind in ("_parameters", "_buffers", "_modules"):
            entries = items(owner.get(kind))
            if entries is None:  # ScriptModules keep theirs in C++
                self.notes.append((path, "%s of %s cannot be read" % (kind, class_name(module))))
                continue
            for raw, value in entries:
                name = clean(raw)
                below = path + "." + name if path else name
                if value is None:
                    continue
                if kind == "_modules" and is_module(value):
                    children.append((name, value))
                elif kind == "_modules":
                    self.notes.append((below, "%s is not a module" % class_name(value)))
                elif is_a(value, self.base):
                    tensors.append(self._tensor(below, name, value, kind == "_parameters", owner))
                else:
                    self.notes.append((below, "%s is not a tensor" % class_name(value)))
        return tensors, children

    def read(self, root: Any) -> Shape:
        """Pre-order over paths, children finished before their parent gets its row; a module met again is one alias and is not entered."""
        stack = [self._enter("", root)]
        while stack:
            frame = stack[-1]
            path, module, tensors, children, finished = frame
            if len(finished) == len(children):
                stack.pop()
                row_key = Module(class_name(module), tuple(tensors), tuple((name, self.done[id(child)][0]) for name, child in children))
                row = self.rows.setdefault(row_key, len(self.rows))
                self.done[id(module)] = (row, bool(tensors) or any(self.done[id(child)][1] for _, child in children))
                continue
            name, child = children[len(finished)]
            finished.append(name)
            below = path + "." + name if path else name
            if id(child) in self.done:
                if self.done[id(child)][1]:
                    self.aliases.append((below, self.first_module[id(child)]))
            elif id(child) in self.first_module:
                raise ValueError("%s contains itself at %s: a module tree with a cycle has no shape" % (self.first_module[id(child)] or "the root", below))
            else:
                stack.append(self._enter(below, child))
        return Shape(tuple(self.rows), self.done[id(root)][0], tuple(self.aliases))

    def _enter(self, path: str, module: Any) -> Tuple[str, Any, List[Tensor], List[Tuple[str, Any]], List[str]]:
        self.first_module[id(module)] = path
        tensors, children = self._own(path, module)
        return path, module, tensors, children, []


def snapshot(model: Any, config_bits: int = 0) -> Snapshot:
    """The structure of `model` (an nn.Module). Equal structures are one row; 64 equal layers cost one."""
    if not is_module(model):
        raise TypeError("snapshot() takes a torch.nn.Module, not %s" % class_name(model))
    reader = _Reader(config_bits)
    with _no_dispatch():
        shape = reader.read(model)
    return Snapshot(shape, class_name(model), tuple(reader.notes))


def roots() -> List[Any]:
    """Living modules that are no other module's child and hold a parameter somewhere below, largest first; one scan of the garbage collector's list."""
    import torch

    known: Dict[type, bool] = {}
    modules = []
    for value in gc.get_objects():
        kind = type(value)
        if kind not in known:
            known[kind] = torch.nn.Module in mro(kind)
        if known[kind]:
            modules.append(value)
    held = {id(child) for module in modules for _, child in children_of(module)}
    sized = []
    for module in modules:
        # A module under construction has no _modules yet.
        if id(module) not in held and items((attributes(module) or {}).get("_modules")) is not None:
            parameters = totals(snapshot(module).shape).parameters
            if parameters:
                sized.append((parameters, module))
    return [module for _, module in sorted(sized, key=lambda pair: -pair[0])]
