"""What a tensor is to its module: weight, buffer or quantisation state, and how many logical elements a packed word holds.

Only names, sizes and plain hints are read, never a value of a tensor. Where no hint exists the stored words are shown as they are and a note says so;
nothing is guessed. New schemes are added to the tables below; the reader asks through `describe` alone.

What is quantisation state. A name of the tables is not enough: plain models have a `scale`, a `logit_scale`, even a `weight_scale` to learn. So
1. a name that names what it describes (`w13_weight_scale`, `gate_up_proj_scale_inv`) is state when the module holds that tensor below 16 bits;
2. a name that does not (`scales`, `g_idx`, `input_scale`) is state when the module holds any weight below 16 bits;
3. either is state when the module says that it is quantised: a `quant_method` that is not called Unquantized…, a `quantization_scheme`.
Everything else stays what it is registered as. Packed weights are parameters even where a library registers them as buffers, and so is the bias beside one.
"""
import sys
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from .canonical import BUFFER, PARAMETER, QUANT_STATE
from .raw_object import attributes, class_name, is_a
from .tensor_kinds import STORED_BITS, plain_sizes, product, stored_as

Dims = Tuple[int, ...]

# 1. <described><ending>
STATE_ENDINGS = (
    ("_scale", "_scales", "_scale_inv", "_scales_inv", "_scale_2", "_global_scale", "_sf", "_sf_rowmajor")
    + ("_zero_point", "_zero_points", "_qzeros", "_zeros", "_g_idx", "_g_idx_sort_indices", "_shape")
    + ("_input_scale", "_input_scale_2", "_input_scale_inv", "_input_global_scale", "_input_zero_point", "_activation_scale")
)
# A stem of a name is the weight itself or stands for one of these.
WEIGHT_FORMS = ("", "_packed", "_weight", "_qweight", "_weight_packed", "_blocks", "_quantized")

# 2. by these names
STATE_NAMES = frozenset(
    ("scale", "scales", "zeros", "qzeros", "zero_point", "qbiases", "g_idx", "g_idx_sort_indices", "perm", "input_perm")
    + ("input_scale", "input_scale_2", "input_scale_inv", "input_scale_ub", "input_global_scale", "input_zero_point", "output_scale", "azp_adj")
    + ("activation_scale", "activation_scale_inv", "act_scale", "act_global_scale", "input_activation_scale", "output_activation_scale")
    + ("q_scale", "k_scale", "v_scale", "prob_scale", "qweight_type", "channel_scales", "pre_quant_scale", "s_channel", "s_group")
    + ("input_permutation", "workspace", "reduce_buffer", "codebooks", "tables", "tables2", "suh", "svh", "su", "sv")
    + ("q_scale_max", "q_groups", "q_group_map", "q_perm", "q_invperm")
    + ("forward_hadamard_matrix", "backward_hadamard_matrix", "wf_unsqueeze_zero", "wf_unsqueeze_neg_one")
)

# Names of weights: what makes a module quantised when it is stored below 16 bits, and a buffer a parameter.
WEIGHT_NAMES = frozenset(("weight", "qweight", "weight_packed", "W_q", "codes", "trellis", "q_weight", "B", "w1", "w2", "w3"))
WEIGHT_ENDINGS = ("_weight", "_qweight", "_weight_packed", "_blocks", "_proj", "_quantized")
PARAMETERS_ONLY = frozenset(("codes",))  # AQLM's; as a buffer they are what an audio codec looks up

WORD_BITS = {dtype: STORED_BITS[dtype] for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}
PAIRS = "float4_e2m1fn_x2"  # the one dtype that says itself that a word holds two
_WIDE = frozenset(("bfloat16", "float16", "float32", "float64", "complex32", "complex64", "complex128"))

BIT_HINTS = ("bits", "w_bit", "wbits", "weight_bits", "num_bits", "nbits")
# Where those stand when not in the module itself: vLLM, SGLang and compressed-tensors, HQQ.
SCHEMES = ("scheme", "quant_method", "quantization_scheme", "quant_config", "meta")
INNER_SCHEMES = ("quant_config", "weights", "weight_quant")

# Local sizes before global ones: under tensor parallelism the layers of vLLM and SGLang have both.
INPUT_SIZES = ("input_size_per_partition", "in_features", "infeatures", "input_size", "embedding_dim")
OUTPUT_SIZES = ("output_size_per_partition", "out_features", "outfeatures", "output_size", "num_embeddings")
# Of experts. Kernels want multiples of 64 to 512; where vLLM pads for them it keeps the model's own sizes.
HIDDEN_SIZES = ("hidden_size", "hidden_dim")
INTERMEDIATE_SIZES = ("intermediate_size_per_partition", "intermediate_size", "intermediate_dim", "expert_dim", "moe_intermediate_size")

# Stored bits may exceed elements × width by what is stored among them (GGUF: 2.6 bits for 2), by unused bits (HQQ: 32 for 10 × 3) and by padding of tiles.
_SLACK = 1.5
_CONFIG_SLACK = 1.25
_WIDEST = 8  # bits of a packed element

_BLOCKS = {"uint8": 32, "float8_e8m0fnu": 32, "float8_e4m3fn": 16}  # elements of one scale, by its dtype

# GGUF types whose scales and minima fill a whole further bit: by number, the width of an element.
GGUF_WIDTHS = {3: 4, 7: 5}


class Packing(NamedTuple):
    """`bits` and `numel` are 0 when the tensor is not packed; `note` says in words what could not be found out."""

    role: str
    bits: int = 0
    numel: int = 0
    note: str = ""


_PARAMETER, _BUFFER, _STATE = Packing(PARAMETER), Packing(BUFFER), Packing(QUANT_STATE)


def _positive(value: object) -> int:
    return value if type(value) is int and value > 0 else 0  # noqa: E721 - a bool or a proxy is no hint


def _first(owner: Dict[str, Any], names: Iterable[str]) -> int:
    for name in names:
        found = _positive(owner.get(name))
        if found:
            return found
    return 0


def _is_weight(name: str, is_parameter: bool, dtype: str) -> bool:
    """A weight stored below 16 bits. Plain models hold 64-bit indices and masks in buffers, never words of packed weights."""
    if dtype in _WIDE or dtype in ("", "bool") or not (name in WEIGHT_NAMES or name.endswith(WEIGHT_ENDINGS)):
        return False
    return (is_parameter or name not in PARAMETERS_ONLY) and (dtype != "int64" or name == "qweight")


# Roles


def _held_tensors(owner: Dict[str, Any]) -> Iterator[Tuple[str, Any, bool]]:
    """(name, tensor, is a parameter) of what the module holds."""
    for kind in ("_parameters", "_buffers"):
        entries = owner.get(kind)
        if is_a(entries, dict):
            for name, tensor in dict.items(entries):
                if tensor is not None and type(name) is str:
                    yield name, tensor, kind == "_parameters"


def _stored_dtype(tensor: Any) -> str:
    stored = stored_as(tensor)
    return stored[0] if stored else ""


def _is_narrow(dtype: str) -> bool:
    return dtype not in _WIDE and dtype not in ("", "bool", "int64")


def _says_quantised(owner: Dict[str, Any]) -> bool:
    method = owner.get("quant_method")
    return (method is not None and not class_name(method).startswith("Unquantized")) or owner.get("quantization_scheme") is not None


def _is_state(name: str, owner: Dict[str, Any]) -> bool:
    if name in STATE_NAMES:
        found = any(_is_weight(other, is_parameter, _stored_dtype(tensor)) for other, tensor, is_parameter in _held_tensors(owner))
    else:
        stems = [name[: -len(ending)] for ending in STATE_ENDINGS if name.endswith(ending)]
        described = {stem + form for stem in stems for form in WEIGHT_FORMS}
        if "weight" in stems:
            described.update(WEIGHT_NAMES)
        found = any(other in described and _is_narrow(_stored_dtype(tensor)) for other, tensor, _ in _held_tensors(owner))
    return found or _says_quantised(owner)


def _is_bias_of_buffers(name: str, owner: Dict[str, Any]) -> bool:
    """GPTQ, AWQ and BitNet register weight and bias as buffers. The model has a bias whether it is quantised or not."""
    held = _held_tensors(owner) if name == "bias" else ()
    return any(not is_parameter and _is_weight(other, False, _stored_dtype(tensor)) for other, tensor, is_parameter in held)


# Packing


def _own_bits(word: int, hints: Dict[str, Any]) -> int:
    """From the elements that a word of this tensor holds, where the tensor says it: 8, or 32/3 for 3 bits in int32. vLLM keeps it behind a property."""
    fraction = getattr(sys.modules.get("fractions"), "Fraction", None)
    for name in ("_packed_factor", "packed_factor", "pack_factor"):
        value = hints.get(name)
        if _positive(value):
            return word // value
        if fraction is not None and type(value) is fraction and value.numerator > 0:
            return word * value.denominator // value.numerator
    return 0


def _attributes_of(value: Any) -> Dict[str, Any]:
    return value if type(value) is dict else attributes(value) or {}


def _stated_bits(owner: Dict[str, Any]) -> int:
    found = _first(owner, BIT_HINTS)
    for name in SCHEMES if not found else ():
        scheme = _attributes_of(owner.get(name))
        holders = [scheme] + [_attributes_of(scheme.get(inner)) for inner in INNER_SCHEMES]
        found = next((bits for bits in (_first(holder, BIT_HINTS) for holder in holders) if bits), 0)
        if found:
            break
    return found


def _expert_numels(name: str, dims: Dims, owner: Dict[str, Any]) -> List[int]:
    """Experts keep their number in dimension 0 however they are packed. Gate and up fused are twice the size; where the module does not say whether it has
    both, an unpacked dimension does."""
    if len(dims) < 3:
        return []
    config = _attributes_of(owner.get("moe_config"))
    hidden = _positive(config.get("hidden_dim_unpadded")) or _first(owner, HIDDEN_SIZES)
    width = _positive(config.get("intermediate_size_per_partition_unpadded")) or _first(owner, INTERMEDIATE_SIZES)
    if not hidden or not width:
        return []
    single = dims[0] * hidden * width
    fused = name.startswith("w13") or "gate_up" in name or "up_gate" in name
    if not fused:
        return [single]
    gated = config.get("is_act_and_mul", owner.get("has_gate"))
    if type(gated) is not bool:
        gated = True if 2 * width in dims[1:] else False if width in dims[1:] else None
    return [2 * single, single] if gated is None else [2 * single if gated else single]


def _logical_numels(name: str, dims: Dims, owner: Dict[str, Any], hints: Dict[str, Any]) -> List[int]:
    """What the module says its weight has, as far as this process holds it, best first."""
    shapes = [hints.get("quant_shape"), hints.get("tensor_shape"), _attributes_of(owner.get("meta")).get("shape")]  # GGUF, GGUF in vLLM, HQQ
    found = [product(shape) for shape in map(plain_sizes, shapes) if shape]
    rows, columns = _first(owner, OUTPUT_SIZES), _first(owner, INPUT_SIZES)
    if rows and columns:
        found.append(rows * columns)
    return found + _expert_numels(name, dims, owner)


def _block_scaled_bits(name: str, dims: Dims, owner: Dict[str, Any]) -> int:
    """MXFP4, MXFP6 and NVFP4 without sizes of the module: one scale stands for 32 elements (a power of two) or 16 (an 8-bit float) of a row."""
    stem = next((name[: -len(form)] for form in ("_blocks", "_packed") if name.endswith(form)), name)
    for other, scale, _ in _held_tensors(owner):
        stored = stored_as(scale) if other in (stem + "_scale", stem + "_scales", stem + "_scale_inv") or (name, other) == ("qweight", "scales") else None
        elements = _BLOCKS.get(stored[0], 0) if stored else 0
        if not elements or not stored[1]:
            continue
        if stored[1] == dims[:-1]:  # gpt-oss: the bytes of a block are a dimension of their own
            row = elements
        elif stored[1][:-1] == dims[:-1]:
            row = stored[1][-1] * elements
        else:
            continue
        if row and dims[-1] * 8 % row == 0 and 0 < dims[-1] * 8 // row < 8:
            return dims[-1] * 8 // row
    return 0


def _gguf_width(name: str, owner: Dict[str, Any], hints: Dict[str, Any]) -> int:
    """For the types of GGUF that need it. diffusers has the type at the tensor, transformers at the module, vLLM at a tensor beside it."""
    beside = next((tensor for other, tensor, _ in _held_tensors(owner) if other == "qweight_type"), None)
    kinds = (hints.get("quant_type"), owner.get("ggml_type"), owner.get(name.replace("_proj", "_type")), (attributes(beside) or {}).get("weight_type"))
    return next((GGUF_WIDTHS.get(kind, 0) for kind in kinds if type(kind) is int), 0)


def _packed(name: str, dtype: str, dims: Dims, owner: Dict[str, Any], hints: Dict[str, Any], config_bits: int) -> Packing:
    word = WORD_BITS[dtype]
    words = product(dims)
    stored = word * words
    own = _own_bits(word, hints)
    unknown = Packing(PARAMETER, note="packed in %s words of unknown width" % dtype) if dtype != "int8" and word < 64 and len(dims) > 1 else _PARAMETER
    if not own and not _is_weight(name, True, dtype):
        return unknown
    # A configuration speaks for most layers, not for each: it must fit more closely than what the layer says.
    blocks = _gguf_width(name, owner, hints) if dtype == "uint8" else 0
    stated = [(own, _SLACK), (blocks, _SLACK), (_stated_bits(owner), _SLACK), (config_bits, _CONFIG_SLACK)]
    stated = [(bits, slack) for bits, slack in stated if 0 < bits <= _WIDEST]
    for numel in _logical_numels(name, dims, owner, hints):
        if numel == words:
            return _PARAMETER
        bits = next((bits for bits, slack in stated if numel * bits <= stored < numel * bits * slack), 0 if own else stored // numel)
        if 0 < bits <= _WIDEST:
            mixed = "widths are mixed in it: %.2f bits an element on average" % (stored / numel) if name == "q_weight" and stored % numel else ""
            return Packing(PARAMETER, bits, numel, mixed)
    bits = stated[0][0] if stated else _block_scaled_bits(name, dims, owner) if word == 8 else 0
    if bits:
        # 32 elements of 3 bits fill three words exactly, so whole words always divide.
        return Packing(PARAMETER, bits, stored // bits) if bits < word else _PARAMETER
    return unknown


def describe(
    name: str, is_parameter: bool, dtype: str, dims: Dims, owner: Dict[str, Any], hints: Dict[str, Any], config_bits: Optional[int] = None
) -> Packing:
    """`owner` and `hints` are the attribute dictionaries of the module that holds the tensor and of the tensor; `config_bits` is what the model's
    quantisation config says. `numel` counts what this process holds."""
    if (name in STATE_NAMES or name.endswith(STATE_ENDINGS)) and _is_state(name, owner):
        return _STATE
    if dtype in _WIDE:
        return _PARAMETER if is_parameter or _is_bias_of_buffers(name, owner) else _BUFFER
    if not is_parameter and not _is_weight(name, False, dtype):
        return _BUFFER
    if dtype == PAIRS:
        return Packing(PARAMETER, 4, 2 * product(dims))
    if dtype in WORD_BITS:
        return _packed(name, dtype, dims, owner, hints, _positive(config_bits))
    return _PARAMETER
