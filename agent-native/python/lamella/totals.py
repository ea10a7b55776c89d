"""Counts of a shape: parameters, weight bytes, modules. docs/shape-format.md says what counts; what an alias shares counts once.

Linear in distinct rows, their children and the aliases: the tree is never unfolded. Python integers: exact at any size.
"""
from typing import Dict, List, NamedTuple, Tuple

from .canonical import PARAMETER, QUANT_STATE, Shape, Tensor
from .locate import place_aliases

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


def _common_holder(a: str, b: str) -> str:
    """The deepest module that holds both paths."""
    end = 0
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            break
        if x == ".":
            end = i
    return a[:end]


def shared_within(shape: Shape) -> Dict[str, Totals]:
    """By path of a module: what its row counts too often because two paths below it share it. Of one thing at three places, each place meets the one
    before it in pre-order in some subtree, and is too much there and in all that hold it."""
    rows = row_totals(shape) if shape.aliases else []
    within: Dict[str, Totals] = {}
    previous: Dict[str, str] = {}
    for path, target, at in place_aliases(shape):
        amount = (rows[at.row] if at.tensor is None else tensor_totals(at.tensor))._replace(modules=0)
        holder = _common_holder(previous.get(target, target), path)
        previous[target] = path
        while True:
            within[holder] = _sum([within[holder], amount]) if holder in within else amount
            if not holder:
                break
            holder = holder.rpartition(".")[0]
    return within


def totals(shape: Shape) -> Totals:
    """Of the whole model."""
    whole = row_totals(shape)[shape.root]
    shared = shared_within(shape).get("", Totals(0, 0, 0, 0))
    return Totals(*(count - less for count, less in zip(whole, shared)))


def weight_dtypes(shape: Shape) -> List[Tuple[str, ...]]:
    """By row: dtypes of the weights at and below it in the order of ELEMENT_BYTES, "unsized" for all without a known size. Buffers are no weights."""
    order = {name: i for i, name in enumerate(list(ELEMENT_BYTES) + ["unsized"])}
    rows: List[Tuple[str, ...]] = []
    for module in shape.modules:
        found = {t.dtype if t.dtype in ELEMENT_BYTES else "unsized" for t in module.tensors if is_weight(t)}
        rows.append(tuple(sorted(found.union(*(rows[row] for _, row in module.children)), key=order.__getitem__)))
    return rows
