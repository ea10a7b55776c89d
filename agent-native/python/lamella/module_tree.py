"""The modules of a model as they are registered, each entered once, and who holds tensors.

Invariant: modules are numbered in pre-order over paths, so the path where one is met first is its own, and what is above it has a smaller number. A module
met again is not entered, so a cycle ends; nothing recurses, so depth costs nothing. Tensors are gathered here and not looked at.
"""
import sys
from typing import Any, Dict, Iterator, List, Sequence, Set, Tuple

from .plain_name import is_plain, plain_name
from .raw_object import Types, items
from .tensor_kinds import FlatTensor, flat_parameters

# Names of what is registered in a module, and their numbers.
Children = Tuple[Sequence[str], Sequence[int]]

# A module that may hold tensors of its own: its number, its attributes, its parameters, its buffers, and where in `values` those of all these are.
Holder = Tuple[int, Dict[str, Any], Dict[Any, Any], Dict[Any, Any], slice]

_NO_CHILDREN: Children = ((), ())


class ModuleTree:
    """`class_names` and `children` are by number of a module. `staged`: the model is split over pipeline stages."""

    def __init__(self, root: Any, types: Types, staged: bool) -> None:
        self.class_names: List[str] = []
        self.children: List[Children] = []
        self.children_first: List[int] = []  # every module behind those below it
        self.holders: List[Holder] = []
        self.values: List[Any] = []  # parameters, then buffers of each holder in turn; mostly tensors and None
        self.again: List[Tuple[str, int]] = []  # (path, module) where a module is met again
        self.notes: List[Tuple[str, str]] = []
        self._names: List[str] = []
        self._parents: List[int] = []
        self._types, self._staged = types, staged
        self._plain: Set[str] = set()
        self._has_fsdp = "torch.distributed.fsdp" in sys.modules
        self._flats: Dict[int, List[FlatTensor]] = {}  # by address of a module: what FSDP took from it
        self._walk(root)

    def path(self, module: int, name: str = "") -> str:
        """Of a module, or of what it has under `name`. Made when it is asked for: most are not, and those of a deep tree are long."""
        steps = [name] if name else []
        while module > 0:
            steps.append(self._names[module])
            module = self._parents[module]
        return ".".join(reversed(steps))

    def note(self, module: int, name: str, sentence: str) -> None:
        self.notes.append((self.path(module, name), sentence))

    def _walk(self, root: Any) -> None:
        numbers: Dict[int, int] = {}  # by address
        types, types_of, enter = self._types.known, self._types.of, self._enter
        names, parents, class_names, children, children_first = self._names, self._parents, self.class_names, self.children, self.children_first
        open_: List[Tuple[int, List[str], List[int], Iterator[Tuple[str, Any]]]] = []  # modules whose children are being entered
        on_the_way: Set[int] = set()
        module = -1
        named: List[str] = []  # what the module has below it, and its numbers
        below: List[int] = []
        entries: Iterator[Tuple[str, Any]] = iter([("", root)])
        while True:
            for name, child in entries:  # goes on where it was left
                number = numbers.get(id(child))
                if number is not None:
                    if number in on_the_way:
                        self.note(module, name, "is %s itself: a module tree has no cycles, so it is left out here" % (self.path(number) or "the root"))
                    else:
                        self.again.append((self.path(module, name), number))
                        named.append(name)
                        below.append(number)
                    continue
                class_name, is_module, _, attributes = types.get(id(type(child))) or types_of(child)
                if not is_module:
                    if child is not None:
                        self.note(module, name, "%s is not a module" % class_name)
                    continue
                number = numbers[id(child)] = len(names)
                names.append(name)
                parents.append(module)
                class_names.append(class_name)
                named.append(name)
                below.append(number)
                try:
                    registered = enter(number, child, attributes(child))
                except Exception as error:  # of code that the keys of its own dictionaries run
                    self.note(module, name, "%s cannot be read: %s" % (class_name, type(error).__name__))
                    registered = {}
                if registered:
                    open_.append((module, named, below, entries))
                    module, named, below, entries = number, [], [], iter(registered.items())
                    children.append((named, below))
                    on_the_way.add(number)
                    break
                children.append(_NO_CHILDREN)
                children_first.append(number)
            else:
                if module < 0:
                    return
                children_first.append(module)
                on_the_way.discard(module)
                module, named, below, entries = open_.pop()

    def _enter(self, number: int, module: Any, owner: Dict[str, Any]) -> Dict[str, Any]:
        """What is registered below, by name."""
        parameters, buffers, modules = owner.get("_parameters"), owner.get("_buffers"), owner.get("_modules")
        if not type(parameters) is type(buffers) is type(modules) is dict:
            parameters, buffers, modules = (self._entries(number, kind, owner.get(kind)) for kind in ("_parameters", "_buffers", "_modules"))
        if self._has_fsdp:
            parameters = self._unflattened(module, owner, parameters)
        if parameters or buffers:
            values, start = self.values, len(self.values)
            values += parameters.values()
            if buffers:
                values += buffers.values()
            self.holders.append((number, owner, parameters, buffers, slice(start, len(values))))
        elif "_packed_params" in owner and "_packed_params" not in modules:  # torch.ao
            self.note(number, "", "the weights of %s are kept in C++ and cannot be read" % self.class_names[number])
        return self._named(number, self._renumbered(modules) if self._staged else modules) if modules else modules

    def _named(self, number: int, modules: Dict[Any, Any]) -> Dict[str, Any]:
        """A copy: another thread may register meanwhile."""
        plain, modules = self._plain, modules.copy()
        for name in modules:
            if type(name) is not str or name not in plain:
                if not is_plain(name):
                    return self._renamed(number, modules)
                plain.add(name)
        return modules

    def _renamed(self, number: int, modules: Dict[Any, Any]) -> Dict[str, Any]:
        named: Dict[str, Any] = {}
        taken: Set[str] = set()
        for key, child in modules.items():
            name, sentence = plain_name(key, taken)
            named[name] = child
            if sentence:
                self.note(number, name, sentence)
        return named

    def _entries(self, number: int, kind: str, entries: Any) -> Dict[Any, Any]:
        found = items(entries)  # an OrderedDict up to PyTorch 2.4
        if found is None:  # ScriptModules keep theirs in C++
            self.note(number, "", "%s of %s cannot be read" % (kind, self.class_names[number]))
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
