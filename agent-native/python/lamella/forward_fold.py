"""The calls of one forward, folded: 64 equal layers are one entry with 64 copies, and what equals a call that was told before only points at it.

Equal are calls of one class with equal tensors whose inner calls and flow are equal too, by name below them. Nothing is estimated: an entry with copies stands for
exactly those calls.
"""
from typing import Any, Dict, List, NamedTuple, Tuple

from .forward_calls import Call, Observation
from .forward_flow import Flow, Seen
from .layout import INDEX


class _Group(NamedTuple):
    """Consecutive calls inside one parent, equal, of modules numbered one after the other."""

    calls: Tuple[Call, ...]


def seen_json(seen: Seen) -> Dict[str, Any]:
    if not seen.dtype:
        return {"name": seen.name, "class": seen.class_name}
    return {"name": seen.name, "dims": list(seen.dims), "dtype": seen.dtype}


def _below(path: str, parent: str) -> str:
    if not parent:
        return path
    return path[len(parent) :] if path.startswith(parent + ".") else "/" + path


def _looks(tensors: Tuple[Seen, ...]) -> Tuple[Any, ...]:
    return tuple((seen.name, seen.dims, seen.dtype, seen.class_name) for seen in tensors)


class Folded:
    """`calls` in the order they began, without those left out; `depth_max` leaves out what is deeper."""

    def __init__(self, observation: Observation) -> None:
        self.calls = observation.calls
        self.inside: Dict[int, List[Call]] = {}
        for order in sorted(self.calls):
            self.inside.setdefault(self.calls[order].parent, []).append(self.calls[order])
        self.base_flow = [flow for flow in observation.base.flow if isinstance(flow.start, int)]
        self.kinds = self._kinds()
        self.depth = 0

    def _kinds(self) -> Dict[int, int]:
        """A number for each call; equal numbers, equal calls. Calls inside have larger orders than the one they are in."""
        numbers: Dict[Any, int] = {}
        kinds: Dict[int, int] = {}
        for order in sorted(self.calls, reverse=True):
            call, inside = self.calls[order], self.inside.get(order, [])
            places = {child.order: at for at, child in enumerate(inside)}
            flow = tuple((places.get(f.start, f.start), places.get(f.end, f.end), f.seen[:4], f.evidence, f.via) for f in call.flow)  # type: ignore[call-overload]
            children = tuple((_below(child.path, call.path), kinds[child.order]) for child in inside)
            key = (call.class_key, _looks(call.inputs), _looks(call.outputs), call.more, call.raised, children, flow)
            kinds[order] = numbers.setdefault(key, len(numbers))
        return kinds

    def _groups(self, parent: int) -> List[_Group]:
        groups: List[List[Call]] = []
        for call in self.inside.get(parent, []):
            last = groups[-1][-1] if groups else None
            if last is not None and self.kinds[last.order] == self.kinds[call.order] and _follows(last.path, call.path):
                groups[-1].append(call)
            else:
                groups.append([call])
        return [_Group(tuple(calls)) for calls in groups]

    def document(self, depth_max: int) -> Tuple[List[Dict[str, Any]], List[Dict[str, Any]]]:
        """(calls, flow)."""
        calls: List[Dict[str, Any]] = []
        flows: List[Dict[str, Any]] = self._flow(-1, self.base_flow, self._groups(-1))
        told: Dict[int, int] = {}
        open_ = [(group, 0) for group in reversed(self._groups(-1))]
        while open_:
            group, depth = open_.pop()
            self.depth = max(self.depth, depth)
            first = group.calls[0]
            entry: Dict[str, Any] = {"order": first.order, "parent": first.parent, "path": first.path}
            if len(group.calls) > 1:
                entry.update(last=group.calls[-1].path, copies=len(group.calls))
            calls.append(entry)
            kind = self.kinds[first.order]
            if kind in told:
                entry["same"] = told[kind]
                continue
            told[kind] = first.order
            entry["class"] = first.class_key
            entry["inputs"], entry["outputs"] = [seen_json(seen) for seen in first.inputs], [seen_json(seen) for seen in first.outputs]
            entry.update((name, value) for name, value in (("more_tensors", first.more), ("raised", first.raised)) if value)
            if depth < depth_max:
                groups = self._groups(first.order)
                flows.extend(self._flow(first.order, list(first.flow), groups))
                open_.extend((inside, depth + 1) for inside in reversed(groups))
            elif first.order in self.inside:
                entry["calls_inside"] = len(self.inside[first.order])
        return calls, flows

    def _flow(self, parent: int, flows: List[Flow], groups: List[_Group]) -> List[Dict[str, Any]]:
        """Edges between groups; where copies take part, which of them: `from_copies` and `to_copies` are the first and the last that do, `count` how many edges
        it stands for."""
        at: Dict[int, Tuple[int, int]] = {call.order: (group.calls[0].order, i) for group in groups for i, call in enumerate(group.calls)}
        copies = {group.calls[0].order: len(group.calls) for group in groups}
        merged: Dict[Any, List[Tuple[int, int]]] = {}
        for flow in flows:
            start, start_copy = at.get(flow.start, (flow.start, 0)) if isinstance(flow.start, int) else (flow.start, 0)
            end, end_copy = at.get(flow.end, (flow.end, 0)) if isinstance(flow.end, int) else (flow.end, 0)
            merged.setdefault((start, end, flow.seen[:4], flow.evidence, flow.via), []).append((start_copy, end_copy))
        edges = []
        for (start, end, seen, evidence, via), numbers in merged.items():
            edge: Dict[str, Any] = {"in": parent, "from": start, "to": end}
            if seen[2]:
                edge.update(name=seen[0], dims=list(seen[1]), dtype=seen[2])
            edge.update(observed=True, evidence=evidence)
            if via:
                edge["via"] = list(via)
            if copies.get(start, 1) > 1:
                edge["from_copies"] = [min(number for number, _ in numbers), max(number for number, _ in numbers)]
            if copies.get(end, 1) > 1:
                edge["to_copies"] = [min(number for _, number in numbers), max(number for _, number in numbers)]
            if len(numbers) > 1:
                edge["count"] = len(numbers)
            edges.append(edge)
        return edges


def _follows(path: str, following: str) -> bool:
    head, _, number = path.rpartition(".")
    other, _, second = following.rpartition(".")
    return head == other and bool(INDEX.match(number)) and bool(INDEX.match(second)) and int(second) == int(number) + 1
