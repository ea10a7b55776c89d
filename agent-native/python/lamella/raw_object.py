"""Reads Python objects without running a line of their classes' code: by the slots of `type`, `object` and `dict` themselves.

getattr, isinstance, len, ==, iteration and f-strings all may run user code (properties, __class__, metaclasses, proxies);
nothing here uses them on a foreign object.
"""
from collections import OrderedDict
from types import GetSetDescriptorType
from typing import Any, Dict, List, Optional, Tuple

mro = type.__dict__["__mro__"].__get__  # of a type
qualified_name = type.__dict__["__qualname__"].__get__  # of a type
_class_dict = type.__dict__["__dict__"].__get__


def clean(text: str) -> str:
    """A name as it can travel: lone surrogates, which UTF-8 cannot write, become U+FFFD."""
    return str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def class_name(value: Any) -> str:
    """The qualified name of the value's class, without its Python module."""
    return clean(qualified_name(type(value)))


def is_a(value: Any, kind: type) -> bool:
    """isinstance without __class__ and __instancecheck__: a proxy is what it is, not what it says it is."""
    return kind in mro(type(value))


def attributes(value: Any) -> Optional[Dict[str, Any]]:
    """The instance's attribute dictionary by the slot of the class that lays it out; None when it has none."""
    for cls in mro(type(value)):
        slot = _class_dict(cls).get("__dict__")
        if type(slot) is GetSetDescriptorType:
            found = slot.__get__(value)
            return found if type(found) is dict else None
    return None


def items(value: Any) -> Optional[List[Tuple[Any, Any]]]:
    """The entries of a dict in its order, even of a subclass that has its own idea of them; None for anything else."""
    if is_a(value, OrderedDict):
        return list(OrderedDict.items(value))
    return list(dict.items(value)) if is_a(value, dict) else None
