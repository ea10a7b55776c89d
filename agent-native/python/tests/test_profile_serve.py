"""Which requests stand for a workload, and traces that have exactly their tokens: counted in the operators of each trace, which know nothing of our metadata."""
import gzip
import importlib.util
import json
import os
import subprocess
import sys

import pytest
from repository import PACKAGE

from lamella.profile_serve import main, prompt_of
from lamella.representatives import Request, WorkloadError, nearest_rank, representatives, workload_of


def picked(value):
    return [(one.label, one.number, one.latency_ns) for one in representatives(workload_of(json.dumps(value)))]


def plain(latencies):
    return [{"latency": latency, "input_tokens": 10 + i, "output_tokens": 5} for i, latency in enumerate(latencies)]


@pytest.mark.parametrize(
    "count, ranks",
    [(1, [1, 1, 1]), (2, [1, 1, 2]), (3, [1, 2, 3]), (9, [1, 5, 9]), (10, [1, 5, 9]), (11, [2, 6, 10]), (100, [10, 50, 90]), (101, [11, 51, 91]), (70, [7, 35, 63])],
)
def test_nearest_rank(count, ranks):
    assert [nearest_rank(count, percentile) + 1 for percentile in (10, 50, 90)] == ranks


def test_fast_typical_and_slow_are_real_requests():
    assert picked(plain([9, 8, 7, 6, 5, 4, 3, 2, 1, 10])) == [("Fast", 8, 10**9), ("Typical", 4, 5 * 10**9), ("Slow", 0, 9 * 10**9)]
    assert picked(plain([1, 1, 1])) == [("Fast", 0, 10**9), ("Typical", 1, 10**9), ("Slow", 2, 10**9)]
    assert picked(plain([2, 1])) == [("Typical", 1, 10**9), ("Slow", 0, 2 * 10**9)] and picked(plain([3])) == [("Typical", 0, 3 * 10**9)]


RESULT = {"ttfts": [0.5, 0.1, 0.0], "itls": [[0.25, 0.25], [0.1], []], "input_lens": [7, 8, 9], "output_lens": [3, 2, 0], "errors": ["", "", "timed out"]}


def test_a_detailed_result_of_vllm_is_read_as_it_is():
    workload = workload_of(json.dumps(RESULT))
    assert [(one.number, one.input_tokens, one.output_tokens, one.latency_ns) for one in workload.requests] == [(0, 7, 3, 10**9), (1, 8, 2, 2 * 10**8)]
    assert workload.failed == 1
    newer = dict(RESULT, latencies=[1.5, 0.25, 0.0])
    assert [one.latency_ns for one in workload_of(json.dumps(newer)).requests] == [15 * 10**8, 25 * 10**7]


@pytest.mark.parametrize(
    "entry",
    [{"error": "x"}, {"success": False}, {"output_tokens": 0}, {"input_tokens": None}] + [{"latency": one} for one in (0, float("nan"), float("inf"), -1, "1")],
)
def test_what_failed_or_has_no_time_takes_no_part(entry):
    workload = workload_of(json.dumps(plain([1]) + [dict({"latency": 2, "input_tokens": 1, "output_tokens": 1}, **entry)]))
    assert (len(workload.requests), workload.failed) == (1, 1)


def test_the_unit_is_in_the_name():
    entries = [{"latency_ms": 1.5, "input_len": 1, "output_len": 2}, {"latency_ns": 7, "prompt_len": 1, "output_len": 2}]
    assert [one.latency_ns for one in workload_of(json.dumps({"requests": entries})).requests] == [1_500_000, 7]


@pytest.mark.parametrize(
    "text, said",
    [
        ("{", "is not JSON"),
        ('{"a": 1}\n{"a": 2}', "has 2 lines of JSON, one benchmark each"),
        ('{"mean_ttft_ms": 1, "completed": 9}', "no times of single requests: run `vllm bench serve` with --save-result --save-detailed"),
        ('{"ttfts": [1], "itls": [[1], [1]], "input_lens": [1], "output_lens": [1]}', "differ in length"),
        ("[1]", "request 0 of the workload is a int"),
        ("[]", "has no requests"),
        (json.dumps(dict(RESULT, errors=["a", "b", "c"])), "all 3 requests of the workload failed"),
        (json.dumps({"ttfts": [None], "itls": [[]], "input_lens": [1], "output_lens": [1]}), "all 1 requests of the workload failed"),
    ],
)
def test_a_workload_that_cannot_be_used_says_why(text, said):
    with pytest.raises(WorkloadError, match=said):
        representatives(workload_of(text))


def test_a_prompt_has_exactly_its_tokens_and_is_the_same_again():
    one = Request("Slow", 90, 3, 1000, 5, 1)
    assert len(prompt_of(one, 50, 0)) == 1000 and set(prompt_of(one, 50, 0)) <= set(range(50))
    assert prompt_of(one, 50, 0) == prompt_of(one, 50, 0) != prompt_of(one, 50, 1)


@pytest.mark.parametrize("arguments", [[], ["--input-len", "4", "--workload-json", "w"], ["--input-len", "4", "--output-len", "0"], ["--input-len", "4", "--num-prompts", "101"]])
def test_arguments_that_do_not_fit_are_refused(arguments):
    with pytest.raises(SystemExit):
        main(["m"] + arguments)


def test_a_workload_that_cannot_be_read_is_said_before_an_engine_starts(tmp_path, capsys):
    assert main(["m", "--workload-json", str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().err == "lamella.profile_serve: %s cannot be read: No such file or directory\n" % (tmp_path / "none.json")


# The engines. The third request failed and would be the slowest.

TINY = {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "dtype": "bfloat16", "hidden_size": 128, "num_hidden_layers": 3, "num_attention_heads": 2,
    "num_key_value_heads": 1, "head_dim": 64, "intermediate_size": 192, "vocab_size": 320, "max_position_embeddings": 512, "tie_word_embeddings": False,
}  # fmt: skip
WORKLOAD = {
    "ttfts": [0.2, 0.3, 9.0, 0.1], "itls": [[0.1], [0.2] * 3, [], [0.1]], "input_lens": [5, 17, 3, 9], "output_lens": [2, 4, 0, 3], "errors": ["", "", "gone", ""],
}  # fmt: skip
SERVED = [("Fast", 9, 3, 10), ("Typical", 5, 2, 50), ("Slow", 17, 4, 90)]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    (tmp_path / "workload.json").write_text(json.dumps(WORKLOAD))
    return ["tiny", "--config", str(tmp_path / "config.json"), "--workload-json", str(tmp_path / "workload.json"), "--out", str(tmp_path / "traces")]


def check(folder, module_classes):
    """Every trace: the tokens of each step in the embedding's operator; module paths against the weights their operators multiply with."""
    told = json.loads((folder / "request_metadata.json").read_text())
    assert [(one["label"], one["input_tokens"], one["output_tokens"], one["percentile"]) for one in told["requests"]] == SERVED
    assert "queueing and batching of the real requests are not reproduced" in told["notes"][0]
    for number, (label, prompt, tokens, _) in enumerate(SERVED, 1):
        line = told["requests"][number - 1]
        assert line["file"] == "request_%03d.json.gz" % number and line["steps"] == tokens
        trace = json.loads(gzip.decompress((folder / line["file"]).read_bytes()))
        assert trace["lamella_format"] == 1 and trace["lamella_model_name"] == "tiny"
        request = {key: trace["lamella_request"][key] for key in ("label", "input_tokens", "output_tokens", "latency_ns")}
        assert request == {"label": label, "input_tokens": prompt, "output_tokens": tokens, "latency_ns": line["latency_ns"]}
        events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
        steps = [event["args"]["Input Dims"][1][-1] for event in events if event["name"] == "aten::embedding"]
        assert steps == [prompt] + [1] * (tokens - 1), "one prefill of the whole prompt, then one token at a time"
        entries = trace["lamella_module_map"]
        assert {event["name"] for event in events if event["name"].startswith("nn.Module: ")} >= set(entries)
        for kind, paths in module_classes.items():
            assert {entry["path"] for entry in entries.values() if entry["class"] == kind} == paths
    return told, trace


def layers(*names):
    return {"model.layers.%d.%s" % (i, name) for i in range(3) for name in names}


def test_transformers_runs_each_request_alone_with_its_tokens(files, tmp_path, capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    assert main(files + ["--engine", "transformers"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].startswith("request_001.json.gz: Fast, 9 + 3 tokens · p10 of the workload, 0.200 s there · 3 steps, ")
    assert "note: 1 of 4 requests failed and take no part" in err
    kinds = {"Qwen3DecoderLayer": {"model.layers.0", "model.layers.1", "model.layers.2"}, "Qwen3Attention": layers("self_attn"), "Qwen3MLP": layers("mlp")}
    told, trace = check(tmp_path / "traces", kinds)
    assert (told["engine"], told["mode"]) == ("transformers", "eager") and told["device"].startswith("CPU: ")
    widths = {"q_proj": [128, 128], "k_proj": [64, 128], "up_proj": [192, 128], "down_proj": [128, 192], "lm_head": [320, 128]}
    operators = [event for event in trace["traceEvents"] if event.get("name") == "aten::linear"]
    checked = 0
    for event in trace["traceEvents"]:
        entry = trace["lamella_module_map"].get(event.get("name"), {"path": ""})
        wanted = widths.get(entry["path"].rpartition(".")[2])
        if wanted:
            inside = [one for one in operators if event["ts"] <= one["ts"] and one["ts"] + one["dur"] <= event["ts"] + event["dur"]]
            assert [one["args"]["Input Dims"][1] for one in inside] == [wanted]
            checked += 1
    assert checked == 4 * (3 * 4 + 1)


def test_a_request_that_is_longer_than_the_model_takes_is_refused(files, capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    assert main(files[:3] + ["--engine", "transformers", "--input-len", "510", "--output-len", "4", "--out", files[-1]]) == 1
    assert "a request has 514 tokens and the model takes 512" in capsys.readouterr().err and not os.path.exists(files[-1])


@pytest.mark.skipif(importlib.util.find_spec("vllm") is None or importlib.util.find_spec("torch") is None, reason="vLLM is not installed")
def test_vllm_runs_each_request_alone_with_its_tokens_and_shows_its_forward(files, tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment.update(VLLM_LOGGING_LEVEL="ERROR", VLLM_CPU_KVCACHE_SPACE="1", VLLM_CPU_OMP_THREADS_BIND="nobind")
    command = [sys.executable, "-m", "lamella.profile_serve", *files, "--engine", "vllm", "--with-forward"]
    done = subprocess.run(command, cwd=str(PACKAGE), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=240, env=environment)
    assert done.returncode == 0, done.stderr[-4000:]
    norms = layers("self_attn.q_norm", "self_attn.k_norm", "input_layernorm", "post_attention_layernorm") | {"model.norm"}
    kinds = {"QKVParallelLinear": layers("self_attn.qkv_proj"), "SiluAndMul": layers("mlp.act_fn"), "RMSNorm": norms}
    told, trace = check(tmp_path / "traces", kinds)
    assert told["engine"] == "vllm" and "vllm" in told["versions"]
    document = trace["lamella_forward"]
    names = {entry["order"]: entry["path"].rpartition("layers.0.")[2] for entry in document["calls"]}
    edges = {(names.get(edge["from"], edge["from"]), names.get(edge["to"], edge["to"])) for edge in document["flow"]}
    attention = {("qkv_proj", "q_norm"), ("qkv_proj", "k_norm"), ("q_norm", "rotary_emb"), ("rotary_emb", "attn"), ("qkv_proj", "attn"), ("attn", "o_proj")}
    assert {("self_attn." + start, "self_attn." + end) for start, end in attention} <= edges
    assert {("self_attn", "post_attention_layernorm"), ("post_attention_layernorm", "mlp"), ("input:hidden_states", "post_attention_layernorm")} <= edges
    assert document["calls"][0]["inputs"][0]["dims"] == [9], "the warm-up of the first request, not what vLLM runs to measure its memory"
    (norm,) = [value for key, value in document["classes"].items() if key.endswith(".RMSNorm")]
    assert any(".RMSNorm.forward_" in call.get("method", "") for one in norm["operations"] for call in one.get("calls", ())), "what the instance has chosen"
