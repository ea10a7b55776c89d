"""Reads the module tree of a live PyTorch model into a Shape and a Layout.

Invariant: nothing of the model runs and no tensor is touched. Objects are read through slots (raw_object.py), sizes through the C descriptors of
TensorBase with torch-function dispatch off; so no property, no __getattr__, no proxy and no metaclass of the user gets a word in.

Cost matters, for the interpreter lock is held meanwhile. So there are three passes: over the modules as registered, over all tensors at once, and over the
modules again, children first, which become rows. What equal modules have in common is worked out once, and found again by a key of what was read.
"""
from itertools import repeat
from operator import itemgetter
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .canonical import Module, Shape
from .layout import Layout, Sizes, make_layout
from .module_tree import ModuleTree
from .own_tensors import BUFFERS, NOTHING, WEIGHTS, OwnTensors, TensorReader
from .parallel import process_sizes
from .raw_object import Types, clean, items
from .torch_slots import loaded_torch, no_dispatch

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


class _Rows:
    """Equal structures are one row, children before their parents."""

    def __init__(self, tree: ModuleTree, owns: List[OwnTensors]) -> None:
        self.modules: List[Module] = []
        self._holds: List[int] = []  # by row: what a module and those below it hold
        known: Dict[Any, int] = {}
        keys: List[Any] = list(zip(tree.class_names, map(itemgetter(0), owns)))
        above = [keys[number] for number in tree.children]
        for number in tree.children:
            keys[number] = None
        for key, own in dict(zip(keys, owns)).items():
            if key is not None:
                known[key] = self._add(key[0], own, (), ())
        self._row_of: List[int] = list(map(known.get, keys, repeat(0)))  # by number of a module
        row = self._row_of.__getitem__
        for key, (number, (names, below)) in zip(above, tree.children.items()):
            rows = tuple(map(row, below))
            whole = (key, tuple(names), rows)
            found = known.get(whole)
            if found is None:
                found = known[whole] = self._add(key[0], owns[number], names, rows)
            self._row_of[number] = found
        self.root = self._row_of[0]

    def holds(self, module: int) -> int:
        return self._holds[self._row_of[module]]

    def _add(self, class_name: str, own: OwnTensors, names: Sequence[str], rows: Tuple[int, ...]) -> int:
        self.modules.append(Module(class_name, own.tensors, tuple(zip(names, rows))))
        self._holds.append(max([own.holds, *map(self._holds.__getitem__, rows)]))
        return len(self.modules) - 1


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


def snapshot(model: Any, config_bits: int = 0, sizes: Optional[Sizes] = None) -> Snapshot:
    """The structure of `model` (an nn.Module) and how this process holds it. Equal structures are one row; 64 equal layers cost one. `sizes` are the process's
    parallel sizes where the caller knows them already."""
    torch = loaded_torch()
    sizes = process_sizes() if sizes is None else sizes
    types = Types(torch)
    facts = types.of(model)
    if not facts.is_module:
        raise TypeError("snapshot() takes a torch.nn.Module, not %s" % facts.name)
    with no_dispatch(torch):
        tree = ModuleTree(model, types, sizes.pp_size > 1)
        tensors = TensorReader(torch, tree, types, config_bits, sizes)
    rows = _Rows(tree, tensors.owns)
    aliases: Dict[int, List[Tuple[str, str]]] = {NOTHING: [], BUFFERS: [], WEIGHTS: []}
    first_path = {module: tree.path(module) for module in {module for _, module in tree.again}}
    for path, module in tree.again:
        aliases[rows.holds(module)].append((path, first_path[module]))
    shape = Shape(tuple(rows.modules), rows.root, tuple(aliases[WEIGHTS] + tensors.sharing.weight_aliases))
    sizes = _with_mesh(sizes._replace(ep_size=max(sizes.ep_size, tensors.expert_ranks)), tensors.mesh)
    layout = make_layout(sizes, tensors.held(), aliases[BUFFERS] + tensors.sharing.buffer_aliases)
    return Snapshot(shape, facts.name, tuple(tree.notes + tensors.sharing.notes), layout)
