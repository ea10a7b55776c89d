"""Where the tensors of a running forward come from: which call of a submodule made what another one gets, whatever operators lie between.

Storages are followed, not tensors: views share one, in-place operators write to one, and a storage has a weak reference, which keeps its address from being
used again while its bytes are freed as ever. No value of a tensor is looked at, none is kept alive.
"""
import sys
import weakref
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

from .raw_object import Types, class_name, clean, is_a, items
from .torch_slots import no_dispatch, tensor_base

TENSORS_MAX = 64  # of the arguments, or of the results, of one call
VIA_MAX = 8  # distinct operators named between two calls; one more, "…", says that there were others

INPUT, OUTPUT = "input", "output"
OBJECT, STORAGE, OPERATORS, STATE = "object", "storage", "operators", "state"
# Their results have the size of what they are given, not its content.
_SIZE_ONLY = ("_like", "::new_empty", "::new_zeros", "::new_ones", "::new_full", "::new_empty_strided")
_PLAIN = frozenset((type(None), bool, int, float, str, bytes))


class Outer(NamedTuple):
    """A storage that was there before the call: an argument, a parameter, or state."""

    key: int


Via = Tuple[str, ...]
Origins = Dict[Union[int, Outer], Via]  # number of a call inside the same parent, or from outside → operators between


class Seen(NamedTuple):
    """A tensor among the arguments or results of a call, or (dtype "") another object that may hold some."""

    name: str  # "hidden_states", "past_key_values.0"
    dims: Tuple[int, ...]
    dtype: str  # "bfloat16"
    class_name: str  # of an object that is no tensor
    key: int
    address: int


class Flow(NamedTuple):
    start: Union[int, str]  # a call, or "input:NAME"
    end: Union[int, str]  # a call, or "output"
    seen: Seen  # as the end gets it
    evidence: str
    via: Via


class Storages:
    """A number for each storage that was met; equal numbers, same storage."""

    def __init__(self, torch: Any) -> None:
        from torch.multiprocessing.reductions import StorageWeakRef

        self._torch, self._weak = torch, StorageWeakRef
        self._base = tensor_base(torch)
        self._held: Dict[int, Any] = {}
        self._objects: Dict[int, Tuple[Any, int]] = {}

    def key(self, tensor: Any) -> int:
        try:
            storage = self._base.untyped_storage(tensor)
            address = int(storage._cdata)
            if address not in self._held:
                self._held[address] = self._weak(storage)
            return address
        except Exception:  # sparse and wrapper tensors have no storage to show, each with its own exception: the object stands for it
            known = self._objects.get(id(tensor))
            if known is None or known[0]() is not tensor:
                known = self._objects[id(tensor)] = (weakref.ref(tensor), -1 - len(self._objects))
            return known[1]


class Tensors:
    """Finds tensors in arguments and results."""

    def __init__(self, torch: Any, storages: Storages) -> None:
        self._torch, self._storages, self._types = torch, storages, Types(torch)
        base = tensor_base(torch)
        self._shape, self._dtype = base.shape.__get__, base.dtype.__get__

    def below(self, value: Any) -> Iterator[Any]:
        """The tensors in lists and tuples, as operators take and return them."""
        open_ = [value]
        while open_:
            one = open_.pop()
            if self._types.of(one).is_tensor:
                yield one
            elif isinstance(one, (list, tuple)):
                open_.extend(reversed(one))

    def seen(self, named: Iterable[Tuple[str, Any]]) -> Tuple[List[Seen], int]:
        """(at most TENSORS_MAX, how many more there are), in order."""
        found: List[Seen] = []
        more = 0
        open_ = list(named)[::-1]
        with no_dispatch(self._torch):
            while open_:
                name, value = open_.pop()
                one: Optional[Seen] = None
                if self._types.of(value).is_tensor:
                    one = Seen(name, self._dims(value), str(self._dtype(value)).replace("torch.", "", 1), "", self._storages.key(value), id(value))
                elif is_a(value, tuple) or is_a(value, list):
                    inside = list(tuple.__iter__(value) if is_a(value, tuple) else list.__iter__(value))
                    open_.extend(("%s.%d" % (name, i) if name else str(i), part) for i, part in reversed(list(enumerate(inside))))
                elif items(value) is not None:
                    open_.extend(("%s.%s" % (name, clean(key)) if name else clean(key), part) for key, part in reversed(items(value) or []))
                elif type(value) not in _PLAIN and type(value).__module__ != "torch":
                    one = Seen(name, (), "", class_name(value), 0, 0)
                if one is not None and len(found) < TENSORS_MAX:
                    found.append(one)
                elif one is not None:
                    more += 1
        return found, more

    def _dims(self, tensor: Any) -> Tuple[int, ...]:
        return tuple(size if type(size) is int else -1 for size in self._shape(tensor))  # -1: a symbolic size


def _with(origins: Origins, more: Origins, name: str = "") -> None:
    """Adds `more`, one operator further, to `origins`."""
    for source, via in more.items():
        told = origins.get(source, ()) + tuple(one for one in via if one not in origins.get(source, ()))
        if name and name not in told:
            told += (name,)
        origins[source] = told if len(told) <= VIA_MAX else told[:VIA_MAX] + ("…",)


class Frame:
    """A call that is under way, as the parent of those inside it."""

    __slots__ = ("order", "origins", "objects", "written", "outer", "flow", "parents")

    def __init__(self, order: int) -> None:
        self.order = order
        self.origins: Dict[int, Origins] = {}
        self.objects: Dict[int, Tuple[Any, int]] = {}  # address of a result → (weak reference, call)
        self.written: Set[int] = set()
        self.outer: Set[int] = set()  # storages from outside that reached a call or a result
        self.flow: List[Flow] = []
        self.parents = False  # it has calls inside

    def of(self, key: int) -> Origins:
        found = self.origins.get(key)
        return {Outer(key): ()} if found is None else found

    def operator(self, name: str, read: List[int], written: List[int], made: List[int]) -> None:
        """An operator ran; the lists hold keys of storages."""
        sources: Origins = {}
        if not name.endswith(_SIZE_ONLY):
            for key in read:
                _with(sources, self.of(key), name)
        for key in made:
            if key not in read:  # else a view, or what was written
                self.origins[key] = dict(sources)
        for key in written:
            self.written.add(key)
            there = dict(self.of(key))
            _with(there, sources)
            self.origins[key] = there

    def close_child(self, child: "Frame", inputs: List[Seen], results: List[Tuple[Seen, Any]]) -> None:
        """What the call `child` got from those before it, and what it leaves; `results` come with their weak references."""
        for seen in inputs:
            if seen.dtype:
                self.reaches(child.order, seen)
        names = {seen.key: seen.name for seen in reversed(inputs) if seen.dtype}
        given = {seen.address for seen in inputs if seen.dtype}
        for seen, _ in results:
            if seen.dtype:
                child.reaches(OUTPUT, seen)
        flow = []
        for one in child.flow:
            if isinstance(one.start, int):
                flow.append(one)
            elif int(one.start) in names:  # the arguments are alive all through the call, so their addresses are their own
                evidence = OBJECT if not one.via and one.seen.address in given else one.evidence
                flow.append(one._replace(start="%s:%s" % (INPUT, names[int(one.start)]), evidence=evidence))
        child.flow = flow if child.parents else []
        for key in child.outer - set(names):
            known = self.origins.get(key)
            if known is None:
                self.outer.add(key)
            else:  # made by a call before, and not handed over as an argument
                for source, via in known.items():
                    if isinstance(source, int):
                        self.flow.append(Flow(source, child.order, Seen("", (), "", "", key, 0), STATE, via))
        made = {seen.key for seen, _ in results if seen.dtype}
        for key in child.written - made:
            there = dict(self.of(key))
            there[child.order] = ()
            self.origins[key] = there
            self.written.add(key)
        for seen, ref in results:
            if seen.dtype:
                self.origins[seen.key] = {child.order: ()}
                self.objects[seen.address] = (ref, child.order)

    def reaches(self, end: Union[int, str], seen: Seen) -> None:
        known = self.objects.get(seen.address)
        same = known[1] if known is not None and known[0]() is not None else None  # alive, so its address is its own
        for source, via in self.of(seen.key).items():
            if isinstance(source, Outer):
                self.outer.add(source.key)
                self.flow.append(Flow(str(source.key), end, seen, OPERATORS if via else STORAGE, via))
            else:
                self.flow.append(Flow(source, end, seen, OBJECT if source == same and not via else OPERATORS if via else STORAGE, via))


def operators_mode(
    torch: Any, tensors: Tensors, storages: Storages, top: Callable[[], Optional[Frame]], failed: Callable[[BaseException], None]
) -> Any:
    """A context in which every operator tells `top()`, the innermost Frame, what it read and made. `failed(error)` hears of what could not be told."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Operators(TorchDispatchMode):
        supports_higher_order_operators = True

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return "torch._dynamo" in sys.modules  # else torch imports its compiler, only to keep it from compiling this

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            result = func(*args, **kwargs)
            try:
                frame = top()
                if frame is not None:
                    read = [storages.key(one) for one in tensors.below([list(args), list(kwargs.values())])]
                    written = [storages.key(one) for one in tensors.below(_written(func, args, kwargs))]
                    frame.operator(_name(func), read, written, [storages.key(one) for one in tensors.below(result)])
            except Exception as error:
                failed(error)
            return result

    return Operators()


def _name(func: Any) -> str:
    schema = getattr(func, "_schema", None)
    return str(schema.name) if schema is not None else str(func)


def _written(func: Any, args: Any, kwargs: Any) -> List[Any]:
    schema = getattr(func, "_schema", None)
    if schema is None or not schema.is_mutable:
        return []
    found = []
    for at, argument in enumerate(schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            found.append(args[at] if at < len(args) else kwargs.get(argument.name))
    return found
