"""The expressions of one statement: what they call, read and write, and what each call's arguments come from.

Only the syntax tree is looked at; nothing runs. Names are those of the source: locals as they are, attributes of the first parameter as "self.NAME" whatever it is
called there.
"""
import ast
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

# ("name", "q"): a local · ("self", "layers.0"): an attribute of the first parameter · ("call", 2): the third call of the same operation
Source = Tuple[str, Any]
Sources = FrozenSet[Source]
NOTHING: Sources = frozenset()


class CallSite(NamedTuple):
    name: str  # as written: "self.q_proj", "torch.cat", "q.view"; ".view" on the result of an expression; "" when what is called is computed
    callee: Sources  # what the called object itself comes from
    sources: Sources  # what its arguments come from, and the object a method is called on


class Definition(NamedTuple):
    name: str  # "q", "self.cache"
    sources: Sources
    whole: bool  # False: changes a part or in place, so what was there before still counts


def dotted(node: Any, own: str) -> str:
    """"self.layers.*" of `self.layers[i]`, "torch.nn.functional.silu"; "" for anything that is no chain of names. A constant key is a name where it may be that of
    a submodule, so below the object itself; elsewhere it is content, and "*" like one that is computed."""
    parts: List[Tuple[str, str]] = []  # (below the object itself, elsewhere)
    while True:
        if isinstance(node, ast.Attribute):
            parts.append((node.attr, node.attr))
            node = node.value
        elif isinstance(node, ast.Subscript) and type(node.slice).__name__ not in ("Slice", "Tuple", "ExtSlice"):
            index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice  # Python 3.8 wraps it
            known = isinstance(index, ast.Constant) and (type(index.value) is str or type(index.value) is int)
            parts.append((str(index.value) if known else "*", "*"))
            node = node.value
        elif isinstance(node, ast.Name):
            if node.id == own:
                return ".".join(["self"] + [one for one, _ in reversed(parts)])
            return ".".join([node.id] + [other for _, other in reversed(parts)])
        elif _getattr_name(node):
            parts.append((_getattr_name(node), _getattr_name(node)))
            node = node.args[0]
        else:
            return ""


def _getattr_name(node: Any) -> str:
    """The name in `getattr(x, "name")`; "" for anything else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) >= 2:
        name = node.args[1]
        return name.value if isinstance(name, ast.Constant) and type(name.value) is str else ""
    return ""


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _ordered_children(node: Any) -> List[Any]:
    """As Python evaluates them; of a comprehension the iterables first."""
    if isinstance(node, _COMPREHENSIONS):
        kept = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return list(node.generators) + kept
    if isinstance(node, ast.comprehension):
        return [node.iter, _Bind(node)] + list(node.ifs)
    if isinstance(node, ast.IfExp):
        return [node.test, node.body, node.orelse]
    return list(ast.iter_child_nodes(node))


def _indices(node: Any) -> List[Any]:
    found = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript):
            found.append(node.slice)
        node = node.value
    return found[::-1]


class _Bind:
    """The moment in a comprehension when its variable has a value."""

    def __init__(self, comprehension: Any) -> None:
        self.comprehension = comprehension


class Expressions:
    """The expressions of one operation."""

    def __init__(self, own: str, local: Set[str], limits: Dict[Tuple[int, str], None]) -> None:
        self.own, self.local, self.limits = own, local, limits
        self.calls: List[CallSite] = []
        self.reads: Dict[str, None] = {}
        self.definitions: List[Definition] = []
        self.bound: Dict[str, Sources] = {}  # variables of comprehensions

    def value(self, root: Any) -> Sources:
        """Post-order with a stack of its own: a sum of a thousand terms is a tree a thousand deep."""
        found: Dict[int, Sources] = {}
        open_: List[Tuple[Any, Optional[List[Any]]]] = [(root, None)]
        while open_:
            node, children = open_.pop()
            if children is None:
                children = self._children(node)
                open_.append((node, children))
                open_.extend((child, None) for child in reversed(children))
            else:
                found[id(node)] = self._of(node, frozenset().union(*(found.get(id(child), NOTHING) for child in children)), found)
        return found[id(root)]

    def _children(self, node: Any) -> List[Any]:
        """An attribute of the object itself is read as one name; of what lies below only the indices are looked at."""
        if isinstance(node, (ast.Lambda, _Bind)):
            return []
        if isinstance(node, (ast.Attribute, ast.Subscript)) and dotted(node, self.own).startswith("self."):
            return _indices(node)
        return _ordered_children(node)

    def _read(self, name: str) -> Sources:
        if name.startswith("self."):
            self.reads["self." + name.split(".")[1]] = None
            return frozenset([("self", name[5:])])
        if name in self.bound:
            return self.bound[name]
        if name in self.local:
            self.reads[name] = None
            return frozenset([("name", name)])
        return NOTHING

    def _of(self, node: Any, inside: Sources, found: Dict[int, Sources]) -> Sources:
        if isinstance(node, _Bind):
            for target in ast.walk(node.comprehension.target):
                if isinstance(target, ast.Name):
                    self.bound[target.id] = found.get(id(node.comprehension.iter), NOTHING)
            return NOTHING
        if isinstance(node, ast.Name):
            return self._read(node.id) if isinstance(node.ctx, ast.Load) and node.id != self.own else NOTHING
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            name = dotted(node, self.own)
            return self._read(name) if name.startswith("self.") else inside
        if isinstance(node, ast.Lambda):
            self.limits[(node.lineno, "the body of a lambda runs elsewhere and is not followed")] = None
            return self.closed_over(node)
        if isinstance(node, ast.NamedExpr):
            self.definitions.append(Definition(node.target.id, inside, True))
            return inside
        if isinstance(node, ast.Call):
            return self._call(node, found)
        return inside

    def closed_over(self, function: Any) -> Sources:
        names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        return frozenset().union(*(self._read(name) for name in sorted(names - {self.own})))

    def _call(self, node: Any, found: Dict[int, Sources]) -> Sources:
        name = dotted(node.func, self.own)
        if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "setattr") and node.args and not (node.func.id == "getattr" and _getattr_name(node)):
            self.limits[(node.lineno, "%s with a name that is computed at run time" % node.func.id)] = None
        elif _getattr_name(node) and dotted(node, self.own).startswith("self."):
            return self._read(dotted(node, self.own))  # a read, spelt as a call
        callee = found.get(id(node.func), NOTHING)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call) and dotted(node.func.value.func, self.own) == "super":
            name = "super()." + node.func.attr
        elif isinstance(node.func, ast.Attribute) and not name:
            name = "." + node.func.attr
        arguments = frozenset().union(*(found.get(id(argument), NOTHING) for argument in list(node.args) + list(node.keywords)))
        site = CallSite(name, callee, arguments | callee)
        if name == "super":
            return NOTHING  # only the method that is called on it is a call
        self.calls.append(site)
        made = frozenset([("call", len(self.calls) - 1)])
        last = name.rpartition(".")[2]
        if last.endswith("_") and not last.endswith("__") and isinstance(node.func, ast.Attribute):
            self._part(node.func.value, site.sources)
        for keyword in node.keywords:
            if keyword.arg == "out":
                self._part(keyword.value, made)
        return made

    def _part(self, target: Any, sources: Sources) -> None:
        """What is changed in place."""
        name = _root_name(target, self.own)
        if name in self.local or name.startswith("self."):
            self.definitions.append(Definition(name, sources, False))

    def store(self, target: Any, sources: Sources) -> None:
        open_ = [target]
        while open_:
            node = open_.pop()
            if isinstance(node, (ast.Tuple, ast.List)):
                open_.extend(reversed(node.elts))
            elif isinstance(node, ast.Starred):
                open_.append(node.value)
            elif isinstance(node, ast.Name):
                self.definitions.append(Definition(node.id, sources, True))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.own:
                self.definitions.append(Definition("self." + node.attr, sources, True))
            else:
                self.value(node)
                self._part(node, sources)

    def assign(self, targets: List[Any], value: Any) -> None:
        """`q, k = a, b` is two assignments, the values first."""
        if len(targets) == 1 and _paired(targets[0], value):
            values = [self.value(one) for one in value.elts]
            for target, sources in zip(targets[0].elts, values):
                self.store(target, sources)
            return
        sources = self.value(value)
        for target in targets:
            self.store(target, sources)


def _paired(target: Any, value: Any) -> bool:
    tuples = isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)) and len(target.elts) == len(value.elts)
    return tuples and not any(isinstance(node, ast.Starred) for node in target.elts + value.elts)


def _root_name(node: Any, own: str) -> str:
    """The local, or attribute of the object itself, that `x[0].y` is part of."""
    name = dotted(node, own)
    while not name and isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        name = dotted(node, own)
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "self" and len(parts) > 1 else parts[0]
