"""What the source of a model says about its forward passes: per class, not per module, and without the text itself unless it is asked for.

Names of parameters, locals, attributes and called functions are taken from the text, and keys that may name a submodule (`self.heads["cls"]`); other strings,
numbers and comments never are. What cannot be known from the text is said in `limits`, one sentence each.
"""
import inspect
import textwrap
from types import FunctionType, MethodType
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from .forward_dataflow import START, Tracer, callee_attributes, dependencies_of, edges_of, reaching
from .forward_operations import Operations, operations_of
from .raw_object import attributes, mro, qualified_name
from .reader import children_of

FUNCTIONS_MAX = 2_000  # classes and methods of one model that are analysed; models have some 30
_WRAPPED_MAX = 16
_UNKNOWN = "(unknown)"


class _Place(NamedTuple):
    """Where a dotted attribute of a module leads: to a module, and what is left of the name behind it."""

    module: Any
    path: str
    rest: Tuple[str, ...]


def class_key(kind: type) -> str:
    """"transformers.models.qwen3.modeling_qwen3.Qwen3MLP"."""
    module = _class_entry(kind, "__module__")
    return "%s.%s" % (module if type(module) is str else _UNKNOWN, qualified_name(kind))


def _class_entry(kind: type, name: str) -> Any:
    """As the class or one above it defines it, without asking for it: no property and no metaclass has a word in."""
    for cls in mro(kind):
        own = type.__dict__["__dict__"].__get__(cls)
        if name in own:
            return own[name]
    return None


def _function(found: Any) -> Optional[FunctionType]:
    """The Python function behind a method, below decorators that say what they wrap."""
    for _ in range(_WRAPPED_MAX):
        if isinstance(found, (staticmethod, classmethod, MethodType)):
            found = found.__func__
        elif type(found) is FunctionType and type(found.__dict__.get("__wrapped__")) is FunctionType:
            found = found.__dict__["__wrapped__"]
        else:
            break
    return found if type(found) is FunctionType else None


def argument_names(kind: type) -> Tuple[str, ...]:
    """Of the positional arguments of a class's forward, without self; () when it is not written in Python."""
    function = _function(_class_entry(kind, "forward"))
    return function.__code__.co_varnames[1 : function.__code__.co_argcount] if function is not None else ()


def has_forward(module: Any) -> bool:
    """False for ModuleList and the like, which only hold modules."""
    found = _function(_class_entry(type(module), "forward"))
    return found is None or found.__name__ != "_forward_unimplemented"


def place(module: Any, dotted: str) -> _Place:
    """Follows `dotted` down the registered modules; "*" is any child, of which the first stands for all."""
    path: List[str] = []
    steps = dotted.split(".")
    for at, step in enumerate(steps):
        children = dict(children_of(module))
        child = next(iter(children.values()), None) if step == "*" else children.get(step)
        if child is None:
            return _Place(module, ".".join(path), tuple(steps[at:]))
        module = child
        path.append(step)
    return _Place(module, ".".join(path), ())


def _is_call(rest: Tuple[str, ...]) -> bool:
    return rest in ((), ("forward",), ("__call__",))


class _Owner(NamedTuple):
    """An object whose method is analysed: one of its class stands for all."""

    value: Any
    is_module: bool

    def holds_code(self, name: str) -> bool:
        """A submodule or a method: what is called, not what is read."""
        return (self.is_module and bool(place(self.value, name).path)) or _function(_class_entry(type(self.value), name)) is not None

    def call(self, name: str) -> Tuple[str, Any, Any]:
        """(kind, function, whose) of a call "self.NAME": kind "method", "attribute", or "" for a name that is not there."""
        steps = name.split(".")
        whose: Any = self.value
        if self.is_module and len(steps) > 1:
            found = place(whose, ".".join(steps[:-1]))
            whose, steps = found.module, list(found.rest) + steps[-1:]
        for step in steps[:-1]:
            whose = (attributes(whose) or {}).get(step)
            if whose is None:
                return "attribute", None, None
        own = (attributes(whose) or {}).get(steps[-1])
        found = own if own is not None else _class_entry(type(whose), steps[-1])
        function = _function(found)
        bound = found.__self__ if isinstance(found, MethodType) else whose
        return "method" if function is not None else "attribute", function, bound


class Analysis:
    """Collects classes and the methods they call. `classes` and `methods` are what the document holds, by "module.Class" and "module.Class.method"."""

    def __init__(self, with_source: bool = False) -> None:
        self.with_source = with_source
        self.classes: Dict[str, Dict[str, Any]] = {}
        self.methods: Dict[str, Dict[str, Any]] = {}
        self.limits: Dict[str, None] = {}
        self._waiting: List[Tuple[str, FunctionType, _Owner]] = []
        self._met: Set[str] = set()

    def of_model(self, modules: Iterator[Any]) -> None:
        """One module of each class stands for its class."""
        kinds: Dict[int, str] = {}
        for module in modules:
            kind = type(module)
            if id(kind) in kinds:
                continue
            if len(kinds) + len(self._met) >= FUNCTIONS_MAX:
                self.limits["more than %d classes and methods: the others are left out" % FUNCTIONS_MAX] = None
                break
            key, number = class_key(kind), 2
            while key in self.classes:  # two classes of one name, made in a function
                key, number = "%s#%d" % (class_key(kind), number), number + 1
            kinds[id(kind)] = key
            self.classes[key] = self._class(module)
        while self._waiting:
            key, function, owner = self._waiting.pop(0)
            self.methods[key] = self._analysed(function, owner, [])

    def _class(self, module: Any) -> Dict[str, Any]:
        limits: List[str] = []
        if (attributes(module) or {}).get("forward") is not None:
            limits.append("a module of this class has a forward of its own, which its class does not know")
        found = _class_entry(type(module), "forward")
        function = _function(found)
        if not has_forward(module):
            return _empty(limits + ["it has no forward: others call its modules"])
        if function is None:
            return _empty(limits + ["source unavailable: forward is a %s, not a Python function" % qualified_name(type(found))])
        if function.__name__ != "forward":
            limits.append("forward is the function %s: what made it of what was written is not seen" % function.__name__)
        return self._analysed(function, _Owner(module, True), limits)

    def _analysed(self, function: FunctionType, owner: _Owner, limits: List[str]) -> Dict[str, Any]:
        try:
            lines, first = inspect.getsourcelines(function)
            text = textwrap.dedent("".join(lines))
            found = operations_of(text)
            if found.name != function.__name__:
                return _empty(limits + ["source unavailable: its file holds %s at that place; it has been changed since it was imported" % found.name])
            told = self._document(found, function, owner, first)
        except (OSError, TypeError):
            return _empty(limits + ["source unavailable: compiled, generated, or installed without its .py file"])
        except SyntaxError:
            return _empty(limits + ["source unavailable: what stands at its place is no function"])
        except Exception as error:  # one function that is not understood costs no other
            return _empty(limits + ["its source cannot be analysed: %s" % type(error).__name__])
        limits += ["decorated with @%s: what the decorator does is not seen" % name for name in found.decorators]
        told["limits"] = limits + ["line %d: %s" % (first - 1 + line, said) for line, said in found.limits]
        return dict(told, source=text) if self.with_source else told

    def _document(self, found: Operations, function: FunctionType, owner: _Owner, first: int) -> Dict[str, Any]:
        entering = reaching(found)
        tracer = Tracer(found, entering)
        modules: Dict[Tuple[int, int], Tuple[str, ...]] = {}
        operations = []
        for at, operation in enumerate(found.operations):
            calls = []
            for number, site in enumerate(operation.calls):
                call = self._call(tracer, at, number, function, owner)
                if "modules" in call:
                    modules[(at, number)] = tuple(call["modules"])
                calls.append(call)
            reads = [name for name in operation.reads if not (name.startswith("self.") and owner.holds_code(name[5:]))]
            told: Dict[str, Any] = {"line": first - 1 + operation.line, "op": operation.op}
            writes = [one.name for one in operation.definitions]
            context = [{"branch": branch, "line": first - 1 + line} for branch, line in operation.context]
            told.update((name, value) for name, value in (("calls", calls), ("reads", reads), ("writes", writes), ("context", context)) if value)
            operations.append(told)
        edges = [{"from": "input" if edge.start == START else edge.start, "to": edge.end, "variable": edge.variable} for edge in edges_of(found, entering)]
        dependencies = [{"from": one.start, "to": one.end} for one in dependencies_of(found, tracer, modules)]
        defined = "%s.%s" % (function.__module__, function.__qualname__)
        return {"defined": defined, "line": first, "parameters": list(found.parameters), "operations": operations, "edges": edges, "dependencies": dependencies}

    def _call(self, tracer: Tracer, at: int, number: int, function: FunctionType, owner: _Owner) -> Dict[str, Any]:
        """What is called: a submodule, a method or attribute of the object, a method of a value, a function, or something that is computed."""
        site = tracer.found.operations[at].calls[number]
        told: Dict[str, Any] = {"name": site.name}
        if owner.is_module:
            paths = self._paths(tracer, at, number, owner)
            if paths:
                return dict(told, kind="module", modules=paths)
        if site.name.startswith("super()."):
            found = _function(_above(type(owner.value), function, site.name[8:]))
            return dict(told, kind="method", **self._method(found, owner, above=True))
        if site.name.startswith("self."):
            kind, found, whose = owner.call(site.name[5:])
            return dict(told, kind=kind, **self._method(found, _Owner(whose, owner.is_module and whose is owner.value)))
        if site.callee:
            return dict(told, kind="value")
        return dict(told, kind="function" if site.name else "computed")

    def _paths(self, tracer: Tracer, at: int, number: int, owner: _Owner) -> List[str]:
        """The submodules that a call may call: one for `self.norm(x)`, "layers.*" for `layer(x)` in `for layer in self.layers`."""
        site = tracer.found.operations[at].calls[number]
        if not site.callee or site.name.startswith(("super().", ".")):
            return []
        if site.name.startswith("self."):
            starts, rest = [site.name[5:]], ()  # type: List[str], Tuple[str, ...]
        else:
            starts, rest = sorted(callee_attributes(tracer, at, site)), tuple(site.name.split(".")[1:])
        paths = []
        for start in starts:
            reached = place(owner.value, start)
            if rest and not has_forward(reached.module):  # self.layers.values(), enumerate(self.layers): one of its modules
                reached = place(owner.value, reached.path + ".*")
            elif not rest and not site.name.startswith("self.") and reached.path and not has_forward(reached.module):
                reached = place(owner.value, reached.path + ".*")
            there = place(reached.module, ".".join(rest)) if rest else _Place(reached.module, "", reached.rest)
            if reached.path and _is_call(there.rest) and has_forward(there.module):
                paths.append(reached.path + ("." + there.path if there.path else ""))
        return paths

    def _method(self, function: Optional[FunctionType], owner: _Owner, above: bool = False) -> Dict[str, str]:
        """Notes a method to be analysed as well, once for each class of objects it is called on; {"method": key}. `above` says that super() found it."""
        if function is None or owner.value is None or not function.__module__ or function.__module__.partition(".")[0] == "torch":
            return {}
        key = "%s.%s" % (function.__module__, function.__qualname__) if above else "%s.%s" % (class_key(type(owner.value)), function.__name__)
        if key not in self._met:
            if len(self._met) + len(self.classes) >= FUNCTIONS_MAX:
                self.limits["more than %d classes and methods: the others are left out" % FUNCTIONS_MAX] = None
                return {}
            self._met.add(key)
            self._waiting.append((key, function, owner))
        return {"method": key}


def _empty(limits: List[str]) -> Dict[str, Any]:
    return {"operations": [], "edges": [], "dependencies": [], "limits": limits}


def _above(kind: type, function: FunctionType, name: str) -> Any:
    """What super() finds in `function`: the next definition of `name` behind the class that holds it."""
    passed = False
    for cls in mro(kind):
        own = type.__dict__["__dict__"].__get__(cls)
        if passed and name in own:
            return own[name]
        passed = passed or any(_function(one) is function for one in own.values())
    return None
