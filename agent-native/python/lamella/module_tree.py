"""The modules of a model as they are registered, each entered once, and who holds tensors.

Invariant: modules are numbered in pre-order over paths, so the path where one is met first is its own, and what is above it has a smaller number. A module
met again is not entered, so a cycle ends; nothing recurses, so depth costs nothing. Tensors are gathered here and not looked at.
"""
import sys
from itertools import chain
from operator import itemgetter
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set, Tuple

from .plain_name import is_plain, plain_name
from .raw_object import Types, are_all, dictionary_slot, items
from .tensor_kinds import FlatTensor, flat_parameters

# Names of what is registered in a module, and their numbers.
Children = Tuple[Sequence[str], Sequence[int]]

_NOTHING: Dict[Any, Any] = {}


class Holder(NamedTuple):
    """A module that holds tensors of its own; `parameters` and `buffers` are copies, for another thread may register meanwhile."""

    number: int
    attributes: Dict[str, Any]
    parameters: Dict[Any, Any]
    buffers: Dict[Any, Any]


class ModuleTree:
    """`class_names` are by number of a module. `staged`: the model is split over pipeline stages."""

    def __init__(self, root: Any, types: Types, staged: bool) -> None:
        self.class_names: List[str] = []
        self.children: Dict[int, Children] = {}  # of a module that has some; every module behind those below it
        self.holders: List[Tuple[Any, ...]] = []  # Holder: plain tuples, which are made in a sixth of the time, and the interpreter lock is held
        self._names: List[Any] = []
        self._parents: List[int] = []
        self._types = types
        self._flats: Dict[int, List[FlatTensor]] = {}  # by address of a module: what FSDP took from it
        self._told: List[Tuple[int, Any, str]] = []  # (module, key of what it holds, sentence)
        self._again: List[Tuple[int, int, int]] = []  # (module, place among its children, the child), where one is met again
        self._cycles: List[Tuple[int, Any, int]] = []  # (module, key, module above it that is registered there)
        self._walk(root, staged)
        self._name()
        # (path, module) where a module is met again
        self.again: List[Tuple[str, int]] = [(self.path(module, self.children[module][0][place]), number) for module, place, number in self._again]
        self.notes: List[Tuple[str, str]] = []
        for module, key, sentence in self._told:
            self.note(module, key and plain_name(key, set())[0], sentence)
        for module, key, number in self._cycles:
            self.note(module, plain_name(key, set())[0], "is %s itself: a module tree has no cycles, so it is left out here" % (self.path(number) or "the root"))

    def path(self, module: int, name: str = "") -> str:
        """Of a module, or of what it has under `name`. Made when it is asked for: most are not, and those of a deep tree are long."""
        steps = [name] if name else []
        while module > 0:
            steps.append(self._names[module])
            module = self._parents[module]
        return ".".join(reversed(steps))

    def note(self, module: int, name: str, sentence: str) -> None:
        self.notes.append((self.path(module, name), sentence))

    def _walk(self, root: Any, staged: bool) -> None:
        """Nearly all modules are read right here: a call for each would take as long as the rest."""
        numbers: Dict[int, int] = {}  # by address
        class_name_of: Dict[int, str] = {}  # by address of a class of modules
        attributes, types_of = dictionary_slot(self._types.module), self._types.of
        names, parents, class_names, children, holders = self._names, self._parents, self.class_names, self.children, self.holders
        has_fsdp = "torch.distributed.fsdp" in sys.modules
        open_: List[Tuple[int, List[Any], List[int], Iterator[Tuple[Any, Any]]]] = []  # modules whose children are being entered
        on_the_way: Set[int] = set()
        module = -1
        named: List[Any] = []  # what the module has below it, and its numbers
        below: List[int] = []
        entries: Iterator[Tuple[Any, Any]] = iter([("", root)])
        while True:
            for name, child in entries:  # goes on where it was left
                number = numbers.get(id(child))
                if number is not None:
                    if number in on_the_way:
                        self._cycles.append((module, name, number))
                    else:
                        self._again.append((module, len(below), number))
                        named.append(name)
                        below.append(number)
                    continue
                class_name = class_name_of.get(id(type(child)))
                if class_name is None:
                    facts = types_of(child)
                    if not facts.is_module:
                        if child is not None:
                            self._told.append((module, name, "%s is not a module" % facts.name))
                        continue
                    class_name = class_name_of[id(type(child))] = facts.name
                number = numbers[id(child)] = len(names)
                names.append(name)
                parents.append(module)
                class_names.append(class_name)
                named.append(name)
                below.append(number)
                owner = attributes(child)
                try:
                    parameters, buffers, modules = owner.get("_parameters"), owner.get("_buffers"), owner.get("_modules")
                    if not (type(parameters) is type(buffers) is type(modules) is dict):
                        kinds = ("_parameters", parameters), ("_buffers", buffers), ("_modules", modules)
                        parameters, buffers, modules = (self._entries(number, kind, entries) for kind, entries in kinds)
                    if has_fsdp:
                        parameters = self._unflattened(child, owner, parameters)
                    if staged:
                        modules = self._renumbered(modules)
                    if parameters or buffers:
                        holders.append((number, owner, parameters.copy() if parameters else _NOTHING, buffers.copy() if buffers else _NOTHING))
                    elif "_packed_params" in owner and "_packed_params" not in modules:  # torch.ao
                        self._told.append((number, "", "the weights of %s are kept in C++ and cannot be read" % class_name))
                except Exception as error:  # of code that the keys of its own dictionaries run
                    self._told.append((number, "", "%s cannot be read: %s" % (class_name, type(error).__name__)))
                    modules = {}
                if modules:
                    open_.append((module, named, below, entries))
                    module, named, below, entries = number, [], [], iter(modules.copy().items())
                    on_the_way.add(number)
                    break
            else:
                if module < 0:
                    return
                if below:
                    children[module] = (named, below)
                on_the_way.discard(module)
                module, named, below, entries = open_.pop()

    def _name(self) -> None:
        """Gives names to what is registered under keys that are none. Last, when most need no look: the keys of all modules are few."""
        keys = list(chain.from_iterable(map(itemgetter(0), self.children.values())))
        if are_all(keys, str) and all(map(is_plain, set(keys))):
            return
        again = set(self._again)
        for module, (named, below) in self.children.items():
            taken: Set[str] = set()
            for place, (key, number) in enumerate(zip(named, below) if not all(map(is_plain, named)) else ()):
                named[place], sentence = plain_name(key, taken)
                if sentence:
                    self._told.append((module, named[place], sentence))
                if (module, place, number) not in again:
                    self._names[number] = named[place]

    def _entries(self, number: int, kind: str, entries: Any) -> Dict[Any, Any]:
        if type(entries) is dict:  # as it is: another one would ask its keys for their hashes
            return entries
        found = items(entries)  # an OrderedDict up to PyTorch 2.4
        if found is None:  # ScriptModules keep theirs in C++
            self._told.append((number, "", "%s of %s cannot be read" % (kind, self.class_names[number])))
        return dict(found or ())

    def _unflattened(self, module: Any, owner: Dict[str, Any], parameters: Dict[Any, Any]) -> Dict[Any, Any]:
        """A module's parameters as they were before FSDP made one flat parameter of them and of those below."""
        if "_handle" in owner or "_handles" in owner:
            for flat in flat_parameters(owner):
                self._flats.setdefault(id(flat.module), []).append(flat)
        flats = self._flats.get(id(module), [])
        if not self._flats or not (parameters or flats):
            return parameters
        kept = {}
        for name, value in parameters.items():
            dictionary = self._types.of(value).dictionary  # FSDP knows its flat parameters by a mark: their class is Parameter
            if value is None or dictionary is None or "_is_flat_param" not in (dictionary(value) or ()):
                kept[name] = value
        kept.update((flat.name, flat) for flat in flats)
        return kept

    def _renumbered(self, modules: Dict[Any, Any]) -> Dict[Any, Any]:
        """Megatron numbers the layers of each pipeline stage from 0; `layer_number` is their place in the whole model, from 1."""
        numbers = []
        for name, child in modules.items():
            facts = self._types.of(child)
            number = facts.dictionary(child).get("layer_number") if facts.is_module and facts.dictionary else None
            if type(number) is not int or number < 1 or type(name) is not str or not name.isdigit():
                return modules
            numbers.append(str(number - 1))
        return dict(zip(numbers, modules.values())) if len(set(numbers)) == len(numbers) else modules
