"""What a tensor is to its module: weight, buffer or quantisation state, and how many logical elements a packed word holds.

Only names, sizes and plain hints are read, never a value of a tensor. Where no hint exists the stored words are shown as they are and a note says so;
nothing is guessed. New schemes are added to the tables below; the reader asks through `describe` alone.
"""
from typing import NamedTuple, Optional, Tuple

from .canonical import BUFFER, PARAMETER, QUANT_STATE

# Tensors that hold several logical weights in one stored word.
PACKED_WEIGHTS = frozenset(("qweight", "weight_packed"))

# Tensors that only describe how a quantised weight is stored.
QUANT_STATES = frozenset(
    ("qzeros", "scales", "g_idx", "g_idx_sort_indices", "perm", "workspace")
    + ("weight_scale", "weight_scale_2", "weight_scale_inv", "weight_zero_point", "weight_g_idx", "weight_shape", "weight_global_scale")
    + ("input_scale", "input_scale_inv", "input_global_scale", "activation_scale", "activation_scale_inv", "k_scale", "v_scale", "q_scale")
)
QUANT_STATE_ENDINGS = ("_scale_inv", "_weight_scale", "_input_scale", "_qzeros", "_scales", "_g_idx")

WORD_BITS = {"int32": 32, "uint32": 32, "int64": 64, "int16": 16, "uint8": 8, "int8": 8}
BIT_HINTS = ("bits", "w_bit", "wbits", "weight_bits", "num_bits")
SIZE_HINTS = (("in_features", "out_features"), ("infeatures", "outfeatures"), ("input_size", "output_size"))


class Packing(NamedTuple):
    """`bits` and `numel` are 0 when the tensor is not packed; `note` says in words what could not be found out."""

    role: str
    bits: int = 0
    numel: int = 0
    note: str = ""


def _positive(value: object) -> int:
    return value if type(value) is int and value > 0 else 0  # noqa: E721 - a bool or a proxy is no hint


def describe(name: str, is_parameter: bool, dtype: str, dims: Tuple[int, ...], owner: dict, config_bits: Optional[int] = None) -> Packing:
    """`owner` is the attribute dictionary of the module that holds the tensor; `config_bits` is what the model's quantisation config says."""
    if name in QUANT_STATES or name.endswith(QUANT_STATE_ENDINGS):
        return Packing(QUANT_STATE)
    if name not in PACKED_WEIGHTS or dtype not in WORD_BITS:
        return Packing(PARAMETER if is_parameter else BUFFER)
    stored_bits = WORD_BITS[dtype]
    for size in dims:
        stored_bits *= size
    logical = 0
    for rows, columns in SIZE_HINTS:
        logical = logical or _positive(owner.get(rows)) * _positive(owner.get(columns))
    bits = next((b for b in map(_positive, map(owner.get, BIT_HINTS)) if b), 0) or _positive(config_bits)
    if not bits and logical and stored_bits % logical == 0:
        bits = stored_bits // logical  # e.g. int32 [512, 4096] for 4096 x 4096 weights: 4
    if not bits:
        return Packing(PARAMETER, note="packed in %s words of unknown width" % dtype)
    # 32 weights of 3 bits fill three words exactly, so whole words always divide.
    return Packing(PARAMETER, bits, logical or stored_bits // bits)
