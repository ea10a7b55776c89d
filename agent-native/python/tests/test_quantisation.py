"""describe() on the tensors that quantisation libraries and vLLM's layers make: how many elements, how wide, and what is no weight at all.

The modules are stand-ins with the attribute names and sizes of the real ones (test_quantised_models.py builds those where they are installed); every expected
number is worked out from the sizes of the layer that was quantised.
"""
from fractions import Fraction
from typing import Any, Dict, NamedTuple, Optional

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements of this suite")
from torch import nn

from lamella.quantisation import describe

IN, OUT = 512, 384  # of a linear layer
EXPERTS, HIDDEN, WIDTH = 8, 448, 320  # of a mixture of experts: hidden and intermediate size


class Case(NamedTuple):
    scheme: str
    module: nn.Module
    weights: Dict[str, Any]  # name → (logical elements, bits); 0 bits: each element is a word of its own
    states: str = ""
    parameters: str = ""
    buffers: str = ""
    config_bits: Optional[int] = None
    note: str = ""


def module(parameters=(), buffers=(), hints=None, **attributes):
    """parameters and buffers: (name, dtype, sizes); hints: attributes of a tensor by its name."""
    built = nn.Module()
    for name, dtype, sizes in parameters:
        built.register_parameter(name, nn.Parameter(torch.empty(sizes, dtype=getattr(torch, dtype), device="meta"), requires_grad=False))
    for name, dtype, sizes in buffers:
        built.register_buffer(name, torch.empty(sizes, dtype=getattr(torch, dtype), device="meta"))
    for name, attribute in (hints or {}).items():
        {**built._parameters, **built._buffers}[name].__dict__.update(attribute)
    built.__dict__.update(attributes)
    return built


def words(elements, bits, word=32):
    return -(-elements * bits // word)


HF = {"in_features": IN, "out_features": OUT}
# A row-parallel layer of vLLM on one of two ranks: half of the input is here.
VLLM_ROW = {"input_size": 2 * IN, "output_size": OUT, "input_size_per_partition": IN, "output_size_per_partition": OUT, "tp_size": 2}
VLLM_COLUMN = {"input_size": IN, "output_size": 2 * OUT, "input_size_per_partition": IN, "output_size_per_partition": OUT, "tp_size": 2}
VLLM_EXPERTS = {"hidden_size": HIDDEN, "intermediate_size_per_partition": WIDTH, "local_num_experts": EXPERTS, "global_num_experts": 2 * EXPERTS}


class Config:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class AutoGPTQLinearMethod:
    def __init__(self, **config):
        self.quant_config = Config(**config)


class UnquantizedLinearMethod:
    pass


def gptq(width, inputs=IN, outputs=OUT, **attributes):
    """GPTQModel and AutoGPTQ: everything is a buffer, the bias too."""
    groups = -(-inputs // 128)
    buffers = [
        ("qweight", "int32", (words(inputs, width), outputs)),
        ("qzeros", "int32", (groups, words(outputs, width))),
        ("scales", "float16", (groups, outputs)),
        ("g_idx", "int32", (inputs,)),
        ("bias", "float16", (outputs,)),
    ]
    return module(buffers=buffers, **attributes)


def gptq_cases():
    for bits in (2, 3, 4, 5, 6, 8):
        for hint in ({"bits": bits}, HF, {**HF, "bits": bits}):
            named = "+".join(hint)
            yield Case("gptq %d bit by %s" % (bits, named), gptq(bits, **hint), {"qweight": (IN * OUT, bits)}, "qzeros scales g_idx", "bias")
        yield Case("gptq %d bit by config" % bits, gptq(bits), {"qweight": (IN * OUT, bits)}, "qzeros scales g_idx", "bias", config_bits=bits)
    # 100 × 3 bits end within a word: ten rows of words, 320 bits, for 300.
    uneven = gptq(3, 100, 40, in_features=100, out_features=40, bits=3)
    yield Case("gptq 3 bit, uneven", uneven, {"qweight": (100 * 40, 3)}, "qzeros scales g_idx", "bias")
    # GPTQModel's dynamic rules: this layer has 8 bits in a model of 4.
    yield Case("gptq, another width than the config's", gptq(8, **HF), {"qweight": (IN * OUT, 8)}, "qzeros scales g_idx", "bias", config_bits=4)

    fresh = [("qweight", "int32", (IN // 8, OUT)), ("scales", "bfloat16", (IN // 128, OUT)), ("qzeros", "int32", (IN // 128, OUT // 8))]
    hints = {"qweight": {"_packed_factor": 8, "_packed_dim": 0, "_input_dim": 0, "_output_dim": 1}, "qzeros": {"_packed_factor": 8, "_packed_dim": 1}}
    yield Case("gptq in vllm, row of two ranks", module(fresh, hints=hints, **VLLM_ROW), {"qweight": (IN * OUT, 4)}, "scales qzeros")
    yield Case("gptq in vllm, factor only", module(fresh, hints=hints), {"qweight": (IN * OUT, 4)}, "scales qzeros")
    three = [("qweight", "int32", (IN * 3 // 32, OUT)), ("scales", "bfloat16", (IN // 128, OUT))]
    hints = {"qweight": {"packed_factor": Fraction(32, 3)}}
    yield Case("gptq in vllm, 3 bit, factor only", module(three, hints=hints), {"qweight": (IN * OUT, 3)}, "scales")

    repacked = [("qweight", "int32", (IN // 16, OUT * 16 // 8)), ("scales", "float16", (IN // 128, OUT)), ("qzeros", "int32", (0,)), ("g_idx", "int32", (IN,))]
    repacked += [("g_idx_sort_indices", "int32", (IN,)), ("workspace", "int32", (1024,))]
    method = AutoGPTQLinearMethod(weight_bits=4)
    names = "scales qzeros g_idx g_idx_sort_indices workspace"
    yield Case("gptq after marlin's repack", module(repacked, quant_method=method, **VLLM_COLUMN), {"qweight": (IN * OUT, 4)}, names)
    yield Case("gptq after marlin's repack, no sizes", module(repacked, quant_method=method), {"qweight": (IN * OUT, 4)}, names)


def awq_cases():
    held = [("qweight", "int32", (IN, OUT // 8)), ("qzeros", "int32", (IN // 128, OUT // 8)), ("scales", "float16", (IN // 128, OUT))]
    for hint in (HF, {"w_bit": 4}, {**HF, "w_bit": 4}):
        yield Case("awq by %s" % "+".join(hint), module(buffers=held, **hint), {"qweight": (IN * OUT, 4)}, "qzeros scales")
    hints = {"qweight": {"_packed_factor": 8, "_packed_dim": 1}}
    yield Case("awq in vllm", module(held, hints=hints, **VLLM_COLUMN), {"qweight": (IN * OUT, 4)}, "qzeros scales")
    fast = [("qweight", "int16", (OUT // 4, IN // 4 * 4)), ("scales", "float16", (IN // 128 * 8, OUT)), ("qzeros", "float16", (IN // 128 * 8, OUT))]
    yield Case("awq, fast gemv", module(buffers=fast, w_bit=4, **HF), {"qweight": (IN * OUT, 4)}, "scales qzeros")


def compressed_tensors_cases():
    for bits in (2, 3, 4, 5, 6, 8):
        held = [("weight_packed", "int32", (OUT, words(IN, bits))), ("weight_scale", "bfloat16", (OUT, IN // 128)), ("weight_shape", "int64", (2,))]
        held += [("weight_zero_point", "int32", (words(OUT, bits), IN // 128)), ("weight_g_idx", "int32", (IN,))]
        names = "weight_scale weight_shape weight_zero_point weight_g_idx"
        hints = {"weight_packed": {"_packed_factor": Fraction(32, bits), "_packed_dim": 1}}
        yield Case("compressed-tensors w%da16 in vllm" % bits, module(held, hints=hints, **VLLM_COLUMN), {"weight_packed": (IN * OUT, bits)}, names)
        scheme = Config(num_bits=bits)
        yield Case("compressed-tensors w%da16, scheme only" % bits, module(held, scheme=scheme), {"weight_packed": (IN * OUT, bits)}, names)
        scheme = Config(weights=Config(num_bits=bits))
        yield Case("compressed-tensors w%da16 in HF" % bits, module(held, quantization_scheme=scheme, **HF), {"weight_packed": (IN * OUT, bits)}, names)
    # compressed-tensors itself left two bits of each word unused for 3 bits: 10 elements a word.
    sparse = [("weight_packed", "int32", (OUT, -(-IN // 10))), ("weight_scale", "bfloat16", (OUT, 4)), ("weight_shape", "int64", (2,))]
    scheme = Config(weights=Config(num_bits=3))
    held = module(sparse, quantization_scheme=scheme, **HF)
    yield Case("compressed-tensors, 10 in a word", held, {"weight_packed": (IN * OUT, 3)}, "weight_scale weight_shape")
    # w4a8 unpacks four bits into a byte each and registers the same tensor under two names.
    bytes_ = [("weight", "int8", (OUT, IN)), ("weight_packed", "int8", (OUT, IN)), ("weight_scale", "bfloat16", (OUT, 4))]
    scheme = Config(num_bits=4)
    weights = {"weight": (IN * OUT, 0), "weight_packed": (IN * OUT, 0)}
    yield Case("compressed-tensors w4a8 int", module(bytes_, scheme=scheme, **VLLM_COLUMN), weights, "weight_scale")
    dynamic = [("weight", "int8", (OUT, IN)), ("weight_scale", "float32", (OUT, 1)), ("input_scale", "float32", (1,)), ("input_zero_point", "int8", (1,))]
    dynamic += [("azp_adj", "int32", (1, OUT))]
    yield Case("compressed-tensors w8a8 int", module(dynamic, **VLLM_ROW), {"weight": (IN * OUT, 0)}, "weight_scale input_scale input_zero_point azp_adj")
    frozen = [("weight", "bfloat16", (OUT, IN)), ("weight_scale", "bfloat16", (OUT, 4)), ("weight_zero_point", "int8", (OUT, 4))]
    yield Case("compressed-tensors, not compressed", module(frozen, quantization_scheme=scheme, **HF), {}, "weight_scale weight_zero_point", "weight")


def float_cases():
    scales = [("weight_scale", "float32", (3,)), ("input_scale", "float32", (3,))]
    for sizes, name in (((OUT, IN), "fp8"), ((IN, OUT), "fp8, transposed")):
        held = [("weight", "float8_e4m3fn", sizes)] + scales
        yield Case(name, module(held, **VLLM_COLUMN), {"weight": (IN * OUT, 0)}, "weight_scale input_scale")
    block = [("weight", "float8_e4m3fn", (OUT, IN)), ("weight_scale_inv", "float32", (3, 4)), ("bias", "bfloat16", (OUT,))]
    yield Case("fp8 by blocks", module(block, **HF), {"weight": (IN * OUT, 0)}, "weight_scale_inv", "bias")
    static = block[:2] + [("activation_scale", "float32", ())]
    yield Case("fp8 in HF, static", module(static, **HF), {"weight": (IN * OUT, 0)}, "weight_scale_inv activation_scale")
    marlin = [("weight", "int32", (IN // 16, OUT * 16 // 4)), ("weight_scale", "bfloat16", (1, OUT)), ("workspace", "int32", (256,))]
    yield Case("fp8 after marlin's repack", module(marlin, **VLLM_COLUMN), {"weight": (IN * OUT, 8)}, "weight_scale workspace")
    mxfp8 = [("weight", "float8_e4m3fn", (OUT, IN)), ("weight_scale", "uint8", (OUT, IN // 32))]
    yield Case("mxfp8", module(mxfp8, **VLLM_COLUMN), {"weight": (IN * OUT, 0)}, "weight_scale")

    nvfp4 = [("weight", "uint8", (OUT, IN // 2)), ("weight_scale", "float8_e4m3fn", (OUT, IN // 16)), ("weight_scale_2", "float32", (3,))]
    nvfp4 += [("input_scale", "float32", (3,))]
    names = "weight_scale weight_scale_2 input_scale"
    yield Case("nvfp4 of modelopt", module(nvfp4, **VLLM_COLUMN), {"weight": (IN * OUT, 4)}, names)
    yield Case("nvfp4 by its block scales", module(nvfp4), {"weight": (IN * OUT, 4)}, names)
    swizzled = [nvfp4[0], ("weight_scale", "float8_e4m3fn", (512, 32))] + nvfp4[2:]
    yield Case("nvfp4, scales swizzled and padded", module(swizzled, **VLLM_COLUMN), {"weight": (IN * OUT, 4)}, names)
    packed = [("weight_packed", "uint8", (OUT, IN // 2)), ("weight_global_scale", "float32", (3,)), ("weight_scale", "float8_e4m3fn", (OUT, IN // 16))]
    packed += [("input_global_scale", "float32", (3,))]
    names = "weight_global_scale weight_scale input_global_scale"
    yield Case("nvfp4 of compressed-tensors", module(packed, **VLLM_ROW), {"weight_packed": (IN * OUT, 4)}, names)
    pairs = [("weight", "float4_e2m1fn_x2", (OUT, IN // 2)), ("weight_scale", "float8_e4m3fn", (OUT, IN // 16))]
    yield Case("nvfp4 in torch's own dtype", module(pairs), {"weight": (IN * OUT, 4)}, "weight_scale")
    held = [("weight", "uint8", (OUT, IN // 2)), ("weight_sf", "int32", (OUT, 8)), ("weight_sf_rowmajor", "uint8", (OUT, 32))]
    held += [("weight_global_scale", "float32", (1,))]
    yield Case("nvfp4 in HF, all buffers", module(buffers=held, **HF), {"weight": (IN * OUT, 4)}, "weight_sf weight_sf_rowmajor weight_global_scale")

    mxfp4 = [("weight_packed", "uint8", (OUT, IN // 2)), ("weight_scale", "uint8", (OUT, IN // 32))]
    yield Case("mxfp4 of compressed-tensors", module(mxfp4, **VLLM_ROW), {"weight_packed": (IN * OUT, 4)}, "weight_scale")
    yield Case("mxfp4 by its block scales", module(mxfp4), {"weight_packed": (IN * OUT, 4)}, "weight_scale")
    mxfp6 = [("weight", "uint8", (OUT, IN * 6 // 8)), ("weight_scale", "uint8", (OUT, IN // 32))]
    yield Case("mxfp6 of quark", module(mxfp6, hints={"weight": {"_packed_factor": Fraction(4, 3)}}, **VLLM_ROW), {"weight": (IN * OUT, 6)}, "weight_scale")
    yield Case("mxfp6 by its block scales", module(mxfp6), {"weight": (IN * OUT, 6)}, "weight_scale")
    # Scales that carry a pack_factor of their own: 32 elements of the weight for each.
    held = [("qweight", "uint8", (OUT, IN // 2)), ("scales", "uint8", (OUT, IN // 32)), ("weight_global_scale", "float32", (1,))]
    held += [("act_global_scale", "float32", (1,)), ("forward_hadamard_matrix", "bfloat16", (32, 32))]
    hints = {"qweight": {"pack_factor": 2, "packed_dim": 1}, "scales": {"pack_factor": 32, "packed_dim": 1}}
    names = "scales weight_global_scale act_global_scale forward_hadamard_matrix"
    yield Case("fp-quant", module(held, hints=hints, **VLLM_COLUMN), {"qweight": (IN * OUT, 4)}, names)
    held = [("weight", "int32", (IN, OUT // 8)), ("weight_zero_point", "int32", (4, OUT // 8)), ("weight_scale", "bfloat16", (4, OUT))]
    hints = {"weight": {"_packed_factor": 8}, "weight_zero_point": {"_packed_factor": 8}}
    yield Case("quark int4", module(held, hints=hints, **VLLM_COLUMN), {"weight": (IN * OUT, 4)}, "weight_zero_point weight_scale")


def other_cases():
    half = [("weight", "uint8", (IN * OUT // 2, 1))]
    hints = {"weight": {"pack_factor": 2, "use_bitsandbytes_4bit": True}}
    yield Case("bitsandbytes 4 bit in vllm", module(half, hints=hints, **VLLM_ROW), {"weight": (IN * OUT, 4)})
    yield Case("bitsandbytes 4 bit in vllm, factor only", module(half, hints=hints), {"weight": (IN * OUT, 4)})
    for bits, dtype, rows in ((8, "uint8", 64), (4, "uint8", 32), (2, "uint8", 16), (1, "uint8", 8), (3, "int32", 7)):
        # HQQ lays the elements out as [group, n / group] and packs along the group; 64 × 3 bits take 7 words of 10.
        held = [("W_q", dtype, (rows, IN * OUT // 64))]
        meta = {"nbits": bits, "group_size": 64, "shape": torch.Size((OUT, IN)), "packing": "x"}
        yield Case("hqq %d bit" % bits, module(held, meta=meta, **HF), {"W_q": (IN * OUT, 0 if bits == 8 else bits)})
    held = [("codebooks", "float16", (1, 65536, 1, 8)), ("codes", "int16", (OUT, IN // 8, 1)), ("scales", "float16", (OUT, 1, 1, 1))]
    held += [("bias", "float16", (OUT,))]
    yield Case("aqlm, one codebook of 16 bits", module(held, **HF), {"codes": (IN * OUT, 2)}, "codebooks scales", "bias")
    held = [("weight", "int16", (OUT * 4 // 16, IN)), ("scales", "float16", (OUT, 2)), ("tables", "float16", (16,)), ("tables2", "float16", (16, 16, 2))]
    yield Case("higgs", module(held, num_bits=4, **HF), {"weight": (IN * OUT, 4)}, "scales tables tables2")
    held = [("weight", "uint8", (OUT // 4, IN)), ("weight_scale", "bfloat16", (1,)), ("bias", "bfloat16", (OUT,))]
    yield Case("bitnet, all buffers", module(buffers=held, **HF), {"weight": (IN * OUT, 2)}, "weight_scale", "bias")
    yield Case("eetq", module([("weight", "int8", (IN, OUT)), ("weight_scales", "float16", (OUT,))], **HF), {"weight": (IN * OUT, 0)}, "weight_scales")
    held = [("weight", "uint32", (OUT, IN * 4 // 32)), ("scales", "bfloat16", (OUT, 8)), ("qbiases", "bfloat16", (OUT, 8))]
    yield Case("metal", module(held, bits=4, **HF), {"weight": (IN * OUT, 4)}, "scales qbiases")
    held = [("weight", "uint8", (OUT, IN // 4)), ("weight_scale", "float32", (OUT, 1)), ("input_activation_scale", "float32", ())]
    yield Case("gemma's 2 bit", module(held, num_bits=2, **HF), {"weight": (IN * OUT, 2)}, "weight_scale input_activation_scale")
    held = [("embedding_quantized", "uint8", (OUT, IN // 2)), ("embedding_scale", "float32", (OUT, 1))]
    yield Case("gemma's embedding", module(held, num_embeddings=OUT, embedding_dim=IN, num_bits=4), {"embedding_quantized": (IN * OUT, 4)}, "embedding_scale")
    held = [("B", "int32", (IN // 16, OUT * 16 // 8)), ("s_channel", "float32", (1, OUT)), ("s_group", "float16", (4, OUT)), ("workspace", "int32", (48,))]
    held += [("reduce_buffer", "int32", (64, OUT))]
    yield Case("qqq", module(buffers=held, bits=4, **HF), {"B": (IN * OUT, 4)}, "s_channel s_group workspace reduce_buffer")
    # (elements, bytes, bits) of a block of GGUF: an element, scales and minima apart.
    blocks = {2: ("Q4_0", 32, 18, 4), 3: ("Q4_1", 32, 20, 4), 6: ("Q5_0", 32, 22, 5), 7: ("Q5_1", 32, 24, 5), 8: ("Q8_0", 32, 34, 8), 10: ("Q2_K", 256, 84, 2)}
    blocks.update({11: ("Q3_K", 256, 110, 3), 12: ("Q4_K", 256, 144, 4), 13: ("Q5_K", 256, 176, 5), 14: ("Q6_K", 256, 210, 6), 23: ("IQ4_XS", 256, 136, 4)})
    for number, (name, elements, size, bits) in blocks.items():
        held = [("qweight", "uint8", (OUT, IN // elements * size)), ("qweight_type", "uint8", (1,))]
        hints = {"qweight": {"tensor_shape": (OUT, IN)}, "qweight_type": {"weight_type": number}}
        yield Case("gguf %s in vllm" % name, module(held, hints=hints, **VLLM_COLUMN), {"qweight": (IN * OUT, bits)}, "qweight_type")
        hints = {"weight": {"quant_type": number, "quant_shape": torch.Size((OUT, IN))}}
        weight = module([("weight", "uint8", (OUT, IN // elements * size))], hints=hints)
        yield Case("gguf %s in diffusers" % name, weight, {"weight": (IN * OUT, bits)})
    held = [("q_weight", "int32", (75, OUT)), ("q_invperm", "int16", (IN,)), ("q_scale", "int32", (16, OUT // 8)), ("q_scale_max", "float16", (16,))]
    names = "q_invperm q_scale q_scale_max"
    yield Case("exl2", module(held, **HF), {"q_weight": (IN * OUT, 4)}, names, note="4.69 bits an element on average")
    held = [("trellis", "int16", (IN // 16, OUT // 16, 16 * 3)), ("suh", "float16", (IN,)), ("svh", "float16", (OUT,))]
    yield Case("exl3, 3 bit", module(held, **HF), {"trellis": (IN * OUT, 3)}, "suh svh")


def expert_cases():
    w13, w2 = EXPERTS * 2 * WIDTH * HIDDEN, EXPERTS * HIDDEN * WIDTH
    e, h, i = EXPERTS, HIDDEN, WIDTH
    method = {"quant_method": AutoGPTQLinearMethod(weight_bits=4)}
    held = [("w13_qweight", "int32", (e, h // 8, 2 * i)), ("w2_qweight", "int32", (e, i // 8, h)), ("w13_scales", "bfloat16", (e, 7, 2 * i))]
    held += [("w2_scales", "bfloat16", (e, 5, h)), ("w13_qzeros", "int32", (e, 7, 2 * i // 8)), ("w2_qzeros", "int32", (e, 5, h // 8))]
    held += [("w13_g_idx", "int32", (e, h)), ("w13_g_idx_sort_indices", "int32", (e, h)), ("w13_bias", "bfloat16", (e, 2 * i))]
    names = "w13_scales w2_scales w13_qzeros w2_qzeros w13_g_idx w13_g_idx_sort_indices"
    weights = {"w13_qweight": (w13, 4), "w2_qweight": (w2, 4)}
    yield Case("experts, gptq", module(held, **method, **VLLM_EXPERTS), weights, names, "w13_bias")
    yield Case("experts, gptq, sizes only", module(held, **VLLM_EXPERTS), weights, names, "w13_bias")
    yield Case("experts, gptq, config only", module(held), weights, names, "w13_bias", config_bits=4)
    repacked = [("w13_qweight", "int32", (e, h // 16, 2 * i * 2)), ("w2_qweight", "int32", (e, i // 16, h * 2))]
    repacked += [("w13_weight", "int32", (e, h // 16, 2 * i * 2))]  # the same tensor, once more
    twice = {**weights, "w13_weight": (w13, 4)}
    yield Case("experts, gptq after marlin's repack", module(repacked, **method, **VLLM_EXPERTS), twice)
    held = [("w13_qweight", "int32", (e, h, 2 * i // 8)), ("w2_qweight", "int32", (e, i, h // 8)), ("w13_scales", "bfloat16", (e, 7, 2 * i))]
    yield Case("experts, awq", module(held, **VLLM_EXPERTS), weights, "w13_scales")
    held = [("w13_qweight", "uint8", (e, 2 * i, h // 2)), ("w2_qweight", "uint8", (e, h, i // 2)), ("w13_scales", "bfloat16", (e, 2 * i, 7))]
    yield Case("experts, wna16 in bytes", module(held, **VLLM_EXPERTS), weights, "w13_scales")
    held = [("w13_qweight", "uint8", (e, 2 * i, h)), ("w2_qweight", "uint8", (e, h, i))]
    yield Case("experts, wna16 in bytes, 8 bit", module(held, **VLLM_EXPERTS), {"w13_qweight": (w13, 0), "w2_qweight": (w2, 0)})
    held = [("w13_weight_packed", "int32", (e, 2 * i, h // 8)), ("w2_weight_packed", "int32", (e, h, i // 8)), ("w13_weight_scale", "bfloat16", (e, 2 * i, 7))]
    held += [("w13_weight_zero_point", "int32", (e, 2 * i // 8, 7)), ("w2_weight_shape", "float32", (e, 2)), ("w13_weight_shape", "float32", (e, 2))]
    names = "w13_weight_scale w13_weight_zero_point w2_weight_shape w13_weight_shape"
    yield Case("experts, compressed-tensors", module(held, num_bits=4, **VLLM_EXPERTS), {"w13_weight_packed": (w13, 4), "w2_weight_packed": (w2, 4)}, names)
    held = [("w13_weight", "float8_e4m3fn", (e, 2 * i, h)), ("w2_weight", "float8_e4m3fn", (e, h, i)), ("w13_weight_scale", "float32", (e, 2))]
    held += [("w2_weight_scale", "float32", (e,)), ("w13_input_scale", "float32", (e,)), ("w2_input_scale", "float32", (e,)), ("w2_bias", "bfloat16", (e, h))]
    names = "w13_weight_scale w2_weight_scale w13_input_scale w2_input_scale"
    yield Case("experts, fp8", module(held, **VLLM_EXPERTS), {"w13_weight": (w13, 0), "w2_weight": (w2, 0)}, names, "w2_bias")
    held = [("w13_weight", "uint8", (e, 2 * i, h // 2)), ("w2_weight", "uint8", (e, h, i // 2)), ("w13_weight_scale", "float8_e4m3fn", (e, 2 * i, h // 16))]
    held += [("w13_weight_scale_2", "float32", (e, 2)), ("w2_weight_scale_2", "float32", (e,)), ("w13_input_scale_2", "float32", (e, 2))]
    four = {"w13_weight": (w13, 4), "w2_weight": (w2, 4)}
    names = "w13_weight_scale w13_weight_scale_2 w2_weight_scale_2 w13_input_scale_2"
    yield Case("experts, nvfp4", module(held, **VLLM_EXPERTS), four, names)
    held = [("w13_weight", "uint8", (e, 2 * i, h // 2)), ("w2_weight", "uint8", (e, h, i // 2)), ("w13_weight_scale", "uint8", (e, 2 * i, h // 32))]
    yield Case("experts, mxfp4", module(held + [("w2_weight_scale", "uint8", (e, h, i // 32))], **VLLM_EXPERTS), four, "w13_weight_scale w2_weight_scale")
    yield Case("experts, mxfp4 by block scales", module(held[:1] + held[2:]), {"w13_weight": (w13, 4)}, "w13_weight_scale")
    # Hidden size 448 and width 320 padded to 512 and 384 for a kernel: the model has no more weights for it.
    padded = [("w13_weight", "uint8", (e, 2 * 384, 512 // 2)), ("w2_weight", "uint8", (e, 512, 384 // 2))]
    config = Config(hidden_dim_unpadded=h, intermediate_size_per_partition_unpadded=i, is_act_and_mul=True)
    sizes = {"hidden_size": 512, "intermediate_size_per_partition": 384, "moe_config": config, "quant_method": AutoGPTQLinearMethod(weight_bits=4)}
    yield Case("experts, mxfp4, padded", module(padded, **sizes), four)
    ungated = [("w13_weight", "uint8", (e, i, h // 2)), ("w2_weight", "uint8", (e, h, i // 2)), ("w13_weight_scale", "uint8", (e, i, h // 32))]
    config = Config(is_act_and_mul=False)
    half = {"w13_weight": (w13 // 2, 4), "w2_weight": (w2, 4)}
    yield Case("experts without a gate", module(ungated, moe_config=config, **VLLM_EXPERTS), half, "w13_weight_scale")
    yield Case("experts without a gate, which sizes show", module(ungated, **VLLM_EXPERTS), half, "w13_weight_scale")

    sizes = {"num_experts": e, "hidden_size": h, "intermediate_size": i}
    held = [("gate_up_proj", "uint8", (e, 2 * i, h // 2)), ("gate_up_proj_bias", "float32", (e, 2 * i)), ("down_proj", "uint8", (e, h, i // 2))]
    held += [("down_proj_bias", "float32", (e, h))]
    yield Case("gpt-oss in HF", module(held, **sizes), {"gate_up_proj": (w13, 4), "down_proj": (w2, 4)}, "", "gate_up_proj_bias down_proj_bias")
    held = [("gate_up_proj_blocks", "uint8", (e, 2 * i, h // 32, 16)), ("gate_up_proj_scales", "uint8", (e, 2 * i, h // 32))]
    held += [("gate_up_proj_bias", "bfloat16", (e, 2 * i))]
    held += [("down_proj_blocks", "uint8", (e, h, i // 32, 16)), ("down_proj_scales", "uint8", (e, h, i // 32))]
    weights = {"gate_up_proj_blocks": (w13, 4), "down_proj_blocks": (w2, 4)}
    yield Case("gpt-oss as stored", module(held), weights, "gate_up_proj_scales down_proj_scales", "gate_up_proj_bias")
    sizes = {"num_experts": e, "hidden_dim": h, "intermediate_dim": i, "has_gate": True}
    held = [("gate_up_proj", "int8", (e, 2 * i, h // 2)), ("gate_up_proj_scale_inv", "float32", (e, 2 * i, h // 32)), ("down_proj", "int8", (e, h, i // 2))]
    held += [("down_proj_scale_inv", "float32", (e, h, i // 32)), ("gate_up_proj_activation_scale", "float32", (e,))]
    names = "gate_up_proj_scale_inv down_proj_scale_inv gate_up_proj_activation_scale"
    yield Case("experts in HF, fp4 in int8", module(held, **sizes), {"gate_up_proj": (w13, 4), "down_proj": (w2, 4)}, names)


def unquantised_cases():
    """What has a name of the tables and is none of it."""
    yield Case("clip's temperature", module([("logit_scale", "float32", ())]), {}, "", "logit_scale")
    yield Case("scale of a layer", module([("scale", "bfloat16", (IN,)), ("weight", "bfloat16", (OUT, IN))]), {}, "", "scale weight")
    held = [("weight", "float32", (OUT, IN)), ("weight_scale", "float32", (OUT, 1)), ("input_scale", "float32", (IN,)), ("bias", "float32", (OUT,))]
    yield Case("weight normalised by a scale to learn", module(held, **HF), {}, "", "weight weight_scale input_scale bias")
    held = [("weight_scale", "float32", (OUT, 1)), ("scales", "float32", (4,))]
    yield Case("a scale to learn of a weight elsewhere", module(held), {}, "", "weight_scale scales")
    held = [("weight", "bfloat16", (OUT, IN)), ("weight_scale", "bfloat16", (OUT, 1))]
    yield Case("unquantised in vllm", module(held, quant_method=UnquantizedLinearMethod(), **VLLM_ROW), {}, "", "weight weight_scale")
    buffers = [("attn_mask", "bool", (64, 64)), ("causal_mask", "uint8", (64, 64)), ("relative_index", "int64", (49, 49)), ("token_type", "int32", (4,))]
    held = [("q_scale", "float32", (8,)), ("k_scale", "float32", (8,)), ("qkv", "float32", (64, 64))]
    names = "attn_mask causal_mask relative_index token_type"
    yield Case("attention with masks and learned scales", module(held, buffers), {}, "", "q_scale k_scale qkv", names)
    buffers = [("codes", "int32", (64, 8)), ("workspace", "float32", (16,)), ("perm", "int64", (64,))]
    yield Case("codec with a code buffer", module([("scale", "float32", (8,))], buffers), {}, "", "scale", "codes workspace perm")
    yield Case("positions as a parameter", module([("position_ids", "int64", (1, 512))]), {}, "", "position_ids")
    buffers = [("running_mean", "float32", (8,)), ("num_batches_tracked", "int64", ()), ("bias", "float32", (8,))]
    yield Case("batch norm", module([("weight", "float32", (8,))], buffers), {}, "", "weight", "running_mean num_batches_tracked bias")
    buffers = [("_k_scale", "float32", ()), ("_v_scale", "float32", ())]
    yield Case("attention of vllm", module(buffers=buffers), {}, "", "", "_k_scale _v_scale")
    held = [("k_scale", "float32", ()), ("v_scale", "float32", ())]
    yield Case("attention of vllm with a quantised cache", module(held, quant_method=AutoGPTQLinearMethod()), {}, "k_scale v_scale")
    held = [("weight", "float8_e4m3fn", (OUT, IN)), ("weight_scale", "float32", ()), ("logit_scale", "float32", ())]
    yield Case("a temperature beside a quantised weight", module(held), {"weight": (IN * OUT, 0)}, "weight_scale", "logit_scale")
    held = [("lookup", "int32", (64, 8)), ("weight", "float32", (OUT, IN))]
    yield Case("integers nobody explains", module(held, **HF), {}, "", "lookup weight", note="packed in int32 words of unknown width", config_bits=4)


GENERATORS = (gptq_cases, awq_cases, compressed_tensors_cases, float_cases, other_cases, expert_cases, unquantised_cases)
CASES = [case for cases in GENERATORS for case in cases()]


def described(case):
    found = {}
    for is_parameter, tensors in ((True, case.module._parameters), (False, case.module._buffers)):
        for name, tensor in tensors.items():
            dtype, sizes = str(tensor.dtype).replace("torch.", "", 1), tuple(tensor.shape)
            found[name] = describe(name, is_parameter, dtype, sizes, case.module.__dict__, tensor.__dict__, case.config_bits)
    return found


@pytest.mark.parametrize("case", [pytest.param(case, id=case.scheme) for case in CASES])
def test_every_tensor_of(case):
    found = described(case)
    tensors = {**case.module._parameters, **case.module._buffers}
    roles = {**dict.fromkeys(case.states.split(), "q"), **dict.fromkeys(case.parameters.split(), "p"), **dict.fromkeys(case.buffers.split(), "b")}
    assert {name: packing.role for name, packing in found.items()} == {**dict.fromkeys(case.weights, "p"), **roles}
    for name, (elements, bits) in case.weights.items():
        assert (found[name].numel or tensors[name].numel(), found[name].bits) == (elements, bits)
        assert (found[name].bits == 0) == (found[name].numel == 0)
    assert all(packing[1:3] == (0, 0) for name, packing in found.items() if name not in case.weights)
    notes = [packing.note for packing in found.values() if packing.note]
    assert len(notes) == (1 if case.note else 0) and all(case.note in note for note in notes)


def test_the_cases_are_distinct():
    assert len({case.scheme for case in CASES}) == len(CASES)


def test_words_of_unknown_width_stay_words_and_are_said():
    held = gptq(4)
    packing = describe("qweight", False, "int32", (64, OUT), held.__dict__, {})
    assert packing == ("p", 0, 0, "packed in int32 words of unknown width")


def test_sizes_that_are_not_the_tensors_give_way_to_its_own_width():
    """A layer cut in four by a library that leaves the module's sizes as they were."""
    held = module([("qweight", "int32", (IN // 8 // 4, OUT))], hints={"qweight": {"packed_factor": 8}}, **HF)
    assert describe("qweight", True, "int32", (IN // 8 // 4, OUT), held.__dict__, held.qweight.__dict__)[:3] == ("p", 4, IN * OUT // 4)


@pytest.mark.parametrize("hint", [True, -4, 0, 4.0, "4", None, 64, object()], ids=repr)
def test_a_hint_that_is_no_width_is_none(hint):
    held = gptq(4, bits=hint)
    assert describe("qweight", False, "int32", (64, OUT), held.__dict__, {"pack_factor": hint if hint != 64 else 0})[1:3] == (0, 0)
