"""Which value reaches which operation of a function: edges by variable, and from submodule to submodule through whatever lies between.

Reaching definitions over the operations of forward_operations.py. Every path through branches and loops counts as possible, so an edge says "may", never "does".
"""
from typing import Callable, Dict, FrozenSet, List, NamedTuple, Set, Tuple

from .forward_expressions import CallSite, Source
from .forward_operations import START, Operations

Reaching = Dict[str, FrozenSet[int]]  # name → operations whose definition of it can still hold

INPUT, OUTPUT = "input", "output"


class Edge(NamedTuple):
    start: int  # an operation, or START for a parameter
    end: int
    variable: str


class Dependency(NamedTuple):
    """A submodule's result, or a parameter ("input:x"), may become part of what another submodule gets, or of what is returned ("output")."""

    start: str
    end: str


def reaching(found: Operations) -> List[Reaching]:
    """Of each operation: the definitions that can hold when it begins."""
    count = len(found.operations)
    after: List[Set[int]] = [set() for _ in range(count)]
    for at, before in enumerate(found.before):
        for one in before:
            if one != START:
                after[one].add(at)
    start: Reaching = {name: frozenset([START]) for name in found.parameters}
    entering: List[Reaching] = [{} for _ in range(count)]
    leaving: List[Reaching] = [{} for _ in range(count)]
    waiting, queued = list(range(count - 1, -1, -1)), set(range(count))
    while waiting:
        at = waiting.pop()
        queued.discard(at)
        state: Reaching = {}
        for one in found.before[at]:
            for name, defined in (start if one == START else leaving[one]).items():
                state[name] = state.get(name, frozenset()) | defined
        entering[at] = state
        left = dict(state)
        for definition in found.operations[at].definitions:
            here = frozenset([at])
            left[definition.name] = here if definition.whole else left.get(definition.name, frozenset()) | here
        if left != leaving[at]:
            leaving[at] = left
            for one in sorted(after[at] - queued, reverse=True):
                waiting.append(one)
                queued.add(one)
    return entering


def edges_of(found: Operations, entering: List[Reaching]) -> List[Edge]:
    edges = []
    for at, operation in enumerate(found.operations):
        for name in operation.reads:
            edges.extend(Edge(start, at, name) for start in sorted(entering[at].get(name, ())))
    return edges


class Tracer:
    """Follows values backwards: from a call or a result to the calls and names they come from."""

    def __init__(self, found: Operations, entering: List[Reaching]) -> None:
        self.found, self.entering = found, entering

    def back(self, at: int, sources: FrozenSet[Source], stops: Callable[[int, int], bool]) -> Tuple[Set[Tuple[int, int]], Set[str], Set[str]]:
        """(calls where `stops(operation, call)` said to stop, parameters, attributes of the object) that the sources of operation `at` come from."""
        calls: Set[Tuple[int, int]] = set()
        inputs: Set[str] = set()
        attributes: Set[str] = set()
        open_ = [(at, source) for source in sources]
        seen = set(open_)
        while open_:
            here, (kind, name) = open_.pop()
            operation = self.found.operations[here]
            further: List[Tuple[int, Source]] = []
            if kind == "call":
                if stops(here, name):
                    calls.add((here, name))
                else:
                    further = [(here, source) for source in operation.calls[name].sources]
            else:
                variable = "self." + name.split(".")[0] if kind == "self" else name
                if kind == "self":
                    attributes.add(name)
                for start in self.entering[here].get(variable, ()):
                    if start == START:
                        inputs.add(variable)
                    else:
                        definitions = self.found.operations[start].definitions
                        further.extend((start, source) for one in definitions if one.name == variable for source in one.sources)
            for one in further:
                if one not in seen:
                    seen.add(one)
                    open_.append(one)
        return calls, inputs, attributes


def dependencies_of(found: Operations, tracer: Tracer, modules: Dict[Tuple[int, int], Tuple[str, ...]]) -> List[Dependency]:
    """`modules` says which calls are calls of submodules, and of which: (operation, call) → paths."""
    edges: Dict[Dependency, None] = {}

    def add(at: int, sources: FrozenSet[Source], ends: Tuple[str, ...]) -> None:
        calls, inputs, _ = tracer.back(at, sources, lambda here, call: (here, call) in modules)
        starts = ["%s:%s" % (INPUT, name) for name in sorted(inputs)] + [path for one in sorted(calls) for path in modules[one]]
        edges.update((Dependency(start, end), None) for start in starts for end in ends)

    for (at, call), paths in sorted(modules.items()):
        add(at, found.operations[at].calls[call].sources, paths)
    for at, operation in enumerate(found.operations):
        if operation.op == "return":
            add(at, operation.value, (OUTPUT,))
    return list(edges)


# What hands on the modules of a container; the results of other calls are not modules.
_ITERATES = frozenset(("enumerate", "zip", "reversed", "list", "tuple", "iter", "islice", "items", "values", "children", "named_children", "getattr"))


def callee_attributes(tracer: Tracer, at: int, site: CallSite) -> Set[str]:
    """Attributes of the object that what is called may come from: {"layers"} of `layer` in `for layer in self.layers`."""

    def stops(here: int, call: int) -> bool:
        return tracer.found.operations[here].calls[call].name.rpartition(".")[2] not in _ITERATES

    return tracer.back(at, site.callee, stops)[2]
