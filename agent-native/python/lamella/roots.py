"""The models of this process: modules that are no part of another one.

A part is what torch registered (`_modules`). So a wrapper is the model and what it wraps is part of it: `module` of DDP and FSDP, `_orig_mod` of
torch.compile, `base_layer` of an adapter. A plain attribute makes no part: vLLM's runner, which is no module, holds its model by one. Nor does a Python list
that is an attribute of a module: a model kept there is a model of its own, for it is neither trained nor saved with its holder either.

Beside models a process has losses, metrics and loose layers, and second holders of the same parameters: a ModuleList of some layers, a traced copy. They are
told apart by their parameters alone, never by class.
"""
import gc
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Set, Tuple

from .fingerprint import Slots, entries, slots
from .listed import can_list, listed
from .quantisation import WEIGHT_ENDINGS, WEIGHT_NAMES, WORD_BITS
from .raw_object import Types, attributes, class_name, clean, items
from .reachable import reachable
from .torch_slots import loaded_torch, tensor_base
from .totals import ELEMENT_BYTES

ROOTS_MAX = 8


class Skipped(NamedTuple):
    """Modules of one class that are no part of another and yet are not read, for one reason."""

    class_name: str
    count: int
    parameter_bytes: int  # of the largest
    why: str


class Roots(NamedTuple):
    models: Tuple[Any, ...]  # largest first
    skipped: Tuple[Skipped, ...]  # largest first


class _Weighed(NamedTuple):
    module: Any
    parameters: int
    parameter_bytes: int
    modules: int


class _Graph:
    """Modules as registered, read once and through torch's own slots. Holds while they are alive."""

    def __init__(self, found: Slots, types: Types) -> None:
        self.found, self.types = found, types
        self.known: Dict[int, Tuple[Any, ...]] = {}

    def children(self, module: Any) -> Tuple[Any, ...]:
        children = self.known.get(id(module))
        if children is None:
            registered = entries(self.found.attributes(module).get("_modules"))
            children = tuple([child for child in tuple(registered.values()) if self.types.of(child).is_module]) if registered else ()
            self.known[id(module)] = children
        return children

    def below(self, module: Any) -> Iterator[Any]:
        """The module and every one below it, each once."""
        seen, reached = {id(module)}, [module]
        for module in reached:
            yield module
            for child in self.children(module):
                if id(child) not in seen:
                    seen.add(id(child))
                    reached.append(child)

    def reach(self, start: Any, reached: Set[int]) -> bool:
        """Adds what can be reached from `start` and was not before; answers whether `start` itself can."""
        reached.add(id(start))
        stack, comes_back = [start], False
        while stack:
            for child in self.children(stack.pop()):
                comes_back = comes_back or child is start
                if id(child) not in reached:
                    reached.add(id(child))
                    stack.append(child)
        return comes_back

    def tops(self, living: Dict[int, Any]) -> List[Any]:
        """The modules that are no child of another. Of modules that hold one another in a circle and hang on nothing else, the first stands for all: the reader
        says where the circle closes."""
        listed = list(living.values())
        held: Set[int] = set()
        for module in listed:
            for child in self.children(module):
                held.add(id(child))
                if id(child) not in living:  # frozen, and known through its parent
                    living[id(child)] = child
                    listed.append(child)
        tops = [module for module in listed if id(module) not in held]
        reached: Set[int] = set()
        for top in tops:
            self.reach(top, reached)
        return tops + [module for module in listed if id(module) not in reached and self.reach(module, reached)]

    def dtype(self, tensor: Any) -> str:
        try:
            return str(self.found.dtype(tensor)).replace("torch.", "", 1)
        except TypeError:  # no tensor
            return ""

    def weights(self, module: Any) -> Iterator[Any]:
        """Parameters at and below the module, each object once, and the packed weights that GPTQ and AWQ register as buffers. A float buffer called `weight` is
        none of these: a loss keeps the weights of its classes there."""
        seen: Set[int] = set()
        for module in self.below(module):
            own = self.found.attributes(module)
            parameters, buffers = entries(own.get("_parameters")), entries(own.get("_buffers"))
            held = [tensor for tensor in tuple(parameters.values()) if tensor is not None] if parameters else []
            for name, tensor in tuple(buffers.items()) if buffers else ():
                if self.dtype(tensor) in WORD_BITS and (clean(name) in WEIGHT_NAMES or clean(name).endswith(WEIGHT_ENDINGS)):
                    held.append(tensor)
            for tensor in held:
                if id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield tensor

    def bytes(self, tensor: Any) -> int:
        """Only to put models in order: storage shared by several objects counts for each."""
        element = ELEMENT_BYTES.get(self.dtype(tensor), 0)
        emptied = (attributes(tensor) or {}).get("ds_numel")  # DeepSpeed ZeRO-3 empties a parameter between its turns
        if type(emptied) is int:
            return element * emptied
        try:
            size = element
            for dim in self.found.dims(tensor):
                size *= dim
            return int(size)
        except Exception:  # a tensor that answers for its size in Python, each with its own exception
            return 0

    def weigh(self, module: Any) -> _Weighed:
        sizes = [self.bytes(tensor) for tensor in self.weights(module)]
        return _Weighed(module, len(sizes), sum(sizes), sum(1 for _ in self.below(module)))


def _living(torch: Any, more: Iterable[Any], frozen: bool) -> Dict[int, Any]:
    base = torch.nn.Module
    known = listed(base) if can_list() else []
    known += more
    if frozen and (gc.get_freeze_count() or not can_list()):
        known += reachable(base, tensor_base(torch))
    return {id(module): module for module in known}


def _order(weighed: _Weighed) -> Tuple[int, int, bool]:
    """Where bytes are equal, the model before what was traced from it: that may lack some of the modules, and its class was made in a function."""
    return -weighed.parameter_bytes, -weighed.modules, "<locals>" in class_name(weighed.module)


def _select(graph: _Graph, tops: List[Any]) -> Roots:
    models: List[Any] = []
    parameters_of: Dict[int, Set[int]] = {}
    skipped: Dict[Tuple[str, str], List[int]] = {}

    def holder(module: Any) -> str:
        """The model that has every parameter of the module; "" when none has."""
        for model in models:
            held = parameters_of.get(id(model))
            if held is None:
                held = parameters_of[id(model)] = set(map(id, graph.weights(model)))
            if all(id(tensor) in held for tensor in graph.weights(module)):
                return class_name(model)
        return ""

    def why_not(weighed: _Weighed) -> str:
        if items(graph.found.attributes(weighed.module)["_modules"]) is None:
            return "its modules cannot be read: a ScriptModule keeps them in C++"
        if not weighed.parameters:
            return "it holds no parameter"
        if len(models) == ROOTS_MAX:
            return "only the %d largest models are read" % ROOTS_MAX
        name = holder(weighed.module)
        return "all its parameters are those of %s" % name if name else ""

    # A module without `_modules` is under construction: there is nothing to say of it yet.
    begun = [module for module in tops if "_modules" in graph.found.attributes(module)]
    for weighed in sorted(map(graph.weigh, begun), key=_order):
        why = why_not(weighed)
        if why:
            counted = skipped.setdefault((class_name(weighed.module), why), [0, 0])
            counted[0] += 1
            counted[1] = max(counted[1], weighed.parameter_bytes)
        else:
            models.append(weighed.module)
    told = (Skipped(name, count, size, why) for (name, why), (count, size) in skipped.items())
    return Roots(tuple(models), tuple(sorted(told, key=lambda one: (-one.parameter_bytes, one.class_name, one.why))))


def find_roots(more: Iterable[Any] = (), frozen: bool = True) -> Roots:
    """At most ROOTS_MAX models, and what was passed over: one pass over the garbage collector's list (listed.py says what it costs other threads). After
    gc.freeze(), which vLLM calls once it is warm, that list lacks all that was alive by then: `frozen` says to search for it, which takes a second or two.
    `more` are modules that the caller knows in any case. In a free-threaded interpreter there is no list, and the search takes its place."""
    graph = _Graph(slots(), Types(loaded_torch()))
    with graph.found.no_dispatch():
        return _select(graph, graph.tops(_living(loaded_torch(), more, frozen)))


def roots() -> List[Any]:
    """The living models of this process, largest first, at most ROOTS_MAX."""
    return list(find_roots().models)


def addresses_below(models: Iterable[Any]) -> Set[int]:
    """Of all modules of the models."""
    graph = _Graph(slots(), Types(loaded_torch()))
    reached: Set[int] = set()
    for model in models:
        graph.reach(model, reached)
    return reached
