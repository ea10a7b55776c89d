"""Reads Python objects without running a line of their classes' code: by the slots of `type`, `object` and `dict` themselves.

getattr, isinstance, len, ==, iteration and f-strings all may run user code (properties, __class__, metaclasses, proxies);
nothing here uses them on a foreign object.
"""
from collections import OrderedDict
from itertools import repeat
from operator import is_
from types import GetSetDescriptorType
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from .torch_slots import tensor_base

mro = type.__dict__["__mro__"].__get__  # of a type
qualified_name = type.__dict__["__qualname__"].__get__  # of a type
_class_dict = type.__dict__["__dict__"].__get__


def clean(text: Any) -> str:
    """A name as it can travel: lone surrogates, which UTF-8 cannot write, become U+FFFD. A key that is no text is named after its class."""
    if type(text) is not str:
        text = str.__str__(text) if is_a(text, str) else "<%s>" % qualified_name(type(text))
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def shown_name(kind: type) -> str:
    """The qualified name of a class, without its Python module. FSDP2 makes a class FSDPLinear of each Linear it splits: how a module is held is no part of
    what it is, so it is Linear here."""
    name = qualified_name(kind)
    if name.startswith("FSDP") and any(qualified_name(cls) == "FSDPModule" for cls in mro(kind)):
        for cls in mro(kind):
            if qualified_name(cls).rpartition(".")[2] == name[4:]:
                return clean(qualified_name(cls))
    return clean(name)


def class_name(value: Any) -> str:
    return shown_name(type(value))


def is_below(kind: type, above: type) -> bool:
    """issubclass by identity: `in` would ask a metaclass for its idea of equality."""
    return any(cls is above for cls in mro(kind) or ())  # a class that is being made has no mro yet


def is_a(value: Any, kind: type) -> bool:
    """isinstance without __class__ and __instancecheck__: a proxy is what it is, not what it says it is."""
    return is_below(type(value), kind)


def are_all(values: Iterable[Any], kind: type) -> bool:
    """Of exactly this class; in one loop of C."""
    return all(map(is_, map(type, values), repeat(kind)))


def dictionary_slot(kind: type) -> Any:
    """Reads the attribute dictionary of an instance of `kind`; None when its instances have none."""
    for cls in mro(kind):
        slot = _class_dict(cls).get("__dict__")
        if type(slot) is GetSetDescriptorType:
            return slot.__get__
    return None


def attributes(value: Any) -> Optional[Dict[str, Any]]:
    """The instance's attribute dictionary by the slot of the class that lays it out; None when it has none."""
    slot = dictionary_slot(type(value))
    found = slot(value) if slot is not None else None
    return found if type(found) is dict else None


class TypeFacts(NamedTuple):
    name: str  # qualified, without the Python module
    is_module: bool
    is_tensor: bool
    dictionary: Any  # of an instance, without a look-up; None when its instances have none


class Types:
    """What the reader asks of classes, each once. Kept by address: a metaclass may have its own idea of hashing and equality. Holds for one read, while
    every instance is alive."""

    def __init__(self, torch: Any) -> None:
        self.module = torch.nn.Module
        self._tensor = tensor_base(torch)
        self.known: Dict[int, TypeFacts] = {}

    def of(self, value: Any) -> TypeFacts:
        kind = type(value)
        facts = self.known.get(id(kind))
        if facts is None:
            facts = TypeFacts(shown_name(kind), is_below(kind, self.module), is_below(kind, self._tensor), dictionary_slot(kind))
            self.known[id(kind)] = facts
        return facts


def items(value: Any) -> Optional[List[Tuple[Any, Any]]]:
    """The entries of a dict in its order, even of a subclass that has its own idea of them; None for anything else."""
    if is_a(value, OrderedDict):
        return list(OrderedDict.items(value))
    return list(dict.items(value)) if is_a(value, dict) else None
