"""Counts of a shape: parameters, weight bytes, modules. docs/shape-format.md says what counts; what an alias shares counts once.

Linear in distinct rows, their children and what aliases stand for: the tree is never unfolded. Python integers: exact at any size.
"""
from bisect import bisect_right
from typing import Dict, List, NamedTuple, Tuple

from .canonical import PARAMETER, QUANT_STATE, Shape, Tensor
from .locate import PlacedAlias, place_aliases

# Bytes of one stored element, in the order dtypes are listed in (core/shape/dtype.ts holds the same table). What is not here is unsized.
ELEMENT_BYTES: Dict[str, int] = {
    **{"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8},
    **dict.fromkeys("float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2".split(), 1),
    **{"int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1},
    **dict.fromkeys("int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7".split(), 1),
    **{"complex32": 4, "complex64": 8, "complex128": 16, "qint8": 1, "quint8": 1, "qint32": 4},
    **dict.fromkeys("quint4x2 quint2x4 bits1x8 bits2x4 bits4x2 bits8".split(), 1),
    "bits16": 2,
}


class Totals(NamedTuple):
    parameters: int  # logical elements of role parameter
    weight_bytes: int  # stored bytes of parameters and quantisation state; unsized tensors count 0
    modules: int  # every path of the tree, the root included
    unsized_tensors: int  # weights whose dtype has no known size


def is_weight(tensor: Tensor) -> bool:
    return tensor.role in (PARAMETER, QUANT_STATE)


def tensor_totals(tensor: Tensor) -> Totals:
    stored = 1
    for size in tensor.dims:
        stored *= size
    parameters = 0 if tensor.role != PARAMETER else tensor.logical_numel if tensor.packed_bits else stored
    if not is_weight(tensor):
        return Totals(0, 0, 0, 0)
    return Totals(parameters, stored * ELEMENT_BYTES.get(tensor.dtype, 0), 0, 0 if tensor.dtype in ELEMENT_BYTES else 1)


def _sum(parts: List[Totals]) -> Totals:
    return Totals(*(sum(column) for column in zip(*parts)))


def row_totals(shape: Shape) -> List[Totals]:
    """By row: its subtree as if nothing in it were shared."""
    rows: List[Totals] = []
    for module in shape.modules:
        own = [Totals(0, 0, 1, 0)] + [tensor_totals(tensor) for tensor in module.tensors]
        rows.append(_sum(own + [rows[row] for _, row in module.children]))
    return rows


Position = Tuple[int, ...]  # of a module, as locate.py counts


class SubtreeTotals:
    """What each subtree counts: a tensor once, however many paths of the subtree lead to it. core/shape/totals.ts says how.

    A subtree is named by the position it is held at: child() answers that of what an alias shares."""

    def __init__(self, shape: Shape) -> None:
        self._rows = row_totals(shape)
        self._held: Dict[Position, Position] = {}  # of what shares: where it is held
        self._twice: Dict[Position, Totals] = {}  # what a row counts too often there
        places = self._place(place_aliases(shape))
        if places:
            self._count(places)

    def of(self, row: int, position: Position) -> Totals:
        twice = self._twice.get(position)
        return self._rows[row] if twice is None else _less(self._rows[row], twice)

    def child(self, position: Position, at: int) -> Position:
        return self._held.get(position + (at,), position + (at,))

    def _place(self, aliases: List[PlacedAlias]) -> Dict[Position, Totals]:
        """What shares and what is shared, in pre-order, each with all it holds. Where another pipeline stage holds the target, the first alias holds it here."""
        holders: Dict[str, Position] = {}
        places = {}
        for _, target, at, shares in aliases:
            holder = holders.setdefault(target, (shares or at).position)
            if at.position != holder:
                self._held[at.position] = holder
            for place in filter(None, (at, shares)):
                places[place.position] = self._rows[place.row]._replace(modules=0) if place.tensor is None else tensor_totals(place.tensor)
        return {position: places[position] for position in sorted(places)}

    def _count(self, places: Dict[Position, Totals]) -> None:
        order = list(places)
        ends = {position: bisect_right(order, position + (_BEYOND,)) for position in order}  # of what lies in it, as indices of `order`
        parts: Dict[Position, Dict[Position, None]] = {}  # by what is shared: the parts it is made of; a part is what a place holds outside of all places in it
        own: Dict[Position, Totals] = {}  # by part
        last: Dict[Position, Position] = {}  # by part: the place that led to it last
        too_much: Dict[Position, List[Totals]] = {}
        for i, position in enumerate(order):
            if position not in self._held:
                own[position], inner = places[position], i + 1
                while inner < ends[position]:
                    own[position], inner = _less(own[position], places[order[inner]]), ends[order[inner]]
                continue
            target = self._held[position]
            if target not in parts:
                # Whatever lies in the target comes before the alias, so the parts of all aliases in there are known.
                parts[target] = {target: None}
                for inside in order[bisect_right(order, target) : ends[target]]:
                    parts[target].update(parts[self._held[inside]] if inside in self._held else {inside: None})
            counted = _sum([own[part] for part in parts[target]])
            too_much.setdefault(position, []).append(_less(places[target], counted))  # what it counts twice within itself
            for part in parts[target]:
                too_much.setdefault(_meeting(last.get(part, part), position), []).append(own[part])
                last[part] = position
        for position, amounts in too_much.items():
            amount = _sum(amounts)
            for end in range(len(position), -1, -1):
                above = position[:end]
                self._twice[above] = _sum([self._twice[above], amount]) if above in self._twice else amount


_BEYOND = 1 << 62  # after every step of a position


def _less(all_of_it: Totals, part: Totals) -> Totals:
    return Totals(*(count - less for count, less in zip(all_of_it, part)))


def _meeting(a: Position, b: Position) -> Position:
    """The deepest place that holds both."""
    end = 0
    while end < min(len(a), len(b)) and a[end] == b[end]:
        end += 1
    return a[:end]


def totals(shape: Shape) -> Totals:
    """Of the whole model."""
    return SubtreeTotals(shape).of(shape.root, ())


def weight_dtypes(shape: Shape) -> List[Tuple[str, ...]]:
    """By row: dtypes of the weights at and below it in the order of ELEMENT_BYTES, "unsized" for all without a known size. Buffers are no weights."""
    order = {name: i for i, name in enumerate(list(ELEMENT_BYTES) + ["unsized"])}
    rows: List[Tuple[str, ...]] = []
    for module in shape.modules:
        found = {t.dtype if t.dtype in ELEMENT_BYTES else "unsized" for t in module.tensors if is_weight(t)}
        rows.append(tuple(sorted(found.union(*(rows[row] for _, row in module.children)), key=order.__getitem__)))
    return rows
