"""Which module of a model each `nn.Module: Linear_7` event of a torch.profiler trace is.

torch numbers the instances of a class in the order it first sees them while recording, so the number alone says nothing about the place in the model.
The profiler's own event tree keeps the address of the instance beside the same number; it is compared with the addresses of the living model.
Invariant: an entry is exact or absent.
"""
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from .raw_object import class_name
from .reader import children_of

PREFIX = "nn.Module: "


class Call(NamedTuple):
    """One call of a module while recording."""

    start_ns: int
    name: str  # as the trace names the event, e.g. "nn.Module: Linear_7"
    address: int


def module_paths(model: Any) -> Iterator[Tuple[str, Any]]:
    """Every path in pre-order with its module; a shared module comes once per path."""
    stack = [("", model)]
    while stack:
        path, module = stack.pop()
        yield path, module
        stack.extend((path + "." + name if path else name, child) for name, child in reversed(children_of(module)))


def module_calls(event_tree: List[Any]) -> List[Call]:
    """Calls of modules in the order they began; `event_tree` is prof.profiler.kineto_results.experimental_event_tree()."""
    calls, stack = [], list(event_tree)
    while stack:
        event = stack.pop()
        stack.extend(event.children)
        module = getattr(event.extra_fields, "module", None)
        if module is not None:
            calls.append(Call(event.start_time_ns, event.name, module.self_ptr))
    return sorted(calls, key=lambda call: call.start_ns)


def unique_names(calls: List[Call]) -> List[str]:
    """One name per call. Two classes of the same name each count from 0 in torch; where that makes one name mean two modules, all calls of that class
    name are numbered anew."""
    addresses: Dict[str, set] = {}
    for call in calls:
        addresses.setdefault(call.name, set()).add(call.address)
    ambiguous = {name.rpartition("_")[0] for name, found in addresses.items() if len(found) > 1}
    numbers: Dict[str, Dict[int, int]] = {}
    names = []
    for call in calls:
        stem = call.name.rpartition("_")[0]
        if stem in ambiguous:
            seen = numbers.setdefault(stem, {})
            names.append("%s_%d" % (stem, seen.setdefault(call.address, len(seen))))
        else:
            names.append(call.name)
    return names


def module_map(model: Any, calls: List[Call], names: List[str]) -> Dict[str, Dict[str, Any]]:
    """Event name → {"path", "class"}, with "also" (the other paths) for a module that stands at several. Calls of modules outside `model` have no entry."""
    paths: Dict[int, List[str]] = {}
    classes: Dict[int, str] = {}
    for path, module in module_paths(model):
        paths.setdefault(id(module), []).append(path)
        classes[id(module)] = class_name(module)
    entries: Dict[str, Dict[str, Any]] = {}
    for call, name in zip(calls, names):
        found = paths.get(call.address)
        if found and name not in entries:
            entries[name] = {"path": found[0], "class": classes[call.address]}
            if len(found) > 1:
                entries[name]["also"] = found[1:]
    return entries
